"""What things are (constraint 50), and what can't be (51 and 53 to 56, and what PROV-DM requires)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from provmodel.constraints import rules
from provmodel.constraints.facts import Facts
from provmodel.constraints.merging import Merging
from provmodel.constraints.specializing import Specializing
from provmodel.constraints.telling import NOUN_OF, Teller, with_article
from provmodel.constraints.verdict import Reason, Step, Violation
from provmodel.document import Element, named
from provmodel.relations import DERIVATION, INFLUENCE, MEMBERSHIP, TERMS, Kind

# The positions in each term that say that what stands there is an entity, or an activity.
_PLACES: dict[Kind, tuple[tuple[int, ...], ...]] = {
    kind: tuple(
        tuple(
            position
            for position, found in enumerate((term.subject_kind, *(one.kind for one in term.arguments)))
            if found is kind
        )
        for term in TERMS
    )
    for kind in (Kind.ENTITY, Kind.ACTIVITY)
}


def impossibilities(
    facts: Facts, merging: Merging, specializing: Specializing, teller: Teller
) -> Iterator[Reason]:
    """A violation for each statement that lacks something, and each thing that can't be as it is stated."""
    found = Impossibilities(facts, merging, specializing, teller)
    yield from found.lacking()
    yield from found.unspecified_derivations()
    yield from found.two_sorts_of_relation()
    yield from found.thing_and_relation()
    yield from found.entity_and_activity()
    yield from found.members_of_nothing()


def typed(facts: Facts, merging: Merging, kind: Kind) -> dict[str, int]:
    """What is of a kind, each with the number of a statement that says so (ENTITY or ACTIVITY)."""
    arguments = merging.arguments
    found: dict[str | None, int] = {}
    for numbers, positions in zip(facts.of, _PLACES[kind], strict=True):
        for position in positions:
            found |= {arguments[number][position]: number for number in numbers}
    found |= {merging.name(name): number for name, number in facts.declared(kind)}
    return {name: number for name, number in found.items() if name is not None}


class Impossibilities:
    """Makes the violations of one part of a document; its methods are those of the module."""

    def __init__(self, facts: Facts, merging: Merging, specializing: Specializing, teller: Teller) -> None:
        self._facts, self._merging, self._teller = facts, merging, teller
        self._specializing = specializing

    def lacking(self) -> Iterator[Reason]:
        """One for each statement without something essential."""
        return (partial(self._lacking, *one) for one in self._facts.lacking)

    def _lacking(self, number: int, position: int) -> Violation:
        term = self._facts.relations[number].term
        part = (term.subject, *(argument.name for argument in term.arguments))[position]
        statement = self._teller.statement(number)
        return Violation(rules.REQUIRED, f"{statement} doesn't say which {part} it is about.", (statement,))

    def unspecified_derivations(self) -> Iterator[Reason]:
        """One for each derivation that names a generation or usage and no activity (51)."""
        for number in self._facts.of[DERIVATION.index]:
            _, _, activity, generation, usage = self._facts.given[number]
            if activity is None and (generation or usage):
                yield partial(self._unspecified, number, "generation" if generation else "usage")

    def _unspecified(self, number: int, part: str) -> Violation:
        statement = self._teller.statement(number)
        return Violation("51", f"{statement} names a {part}, but not its activity.", (statement,))

    def two_sorts_of_relation(self) -> Iterator[Reason]:
        """One for each id that relations of two terms have (53); an influence may share that of another."""
        seen: dict[str, int] = {}
        for index, table in self._merging.ids():
            if index != INFLUENCE.index:
                for name in sorted(seen.keys() & table.keys()):
                    yield partial(self._two_sorts, name, seen[name], table[name])
                seen.update(table)

    def _two_sorts(self, name: str, one: int, other: int) -> Violation:
        first, second = (with_article(self._noun(number)) for number in (one, other))
        return Violation(
            "53",
            f"{self._teller.name(name)} is the id of {first} and of {second}.",
            self._teller.statements(one, other),
            tuple(self._implied(one, other)),
        )

    def thing_and_relation(self) -> Iterator[Reason]:
        """One for each id of a relation that is stated to be an entity, activity or agent (54)."""
        things = {
            self._merging.name(name): (kind.word, number)
            for kind in self._facts.elements
            for name, number in self._facts.declared(kind)
        }
        for name, number in self._specializing.entities.items():
            things.setdefault(name, ("entity", number))
        for _, table in self._merging.ids():
            for name in sorted(table.keys() & things.keys()):
                yield partial(self._thing_and_relation, name, *things[name], table[name])

    def _thing_and_relation(self, name: str, kind: str, number: int, relation: int) -> Violation:
        noun = with_article(self._noun(relation))
        return Violation(
            "54",
            f"{self._teller.name(name)} is {with_article(kind)}, and the id of {noun}.",
            self._teller.statements(number, relation),
            (*self._implied(relation), *self._specializing.why_entity(name, self._teller)),
        )

    def entity_and_activity(self) -> Iterator[Reason]:
        """One for each thing that is both (55)."""
        entities = typed(self._facts, self._merging, Kind.ENTITY)
        activities = typed(self._facts, self._merging, Kind.ACTIVITY)
        for name in sorted(entities.keys() & activities.keys()):
            yield partial(self._both, name, entities[name], activities[name])

    def _both(self, name: str, entity: int, activity: int) -> Violation:
        return Violation(
            "55",
            f"{self._teller.name(name)} is both an entity and an activity.",
            self._teller.statements(entity, activity),
            (self._typed(name, entity, Kind.ENTITY), self._typed(name, activity, Kind.ACTIVITY)),
        )

    def _typed(self, name: str, number: int, kind: Kind) -> Step:
        declared = isinstance(self._facts.all[number], Element)
        is_so = f"{self._teller.name(name)} is {with_article(kind.word)}"
        rule = "" if declared else "50"
        text = is_so if declared else f"{is_so}, by its place in the statement"
        return Step(text, rule, self._teller.statements(number))

    def members_of_nothing(self) -> Iterator[Reason]:
        """One for each empty collection that has a member (56)."""
        members = {
            self._merging.arguments[number][0] or "": number
            for number in (self._facts.of[MEMBERSHIP.index] if self._specializing.empty else ())
        }
        for name in sorted(members.keys() & self._specializing.empty.keys()):
            yield partial(self._member_of_nothing, name, members[name])

    def _member_of_nothing(self, name: str, number: int) -> Violation:
        return Violation(
            "56",
            f"{self._teller.name(name)} is an empty collection, and yet it has a member.",
            self._teller.statements(self._specializing.empty[name], number),
            tuple(self._specializing.why_empty(name, self._teller)),
        )

    # --- chains ---

    def _noun(self, number: int) -> str:
        return NOUN_OF[self._facts.relations[number].term.index]

    def _implied(self, *numbers: int) -> Iterator[Step]:
        for number in numbers:
            source = self._facts.source(number)
            if source != number:
                identity = named(self._facts.all[number].id) or ""
                text = f"so {self._teller.name(identity)} is {with_article(self._noun(number))}"
                yield Step(text, "11", self._teller.statements(source))
