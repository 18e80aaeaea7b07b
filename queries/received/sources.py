"""Sources by epoch: whether their numbers came without a gap, which did not come, and which came late."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from provmodel.relations import Flow, codes_of
from queries.graph import Graph, Numbers, SourceState, Way

SHOWN = 100
"""Ranges of missing numbers, and late events, that an answer names of each source and epoch."""


NAMING = 5_000
"""Relations of the things asked about, each way, of which it is looked which source states them."""

TOO_MANY = f"only the first {NAMING:,} relations each way are looked at"

ALL = codes_of(frozenset(Flow))


class Late(msgspec.Struct, frozen=True):
    """An event that came after a higher number of its source: its seq, id and number."""

    event: int
    id: str
    number: int


class SourceView(msgspec.Struct, frozen=True, kw_only=True):
    """One source in one epoch.

    ``state`` is ``gaps`` (a number is missing, or it dropped events), ``unknown`` (its numbers can't
    tell: it numbers nothing, not all of its events, or several alike), ``open`` (it may send more, or
    does so after its end) or ``contiguous``. ``received`` counts numbers; ``repeated`` how many events
    came under a number that another has, and ``unnumbered`` says whether some had none. ``ranges`` are
    the first missing numbers, both ends included; ``late`` the first events that came late, of
    ``late_count``. ``beyond``: it has closed, and yet sent more than the last number that it named.
    ``covers`` is null when it never said what it covers.
    """

    source: str
    epoch: str
    state: str
    received: int
    highest: int
    last_number: int | None
    missing: int
    ranges: tuple[tuple[int, int], ...]
    dropped: int
    closed: bool
    covers: tuple[str, ...] | None
    late_count: int
    late: tuple[Late, ...]
    repeated: int
    unnumbered: bool
    beyond: bool

    @property
    def name(self) -> str:
        return f"{self.source}/{self.epoch}" if self.epoch else self.source


def views(graph: Graph, as_of: int, sources: Sequence[str] | None) -> list[SourceView]:
    """Each source and epoch, in their order; all when ``sources`` is None."""
    states = graph.sources(sources, as_of)
    numbers = {(one.source, one.epoch): one for one in graph.numbers(sources, as_of, SHOWN)}
    late = _late(graph, as_of, [seq for one in numbers.values() for seq in one.late])
    return [_view(state, numbers[state.source, state.epoch], late) for state in states]


def telling_of(graph: Graph, as_of: int, nodes: Sequence[int]) -> tuple[set[str], bool]:
    """The sources whose events tell anything of these nodes: describe them, name them or say something of
    them; and whether there are more relations than are looked at.
    """
    if not nodes:
        return set(), False
    reports = [one for told in graph.reports(nodes, as_of).values() for one in told]
    rows = {way: graph.rows(nodes, way, ALL, as_of, NAMING) for way in Way}
    said = graph.attributes(nodes, as_of)
    seqs = {row.event for found in rows.values() for row in found}
    seqs |= {row.event for found in said.values() for row in found}
    events = graph.events(sorted(seqs - {one.seq for one in reports}), as_of).values()
    clipped = any(len(found) >= NAMING for found in rows.values())
    return {one.event.source for one in (*reports, *events)}, clipped


def _view(state: SourceState, numbers: Numbers, late: dict[int, Late]) -> SourceView:
    ranges = list(numbers.missing)
    if (state.last_number or 0) > state.highest:
        ranges.append((state.highest + 1, state.last_number or 0))
    return SourceView(
        source=state.source,
        epoch=state.epoch,
        state=state.state,
        received=state.received,
        highest=state.highest,
        last_number=state.last_number,
        missing=state.missing,
        ranges=tuple(ranges[:SHOWN]),
        dropped=state.dropped,
        closed=state.closed,
        covers=None if state.covers is None else tuple(sorted(state.covers)),
        late_count=numbers.late_count,
        late=tuple(late[seq] for seq in numbers.late),
        repeated=state.repeated,
        unnumbered=state.unnumbered,
        beyond=state.beyond,
    )


def _late(graph: Graph, as_of: int, seqs: list[int]) -> dict[int, Late]:
    told = graph.events(seqs, as_of) if seqs else {}
    return {seq: Late(seq, one.event.id, one.event.source_number or 0) for seq, one in told.items()}
