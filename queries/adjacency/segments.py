"""Edges both ways in compacted arrays: for each node the places of its rows, data first, each in the order of
the log.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

import numpy as np

from queries.adjacency.columns import CODE_BITS, DATA_PLACES, Ints, view_of
from queries.ways import Way

_SPARSE = 2
"""Pointers for every node are kept when they are at most so many times as many as the rows."""
FAR_BITS = np.uint64(32)
LOW = np.uint64(2**32 - 1)
FAR = 2**32 - 1
"""What of a row's word is the node at the other end; above it stands the row's number."""


class Side:
    """The rows of a segment one way.

    Node ``n``'s rows of data stand from ``begin[p]`` to ``middle[p]``, all others up to ``begin[p + 1]``,
    where ``p`` is ``n`` itself, or in a sparse side its place in ``nodes``. Columns, 10 bytes a row: ``word``
    is the row's number and the node at the other end, 32 bits each, so that both come with one look and "up
    to that number" is one comparison; ``short`` is the rest (:mod:`queries.adjacency.columns`).
    """

    def __init__(self, near: Ints, far: Ints, short: Ints, number: Ints, size: int) -> None:
        key = near.astype(np.uint64)
        key <<= np.uint64(1)
        key |= (short & CODE_BITS) >= DATA_PLACES
        key <<= FAR_BITS
        key |= np.arange(len(near), dtype=np.uint64)
        key.sort()
        order = (key & LOW).view(np.intp)
        key >>= FAR_BITS
        self.nodes: Ints | None = None
        if size > _SPARSE * len(near):
            self.nodes = np.unique(near).astype(np.uint32)
            bounds = np.arange(2 * len(self.nodes) + 1) & 1
            bounds[:-1] += 2 * np.repeat(self.nodes.astype(np.intp), 2)
            bounds[-1:] = 2 * size
            ends = np.searchsorted(key, bounds).astype(np.uint32)
        else:
            counts = np.bincount(key.view(np.intp), minlength=2 * size)
            ends = np.zeros(2 * size + 1, np.uint32)
            np.cumsum(counts, out=ends[1:], dtype=np.uint32)
        del key
        self.begin = ends[0::2].copy()
        self.middle = np.append(ends[1::2], ends[-1:])
        word = number.astype(np.uint64)
        word <<= FAR_BITS
        word |= far
        self.word = word.take(order)
        del word
        self.short = short.take(order)
        columns: list[Ints] = [self.begin, self.middle, self.word, self.short]
        self.views = tuple(map(view_of, columns))
        self._named = self.views[0] if self.nodes is None else view_of(self.nodes)

    def spans(self, nodes: Ints, beyond: bool) -> tuple[Ints, Ints]:
        """First and last + 1 place of these nodes' rows: of all of them, or of data alone."""
        if self.nodes is None:  # nodes that came later have no rows here: the end stands for them
            end = self.begin.take(nodes + 1, mode="clip") if beyond else self.middle.take(nodes, mode="clip")
            return self.begin.take(nodes, mode="clip"), end
        place = np.searchsorted(self.nodes, nodes)
        place[place == len(self.nodes)] = 0
        begin, end = self.begin.take(place), (self.begin[1:] if beyond else self.middle).take(place)
        end[self.nodes.take(place) != nodes] = 0
        return np.minimum(begin, end), end

    def span(self, node: int, beyond: bool) -> tuple[int, int]:
        """As :meth:`spans`, of one node."""
        if self.nodes is None:
            place = node if node < len(self.middle) - 1 else 0
        else:
            place = bisect_left(self._named, node)
            if place == len(self._named) or self._named[place] != node:
                return 0, 0
        return self.views[0][place], self.views[0][place + 1] if beyond else self.views[1][place]

    def place_of(self, node: int, number: int) -> int:
        """Where the row of this number stands among a node's rows; -1 when it is not there."""
        first, last = self.span(node, True)
        middle = self.span(node, False)[1]
        for begin, end in ((first, middle), (middle, last)):
            place = bisect_left(self.views[2], number << 32, begin, end)
            if place < end and self.views[2][place] >> 32 == number:
                return place
        return -1

    def near(self) -> Ints:
        """The node of each row, in their order."""
        nodes = np.arange(len(self.begin) - 1, dtype=np.uint32) if self.nodes is None else self.nodes
        return np.repeat(nodes, self.begin[1:].astype(np.intp) - self.begin[:-1])

    @property
    def nbytes(self) -> int:
        arrays = (self.begin, self.middle, self.word, self.short, self.nodes)
        return sum(array.nbytes for array in arrays if array is not None)


class Segment:
    """Rows both ways, given in the order of their numbers, and never changed but for two bits of ``short``:
    that a row is contested or retired.
    """

    def __init__(self, source: Ints, target: Ints, short: Ints, number: Ints) -> None:
        self.size = int(max(source.max(), target.max())) + 1 if len(source) else 1
        self.sides = {
            Way.OUT: Side(source, target, short, number, self.size),
            Way.IN: Side(target, source, short, number, self.size),
        }
        self.rows = len(source)

    def mark(self, source: int, target: int, number: int, on: int, off: int) -> int:
        """Set bits of a row's ``short`` and take others away, on both sides; what it was, or -1 for a row
        that is not here.
        """
        for way, node in ((Way.OUT, source), (Way.IN, target)):
            side = self.sides[way]
            place = side.place_of(node, number)
            if place < 0:
                return -1
            before: int = side.views[3][place]
            side.views[3][place] = before & ~off | on
        return before

    @property
    def nbytes(self) -> int:
        return sum(side.nbytes for side in self.sides.values())


def merged(segments: Sequence[Segment]) -> Segment:
    """One segment for several."""
    sides = [segment.sides[Way.OUT] for segment in segments]
    number = _joined(side.word >> FAR_BITS for side in sides)
    order = np.argsort(number)
    return Segment(
        _joined(side.near() for side in sides)[order],
        _joined(side.word & LOW for side in sides)[order],
        _joined(side.short for side in sides)[order],
        number[order],
    )


def _joined(columns: Iterable[Ints]) -> Ints:
    return np.concatenate(list(columns))
