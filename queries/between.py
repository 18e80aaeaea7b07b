"""The best path between two nodes: the one whose weakest edge is best, then the shortest, then the first by
reference.

Like every walk it crosses data. At its ends it takes control and responsibility too: a skill, a grant or an
agent among the two is reached by what it was a condition of, or carried; a skill also by way of the
environments that held it (:mod:`queries.skills`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

from provmodel.evidence import Evidence
from queries.graph import Graph, Way
from queries.links import Link, ends, links_of
from queries.meeting import meet
from queries.paths import Paths, neighbours
from queries.policy import COSTS, POLICIES, Policy
from queries.question import DEFAULT_DEPTH
from queries.siblings import Bridge
from queries.skills import POSSIBLY, find_seeds
from queries.steps import CONDITIONS
from queries.walk import Trip, Walked, walk

WHOLE = 2**31


class Route(msgspec.Struct, frozen=True):
    """A path: ``nodes`` from cause to effect, all edges between each and the next, the evidence of the
    weakest hop, and the policy along which it was found. Where it begins at a name without a version,
    ``meant`` is the version asked about that this possibly stood for.
    """

    nodes: tuple[int, ...]
    links: tuple[Link, ...]
    evidence: int
    policy: Policy
    meant: int | None = None

    def depths(self) -> dict[int, int]:
        """How many activities deep each node stands, counted from where the policy begins."""
        way = self.policy.way
        order = self.nodes if way is Way.IN else self.nodes[::-1]
        cost = {ends(link, way): COSTS[way].get(link.code, 0) for link in self.links}
        depths, depth = {order[0]: 0}, 0
        for near, far in pairwise(order):
            depth += cost.get((near, far), 0)
            depths.setdefault(far, depth)
        return depths


class Looked(msgspec.Struct):
    """What a search came to: the path, if there is one, and the walks that were cut, each with its way."""

    route: Route | None = None
    cut: list[tuple[Way, Walked]] = []


def best_route(graph: Graph, trip: Trip, policies: Sequence[Policy]) -> Looked:
    """The best path from one of the trip's two start nodes to the other, along the first policy that has one.

    The first is taken for the cause, unless there is a path only the other way.
    """
    looked = Looked()
    one, other = trip.starts
    for policy in policies:
        along = msgspec.structs.replace(trip, policy=policy)
        for search in _SEARCHES:
            for cause, effect in ((one, other), (other, one)):
                looked.route = search(graph, along, cause, effect, looked)
                if looked.route:
                    return looked
    return looked


def _plain(graph: Graph, trip: Trip, cause: int, effect: int, looked: Looked) -> Route | None:
    """Over plain edges: from both ends or, where that is given up or a depth is set, by a whole walk."""
    if trip.policy.way is Way.OUT and trip.depth >= DEFAULT_DEPTH:
        between = meet(graph, trip, cause, effect)
        if between.sure:
            nodes, links, evidence, _ = between
            return _along(nodes, links, (), evidence, trip) if nodes else None
    return _walked(graph, trip, cause, effect, looked)


def _over_siblings(graph: Graph, trip: Trip, cause: int, effect: int, looked: Looked) -> Route | None:
    """Over the citations of sibling texts."""
    if not trip.policy.cites:
        return None
    return _walked(graph, msgspec.structs.replace(trip, siblings=True), cause, effect, looked)


def _walked(graph: Graph, trip: Trip, cause: int, effect: int, looked: Looked) -> Route | None:
    """By a walk from the effect."""
    walked = walk(graph, msgspec.structs.replace(trip, starts=(effect,), wide=True, lean=True))
    crossed = [*walked.crossed, *_last(walked, cause, trip)]
    found = _route(graph, trip, crossed, walked.bridges, {effect: int(Evidence.VERIFIED)}, cause)
    if walked.truncated:
        looked.cut.append((trip.policy.way, walked))
    return _in_full(graph, trip, found)


def _last(walked: Walked, cause: int, trip: Trip) -> list[Link]:
    """The edges by which the cause was a condition of something on the way, or responsible for it."""
    aside = [link for link in walked.aside if link.target == cause and link.code in CONDITIONS]
    return [link for link in aside if _open(link, trip)]


def _open(link: Link, trip: Trip) -> bool:
    return link.supporting != 0 and (trip.include_refuted or not link.refuted)


def _from_skill(graph: Graph, trip: Trip, cause: int, effect: int, looked: Looked) -> Route | None:
    """Forward from what runs were set up with, or what was named without a version."""
    if trip.policy.name != "why":
        return None
    forward = msgspec.structs.replace(
        trip, starts=(cause,), policy=POLICIES["impact"], siblings=True, lean=True, wide=False
    )
    seeds = find_seeds(graph, forward)
    if not seeds.depths:
        return None
    walked = walk(graph, msgspec.structs.replace(forward, seeds=seeds.depths, given=tuple(seeds.links)))
    roots = {cause: int(Evidence.VERIFIED)} | dict.fromkeys(seeds.things, POSSIBLY)
    found = _route(graph, forward, walked.crossed, walked.bridges, roots, effect)
    if walked.truncated:
        looked.cut.append((forward.policy.way, walked))
    if found and found.nodes[0] in seeds.things:
        found = msgspec.structs.replace(found, meant=cause)
    return _in_full(graph, forward, found)


_SEARCHES = (_plain, _over_siblings, _from_skill)
"""The plainest first."""


def _route(
    graph: Graph,
    trip: Trip,
    crossed: Sequence[Link],
    bridges: Sequence[Bridge],
    roots: dict[int, int],
    wanted: int,
) -> Route | None:
    """The best path from one of the roots to the node wanted, if the crossed edges hold one."""
    way = trip.policy.way
    steps = neighbours(crossed, bridges, way)
    nodes = {*steps, *(far for fars in steps.values() for far, _ in fars), *roots}
    if wanted not in nodes:
        return None
    paths = Paths(roots, steps, graph.refs(sorted(nodes)))
    if wanted not in paths.best:
        return None
    back = paths.to(wanted, WHOLE)
    order = back if way is Way.OUT else back[::-1]
    return _along(order, crossed, bridges, paths.best[wanted], trip)


def _along(
    order: Sequence[int], crossed: Sequence[Link], bridges: Sequence[Bridge], evidence: int, trip: Trip
) -> Route:
    """The path over these nodes, from cause to effect."""
    over = {frozenset((bridge.near, bridge.far)): bridge for bridge in bridges}
    nodes, links = _spelled(order, crossed, over)
    distinct = {(link.relation, link.code): link for link in links}
    return Route(tuple(nodes), tuple(distinct.values()), evidence, trip.policy)


def _spelled(
    order: Sequence[int], crossed: Iterable[Link], over: dict[frozenset[int], Bridge]
) -> tuple[list[int], list[Link]]:
    """The path from cause to effect with what its bridges lead over, and the edges from each node to the
    next, the best first."""
    hops, on_it = set(pairwise(order)), frozenset(order)
    between: defaultdict[tuple[int, int], list[Link]] = defaultdict(list)
    for link in crossed:
        if link.target in on_it and (link.target, link.source) in hops:
            between[link.target, link.source].append(link)
    nodes, links = [order[0]], []
    for cause, effect in pairwise(order):
        hop = between.get((cause, effect))
        if hop:
            links += hop if len(hop) == 1 else sorted(hop, key=_best_first)
        else:
            bridge = over[frozenset((cause, effect))]
            nodes += bridge.through
            links += reversed(bridge.links)
        nodes.append(effect)
    return nodes, links


def _best_first(link: Link) -> tuple[int, int, int]:
    return -link.supporting, link.code, link.relation


def _in_full(graph: Graph, trip: Trip, route: Route | None) -> Route | None:
    """The same path with all that is told of the assertions of its edges: a lean walk leaves it out."""
    if route is None:
        return None
    sources, codes = sorted({x.source for x in route.links}), sorted({x.code for x in route.links})
    rows = graph.rows(sources, Way.OUT, codes, trip.as_of) if sources else []
    full = {(link.relation, link.code): link for link in links_of(rows, trip.evidence)}
    links = tuple([full[link.relation, link.code] for link in route.links])
    return msgspec.structs.replace(route, links=links)
