"""A citation on a text counts for the writes that the same call proposed (model, section 6, "Walks").

A model often answers with a text that cites its sources and an action that writes a report. No relation
leads from the action to the cited source, and none is made up: the walk goes over the call and the text, and
tells that it did.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple, Protocol

from provmodel.evidence import Evidence, weakest
from provmodel.relations import DERIVATION, GENERATION, Flow
from queries.graph import Graph, Way
from queries.links import Link, links_of

GENERATED = GENERATION.code(0, Flow.DATA)
CITED = DERIVATION.code(0, Flow.DATA)
CITATION = "citation"
CANDIDATE = "clew:CandidateAction"
MOST = 20_000
"""Outputs of calls, and citations of them, looked at in one walk; beyond that the rule is not applied."""


class Bridge(NamedTuple):
    """From a candidate action to a cited source, or back: ``through`` are the text and the call, ``links``
    the three relations that lead over them, ``evidence`` is that of the weakest."""

    near: int
    far: int
    evidence: int
    through: tuple[int, int]
    links: tuple[Link, Link, Link]


class Edges(Protocol):
    """What bridges are looked for among."""

    def links(self, nodes: Iterable[int], way: Way, code: int) -> list[Link]:
        """The edges of these nodes that may be crossed; none when there are too many."""
        ...

    def candidates(self, nodes: Iterable[int]) -> frozenset[int]:
        """Which of these are candidate actions."""
        ...


class Reader(NamedTuple):
    """How rows are read: of which graph, as of when, with which evidence, refuted ones too or not.
    ``missed`` collects where they were too many."""

    graph: Graph
    as_of: int
    evidence: frozenset[Evidence]
    include_refuted: bool
    missed: list[str]

    def links(self, nodes: Iterable[int], way: Way, code: int) -> list[Link]:
        """The edges that may be crossed; none when there are too many."""
        wanted = list(dict.fromkeys(nodes))
        if not wanted:
            return []
        rows = self.graph.rows(wanted, way, (code,), self.as_of, MOST + 1)
        if len(rows) > MOST:
            self.missed.append(way.value)
            return []
        found = links_of(rows, self.evidence)
        return [link for link in found if link.supporting and (self.include_refuted or not link.refuted)]

    def candidates(self, nodes: Iterable[int]) -> frozenset[int]:
        """Which of these are candidate actions."""
        wanted = list(dict.fromkeys(nodes))
        types = self.graph.attributes(wanted, self.as_of, ("prov:type",)) if wanted else {}
        return frozenset(node for node, rows in types.items() if any(row.value == CANDIDATE for row in rows))


def bridges(reader: Edges, crossed: Sequence[Link], way: Way, actions: Set[int]) -> list[Bridge]:
    """The bridges that begin at what a walk has crossed; ``actions`` are the candidates that it met."""
    return _to_sources(reader, crossed, actions) if way is Way.OUT else _to_actions(reader, crossed)


def _to_sources(reader: Edges, crossed: Sequence[Link], actions: Set[int]) -> list[Bridge]:
    proposed = [link for link in crossed if link.code == GENERATED and link.source in actions]
    made = reader.links((link.target for link in proposed), Way.IN, GENERATED)
    cited = _cited(reader.links((link.source for link in made), Way.OUT, CITED))
    texts = _by_target(made)
    return [
        _bridge(action.source, citation.target, action, text, citation)
        for action in proposed
        for text in texts[action.target]
        for citation in cited[text.source]
    ]


def _to_actions(reader: Edges, crossed: Sequence[Link]) -> list[Bridge]:
    cited = _cited(link for link in crossed if link.code == CITED)
    texts = reader.links(cited, Way.OUT, GENERATED)
    made = reader.links((link.target for link in texts), Way.IN, GENERATED)
    proposed = reader.candidates(link.source for link in made)
    actions = _by_target(link for link in made if link.source in proposed)
    return [
        _bridge(citation.target, action.source, action, text, citation)
        for text in texts
        for citation in cited[text.source]
        for action in actions[text.target]
    ]


def _cited(links: Iterable[Link]) -> defaultdict[int, list[Link]]:
    found: defaultdict[int, list[Link]] = defaultdict(list)
    for link in links:
        if link.role == CITATION:
            found[link.source].append(link)
    return found


def _by_target(links: Iterable[Link]) -> defaultdict[int, list[Link]]:
    found: defaultdict[int, list[Link]] = defaultdict(list)
    for link in links:
        found[link.target].append(link)
    return found


def _bridge(near: int, far: int, action: Link, text: Link, citation: Link) -> Bridge:
    evidence = weakest((action.supporting, text.supporting, citation.supporting))
    return Bridge(near, far, evidence, (text.source, action.target), (action, text, citation))


def beyond_bridges(
    found: Iterable[Bridge], seen: Mapping[int, int], over: dict[int, int], through: dict[int, int]
) -> bool:
    """Note where bridges lead, at which depth, and what they lead over; False when all of it was known."""
    more = False
    for bridge in found:
        depth = seen[bridge.near] + 1
        if bridge.far not in seen or seen[bridge.far] > depth:
            more = more or over.get(bridge.far, depth + 1) > depth
            over[bridge.far] = min(depth, over.get(bridge.far, depth))
        for node in bridge.through:
            if node not in seen or seen[node] > depth:
                more = more or through.get(node, depth + 1) > depth
                through[node] = min(depth, through.get(node, depth))
    return more
