"""What an answer tells of nodes that its reader may not see: what lies behind them, and how many."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from typing import Any, TypeVar

import msgspec

from provmodel.evidence import ORDER
from queries.answer import Answer, Graphed, Mark
from queries.graph import Gap, Graph, Unchecked
from queries.hiding import SCHEME
from queries.links import ends
from queries.restricted import RestrictedGraph
from queries.trip import Trip, Walked

VIA = Mark(kind="via_restricted")
"""On a node to which the walk came only over what is hidden."""

G = TypeVar("G", bound=Graphed)
_NAMED = re.compile(rb'"(' + SCHEME.encode() + rb"[0-9a-f]{32}" + rb'[^"\\]*)"')
_NOT_CROSSED = Unchecked(
    "the edges of what is hidden from you",
    "how they are known is not told, so a walk over edges of some evidence does not cross them",
)


def with_behind(
    marks: dict[int, tuple[Mark, ...]], walked: Walked, trip: Trip, hidden: Collection[int]
) -> dict[int, tuple[Mark, ...]]:
    """The marks, with those of nodes that lie behind hidden ones."""
    if not hidden:
        return marks
    found = dict(marks)
    for node in walked.depths.keys() - _before(walked, trip, frozenset(hidden)):
        found[node] = tuple(
            sorted((*marks.get(node, ()), VIA), key=lambda mark: (mark.kind, mark.event, mark.ref))
        )
    return found


def _before(walked: Walked, trip: Trip, hidden: Collection[int]) -> set[int]:
    """What the walk comes to without going on from hidden nodes, those themselves included."""
    onward: defaultdict[int, list[int]] = defaultdict(list)
    for link in walked.crossed:
        near, far = ends(link, trip.policy.way)
        onward[near].append(far)
    for bridge in walked.bridges:
        onward[bridge.near] += (bridge.far, *bridge.through)
    led_to = {far for fars in onward.values() for far in fars}
    reached = {*trip.starts, *trip.seeds, *(walked.depths.keys() - led_to)}
    batch = list(reached)
    while batch:
        batch = [
            far
            for near in batch
            if near not in hidden or near in trip.starts
            for far in onward[near]
            if far not in reached
        ]
        reached.update(batch)
    return reached


def counted(answer: Answer[G], asked: Graph) -> Answer[G]:
    """The answer with how many hidden nodes it names, each once, as a gap, and what could not be told: what
    others that were met are to it, and whether edges of hidden nodes stood in the way of a set of evidence.
    """
    if not isinstance(asked, RestrictedGraph) or not asked.hiding:
        return answer
    graph = answer.graph
    named = sorted({one.decode() for one in _NAMED.findall(msgspec.json.encode(graph))})
    more: dict[str, Any] = {}
    if named:
        gaps = [gap for gap in graph.gaps if gap.kind != "hidden"]
        more |= {"gaps": (*gaps, Gap("hidden", len(named), named[0])), "complete": False}
    untold = [_NOT_CROSSED] if len(graph.evidence.set) < len(ORDER) else []
    met = {asked.hiding.alias(asked.hiding.nodes[node]) for node in asked.passed_over}.difference(named)
    if met:
        things = "a thing that is" if len(met) == 1 else f"{len(met)} things that are"
        untold.append(Unchecked(f"the part in this of {things} hidden from you", "no more may be told"))
    if untold:
        more |= {"unchecked": (*graph.unchecked, *untold), "complete": False}
    return msgspec.structs.replace(answer, graph=msgspec.structs.replace(graph, **more)) if more else answer
