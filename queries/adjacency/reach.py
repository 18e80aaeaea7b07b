"""Steps through an index, a frontier at a time: whole arrays for wide frontiers, plain integers for narrow
ones, since a chain of 20,000 levels must not cost twenty array operations for each of its nodes.

Of what a step reaches for the first time, some is reached at no cost (``near``) and belongs to the same
level, the rest waits for the next one (``pending``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np

from queries.adjacency.columns import Ints
from queries.adjacency.crossing import COSTLY, LOOK, WATCHED, Crossing
from queries.adjacency.marks import Marks, Nodes, joined
from queries.adjacency.segments import Side
from queries.adjacency.single import Single

NARROW = 64
"""Nodes of a frontier up to which plain integers cost less than arrays."""

MANY = 4096
"""Rows of one node beyond which it is stepped from by arrays, however narrow the frontier is."""

_NO_LIMIT = 2**62


class Stepped(NamedTuple):
    """``near`` and ``pending`` may name a node several times; ``hubs`` were not stepped from."""

    near: Nodes
    pending: Nodes
    hubs: list[int]


class Reach:
    """A walk under way. ``touched`` counts the rows looked at; ``watched`` are the rows crossed, whatever was
    seen before, of which :data:`WATCHED` is told: the node stepped from, the other end, the sixteen bits.

    ``hub`` is how many neighbours a node may have to be stepped from, None for any; those of ``expand`` may
    have any number. ``size`` is beyond every node that will be named: one without rows may be unknown here.
    """

    def __init__(
        self,
        crossing: Crossing,
        hub: int | None = None,
        expand: Collection[int] = (),
        watch: bool = False,
        size: int = 0,
    ) -> None:
        view = crossing.view
        self.crossing = crossing
        self.single = Single(crossing)
        self.touched = 0
        self.watched: list[tuple[int, int, int]] = []
        self._watch = WATCHED if watch else 0
        self._hub = _NO_LIMIT if hub is None else hub
        self._expand = frozenset(expand)
        later = view.later[crossing.way]
        more = max(0, size - len(later))
        self._later = np.append(later, np.zeros(more, np.uint8)) if more else later
        self.marks = Marks(view.pool, len(self._later))

    def step(self, nodes: Nodes) -> Stepped:
        """What can be crossed to from these nodes and was not seen before."""
        if len(nodes) > NARROW:
            return self._step_at_once(np.asarray(nodes, np.intp))
        return self._step_by_one(nodes if isinstance(nodes, list) else nodes.tolist())

    def levels(self, starts: Iterable[int]) -> Iterable[Nodes]:
        """The nodes at each depth from the start nodes, depth after depth."""
        marks = self.marks
        batch: Nodes = marks.unseen(list(starts))
        while len(batch) > 0:
            members, waiting = [], []
            while len(batch) > 0:
                members.append(batch)
                marks.see(batch)
                stepped = self.step(batch)
                waiting.append(stepped.pending)
                batch = marks.unseen(stepped.near)
            yield joined(members)
            batch = marks.unseen(joined(waiting))

    # By plain integers

    def _step_by_one(self, nodes: list[int]) -> Stepped:
        near: list[int] = []
        pending: list[int] = []
        hubs: list[int] = []
        later, beyond, hub = self._later, self.crossing.beyond, self._hub
        sides, first = self.single.sides, self.single.sides[:1]
        for node in nodes:
            spans = [(side, side.span(node, beyond)) for side in (sides if later[node] else first)]
            rows = sum([end - begin for _, (begin, end) in spans])
            if (rows > hub or later[node]) and self._is_hub(node):
                hubs.append(node)
            elif rows > MANY:
                self._wide(node, near, pending)
            else:
                self.touched += rows
                for side, (begin, end) in spans:
                    if end > begin:
                        self._cross(node, side, begin, end, near, pending)
                if later[node]:
                    self._cross_tail(node, near, pending)
        return Stepped(near, pending, hubs)

    def _wide(self, node: int, near: list[int], pending: list[int]) -> None:
        """A node with very many rows."""
        stepped = self._step_at_once(np.array([node], np.intp))
        near += np.asarray(stepped.near, np.intp).tolist()
        pending += np.asarray(stepped.pending, np.intp).tolist()

    def _cross(
        self, node: int, side: Side, begin: int, end: int, near: list[int], pending: list[int]
    ) -> None:
        crossing, seen, table, watch = self.crossing, self.marks.view, self.crossing.bytes, self._watch
        past = crossing.past
        _, _, far, short, number = side.views
        for place in range(begin, end):
            told = table[short[place]]
            if not told:
                continue
            other = far[place]
            if (seen[other] and not told & watch) or (
                past and not crossing.crossed(short[place], number[place])
            ):
                continue
            if told & watch:
                self.watched.append((node, other, short[place]))
                if seen[other]:
                    continue
            if told & COSTLY:
                pending.append(other)
            else:
                near.append(other)

    def _cross_tail(self, node: int, near: list[int], pending: list[int]) -> None:
        crossing, seen, table = self.crossing, self.marks.view, self.crossing.bytes
        entries = self.single.tail.get(node, ())
        self.touched += len(entries)
        for far, short, number in entries:
            told = table[short]
            if not told or not crossing.crossed(short, number):
                continue
            if told & self._watch:
                self.watched.append((node, far, short))
            if not seen[far]:
                (pending if told & COSTLY else near).append(far)

    # By arrays

    def _step_at_once(self, nodes: Ints) -> Stepped:
        hubs: list[int] = []
        if self._hub < _NO_LIMIT:
            nodes, hubs = self._without_hubs(nodes)
        near: list[Nodes] = []
        pending: list[Nodes] = []
        sides, tail = self.single.sides, self.single.tail
        if len(sides) > 1 or tail:
            later = nodes[self._later.take(nodes) > 0]
            self._at_once_tail(later, near, pending)
        for number, side in enumerate(sides):
            some = later if number else nodes
            if len(some):
                self._sort(*self._crossed(side, some), near, pending)
        return Stepped(joined(near), joined(pending), hubs)

    def _sort(self, far: Ints, told: Ints, near: list[Nodes], pending: list[Nodes]) -> None:
        """Mostly all steps from one kind of node cost the same."""
        costly = told & COSTLY
        count = np.count_nonzero(costly)
        if count == len(far):
            pending.append(far)
        elif not count:
            near.append(far)
        else:
            pending.append(far.compress(costly))
            near.append(far.compress(costly == 0))

    def _at_once_tail(self, nodes: Ints, near: list[Nodes], pending: list[Nodes]) -> None:
        close, wait = list[int](), list[int]()
        for node in nodes.tolist() if self.single.tail else ():
            self._cross_tail(node, close, wait)
        near.append(close)
        pending.append(wait)

    def _crossed(self, side: Side, nodes: Ints) -> tuple[Ints, Ints]:
        """The other ends, not seen before, of the rows that may be crossed, and what the table says of each.

        ``take`` costs a third of indexing where the indices are not of the machine's own width.
        """
        crossing = self.crossing
        begin, end = side.spans(nodes, crossing.beyond)
        places = _places(begin, end)
        self.touched += len(places)
        told = crossing.table.take(side.short.take(places))
        if self._watch:
            self._watch_at_once(side, told, places, nodes, (end - begin).astype(np.intp))
        far = side.far.take(places)
        some = (told > self.marks.array.take(far)).nonzero()[0]  # 255 for a node that was seen
        far, told = far.take(some), told.take(some)
        if not crossing.past:
            return far, told
        places = places.take(some)
        number = side.number.take(places)
        crossed = number <= crossing.limit
        look = (told & LOOK).nonzero()[0]
        if len(look):
            crossed[look] = crossing.all_closer(side.short.take(places.take(look)), number.take(look))
        return (far, told) if crossed.all() else (far.compress(crossed), told.compress(crossed))

    def _watch_at_once(self, side: Side, told: Ints, places: Ints, nodes: Ints, counts: Ints) -> None:
        some = (told & self._watch).nonzero()[0]
        if not len(some):
            return
        near, places = nodes.repeat(counts).take(some), places.take(some)
        columns = (near, side.far.take(places), side.short.take(places), side.number.take(places))
        for one in zip(*[column.tolist() for column in columns], strict=True):
            if self.crossing.crossed(one[2], one[3]):
                self.watched.append(one[:3])

    # Hubs

    def _without_hubs(self, nodes: Ints) -> tuple[Ints, list[int]]:
        rows = np.zeros(len(nodes), np.intp)
        for side in self.single.sides:
            begin, end = side.spans(nodes, self.crossing.beyond)
            rows += end - begin
        likely = (rows > self._hub) | (self._later.take(nodes) > 0)
        hubs = [node for node in nodes[likely].tolist() if self._is_hub(node)]
        return (nodes[~np.isin(nodes, hubs)] if hubs else nodes), hubs

    def _is_hub(self, node: int) -> bool:
        """Whether a node has more neighbours than may be stepped to, by whatever evidence."""
        if node in self._expand or self.single.count(node) <= self._hub:
            return False
        return len(self.single.neighbours(node, self._hub + 1)) > self._hub


def _places(begin: Ints, end: Ints) -> Ints:
    """Every place from each begin to before its end."""
    counts = (end - begin).astype(np.intp)
    ends = counts.cumsum()
    places: Ints = (begin - (ends - counts)).repeat(counts)
    places += np.arange(len(places))
    return places
