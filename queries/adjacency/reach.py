"""Steps through an index, a frontier at a time: whole arrays for wide frontiers, plain integers for narrow
ones, since a chain of 20,000 levels must not cost twenty array operations for each of its nodes.

Of what a step reaches for the first time, some is reached at no cost (``near``) and belongs to the same
level, the rest waits for the next one (``pending``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set
from typing import NamedTuple

import numpy as np

from queries.adjacency.columns import Ints
from queries.adjacency.crossing import COSTLY, LOOK, NAMED, OPEN, Crossing
from queries.adjacency.index import Entry
from queries.adjacency.segments import Side

NARROW = 64
"""Nodes of a frontier up to which plain integers cost less than arrays."""

MANY = 4096
"""Rows of one node beyond which it is stepped from by arrays, however narrow the frontier is."""

Nodes = list[int] | Ints


class Stepped(NamedTuple):
    """``near`` and ``pending`` may name a node several times; ``hubs`` were not stepped from."""

    near: Nodes
    pending: Nodes
    hubs: list[int]


class _Few(dict[int, int]):
    """Nodes seen so far, while they are few: looked up like an array, and no larger than they are."""

    def __missing__(self, node: int) -> int:
        return 0


class Reach:
    """A walk under way. ``touched`` counts the rows looked at.

    ``hub`` is how many neighbours a node may have to be stepped from, None for any; those of ``expand`` may
    have any number.
    """

    def __init__(self, crossing: Crossing, hub: int | None = None, expand: Collection[int] = ()) -> None:
        self.crossing = crossing
        self.view = crossing.view
        self.touched = 0
        self._hub = hub
        self._expand = frozenset(expand)
        self._sides = [segment.sides[crossing.way] for segment in self.view.segments]
        self._tail = self.view.tails[crossing.way]
        self._later = self.view.later[crossing.way]
        self._few = _Few()
        self._array: Ints | None = None
        self._seen: _Few | memoryview = self._few

    # Which nodes were seen

    def see(self, nodes: Nodes) -> None:
        """Note that these nodes are reached. Nodes without any row are beyond the view."""
        if self._array is not None:
            array = np.asarray(nodes, np.intp)
            self._array[array[array < self.view.size]] = 1
        else:
            self._few.update(dict.fromkeys(nodes if isinstance(nodes, list) else nodes.tolist(), 1))

    def unseen(self, nodes: Nodes) -> Nodes:
        """Those not reached yet, each once."""
        if isinstance(nodes, list):
            seen = self._seen
            return [node for node in dict.fromkeys(nodes) if not seen[node]]
        fresh: Ints = nodes[self._marks()[nodes] == 0]
        fresh.sort()
        firsts: Ints = fresh[_firsts(fresh)]
        return firsts

    def has(self, node: int) -> bool:
        return bool(self._seen[node])

    def _marks(self) -> Ints:
        if self._array is None:
            self._array = np.zeros(self.view.size, np.uint8)
            few, self._few = self._few, _Few()
            self.see(list(few))
            self._seen = memoryview(self._array)  # type: ignore[arg-type]
        return self._array

    # Steps

    def step(self, nodes: Nodes) -> Stepped:
        """What can be crossed to from these nodes and was not seen before."""
        if len(nodes) <= NARROW:
            some = nodes if isinstance(nodes, list) else nodes.tolist()
            return self._step_by_one([node for node in some if node < self.view.size])
        array = np.asarray(nodes, np.intp)
        return self._step_at_once(array[array < self.view.size])

    def levels(self, starts: Nodes) -> Iterable[Nodes]:
        """The nodes at each depth from the start nodes, depth after depth."""
        batch = self.unseen(starts)
        while len(batch):
            members, waiting = [], []
            while len(batch):
                members.append(batch)
                self.see(batch)
                stepped = self.step(batch)
                waiting.append(stepped.pending)
                batch = self.unseen(stepped.near)
            yield joined(members)
            batch = self.unseen(joined(waiting))

    def _step_by_one(self, nodes: list[int]) -> Stepped:
        near: list[int] = []
        pending: list[int] = []
        hubs: list[int] = []
        for node in nodes:
            for side in self._sides if self._later[node] else self._sides[:1]:
                begin, end = side.span(node, self.crossing.beyond)
                if end - begin > MANY:
                    return self._step_at_once(np.array(nodes, np.intp))
            if self._hub is not None and self._is_hub(node):
                hubs.append(node)
            else:
                self._cross(node, near, pending)
        return Stepped(near, pending, hubs)

    def _cross(self, node: int, near: list[int], pending: list[int]) -> None:
        crossing, seen, table = self.crossing, self._seen, self.crossing.bytes
        later = self._later[node]
        for side in self._sides if later else self._sides[:1]:
            begin, end = side.span(node, crossing.beyond)
            self.touched += end - begin
            _, _, far, short, number = side.views
            for place in range(begin, end):
                told = table[short[place]]
                if not told & (OPEN | LOOK) or seen[far[place]]:
                    continue
                if told & LOOK:
                    if not crossing.closer(node, far[place], short[place], number[place]):
                        continue
                elif crossing.past and number[place] > crossing.limit:
                    continue
                if told & COSTLY:
                    pending.append(far[place])
                else:
                    near.append(far[place])
        if later:
            self._cross_tail(node, self._tail.get(node, ()), near, pending)

    def _cross_tail(self, node: int, entries: Sequence[Entry], near: list[int], pending: list[int]) -> None:
        crossing, seen, table = self.crossing, self._seen, self.crossing.bytes
        self.touched += len(entries)
        for far, short, number in entries:
            told = table[short]
            if not told & (OPEN | LOOK) or number > crossing.limit or seen[far]:
                continue
            if told & OPEN or crossing.closer(node, far, short, number):
                (pending if told & COSTLY else near).append(far)

    def _step_at_once(self, nodes: Ints) -> Stepped:
        marks = self._marks()
        hubs: list[int] = []
        if self._hub is not None:
            nodes, hubs = self._without_hubs(nodes)
        near: list[Ints] = []
        pending: list[Ints] = []
        for number, side in enumerate(self._sides):
            some = nodes if number == 0 else nodes[self._later[nodes] > 0]
            if len(some):
                far, told = self._crossed(side, some)
                fresh = marks[far] == 0
                far, costly = far[fresh], told[fresh] & COSTLY > 0
                near.append(far[~costly])
                pending.append(far[costly])
        self._at_once_tail(nodes, near, pending)
        return Stepped(self.unseen(joined(near)), self.unseen(joined(pending)), hubs)

    def _at_once_tail(self, nodes: Ints, near: list[Ints], pending: list[Ints]) -> None:
        tail, close, wait = self._tail, list[int](), list[int]()
        if tail:
            for node in nodes[self._later[nodes] > 0].tolist():
                if node in tail:
                    self._cross_tail(node, tail[node], close, wait)
        near.append(np.array(close, np.uint32))
        pending.append(np.array(wait, np.uint32))

    def _crossed(self, side: Side, nodes: Ints) -> tuple[Ints, Ints]:
        """The other ends of the rows that may be crossed, and what the table says of each."""
        crossing = self.crossing
        begin, end = side.spans(nodes, crossing.beyond)
        places, counts = _places(begin, end)
        self.touched += len(places)
        short = side.short[places]
        told = crossing.table[short]
        crossed = (told & OPEN).astype(bool)
        if crossing.past:
            crossed &= side.number[places] <= crossing.limit
        look = np.flatnonzero(told & LOOK)
        if len(look):
            near = np.repeat(nodes, counts)[look]
            some = places[look]
            crossed[look] = crossing.all_closer(near, side.far[some], short[look], side.number[some])
        if not crossed.all():
            places, told = places[crossed], told[crossed]
        return side.far[places], told

    # Hubs

    def _without_hubs(self, nodes: Ints) -> tuple[Ints, list[int]]:
        rows = np.zeros(len(nodes), np.intp)
        for side in self._sides:
            begin, end = side.spans(nodes, self.crossing.beyond)
            rows += end - begin
        assert self._hub is not None  # noqa: S101 - else nobody asks
        likely = (rows > self._hub - len(self._tail)) & ((rows > self._hub) | (self._later[nodes] > 0))
        hubs = [node for node in nodes[likely].tolist() if self._is_hub(node)]
        return (nodes[~np.isin(nodes, hubs)] if hubs else nodes), hubs

    def _is_hub(self, node: int) -> bool:
        """Whether a node has more neighbours than may be stepped to, by whatever evidence."""
        assert self._hub is not None  # noqa: S101 - else nobody asks
        if node in self._expand or self._rows(node) <= self._hub:
            return False
        return len(self.neighbours(node, self._hub + 1)) > self._hub

    def _rows(self, node: int) -> int:
        spans = [side.span(node, self.crossing.beyond) for side in self._sides]
        return sum(end - begin for begin, end in spans) + len(self._tail.get(node, ()))

    def neighbours(self, node: int, most: int) -> set[int]:
        """The nodes at the other ends of rows of the policy's codes that were there then, at most about so
        many.
        """
        crossing = self.crossing
        found: set[int] = set()
        for side in self._sides:
            begin, end = side.span(node, crossing.beyond)
            for first in range(begin, end, MANY):
                if len(found) >= most:
                    return found
                found.update(self._named(side, first, min(first + MANY, end)))
        for far, short, number in self._tail.get(node, ()):
            if crossing.bytes[short] & NAMED and crossing.visible(short, number):
                found.add(far)
        return found

    def _named(self, side: Side, begin: int, end: int) -> list[int]:
        crossing = self.crossing
        short, number = side.short[begin:end], side.number[begin:end]
        named = ((crossing.table[short] & NAMED) > 0) & (number <= crossing.limit)
        for place in np.flatnonzero(named & ((crossing.table[short] & LOOK) > 0)).tolist():
            named[place] = crossing.visible(int(short[place]), int(number[place]))
        fars: list[int] = np.unique(side.far[begin:end][named]).tolist()
        return fars

    def open_beyond(self, node: int, known: Set[int], most: int) -> int:
        """How many nodes not in ``known`` can be crossed to from a node, counted up to ``most``."""
        found: set[int] = set()
        for far, _ in self.crossed(node):
            if far not in known:
                found.add(far)
                if len(found) >= most:
                    break
        return len(found)

    def crossed(self, node: int) -> Iterable[tuple[int, int]]:
        """(other end, sixteen bits) of each row of a node that may be crossed."""
        for far, short, number in self._entries(node):
            if self.crossing.crossed(node, far, short, number):
                yield far, short

    def _entries(self, node: int) -> Iterable[Entry]:
        for side in self._sides:
            begin, end = side.span(node, self.crossing.beyond)
            _, _, fars, shorts, numbers = side.views
            for place in range(begin, end):
                yield fars[place], shorts[place], numbers[place]
        yield from self._tail.get(node, ())


def _places(begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Every place from each begin to before its end, and how many each has."""
    counts = end - begin
    ends = np.cumsum(counts)
    places = np.arange(ends[-1] if len(ends) else 0)
    places += np.repeat(begin - (ends - counts), counts)
    return places, counts


def _firsts(ascending: Ints) -> Ints:
    """True where a value stands for the first time."""
    first = np.ones(len(ascending), bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return first


def joined(parts: Sequence[Nodes]) -> Nodes:
    """Several lists or arrays as one."""
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, list) for part in parts):
        return [node for part in parts for node in part]
    return np.concatenate([np.asarray(part, np.uint32) for part in parts])
