"""The height of each item: near the middle of its neighbours, in order, and never closer than the gap.

A column of wished heights with least distances is isotonic regression: pooling adjacent violators gives the
least sum of squares in one pass (Ayer and others, 1955).
"""

from __future__ import annotations

from itertools import pairwise

from queries.layout.shapes import Items

GAP = 18.0
"""Between two boxes of a column."""
POINT_GAP = 10.0
"""Beside a point at which a long edge passes."""
STRAIGHT = 8.0
"""How much more a passing point holds to its neighbours than a box does."""


def place(items: Items, heights: list[float]) -> list[float]:
    """The middle of each item in half pixels, with the least top edge at 0.

    ``heights`` are those of the boxes; a passing point has none.
    """
    tall = heights + [0.0] * (len(items.column) - items.boxes)
    offsets = [_offsets(column, tall, items.boxes) for column in items.columns]
    middle = [0.0] * len(tall)
    for column, offset in zip(items.columns, offsets, strict=True):
        half = offset[-1] / 2
        for item, down in zip(column, offset, strict=True):
            middle[item] = down - half
    both = [[*left, *right] for left, right in zip(items.left, items.right, strict=True)]
    last = len(items.columns) - 1
    for beside, columns in (
        (items.left, range(1, last + 1)),
        (items.right, range(last - 1, -1, -1)),
        (both, range(last + 1)),
    ):
        for at in columns:
            _settle(items.columns[at], offsets[at], beside, middle, items.boxes)
    top = min([middle[item] - tall[item] / 2 for item in range(len(tall))], default=0.0)
    return [int((height - top) * 2) / 2 for height in middle]


def _offsets(column: list[int], tall: list[float], boxes: int) -> list[float]:
    """The least distance of each item below the first."""
    down = 0.0
    offsets = [down]
    for above, below in pairwise(column):
        gap = GAP if above < boxes and below < boxes else POINT_GAP
        down += (tall[above] + tall[below]) / 2 + gap
        offsets.append(down)
    return offsets


def _settle(
    column: list[int], offsets: list[float], beside: list[list[int]], middle: list[float], boxes: int
) -> None:
    """Move the items of one column towards the mean of their neighbours, as far as the others let them."""
    if len(column) == 1:
        near = beside[column[0]]
        if near:
            middle[column[0]] = sum(map(middle.__getitem__, near)) / len(near)
        return
    of = middle.__getitem__
    wished: list[float] = []
    weights: list[float] = []
    sizes: list[int] = []
    for item, offset in zip(column, offsets, strict=True):
        near = beside[item]
        if not near:
            value, weight = middle[item] - offset, 0.1
        elif len(near) == 1:
            value, weight = middle[near[0]] - offset, STRAIGHT if item >= boxes else 1.0
        else:
            value = sum(map(of, near)) / len(near) - offset
            weight = STRAIGHT if item >= boxes else float(len(near))
        size = 1
        while wished and wished[-1] > value:
            before = weights.pop()
            value = (value * weight + wished.pop() * before) / (weight + before)
            weight += before
            size += sizes.pop()
        wished.append(value)
        weights.append(weight)
        sizes.append(size)
    index = 0
    for value, size in zip(wished, sizes, strict=True):
        for _ in range(size):
            middle[column[index]] = value + offsets[index]
            index += 1
