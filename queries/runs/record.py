"""What is reported of one run, by what it is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeVar

from provmodel.errors import BadQuestion
from provmodel.events import TYPES, Envelope, RunEnded, RunStarted
from queries.authority.views import in_order
from queries.graph import Graph, Report
from queries.targets import Chosen

EVENTS = 20_000
"""Events of one run that are read."""

NOT_STEPS = frozenset({"source_reported", "content_deleted", "retracted"})
_READ = tuple(tag for tag in TYPES if tag not in NOT_STEPS)

Mode = Literal["live", "fixed", "dry"]

E = TypeVar("E", bound=Envelope)


class RunRecord:
    """The events of one run, as of one seq, in an order that does not depend on arrival. ``clipped`` is True
    when there are more than are read.
    """

    def __init__(self, graph: Graph, as_of: int, run: str) -> None:
        read = graph.run_reports(run, _READ, as_of, EVENTS + 1)
        self.ref = run
        self.clipped = len(read) > EVENTS
        self.reports = in_order(read[:EVENTS])

    def of(self, kind: type[E]) -> Iterator[tuple[Report, E]]:
        """The reports of one type, each with its event."""
        for report in self.reports:
            if isinstance(report.event, kind):
                yield report, report.event

    @property
    def starts(self) -> list[RunStarted]:
        return [event for _, event in self.of(RunStarted)]

    @property
    def ends(self) -> list[RunEnded]:
        return [event for _, event in self.of(RunEnded)]

    @property
    def mode(self) -> Mode | None:
        """None when no start is reported, or starts disagree."""
        modes = {start.mode for start in self.starts}
        return modes.pop() if len(modes) == 1 else None

    @property
    def live(self) -> bool:
        """Whether what it wrote was meant to last; a run without a mode is taken for live."""
        return self.mode in (None, "live")


def runs_of(graph: Graph, as_of: int, starts: Sequence[Chosen]) -> list[str]:
    """The references of targets, each of which must be a run; raises :class:`BadQuestion`."""
    reported = graph.run_sources([start.ref for start in starts], as_of)
    for start in starts:
        if start.ref not in reported:
            raise BadQuestion(
                "target",
                f"{start.ref} is no run that events are reported of",
                "name runs; /v1/runs lists them",
            )
    return [start.ref for start in starts]
