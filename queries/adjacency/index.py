"""The compact index of one tenant's edges: compacted segments, and a tail that each commit appends to.

A row is added once and never changed but for two marks (retired, contested), which a reader looks closer at
whenever he meets them. So a walk needs no lock: it takes a :class:`View` and sees the rows up to its as_of,
whatever is added meanwhile. Adding is for one thread at a time.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from queries.adjacency.arrays import Ints, np
from queries.adjacency.columns import (
    CITATION,
    CODE_BITS,
    CODES,
    CONTESTED,
    REFUTED,
    RETIRED,
    Few,
    Fresh,
    Part,
    Rows,
    place_of,
    role_mark,
    short_of,
    shorts_of,
    view_of,
)
from queries.adjacency.contested import Contested, Statement
from queries.adjacency.loading import Gathered, last_by_seq
from queries.adjacency.retired import Retired
from queries.adjacency.segments import Segment, merged
from queries.ways import Way

TAIL, BEYOND = 1, 2
"""What ``later`` says of a node: that it may have rows in the tail; that it is beyond the first segment."""

FREEZE = 4096
"""Rows of the tail that become a segment; one of them is a tuple in two lists, some 300 bytes."""

OFFERED = 64
"""Commits kept for the next reader; when he does not come, they are read from the store."""

_CITED = role_mark(CITATION)
_OTHERS, _BITS = 4, 6
"""Above these, a bit for each segment after the first, and one for all that have none of their own."""

Entry = tuple[int, int, int]
"""A row of the tail from one end: the node at the other end, its sixteen bits, its number."""
Tail = dict[int, list[Entry]]


class Feed(Protocol):
    """Where an index gets its rows from."""

    def parts(self, after: int) -> tuple[int, Iterable[Part | Few]]:
        """The head seq, and parts that hold at least every row and retirement of later seqs than ``after``,
        in the order of the log. After 0 they are no :class:`Few`."""
        ...

    def statements(self, source: int, code: int, target: int) -> list[Statement]:
        """All rows there ever were between two nodes under one code."""
        ...


class View(NamedTuple):
    """What is there at one moment. ``later`` says of each node, one way, where it may have rows outside the
    first segment, 0 for nowhere; ``size`` is beyond every node; ``changes`` counts how often bits of rows
    were changed, ``citations`` the rows that a model stated by citing; ``pool`` holds arrays for walks.
    """

    seq: int
    segments: tuple[Segment, ...]
    tails: dict[Way, Tail]
    later: dict[Way, Ints]
    retired: Retired
    contested: Contested
    last: array[int]
    changes: list[int]
    citations: list[int]
    pool: list[Ints]

    @property
    def size(self) -> int:
        return len(self.later[Way.OUT])

    def limit(self, as_of: int) -> int:
        """The number of the last row stated up to then."""
        return self.last[min(as_of, len(self.last) - 1)]


class Adjacency:
    """The index of one tenant; empty until :meth:`catch_up`."""

    def __init__(self) -> None:
        self.retired = Retired()
        self.contested = Contested(self.retired)
        self._turn = threading.Lock()
        self._last = array("Q", [0])  # by seq
        self._tail_rows = 0
        self._changes = [0]
        self._citations = [0]
        self._pool: list[Ints] = []
        self._offered: dict[int, Fresh] = {}
        self._view = self._seen(0, (), {way: {} for way in Way}, {way: _unknown(64) for way in Way})

    def _seen(
        self, seq: int, segments: tuple[Segment, ...], tails: dict[Way, Tail], later: dict[Way, Ints]
    ) -> View:
        return View(
            seq,
            segments,
            tails,
            later,
            self.retired,
            self.contested,
            self._last,
            self._changes,
            self._citations,
            self._pool,
        )

    @property
    def view(self) -> View:
        return self._view

    @property
    def rows(self) -> int:
        """How many rows the index holds."""
        return sum(segment.rows for segment in self._view.segments) + self._tail_rows

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays; the tail, at most ``FREEZE`` rows, comes on top."""
        later = sum(marks.nbytes for marks in self._view.later.values())
        arrays = sum(segment.nbytes for segment in self._view.segments)
        return arrays + later + self.retired.nbytes + len(self._last) * self._last.itemsize

    def offer(self, fresh: Fresh) -> None:
        """What the next :meth:`catch_up` may take in without asking the feed. Any thread may offer."""
        with self._turn:
            if len(self._offered) >= OFFERED:
                self._offered = {}
            self._offered[fresh.after] = fresh

    def catch_up(self, feed: Feed, seq: int) -> View:
        """Take in what was committed up to ``seq`` at least."""
        if self._view.seq < seq:
            with self._turn:
                if self._view.seq and self._offered:
                    self._take_offered(feed)
                if self._view.seq < seq:
                    head, parts = feed.parts(self._view.seq)
                    if self._view.seq:
                        self._append(feed, head, parts)
                    else:
                        self._load(head, parts)
        return self._view

    def _take_offered(self, feed: Feed) -> None:
        """Take in commits that follow on what is here; what stands beyond a gap is left to the feed."""
        offered, self._offered = self._offered, {}
        while fresh := offered.get(self._view.seq):
            self._append(feed, fresh.seq, (fresh.few,))

    # The first time

    def _load(self, head: int, parts: Iterable[Part | Few]) -> None:
        gathered = Gathered()
        for part in parts:
            if isinstance(part, Part):
                gathered.add(part)
                self._number(0, [part])
                self._citations[0] += _cited(part)
        self._number(head, [])
        rows, retired = gathered.rows, gathered.retired
        segments: tuple[Segment, ...] = ()
        if len(rows.number):
            self.retired.load(*retired)
            rows.short[np.searchsorted(rows.number, retired[0])] |= np.uint16(RETIRED)
            self.contested.load(rows, gathered.refuting)
            segments = (_segment(rows),)
        size = max((segment.size for segment in segments), default=0)
        later = {way: np.zeros(size, np.uint8) for way in Way}
        self._view = self._seen(head, segments, {way: {} for way in Way}, later)

    def _number(self, head: int, parts: Iterable[Part]) -> None:
        """Note for each seq the number of the last row by then."""
        for part in parts:
            if not len(part.since):
                continue
            known = len(self._last)
            seq, numbers = last_by_seq(part, known, self._last[-1])
            if seq < known:  # that commit began in the part before
                self._last[seq] = int(numbers[0])
            self._last.frombytes(numbers[known - seq :].tobytes())
        self._last.extend([self._last[-1]] * (head + 1 - len(self._last)))

    # Then

    def _append(self, feed: Feed, head: int, parts: Iterable[Part | Few]) -> None:
        known = self._view.seq
        contested: set[tuple[int, int, int]] = set()
        for part in parts:
            if isinstance(part, Few):
                contested |= self._take_few(part)
                retired = part.retired
            else:
                fresh = _beyond(part, self._last[-1])
                self._take(fresh)
                self._number(int(fresh.since[-1]) if len(fresh.since) else 0, [fresh])
                contested |= self._refuted(fresh)
                retired = list(zip(*[column.tolist() for column in part[7:]], strict=True))
            if retired:
                contested |= self._retire([row for row in retired if row[1] > known])
        self._last.extend([self._last[-1]] * (head + 1 - len(self._last)))
        for source, code, target in contested:
            self._contest(feed, source, code, target)
        self._view = View(head, *self._view[1:])

    def _take_few(self, part: Few) -> set[tuple[int, int, int]]:
        """Add rows one by one; those of them that are contested."""
        last = self._last
        contested: set[tuple[int, int, int]] = set()
        rows = part.rows[max(0, last[-1] + 1 - part.first) :]
        if not rows:
            return contested
        self._reserve(max([max(row[0], row[1]) for row in rows]))
        view = self._view
        out, inward = view.tails[Way.OUT], view.tails[Way.IN]
        later_out, later_in = view_of(view.later[Way.OUT]), view_of(view.later[Way.IN])
        for number, (source, target, code, weight, relation, since) in enumerate(rows, last[-1] + 1):
            if len(last) <= since:
                last.extend([last[-1]] * (since + 1 - len(last)))
            last[since] = number
            if not target:
                continue
            short = short_of(code, weight)
            out.setdefault(source, []).append((target, short, number))
            inward.setdefault(target, []).append((source, short, number))
            later_out[source] |= TAIL
            later_in[target] |= TAIL
            self._citations[0] += weight >> 4 == _CITED
            if not weight & 1 or relation in self.contested:
                contested.add((source, code, target))
        self._tail_rows += len(rows)
        if self._tail_rows >= FREEZE:
            self._freeze()
        return contested

    def _take(self, part: Part) -> None:
        if not len(part.source):
            return
        self._reserve(int(max(part.source.max(), part.target.max())))
        columns = (part.source.tolist(), part.target.tolist(), shorts_of(part).tolist())
        out, inward = self._view.tails[Way.OUT], self._view.tails[Way.IN]
        for number, (source, target, short) in enumerate(zip(*columns, strict=True), part.first):
            if target:
                out.setdefault(source, []).append((target, short, number))
                inward.setdefault(target, []).append((source, short, number))
        self._mark_later(part.source, part.target)
        self._citations[0] += _cited(part)
        self._tail_rows += len(part.source)
        if self._tail_rows >= FREEZE:
            self._freeze()

    def _reserve(self, node: int) -> None:
        if node >= self._view.size:
            more = node + self._view.size // 8 + 64
            grown = {way: _unknown(more) for way in Way}
            for way, marks in self._view.later.items():
                grown[way][: len(marks)] = marks
            self._view = self._view._replace(later=grown)

    def _mark_later(self, source: Ints, target: Ints) -> None:
        self._view.later[Way.OUT][source] |= TAIL
        self._view.later[Way.IN][target] |= TAIL

    def _freeze(self) -> None:
        """Make the tail a segment, and segments of like size one, so that their number stays a logarithm."""
        rows = sorted(
            (number, source, far, short)
            for source, entries in self._view.tails[Way.OUT].items()
            for far, short, number in entries
        )
        number, source, target, short = (np.array(column, np.uint32) for column in zip(*rows, strict=True))
        segments = [*self._view.segments, Segment(source, target, short.astype(np.uint16), number)]
        while len(segments) > 1 and segments[-2].rows < 2 * segments[-1].rows:
            segments[-2:] = [merged(segments[-2:])]
        later = {way: _later(marks, segments, way) for way, marks in self._view.later.items()}
        self._tail_rows = 0
        self._view = self._seen(self._view.seq, tuple(segments), {way: {} for way in Way}, later)

    # Marks on rows that are here already

    def _retire(self, rows: Sequence[tuple[int, int, int, int]]) -> set[tuple[int, int, int]]:
        """Mark retired rows; the pairs among them that are contested, and have to be weighed again."""
        if not rows:
            return set()
        self.retired.add(rows)
        weigh = set()
        for number, _, source, target in rows:
            short = self._mark(source, target, number, RETIRED)
            if short & CONTESTED:
                weigh.add((source, CODES[short & CODE_BITS], target))
        return weigh

    def _refuted(self, part: Part) -> set[tuple[int, int, int]]:
        """The pairs of the part that are contested, or that it makes so."""
        columns = (part.source, part.code, part.target, part.weight, part.relation)
        return {
            (source, code, target)
            for source, code, target, weight, key in zip(*[each.tolist() for each in columns], strict=True)
            if not weight & 1 or key in self.contested
        }

    def _contest(self, feed: Feed, source: int, code: int, target: int) -> None:
        rows = [row for row in feed.statements(source, code, target) if row.number <= self._last[-1]]
        for number, refuted in self.contested.tell((source, place_of(code), target), rows):
            on, off = (CONTESTED | REFUTED, 0) if refuted else (CONTESTED, REFUTED)
            self._mark(source, target, number, on, off)

    def _mark(self, source: int, target: int, number: int, on: int, off: int = 0) -> int:
        """Change bits of a row on both sides; what they were. It counts before and after, so that who read
        in between finds that it changed.
        """
        self._changes[0] += 1
        before = self._set(source, target, number, on, off)
        self._changes[0] += 1
        return before

    def _set(self, source: int, target: int, number: int, on: int, off: int) -> int:
        for segment in self._view.segments:
            before = segment.mark(source, target, number, on, off)
            if before >= 0:
                return before
        before = 0
        for way, near in ((Way.OUT, source), (Way.IN, target)):
            entries = self._view.tails[way].get(near, [])
            for place, (far, short, its) in enumerate(entries):
                if its == number:
                    before = short
                    entries[place] = (far, short & ~off | on, its)
        return before


