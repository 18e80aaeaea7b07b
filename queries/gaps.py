"""Gaps: what is missing, by kind, each with a count and one example (model, section 6, "Gaps")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from provmodel.computed import RUN_ALG, RUN_BYTES_ALG, TENANT_ALG, TENANT_BYTES_ALG, without_key
from queries.answer import Mark
from queries.graph import AttributeRow, Gap, Graph, SourceState, Unchecked

KINDS = (
    "never_recorded",
    "never_captured",
    "partial",
    "deleted",
    "unpinned",
    "not_verified",
    "not_joined",
    "execution_not_recorded",
    "open_run",
    "incomplete_run",
    "coverage_unknown",
    "hidden",
)
RUNS = 100
"""Runs of one answer whose sources, results and candidates are looked at."""

COMPARED = ("clew:skipped", "clew:tagAlg")
"""The attributes that say how far the values of a node can be compared."""

_OWN_ALGS = frozenset({RUN_ALG, RUN_BYTES_ALG, TENANT_ALG, TENANT_BYTES_ALG})
_BY_MARK = {
    "placeholder": "never_recorded",
    "never_captured": "never_captured",
    "partial": "partial",
    "deleted": "deleted",
    "unpinned": "unpinned",
    "not_verified": "not_verified",
}


class Tally:
    """Counts by kind, each with its first example."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.examples: dict[str, str] = {}

    def add(self, kind: str, example: str, count: int = 1) -> None:
        if count > 0:
            self.counts[kind] = self.counts.get(kind, 0) + count
            self.examples.setdefault(kind, example)

    def gaps(self) -> tuple[Gap, ...]:
        return tuple(
            Gap(kind, self.counts[kind], self.examples[kind]) for kind in KINDS if kind in self.counts
        )


class Run(NamedTuple):
    """A run of the answer: its node, reference, and whether an end was reported."""

    node: int
    ref: str
    ended: bool


def look(
    graph: Graph,
    as_of: int,
    marked: Iterable[tuple[str, Sequence[Mark]]],
    runs: Sequence[Run],
    stating: Set[str] = frozenset(),
) -> tuple[tuple[Gap, ...], tuple[Unchecked, ...]]:
    """The gaps of nodes (reference, marks) and of the runs that their activities are part of.

    ``stating`` are the sources that state what the answer shows: what is missing of them may have been about
    it, whether it belonged to a run or, as a derivation or a document may, to none.
    """
    tally = Tally()
    unchecked: list[Unchecked] = []
    looked_at = runs[:RUNS]
    if len(runs) > RUNS:
        more = f"{len(runs) - RUNS} more runs of these activities"
        unchecked.append(Unchecked(more, f"only the first {RUNS} runs are looked at"))
    reporting = _of_runs(graph, as_of, looked_at, tally)
    _of_others(graph, as_of, stating - reporting, tally)
    _of_marks(marked, tally)
    return tally.gaps(), tuple(unchecked)


def _of_marks(marked: Iterable[tuple[str, Sequence[Mark]]], tally: Tally) -> None:
    for ref, marks in marked:
        if len(marks) == 1:
            kind = _BY_MARK.get(marks[0].kind)
            if kind:
                tally.add(kind, ref)
            continue
        for kind in dict.fromkeys([_BY_MARK[mark.kind] for mark in marks if mark.kind in _BY_MARK]):
            tally.add(kind, ref)


def _of_others(graph: Graph, as_of: int, sources: Set[str], tally: Tally) -> None:
    """Count what is missing of these sources, and those of which nothing came but by way of others."""
    if not sources:
        return
    states = graph.sources(sorted(sources), as_of)
    unheard = sources - {state.source for state in states}
    of_sources(states, tally)
    for source in sorted(unheard):
        tally.add("coverage_unknown", source)


def _of_runs(graph: Graph, as_of: int, runs: Sequence[Run], tally: Tally) -> set[str]:
    """Count what is missing of the runs; the sources that reported them."""
    refs = [run.ref for run in runs]
    if not refs:
        return set()
    reporting = graph.run_sources(refs, as_of)
    states = graph.sources(sorted({source for names in reporting.values() for source in names}), as_of)
    of_sources(states, tally)
    closed = _closed(states)
    for run in runs:
        if not run.ended:
            tally.add("open_run", run.ref)
            sources = reporting.get(run.ref, [])
            if sources and closed.issuperset(sources):
                tally.add("incomplete_run", run.ref)
    loose = graph.loose(refs, as_of)
    tally.add("not_joined", loose.result_example, loose.results)
    tally.add("execution_not_recorded", loose.candidate_example, loose.candidates)
    return {state.source for state in states}


def _closed(states: Iterable[SourceState]) -> set[str]:
    """Sources that have closed in every epoch."""
    closed: dict[str, bool] = {}
    for state in states:
        closed[state.source] = closed.get(state.source, True) and state.closed
    return {source for source, is_closed in closed.items() if is_closed}


def of_sources(states: Iterable[SourceState], tally: Tally) -> None:
    """Count the numbers that did not come, what was dropped, and sources that number nothing."""
    for state in states:
        name = f"{state.source}/{state.epoch}" if state.epoch else state.source
        if state.missing:
            tally.add("never_recorded", f"{name}#{state.first_missing}", state.missing)
        if state.dropped:
            tally.add("never_recorded", f"{name} dropped {state.dropped}", state.dropped)
        if state.state == "unknown" or state.repeated or state.unnumbered:
            tally.add("coverage_unknown", name)


def not_compared(said: Iterable[tuple[int, AttributeRow]], refs: Mapping[int, str]) -> list[Unchecked]:
    """Content that could not be compared: cut when it arrived, or tagged in a way that Clew does not
    share.
    """
    found = []
    for node, row in said:
        if row.name == "clew:skipped":
            found.append(Unchecked(f"which values {refs[node]} holds", row.value))
        elif row.name == "clew:tagAlg" and without_key(row.value)[0] not in _OWN_ALGS:
            why = f"they came as {row.value} tags, which can't be compared with Clew's own"
            found.append(Unchecked(f"where the arguments of {refs[node]} came from", why))
    return sorted(set(found), key=lambda unchecked: (unchecked.what, unchecked.why))
