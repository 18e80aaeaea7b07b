"""Rows of many parts put one after the other, while an index is loaded."""

from __future__ import annotations

from queries.adjacency import compiled
from queries.adjacency.arrays import Ints, np
from queries.adjacency.columns import Part, Rows, shorts_of
from queries.adjacency.compiled import address

_FIRST = 1 << 20
"""Rows for which there is room at first; room in large pieces costs the least to touch for the first time."""
_GROWTH = 16
"""Room grows so much: what is not touched costs nothing, and moving rows costs as much as taking them in."""


class Gathered:
    """Columns that grow."""

    def __init__(self) -> None:
        none = np.empty(0, np.uint32)
        self._columns: list[Ints] = [none, none, none, none.astype(np.uint16), none.astype(np.uint64)]
        self._rows = 0
        self._refuting: list[Ints] = [none]
        self._retired: list[tuple[Ints, ...]] = [(none, none, none, none)]

    def add(self, part: Part) -> None:
        count = len(part.source)
        first, self._rows = self._rows, self._rows + count
        if self._rows > len(self._columns[0]):
            self._grow(first)
        numbers = np.arange(part.first, part.first + count, dtype=np.uint32)
        given: tuple[Ints, ...] = (numbers, part.source, part.target, shorts_of(part), part.relation)
        for column, values in zip(self._columns, given, strict=True):
            column[first : self._rows] = values
        self._refuting.append(np.flatnonzero(part.weight & 1 == 0) + first)
        self._retired.append((part.retired, part.until, part.retired_source, part.retired_target))

    def _grow(self, filled: int) -> None:
        size = max(_FIRST, _GROWTH * filled, self._rows)
        for place, column in enumerate(self._columns):
            self._columns[place] = np.empty(size, column.dtype)
            self._columns[place][:filled] = column[:filled]

    @property
    def rows(self) -> Rows:
        return Rows(*[column[: self._rows] for column in self._columns])

    @property
    def refuting(self) -> Ints:
        """The places of the rows that say of an edge that it does not hold."""
        return np.concatenate(self._refuting).astype(np.intp)

    @property
    def retired(self) -> list[Ints]:
        """Number, until, source and target of the rows that hold no longer."""
        return [np.concatenate(column) for column in zip(*self._retired, strict=True)]


def last_by_seq(part: Part, known: int, before: int) -> tuple[int, Ints]:
    """A seq, and for each from it to the last of a part the number of the last row by then (uint64). Of seqs
    below ``known`` it is known, ``before`` at last; the part may begin with the last of them.
    """
    begin, end = min(int(part.since[0]), known), int(part.since[-1]) + 1
    if compiled.LIBRARY:
        numbers = np.empty(end - begin, np.uint64)
        since = np.require(part.since, np.uint32, ["C", "A"])
        rows, at = len(since), address(since, np.uint32)
        if compiled.LIBRARY.number(at, rows, part.first, begin, end, before, address(numbers, np.uint64)):
            raise IndexError("the seqs of rows fall")
        return begin, numbers
    ends = np.append((part.since[1:] != part.since[:-1]).nonzero()[0], len(part.since) - 1)
    numbers = np.full(end - begin, before, np.uint64)
    numbers[part.since[ends].astype(np.intp) - begin] = part.first + ends
    return begin, np.maximum.accumulate(numbers)


def marked(nodes: Ints, marks: Ints) -> Ints:
    """The places at which nodes stand that are marked (bool, by node)."""
    if not compiled.LIBRARY:
        return marks.take(nodes).nonzero()[0]
    found = np.empty(len(nodes), np.uint32)
    columns = address(nodes, np.uint32), len(nodes), address(marks, np.bool_), address(found, np.uint32)
    return found[: compiled.LIBRARY.marked(*columns)].astype(np.intp)
