"""Which rows hold no longer, and from which seq on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from queries.adjacency.arrays import Ints, np
from queries.adjacency.columns import view_of

_TOGETHER = 4096
"""Rows told one by one before they are put with the others: a dictionary takes ten times the room."""


class Retired:
    """Numbers of rows, each with the seq from which on it holds no longer, and the nodes it stood between.
    Only ever added to.
    """

    def __init__(self) -> None:
        self._ended: tuple[Ints, Ints, Ints] | None = None
        self._keep(np.empty(0, np.uint32), np.empty((0, 3), np.uint32))
        self._fresh: dict[int, tuple[int, int, int]] = {}

    def _keep(self, numbers: Ints, more: Ints) -> None:
        """Sorted numbers, and (until, source, target) of each."""
        until = np.ascontiguousarray(more[:, 0])
        self._sorted = (numbers, until, more)
        self._views = (view_of(numbers), view_of(until))

    def add(self, rows: Iterable[tuple[int, int, int, int]]) -> None:
        """Rows by number, with until, source and target."""
        self._fresh.update({number: (until, source, target) for number, until, source, target in rows})
        if len(self._fresh) > _TOGETHER:
            numbers = np.array(list(self._fresh), np.uint32)
            self.load(numbers, *np.array(list(self._fresh.values()), np.uint32).T)
            self._fresh = {}  # after they stand among the others: whoever reads finds them here or there

    def load(self, numbers: Ints, until: Ints, source: Ints, target: Ints) -> None:
        """As :meth:`add`, for many."""
        every = np.concatenate([self._sorted[0], numbers.astype(np.uint32)])
        more = np.stack([until, source, target], axis=1).astype(np.uint32)
        order = np.argsort(every, kind="stable")
        self._keep(every[order], np.concatenate([self._sorted[2], more])[order])

    def held(self, number: int, as_of: int) -> bool:
        """Whether a row, if it is retired, still held then."""
        fresh = self._fresh.get(number)
        if fresh is None:
            numbers, untils = self._views
            place = bisect_left(numbers, number)
            if place == len(numbers) or numbers[place] != number:
                fresh = self._fresh.get(number)  # it may have moved while we looked
                return fresh is None or fresh[0] > as_of
            until: int = untils[place]
            return until > as_of
        return fresh[0] > as_of

    def all_held(self, numbers: Ints, as_of: int) -> Ints:
        """As :meth:`held`, for many (bool)."""
        known, untils, _ = self._sorted
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

    def held_then(self, as_of: int, limit: int) -> Ints:
        """Rows up to the number ``limit`` that still held then, of those that are retired now: number,
        source and target of each.
        """
        known, untils, more = self._sorted
        ended, order = self._by_end(untils)
        then = order[np.searchsorted(ended, as_of, "right") :]
        then = then[known[then] <= limit]
        found = np.column_stack([known[then], more[then, 1:]]).astype(np.uint32)
        fresh = [
            (number, source, target)
            for number, (until, source, target) in list(self._fresh.items())
            if until > as_of and number <= limit
        ]
        return np.concatenate([found, np.array(fresh, np.uint32).reshape(-1, 3)])

    def _by_end(self, untils: Ints) -> tuple[Ints, Ints]:
        """These ascending, and the place of each; kept for as long as the same are asked for."""
        kept = self._ended
        if kept is None or kept[0] is not untils:
            order = np.argsort(untils)
            kept = self._ended = untils, untils[order], order
        return kept[1], kept[2]

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._sorted)
