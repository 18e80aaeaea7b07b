"""What is known of a source in one epoch, from the numbers that arrived and what it reported of itself.

The result depends on the set of its events alone: reports are summed up by their greatest numbers, never by
their order.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from provmodel.events import Envelope, SourceReported
from queries.graph import SourceState


class Coverage:
    """Collects the events of one source and epoch."""

    def __init__(self, source: str, epoch: str) -> None:
        self.source = source
        self.epoch = epoch
        self.numbers: set[int] = set()
        self.last_number: int | None = None
        self.dropped = 0
        self.closed = False
        self.covers: set[str] | None = None

    def add(self, event: Envelope) -> None:
        if event.source_number is not None:
            self.numbers.add(event.source_number)
        if isinstance(event, SourceReported):
            self._reported(event)

    def _reported(self, event: SourceReported) -> None:
        self.closed = self.closed or event.state == "closed"
        self.dropped = max(self.dropped, event.dropped or 0)
        if event.last_number is not None:
            self.last_number = max(self.last_number or 0, event.last_number)
        if event.hooks is not None:
            covered = {covers for hook in event.hooks for covers in hook.covers}
            self.covers = (self.covers or set()) | covered

    def state(self) -> SourceState:
        highest = max(self.numbers, default=0)
        end = max(highest, self.last_number or 0)
        missing = end - len(self.numbers)
        numbered = self.last_number is not None or bool(self.numbers)
        return SourceState(
            source=self.source,
            epoch=self.epoch,
            state=state_word(numbered, missing, self.dropped, self.closed),
            received=len(self.numbers),
            highest=highest,
            last_number=self.last_number,
            missing=missing,
            first_missing=first_missing(sorted(self.numbers)) if missing else None,
            dropped=self.dropped,
            closed=self.closed,
            covers=None if self.covers is None else frozenset(self.covers),
        )


class Counted:
    """The numbers of one source and epoch in the order in which they came."""

    def __init__(self) -> None:
        self.numbers: set[int] = set()
        self.highest = 0
        self.late: list[int] = []

    def add(self, seq: int, number: int | None) -> None:
        if number is None or number in self.numbers:
            return
        self.numbers.add(number)
        if number < self.highest:
            self.late.append(seq)
        self.highest = max(self.highest, number)

    def ranges(self) -> list[tuple[int, int]]:
        """The numbers below the highest that did not come, from and to."""
        came = [0, *sorted(self.numbers)]
        return [(one + 1, other - 1) for one, other in pairwise(came) if other > one + 1]


def state_word(numbered: bool, missing: int, dropped: int, closed: bool) -> str:
    """``unknown`` for a source that numbers nothing, else ``gaps`` (a drop is one), else ``open``, else
    ``contiguous``.
    """
    if not numbered:
        return "unknown"
    if missing or dropped:
        return "gaps"
    return "contiguous" if closed else "open"


def first_missing(numbers: Iterable[int]) -> int:
    """The first number, from 1, that is not in ``numbers`` (ascending, each once)."""
    expected = 1
    for number in numbers:
        if number != expected:
            return expected
        expected += 1
    return expected
