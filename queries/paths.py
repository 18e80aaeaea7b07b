"""Best paths: the path whose weakest edge is best; among those the shortest, then the first by reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from provmodel.evidence import Evidence
from queries.graph import Way
from queries.links import Link
from queries.siblings import Bridge

SHOWN = 16
"""References of a path that are shown: those next to what it leads to. ``steps`` says how long it is."""

BEST_FIRST = sorted((int(evidence) for evidence in Evidence), reverse=True)
Refs = Mapping[int, str]


class Best(msgspec.Struct, frozen=True, gc=False):
    """How one node is best reached: the evidence of the path, the node before, and how many steps from a
    start.
    """

    evidence: int
    parent: int
    steps: int


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


def best_paths(
    roots: Mapping[int, int], steps: Mapping[int, Sequence[tuple[int, int]]], refs: Refs
) -> dict[int, Best]:
    """The best path to every node that can be reached; ``roots`` gives the evidence with which each root
    begins.
    """
    best: dict[int, Best] = {}
    waiting: dict[int, dict[int, Best]] = {evidence: {} for evidence in BEST_FIRST}
    for root, evidence in roots.items():
        waiting[evidence][root] = Best(evidence, root, 0)
    for evidence in BEST_FIRST:
        layer = [node for node in waiting[evidence] if node not in best]
        best.update((node, waiting[evidence][node]) for node in layer)
        while layer:
            layer.sort(key=refs.__getitem__)
            layer = _spread(layer, evidence, steps, best, waiting)
    return best


def _spread(
    layer: list[int],
    evidence: int,
    steps: Mapping[int, Sequence[tuple[int, int]]],
    best: dict[int, Best],
    waiting: dict[int, dict[int, Best]],
) -> list[int]:
    """Go one step on from ``layer`` with edges that are as good; worse ones wait for their turn."""
    reached: list[int] = []
    for node in layer:
        length = best[node].steps + 1
        for far, known in steps.get(node, ()):
            if far in best:
                continue
            if known >= evidence:
                best[far] = Best(evidence, node, length)
                reached.append(far)
            else:
                waiting[known].setdefault(far, Best(known, node, length))
    return reached


def paths_of(best: Mapping[int, Best], refs: Refs, way: Way) -> dict[int, tuple[str, ...]]:
    """The references along each best path, from cause to effect, cut to the ``SHOWN`` next to what it leads
    to.
    """
    paths: dict[int, tuple[str, ...]] = {}
    for node, known in best.items():
        before = paths[known.parent] if known.steps else ()
        if way is Way.OUT:
            paths[node] = (refs[node], *before[: SHOWN - 1])
        else:
            paths[node] = (*before[1 - SHOWN :], refs[node])
    return paths
