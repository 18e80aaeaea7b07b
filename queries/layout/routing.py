"""The path of each edge: from the right of its cause, level through columns, to the left of its effect."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from queries.layout.shapes import Box, Edge, Items, Paths, Route

PORT_STEP = 8.0
"""Between two edges that leave a box on the same side, if its height allows."""
PORT_SHARE = 0.6
"""How much of a side may hold ports."""
LANE_STEP = 7.0


class Sides:
    """The horizontal extent of each column, and of the channel after it."""

    def __init__(self, items: Items, widths: Sequence[float], channel: float) -> None:
        """Columns as wide as their widest box, with ``channel`` between them."""
        self.left: list[float] = []
        self.right: list[float] = []
        x = 0.0
        for column in items.columns:
            self.left.append(x)
            x += max([widths[item] for item in column if item < items.boxes], default=0.0)
            self.right.append(x)
            x += channel


Ports = dict[Edge, float]
"""For a pair of joined items, how far from the middle of the first it is joined."""


def routes(
    items: Items,
    boxes: Sequence[Box],
    paths: Paths,
    ends: Sequence[Edge],
    lanes: Sequence[int],
    middle: list[float],
    sides: Sides,
) -> list[Route]:
    """A route for each path; one with a lane runs above, between its ``ends`` (lower column first)."""
    leaving, arriving = _ports(items, boxes, items.right, middle), _ports(items, boxes, items.left, middle)
    return [
        _through(items, boxes, path, middle, sides, leaving, arriving)
        if lane < 0
        else _lane(items, boxes, pair, middle, sides, lane)
        for path, pair, lane in zip(paths, ends, lanes, strict=True)
    ]


def _ports(items: Items, boxes: Sequence[Box], beside: list[list[int]], middle: list[float]) -> Ports:
    ports: Ports = {}
    for item in range(items.boxes):
        near = beside[item]
        if len(near) < 2:
            continue
        ordered = sorted(near, key=middle.__getitem__)
        step = min(PORT_STEP, boxes[item].height * PORT_SHARE / (len(near) - 1))
        first = -step * (len(near) - 1) / 2
        for at, other in enumerate(ordered):
            ports[item, other] = int((first + at * step) * 2) / 2
    return ports


def _inset(box: Box, offset: float) -> float:
    """How far inside the box its outline is, ``offset`` from the middle: 0 but for an ellipse."""
    if not box.round or not offset:
        return 0.0
    share = min(1.0, abs(offset) * 2 / box.height)
    return box.width / 2 * (1 - sqrt(1 - share * share))


def _through(
    items: Items,
    boxes: Sequence[Box],
    path: tuple[int, ...],
    middle: list[float],
    sides: Sides,
    leaving: Ports,
    arriving: Ports,
) -> Route:
    low, high = path[0], path[-1]
    out, into = leaving.get((low, path[1]), 0.0), arriving.get((high, path[-2]), 0.0)
    column = items.column[low]
    points = [sides.left[column] + boxes[low].width - _inset(boxes[low], out), middle[low] + out]
    if points[0] < sides.right[column]:  # level to the edge of a column that is wider than this box
        points += [sides.right[column], middle[low] + out]
    else:
        points += points
    for item in path[1:-1]:
        at = items.column[item]
        points += [sides.left[at], middle[item], sides.right[at], middle[item]]
    end = sides.left[items.column[high]]
    points += [end, middle[high] + into, end + _inset(boxes[high], into), middle[high] + into]
    return Route(tuple(points))


def _lane(
    items: Items, boxes: Sequence[Box], pair: Edge, middle: list[float], sides: Sides, lane: int
) -> Route:
    low, high = pair
    gap = sides.left[1] - sides.right[0]
    away = gap * (0.25 + 0.5 * (lane % 16) / 16)
    start = sides.left[items.column[low]] + boxes[low].width
    up, down = sides.right[items.column[low]] + away, sides.left[items.column[high]] - gap + away
    end, top = sides.left[items.column[high]], -LANE_STEP * (lane + 1)
    turns = ((start, middle[low]), (up, middle[low]), (up, top), (down, top), (down, middle[high]))
    return Route((*[value for turn in turns for value in turn], end, middle[high]), lane=True)
