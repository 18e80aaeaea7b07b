"""Drawings: nothing overlaps, nothing passes under a node, and the same graph is always drawn the same."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queries.layout import Box, Drawing, Edge, Route, lay_out
from queries.layout.ordering import crossings
from queries.layout.shapes import Items

SIZES = (Box(140, 44, round=True), Box(150, 40), Box(96, 36), Box(220, 56))


def run(calls: int, seed: int = 1) -> tuple[list[Box], list[Edge]]:
    """A run as answers have it: each call reads a few things, writes one, and all share a prompt."""
    chosen = random.Random(seed)
    boxes, edges = [SIZES[0]], []
    outputs = [0]
    for _ in range(calls):
        call = len(boxes)
        boxes.append(SIZES[1])
        edges.append((0, call))
        sources = {chosen.choice(outputs[-12:]), chosen.choice(outputs[-3:])} - {0}
        edges += [(source, call) for source in sorted(sources)]
        boxes.append(SIZES[chosen.randrange(4)])
        edges.append((call, call + 1))
        outputs.append(call + 1)
    return boxes, edges


def lines(route: Route) -> list[tuple[float, float]]:
    """The route as points that are close together."""
    pairs = list(zip(route.points[::2], route.points[1::2], strict=True))
    if route.lane:
        return [point for a, b in pairwise(pairs) for point in between(a, b, curved=False)]
    found = [pairs[0]]
    for at in range(len(pairs) - 1):
        found += between(pairs[at], pairs[at + 1], curved=at % 2 == 1)
    return found


def between(a: tuple[float, float], b: tuple[float, float], *, curved: bool) -> list[tuple[float, float]]:
    middle = (a[0] + b[0]) / 2
    points = []
    for step in range(25):
        t = step / 24
        if curved:  # a cubic whose ends are level
            x = (
                a[0] * (1 - t) ** 3
                + 3 * middle * t * (1 - t) ** 2
                + 3 * middle * t * t * (1 - t)
                + b[0] * t**3
            )
            y = a[1] * ((1 - t) ** 3 + 3 * t * (1 - t) ** 2) + b[1] * (3 * t * t * (1 - t) + t**3)
        else:
            x, y = a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t
        points.append((x, y))
    return points


def overlaps(boxes: list[Box], drawing: Drawing) -> list[tuple[int, int]]:
    placed = list(zip(drawing.places, boxes, strict=True))
    return [
        (a, b)
        for a, (one, size) in enumerate(placed)
        for b, (other, its) in enumerate(placed[:a])
        if one.x < other.x + its.width
        and other.x < one.x + size.width
        and one.y < other.y + its.height
        and other.y < one.y + size.height
    ]


def passed_under(boxes: list[Box], edges: list[Edge], drawing: Drawing) -> list[tuple[Edge, int]]:
    found = []
    for edge, route in zip(edges, drawing.routes, strict=True):
        points = lines(route)
        for node, (place, box) in enumerate(zip(drawing.places, boxes, strict=True)):
            if node in edge:
                continue
            if any(
                place.x < x < place.x + box.width and place.y < y < place.y + box.height for x, y in points
            ):
                found.append((edge, node))
    return found


graphs = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.sampled_from(SIZES), min_size=n, max_size=n),
        st.lists(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda edge: edge[0] != edge[1]),
            max_size=3 * n,
        ),
    )
)


@settings(max_examples=60, deadline=None)
@given(graphs)
def test_no_node_lies_over_another_and_no_edge_passes_under_a_node(
    graph: tuple[list[Box], list[Edge]],
) -> None:
    boxes, edges = graph
    drawing = lay_out(boxes, edges)
    assert overlaps(boxes, drawing) == []
    assert passed_under(boxes, edges, drawing) == []
    for place, box in zip(drawing.places, boxes, strict=True):
        assert 0 <= place.x <= drawing.width - box.width
        assert 0 <= place.y <= drawing.height - box.height
    for route in drawing.routes:
        assert all(0 <= x <= drawing.width for x in route.points[::2])
        assert all(0 <= y <= drawing.height for y in route.points[1::2])


@settings(max_examples=30, deadline=None)
@given(graphs)
def test_an_edge_begins_at_its_cause_and_ends_at_its_effect(graph: tuple[list[Box], list[Edge]]) -> None:
    boxes, edges = graph
    drawing = lay_out(boxes, edges)
    for (cause, effect), route in zip(edges, drawing.routes, strict=True):
        for node, (x, y) in ((cause, route.points[:2]), (effect, route.points[-2:])):
            place, box = drawing.places[node], boxes[node]
            assert place.x - 0.1 <= x <= place.x + box.width + 0.1
            assert place.y - 0.1 <= y <= place.y + box.height + 0.1


def test_causes_stand_left_of_their_effects() -> None:
    boxes, edges = run(30)
    drawing = lay_out(boxes, edges)
    assert all(drawing.places[cause].column < drawing.places[effect].column for cause, effect in edges)


def test_the_same_graph_is_always_drawn_the_same() -> None:
    assert lay_out(*run(40)) == lay_out(*run(40))


def test_a_cycle_is_drawn_with_one_edge_that_runs_back() -> None:
    drawing = lay_out([SIZES[1]] * 3, [(0, 1), (1, 2), (2, 0)])
    columns = [place.column for place in drawing.places]
    assert sorted(columns) == [0, 1, 2]
    assert drawing.routes[2].points[0] > drawing.routes[2].points[-2]


def test_a_tree_is_drawn_without_crossings() -> None:
    edges = [((node - 1) // 3, node) for node in range(1, 121)]
    assert lay_out([SIZES[1]] * 121, edges).crossings == 0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(10, 19)), max_size=40, unique=True))
def test_crossings_are_counted_as_the_eye_counts_them(edges: list[Edge]) -> None:
    left, right = list(range(10)), list(range(10, 20))
    beside = [sorted(b for a, b in edges if a == item) for item in range(20)]
    items = Items(20, [0] * 10 + [1] * 10, [left, right], [[] for _ in range(20)], beside)
    seen = sum((a - c) * (b - d) < 0 for n, (a, b) in enumerate(edges) for c, d in edges[:n])
    assert crossings(items) == seen


def test_a_chain_is_a_straight_line() -> None:
    drawing = lay_out([SIZES[1]] * 500, [(n, n + 1) for n in range(499)])
    assert len({place.y for place in drawing.places}) == 1


def test_two_edges_between_the_same_nodes_are_both_drawn() -> None:
    drawing = lay_out([SIZES[0], SIZES[1]], [(0, 1), (0, 1)])
    assert len(drawing.routes) == 2


def test_an_edge_over_many_columns_runs_in_a_lane_above_the_drawing() -> None:
    chain = [(n, n + 1) for n in range(399)]
    jumps = [(n, 399 - n) for n in range(180)]
    boxes = [SIZES[1]] * 400
    drawing = lay_out(boxes, chain + jumps)
    lanes = [route for route in drawing.routes if route.lane]
    assert lanes
    assert passed_under(boxes, chain + jumps, drawing) == []


def test_an_empty_graph_has_an_empty_drawing() -> None:
    drawing = lay_out([], [])
    assert (drawing.places, drawing.routes, drawing.crossings) == ((), (), 0)


@pytest.mark.parametrize("edge", [(0, 0), (0, 1), (-1, 0)])
def test_an_edge_that_cannot_be_drawn_is_refused(edge: Edge) -> None:
    with pytest.raises(ValueError, match="no edge can be drawn"):
        lay_out([SIZES[0]], [edge])
