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
        self.numbered = 0
        self.unnumbered = False

    def add(self, event: Envelope, is_variant: bool) -> None:
        """Take an event in; of a variant another one of its source and id had come before."""
        if event.source_number is not None:
            self.numbers.add(event.source_number)
            self.numbered += not is_variant
        elif not isinstance(event, SourceReported):
            self.unnumbered = True
        if isinstance(event, SourceReported):
            self._reported(event)

    def _reported(self, event: SourceReported) -> None:
        self.closed = self.closed or event.state == "closed"
        self.dropped = max(self.dropped, event.dropped or 0)
        if event.last_number is not None:
            self.last_number = max(self.last_number or 0, event.last_number, event.source_number or 0)
        if event.hooks is not None:
            covered = {covers for hook in event.hooks for covers in hook.covers}
            self.covers = (self.covers or set()) | covered

    def state(self) -> SourceState:
        highest = max(self.numbers, default=0)
        end = max(highest, self.last_number or 0)
        missing = end - len(self.numbers)
        return judged(
            SourceState(
                source=self.source,
                epoch=self.epoch,
                state="",
                received=len(self.numbers),
                highest=highest,
                last_number=self.last_number,
                missing=missing,
                first_missing=first_missing(sorted(self.numbers)) if missing else None,
                dropped=self.dropped,
                closed=self.closed,
                covers=None if self.covers is None else frozenset(self.covers),
                repeated=max(0, self.numbered - len(self.numbers)),
                unnumbered=self.unnumbered,
            )
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


def judged(state: SourceState) -> SourceState:
    """With its word: ``gaps`` where a number is known to be missing or it dropped events; ``unknown`` where
    its numbers can't tell, since it numbers nothing, not all, or several events alike; ``open`` while it may
    send more, or does so after its end; else ``contiguous``.
    """
    numbered = state.highest or state.last_number is not None
    if state.missing or (numbered and state.dropped):
        word = "gaps"
    elif not numbered or state.repeated or state.unnumbered:
        word = "unknown"
    else:
        word = "contiguous" if state.closed and not state.beyond else "open"
    return state._replace(state=word)


def first_missing(numbers: Iterable[int]) -> int:
    """The first number, from 1, that is not in ``numbers`` (ascending, each once)."""
    expected = 1
    for number in numbers:
        if number != expected:
            return expected
        expected += 1
    return expected
