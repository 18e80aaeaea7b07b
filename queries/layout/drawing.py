"""All steps of a drawing, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from queries.layout.columns import columns_of
from queries.layout.ordering import order
from queries.layout.placing import place
from queries.layout.routing import LANE_STEP, Sides, routes
from queries.layout.shapes import Box, Drawing, Edge, Place, Route
from queries.layout.trunks import cut

CHANNEL = 72.0
"""Between two columns."""
MARGIN = 24.0


def lay_out(boxes: Sequence[Box], edges: Sequence[Edge]) -> Drawing:
    """Draw ``boxes`` joined by ``edges`` (cause, effect), causes to the left.

    Deterministic, and about n log n in boxes and edges. An edge from a box to itself, or to one that is not
    there, raises ValueError. Edges that close a cycle are drawn from right to left.
    """
    for cause, effect in edges:
        if cause == effect or not (0 <= cause < len(boxes) and 0 <= effect < len(boxes)):
            raise ValueError(f"no edge can be drawn from {cause} to {effect} among {len(boxes)} boxes")
    column, turned = columns_of(len(boxes), edges)
    ordered = [(b, a) if back else (a, b) for (a, b), back in zip(edges, turned, strict=True)]
    items, paths, lanes = cut(column, ordered)
    crossed = order(items)
    middle = place(items, [box.height for box in boxes])
    sides = Sides(items, [box.width for box in boxes], CHANNEL)
    found = routes(items, boxes, paths, ordered, lanes, middle, sides)
    above = MARGIN + LANE_STEP * (max(lanes, default=-1) + 1)
    places = [
        Place(sides.left[column[n]] + MARGIN, middle[n] - box.height / 2 + above, column[n])
        for n, box in enumerate(boxes)
    ]
    bottom = max([p.y + box.height for p, box in zip(places, boxes, strict=True)], default=above)
    low = max([y + above for y in middle], default=above)
    return Drawing(
        width=(sides.right[-1] if sides.right else 0.0) + 2 * MARGIN,
        height=max(bottom, low) + MARGIN,
        places=tuple(places),
        routes=tuple(_moved(route, above, back=back) for route, back in zip(found, turned, strict=True)),
        crossings=crossed,
    )


def _moved(route: Route, down: float, *, back: bool) -> Route:
    """The route moved into the drawing, and turned back to run from cause to effect."""
    points = [0.0] * len(route.points)
    points[::2] = [x + MARGIN for x in route.points[::2]]
    points[1::2] = [y + down for y in route.points[1::2]]
    if back:
        points.reverse()
        points[::2], points[1::2] = points[1::2], points[::2]
    return Route(tuple(points), route.lane)
