"""Directed graphs over small integers: what lies on a cycle, and a shortest one. Nothing here recurses.

A graph is a list of lists: ``out[node]`` are the nodes that edges of ``node`` lead to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

Graph = list[list[int]]


def peeled(out: Graph) -> tuple[list[int], list[int]]:
    """The nodes that no cycle leads to, each after all that lead to it, and the others, ascending."""
    entering = [0] * len(out)
    for targets in out:
        for target in targets:
            entering[target] += 1
    order = [node for node, count in enumerate(entering) if not count]
    for node in order:  # grows as it goes
        for target in out[node]:
            entering[target] -= 1
            if not entering[target]:
                order.append(target)
    return order, [node for node, count in enumerate(entering) if count]


def knots(nodes: Iterable[int], out: Graph) -> Iterator[list[int]]:
    """The strongly connected components, among ``nodes``, that hold a cycle (Tarjan 1972, with a stack)."""
    within = set(nodes)
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for root in sorted(within):
        if root in index:
            continue
        work: list[tuple[int, Iterator[int]]] = [(root, iter(out[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            entered = False
            for target in targets:
                if target not in within:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(out[target])))
                    entered = True
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            if entered:
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                component = _popped(stack, on_stack, node)
                if len(component) > 1 or node in out[node]:
                    yield sorted(component)


def _popped(stack: list[int], on_stack: set[int], until: int) -> list[int]:
    component: list[int] = []
    while True:
        node = stack.pop()
        on_stack.discard(node)
        component.append(node)
        if node == until:
            return component


def shortest(start: int, goal: int, out: Graph, within: set[int]) -> list[int]:
    """A shortest way from ``start`` to ``goal`` through ``within``, both included; [] when there is none."""
    if start == goal:
        return [start]
    came: dict[int, int] = {start: start}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for target in out[node]:
            if target in within and target not in came:
                came[target] = node
                if target == goal:
                    return _way(came, start, goal)
                waiting.append(target)
    return []


def cycle(start: int, out: Graph, within: set[int]) -> list[int]:
    """A shortest cycle through ``start`` within a knot, from it on, each node once."""
    came: dict[int, int] = {start: start}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for target in out[node]:
            if target == start:
                return _way(came, start, node)
            if target in within and target not in came:
                came[target] = node
                waiting.append(target)
    return []


def _way(came: dict[int, int], start: int, goal: int) -> list[int]:
    way = [goal]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[::-1]
