"""Edges both ways in compacted arrays: for each node the places of its rows, data first, each in the order of
the log.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence

from queries.adjacency import compiled
from queries.adjacency.arranging import arrange
from queries.adjacency.arrays import Ints, np
from queries.adjacency.columns import CODE_BITS, DATA_PLACES, view_of
from queries.ways import Way

_SPARSE = 2
"""Pointers for every node are kept when they are at most so many times as many as the rows."""
_HUBS = 4096
"""Nodes of which it is remembered which codes their rows have."""
_NODES, _FILTERS = 10_000, 16
"""Nodes of which it is remembered where they lead, some 200 bytes each, and filters by which."""
_RUNS = 32
"""Rows in an ascending run, on average, from which on merging is the faster way to sort."""

# Of a row's word: the node at the other end, above it the upper half of its number, on top its sixteen bits.
FAR = 2**32 - 1
BLOCK_AT, SHORT_AT = 32, 48
UP_TO_BLOCK = 2**SHORT_AT - 1
"""What of a word is not of the sixteen bits: of two rows, that of the later block is the larger."""
HALF = 16
"""Bits of a number that stand in the word; as many stand beside it."""
_HALF = 2**HALF - 1

Step = tuple[int, list[int]]
"""How many rows a node has, and where those lead that a filter lets pass."""


class Side:
    """The rows of a segment one way.

    Node ``n``'s rows of data stand from the lower half of ``bounds[p]`` to the upper one, all others up to
    the lower half of ``bounds[p + 1]``, where ``p`` is ``n`` itself, or in a sparse side its place in
    ``nodes``. Columns, 10 bytes a row: ``word``, of which one look tells the other end, what decides whether
    the row is crossed (:mod:`queries.adjacency.columns`), and nearly when it was stated; ``low`` is the rest
    of the row's number, for the few rows of the 65,536 among which an as_of falls.
    """

    def __init__(
        self, near: Ints, far: Ints, short: Ints, number: Ints, size: int, word: Ints, keys: Ints
    ) -> None:
        """``word`` is room for those (uint64), ``keys`` for as many integers, and for one a node unless there
        are many more of them.
        """
        self.nodes: Ints | None = None
        self.rows = len(near)
        self.word = word
        self.low = np.empty(self.rows, np.uint16)
        if compiled.LIBRARY and size <= _SPARSE * self.rows:
            self.bounds = np.empty(size + 2, np.uint64)
            made = (self.bounds, self.word, self.low)
            arrange(compiled.LIBRARY, near, far, short, number, keys[:size], made)
        else:
            self.nodes = self._sorted(near, far, short, number, size, keys[: self.rows])
        self.views = (view_of(self.bounds), view_of(self.word))
        self._low = view_of(self.low)
        self._named = view_of(self.nodes) if self.nodes is not None else None
        self._last = len(self.bounds) - 2
        self._held: dict[int, int] = {}
        self._steps: dict[Hashable, tuple[int, dict[int, Step]]] = {}

    def _sorted(self, near: Ints, far: Ints, short: Ints, number: Ints, size: int, keys: Ints) -> Ints | None:
        """Put the rows in order by sorting them; the nodes of a sparse side."""
        nodes = None
        _sort(near, short, keys)
        if size > _SPARSE * self.rows:
            nodes = np.unique(near).astype(np.uint32)
            ends = np.searchsorted(keys, _flows_of(nodes) << BLOCK_AT).astype(np.uint32)
            self._fill(far, short, number, keys, None)
        else:
            ends = np.zeros(2 * size + 1, np.uint32)
            self._fill(far, short, number, keys, ends[1:])
            np.cumsum(ends, out=ends)
        self.bounds = _bounds(ends[: len(ends) // 2 * 2], self.rows)
        return nodes

    def _fill(self, far: Ints, short: Ints, number: Ints, keys: Ints, counts: Ints | None) -> None:
        """Put the rows in the order of their keys, and count those of each node and flow, some rows at a
        time: memory that is touched for the first time costs as much as the sorting.
        """
        first = int(number[0]) if self.rows else 0
        dense = self.rows == 0 or int(number[-1]) - first + 1 == self.rows
        for some in _pieces(self.rows):
            key = keys[some]
            places = (key & FAR).view(np.intp)
            word = short.take(places).astype(np.uint64)
            word <<= SHORT_AT
            word |= far.take(places)
            numbers = places + first if dense else number.take(places).astype(np.intp)
            self.low[some] = numbers
            numbers >>= HALF
            numbers <<= BLOCK_AT
            np.bitwise_or(word, numbers.view(np.uint64), out=self.word[some])
            if counts is not None:
                node = (key >> BLOCK_AT).view(np.intp)
                ends = np.append((node[1:] != node[:-1]).nonzero()[0], len(node) - 1)
                counts[node.take(ends)] += np.diff(ends, prepend=-1).astype(np.uint32)

    # Where rows stand

    def spans(self, nodes: Ints, beyond: bool) -> tuple[Ints, Ints]:
        """First and last + 1 place of the rows of these nodes (ascending indices): of all, or of data
        alone.
        """
        place = self._places(nodes)
        bounds = self.bounds.take(place)
        begin: Ints = (bounds & FAR).view(np.intp)
        if beyond:
            return begin, (self.bounds.take(place + 1) & FAR).view(np.intp)
        bounds >>= BLOCK_AT
        return begin, bounds.view(np.intp)

    def _places(self, nodes: Ints) -> Ints:
        """Where these nodes' bounds stand: at the end for a node that has no rows here."""
        if self.nodes is None:
            late = len(nodes) > 0 and nodes[-1] > self._last
            return np.minimum(nodes, self._last) if late else nodes
        place = np.searchsorted(self.nodes, nodes)
        place[place == len(self.nodes)] = 0
        place[self.nodes.take(place) != nodes] = self._last
        return place

    def span(self, node: int, beyond: bool) -> tuple[int, int]:
        """As :meth:`spans`, of one node."""
        bounds = self.views[0]
        place = min(node, self._last)
        if self._named is not None:
            place = bisect_left(self._named, node)
            if place == len(self._named) or self._named[place] != node:
                return 0, 0
        begin: int = bounds[place]
        return begin & FAR, bounds[place + 1] & FAR if beyond else begin >> 32

    # What they say

    def entries(self, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
        """(other end, sixteen bits, number) of each row."""
        words, low = self.views[1], self._low
        for place in range(begin, end):
            word = words[place]
            yield word & FAR, word >> SHORT_AT, (word >> BLOCK_AT & _HALF) << HALF | low[place]

    def number(self, place: int) -> int:
        """The number of the row at a place."""
        block: int = self.views[1][place] >> BLOCK_AT & _HALF
        return block << HALF | self._low[place]

    def numbers(self, places: Ints | slice) -> Ints:
        """As :meth:`number`, of many (uint64)."""
        numbers: Ints = self.word[places] & UP_TO_BLOCK
        numbers >>= np.uint64(BLOCK_AT)
        numbers <<= np.uint64(HALF)
        numbers |= self.low[places]
        return numbers

    def shorts(self, places: Ints | slice) -> Ints:
        """The sixteen bits of rows (uint16)."""
        return shorts_in(self.word[places])

    def near(self) -> Ints:
        """The node of each row, in their order."""
        begin = (self.bounds & FAR).view(np.intp)
        nodes = np.arange(self._last, dtype=np.uint32) if self.nodes is None else self.nodes
        return np.repeat(nodes, np.diff(begin[: len(nodes) + 1]))

    def named(self) -> Ints:
        """The nodes that have rows, ascending."""
        if self.nodes is not None:
            return self.nodes
        begin = self.bounds & FAR
        named: Ints = (begin[1:] != begin[:-1]).nonzero()[0]
        return named

    def places_of(self, node: int) -> int:
        """The places of the codes that a node's rows have, each as a bit of one integer. They never change:
        those of a node with many rows are found once.
        """
        places = self._held.get(node)
        if places is None:
            shorts = self.shorts(slice(*self.span(node, True))) & np.uint16(CODE_BITS)
            places = sum(1 << place for place in np.bincount(shorts).nonzero()[0].tolist())
            if len(self._held) >= _HUBS:
                self._held.clear()
            self._held[node] = places
        return places

    def remembered(self, which: Hashable, changes: int) -> dict[int, Step]:
        """Steps by node, to be added to: those that some filter lets pass, while so many changes of bits were
        counted.
        """
        counted, steps = self._steps.get(which, (-1, {}))
        if counted != changes or len(steps) > _NODES:
            if len(self._steps) >= _FILTERS:
                self._steps.clear()
            steps = {}
            self._steps[which] = changes, steps
        return steps

    # Marks on single rows

    def place_of(self, node: int, number: int) -> int:
        """Where the row of this number stands among a node's rows; -1 when it is not there."""
        first, last = self.span(node, True)
        middle = self.span(node, False)[1]
        for begin, end in ((first, middle), (middle, last)):
            place = bisect_left(range(end), number, begin, end, key=self.number)
            if place < end and self.number(place) == number:
                return place
        return -1

    def mark(self, place: int, on: int, off: int) -> int:
        """Set some of a row's sixteen bits and take others away; what they were."""
        words = self.views[1]
        word = words[place]
        words[place] = word & ~(off << SHORT_AT) | on << SHORT_AT
        before: int = word >> SHORT_AT
        return before

    @property
    def nbytes(self) -> int:
        arrays = (self.bounds, self.word, self.low, self.nodes)
        return sum(array.nbytes for array in arrays if array is not None)


def shorts_in(words: Ints) -> Ints:
    """The sixteen bits that stand in words."""
    return (words >> SHORT_AT).astype(np.uint16)


_PIECE = 1 << 14


def _pieces(rows: int) -> Iterator[slice]:
    return (slice(begin, min(begin + _PIECE, rows)) for begin in range(0, rows, _PIECE))


def _sort(near: Ints, short: Ints, keys: Ints) -> None:
    """Make of each row its node and flow above its place, and sort that. Rows that come nearly in order, as
    those of new nodes do, are sorted by merging in a third of the time.
    """
    descents = 0
    for some in _pieces(len(near)):
        key = near[some].astype(np.uint64)
        key <<= np.uint64(1)
        key |= short[some] & np.uint16(CODE_BITS) >= DATA_PLACES
        descents += int(np.count_nonzero(key[1:] < key[:-1]))
        key <<= BLOCK_AT
        np.bitwise_or(key, np.arange(some.start, some.stop, dtype=np.uint64), out=keys[some])
    keys.sort(kind="stable" if descents * _RUNS < len(keys) else None)


def _flows_of(nodes: Ints) -> Ints:
    """Of each node the first key of its data and of its other flows."""
    keys: Ints = np.repeat(nodes.astype(np.uint64) << np.uint64(1), 2)
    keys[1::2] |= np.uint64(1)
    return keys


def _bounds(ends: Ints, rows: int) -> Ints:
    """Where the data and the rest of each node begin, in one integer; and twice the end."""
    bounds = np.full(len(ends) // 2 + 2, rows << 32 | rows, np.uint64)
    bounds[:-2] = ends[1::2]
    bounds[:-2] <<= BLOCK_AT
    bounds[:-2] |= ends[0::2]
    return bounds


class Segment:
    """Rows both ways, given in the order of their numbers, and never changed but for the bits that say that a
    row is contested, retired or refuted now.
    """

    def __init__(
        self, source: Ints, target: Ints, short: Ints, number: Ints, room: Ints | None = None
    ) -> None:
        """``room`` (uint64, one a row at least) is used for words; what it holds is lost."""
        self.rows = rows = len(source)
        self.size = size = int(max(source.max(), target.max())) + 1 if rows else 1
        keys = np.empty(max(rows, min(size, _SPARSE * rows)), np.uint64)
        words = np.empty(rows, np.uint64) if room is None else room[:rows]
        self.sides = {
            Way.OUT: Side(source, target, short, number, size, words, keys),
            Way.IN: Side(target, source, short, number, size, np.empty(rows, np.uint64), keys),
        }

    def mark(self, source: int, target: int, number: int, on: int, off: int) -> int:
        """Set bits of a row and take others away, on both sides; what they were, or -1 for a row that is not
        here.
        """
        for way, node in ((Way.OUT, source), (Way.IN, target)):
            side = self.sides[way]
            place = side.place_of(node, number)
            if place < 0:
                return -1
            before = side.mark(place, on, off)
        return before

    @property
    def nbytes(self) -> int:
        return sum(side.nbytes for side in self.sides.values())


def merged(segments: Sequence[Segment]) -> Segment:
    """One segment for several."""
    sides = [segment.sides[Way.OUT] for segment in segments]
    every = slice(None)
    number = _joined(side.numbers(every) for side in sides)
    order = np.argsort(number)
    return Segment(
        _joined(side.near() for side in sides)[order],
        _joined(side.word & FAR for side in sides)[order],
        _joined(side.shorts(every) for side in sides)[order],
        number[order],
    )


def _joined(columns: Iterable[Ints]) -> Ints:
    return np.concatenate(list(columns))
