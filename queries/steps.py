"""The steps that lead from single nodes to others, told by the compact index where it can, else by rows.

An edge is stepped over when an assertion of the evidence asked for supports it, and it is not refuted, unless
that is asked for too. Edges of control and responsibility are only stepped over next to the two ends of a
search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol

from provmodel.relations import Flow, Kind, codes_of, flow_of
from queries.adjacency import Crossing, View
from queries.adjacency.columns import CODE_BITS, CODES
from queries.adjacency.present import with_rows
from queries.adjacency.single import ANY, Single
from queries.graph import Graph, Way
from queries.links import Link, ends, links_of, weighed
from queries.paths import BEST_FIRST
from queries.trip import HUB, Trip

CONDITIONS = frozenset(codes_of(frozenset({Flow.CONTROL, Flow.RESPONSIBILITY})))
Nodes = set[int] | frozenset[int]
_ROWS = 4 * HUB
"""Rows of some nodes, one way, from which on they are too many to read."""
_FEW = 64
"""Rows up to which it is looked where a node is reached from, and not where the others lead."""


class TooManyError(Exception):
    """There are too many edges to go on from all of some nodes."""


class Steps(Protocol):
    """Where a search gets its steps from; ``levels`` are the kinds of evidence there are, the best first."""

    @property
    def levels(self) -> Sequence[int]: ...

    def reached(self, nodes: Nodes, again: Nodes, way: Way, evidence: int) -> Collection[int]:
        """Where edges at least as well known lead to from some nodes. Raises TooManyError because of
        ``nodes``, whatever the evidence; those of ``again`` were not too many before."""
        ...

    def leading(self, nodes: Nodes, onto: Nodes, way: Way, evidence: int) -> Nodes:
        """Those of some nodes, which were gone on from, that such edges lead onto others from."""
        ...


class Named:
    """Which edges a search from ``cause`` to ``effect`` may step over, by their codes: those of the policy,
    and conditions of the effect or by the cause. Of the effect's ``own`` flows all are."""

    def __init__(self, graph: Graph, trip: Trip, cause: int, effect: int) -> None:
        kind = graph.infos([effect], trip.as_of)[effect].kind
        own = {Flow.CONTROL} if kind & Kind.ENTITY else set()
        self.own = own | ({Flow.RESPONSIBILITY} if kind & Kind.AGENT else set())
        self.cause, self.effect = cause, effect
        self.crossed = frozenset(trip.policy.codes)
        self.conditions = tuple(sorted(CONDITIONS - self.crossed))
        self.codes = tuple(sorted(self.crossed | CONDITIONS))

    def names(self, code: int, source: int, target: int) -> bool:
        """Whether an edge between these nodes is one to step over."""
        if code in self.crossed or target == self.cause:
            return True
        return source == self.effect and flow_of(code) in self.own


class ByRows:
    """Steps read from a graph's rows, and kept."""

    levels = BEST_FIRST

    def __init__(self, graph: Graph, trip: Trip, named: Named) -> None:
        self._graph = graph
        self._trip = trip
        self._named = named
        self._known: dict[Way, dict[int, list[tuple[int, int]]]] = {way: {} for way in Way}

    def reached(self, nodes: Nodes, again: Nodes, way: Way, evidence: int) -> Collection[int]:
        self.read(nodes, way)
        known = self._known[way]
        return [far for node in nodes | again for far, grade in known[node] if grade >= evidence]

    def leading(self, nodes: Nodes, onto: Nodes, way: Way, evidence: int) -> Nodes:
        known = self._known[way]
        return {node for node in nodes for far, grade in known[node] if far in onto and grade >= evidence}

    def read(self, nodes: Nodes, way: Way) -> None:
        """Read the edges of these nodes; raises TooManyError."""
        codes, as_of = self._named.codes, self._trip.as_of
        rows = self._graph.rows(sorted(nodes), way, codes, as_of, _ROWS) if nodes else []
        found: dict[int, list[tuple[int, int]]] = {node: [] for node in nodes}
        for link in self._open(links_of(rows, self._trip.evidence)):
            near, far = ends(link, way)
            found[near].append((far, link.supporting))
        if len(rows) >= _ROWS or any(len(steps) > HUB for steps in found.values()):
            raise TooManyError
        self._known[way].update(found)

    def links(self, path: Sequence[int], middle: int) -> list[Link]:
        """The edges from each node of a path from cause to effect to the next, read by the cause up to the
        node in the ``middle``, beyond it by the effect."""
        hops = set(pairwise(path))
        both = ((path[:middle], Way.IN), (path[middle + 1 :], Way.OUT))
        codes, as_of = self._named.codes, self._trip.as_of
        found = [link for nodes, way in both if nodes for link in self._graph.links(nodes, way, codes, as_of)]
        on_it = [link for link in found if (link.target, link.source) in hops]
        return self._open(weighed(on_it, self._trip.evidence))

    def _open(self, links: Iterable[Link]) -> list[Link]:
        refuted, names = self._trip.include_refuted, self._named.names
        return [
            link
            for link in links
            if link.supporting
            and (refuted or not link.refuted)
            and names(link.code, link.source, link.target)
        ]


