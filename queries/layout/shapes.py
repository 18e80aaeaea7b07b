"""What goes into a drawing and what comes out of it. Lengths are CSS pixels, y grows downwards."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

Edge = tuple[int, int]
"""Cause and effect, as positions in the sequence of boxes."""


class Box(msgspec.Struct, frozen=True, gc=False):
    """The size of a node; a ``round`` one is an ellipse, which an edge meets on its curve."""

    width: float
    height: float
    round: bool = False


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a node stands: its top left corner, and its column counted from the left."""

    x: float
    y: float
    column: int


class Route(msgspec.Struct, frozen=True, gc=False):
    """How an edge runs from cause to effect: x and y of each point, one after the other.

    A ``lane`` is a line through its points. Any other route runs level from its first point to the second,
    curves with level ends to the third, runs level to the fourth, and so on: it curves only between columns.
    """

    points: tuple[float, ...]
    lane: bool = False


class Drawing(msgspec.Struct, frozen=True):
    """A place for each box and a route for each edge, in the order given; everything lies in width x height.

    ``crossings`` counts how often routes cross between columns.
    """

    width: float
    height: float
    places: tuple[Place, ...]
    routes: tuple[Route, ...]
    crossings: int


class Items(msgspec.Struct):
    """The boxes and, after them, the points at which long edges pass a column.

    ``column`` of each item; ``columns`` lists the items of each, in their order; ``left`` and ``right`` the
    items that an item is joined to in the column before and after; ``boxes`` says how many items are boxes.
    """

    boxes: int
    column: list[int]
    columns: list[list[int]]
    left: list[list[int]]
    right: list[list[int]]


Paths = Sequence[tuple[int, ...]]
"""For each edge the items that it passes, both ends included; an empty one runs in a lane."""
