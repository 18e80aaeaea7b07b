"""Rows gathered into edges: one argument of one relation, with what its assertions amount to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from provmodel.evidence import ALL_EVIDENCE, UNTOLD, Evidence
from queries.graph import Row, Way


class Link(msgspec.Struct, frozen=True, gc=False):
    """One argument of one relation with its visible assertions. ``supporting`` is the best of the set asked
    for, 0 for none, and UNTOLD where the reader may not know; ``refuted`` weighs all of them
    (:func:`provmodel.evidence.weigh`)."""

    relation: int
    code: int
    source: int
    target: int
    role: str
    supporting: int
    refuted: bool
    rows: list[Row]


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


def ends(link: Link, way: Way) -> tuple[int, int]:
    """(near, far): the end a walk of that way comes from, and the one it reaches."""
    return (link.source, link.target) if way is Way.OUT else (link.target, link.source)
