"""Steps through an index, a frontier at a time: whole arrays for wide frontiers, plain integers for narrow
ones, since a chain of 20,000 levels must not cost twenty array operations for each of its nodes.

Of what a step reaches for the first time, some is reached at no cost (``near``) and belongs to the same
level, the rest waits for the next one (``pending``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np

from queries.adjacency.columns import Ints, view_of
from queries.adjacency.crossing import COSTLY, LOOK, WATCHED, Crossing
from queries.adjacency.index import Entry
from queries.adjacency.marks import Marks, Nodes, joined
from queries.adjacency.segments import FAR, FAR_BITS, LOW, Side
from queries.adjacency.single import Single

NARROW = 64
"""Nodes of a frontier up to which plain integers cost less than arrays."""

MANY = 4096
"""Rows of one node beyond which it is stepped from by arrays, however narrow the frontier is."""

SUSPECT = 2
"""Said of a node beside whether it has rows in later segments: its rows are looked at one by one."""

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
        self._later = np.append(later, np.ones(more, np.uint8)) if more else later
        self._suspects = len(crossing.suspects) > 0
        if self._suspects:
            self._later = self._later.copy()
            self._later[crossing.suspects] = SUSPECT
        self._later_view = view_of(self._later)
        self.marks = Marks(view.pool, len(self._later))
        self._most = min(self._hub, MANY)
        self._odd = 255 if crossing.past else self._watch
        self._plain = self._first_side()

    def _first_side(self) -> tuple[memoryview, ...]:
        """Columns of the first segment for single nodes; where there is none, or a sparse one, all nodes go
        the longer way.
        """
        sides = self.single.sides
        if not sides or sides[0].nodes is not None:
            self._later_view = view_of(np.ones(len(self._later), np.uint8))
            return (self._later_view,) * 4
        begin, middle, words, short = sides[0].views
        return begin, begin if self.crossing.beyond else middle, words, short

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
        later, most, table, odd = self._later_view, self._most, self.crossing.bytes, self._odd
        begins, ends, words, short = self._plain
        seen, beyond = self.marks.view, 1 if self.crossing.beyond else 0
        for node in nodes:
            if later[node]:
                self._step_from(node, near, pending, hubs)
                continue
            begin, end = begins[node], ends[node + beyond]
            if end - begin > most:
                self._step_from(node, near, pending, hubs)
                continue
            self.touched += end - begin
            for place in range(begin, end):
                told = table[short[place]]
                if not told:
                    continue
                if told & odd:
                    self._cross(node, self.single.sides[0], place, place + 1, near, pending)
                elif not seen[far := words[place] & FAR]:
                    (pending if told & COSTLY else near).append(far)
        return Stepped(near, pending, hubs)

    def _step_from(self, node: int, near: list[int], pending: list[int], hubs: list[int]) -> None:
        """One node that has rows in several segments, or many."""
        rows = self.single.count(node)
        if rows > self._hub and self._is_hub(node):
            hubs.append(node)
        elif rows > MANY and self._later[node] != SUSPECT:
            self._wide(node, near, pending)
        else:
            for side in self.single.sides:
                begin, end = side.span(node, self.crossing.beyond)
                self.touched += end - begin
                self._cross(node, side, begin, end, near, pending)
            self._cross_tail(node, near, pending)

    def _wide(self, node: int, near: list[int], pending: list[int]) -> None:
        """A node with very many rows."""
        stepped = self._step_at_once(np.array([node], np.intp))
        near += np.asarray(stepped.near, np.intp).tolist()
        pending += np.asarray(stepped.pending, np.intp).tolist()

    def _cross(
        self, node: int, side: Side, begin: int, end: int, near: list[int], pending: list[int]
    ) -> None:
        _, _, words, short = side.views
        for place in range(begin, end):
            word = words[place]
            self._cross_one(node, (word & FAR, short[place], word >> 32), near, pending)

    def _cross_one(self, node: int, entry: Entry, near: list[int], pending: list[int]) -> None:
        crossing, (far, short, number) = self.crossing, entry
        told, seen = crossing.looking[short], self.marks.view[far]
        if not told or (seen and not told & self._watch) or not crossing.crossed(short, number):
            return
        if told & self._watch:
            self.watched.append((node, far, short))
        if not seen:
            (pending if told & COSTLY else near).append(far)

    def _cross_tail(self, node: int, near: list[int], pending: list[int]) -> None:
        entries = self.single.tail.get(node, ())
        self.touched += len(entries)
        for entry in entries:
            self._cross_one(node, entry, near, pending)

    # By arrays

    def _step_at_once(self, nodes: Ints) -> Stepped:
        hubs: list[int] = []
        if self._hub < _NO_LIMIT:
            nodes, hubs = self._without_hubs(nodes)
        near: list[Nodes] = []
        pending: list[Nodes] = []
        sides, later = self.single.sides, nodes[:0]
        if len(sides) > 1 or self.single.tail or self._suspects:
            marks = self._later.take(nodes)
            if marks.any():
                suspects = marks == SUSPECT
                self._one_by_one(nodes[suspects], near, pending)
                later = nodes[(marks > 0) & ~suspects]
                self._at_once_tail(later, near, pending)
                nodes = nodes[~suspects]
        for number, side in enumerate(sides):
            some = later if number else nodes
            if len(some):
                self._sort(*self._crossed(side, some), near, pending)
        return Stepped(joined(near), joined(pending), hubs)

    def _one_by_one(self, nodes: Ints, near: list[Nodes], pending: list[Nodes]) -> None:
        close, wait = list[int](), list[int]()
        for node in nodes.tolist():
            for entry in self.single.entries(node):
                self.touched += 1
                self._cross_one(node, entry, close, wait)
        near.append(close)
        pending.append(wait)

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
        words = side.word.take(places)
        far = words.astype(np.uint32)
        if crossing.past:
            told = told * (words <= crossing.last_word)
        some = (told > self.marks.array.take(far)).nonzero()[0]  # 255 for a node that was seen
        far, told = far.take(some), told.take(some)
        look = (told & LOOK).nonzero()[0] if crossing.exact else ()
        if not len(look):
            return far, told
        crossed = np.ones(len(far), bool)
        places, words = places.take(some.take(look)), words.take(some.take(look))
        crossed[look] = crossing.all_closer(side.short.take(places), words >> FAR_BITS)
        return far[crossed], told[crossed]

    def _watch_at_once(self, side: Side, told: Ints, places: Ints, nodes: Ints, counts: Ints) -> None:
        some = (told & self._watch).nonzero()[0]
        if not len(some):
            return
        near, places = nodes.repeat(counts).take(some), places.take(some)
        words = side.word.take(places)
        columns = (near, words & LOW, side.short.take(places), words >> FAR_BITS)
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
