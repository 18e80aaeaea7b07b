"""The best path between two nodes, looked for from both.

For each kind of evidence, the best first, one search goes back from the effect and one forth from the cause,
layer by layer, always the one that has less before it. Where they meet, every shortest path over edges that
are as good leads through the layers of both; where one of them has nothing left, there is none that is as
good. A search that grows large, or comes upon a hub going back, is given up: whole walks are better at those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import chain
from typing import NamedTuple

from queries.graph import Graph, Way
from queries.links import Link
from queries.steps import ByRows, Named, steps_between
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


class _GivenUpError(Exception):
    """The search grew too large."""


class _Side:
    """One direction of a search: all nodes met, layer by layer, the last of which is next, and the steps from
    those before it."""

    def __init__(self, way: Way, start: int) -> None:
        self.way = way
        self.seen = {start}
        self.layers = [{start}]
        self.steps: dict[int, Sequence[int]] = {}

    def onward(self, steps: Mapping[int, Sequence[int]]) -> None:
        """The nodes that the steps from the last layer lead to."""
        self.steps.update(steps)
        fresh = set(chain.from_iterable(steps.values())) - self.seen
        self.seen |= fresh
        self.layers.append(fresh)

    def leading(self, layer: Set[int], onto: Set[int]) -> list[int]:
        """The nodes of a layer from which a step leads onto some others."""
        steps = self.steps
        return [node for node in layer if not onto.isdisjoint(steps[node])]


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
            steps = self._steps(side.layers[-1], side.way, evidence)
            if steps is None:
                self.blocked = True
                continue
            side.onward(steps)
            if not back.layers[-1].isdisjoint(forth.layers[-1]):
                return self._told(back, forth, evidence)
        return None

    def _steps(self, layer: Set[int], way: Way, evidence: int) -> Mapping[int, Sequence[int]] | None:
        """The steps from these nodes; None for too many of them going forward."""
        read = self.read[way]
        fresh, again = (layer, ()) if layer.isdisjoint(read) else (layer - read, layer & read)
        if fresh and sum(map(len, self.read.values())) + len(fresh) > self.most:
            raise _GivenUpError
        found = self.steps.of(fresh, again, way, evidence)
        if found is not None:
            read |= fresh
        elif way is Way.OUT:
            raise _GivenUpError
        return found

    def _told(self, back: _Side, forth: _Side, evidence: int) -> Between:
        """Of the shortest paths that lead through these layers, the first by reference."""
        refs = self.graph.refs([*back.seen, *forth.seen])
        towards = [back.layers[-1] & forth.layers[-1]]
        for layer in forth.layers[-2::-1]:
            towards.append(set(forth.leading(layer, towards[-1])))
        nodes = [self.cause]
        for layer in towards[-2::-1]:
            nodes.append(min(layer.intersection(forth.steps[nodes[-1]]), key=refs.__getitem__))
        for layer in back.layers[-2::-1]:
            nodes.append(min(back.leading(layer, {nodes[-1]}), key=refs.__getitem__))
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
