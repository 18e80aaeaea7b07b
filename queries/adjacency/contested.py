"""Edges that some assertion refutes: the few of which all assertions have to be weighed.

Those that were there when the index was loaded stand in arrays, grouped by edge, so that a wide step weighs
all that it meets at once. What was contested since stands in a dictionary, by pair of nodes and code.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from provmodel.evidence import Evidence, weigh
from queries.adjacency.arrays import Ints, np
from queries.adjacency.columns import (
    CODE_BITS,
    CONTESTED,
    EVIDENCE_AT,
    REFUTED,
    STANCE_AT,
    Rows,
    view_of,
)
from queries.adjacency.loading import marked
from queries.adjacency.retired import Retired

Pair = tuple[int, int, int]
"""Source, place of the code among all codes, and target."""


class Statement(NamedTuple):
    """One row of a contested pair: ``number``, ``relation``, ``evidence`` and ``stance``."""

    number: int
    relation: int
    evidence: int
    stance: int


class Weighing(NamedTuple):
    """Up to which row, as of when, by which evidence and whether refuted edges are crossed too."""

    limit: int
    as_of: int
    evidence: frozenset[int]
    include_refuted: bool


NOW = Weighing(2**62, 2**62, frozenset(map(int, Evidence)), False)


class Contested:
    """All rows of each edge that some row refutes."""

    def __init__(self, retired: Retired) -> None:
        self._retired = retired
        self._late: dict[Pair, tuple[Statement, ...]] = {}
        self._late_rows: dict[int, Pair] = {}
        self._told: set[int] = set()
        self._loaded = view_of(np.empty(0, np.uint64))
        none = np.empty(0, np.uint32)
        self._keep(none, none, np.empty(0, np.uint8), np.empty((0, 2), np.uint32))

    def _keep(self, number: Ints, edge: Ints, weight: Ints, ends: Ints) -> None:
        """Rows in the order of their edges (0, 1, ...), with evidence << 1 | stance of each, its source and
        its target.
        """
        self._number, self._weight, self._ends = number, weight, ends
        self._begin = np.searchsorted(edge, np.arange(int(edge[-1]) + 2 if len(edge) else 1)).astype(np.intp)
        order = np.argsort(number)
        self._sorted, self._edge = number[order], edge[order].astype(np.intp)
        self._view = view_of(self._sorted)

    # Growing

    def __contains__(self, relation: int) -> bool:
        """Whether some row refutes this relation, or another between the same nodes."""
        place = bisect_left(self._loaded, relation)
        return (place < len(self._loaded) and self._loaded[place] == relation) or relation in self._told

    def tell(self, pair: Pair, statements: Iterable[Statement]) -> Iterable[tuple[int, bool]]:
        """Give all rows of a pair, in place of those known before; of each its number, and whether its edge
        is refuted now.
        """
        rows = self._late[pair] = tuple(statements)
        self._late_rows.update(dict.fromkeys([row.number for row in rows], pair))
        self._told.update([row.relation for row in rows])
        for edge in _by_relation(rows):
            refuted = not self._open(edge, NOW)
            yield from ((row.number, refuted) for row in edge)

    def load(self, rows: Rows, refuting: Ints) -> None:
        """Find the contested rows of all there are, ``refuting`` being places of those that refute an edge,
        and mark among their sixteen bits that they are, and whether their edge is refuted now.
        """
        if not len(refuting):
            return
        keys = np.unique(rows.relation[refuting])
        self._loaded = view_of(keys)
        likely = np.zeros(int(rows.source.max()) + 1, bool)  # all rows of a relation have one source
        likely[rows.source[refuting]] = True
        some = marked(rows.source, likely)
        some = some[np.isin(rows.relation[some], keys)]
        rows.short[some] |= np.uint16(CONTESTED)
        found = Rows(*[column[some] for column in rows])
        place = found.short & np.uint16(CODE_BITS)
        order = np.lexsort((place, found.relation))
        edges = np.zeros(len(order), np.uint32)
        same = np.diff(found.relation[order]) == 0
        same &= np.diff(place[order]) == 0
        edges[1:] = np.cumsum(~same)
        weight = ((found.short >> EVIDENCE_AT & 3) + 1 << 1 | found.short >> STANCE_AT & 1).astype(np.uint8)
        ends = np.stack([found.source, found.target], axis=1).astype(np.uint32)
        self._keep(found.number[order], edges, weight[order], ends[order])
        refuted = ~self._all_open(np.arange(len(self._begin) - 1), NOW)
        rows.short[some[order][np.repeat(refuted, np.diff(self._begin))]] |= np.uint16(REFUTED)

    # Weighing

    def crossed(self, number: int, by: Weighing) -> bool:
        """Whether the edge of a contested row may be crossed."""
        pair = self._late_rows.get(number)
        if pair is not None:
            return any(self._open(rows, by) for rows in _by_relation(self._late[pair]))
        place = bisect_left(self._view, number)
        edge = int(self._edge[place])
        begin, end = int(self._begin[edge]), int(self._begin[edge + 1])
        numbers, weights = self._number[begin:end].tolist(), self._weight[begin:end].tolist()
        rows = [Statement(n, 0, w >> 1, w & 1) for n, w in zip(numbers, weights, strict=True)]
        return self._open(rows, by)

    def all_crossed(self, numbers: Ints, by: Weighing) -> Ints:
        """As :meth:`crossed`, for many (bool)."""
        late = self._late_rows
        ones = [at for at, number in enumerate(numbers.tolist()) if number in late] if late else []
        crossed = np.zeros(len(numbers), bool)
        if len(self._sorted):
            place = np.searchsorted(self._sorted, numbers)
            place[place == len(self._sorted)] = 0
            edges, back = np.unique(self._edge[place], return_inverse=True)
            crossed = self._all_open(edges, by)[back]
        for at in ones:
            crossed[at] = self.crossed(int(numbers[at]), by)
        return crossed

    def other_then(self, limit: int, held: Ints) -> Ints:
        """Source and target of rows whose edge may have been weighed otherwise, when rows up to ``limit``
        were there and those of ``held`` not retired yet.
        """
        since = self._edge[np.searchsorted(self._sorted, limit, "right") :]
        place = np.searchsorted(self._sorted, held)
        known = place < len(self._sorted)
        place, held = place[known], held[known]
        then = self._edge[place[self._sorted[place] == held]]
        edges = np.unique(np.concatenate([since, then]))
        begin, counts = self._begin[edges], self._begin[edges + 1] - self._begin[edges]
        rows = begin.repeat(counts) + np.arange(counts.sum()) - (counts.cumsum() - counts).repeat(counts)
        late = [(source, target) for source, _, target in list(self._late)]
        return np.concatenate([self._ends[rows], np.array(late, np.uint32).reshape(-1, 2)])

    def _open(self, rows: Sequence[Statement], by: Weighing) -> bool:
        there = [
            (row.evidence, row.stance)
            for row in rows
            if row.number <= by.limit and self._retired.held(row.number, by.as_of)
        ]
        counted = any(stance and evidence in by.evidence for evidence, stance in there)
        return counted and (by.include_refuted or not weigh(there).refuted)

    def _all_open(self, edges: Ints, by: Weighing) -> Ints:
        begin, counts = self._begin[edges], self._begin[edges + 1] - self._begin[edges]
        firsts = np.cumsum(counts) - counts
        places = np.arange(int(counts.sum())) + np.repeat(begin - firsts, counts)
        numbers, weight = self._number[places], self._weight[places]
        there = (numbers <= by.limit) & self._retired.all_held(numbers, by.as_of)
        evidence, stance = weight >> 1, (weight & 1).astype(bool)
        zero = np.zeros(len(places), np.uint8)
        known = np.isin(evidence, list(by.evidence))
        supporting = np.maximum.reduceat(np.where(there & stance, evidence, zero), firsts)
        counted = np.maximum.reduceat(np.where(there & stance & known, evidence, zero), firsts) > 0
        refuting = np.maximum.reduceat(np.where(there & ~stance, evidence, zero), firsts)
        if by.include_refuted:
            return counted
        opened: Ints = counted & ~((refuting > 0) & (refuting >= supporting))
        return opened


def _by_relation(rows: Iterable[Statement]) -> Iterable[list[Statement]]:
    groups: dict[int, list[Statement]] = {}
    for row in rows:
        groups.setdefault(row.relation, []).append(row)
    return groups.values()
