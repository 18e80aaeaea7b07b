"""Edges as answers tell them, each with its assertions, in a fixed order."""

from __future__ import annotations

from collections import defaultdict
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


def edges_of(depths: Mapping[int, int], refs: Mapping[int, str], links: Iterable[Link]) -> tuple[Edge, ...]:
    """Edges by the depth of the end reached later, then by references, relation and argument."""
    levels: defaultdict[int, list[tuple[str, str, int, int, int, Link]]] = defaultdict(list)
    depth_of = depths.get
    for number, link in enumerate(links):
        one, other = link.source, link.target
        later = max(depth_of(one, 0), depth_of(other, 0))
        levels[later].append((refs[one], refs[other], link.code, link.relation, number, link))
    edges: list[Edge] = []
    for depth in sorted(levels):
        for source, target, _, _, _, link in sorted(levels[depth]):
            told = link.told
            # Not every reader is told the same names of its ends.
            if told is None or told.source != source or told.target != target:
                told = link.told = _told(link, source, target)
            edges.append(told)
    return tuple(edges)


def _told(link: Link, source: str, target: str) -> Edge:
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
