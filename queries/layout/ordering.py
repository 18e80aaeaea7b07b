"""The order within each column, so that few edges cross: barycentres, swept both ways, the best kept."""

from __future__ import annotations

from queries.adjacency.arrays import Ints, np
from queries.layout.shapes import Items

SWEEPS = 2
"""Pairs of sweeps at most; it ends before when a pair changes nothing for the better."""


def order(items: Items) -> int:
    """Sort ``items.columns`` in place; returns how many crossings are left."""
    _begin(items)
    best, kept = crossings(items), [column[:] for column in items.columns]
    for _ in range(SWEEPS):
        if best == 0:
            break
        _sweep(items, items.columns[1:], items.left)
        _sweep(items, items.columns[-2::-1], items.right)
        now = crossings(items)
        if now >= best:
            break
        best, kept = now, [column[:] for column in items.columns]
    for column, order_kept in zip(items.columns, kept, strict=True):
        column[:] = order_kept
    return best


def _begin(items: Items) -> None:
    """Depth first from the last column's items to their causes: what belongs together begins together."""
    rank = [-1] * len(items.column)
    found = 0
    for column in reversed(items.columns):
        for root in column:
            if rank[root] >= 0:
                continue
            trail = [root]
            while trail:
                item = trail.pop()
                if rank[item] >= 0:
                    continue
                rank[item] = found
                found += 1
                trail.extend(reversed(items.left[item]))
    for column in items.columns:
        column.sort(key=rank.__getitem__)


def _sweep(items: Items, columns: list[list[int]], beside: list[list[int]]) -> None:
    position = [0.0] * len(items.column)
    for column in items.columns:
        for at, item in enumerate(column):
            position[item] = at
    of = position.__getitem__
    for column in columns:
        if len(column) == 1:
            continue
        for item in column:
            near = beside[item]
            if len(near) == 1:
                position[item] = position[near[0]]
            elif near:
                position[item] = sum(map(of, near)) / len(near)
        column.sort(key=of)
        for at, item in enumerate(column):
            position[item] = at


def crossings(items: Items) -> int:
    """How many pairs of joins between neighbouring columns cross.

    Joins in the order of their left ends cross as often as their right ends stand the wrong way round; all
    columns are counted at once, each lifted above the one before.
    """
    ranked = [item for column in items.columns for item in column]
    rank = [0] * len(ranked)
    for at, item in enumerate(ranked):
        rank[item] = at
    of = rank.__getitem__
    ends: list[int] = []
    for item in ranked:
        near = items.right[item]
        if len(near) == 1:
            ends.append(rank[near[0]])
        elif near:
            ends += sorted(map(of, near))
    return _inversions(np.array(ends, dtype=np.int64))


def _inversions(values: Ints) -> int:
    """How many pairs stand the wrong way round, by merging blocks of twice the size each time."""
    total, size = 0, 1
    span = int(values.max(initial=0)) + 1
    at = np.arange(len(values))
    while size < len(values):
        block = at // (2 * size)
        by_value = np.argsort(block * span + values, kind="stable")
        second = ((at // size) % 2 == 1)[by_value]
        of_block = np.bincount(block, weights=second)
        smaller = np.cumsum(second) - (np.cumsum(of_block) - of_block)[block]
        total += int(smaller[~second].sum())
        values = values[by_value]
        size *= 2
    return total