class ByIndex:
    """The same steps by the compact index. Whether they are too many where there are many rows is left to
    ``rows``, which counts edges where the index has but their assertions."""

    def __init__(self, view: View, trip: Trip, named: Named, rows: ByRows) -> None:
        self.levels = [level for level in BEST_FIRST if level in trip.evidence]
        self._view = view
        self._trip = trip
        self._named = named
        self._rows = rows
        self._singles: dict[tuple[Way, bool], Single] = {}
        by_cause = with_rows(view, [named.cause], Way.IN, named.conditions)
        of_effect = with_rows(view, [named.effect], Way.OUT, named.conditions) if named.own else []
        # Nodes beside which conditions may be stepped over; None for any node.
        self._beside = {
            Way.OUT: None if by_cause else frozenset(of_effect),
            Way.IN: None if of_effect else frozenset(by_cause),
        }

    def reached(self, nodes: Nodes, again: Nodes, way: Way, evidence: int) -> Collection[int]:
        found = self._from(nodes, way, evidence, HUB, _ROWS - 1)
        if found is None:
            self._rows.read(nodes, way)
            found = self._from(nodes, way, evidence)
        return [*(found or ()), *(self._from(again, way, evidence) or ())] if again else found or ()

    def leading(self, nodes: Nodes, onto: Nodes, way: Way, evidence: int) -> Nodes:
        found = self._from(onto, Way.IN if way is Way.OUT else Way.OUT, evidence, _FEW)
        if found is not None:
            return nodes.intersection(found)
        return {node for node in nodes if not onto.isdisjoint(self._from({node}, way, evidence) or ())}

    def _from(
        self, nodes: Nodes, way: Way, evidence: int, each: int = ANY, together: int = ANY
    ) -> list[int] | None:
        """Where edges lead to; None when there are too many rows."""
        found = self._single(way).reached(nodes, evidence, each, together)
        beside = self._beside[way]
        if found is not None and (beside is None or beside):
            for node in nodes if beside is None else beside & nodes:
                found += self._conditions(node, way, evidence)
        return found

    def _conditions(self, near: int, way: Way, evidence: int) -> Iterator[int]:
        """Where edges lead that the policy does not cross."""
        single, names = self._single(way, beside=True), self._named.names
        for far, short, number in single.entries(near):
            code, ends = CODES[short & CODE_BITS], (near, far) if way is Way.OUT else (far, near)
            if names(code, *ends) and single.crossing.counts(short, number, evidence):
                yield far

    def _single(self, way: Way, beside: bool = False) -> Single:
        """The rows that the policy crosses, or those of conditions."""
        single = self._singles.get((way, beside))
        if single is None:
            view, trip = self._view, self._trip
            codes = self._named.conditions if beside else trip.policy.codes
            filters = trip.as_of, trip.evidence, trip.include_refuted, None, trip.as_of < view.seq
            single = self._singles[way, beside] = Single(Crossing(view, way, codes, *filters))
        return single


def steps_between(graph: Graph, trip: Trip, named: Named, rows: ByRows) -> Steps:
    """By the index, when it is there."""
    view = graph.adjacency(trip.as_of, 0)
    return rows if view is None else ByIndex(view, trip, named, rows)
