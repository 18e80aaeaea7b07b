"""Which nodes have rows at all: asked before a store is, so that it need not look where nothing is.

:func:`with_rows` errs on the side of yes: rows of other times count, and those that came lately, of whatever
code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from provmodel.evidence import ALL_EVIDENCE
from queries.adjacency.arrays import np
from queries.adjacency.columns import CODE_BITS, DATA_PLACES, place_of, supports, view_of
from queries.adjacency.crossing import Crossing
from queries.adjacency.index import View
from queries.adjacency.segments import BLOCK_AT, FAR, SHORT_AT
from queries.adjacency.single import Single
from queries.ways import Way

_ONE_BY_ONE = 32
"""Nodes up to which plain integers cost less than arrays."""

FEW = 64
"""Rows of a node up to which their codes are looked at."""


def with_rows(view: View, nodes: Iterable[int], way: Way, codes: Sequence[int]) -> list[int]:
    """Those of some nodes that have, or may have, rows of these codes."""
    few, many = few_and_many(view, nodes, way, codes)
    return few + many if many else few


def few_and_many(
    view: View, nodes: Iterable[int], way: Way, codes: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Those of some nodes that have, or may have, rows of these codes: with up to ``FEW`` rows that way in
    all, and with more.
    """
    data, beyond, wanted, places = _wanted(tuple(codes))
    first = view.segments[0].sides[way] if view.segments else None
    if first is None or first.nodes is not None:
        return _counted(view, nodes, way)
    nodes = list(nodes)
    if len(nodes) > _ONE_BY_ONE:
        nodes = _any(view, nodes, way, data, beyond)
    bounds, words = first.views
    later, size = view_of(view.later[way]), view.size
    few: list[int] = []
    elsewhere: list[int] = []
    many: list[int] = []
    for node in nodes:
        if node >= size or later[node]:
            elsewhere.append(node)
            continue
        start, after = bounds[node], bounds[node + 1] & FAR
        begin = start & FAR if data else start >> 32
        end = after if beyond else start >> 32
        if end - begin > FEW:
            if first.places_of(node) & places:
                many.append(node)
            continue
        for place in range(begin, end):
            if wanted[words[place] >> SHORT_AT & CODE_BITS]:
                (few if after - (start & FAR) <= FEW else many).append(node)
                break
    if not elsewhere:
        return few, many
    small, large = _counted(view, elsewhere, way)
    return few + small, many + large


def _any(view: View, nodes: list[int], way: Way, data: bool, beyond: bool) -> list[int]:
    """Those of some nodes that have, or may have, rows of data or others, as they are asked for."""
    bounds, later = view.segments[0].sides[way].bounds, view.later[way]
    place = np.array(nodes, np.intp)
    start, after = bounds.take(place, mode="clip"), bounds.take(place + 1, mode="clip") & FAR
    begin = start & FAR if data else start >> BLOCK_AT
    there = begin != (after if beyond else start >> BLOCK_AT)
    there |= later.take(place, mode="clip") > 0
    there |= place >= len(later)
    found: list[int] = place[there].tolist()
    return found


def _counted(view: View, nodes: Iterable[int], way: Way) -> tuple[list[int], list[int]]:
    """Nodes by how many rows they have, of whatever code."""
    few: list[int] = []
    many: list[int] = []
    sides = [segment.sides[way] for segment in view.segments]
    tail = view.tails[way]
    for node in nodes:
        spans = [side.span(node, True) for side in sides]
        count = len(tail.get(node, ())) + sum([end - begin for begin, end in spans])
        if count:
            (few if count <= FEW else many).append(node)
    return few, many


def supported(view: View, nodes: Iterable[int], way: Way, codes: Sequence[int], as_of: int) -> set[int]:
    """Those of some nodes of which a row of these codes was there then and said that its edge holds, whatever
    others say.
    """
    single = Single(Crossing(view, way, codes, as_of, ALL_EVIDENCE))
    named, visible = single.crossing.named, single.crossing.visible
    return {
        node
        for node in nodes
        if any(
            named[short] and supports(short) and visible(short, number)
            for _, short, number in single.entries(node)
        )
    }


@lru_cache(128)
def _wanted(codes: tuple[int, ...]) -> tuple[bool, bool, bytes, int]:
    """Whether some are of data, some of other flows; and for each place of a code whether it is wanted, as
    bytes and as bits.
    """
    places = {place_of(code) for code in codes}
    marks = bytes(place in places for place in range(CODE_BITS + 1))
    bits = sum(1 << place for place in places)
    return any(p < DATA_PLACES for p in places), any(p >= DATA_PLACES for p in places), marks, bits
