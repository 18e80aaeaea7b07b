"""The plain walk behind ``GET /v1/lineage``: nodes, edges and the completeness contract, grouped by nothing.

It stands beside the named questions, with the same parameters and two of its own.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from queries import building
from queries.answer import Answer, Graphed
from queries.graph import Graph
from queries.question import Asked, Question
from queries.telling import counted, missing_told, targets_told
from queries.walk import walk


class LineageParams(Asked, frozen=True, kw_only=True):
    """A walk's own parameters beside the common ones."""

    direction: Annotated[
        Literal["", "backward", "forward"],
        Meta(description="backward (policy why) or forward (policy impact), where no policy is given."),
    ] = ""
    stop_at: Annotated[
        tuple[str, ...],
        Meta(
            description="Do not walk on from nodes of these kinds (entity, activity, agent) or types (clew:Attempt)."
        ),
    ] = ()


class Lineage(Question[LineageParams, Graphed]):
    """What leads to the targets, or what they lead to."""

    name: ClassVar[str] = "lineage"
    sentence: ClassVar[str] = "What is connected to it, and how is each link known?"
    params: ClassVar[type[Asked]] = LineageParams
    graphed: ClassVar[type[Graphed]] = Graphed
    policy: ClassVar[str] = "why"
    example: ClassVar[dict[str, Any]] = {"target": ["q3-refunds.md"], "direction": "backward"}

    def answer(self, graph: Graph, params: LineageParams) -> Answer[Graphed]:
        """Walk; raises NotFound, Ambiguous or BadQuestion."""
        if params.direction and not params.policy:
            policy = "why" if params.direction == "backward" else "impact"
            scope = self.scope(graph, params, policy=policy)
        else:
            scope = self.scope(graph, params)
        trip = msgspec.structs.replace(building.trip_of(scope, params), stop_at=frozenset(params.stop_at))
        found = building.find(graph, trip, walk(graph, trip))
        fields = building.common(graph, scope, params, found)
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, Graphed(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[Graphed]) -> list[str]:
        graph = answer.graph
        refs = ", ".join(target.ref for target in graph.targets)
        nodes, edges = counted(len(graph.nodes), "node"), counted(len(graph.edges), "edge")
        word = "leads to" if graph.policy.direction == "backward" else "came from"
        return [*targets_told(graph), f"{nodes} and {edges} show what {word} {refs}.", *missing_told(graph)]
