"""What one part of a document states, laid out for the rules: statements by term, and what derivations imply.

Definitions 1 to 4 of PROV-CONSTRAINTS say what stands for an argument that isn't given. In most places it is
something that exists and isn't known (an existential variable): here None, which is equal to nothing and
takes on the value of the statement that it is merged with. The plan of an association and the activity of a
derivation are different: there None is a value of its own, "none is stated", which no given one can equal.
``-`` and an absent argument are the same everywhere. A blank name is a variable that can stand in several
statements. Nothing is concluded from what isn't stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from provmodel.document import ABSENT_MARK, AnyStatement, Element, Statement, named
from provmodel.relations import (
    ALTERNATE,
    ASSOCIATION,
    ATTRIBUTION,
    BY_NAME,
    COMMUNICATION,
    DELEGATION,
    DERIVATION,
    END,
    GENERATION,
    INFLUENCE,
    INVALIDATION,
    MEMBERSHIP,
    MENTION,
    SPECIALIZATION,
    START,
    TERMS,
    USAGE,
    Kind,
    Term,
)

# What a statement can't do without, by position (PROV-DM, section 5). The responsible agent of a delegation
# is not among them, as the test suite of the standard has it.
_ESSENTIAL: dict[Term, tuple[int, ...]] = {
    GENERATION: (0,),
    USAGE: (0,),
    COMMUNICATION: (0, 1),
    START: (0,),
    END: (0,),
    INVALIDATION: (0,),
    DERIVATION: (0, 1),
    ATTRIBUTION: (0, 1),
    ASSOCIATION: (0,),
    DELEGATION: (0,),
    INFLUENCE: (0, 1),
    SPECIALIZATION: (0, 1),
    ALTERNATE: (0, 1),
    MEMBERSHIP: (0, 1),
    MENTION: (0, 1, 2),
}
ESSENTIAL: tuple[tuple[int, ...], ...] = tuple(_ESSENTIAL.get(term, (0, 1)) for term in TERMS)

# Where None is "none is stated" (definition 4, table 3): the plan, and the activity of a derivation.
STATED_OR_NOT: dict[int, int] = {ASSOCIATION.index: 2, DERIVATION.index: 2}

_SUBTYPES = frozenset(BY_NAME[name].index for name in ("wasRevisionOf", "wasQuotedFrom", "hadPrimarySource"))

Arguments = tuple[str | None, ...]


class Facts:
    """The statements of one part; a statement's number is its place in ``all``.

    ``of`` has the numbers of the relations by the index of their term, ``elements`` those of the elements by
    kind; ``relations`` and ``things`` are ``all`` too, for the numbers of either. ``given`` has each
    relation's arguments, None for one that isn't given. After what is stated comes what derivations imply:
    ``implied`` gives the number of the derivation, ``used_in`` that of the usage that a derivation implies.
    ``lacking`` are statements without something essential, with its position; they are in ``all`` alone.
    """

    def __init__(self, statements: Iterable[AnyStatement]) -> None:
        self.all: list[Element | Statement] = []
        self.relations = cast("list[Statement]", self.all)
        self.things = cast("list[Element]", self.all)
        self.given: list[Arguments] = []
        self.of: list[list[int]] = [[] for _ in TERMS]
        self.elements: dict[Kind, list[int]] = {Kind.ENTITY: [], Kind.ACTIVITY: [], Kind.AGENT: []}
        self.lacking: list[tuple[int, int]] = []
        self.implied: dict[int, int] = {}
        self.used_in: dict[int, int] = {}
        for one in statements:
            if isinstance(one, Statement):
                self._add(one)
            elif isinstance(one, Element):
                self.elements[one.kind].append(len(self.all))
                self.all.append(one)
                self.given.append(())
        for number in tuple(self.of[DERIVATION.index]):
            self._imply(number)

    def _add(self, one: Statement) -> None:
        index = one.term.index
        if index in _SUBTYPES:
            one, index = _derivation(one), DERIVATION.index
        arguments = one.arguments
        given = tuple(map(named, arguments)) if ABSENT_MARK in arguments else arguments
        for position in ESSENTIAL[index]:
            if given[position] is None:
                self.lacking.append((len(self.all), position))
                break
        else:
            self.of[index].append(len(self.all))
        self.all.append(one)
        self.given.append(given)

    def _imply(self, number: int) -> None:
        """Inference 11: the activity of a derivation used the one entity and generated the other."""
        derived, source, activity, generation, usage = self.given[number]
        if activity is None:
            return
        self.used_in[number] = len(self.all) + 1
        for one in (
            Statement(GENERATION, generation, (derived, activity)),
            Statement(USAGE, usage, (activity, source)),
        ):
            self.implied[len(self.all)] = number
            self.of[one.term.index].append(len(self.all))
            self.all.append(one)
            self.given.append(one.arguments)

    def declared(self, kind: Kind) -> Iterator[tuple[str, int]]:
        """Each id that is stated to be of a kind, with the statement's number."""
        things = self.things
        return ((things[number].id, number) for number in self.elements[kind])

    def source(self, number: int) -> int:
        """The stated one from which a fact comes: itself, or the derivation that implies it."""
        return self.implied.get(number, number)


def _derivation(one: Statement) -> Statement:
    """A subtype of derivation as the derivation it is; the arguments that subtypes lack are not given."""
    missing = len(DERIVATION.arguments) + len(DERIVATION.references) + 1 - len(one.arguments)
    return Statement(DERIVATION, one.id, (*one.arguments, *(None,) * missing), one.time, one.attributes)


def is_blank(name: str) -> bool:
    """True for a name that stands for something unknown."""
    return name.startswith("_:")
