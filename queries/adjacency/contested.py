"""Edges that some assertion refutes: the few of which all assertions have to be weighed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from provmodel.evidence import weigh
from queries.adjacency.columns import CONTESTED, Ints, Part, place_of
from queries.adjacency.retired import Retired

Pair = tuple[int, int, int]
"""Source, place of the code among all codes, and target."""

_BUCKETS = 2**20  # by the low bits of relation keys, which are digests


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


class Contested:
    """All rows of each pair of nodes and code, one relation of which is refuted by some row."""

    def __init__(self, retired: Retired) -> None:
        self._pairs: dict[Pair, tuple[Statement, ...]] = {}
        self._retired = retired

    def __contains__(self, pair: Pair) -> bool:
        return pair in self._pairs

    def tell(self, pair: Pair, statements: Iterable[Statement]) -> None:
        """Give all rows of a pair, in place of those known before."""
        self._pairs[pair] = tuple(statements)

    def crossed(self, pair: Pair, by: Weighing) -> bool:
        """Whether one of the pair's relations may be crossed."""
        groups: dict[int, list[tuple[int, int]]] = {}
        for row in self._pairs[pair]:
            if row.number <= by.limit and self._retired.held(row.number, by.as_of):
                groups.setdefault(row.relation, []).append((row.evidence, row.stance))
        return any(_open(rows, by) for rows in groups.values())

    def load(self, parts: Iterable[tuple[Part, Ints]]) -> None:
        """Find the contested rows of parts that hold all rows there are, and mark them among their
        sixteen bits.
        """
        parts = list(parts)
        refuted = [part.relation[(part.weight & 1) == 0] for part, _ in parts]
        keys = np.unique(np.concatenate(refuted)) if refuted else np.empty(0, np.uint64)
        if not len(keys):
            return
        likely = np.zeros(_BUCKETS, bool)
        likely[(keys % _BUCKETS).astype(np.intp)] = True
        for part, shorts in parts:
            some = np.flatnonzero(likely[(part.relation & (_BUCKETS - 1)).astype(np.intp)])
            rows = some[np.isin(part.relation[some], keys)]
            shorts[rows] |= CONTESTED
            self._add(part, rows)

    def _add(self, part: Part, rows: Ints) -> None:
        columns = [column[rows].tolist() for column in part[1:6]]
        for row, source, target, code, weight, relation in zip(rows.tolist(), *columns, strict=True):
            statement = Statement(part.first + row, relation, weight >> 1 & 7, weight & 1)
            pair = (source, place_of(code), target)
            self._pairs[pair] = (*self._pairs.get(pair, ()), statement)


def _open(rows: list[tuple[int, int]], by: Weighing) -> bool:
    weight = weigh(rows)
    counted = any(stance and evidence in by.evidence for evidence, stance in rows)
    return counted and (by.include_refuted or not weight.refuted)
