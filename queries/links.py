"""Rows gathered into edges: one argument of one relation, with what its assertions amount to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from provmodel.evidence import Evidence
from queries.graph import Row, Way


class Link(NamedTuple):
    """One argument of one relation with its visible assertions. ``supporting`` is the best of the set asked
    for, 0 for none; ``refuted`` weighs all of them (:func:`provmodel.evidence.weigh`)."""

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
        key = (row[3], row[1])
        found = gathered.get(key)
        if found is None:
            gathered[key] = [row]
        else:
            found.append(row)
    return [_link(edge, evidence) for edge in gathered.values()]


def _link(rows: list[Row], evidence: frozenset[Evidence]) -> Link:
    for_it = against = counted = 0
    for row in rows:
        weight = row[4]
        if not row[5]:
            against = max(against, weight)
        elif weight > for_it or weight > counted:
            for_it = max(for_it, weight)
            if weight > counted and weight in evidence:
                counted = weight
    first = rows[0]
    refuted = against > 0 and against >= for_it
    return Link(first[3], first[1], first[0], first[2], first[8], counted, refuted, rows)


def ends(link: Link, way: Way) -> tuple[int, int]:
    """(near, far): the end a walk of that way comes from, and the one it reaches."""
    return (link[2], link[3]) if way is Way.OUT else (link[3], link[2])
