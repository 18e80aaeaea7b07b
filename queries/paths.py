"""Best paths: the path whose weakest edge is best; among those the shortest, then the first by reference.

Which path that is depends on where it ends: the best way to a node between need not be part of it. So one
breadth-first search is made for each kind of evidence, over the edges that are at least as good.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from provmodel.evidence import UNTOLD, Evidence
from queries.graph import Way
from queries.links import Link
from queries.siblings import Bridge

SHOWN = 16
"""References of a path that are shown: those next to what it leads to. ``steps`` says how long it is."""

BEST_FIRST = [*sorted((int(evidence) for evidence in Evidence), reverse=True), UNTOLD]
Refs = Mapping[int, str]
Steps = Mapping[int, Sequence[tuple[int, int]]]
"""From a node to those it leads to, each with the evidence of the edge."""


def neighbours(
    crossed: Iterable[Link], bridges: Iterable[Bridge], way: Way
) -> dict[int, list[tuple[int, int]]]:
    """Where the walk stepped to from each node: (node reached, evidence of the edge)."""
    found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    if way is Way.OUT:
        for link in crossed:
            found[link.source].append((link.target, link.supporting))
    else:
        for link in crossed:
            found[link.target].append((link.source, link.supporting))
    for bridge in bridges:
        found[bridge.near].append((bridge.far, bridge.evidence))
    return dict(found)


class Search:
    """One breadth-first search over the edges that are at least as good as ``evidence``: from each node
    reached the one before it (-1 for a root), and its distance in steps."""

    def __init__(self, roots: Iterable[int], steps: Steps, refs: Refs, evidence: int) -> None:
        layer = list(roots)
        self.before = dict.fromkeys(layer, -1)
        self.length = dict.fromkeys(layer, 0)
        self._refs = refs
        self._shown: dict[int, tuple[str, ...]] = {root: (refs[root],) for root in layer}
        distance, before = 0, self.before
        while layer:
            distance += 1
            layer.sort(key=refs.__getitem__)  # of two ways as short, the first by reference
            reached: list[int] = []
            for node in layer:
                for far, known in steps.get(node, ()):
                    if known >= evidence and far not in before:
                        before[far] = node
                        reached.append(far)
            self.length.update(dict.fromkeys(reached, distance))
            layer = reached

    def to(self, node: int, most: int) -> list[int]:
        """The way to a node, read from it back to its root, at most so many nodes of it."""
        path: list[int] = []
        while node >= 0 and len(path) < most:
            path.append(node)
            node = self.before[node]
        return path

    def shown(self, node: int) -> tuple[str, ...]:
        """References of the way to a node, read back from it, at most ``SHOWN`` of them."""
        shown, missing = self._shown, list[int]()
        while node not in shown:
            missing.append(node)
            node = self.before[node]
        path, refs = shown[node], self._refs
        for node in reversed(missing):
            path = shown[node] = (refs[node], *path) if len(path) < SHOWN else (refs[node], *path[:-1])
        return path


class Paths:
    """The best path from ``roots`` to every node that steps lead to. ``roots`` gives the evidence with which
    each begins; ``best`` is the evidence of the path to each node."""

    def __init__(self, roots: Mapping[int, int], steps: Steps, refs: Refs) -> None:
        self.best: dict[int, int] = {}
        self._given = roots, steps, refs
        self._searches: dict[int, Search] = {}
        used = {known for fars in steps.values() for _, known in fars}
        used.update(roots.values())
        for evidence in reversed(BEST_FIRST):
            if evidence in used:
                self.best.update(dict.fromkeys(self.search(evidence).length, evidence))

    def search(self, evidence: int) -> Search:
        """The search over edges that are at least as good."""
        found = self._searches.get(evidence)
        if found is None:
            roots, steps, refs = self._given
            begin = [root for root, known in roots.items() if known >= evidence]
            found = self._searches[evidence] = Search(begin, steps, refs, evidence)
        return found

    def steps(self, node: int) -> int:
        """How many steps the best path to a node has."""
        return self.search(self.best[node]).length[node]

    def to(self, node: int, most: int = SHOWN) -> list[int]:
        """The best path to a node, read from it back to its root, at most so many nodes of it."""
        return self.search(self.best[node]).to(node, most)

    def shown(self, node: int, way: Way) -> tuple[str, ...]:
        """References of the best path from cause to effect, cut to the ``SHOWN`` next to the node."""
        found = self.search(self.best[node]).shown(node)
        return found if way is Way.OUT else found[::-1]


def origins(roots: Iterable[int], steps: Steps, refs: Refs) -> dict[int, int]:
    """The root that is nearest to each node, in steps; of two as near, the first by reference."""
    nearest = {root: root for root in roots}
    layer = sorted(nearest, key=refs.__getitem__)
    while layer:
        reached: list[int] = []
        for node in layer:
            for far, _ in steps.get(node, ()):
                if far not in nearest:
                    nearest[far] = nearest[node]
                    reached.append(far)
        layer = reached
    return nearest
