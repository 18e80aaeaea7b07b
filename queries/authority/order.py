"""What came first, and on which basis: causal > one source's numbers > one clock > two clocks.

Arrival order is none. A source's numbers order *reports*; before or after a *start* takes the attempt's own
times on one clock; two sources keep two clocks, so what rests on them is only possible (model, section 6).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from provmodel.events import Envelope, ToolCall
from provmodel.times import nanoseconds
from queries.graph import Report

CAUSAL = "causal"
SOURCE_ORDER = "source_order"
ONE_CLOCK = "clock_same_source"
TWO_CLOCKS = "clock_two_sources"
BASES = (CAUSAL, SOURCE_ORDER, ONE_CLOCK, TWO_CLOCKS)
CLOCKS = frozenset({ONE_CLOCK, TWO_CLOCKS})
_SECOND = 1_000_000_000
_DIGITS = re.compile(r"\d+")


class Timing(NamedTuple):
    """Whether something came before (or after) something else, how that is known, and by how much clocks
    differ.
    """

    holds: bool
    basis: str
    by: int = 0

    @property
    def difference(self) -> str:
        """The distance of the two instants as an ISO 8601 duration in seconds; "" when no clock was asked."""
        return duration(abs(self.by)) if self.basis in CLOCKS else ""


UNTIMED = Timing(False, TWO_CLOCKS)
"""What is known of the order of something that nobody reported."""


def duration(length: int) -> str:
    """Nanoseconds as ISO 8601, such as ``PT90S`` or ``PT0.25S``."""
    whole, rest = divmod(length, _SECOND)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"PT{whole}{fraction}S"


def best(timings: Iterable[Timing]) -> Timing:
    """The best founded of several; of two as good, the one that holds."""
    return min(timings, key=lambda t: (BASES.index(t.basis), not t.holds), default=UNTIMED)


def reported_first(first: Envelope, second: Envelope) -> bool | None:
    """Whether one source's numbers put the report of ``first`` before that of ``second``; ``None``: they
    don't say.
    """
    if first.source != second.source or first.epoch != second.epoch:
        return None
    if not first.source_number or not second.source_number or first.source_number == second.source_number:
        return None
    return first.source_number < second.source_number


def clock(one: Envelope, other: Envelope) -> str:
    return ONE_CLOCK if one.source == other.source else TWO_CLOCKS


def begun(call: ToolCall) -> int:
    """When an attempt began, in nanoseconds: its start, or the earliest time that it reports."""
    return nanoseconds(call.started or call.ended or call.time)


def decided_after(decision: Report, attempts: Iterable[Report], named: bool) -> Timing:
    """Whether a decision came after the attempt that these reports describe; one that names it came later."""
    if named:
        return Timing(False, CAUSAL)
    return best(_decided_after(decision.event, report.event) for report in attempts)


def _decided_after(decision: Envelope, call: Envelope) -> Timing:
    if reported_first(call, decision):
        return Timing(True, SOURCE_ORDER)
    by = nanoseconds(decision.time) - begun(_call(call))
    return Timing(by > 0, clock(decision, call), by)


def before_start(notice: Report, attempts: Iterable[Report]) -> Timing:
    """Whether a notice (a revocation, a cancellation) came before the attempt began."""
    return best(_before_start(notice.event, report.event) for report in attempts)


def _before_start(notice: Envelope, call: Envelope) -> Timing:
    if reported_first(call, notice):
        return Timing(False, SOURCE_ORDER)
    return _elapsed(notice.time, notice, call)


def elapsed(moment: str, stated: Report, attempts: Iterable[Report]) -> Timing:
    """Whether an RFC 3339 instant, which ``stated`` names, had passed when the attempt began."""
    return best(_elapsed(moment, stated.event, report.event) for report in attempts)


def _elapsed(moment: str, stated: Envelope, call: Envelope) -> Timing:
    by = begun(_call(call)) - nanoseconds(moment)
    return Timing(by > 0, clock(stated, call), by)


def came_first(first: Report, second: Report) -> Timing:
    """Whether one report's matter came before the other's: by number in one source, else by clock."""
    numbered = reported_first(first.event, second.event)
    if numbered is not None:
        return Timing(numbered, SOURCE_ORDER)
    by = nanoseconds(second.event.time) - nanoseconds(first.event.time)
    return Timing(by > 0, clock(first.event, second.event), by)


def began_first(first: Report, second: Report) -> Timing:
    """Whether one attempt began first: by their starts on one clock, else by number, else by clocks."""
    one, other = _call(first.event), _call(second.event)
    by = begun(other) - begun(one)
    on_one_clock = one.source == other.source and bool(one.started and other.started) and by != 0
    numbered = None if on_one_clock else reported_first(one, other)
    return Timing(by > 0, clock(one, other), by) if numbered is None else Timing(numbered, SOURCE_ORDER)


def older(version: str, than: str, told: Iterable[Report] = ()) -> bool | None:
    """Whether a task version is older than another; ``None`` when that can't be told.

    Versions of one form are compared by their numbers (``2`` < ``10``, ``v1.9`` < ``v1.10``); others by the
    order in which one source reported them (``told``, the starts of the run).
    """
    if version == than:
        return False
    if _DIGITS.split(version) == _DIGITS.split(than):
        return [int(n) for n in _DIGITS.findall(version)] < [int(n) for n in _DIGITS.findall(than)]
    return _told_first(version, than, tuple(told))


def _told_first(version: str, than: str, told: tuple[Report, ...]) -> bool | None:
    for one in told:
        for other in told:
            if (_version(one), _version(other)) == (version, than):
                numbered = reported_first(one.event, other.event)
                if numbered is not None:
                    return numbered
    return None


def _version(report: Report) -> str:
    return getattr(report.event, "task_version", None) or ""


def _call(event: Envelope) -> ToolCall:
    assert isinstance(event, ToolCall)  # noqa: S101 - attempts are described by tool calls alone
    return event
