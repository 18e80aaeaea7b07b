"""Rows of many parts put one after the other, while an index is loaded."""

from __future__ import annotations

import numpy as np

from queries.adjacency.columns import Ints, Part, Rows, shorts_of

_FIRST = 1 << 20
"""Rows for which there is room at first; room in large pieces costs the least to touch for the first time."""


class Gathered:
    """Columns that grow by doubling."""

    def __init__(self) -> None:
        none = np.empty(0, np.uint32)
        self._columns: list[Ints] = [none, none, none, none.astype(np.uint16), none.astype(np.uint64)]
        self._rows = 0
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
        self._retired.append((part.retired, part.until, part.retired_source, part.retired_target))

    def _grow(self, filled: int) -> None:
        size = max(_FIRST, 2 * filled, self._rows)
        for place, column in enumerate(self._columns):
            self._columns[place] = np.empty(size, column.dtype)
            self._columns[place][:filled] = column[:filled]

    @property
    def rows(self) -> Rows:
        return Rows(*[column[: self._rows] for column in self._columns])

    @property
    def retired(self) -> list[Ints]:
        """Number, until, source and target of the rows that hold no longer."""
        return [np.concatenate(column) for column in zip(*self._retired, strict=True)]
