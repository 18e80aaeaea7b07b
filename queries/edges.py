"""Edges as answers tell them, each with its assertions, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from provmodel.evidence import UNTOLD, WORDS, Stance
from provmodel.relations import Flow, argument_of, codes_of, flow_of, term_of
from queries.answer import Edge, Stated
from queries.graph import Row
from queries.links import Link

EVIDENCE_WORD = WORDS
STANCE_WORD = {int(stance): stance.word for stance in Stance}
CODE_WORDS = {
    code: (term_of(code).name, term_of(code).arguments[argument_of(code)].name, flow_of(code).word)
    for code in codes_of(frozenset(Flow))
}
_KEPT = 20_000
"""Finished edges that are kept at least, and at most twice as many; with its row one takes some 600 bytes."""


class _Finished:
    """Edges of one assertion, by the row that states it: a graph that remembers its rows gives the same ones
    again. The names of its ends are compared, since not every reader is told the same ones.
    """

    def __init__(self) -> None:
        self._young: dict[int, tuple[Row, Edge]] = {}
        self._old: dict[int, tuple[Row, Edge]] = {}

    def edge(self, link: Link, source: str, target: str) -> Edge:
        """The edge of a link that one row states and nothing refutes."""
        row = link.rows[0]
        place = id(row)  # nobody else's, as long as the row is held here
        held = self._young.get(place)
        if held is not None and held[1].source == source and held[1].target == target:
            return held[1]
        held = self._old.get(place)
        if held is None or held[1].source != source or held[1].target != target:
            held = (row, _edge(link, source, target))
        if len(self._young) >= _KEPT:
            self._old, self._young = self._young, {}
        self._young[place] = held
        return held[1]


_finished = _Finished()


def edges_of(depths: Mapping[int, int], refs: Mapping[int, str], links: Iterable[Link]) -> tuple[Edge, ...]:
    """Edges by the depth of the end reached later, then by references, relation and argument."""
    keyed = []
    depth_of = depths.get
    for link in links:
        source, target = link.source, link.target
        one, other = depth_of(source, 0), depth_of(target, 0)
        later = max(other, one)
        keyed.append((later, refs[source], refs[target], link.code, link.relation, link))
    keyed.sort()
    finished = _finished.edge
    return tuple(
        [
            finished(link, source, target)
            if link.supporting and len(link.rows) == 1
            else _edge(link, source, target)
            for _, source, target, _, _, link in keyed
        ]
    )


def _edge(link: Link, source: str, target: str) -> Edge:
    term, argument, flow = CODE_WORDS[link.code]
    return Edge(
        f"{link.relation:016x}",
        term,
        argument,
        source,
        target,
        link.role,
        flow,
        EVIDENCE_WORD[link.supporting],
        link.refuted,
        stated(link.rows),
    )


def stated(rows: list[Row]) -> tuple[Stated, ...]:
    """The assertions of an edge, best first; none where its reader may not know them."""
    if len(rows) == 1 and rows[0].evidence == UNTOLD:
        return ()
    if len(rows) > 1:
        rows = sorted(rows, key=lambda row: (-row.evidence, -row.stance, row.asserter, row.method, row.event))
    return tuple(
        [
            Stated(EVIDENCE_WORD[row.evidence], STANCE_WORD[row.stance], row.asserter, row.method, row.event)
            for row in rows
        ]
    )
