"""Runs: whether their end was reported, and what is known of the sources that reported them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from provmodel.events import RunEnded
from queries.graph import Graph, SourceState

ENDS = 100
"""Ends of one run that are looked at."""

WORST = ("unknown", "gaps", "open", "contiguous")
"""States of coverage, the one that says least first."""


class RunView(msgspec.Struct, frozen=True):
    """One run.

    ``state`` is ``ended``, ``open`` (no end is reported) or ``incomplete`` (nor will one be: its sources have
    closed). ``coverage`` is the least that holds of its sources in any epoch: what is missing of a source may
    have been of this run.
    """

    run: str
    state: str
    status: tuple[str, ...]
    sources: tuple[str, ...]
    coverage: str


def views(graph: Graph, as_of: int, runs: Sequence[str]) -> list[RunView]:
    """Each run, in the order given."""
    reporting = graph.run_sources(runs, as_of) if runs else {}
    named = sorted({source for sources in reporting.values() for source in sources})
    states: defaultdict[str, list[SourceState]] = defaultdict(list)
    for state in graph.sources(named, as_of) if named else ():
        states[state.source].append(state)
    return [_view(graph, as_of, run, reporting.get(run, []), states) for run in runs]


def _view(
    graph: Graph, as_of: int, run: str, sources: Sequence[str], states: dict[str, list[SourceState]]
) -> RunView:
    told = [report.event for report in graph.run_reports(run, ("run_ended",), as_of, ENDS)]
    status = tuple(sorted({event.status for event in told if isinstance(event, RunEnded)}))
    known = [state for source in sources for state in states[source]]
    closed = bool(known) and all(state.closed for state in known)
    word = "ended" if status else "incomplete" if closed else "open"
    coverage = min((state.state for state in known), key=WORST.index, default="unknown")
    return RunView(run, word, status, tuple(sources), coverage)
