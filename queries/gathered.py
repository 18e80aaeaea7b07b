"""Nodes that a question found by other means than a walk, told of as those of a walk are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from queries import building
from queries.building import Found
from queries.gaps import KINDS
from queries.graph import Gap, Graph, Unchecked
from queries.links import Link
from queries.policy import POLICIES
from queries.question import Asked, Scope
from queries.walk import Walked


def gathered(
    graph: Graph, scope: Scope, params: Asked, depths: Mapping[int, int], links: Sequence[Link] = ()
) -> Found:
    """What there is to tell of these nodes, each at its depth, and of the edges among them."""
    there = graph.infos(list(depths), scope.as_of)
    walked = Walked(
        depths={node: depth for node, depth in depths.items() if node in there},
        links=[link for link in links if link.source in there and link.target in there],
        bridges=[],
        frontier={},
        next=None,
        before={},
        crossed=[],
        aside=[],
        read=set(),
    )
    trip = msgspec.structs.replace(building.trip_of(scope, params), policy=POLICIES["who"])
    return building.find(graph, trip, walked)


def with_gaps(fields: dict[str, Any], counted: Iterable[Gap]) -> dict[str, Any]:
    """The answer's fields with these gaps in place of those of the same kinds; a count of 0 takes away."""
    known = {gap.kind: gap for gap in (*fields["gaps"], *counted)}
    gaps = tuple(known[kind] for kind in KINDS if kind in known and known[kind].count)
    return {**fields, "gaps": gaps, "complete": fields["complete"] and not gaps}


def with_unchecked(fields: dict[str, Any], more: Iterable[Unchecked]) -> dict[str, Any]:
    """The answer's fields with more that could not be checked."""
    unchecked = tuple(dict.fromkeys((*fields["unchecked"], *more)))
    return {**fields, "unchecked": unchecked, "complete": fields["complete"] and not unchecked}
