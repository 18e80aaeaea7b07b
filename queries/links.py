"""Rows gathered into edges: one argument of one relation, with what its assertions amount to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from provmodel.evidence import ALL_EVIDENCE, UNTOLD, Evidence
from queries.ways import Way


class Row(msgspec.Struct, frozen=True, order=True, gc=False):
    """One argument of one relation, as one assertion states it.

    ``relation`` is the 63-bit key that all rows of a relation share; ``code`` names term, argument and flow
    class (:mod:`provmodel.relations`); ``role``, ``method`` and ``asserter`` are text; ``event`` is the seq
    of the event that states it. ``evidence`` and ``stance`` are the integers of :mod:`provmodel.evidence`.
    """

    source: int
    code: int
    target: int
    relation: int
    evidence: int
    stance: int
    event: int
    since: int
    role: str
    asserter: str
    method: str
    time: str
    attributes: str


class Stated(msgspec.Struct, frozen=True, order=True, gc=False):
    """One assertion of an edge: how well it is known, for or against, who says so, by which method, in
    which event (seq).
    """

    evidence: str
    stance: str
    asserter: str
    method: str
    event: int


class Edge(msgspec.Struct, frozen=True, order=True, omit_defaults=True, gc=False):
    """One argument of one relation, with every visible assertion. Influence runs from ``target`` to
    ``source``.

    ``relation`` is the relation's 63-bit key as 16 hex digits (JSON numbers lose digits), shared by all its
    arguments. ``evidence`` is the best supporting one of the set asked for; a ``refuted`` edge is listed,
    not crossed, unless asked. Where nodes are folded it may stand for ``count`` edges, and then names neither
    relation nor assertions.
    """

    relation: str
    term: str
    argument: str
    source: str
    target: str
    role: str
    flow: str
    evidence: str
    refuted: bool
    assertions: tuple[Stated, ...]
    count: int = 1


Told = tuple[str, str, int, int, Edge]
"""An edge as it was told, after what puts it in order among others: the names of its ends, its code and its
relation.
"""


class Link(msgspec.Struct, gc=False):
    """One argument of one relation with its visible assertions. ``supporting`` is the best of the set asked
    for, 0 for none, and UNTOLD where the reader may not know; ``refuted`` weighs all of them
    (:func:`provmodel.evidence.weigh`). Nothing of it changes, but that ``told`` is the edge as it was told
    last: a graph that remembers its links gives the same ones again."""

    relation: int
    code: int
    source: int
    target: int
    role: str
    supporting: int
    refuted: bool
    rows: list[Row]
    told: Told | None = None


def links_of(rows: Iterable[Row], evidence: frozenset[Evidence]) -> list[Link]:
    """The edges of these rows, in the order in which they first appear."""
    gathered: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        key = (row.relation, row.code)
        if key in gathered:
            gathered[key].append(row)
        else:
            gathered[key] = [row]
    counts = {0: 0} | {int(known): int(known) for known in evidence}
    if evidence == ALL_EVIDENCE:
        counts[UNTOLD] = UNTOLD
    return [
        _of_one(edge, edge[0], counts) if len(edge) == 1 else _of_several(edge, evidence)
        for edge in gathered.values()
    ]


def _of_one(rows: list[Row], row: Row, counts: Mapping[int, int]) -> Link:
    supporting = counts.get(row.evidence, 0) if row.stance else 0
    return Link(row.relation, row.code, row.source, row.target, row.role, supporting, not row.stance, rows)


def _of_several(rows: list[Row], evidence: frozenset[Evidence]) -> Link:
    for_it = max((row.evidence for row in rows if row.stance), default=0)
    against = max((row.evidence for row in rows if not row.stance), default=0)
    counted = max((row.evidence for row in rows if row.stance and row.evidence in evidence), default=0)
    first = rows[0]
    return Link(
        first.relation,
        first.code,
        first.source,
        first.target,
        first.role,
        counted,
        0 < against >= for_it,
        rows,
    )


def weighed(links: list[Link], evidence: frozenset[Evidence]) -> list[Link]:
    """Edges that were weighed by every kind of evidence, by some of them."""
    if evidence == ALL_EVIDENCE:
        return links
    counted = {int(known) for known in evidence}
    return [
        link if len(link.rows) == 1 and link.supporting in counted else _of_several(link.rows, evidence)
        for link in links
    ]


def contradicted(link: Link) -> bool:
    """Whether verifiers say both that the relation holds and that it does not: it is refuted, and neither of
    them wins."""
    return {row.stance for row in link.rows if row.evidence == Evidence.VERIFIED} >= {0, 1}


def with_others(links: list[Link], others: Iterable[Link]) -> list[Link]:
    """Edges that each stand once, and those of the others that are not among them, each once."""
    more = {(link.relation, link.code): link for link in others}
    relations = {relation for relation, _ in more}
    for link in links:
        if link.relation in relations:
            more.pop((link.relation, link.code), None)
    return [*links, *more.values()]


def once(links: Iterable[Link]) -> list[Link]:
    """Each edge, by its relation and argument, once."""
    return list({(link.relation, link.code): link for link in links}.values())


def ends(link: Link, way: Way) -> tuple[int, int]:
    """(near, far): the end a walk of that way comes from, and the one it reaches."""
    return (link.source, link.target) if way is Way.OUT else (link.target, link.source)
