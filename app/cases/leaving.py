"""Why items of a case are no longer affected, as far as that is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.cases.forms import Found
from provmodel.evidence import ALL_EVIDENCE, Evidence
from queries.graph import Graph
from queries.lapsed import why_gone
from queries.questions.impact_of import Impact

FOUND = "a tool only found it, and it was there before"
ELSEWHERE = "another run made it with what a tool only found"
NO_WORK = "it is affected still, and is known as a report or a write no more"


def set_aside(pages: Iterable[Impact]) -> dict[str, str]:
    """What answers name without counting it as a report or write that is affected, and why."""
    aside: dict[str, str] = {}
    for page in pages:
        aside |= dict.fromkeys((entry.ref for entry in page.affected), NO_WORK)
        aside |= dict.fromkeys(page.returned, FOUND) | dict.fromkeys(page.elsewhere, ELSEWHERE)
    return aside


def why_left(
    graph: Graph,
    gone: Mapping[str, Found],
    aside: Mapping[str, str],
    asked: Mapping[str, object],
    then: int,
    now: int,
) -> dict[str, str]:
    """Of each item that is gone what no longer leads to it, of what did when it was last asked (``then``)."""
    words = asked.get("evidence")
    evidence = frozenset(Evidence[str(word).upper()] for word in words) if isinstance(words, list) else None
    refuted = bool(asked.get("include_refuted"))
    return {
        ref: aside.get(ref) or why_gone(graph, found.path, then, now, evidence or ALL_EVIDENCE, refuted)
        for ref, found in gone.items()
    }
