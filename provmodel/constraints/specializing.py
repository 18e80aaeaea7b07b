"""What specialization brings: what a specific entity has from the general one (inferences 19 and 21), and
that nothing specializes itself (constraint 52).

Alternates (inferences 12, 16 to 18 and 20) forbid nothing and order nothing, so they are not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from provmodel.constraints import graphs, rules
from provmodel.constraints.facts import Facts
from provmodel.constraints.merging import Merging
from provmodel.constraints.telling import Teller
from provmodel.constraints.verdict import Reason, Step, Violation
from provmodel.document import PROV, PROV_TYPE, Element
from provmodel.relations import MENTION, SPECIALIZATION, Kind

EMPTY_COLLECTION = PROV + "EmptyCollection"
_LONGEST_CHAIN = 100  # steps; who reads more?


class Specializing:
    """Which entities are stated, or are so by a more general one.

    ``pairs`` are the specific and the general entity with the number of the statement. ``entities`` has each
    entity that is stated to be one, and each that specializes such; ``empty`` each that is an empty
    collection in the same way. Both give the number of the statement about the entity itself, or about the
    general one.
    """

    def __init__(self, facts: Facts, merging: Merging) -> None:
        self.pairs: list[tuple[str, str, int]] = [
            (specific, general, number)
            for term in (SPECIALIZATION, MENTION)
            for number in facts.of[term.index]
            for specific, general in [merging.arguments[number][:2]]
            if specific is not None and general is not None
        ]
        self._mentions = set(facts.of[MENTION.index])
        self.entities: dict[str, int] = {}
        self.empty: dict[str, int] = {}
        for given, number in facts.declared(Kind.ENTITY):
            name = merging.name(given)
            self.entities.setdefault(name, number)
            if _is_empty(facts.things[number]):
                self.empty.setdefault(name, number)
        self._specific: dict[str, list[tuple[str, int]]] = {}
        for specific, general, number in self.pairs:
            self._specific.setdefault(general, []).append((specific, number))
        self._entity_from = self._inherit(self.entities)
        self._empty_from = self._inherit(self.empty)

    def _inherit(self, known: dict[str, int]) -> dict[str, tuple[str, int]]:
        """Inference 21, over any number of steps; gives what each has it from, and the statement."""
        came: dict[str, tuple[str, int]] = {}
        waiting = list(known) if self.pairs else []
        for general in waiting:  # grows as it goes
            for specific, number in self._specific.get(general, ()):
                if specific not in known:
                    known[specific] = known[general]
                    came[specific] = general, number
                    waiting.append(specific)
        return came

    def why_entity(self, name: str, teller: Teller) -> Iterator[Step]:
        """The steps by which something is an entity as what it specializes is; none where it is stated."""
        return _inherited(name, self._entity_from, teller)

    def why_empty(self, name: str, teller: Teller) -> Iterator[Step]:
        """The steps by which something is an empty collection as what it specializes is."""
        return _inherited(name, self._empty_from, teller)

    def cycles(self, teller: Teller) -> Iterator[Reason]:
        """A violation for each knot of entities that specialize each other, or themselves (52)."""
        number_of: dict[str, int] = {}
        names: list[str] = []
        out: graphs.Graph = []
        why: dict[tuple[int, int], int] = {}
        for specific, general, statement in self.pairs:
            for name in (specific, general):
                if name not in number_of:
                    number_of[name] = len(names)
                    names.append(name)
                    out.append([])
            one, other = number_of[specific], number_of[general]
            out[one].append(other)
            why.setdefault((one, other), statement)
        _, left = graphs.peeled(out)
        for knot in graphs.knots(left, out):
            yield partial(self._cycle, graphs.cycle(knot[0], out, set(knot)), names, why, teller)

    def _cycle(
        self, way: list[int], names: list[str], why: dict[tuple[int, int], int], teller: Teller
    ) -> Violation:
        numbers = [why[pair] for pair in zip(way, [*way[1:], way[0]], strict=True)]
        name = teller.name(names[way[0]])
        steps = [
            Step("so it is a specialization", rules.MENTION_SPECIALIZES, teller.statements(number))
            for number in numbers
            if number in self._mentions
        ]
        if len(way) > 1:
            round_trip = ", which specializes ".join(teller.name(names[node]) for node in [*way, way[0]])
            steps.append(
                Step(f"{round_trip}: so {name} specializes itself", "19", teller.statements(*numbers))
            )
        return Violation(
            "52", f"{name} is a specialization of itself.", teller.statements(*numbers), tuple(steps)
        )


def _inherited(name: str, came: dict[str, tuple[str, int]], teller: Teller) -> Iterator[Step]:
    way: list[tuple[str, str, int]] = []
    while name in came and len(way) < _LONGEST_CHAIN:
        general, number = came[name]
        way.append((name, general, number))
        name = general
    for specific, general, number in reversed(way):
        text = f"so {teller.name(specific)} has what {teller.name(general)} has"
        yield Step(text, "21", teller.statements(number))


def _is_empty(entity: Element) -> bool:
    return any(
        name == PROV_TYPE and value.value == EMPTY_COLLECTION and value.is_name
        for name, value in entity.attributes
    )
