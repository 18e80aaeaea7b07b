"""What came of each source and epoch, so that what is missing can be told for any seq without reading the log
again.

A source numbers its events from 1 in each epoch. While they come in order nothing is written but the
highest number: it stands in the event's own row, where a reader of an older ``as_of`` finds it. A number
that skips some opens a range in ``missing``; one that comes late closes its range, or splits it, with seqs
as for relations. What the source reports of itself, a number used twice, and the first event without one
write a row of sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from app import tables
from app.ledger.intern import Head
from app.ledger.store import Session, Store, Tuple
from provmodel.events import Envelope, SourceReported
from queries.coverage import judged
from queries.graph import Numbers, SourceState


class Sums(NamedTuple):
    """What a source has told of itself so far, in the columns of ``source_report``."""

    last_number: int | None = None
    dropped: int = 0
    closed: int = 0
    covers: str | None = None
    surplus: int = 0
    unnumbered: int = 0


class Epoch:
    """A source and epoch as of now; ``sums`` is None until they are read."""

    __slots__ = ("first_seq", "highest", "is_new", "last_seq", "sums")

    def __init__(self, first_seq: int, last_seq: int, highest: int, is_new: bool) -> None:
        self.first_seq, self.last_seq, self.highest, self.is_new = first_seq, last_seq, highest, is_new
        self.sums: Sums | None = Sums() if is_new else None


class Coverage:
    """The source numbers of one batch."""

    def __init__(self, session: Session, head: Head) -> None:
        self._session = session
        self._tenant = head.tenant
        self._epochs: dict[tuple[int, int], Epoch] = {}
        self._told: dict[tuple[int, int, int], Sums] = {}

    def note(self, seq: int, source: int, epoch: int, event: Envelope, is_variant: bool) -> tuple[int, bool]:
        """Note that ``event`` came as ``seq``: the highest number so far, and whether this one came late."""
        state = self._epochs.get((source, epoch)) or self._load(seq, source, epoch)
        state.last_seq = seq
        reports = isinstance(event, SourceReported)
        if isinstance(event, SourceReported):
            self._add(seq, source, epoch, lambda sums: _reported(sums, event))
        number = event.source_number
        if number is None:
            if not reports:
                self._add(seq, source, epoch, lambda sums: sums._replace(unnumbered=1))
            return state.highest, False
        late, fresh = False, number > state.highest
        if fresh:
            if number > state.highest + 1:
                self._open(source, epoch, seq, state.highest + 1, number - 1)
            state.highest = number
        elif number < state.highest:
            late = fresh = self._close(source, epoch, seq, number)
        if more := (not is_variant) - fresh:
            self._add(seq, source, epoch, lambda sums: sums._replace(surplus=sums.surplus + more))
        return state.highest, late

    def _load(self, seq: int, source: int, epoch: int) -> Epoch:
        found = self._session.fetch(
            "select first_seq, last_seq, highest from source_epoch"
            " where tenant = ? and source = ? and epoch = ?",
            (self._tenant, source, epoch),
        )
        first_seq, last_seq, highest = found[0] if found else (seq, seq, 0)
        state = Epoch(first_seq, last_seq, highest, not found)
        self._epochs[source, epoch] = state
        return state

    def _open(self, source: int, epoch: int, seq: int, low: int, high: int) -> None:
        self._session.insert(tables.missing, [(self._tenant, source, epoch, low, seq, high, None)])

    def _close(self, source: int, epoch: int, seq: int, number: int) -> bool:
        """Take ``number`` out of the range that misses it; False when none does: it had come before."""
        found = self._session.fetch(
            "select low, since, high from missing where tenant = ? and source = ? and epoch = ?"
            " and until is null and low <= ? and high >= ?",
            (self._tenant, source, epoch, number, number),
        )
        if not found:
            return False
        low, since, high = found[0]
        self._session.run(
            "update missing set until = ? where tenant = ? and source = ? and epoch = ?"
            " and low = ? and since = ?",
            (seq, self._tenant, source, epoch, low, since),
        )
        if low < number:
            self._open(source, epoch, seq, low, number - 1)
        if number < high:
            self._open(source, epoch, seq, number + 1, high)
        return True

    def _add(self, seq: int, source: int, epoch: int, added: Callable[[Sums], Sums]) -> None:
        """Change the sums of a source: the same ones in whatever order its events come."""
        state = self._epochs[source, epoch]
        before = state.sums
        if before is None:
            found = self._session.fetch(_SUMS, (self._tenant, source, epoch))
            before = Sums(*found[0]) if found else Sums()
        state.sums = added(before)
        if state.sums != before:
            self._told[source, epoch, seq] = state.sums

    def save(self) -> None:
        rows = [
            (self._tenant, *key, e.first_seq, e.last_seq, e.highest)
            for key, e in self._epochs.items()
            if e.is_new
        ]
        self._session.insert(tables.source_epoch, rows)
        self._session.insert(
            tables.source_report, [(self._tenant, *key, *sums) for key, sums in self._told.items()]
        )
        known = [
            (e.last_seq, e.highest, self._tenant, *key) for key, e in self._epochs.items() if not e.is_new
        ]
        if known:
            self._session.many(
                "update source_epoch set last_seq = ?, highest = ?"
                " where tenant = ? and source = ? and epoch = ?",
                known,
            )


def _reported(sums: Sums, event: SourceReported) -> Sums:
    """With what a source reports of itself; a report that names a last number and has a later one is itself
    the last.
    """
    own = event.source_number if event.last_number is not None else None
    return sums._replace(
        last_number=_most(sums.last_number, _most(event.last_number, own)),
        dropped=max(sums.dropped, event.dropped or 0),
        closed=int(sums.closed or event.state == "closed"),
        covers=_union(sums.covers, event),
    )


def _most(one: int | None, other: int | None) -> int | None:
    numbers = [number for number in (one, other) if number is not None]
    return max(numbers, default=None)


def _union(covers: str | None, event: SourceReported) -> str | None:
    """The event types that some reported hook covers, as a JSON array; ``None`` while no report names its
    hooks.
    """
    if event.hooks is None:
        return covers
    known = set(msgspec.json.decode(covers, type=list[str])) if covers else set()
    known.update(name for hook in event.hooks for name in hook.covers)
    return msgspec.json.encode(sorted(known)).decode()


def sources_at(store: Store, tenant: int, sources: Sequence[int] | None, as_of: int) -> list[SourceState]:
    """What is known at ``as_of`` of these sources (words; all when ``None``), by source and epoch."""
    return [_state(store, tenant, row, as_of) for row in _epochs(store, tenant, sources, as_of)]


def numbers_at(
    store: Store, tenant: int, sources: Sequence[int] | None, as_of: int, limit: int
) -> list[Numbers]:
    """The numbers of these sources (words; all when ``None``) that are missing and late at ``as_of``."""
    found = []
    for source, epoch, *rest in _epochs(store, tenant, sources, as_of):
        key = (tenant, *rest[:2])
        ranges = store.fetch(_RANGES, (*key, as_of, *key, as_of, as_of, limit))
        late = [seq for (seq,) in store.fetch(_LATE, (*key, as_of, limit))]
        [(count,)] = store.fetch(_LATE_COUNT, (*key, as_of))
        found.append(Numbers(source, epoch, tuple((low, high) for low, high in ranges), tuple(late), count))
    return found


def _epochs(store: Store, tenant: int, sources: Sequence[int] | None, as_of: int) -> list[Tuple]:
    """Source, epoch, their words, last seq and highest number, by source and epoch."""
    chosen = "" if sources is None else " and s.source in (select i.value from ints(?) i)"
    found = store.fetch(
        "select w.text, p.text, s.source, s.epoch, s.last_seq, s.highest from source_epoch s"
        " join word w on w.tenant = s.tenant and w.word = s.source"
        " join word p on p.tenant = s.tenant and p.word = s.epoch"
        f" where s.tenant = ? and s.first_seq <= ?{chosen}",
        (tenant, as_of) if sources is None else (tenant, as_of, store.ints(sources)),
    )
    return sorted(found)


def _state(store: Store, tenant: int, row: Tuple, as_of: int) -> SourceState:
    source, epoch, *key, last_seq, highest = row
    if last_seq > as_of:
        highest = store.fetch(_HIGHEST, (tenant, *key, as_of))[0][0]
    absent, first = store.fetch(_MISSING, (tenant, *key, as_of, tenant, *key, as_of, as_of))[0]
    told = store.fetch(_TOLD, (tenant, *key, as_of))
    sums = Sums(*told[0]) if told else Sums()
    received = highest - int(absent or 0)
    missing = max(highest, sums.last_number or 0) - received
    covers = sums.covers
    return judged(
        SourceState(
            source=source,
            epoch=epoch,
            state="",
            received=received,
            highest=highest,
            last_number=sums.last_number,
            missing=missing,
            first_missing=(first or highest + 1) if missing else None,
            dropped=sums.dropped,
            closed=bool(sums.closed),
            covers=None if covers is None else frozenset(msgspec.json.decode(covers, type=list[str])),
            repeated=max(0, sums.surplus),
            unnumbered=bool(sums.unnumbered),
        )
    )


_HIGHEST = (
    "select e.highest from event e by(event_source)"
    " where e.tenant = ? and e.source = ? and e.epoch = ? and e.seq <= ? order by e.seq desc limit 1"
)
_OPEN = (
    "(select low, high from missing by(missing_until) where tenant = ? and source = ? and epoch = ?"
    " and until is null and since <= ? union all "
    "select low, high from missing by(missing_until) where tenant = ? and source = ? and epoch = ?"
    " and until > ? and since <= ?) m"
)
_MISSING = f"select sum(m.high - m.low + 1), min(m.low) from {_OPEN}"
_RANGES = f"select m.low, m.high from {_OPEN} order by m.low limit ?"
# Each late number ends one range, at its own seq.
_ENDED = (
    " from missing by(missing_until) where tenant = ? and source = ? and epoch = ?"
    " and until is not null and until <= ?"
)
_LATE = f"select until{_ENDED} order by until limit ?"
_LATE_COUNT = f"select count(*){_ENDED}"
_SUMMED = f"select {', '.join(f'r.{name}' for name in Sums._fields)} from source_report r"
_SUMS = f"{_SUMMED} where r.tenant = ? and r.source = ? and r.epoch = ? order by r.seq desc limit 1"
_TOLD = (
    f"{_SUMMED}"
    " where r.tenant = ? and r.source = ? and r.epoch = ? and r.seq <= ? order by r.seq desc limit 1"
)
