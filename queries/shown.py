"""What of an answer is shown: every node that it names, and what is left when a reader hides some of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

import msgspec

from provmodel.evidence import ORDER
from provmodel.relations import BY_NAME, Kind
from queries.answer import Edge, Graphed, Node
from queries.graph import RESTRICTED, words_of_kind
from queries.hiding import SCHEME

REFUTED = "refuted"
HIDDEN = ("entity", "activity", "agent", "restricted", *ORDER, REFUTED)
"""Kinds of nodes and evidence of edges that may be hidden; and any mark of a node."""

G = TypeVar("G", bound=Graphed)


def edges_of(graph: Graphed) -> tuple[Edge, ...]:
    """The edges of an answer, its conditions, and who was responsible."""
    return (*graph.edges, *graph.conditions, *graph.responsible)


def nodes_of(graph: Graphed, edges: Sequence[Edge]) -> list[Node]:
    """The nodes of an answer, then those that only ``edges`` name, by reference."""
    found = {node.ref: node for node in graph.nodes if isinstance(node, Node)}
    far = sorted({ref for edge in edges for ref in (edge.source, edge.target)} - found.keys())
    kinds: dict[str, int] = dict.fromkeys(far, 0)
    for edge in edges:
        if edge.source in kinds or edge.target in kinds:
            subject, named = _demanded(edge.term, edge.argument)
            for ref, kind in ((edge.source, subject), (edge.target, named)):
                if ref in kinds:
                    kinds[ref] |= kind
    return [*found.values(), *(Node(ref, _kinds(ref, kind), depth=1) for ref, kind in kinds.items())]


def _kinds(ref: str, demanded: int) -> tuple[str, ...]:
    return words_of_kind(RESTRICTED if ref.startswith(SCHEME) else demanded)


def without(graph: G, hidden: Collection[str]) -> G:
    """The answer's graph with no node of a hidden kind (the first of its kinds) or with a hidden mark, and no
    edge of hidden evidence or to such a node. What else the question says stays that of the whole answer.
    """
    if not hidden:
        return graph
    away = set(hidden)
    gone = {node.ref for node in nodes_of(graph, edges_of(graph)) if _is_hidden(node, away)}

    def left(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
        return tuple(
            edge
            for edge in edges
            if (REFUTED if edge.refuted else edge.evidence) not in away
            and gone.isdisjoint((edge.source, edge.target))
        )

    return msgspec.structs.replace(
        graph,
        nodes=tuple(node for node in graph.nodes if isinstance(node, str) or node.ref not in gone),
        edges=left(graph.edges),
        conditions=left(graph.conditions),
        responsible=left(graph.responsible),
    )


def _is_hidden(node: Node, away: set[str]) -> bool:
    return (bool(node.kinds) and node.kinds[0] in away) or any(mark.kind in away for mark in node.marks)


def _demanded(term: str, argument: str) -> tuple[Kind, Kind]:
    """The kinds that the two places of an edge demand; the answer says no more of its far nodes."""
    known = BY_NAME.get(term)
    if known is None:  # an edge of which only the class may be told
        return Kind.UNKNOWN, Kind.UNKNOWN
    named = (one.kind for one in known.arguments if one.name == argument)
    return known.subject_kind, next(named, Kind.UNKNOWN)
