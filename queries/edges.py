"""Edges as answers tell them, each with its assertions, in a fixed order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain

from provmodel.evidence import UNTOLD, WORDS, Stance
from provmodel.relations import Flow, argument_of, codes_of, flow_of, term_of
from queries.answer import Edge, Stated
from queries.graph import Row
from queries.links import Link, Told

EVIDENCE_WORD = WORDS
STANCE_WORD = {int(stance): stance.word for stance in Stance}
CODE_WORDS = {
    code: (term_of(code).name, term_of(code).arguments[argument_of(code)].name, flow_of(code).word)
    for code in codes_of(frozenset(Flow))
}


def edges_of(depths: Mapping[int, int], refs: Mapping[int, str], links: Iterable[Link]) -> tuple[Edge, ...]:
    """Edges by the depth of the end reached later, then by references, relation and argument."""
    levels: defaultdict[int, list[Told]] = defaultdict(list)
    depth_of = depths.get
    for link in links:
        one, other, told = link.source, link.target, link.told
        source, target = refs[one], refs[other]
        # Not every reader is told the same names of its ends, and several may be told at a time.
        if told is None or told[0] != source or told[1] != target:
            told = link.told = _told(link, source, target)
        levels[max(depth_of(one, 0), depth_of(other, 0))].append(told)
    ordered = chain.from_iterable([sorted(levels[depth]) for depth in sorted(levels)])
    return tuple([told[-1] for told in ordered])


def _told(link: Link, source: str, target: str) -> Told:
    term, argument, flow = CODE_WORDS[link.code]
    edge = Edge(
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
    return source, target, link.code, link.relation, edge


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
