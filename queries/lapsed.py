"""Why what a path led to is not led to any more: the first step on it that held then and does not now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from provmodel.evidence import Evidence
from provmodel.relations import Flow, codes_of
from queries.graph import Graph, Way
from queries.links import Link, links_of
from queries.paths import SHOWN

UNKNOWN = "why is not known: every step that is known of its path still holds"
CUT = f"why is not known: every one of the last {SHOWN} nodes of its path still leads on to the next"
_CODES = codes_of(frozenset(Flow))


def why_gone(
    graph: Graph,
    path: Sequence[str],
    then: int,
    now: int,
    evidence: frozenset[Evidence],
    include_refuted: bool = False,
) -> str:
    """What no longer leads along a path (references from cause to effect) at the seq ``now``, of what did at
    ``then``; else that it is not known. A step that no edge makes (over a citation of the same call, or
    because a skill was there) can't be told of.
    """
    before = _between(graph, path, then, evidence)
    after = _between(graph, path, now, evidence)
    for step in pairwise(path):
        held = [link for link in before.get(step, ()) if _crossed(link, include_refuted)]
        still = after.get(step, ())
        if held and not any(_crossed(link, include_refuted) for link in still):
            return _told(step, held, still)
    return CUT if len(path) >= SHOWN else UNKNOWN


def _between(
    graph: Graph, path: Sequence[str], as_of: int, evidence: frozenset[Evidence]
) -> Mapping[tuple[str, str], list[Link]]:
    """The edges between the nodes of a path, by cause and effect."""
    refs = {node: ref for ref, node in graph.ids(path, as_of).items()}
    rows = graph.rows(sorted(refs), Way.OUT, _CODES, as_of) if refs else []
    found: dict[tuple[str, str], list[Link]] = {}
    for link in links_of([row for row in rows if row.target in refs], evidence):
        found.setdefault((refs[link.target], refs[link.source]), []).append(link)
    return found


def _crossed(link: Link, include_refuted: bool) -> bool:
    return bool(link.supporting) and (include_refuted or not link.refuted)


def _told(step: tuple[str, str], held: Iterable[Link], still: Sequence[Link]) -> str:
    cause, effect = step
    refuted = [link for link in still if link.refuted]
    if refuted:
        by = sorted({row.asserter for link in refuted for row in link.rows if not row.stance})
        return f"that {effect} came of {cause} is refuted since, by {', '.join(by)}"
    if still:
        return f"that {effect} came of {cause} is known by other evidence alone than was asked for"
    joined = all(row.method for link in held for row in link.rows)
    what = "was joined from what was recorded, and is not any more" if joined else "is not stated any more"
    return f"that {effect} came of {cause} {what}"