def _unknown(size: int) -> Ints:
    """What is said of nodes that no segment knows."""
    return np.full(size, TAIL | BEYOND, np.uint8)


def _later(marks: Ints, segments: Sequence[Segment], way: Way) -> Ints:
    """Where nodes have rows outside the first segment, when the last one has come in place of the tail and of
    those that stood where it stands.
    """
    last = len(segments) - 1
    if not last:
        fresh = np.full(len(marks), BEYOND, np.uint8)
        fresh[: segments[0].size] = 0
        return fresh
    bit = _OTHERS << min(last, _BITS) - 1
    kept = bit - 1 & ~TAIL | (bit if last > _BITS else 0)
    fresh = marks & np.uint8(kept)
    fresh[segments[-1].sides[way].named()] |= bit
    return fresh


def _cited(part: Part) -> int:
    return int(np.count_nonzero(part.weight >> 4 == _CITED))


def _segment(rows: Rows) -> Segment:
    """All rows that lead anywhere, as one segment. It takes the room of the relations: memory that is touched
    for the first time costs as much as what is done with it.
    """
    source, target, short, number = rows.source, rows.target, rows.short, rows.number
    if not target.all():
        there = target != 0
        source, target, short, number = source[there], target[there], short[there], number[there]
    return Segment(source, target, short, number, rows.relation)


def _beyond(part: Part, number: int) -> Part:
    """The rows of a part that come after one."""
    skipped = min(max(0, number + 1 - part.first), len(part.source))
    if not skipped:
        return part
    return part._replace(
        first=part.first + skipped,
        **{name: getattr(part, name)[skipped:] for name in Part._fields[1:7]},
    )


__all__ = ["CODES", "Adjacency", "Entry", "Feed", "Part", "Tail", "View"]
