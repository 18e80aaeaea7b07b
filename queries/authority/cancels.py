"""Whether a run was cancelled, or its grants withdrawn, before an attempt began.

An attempt that carries an older task version than a cancellation's successor is causally before it, whatever
the clocks say; one that carries the successor's is after it, and only a withdrawn grant is then against it
(model, section 6).
"""

from __future__ import annotations

from collections.abc import Iterator

from queries.authority import order
from queries.authority.findings import CANCELLED, Finding, timed
from queries.authority.order import Timing
from queries.authority.views import Case, cancellation, unique
from queries.graph import Report, Unchecked

BEFORE = Timing(False, order.CAUSAL)
AFTER = Timing(True, order.CAUSAL)


def cancelled(case: Case, relied: frozenset[str]) -> Iterator[Finding | Unchecked]:
    """Cancellations that bear on the attempt; ``relied`` are the decisions that it names, or that would cover
    it.
    """
    runs = set(case.runs())
    for report in case.cancels:
        event = cancellation(report)
        withdrawn = sorted(relied & set(event.decisions))
        if event.run not in runs and not withdrawn:
            continue
        yield from _judged(report, case, withdrawn)


def _judged(report: Report, case: Case, withdrawn: list[str]) -> Iterator[Finding | Unchecked]:
    event = cancellation(report)
    by_clock = order.before_start(report, case.attempt.reports)
    timing = _by_version(report, case) or by_clock
    if timing is BEFORE and by_clock.holds:
        what = f"cancellation of {event.run} and {case.attempt.ref}"
        yield Unchecked(what, "by its clock the attempt began later, by its task version before")
    if timing is AFTER and not withdrawn:
        return
    if timing.holds:
        what = f"withdrawn {' and '.join(withdrawn)}" if withdrawn else f"cancelled run {event.run}"
        detail = f"{event.by} had {what} before the attempt began"
        yield timed(CANCELLED, detail, timing, withdrawn[0] if withdrawn else "")


def _by_version(report: Report, case: Case) -> Timing | None:
    """What task versions tell; ``None`` when they tell nothing."""
    cancel = cancellation(report).task_version
    for carried in case.attempt.versions:
        if cancel and order.older(carried, cancel, case.starts):
            return BEFORE
        if cancel and order.older(cancel, carried, case.starts):
            return AFTER
        earlier = [order.older(carried, successor, case.starts) for successor in _successors(report, case)]
        if any(told is False for told in earlier):
            return AFTER
        if any(earlier):
            return BEFORE
    return None


def _successors(report: Report, case: Case) -> tuple[str, ...]:
    """Task versions that came after the cancelled one: newer than it, or (when it names none) begun after the
    cancellation.
    """
    cancel = cancellation(report).task_version
    later = [version for version in _known(case) if cancel and order.older(cancel, version, case.starts)]
    if cancel:
        return unique(later)
    begun = [start for start in case.starts if order.came_first(report, start).holds]
    return unique(getattr(start.event, "task_version", None) for start in begun)


def _known(case: Case) -> tuple[str, ...]:
    """Task versions of the run: those it was started with, those cancelled, and those its attempts carry."""
    stated = [getattr(report.event, "task_version", None) for report in (*case.starts, *case.cancels)]
    return unique((*stated, *(version for sibling in case.siblings for version in sibling.versions)))
