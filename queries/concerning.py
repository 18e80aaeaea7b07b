"""What a record is about: a retraction about what it takes back, a verification about what it checks.

Such a record leads nowhere by itself (model, section 2: marks are shown and never crossed). Whoever names one
where it is asked what came of something means what it is about.
"""

from __future__ import annotations

from collections.abc import Iterator

from provmodel.errors import Ambiguous, NotFound
from queries.around import RECORD_MADE, RECORDS, RETRACTS
from queries.graph import Graph, Row, Way
from queries.targets import Chosen, choose

ABOUT = "about"
"""How a target was found that stands for a record about it."""

_TAKES_BACK = "withdraws"
_ROLES = frozenset({RETRACTS, "cancels", "verifies", _TAKES_BACK})


def concerned(graph: Graph, chosen: Chosen, as_of: int) -> list[Chosen]:
    """What a target is about, when it is a retraction, a cancellation or a verification, by its own name or
    that of its notice; else itself. What takes a retraction back is about what that retracted, and what was
    retracted without a version is meant in every version, but for the one named to take its place.
    """
    rows = _rows(graph, chosen.id, as_of)
    refs = dict.fromkeys(ref for row in rows if row.role in _ROLES for ref in _meant(graph, row, rows, as_of))
    found = choose(graph, list(refs), as_of)
    meant = [Chosen(chosen.asked, one.id, one.ref, ABOUT, (), chosen.ref) for one in found]
    return meant or [chosen]


def _rows(graph: Graph, node: int, as_of: int) -> list[Row]:
    """What is recorded of a record, or of the notice that it made."""
    made = [row.source for row in graph.rows([node], Way.IN, (RECORD_MADE,), as_of)]
    return [row for row in graph.rows(sorted({node, *made}), Way.OUT, RECORDS, as_of) if row.stance]


def _meant(graph: Graph, row: Row, rows: list[Row], as_of: int) -> Iterator[str]:
    if row.role == _TAKES_BACK:
        taken_back = _rows(graph, row.target, as_of)
        for each in taken_back:
            if each.role == RETRACTS:
                yield from _versions(graph, each, taken_back, as_of)
    elif row.role == RETRACTS:
        yield from _versions(graph, row, rows, as_of)
    else:
        yield graph.refs([row.target])[row.target]


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
