"""Two nodes looked for from both: the edges among which the best path between them lies.

For each kind of evidence, the best first, one search goes back from the effect and one forth from the cause,
layer by layer, always the one that has less before it. Where they meet, every shortest path over edges that
are as good lies among the edges seen; where one of them has nothing left, there is none that is as good. A
search that grows large, or comes upon a hub going back, is given up: whole walks are better at those.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from provmodel.relations import Flow, Kind, codes_of, flow_of
from queries.graph import Graph, Way
from queries.links import Link, links_of
from queries.paths import BEST_FIRST
from queries.trip import HUB, Trip

CONDITIONS = frozenset(codes_of(frozenset({Flow.CONTROL, Flow.RESPONSIBILITY})))
MOST = 1000
"""Nodes met on both sides together, beyond which a search is given up."""


class Between(NamedTuple):
    """What a search came to: ``links`` hold the best path when there is one; ``sure`` is False when it was
    given up."""

    links: list[Link]
    sure: bool


class _GivenUpError(Exception):
    """The search grew too large."""


class _Side:
    """One direction of a search: the distance of each node met, and the layer that is next."""

    def __init__(self, way: Way, start: int) -> None:
        self.way = way
        self.seen = {start}
        self.layer = [start]

    def onward(self, links: Iterable[Link]) -> None:
        """Step over these edges."""
        out = self.way is Way.OUT
        fresh = {link.target if out else link.source for link in links} - self.seen
        self.seen |= fresh
        self.layer = sorted(fresh)


class _Meeting:
    """The searches between two nodes; what was read of a node is kept for the next kind of evidence."""

    def __init__(self, graph: Graph, trip: Trip, cause: int, effect: int) -> None:
        self.graph = graph
        self.trip = trip
        self.cause = cause
        self.effect = effect
        kind = graph.infos([effect], trip.as_of)[effect].kind
        own = {Flow.CONTROL} if kind & Kind.ENTITY else set()
        self.own = own | ({Flow.RESPONSIBILITY} if kind & Kind.AGENT else set())
        self.crossed = frozenset(trip.policy.codes)
        self.codes = tuple(sorted(self.crossed | CONDITIONS))
        self.known: dict[Way, dict[int, list[Link]]] = {Way.OUT: {}, Way.IN: {}}
        self.blocked = False

    def search(self, evidence: int) -> list[Link]:
        """The edges seen when both met; none when there is no path over edges that are as good."""
        back, forth = _Side(Way.OUT, self.effect), _Side(Way.IN, self.cause)
        seen: list[Link] = []
        while back.layer and forth.layer:
            side = forth if not self.blocked and len(forth.layer) < len(back.layer) else back
            found = self._links(side.layer, side.way)
            if found is None:
                self.blocked = True
                continue
            links = [link for link in found if link.supporting >= evidence]
            seen += links
            side.onward(links)
            if not (forth if side is back else back).seen.isdisjoint(side.layer):
                return seen
        return []

    def _links(self, nodes: Sequence[int], way: Way) -> list[Link] | None:
        """The edges to cross from these nodes; None for too many of them going forward."""
        known = self.known[way]
        unread = [node for node in nodes if node not in known]
        if unread and not self._read(unread, way):
            if way is Way.OUT:
                raise _GivenUpError
            return None
        return [link for node in nodes for link in known[node]]

    def _read(self, nodes: list[int], way: Way) -> bool:
        """Read the edges of these nodes; False when there are too many."""
        if sum(len(known) for known in self.known.values()) + len(nodes) > min(MOST, self.trip.max_nodes):
            raise _GivenUpError
        rows = self.graph.rows(nodes, way, self.codes, self.trip.as_of, 4 * HUB)
        found: dict[int, list[Link]] = {node: [] for node in nodes}
        out, refuted = way is Way.OUT, self.trip.include_refuted
        for link in links_of(rows, self.trip.evidence):
            if link.supporting and (refuted or not link.refuted) and self._named(link):
                found[link.source if out else link.target].append(link)
        if len(rows) >= 4 * HUB or any(len(links) > HUB for links in found.values()):
            return False
        self.known[way].update(found)
        return True

    def _named(self, link: Link) -> bool:
        """Whether the edge is one to cross: conditions only next to one of the two."""
        if link.code in self.crossed or link.target == self.cause:
            return True
        return link.source == self.effect and flow_of(link.code) in self.own


def meet(graph: Graph, trip: Trip, cause: int, effect: int) -> Between:
    """The edges that hold the best path from ``cause`` to ``effect`` along the policy of ``trip``."""
    meeting = _Meeting(graph, trip, cause, effect)
    try:
        for evidence in BEST_FIRST:
            links = meeting.search(evidence)
            if links:
                return Between(links, sure=True)
    except _GivenUpError:
        return Between([], sure=False)
    return Between([], sure=True)
