"""A walk as it is, with no question read into it: what stands before a node, or behind it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from queries import building
from queries.answer import Answer, Graphed
from queries.graph import Graph
from queries.policy import turned
from queries.question import Asked, Question, read_kinds
from queries.telling import counted, missing_told, targets_told
from queries.walk import walk


class LineageAsked(Asked, frozen=True, kw_only=True):
    """The parameters of a walk."""

    direction: Annotated[
        Literal["", "backward", "forward"],
        Meta(description="backward to causes, forward to effects; empty: as the policy says."),
    ] = ""
    stop_at: Annotated[
        tuple[str, ...],
        Meta(
            description="Kinds of node to stop at: entity, activity, agent, or a type such as clew:Attempt."
        ),
    ] = ()


class Lineage(Question[LineageAsked, Graphed]):
    """The nodes and edges that a policy reaches from the targets. Forward without a policy is ``impact``."""

    name: ClassVar[str] = "lineage"
    sentence: ClassVar[str] = "What stands before it, or behind it, along the edges of a policy?"
    params: ClassVar[type[Asked]] = LineageAsked
    graphed: ClassVar[type[Graphed]] = Graphed
    policy: ClassVar[str] = "why"
    along_any: ClassVar[bool] = True
    both_ways: ClassVar[bool] = True
    example: ClassVar[dict[str, Any]] = {"target": ["document:tariff-2025"], "direction": "forward"}

    def answer(self, graph: Graph, params: LineageAsked) -> Answer[Graphed]:
        scope = self.scope(graph, params, policy="impact" if params.direction == "forward" else "")
        if params.direction:
            scope = msgspec.structs.replace(scope, policy=turned(scope.policy, params.direction))
        stop_at = read_kinds("stop_at", params.stop_at)
        trip = msgspec.structs.replace(building.trip_of(scope, params), stop_at=stop_at)
        if params.view == "ids":
            ids = building.by_reference(graph, scope, trip)
            return Answer(self.name, Graphed(**ids), building.nothing_now())
        found = building.find(graph, trip, walk(graph, trip))
        fields = building.common(graph, scope, params, found)
        return Answer(self.name, Graphed(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[Graphed]) -> list[str]:
        graph = answer.graph
        refs = ", ".join(target.ref for target in graph.targets)
        way = "leads to" if graph.policy.direction == "backward" else "came from"
        nodes, edges = counted(len(graph.nodes), "node"), counted(len(graph.edges), "edge")
        return [*targets_told(graph), f"{nodes} and {edges} show what {way} {refs}.", *missing_told(graph)]


LINEAGE = Lineage()
