"""What of a run may not have come: numbers of its sources that are missing where these told of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import inf

from provmodel.events import RunEnded, RunStarted
from queries.graph import Graph, Numbers, SourceState
from queries.runs.record import RunRecord
from queries.telling import counted

RANGES = 1000
"""Ranges of missing numbers of one source and epoch that are looked at; where there are more, the rest counts
as missing of the run."""

Source = tuple[str, str]
"""A source and its epoch."""


def holes(graph: Graph, as_of: int, record: RunRecord) -> str:
    """Why something of the run may be missing, in words; "" where all that its sources told of it has come,
    as far as they number their events.

    A source that told the run's start told nothing of it before; one that told its end, nothing after.
    """
    spans = _spans(record)
    sources = sorted({source for source, _ in spans})
    if not sources:
        return ""
    told = {(one.source, one.epoch): one for one in graph.numbers(sources, as_of, RANGES)}
    found = [
        why
        for state in graph.sources(sources, as_of)
        if (state.source, state.epoch) in spans
        for why in _of(state, told.get((state.source, state.epoch)), spans[state.source, state.epoch])
    ]
    return "; ".join(found)


def _spans(record: RunRecord) -> dict[Source, tuple[float, float]]:
    """The numbers between which a source's missing ones may be of the run."""
    numbers: defaultdict[Source, set[int]] = defaultdict(set)
    starts: set[Source] = set()
    ends: set[Source] = set()
    for report in record.reports:
        event = report.event
        source = (event.source, event.epoch or "")
        numbers[source].update([] if event.source_number is None else [event.source_number])
        starts.update([source] if isinstance(event, RunStarted) else [])
        ends.update([source] if isinstance(event, RunEnded) else [])
    return {
        source: (
            min(came) if came and source in starts else 0,
            max(came) if came and source in ends else inf,
        )
        for source, came in numbers.items()
    }


def _of(state: SourceState, numbers: Numbers | None, span: tuple[float, float]) -> Iterator[str]:
    name = f"{state.source}/{state.epoch}" if state.epoch else state.source
    ranges = list(numbers.missing) if numbers else []
    if (state.last_number or 0) > state.highest:
        ranges.append((state.highest + 1, state.last_number or 0))
    inside = [(first, last) for first, last in ranges if last > span[0] and first < span[1]]
    if inside:
        count = counted(sum(last - first + 1 for first, last in inside), "number")
        yield f"{count} of {name} did not come (from {name}#{inside[0][0]})"
    elif len(ranges) >= RANGES:
        yield f"not all that did not come of {name} was looked at"
    if state.dropped:
        yield f"{name} dropped {state.dropped:,}"
