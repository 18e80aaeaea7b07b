"""What a walk crosses, as a table over the sixteen bits that an index keeps of a row: one look-up answers for
policy, flow, evidence, stance and cost at once, so that a filter costs nothing beyond it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from provmodel.evidence import Evidence
from queries.adjacency.arrays import Ints, np
from queries.adjacency.columns import (
    ARGUMENTS,
    CITATION,
    CLOSER,
    CODE_BITS,
    CONTESTED,
    DATA_PLACES,
    EVIDENCE_AT,
    MARK_AT,
    REFUTED,
    RETIRED,
    STANCE_AT,
    evidence_of,
    place_of,
    role_mark,
    supports,
)
from queries.adjacency.contested import Weighing
from queries.adjacency.index import View
from queries.adjacency.segments import BLOCK_AT, HALF
from queries.ways import Way

OPEN, COSTLY, LOOK, WATCHED, FREE = 1, 2, 4, 8, 16
"""What the table says of a row that may be crossed: it is; the step costs one; look closer; its role is the
one that a walk that way has to know of; the step costs nothing. Else 0.
"""


_FEW = 16
"""Nodes are looked at one by one when they are at most one in so many."""


class Crossing:
    """A filter over one view: row codes, evidence set, as_of, refuted edges or not, and which steps cost.

    Of the present, the bits of a row tell all. Of the past, they do too but for the rows that were numbered
    later, and for a few nodes (``suspects``) of which some rows were retired since, or some edges weighed
    otherwise: their rows are looked at one by one. While a walk goes on, bits may change (``disturbed``);
    with ``exact`` every row that is contested or retired is looked at closer. Words of rows from ``in_next``
    on are of later ones, those below ``in_block`` of earlier ones; in between, the number decides.
    """

    def __init__(
        self,
        view: View,
        way: Way,
        codes: Iterable[int],
        as_of: int,
        evidence: frozenset[Evidence],
        include_refuted: bool = False,
        costs: Mapping[int, int] | None = None,
        exact: bool = False,
    ) -> None:
        places = _places_of(tuple(codes))
        costly = _places_of(tuple([code for code, cost in costs.items() if cost] if costs else ()))
        self.view = view
        self.way = way
        self.as_of = as_of
        self.limit = view.limit(as_of)
        self.beyond = max(places, default=0) >= DATA_PLACES
        block = min(self.limit, 2**32 - 1) >> HALF
        self.in_block = np.uint64(block << BLOCK_AT)
        self.in_next = np.uint64(block + 1 << BLOCK_AT)
        self._changes = view.changes[0]
        self._by = Weighing(self.limit, as_of, evidence, include_refuted)
        self.past = exact or as_of < view.seq
        self.suspects = self._suspects() if self.past and not exact else np.empty(0, np.uint32)
        self.exact = exact or len(self.suspects) * _FEW > view.size
        mark = role_mark(ARGUMENTS if way is Way.OUT else CITATION)
        given = places, costly, evidence, include_refuted, mark
        self.table, self.bytes, self.named = _table(*given, self.exact)
        self.closely, self.looking, _ = _table(*given, True)
        if self.exact:
            self.suspects = self.suspects[:0]

    def _suspects(self) -> Ints:
        held = self.view.retired.held_then(self.as_of, self.limit)
        others = self.view.contested.other_then(self.limit, held[:, 0])
        column = 0 if self.way is Way.OUT else 1
        return np.unique(np.concatenate([held[:, 1 + column], others[:, column]]))

    @property
    def disturbed(self) -> bool:
        """Whether bits changed since: what they told may be of later than as_of, and the walk is to be made
        again with an exact filter.
        """
        return not self.exact and self.view.changes[0] != self._changes

    def visible(self, short: int, number: int) -> bool:
        """Whether a row was there as of then."""
        return number <= self.limit and (not short & RETIRED or self.view.retired.held(number, self.as_of))

    def closer(self, short: int, number: int) -> bool:
        """Whether a row is crossed of which the table does not know."""
        if not self.visible(short, number):
            return False
        if short & CONTESTED:
            return self.view.contested.crossed(number, self._by)
        return supports(short) and evidence_of(short) in self._by.evidence

    def crossed(self, short: int, number: int) -> bool:
        """Whether a row is crossed, looked at closer where need be."""
        told = self.looking[short]
        if told & LOOK:
            return self.closer(short, number)
        return told & OPEN > 0 and number <= self.limit

    def counts(self, short: int, number: int, evidence: int) -> bool:
        """Whether a row is crossed and by itself makes its edge at least as well known."""
        known = evidence_of(short)
        counted = supports(short) and known >= evidence and known in self._by.evidence
        return counted and self.crossed(short, number)

    def all_closer(self, short: Ints, number: Ints) -> Ints:
        """As :meth:`closer`, for many (bool)."""
        gone = (short & RETIRED) > 0
        held = number <= self.limit
        held[gone] &= self.view.retired.all_held(number[gone], self.as_of)
        known = np.array([evidence in self._by.evidence for evidence in range(1, 5)])
        supported = known[short >> EVIDENCE_AT & 3] & (short >> STANCE_AT & 1).astype(bool)
        crossed: Ints = held & supported
        weighed = np.flatnonzero(short & CONTESTED)
        if len(weighed):
            crossed[weighed] = self.view.contested.all_crossed(number[weighed], self._by)
        return crossed


@lru_cache(256)
def _places_of(codes: tuple[int, ...]) -> frozenset[int]:
    return frozenset(map(place_of, codes))


@lru_cache(64)
def _table(
    places: frozenset[int],
    costly: frozenset[int],
    evidence: frozenset[int],
    include_refuted: bool,
    mark: int,
    look: bool,
) -> tuple[Ints, bytes, bytes]:
    """By the sixteen bits: what is to be done with a row (an array, and bytes), and whether the policy names
    its code. With ``look``, contested and retired rows need a closer look.
    """
    short = np.arange(1 << 16, dtype=np.uint32)
    place = short & CODE_BITS
    named = np.isin(place, list(places))
    known = np.isin((short >> EVIDENCE_AT & 3) + 1, list(evidence))
    crossed = named & known & (short >> STANCE_AT & 1).astype(bool)
    closer = named & ((short & CLOSER) > 0) if look else np.zeros(len(short), bool)
    crossed &= (short & (RETIRED if include_refuted else RETIRED | REFUTED)) == 0
    table = np.where(closer, LOOK, np.where(crossed, OPEN, 0)).astype(np.uint8)
    cost = np.where(np.isin(place, list(costly)), COSTLY, FREE)
    table |= np.where(table > 0, cost, 0).astype(np.uint8)
    table |= np.where((table > 0) & ((short >> MARK_AT & 3) == mark), WATCHED, 0).astype(np.uint8)
    table.setflags(write=False)
    return table, table.tobytes(), named.tobytes()
