"""Which column each box stands in: left of all that it led to."""

from __future__ import annotations

from collections.abc import Sequence

from queries.layout.shapes import Edge


def columns_of(count: int, edges: Sequence[Edge]) -> tuple[list[int], list[bool]]:
    """The column of each of ``count`` boxes, and for each edge whether it was turned to break a cycle."""
    out: list[list[int]] = [[] for _ in range(count)]
    for number, (cause, _) in enumerate(edges):
        out[cause].append(number)
    turned, finished = _turn_back_edges(count, edges, out)
    return _columns(count, edges, turned, finished), turned


def _turn_back_edges(count: int, edges: Sequence[Edge], out: list[list[int]]) -> tuple[list[bool], list[int]]:
    """The edges that lead back to an open box of a depth-first search; the boxes as they were left."""
    turned = [False] * len(edges)
    state = [0] * count  # 0 not seen, 1 open, 2 left
    finished: list[int] = []
    indegree = [0] * count
    for _, effect in edges:
        indegree[effect] += 1
    for root in sorted(range(count), key=indegree.__getitem__):  # stable: sources first, then as given
        if state[root]:
            continue
        state[root] = 1
        trail = [(root, iter(out[root]))]
        while trail:
            box, rest = trail[-1]
            for number in rest:
                effect = edges[number][1]
                if state[effect] == 0:
                    state[effect] = 1
                    trail.append((effect, iter(out[effect])))
                    break
                turned[number] = state[effect] == 1
            else:
                state[box] = 2
                finished.append(box)
                trail.pop()
    return turned, finished


def _columns(count: int, edges: Sequence[Edge], turned: list[bool], finished: list[int]) -> list[int]:
    """Longest path from the sources; then whatever has more effects than causes moves towards its effects."""
    after: list[list[int]] = [[] for _ in range(count)]
    before = [0] * count
    for (cause, effect), back in zip(edges, turned, strict=True):
        if cause != effect:
            low, high = (effect, cause) if back else (cause, effect)
            after[low].append(high)
            before[high] += 1
    column = [0] * count
    for box in reversed(finished):
        beside = column[box] + 1
        for effect in after[box]:
            if column[effect] < beside:
                column[effect] = beside
    for box in finished:
        if len(after[box]) > before[box]:
            column[box] = min([column[effect] for effect in after[box]]) - 1
    return column
