"""What a walk crosses, as a table over the sixteen bits that an index keeps of a row: one look-up answers for
policy, flow, evidence, stance and cost at once, so that a filter costs nothing beyond it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np

from provmodel.evidence import Evidence
from queries.adjacency.columns import (
    CLOSER,
    CODE_BITS,
    CONTESTED,
    DATA_PLACES,
    EVIDENCE_AT,
    RETIRED,
    STANCE_AT,
    Ints,
    evidence_of,
    place_of,
    supports,
)
from queries.adjacency.contested import Weighing
from queries.adjacency.index import View
from queries.ways import Way

OPEN, COSTLY, LOOK, NAMED = 1, 2, 4, 8
"""What the table says of a row: it is crossed; the step costs one; look closer; the policy names its code."""


class Crossing:
    """A filter over one view: row codes, evidence set, as_of, refuted edges or not, and which steps cost."""

    def __init__(
        self,
        view: View,
        way: Way,
        codes: Iterable[int],
        as_of: int,
        evidence: frozenset[Evidence],
        include_refuted: bool = False,
        costs: Mapping[int, int] | None = None,
    ) -> None:
        places = frozenset(place_of(code) for code in codes)
        costly = frozenset(place_of(code) for code, cost in (costs or {}).items() if cost)
        self.view = view
        self.way = way
        self.as_of = as_of
        self.limit = view.limit(as_of)
        self.past = as_of < view.seq
        self.beyond = any(place >= DATA_PLACES for place in places)
        self.table, self.bytes = _table(places, costly, frozenset(map(int, evidence)))
        self._by = Weighing(self.limit, as_of, frozenset(map(int, evidence)), include_refuted)

    def visible(self, short: int, number: int) -> bool:
        """Whether a row was there as of then."""
        return number <= self.limit and (not short & RETIRED or self.view.retired.held(number, self.as_of))

    def closer(self, near: int, far: int, short: int, number: int) -> bool:
        """Whether a row is crossed of which the table does not know."""
        if not self.visible(short, number):
            return False
        if short & CONTESTED:
            source, target = (near, far) if self.way is Way.OUT else (far, near)
            return self.view.contested.crossed((source, short & CODE_BITS, target), self._by)
        return supports(short) and evidence_of(short) in self._by.evidence

    def crossed(self, near: int, far: int, short: int, number: int) -> bool:
        """Whether a row is crossed."""
        told = self.bytes[short]
        if told & LOOK:
            return self.closer(near, far, short, number)
        return told & OPEN > 0 and number <= self.limit

    def all_closer(self, near: Ints, far: Ints, short: Ints, number: Ints) -> Ints:
        """As :meth:`closer`, for many (bool)."""
        gone = (short & RETIRED) > 0
        held = number <= self.limit
        held[gone] &= self.view.retired.all_held(number[gone], self.as_of)
        supported = (self.table[short & ~np.uint16(CLOSER)] & OPEN).astype(bool)
        crossed: Ints = held & supported
        for at in np.flatnonzero(short & CONTESTED).tolist():
            crossed[at] = self.closer(int(near[at]), int(far[at]), int(short[at]), int(number[at]))
        return crossed


@lru_cache(64)
def _table(places: frozenset[int], costly: frozenset[int], evidence: frozenset[int]) -> tuple[Ints, bytes]:
    short = np.arange(1 << 16, dtype=np.uint32)
    place = short & CODE_BITS
    named = np.isin(place, list(places))
    known = np.isin((short >> EVIDENCE_AT & 3) + 1, list(evidence))
    crossed = named & known & (short >> STANCE_AT & 1).astype(bool)
    table = np.where(named, NAMED, 0).astype(np.uint8)
    table |= np.where(np.isin(place, list(costly)) & named, COSTLY, 0).astype(np.uint8)
    look = named & ((short & CLOSER) > 0)
    table |= np.where(look, LOOK, np.where(crossed, OPEN, 0)).astype(np.uint8)
    table.setflags(write=False)
    return table, table.tobytes()
