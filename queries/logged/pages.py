"""The log a page at a time: events of some types, of some runs or sources or of all, from one seq on.

A page is bounded twice, by the events that it gives and by those that it looks at, so that a question about a
whole tenant costs the same whatever the size of the log; the next page goes on where this one stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from provmodel.times import nanoseconds
from queries.graph import Graph, Report

SPAN = 20_000
"""Seqs of the log looked at in one read."""

SPANS = 10
"""Reads of one page."""

OF_RUN = 100_000
"""Events of one run that are looked at."""


class Page(NamedTuple):
    """Events by seq; ``next`` is the seq after which to go on, ``None`` at the end of what was asked for.
    ``clipped`` are runs with more events than are looked at.
    """

    reports: list[Report]
    next: int | None
    clipped: tuple[str, ...] = ()


class Where(NamedTuple):
    """Which events: of these runs, of these sources, of all when neither is given. ``since`` and ``until``
    bound what the events say of their time, in nanoseconds.
    """

    runs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None

    def holds(self, report: Report, time: str) -> bool:
        """Whether an event, which puts its matter at ``time``, is meant."""
        if self.runs and report.event.run not in self.runs:
            return False
        if self.sources and report.event.source not in self.sources:
            return False
        if self.since is None and self.until is None:
            return True
        at = nanoseconds(time)
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)


def page(graph: Graph, where: Where, types: Sequence[str], as_of: int, after: int, most: int) -> Page:
    """The next events of these types after a seq, at most ``most`` of them."""
    if where.runs:
        return _of_runs(graph, where.runs, types, as_of, after, most)
    found: list[Report] = []
    for _ in range(SPANS):
        last = min(after + SPAN, as_of)
        left = most - len(found)
        read = _by_seq(graph.log(types, as_of, after, last, left, one) for one in where.sources or ("",))
        found += read[:left]
        if len(read) >= left:
            return Page(found, _going_on(found[-1].seq, as_of))
        after = last
        if last >= as_of:
            return Page(found, None)
    return Page(found, after)


def _of_runs(
    graph: Graph, runs: Iterable[str], types: Sequence[str], as_of: int, after: int, most: int
) -> Page:
    read = {run: graph.run_reports(run, types, as_of, OF_RUN) for run in runs}
    clipped = tuple(run for run, reports in read.items() if len(reports) >= OF_RUN)
    found = [report for report in _by_seq(read.values()) if report.seq > after]
    return Page(found[:most], found[most - 1].seq if len(found) > most else None, clipped)


def _by_seq(parts: Iterable[Iterable[Report]]) -> list[Report]:
    return sorted((report for part in parts for report in part), key=_seq)


def _seq(report: Report) -> int:
    return report.seq


def _going_on(seq: int, as_of: int) -> int | None:
    return seq if seq < as_of else None
