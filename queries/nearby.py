"""Edges around single nodes as the index tells them: enough to see where citations of siblings lead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from provmodel.relations import DERIVATION, GENERATION, Flow
from queries.adjacency import Crossing, View
from queries.adjacency.columns import CODE_BITS, CODES, evidence_of, mark_of, role_mark
from queries.adjacency.single import Single
from queries.graph import Way
from queries.links import Link
from queries.siblings import CITATION, MOST, Reader

GENERATED = GENERATION.code(0, Flow.DATA)
CITED = DERIVATION.code(0, Flow.DATA)


class Nearby:
    """Reads as :class:`queries.siblings.Reader` does. An edge it gives has no key and no rows, and comes once
    for each assertion that supports it.
    """

    def __init__(self, view: View, reader: Reader, exact: bool) -> None:
        self._reader = reader
        self._view = view
        self._exact = exact
        self.missed = reader.missed

    def links(self, nodes: Iterable[int], way: Way, code: int) -> list[Link]:
        """The edges that may be crossed; none when there are too many."""
        found = self._single(way, code).gathered(dict.fromkeys(nodes), MOST)
        if found is None:
            self.missed.append(way.value)
            return []
        return [link_of(*row, way) for row in found]

    def candidates(self, nodes: Iterable[int]) -> frozenset[int]:
        return self._reader.candidates(nodes)

    def _single(self, way: Way, code: int) -> Single:
        reader = self._reader
        refuted, exact = reader.include_refuted, self._exact
        return Single(Crossing(self._view, way, (code,), reader.as_of, reader.evidence, refuted, None, exact))


def link_of(near: int, far: int, short: int, way: Way) -> Link:
    """An edge by what the index has of one of its rows."""
    code = CODES[short & CODE_BITS]
    source, target = (near, far) if way is Way.OUT else (far, near)
    role = CITATION if short_cites(short) else ""
    return Link(0, code, source, target, role, evidence_of(short), False, [])


def short_cites(short: int) -> bool:
    return mark_of(short) == role_mark(CITATION)


def cited(watched: Sequence[tuple[int, int, int]], way: Way) -> list[Link]:
    """The citations among what a walk was told to watch for."""
    links = [link_of(*row, way) for row in watched]
    return [link for link in links if link.code == CITED and link.role == CITATION]
