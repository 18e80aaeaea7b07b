"""Long edges, cut where they pass a column. Those of one box share a trunk, from which they branch off late.

A trunk keeps a fan of long edges together, and keeps points few: one a column and box, not one a column and
edge. An edge over :data:`LONGEST` columns runs in a lane above the drawing, one lane a box.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from queries.layout.shapes import Edge, Items, Paths

LONGEST = 6
"""So many columns an edge passes at most; what it joins is then off the screen anyway."""

Owner = tuple[int, int]
"""The box at which a long edge joins a trunk or a lane, and whether it is the effect (1) or the cause (0)."""


def cut(column: list[int], edges: Sequence[Edge]) -> tuple[Items, Paths, list[int]]:
    """The items of a drawing, those that each edge passes, and its lane from 0 upwards (-1: it needs none).

    ``edges`` run towards higher columns.
    """
    owners = _owners(column, edges)
    lanes = _lanes(column, edges, owners)
    columns = list(column)
    points: dict[tuple[int, int, int], int] = {}
    paths: list[tuple[int, ...]] = []
    for (low, high), owner, lane in zip(edges, owners, lanes, strict=True):
        if owner is None or lane >= 0:
            paths.append((low, high) if lane < 0 else ())
            continue
        passed = [low]
        for at in range(column[low] + 1, column[high]):
            key = (*owner, at)
            point = points.get(key)
            if point is None:
                point = points[key] = len(columns)
                columns.append(at)
            passed.append(point)
        paths.append((*passed, high))
    return _items(len(column), columns, paths), paths, lanes


def _owners(column: list[int], edges: Sequence[Edge]) -> list[Owner | None]:
    """For each long edge the end with more long edges; None for a short edge."""
    lows: dict[int, int] = {}
    highs: dict[int, int] = {}
    long = [column[high] - column[low] > 1 for low, high in edges]
    for (low, high), is_long in zip(edges, long, strict=True):
        if is_long:
            lows[low] = lows.get(low, 0) + 1
            highs[high] = highs.get(high, 0) + 1
    return [
        None if not is_long else (low, 0) if lows[low] >= highs[high] else (high, 1)
        for (low, high), is_long in zip(edges, long, strict=True)
    ]


def _lanes(column: list[int], edges: Sequence[Edge], owners: list[Owner | None]) -> list[int]:
    """The lane of each edge that is too long: one for each owner, used again beyond its last column."""
    spans: dict[Owner, tuple[int, int]] = {}
    for (low, high), owner in zip(edges, owners, strict=True):
        if owner is not None and column[high] - column[low] > LONGEST:
            first, last = spans.get(owner, (column[low], column[high]))
            spans[owner] = min(first, column[low]), max(last, column[high])
    free_from: list[int] = []
    lane_of: dict[Owner, int] = {}
    for owner, (first, last) in sorted(spans.items(), key=lambda item: (item[1], item[0])):
        lane = next((n for n, free in enumerate(free_from) if free < first), len(free_from))
        free_from[lane : lane + 1] = [last]
        lane_of[owner] = lane
    return [
        lane_of[owner] if owner is not None and column[high] - column[low] > LONGEST else -1
        for (low, high), owner in zip(edges, owners, strict=True)
    ]


def _items(boxes: int, column: list[int], paths: Paths) -> Items:
    left: list[list[int]] = [[] for _ in column]
    right: list[list[int]] = [[] for _ in column]
    seen: set[Edge] = set()
    for path in paths:
        for pair in pairwise(path):
            if pair not in seen:
                seen.add(pair)
                right[pair[0]].append(pair[1])
                left[pair[1]].append(pair[0])
    columns: list[list[int]] = [[] for _ in range(max(column, default=-1) + 1)]
    for item, at in enumerate(column):
        columns[at].append(item)
    return Items(boxes, column, columns, left, right)
