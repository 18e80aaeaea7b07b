"""The steps that lead from single nodes to others, told by the compact index where it can, else by rows.

An edge is stepped over when an assertion of the evidence asked for supports it, and it is not refuted, unless
that is asked for too. Edges of control and responsibility are only stepped over next to the two ends of a
search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Protocol

from provmodel.relations import Flow, Kind, codes_of, flow_of
from queries.adjacency import Crossing, View
from queries.adjacency.columns import CODE_BITS, CODES
from queries.adjacency.present import with_rows
from queries.adjacency.single import Single
from queries.graph import Graph, Row, Way
from queries.links import Link, ends, links_of
from queries.paths import BEST_FIRST
from queries.trip import HUB, Trip

CONDITIONS = frozenset(codes_of(frozenset({Flow.CONTROL, Flow.RESPONSIBILITY})))
_ROWS = 4 * HUB
"""Rows of some nodes, one way, from which on they are too many to read."""


class Steps(Protocol):
    """Where a search gets its steps from; ``levels`` are the kinds of evidence there are, the best first."""

    @property
    def levels(self) -> Sequence[int]: ...

    def of(
        self, nodes: Collection[int], again: Collection[int], way: Way, evidence: int
    ) -> Mapping[int, Sequence[int]] | None:
        """By node, those that edges at least as well known lead to; None when there are too many edges to go
        on from all of ``nodes``, whatever their evidence. Those of ``again`` were not too many before."""
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

    def of(
        self, nodes: Collection[int], again: Collection[int], way: Way, evidence: int
    ) -> dict[int, list[int]] | None:
        if not self.few(nodes, way):
            return None
        known = self._known[way]
        return {
            node: [far for far, supporting in known[node] if supporting >= evidence]
            for node in (*nodes, *again)
        }

    def few(self, nodes: Collection[int], way: Way) -> bool:
        """Whether there are not too many edges to step from all of these nodes."""
        codes, as_of = self._named.codes, self._trip.as_of
        rows = self._graph.rows(sorted(nodes), way, codes, as_of, _ROWS) if nodes else []
        found: dict[int, list[tuple[int, int]]] = {node: [] for node in nodes}
        for link in self._open(rows):
            near, far = ends(link, way)
            found[near].append((far, link.supporting))
        self._known[way].update(found)
        return len(rows) < _ROWS and all(len(steps) <= HUB for steps in found.values())

    def links(self, path: Sequence[int], middle: int) -> list[Link]:
        """The edges from each node of a path from cause to effect to the next, read by the cause up to the
        node in the ``middle``, beyond it by the effect."""
        hops = set(pairwise(path))
        both = ((path[:middle], Way.IN), (path[middle + 1 :], Way.OUT))
        codes, as_of = self._named.codes, self._trip.as_of
        found = [row for nodes, way in both if nodes for row in self._graph.rows(nodes, way, codes, as_of)]
        return self._open([row for row in found if (row.target, row.source) in hops])

    def _open(self, rows: Iterable[Row]) -> list[Link]:
        refuted, names = self._trip.include_refuted, self._named.names
        return [
            link
            for link in links_of(rows, self._trip.evidence)
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
        self._singles: dict[tuple[Way, tuple[int, ...], int], Single] = {}
        by_cause = with_rows(view, [named.cause], Way.IN, named.conditions)
        of_effect = with_rows(view, [named.effect], Way.OUT, named.conditions) if named.own else []
        # Nodes beside which conditions may be stepped over; None for any node.
        self._beside = {
            Way.OUT: None if by_cause else frozenset(of_effect),
            Way.IN: None if of_effect else frozenset(by_cause),
        }

    def of(
        self, nodes: Collection[int], again: Collection[int], way: Way, evidence: int
    ) -> dict[int, list[int]] | None:
        single = self._single(way, self._trip.policy.codes, evidence)
        found = single.reached(nodes, HUB, _ROWS - 1)
        if found is None:
            found = single.reached(nodes) if self._rows.few(nodes, way) else None
        if found is not None:
            found |= (single.reached(again) or {}) if again else {}
            beside = self._beside[way]
            for node in found if beside is None else beside & found.keys():
                found[node] += self._conditions(node, way, evidence)
        return found

    def _conditions(self, near: int, way: Way, evidence: int) -> Iterator[int]:
        """Where edges lead that the policy does not cross."""
        single = self._single(way, self._named.conditions, evidence)
        for far, short, number in single.entries(near):
            source, target = (near, far) if way is Way.OUT else (far, near)
            named = single.crossing.named[short] and self._named.names(
                CODES[short & CODE_BITS], source, target
            )
            if named and single.crossing.crossed(short, number):
                yield far

    def _single(self, way: Way, codes: tuple[int, ...], evidence: int) -> Single:
        """The rows of some codes that are known as well."""
        single = self._singles.get((way, codes, evidence))
        if single is None:
            trip = self._trip
            known = frozenset(kind for kind in trip.evidence if kind >= evidence)
            exact = trip.as_of < self._view.seq
            crossing = Crossing(self._view, way, codes, trip.as_of, known, trip.include_refuted, None, exact)
            single = self._singles[way, codes, evidence] = Single(crossing)
        return single


def steps_between(graph: Graph, trip: Trip, named: Named, rows: ByRows) -> Steps:
    """By the index, when it is there."""
    view = graph.adjacency(trip.as_of, 0)
    return rows if view is None else ByIndex(view, trip, named, rows)
