"""The best path between two nodes, looked for from both.

For each kind of evidence, the best first, one search goes back from the effect and one forth from the cause,
layer by layer, always the one that has less before it. Where they meet, every shortest path over edges that
are as good leads through the layers of both; where one of them has nothing left, there is none that is as
good. A search that grows large, or comes upon a hub going back, is given up: whole walks are better at those.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from queries.graph import Graph, Way
from queries.links import Link
from queries.steps import ByRows, Named, Nodes, TooManyError, steps_between
from queries.trip import Trip

MOST = 1000
"""Nodes met on both sides together, beyond which a search is given up."""


class Between(NamedTuple):
    """What a search came to: the ``nodes`` of the best path from cause to effect, if there is one, the edges
    from each to the next, and the evidence of the weakest; ``sure`` is False when it was given up."""

    nodes: list[int]
    links: list[Link]
    evidence: int
    sure: bool


NONE = Between([], [], 0, sure=True)
NOTHING: Nodes = frozenset()


class _GivenUpError(Exception):
    """The search grew too large."""


class _Side:
    """One direction of a search: all nodes met, layer by layer, the last of which is next."""

    def __init__(self, way: Way, start: int) -> None:
        self.way = way
        self.seen = {start}
        self.layers: list[Nodes] = [{start}]

    def onward(self, reached: Iterable[int]) -> None:
        """The last layer led to these nodes."""
        fresh = set(reached) - self.seen
        self.seen |= fresh
        self.layers.append(fresh)


class _Meeting:
    """The searches between two nodes. ``read`` are the nodes whose steps were read, each way."""

    def __init__(self, graph: Graph, trip: Trip, cause: int, effect: int) -> None:
        named = Named(graph, trip, cause, effect)
        self.graph = graph
        self.cause = cause
        self.effect = effect
        self.rows = ByRows(graph, trip, named)
        self.steps = steps_between(graph, trip, named, self.rows)
        self.most = min(MOST, trip.max_nodes)
        self.read: dict[Way, set[int]] = {way: set() for way in Way}
        self.blocked = False

    def search(self, evidence: int) -> Between | None:
        """The best path over edges that are at least as good, if there is one."""
        back, forth = _Side(Way.OUT, self.effect), _Side(Way.IN, self.cause)
        while back.layers[-1] and forth.layers[-1]:
            side = forth if not self.blocked and len(forth.layers[-1]) < len(back.layers[-1]) else back
            reached = self._reached(side.layers[-1], side.way, evidence)
            if reached is None:
                self.blocked = True
                continue
            side.onward(reached)
            if not back.layers[-1].isdisjoint(forth.layers[-1]):
                return self._told(back, forth, evidence)
        return None

    def _reached(self, layer: Nodes, way: Way, evidence: int) -> Collection[int] | None:
        """Where steps from these nodes lead to; None for too many of them going forward."""
        read = self.read[way]
        fresh, again = (layer, NOTHING) if layer.isdisjoint(read) else (layer - read, layer & read)
        if fresh and sum(map(len, self.read.values())) + len(fresh) > self.most:
            raise _GivenUpError
        try:
            reached = self.steps.reached(fresh, again, way, evidence)
        except TooManyError:
            if way is Way.OUT:
                raise _GivenUpError from None
            return None
        read |= fresh
        return reached

    def _told(self, back: _Side, forth: _Side, evidence: int) -> Between:
        """Of the shortest paths that lead through these layers, the first by reference."""
        refs, steps = self.graph.refs([*back.seen, *forth.seen]), self.steps
        towards = [back.layers[-1] & forth.layers[-1]]
        for layer in forth.layers[-2::-1]:
            towards.append(steps.leading(layer, towards[-1], Way.IN, evidence))
        nodes = [self.cause]
        for layer in towards[-2::-1]:
            then = layer.intersection(steps.reached(NOTHING, {nodes[-1]}, Way.IN, evidence))
            nodes.append(min(then, key=refs.__getitem__))
        for layer in back.layers[-2::-1]:
            then = layer if len(layer) == 1 else steps.leading(layer, {nodes[-1]}, Way.OUT, evidence)
            nodes.append(min(then, key=refs.__getitem__))
        links = self.rows.links(nodes, len(forth.layers) - 1)
        return Between(nodes, [link for link in links if link.supporting >= evidence], evidence, sure=True)


def meet(graph: Graph, trip: Trip, cause: int, effect: int) -> Between:
    """The best path from ``cause`` to ``effect`` along the policy of ``trip``, which goes back."""
    meeting = _Meeting(graph, trip, cause, effect)
    try:
        found = (meeting.search(evidence) for evidence in meeting.steps.levels)
        return next(filter(None, found), NONE)
    except _GivenUpError:
        return NONE._replace(sure=False)
