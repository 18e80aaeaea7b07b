"""What a walk comes to, with references instead of a graph's own integers, so that graphs can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from queries.graph import Graph, NodeInfo, Row, Way
from queries.links import Link
from queries.walk import Trip, Walked


class _WithoutIndex:
    """A graph whose walks read rows."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)

    def adjacency(self, as_of: int, read: int) -> None:
        del as_of, read


def without_index(graph: Graph) -> Graph:
    """The same graph, of which walks read rows."""
    found: Any = _WithoutIndex(graph)
    return cast(Graph, found)


def spelled(graph: Graph, walked: Walked, trip: Trip) -> dict[str, Any]:
    """All that is told of a walk."""
    infos = graph.infos(sorted(_named(walked)), trip.as_of)
    outward = trip.policy.way is Way.OUT

    def near(row: Row) -> int:
        return row.source if outward else row.target

    return {
        "depths": {infos[node].ref: depth for node, depth in walked.depths.items()},
        "links": _links(walked.links, infos),
        "crossed": _links(walked.crossed, infos),
        "before": {infos[node].ref for node in walked.before},
        "frontier": {infos[node].ref: edge for node, edge in walked.frontier.items()},
        "next": walked.next and (walked.next.level, walked.next.offset, walked.next.hub, walked.next.code),
        "bridges": sorted(
            (infos[b.near].ref, infos[b.far].ref, b.evidence, [infos[node].ref for node in b.through])
            for b in walked.bridges
        ),
        "aside": sorted(
            {_row(row, infos) for link in walked.aside for row in link.rows if near(row) in walked.depths}
        ),
        "unapplied": walked.unapplied,
        "truncated": walked.truncated,
    }


def _named(walked: Walked) -> set[int]:
    links: Sequence[Link] = [*walked.links, *walked.crossed]
    ends: Iterable[int] = (end for link in links for end in (link.source, link.target))
    over = (node for b in walked.bridges for node in (b.near, b.far, *b.through))
    aside = (end for link in walked.aside for end in (link.source, link.target))
    return {*walked.depths, *walked.before, *walked.frontier, *ends, *over, *aside}


def _links(links: Iterable[Link], infos: dict[int, NodeInfo]) -> list[tuple[Any, ...]]:
    return sorted(
        (
            infos[link.source].ref,
            infos[link.target].ref,
            link.code,
            link.relation,
            link.role,
            link.supporting,
            link.refuted,
            len(link.rows),
        )
        for link in links
    )


def _row(row: Row, infos: dict[int, NodeInfo]) -> tuple[Any, ...]:
    return (infos[row.source].ref, infos[row.target].ref, row.code, row.relation, row.event)
