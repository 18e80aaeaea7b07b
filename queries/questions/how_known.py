"""how-known: why an edge, or a path, is believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from provmodel.errors import BadQuestion
from provmodel.evidence import WORDS, Evidence
from provmodel.relations import Flow, codes_of
from queries import building
from queries.answer import Answer, Graphed
from queries.believing import Claim, Said, claims_of, said_of, told
from queries.between import Looked, Route, best_route
from queries.chosen import chosen
from queries.edges import EVIDENCE_WORD
from queries.graph import Frontier, Graph, Row, Unchecked, Way
from queries.limits import at_least, is_whole, nothing, within
from queries.links import Link, links_of, once
from queries.policy import POLICIES
from queries.question import Asked, Question, Scope
from queries.telling import counted, listed, missing_told, targets_told
from queries.walk import Trip

ALL = codes_of(frozenset(Flow))
AROUND = 200
"""Neighbours one way whose edges are shown for a single target."""
READ = 20_000
"""Edges of a target among which one is looked for."""
TOLD = 12
"""Edges that the sentences spell out."""
Cut = Mapping[str, tuple[int, bool, str]]
"""By way: how many neighbours were left out, whether exactly, and why."""
NOT_CUT: Cut = {}


class HowKnownAsked(Asked, frozen=True, kw_only=True):
    """The parameters of how-known."""

    relation: Annotated[
        str,
        Meta(
            description="One edge of the target: the `relation` that an answer gives for it (16 hexadecimal "
            "digits).",
        ),
    ] = ""


class KnownPath(msgspec.Struct, frozen=True, omit_defaults=True):
    """The best path. ``refs`` lead from cause to effect, ``claims`` are the edges between them in that order
    (several where several lead from one node to the next), ``evidence`` is that of the weakest. Where the
    cause is a name without a version, ``meant`` is the version asked about that it possibly stood for.
    """

    cause: str
    effect: str
    evidence: str
    steps: int
    refs: tuple[str, ...]
    claims: tuple[Claim, ...]
    meant: str = ""


class Known(Graphed, frozen=True, kw_only=True):
    """Why it is believed.

    Of two targets ``path`` is the best one that leads from one to the other, and ``claims`` are the edges
    that join them directly; where only a path over refuted edges leads there, it is ``refuted_path``. Of one
    target ``claims`` are its own edges, or the one asked for, and ``said`` its attributes.
    """

    path: KnownPath | None = None
    refuted_path: KnownPath | None = None
    claims: tuple[Claim, ...] = ()
    said: tuple[Said, ...] = ()


class HowKnown(Question[HowKnownAsked, Known]):
    """One target: its edges and attributes. A target and a relation: that edge. Two targets: the best path
    from one to the other, whose weakest edge is best, then the shortest, then the first by reference."""

    name: ClassVar[str] = "how-known"
    sentence: ClassVar[str] = "Why is it believed: who says so, how well is it known, and in which event?"
    params: ClassVar[type[Asked]] = HowKnownAsked
    graphed: ClassVar[type[Graphed]] = Known
    policy: ClassVar[str] = "why"
    both_ways: ClassVar[bool] = True
    example: ClassVar[Mapping[str, Any]] = {"target": ["document:tariff-2025", "ledger:account-4711"]}

    def answer(self, graph: Graph, params: HowKnownAsked) -> Answer[Known]:
        if params.part:
            raise BadQuestion("part", "an edge is believed as a whole", "leave it out")
        scope = self.scope(graph, params)
        if len(scope.starts) > 2:
            raise BadQuestion("target", "a path has two ends", "give one target, or two")
        trip = msgspec.structs.replace(building.trip_of(scope, params), siblings=False, wide=False)
        if params.relation or len(scope.starts) == 1:
            return self._of_edges(graph, scope, params, trip)
        return self._of_path(graph, scope, params, trip)

    def _of_edges(self, graph: Graph, scope: Scope, params: HowKnownAsked, trip: Trip) -> Answer[Known]:
        """The edge asked for, or all of the one target."""
        if params.relation:
            links, cut = _edge(graph, trip, params.relation), NOT_CUT
            nodes = dict.fromkeys([*scope.ids, *(x.source for x in links), *(x.target for x in links)], 0)
        else:
            links, cut = _around(graph, trip)
            nodes = dict.fromkeys(scope.ids, 0)
        found = building.find(graph, trip, chosen(nodes, links))
        fields = building.common(graph, scope, params, found)
        frontier = tuple([Frontier(found.ref(trip.starts[0]), way, *stop) for way, stop in cut.items()])
        ordered = sorted(
            found.links, key=lambda x: (found.refs[x.source], found.refs[x.target], x.code, x.relation)
        )
        fields |= {
            "claims": claims_of(graph, scope.as_of, ordered, found.refs),
            "said": () if params.relation else said_of(graph, scope.as_of, trip.starts[0]),
            "frontier": frontier,
            "truncated": bool(frontier),
            "complete": fields["complete"] and not frontier,
        }
        return self._told(graph, params, found, fields)

    def _of_path(self, graph: Graph, scope: Scope, params: HowKnownAsked, trip: Trip) -> Answer[Known]:
        """The best path between the two targets, and the edges that join them directly."""
        looked = _look(graph, scope, params, trip)
        refuted = None
        if looked.route is None and not params.include_refuted:
            again = msgspec.structs.replace(trip, include_refuted=True)
            refuted = _look(graph, scope, params, again).route
        direct, unchecked = _direct(graph, trip)
        route = looked.route or refuted
        scope = msgspec.structs.replace(scope, policy=route.policy if route else scope.policy)
        bare = msgspec.structs.replace(scope.policy, conditions=())
        depths = {**dict.fromkeys(scope.ids, 0), **(route.depths() if route else {})}
        links = once((*(route.links if route else ()), *direct))
        found = building.find(graph, msgspec.structs.replace(trip, policy=bare), chosen(depths, links))
        fields = building.common(graph, scope, params, found)
        fields["unchecked"] = (*fields["unchecked"], *unchecked, *_beyond(looked))
        fields["complete"] = fields["complete"] and not fields["unchecked"]
        fields["truncated"] = bool(looked.cut) and looked.route is None
        fields["frontier"] = _stops(graph, looked) if fields["truncated"] else ()
        fields["claims"] = claims_of(graph, scope.as_of, direct, found.refs)
        fields["path"] = _path(graph, scope, looked.route, found)
        fields["refuted_path"] = _path(graph, scope, refuted, found)
        return self._told(graph, params, found, fields)

    def _told(
        self, graph: Graph, params: HowKnownAsked, found: building.Found, fields: dict[str, Any]
    ) -> Answer[Known]:
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, Known(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[Known]) -> list[str]:
        graph = answer.graph
        return [
            *targets_told(graph),
            *(_path_told(graph) if len(graph.targets) > 1 else _claims_told(graph)),
            *missing_told(graph),
        ]


def _edge(graph: Graph, trip: Trip, relation: str) -> list[Link]:
    """All arguments of one relation of a target."""
    try:
        wanted = int(relation, 16)
    except ValueError:
        raise BadQuestion("relation", f"{relation!r} names no edge", "give the 16 digits of one") from None
    rows = [row for way in (Way.OUT, Way.IN) for row in graph.rows(trip.starts, way, ALL, trip.as_of, READ)]
    subject = next((row.source for row in rows if row.relation == wanted), None)
    if subject is None:
        refs = graph.refs(trip.starts)
        names = ", ".join(refs[node] for node in trip.starts)
        raise BadQuestion("relation", f"{names} has no edge {relation}", "take one from an answer's edges")
    whole = graph.rows([subject], Way.OUT, ALL, trip.as_of)
    return links_of([row for row in whole if row.relation == wanted], trip.evidence)


def _around(graph: Graph, trip: Trip) -> tuple[list[Link], Cut]:
    """The edges of one node, and what of them was left out each way."""
    [node] = trip.starts
    rows: list[Row] = []
    cut: dict[str, tuple[int, bool, str]] = {}
    for way in (Way.OUT, Way.IN):
        rows += graph.page(node, way, ALL, trip.as_of, (-1, -1), AROUND)
        count = graph.degrees([node], way, ALL, trip.as_of, AROUND + 101).get(node, 0)
        if count > AROUND:
            left = min(count - AROUND, 100)
            cut[way.value] = (left, count <= AROUND + 100, "page")
    return [link for link in links_of(rows, trip.evidence) if link.supporting or link.refuted], cut


def _look(graph: Graph, scope: Scope, params: HowKnownAsked, trip: Trip) -> Looked:
    policies = (scope.policy,) if params.policy else (POLICIES["why"], POLICIES["who"])
    return best_route(graph, trip, policies)


def _direct(graph: Graph, trip: Trip) -> tuple[list[Link], list[Unchecked]]:
    """The edges from one target to the other, of any class, the refuted ones too."""
    rows = graph.rows(trip.starts, Way.OUT, ALL, trip.as_of, READ)
    ends = set(trip.starts)
    direct = links_of([row for row in rows if row.target in ends and row.target != row.source], trip.evidence)
    direct.sort(key=lambda link: (-link.supporting, link.code, link.relation))
    why = f"the targets have over {READ:,} edges"
    return direct, [Unchecked("which edges join them directly", why)] if len(rows) >= READ else []


def _beyond(looked: Looked) -> list[Unchecked]:
    """What walks that were cut may not have come to."""
    if not looked.cut:
        return []
    kind = "better" if looked.route else "longer"
    reasons = sorted({stop.reason for _, walked in looked.cut for stop in walked.frontier.values()})
    return [Unchecked(f"whether a {kind} path leads there", f"the walk stopped ({', '.join(reasons)})")]


def _stops(graph: Graph, looked: Looked) -> tuple[Frontier, ...]:
    """Where the walks stopped that came to no path, by reference."""
    found = {(node, way): stop for way, walked in looked.cut for node, stop in walked.frontier.items()}
    refs = graph.refs(sorted({node for node, _ in found}))
    stops = [Frontier(refs[n], way.value, s.count, s.exact, s.reason) for (n, way), s in found.items()]
    return tuple(sorted(stops, key=lambda stop: (stop.ref, stop.way)))


def _path(graph: Graph, scope: Scope, route: Route | None, found: building.Found) -> KnownPath | None:
    if route is None:
        return None
    refs = tuple([found.refs[node] for node in route.nodes])
    claims = claims_of(graph, scope.as_of, route.links, found.refs)
    evidence = EVIDENCE_WORD[route.evidence]
    meant = "" if route.meant is None else found.refs[route.meant]
    return KnownPath(refs[0], refs[-1], evidence, len(refs) - 1, refs, claims, meant)


def _path_told(graph: Known) -> list[str]:
    path = graph.path or graph.refuted_path
    one, other = (target.ref for target in graph.targets[:2])
    if path is None:
        told_ = [_no_path(graph, one, other)]
        return told_ + [told(claim) for claim in graph.claims[:TOLD]]
    steps = counted(path.steps, "step")
    words = [
        f"The best path from {path.cause} to {path.effect} has {steps}; its weakest edge is {path.evidence}."
    ]
    if graph.path is None:
        words = [
            _no_path(graph, one, other, " that holds"),
            f"The one of {steps} from {path.cause} to {path.effect} goes over what is refuted.",
        ]
    if path.meant:
        words.append(
            f"{path.cause} was named without a version while {path.meant} was current, so it possibly stood "
            f"for that: {WORDS[Evidence.INFERRED]}."
        )
    words += [told(claim) for claim in path.claims[:TOLD]]
    return words + _left(len(path.claims) - TOLD)


def _no_path(graph: Known, one: str, other: str, which: str = "") -> str:
    if is_whole(graph):
        return f"No {'path that holds' if which else 'recorded path'} leads from {one} to {other}, nor back."
    return f"No path{which} from {one} to {other}, nor back, was found{within(graph)}."


def _claims_told(graph: Known) -> list[str]:
    refs = listed([target.ref for target in graph.targets])
    if not graph.claims:
        if not is_whole(graph):
            return [nothing(graph, f"No edge of {refs}")]
        return [f"Nothing that is recorded joins {refs} to anything."]
    edges = counted(len(graph.claims), "edge is", "edges are")
    words = [f"Of {refs} {at_least(graph)}{edges} recorded."]
    words += [told(claim) for claim in graph.claims[:TOLD]]
    return words + _left(len(graph.claims) - TOLD)


def _left(count: int) -> list[str]:
    return [f"{counted(count, 'more edge')} in the answer."] if count > 0 else []
