"""What a record is about: a retraction about what it takes back, a verification about what it checks.

Such a record leads nowhere by itself (model, section 2: marks are shown and never crossed). Whoever names one
where it is asked what came of something means what it is about.
"""

from __future__ import annotations

from collections.abc import Iterator

from provmodel.errors import Ambiguous, NotFound
from provmodel.relations import GENERATION, Flow
from queries.around import INVALIDATED, RECORD_MADE, RECORDS, RETRACTS, SPECIALIZED
from queries.graph import Graph, Row, Way
from queries.targets import Chosen, choose

ABOUT = "about"
"""How a target was found that stands for a record about it."""

_TAKES_BACK = "withdraws"
_DRAFT = "draft"
_ABOUT_ONE = frozenset({"cancels", "verifies"})
_MADE = GENERATION.code(0, Flow.DATA)
_DECIDED = GENERATION.code(0, Flow.CONTROL)


def concerned(graph: Graph, chosen: Chosen, as_of: int) -> list[Chosen]:
    """What a target is about, when it is a retraction, a cancellation, a verification or a deletion, a
    decision not to adopt a draft, or the making of another decision, by its own name or that of its notice;
    else itself. What takes a retraction back is about what that retracted, and what was retracted without a
    version is meant in every version, but for the one named to take its place.
    """
    refs = dict.fromkeys(_subjects(graph, chosen.id, as_of, set()))
    found = choose(graph, list(refs), as_of)
    meant = [Chosen(chosen.asked, one.id, one.ref, ABOUT, (), chosen.ref) for one in found]
    return meant or [chosen]


def _subjects(graph: Graph, node: int, as_of: int, seen: set[int]) -> Iterator[str]:
    if node in seen:
        return
    seen.add(node)
    made = graph.rows([node], Way.IN, (RECORD_MADE, INVALIDATED, _MADE, _DECIDED), as_of)
    notices = [row.source for row in made if row.code == RECORD_MADE]
    about = graph.rows(sorted({node, *notices}), Way.OUT, RECORDS, as_of)
    rows = [row for row in about if row.stance]
    for row in rows:
        if row.role == _TAKES_BACK:
            yield from _subjects(graph, row.target, as_of, seen)
        elif row.role == RETRACTS:
            yield from _versions(graph, row, rows, as_of)
        elif row.role in _ABOUT_ONE or (row.role == _DRAFT and not any(x.code == _MADE for x in made)):
            yield graph.refs([row.target])[row.target]
    decided = [row.source for row in made if row.code == _DECIDED]
    deleted = [row.source for row in made if row.code == INVALIDATED]
    bodies = graph.rows(deleted, Way.OUT, (SPECIALIZED,), as_of) if deleted else []
    ends = [*decided, *(row.target for row in bodies if row.method.startswith("body"))]
    yield from map(graph.refs(ends).__getitem__, ends)


def _versions(graph: Graph, row: Row, rows: list[Row], as_of: int) -> Iterator[str]:
    """What was retracted, in every version where it names none."""
    instead = [each.target for each in rows if each.role == "replaced-by"]
    refs = graph.refs([row.target, *instead])
    spared = {refs[node] for node in instead}
    yield from (ref for ref in _named(graph, refs[row.target], as_of) if ref not in spared)


def _named(graph: Graph, what: str, as_of: int) -> list[str]:
    try:
        [chosen] = choose(graph, [what], as_of)
    except (NotFound, Ambiguous):
        return [what]
    return [chosen.ref, *chosen.others] if chosen.found == "newest" else [what]
