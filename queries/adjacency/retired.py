"""Which rows hold no longer, and from which seq on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np

from queries.adjacency.columns import Ints, view_of

_TOGETHER = 4096
"""Rows told one by one before they are put with the others: a dictionary takes ten times the room."""


class Retired:
    """Numbers of rows, each with the seq from which on it holds no longer. Only ever added to."""

    def __init__(self) -> None:
        self._sorted: tuple[Ints, Ints] = (np.empty(0, np.uint32), np.empty(0, np.uint64))
        self._views = (view_of(self._sorted[0]), view_of(self._sorted[1]))
        self._fresh: dict[int, int] = {}

    def add(self, numbers: Iterable[int], until: Iterable[int]) -> None:
        self._fresh.update(zip(numbers, until, strict=True))
        if len(self._fresh) > _TOGETHER:
            fresh = np.array(list(self._fresh.items()), np.uint64).reshape(-1, 2)
            self.load(fresh[:, 0], fresh[:, 1])
            self._fresh = {}  # after they stand among the others: whoever reads finds them here or there

    def load(self, numbers: Ints, until: Ints) -> None:
        """As :meth:`add`, for many."""
        every = np.concatenate([self._sorted[0], numbers.astype(np.uint32)])
        order = np.argsort(every, kind="stable")
        self._sorted = (every[order], np.concatenate([self._sorted[1], until.astype(np.uint64)])[order])
        self._views = (view_of(self._sorted[0]), view_of(self._sorted[1]))

    def held(self, number: int, as_of: int) -> bool:
        """Whether a retired row still held then."""
        until = self._fresh.get(number)
        if until is None:
            numbers, untils = self._views
            place = bisect_left(numbers, number)
            if place == len(numbers) or numbers[place] != number:
                return self._fresh.get(number, as_of + 1) > as_of
            until = untils[place]
        return until > as_of

    def all_held(self, numbers: Ints, as_of: int) -> Ints:
        """As :meth:`held`, for many (bool)."""
        known, untils = self._sorted
        if not len(known):
            return np.array([self.held(number, as_of) for number in numbers.tolist()], bool)
        place = np.searchsorted(known, numbers)
        place[place == len(known)] = 0
        held: Ints = untils[place] > as_of
        unlike = np.flatnonzero(known[place] != numbers)
        held[unlike] = True
        for at in unlike.tolist() if self._fresh else ():
            held[at] = self.held(int(numbers[at]), as_of)
        return held

    def held_then(self, as_of: int) -> Ints:
        """The numbers of rows that still held then, of those that are retired now."""
        known, untils = self._sorted
        fresh = [number for number, until in list(self._fresh.items()) if until > as_of]
        return np.concatenate([known[untils > as_of], np.array(fresh, np.uint32)])

    @property
    def nbytes(self) -> int:
        return self._sorted[0].nbytes + self._sorted[1].nbytes
