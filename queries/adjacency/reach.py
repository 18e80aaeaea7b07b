"""Steps through an index, a frontier at a time: by compiled code where there is some. What that hands back,
and all where there is none, goes by whole arrays for wide frontiers and by plain integers for narrow ones: a
chain of 20,000 levels must not cost twenty array operations for each of its nodes.

Of what a step reaches for the first time, some is reached at no cost (``near``) and belongs to the same
level, the rest waits for the next one (``pending``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from ctypes import CDLL
from functools import cache
from typing import NamedTuple

from queries.adjacency import compiled
from queries.adjacency.arrays import Ints, np
from queries.adjacency.columns import view_of
from queries.adjacency.crossing import COSTLY, FREE, LOOK, WATCHED, Crossing
from queries.adjacency.index import TAIL, Entry
from queries.adjacency.marks import Marks, Nodes, joined
from queries.adjacency.segments import FAR, SHORT_AT, UP_TO_BLOCK, Side
from queries.adjacency.single import Single
from queries.adjacency.swift import SEGMENTS, Handed, Swift

NARROW = 64
"""Nodes of a frontier up to which plain integers cost less than arrays."""

MANY = 512
"""Rows of one node beyond which it is stepped from by arrays, however narrow the frontier is."""

_FEW = 16
"""Rows are looked at one by one when they are at most one in so many."""

_NO_LIMIT = 2**62


class Stepped(NamedTuple):
    """``near`` are reached now, each once; ``hubs`` were not stepped from."""

    near: Nodes
    hubs: list[int]


class _Found(NamedTuple):
    """What was not reached before, to be put among the marks: both may name a node several times."""

    near: list[Nodes]
    pending: list[Nodes]

    def few(self) -> tuple[list[int], list[int]]:
        """Lists of both that single nodes are added to."""
        near: list[int] = []
        pending: list[int] = []
        self.near.append(near)
        self.pending.append(pending)
        return near, pending


class Reach:
    """A walk under way. With ``watch``, some of the rows crossed are :attr:`watched`.

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
        self._touched = 0
        self._watched: list[tuple[int, int, int]] = []
        self._watch = WATCHED if watch else 0
        self._hub = _NO_LIMIT if hub is None else hub
        self._expand = frozenset(expand)
        later = view.later[crossing.way]
        more = max(0, size - len(later))
        self._later = np.append(later, np.full(more, TAIL, np.uint8)) if more else later
        self._suspects = crossing.suspects.astype(np.intp)
        self._suspect = frozenset(self._suspects.tolist())
        self._later_view = view_of(self._later)
        self._most = min(self._hub, MANY)
        self._odd = 255 if crossing.past else self._watch
        self._plain = self._first_side()
        self._several = len(self.single.sides) > 1 or bool(self.single.tail)
        few = len(self.single.sides) <= SEGMENTS
        self._swift = self._by(compiled.LIBRARY) if compiled.LIBRARY and self._plain and few else None
        self.marks = self._swift or Marks(view.pool, len(self._later))

    def _first_side(self) -> tuple[memoryview, ...]:
        """Columns of the first segment for single nodes; where there is none, or a sparse one, all nodes go
        the longer way.
        """
        sides = self.single.sides
        return sides[0].views if sides and sides[0].nodes is None else ()

    def _by(self, library: CDLL) -> Swift:
        later = self._later if self._several else None
        sides, size = self.single.sides, len(self._later)
        return Swift(library, self.crossing, sides, size, later, self._hub, self._watch)

    @property
    def touched(self) -> int:
        """Rows looked at."""
        return self._touched + (self._swift.touched if self._swift else 0)

    @property
    def watched(self) -> list[tuple[int, int, int]]:
        """The rows crossed, whatever was reached before, of which :data:`WATCHED` is told: the node stepped
        from, the other end, the sixteen bits.
        """
        if not self._swift:
            return self._watched
        watched = list(self._watched)
        for side, near, places in self._swift.watched():
            words = side.word.take(places)
            columns = (near, words & FAR, words >> SHORT_AT)
            watched += zip(*[column.tolist() for column in columns], strict=True)
        return watched

    def step(self, nodes: Nodes) -> Stepped:
        """What can be crossed to from these nodes and was not reached before. What waits, the marks tell."""
        if not self._swift:
            return self._step_on(nodes, _Found([], []))
        near, handed = self._swift.step(nodes)
        if not handed:
            return Stepped(near, [])
        others, hubs = self._step_on_handed(handed)
        return Stepped(joined([near, others]), hubs)

    def close(self, nodes: Nodes) -> tuple[Nodes, Stepped]:
        """Nodes that those entered last lead to at no cost, and from which was stepped as well; and what was
        reached beyond them.
        """
        if not self._swift:
            return [], self._step_on(nodes, _Found([], []))
        stepped, handed = self._swift.close(nodes)
        return stepped, self._step_on_handed(handed) if handed else Stepped([], [])

    def _step_on_handed(self, handed: Handed) -> Stepped:
        found = _Found([], [])
        self._cross_handed(handed, found)
        return self._step_on(handed.nodes, found)

    def _step_on(self, nodes: Nodes, found: _Found) -> Stepped:
        """Step without compiled code; something may be found already."""
        if len(nodes) > NARROW:
            hubs = self._step_at_once(np.sort(np.asarray(nodes, np.intp), kind="stable"), found)
        else:
            hubs = self._step_by_one(nodes if isinstance(nodes, list) else nodes.tolist(), found)
        self.marks.wait(joined(found.pending))
        return Stepped(self.marks.enter(joined(found.near)), hubs)

    def levels(self, starts: Iterable[int]) -> Iterable[Nodes]:
        """The nodes at each depth from the start nodes, depth after depth."""
        swift = self._swift
        batch = self.marks.enter(list(starts))
        while len(batch) > 0:
            first = swift.reached - len(batch) if swift else 0
            members: list[Nodes] = []
            while len(batch) > 0:
                stepped, reached = self.close(batch)
                members += [batch, stepped]
                batch = reached.near
            yield swift.since(first) if swift else joined(members)
            batch = self.marks.next()

    def _cross_handed(self, handed: Handed, found: _Found) -> None:
        """Cross the rows that compiled code hands back."""
        for side, nodes, places in handed.rows:
            if len(places) > NARROW:
                self._cross_rows(side, places.astype(np.intp), nodes, found, True)
                continue
            near, pending = found.few()
            for node, place in zip(nodes.tolist(), places.tolist(), strict=True):
                self._cross(node, side, place, place + 1, near, pending)

    # By plain integers

    def _step_by_one(self, nodes: list[int], found: _Found) -> list[int]:
        if not self._plain:
            return self._step_from(nodes, found)
        others: list[int] = []
        near, pending = found.few()
        later, most, table, odd = self._later_view, self._most, self.crossing.bytes, self._odd
        suspect = self._suspect
        bounds, words = self._plain
        marks, beyond = self.marks.view, self.crossing.beyond
        for node in nodes:
            if later[node] or node in suspect:
                others.append(node)
                continue
            begin = bounds[node]
            end = bounds[node + 1] & FAR if beyond else begin >> 32
            begin &= FAR
            if end - begin > most:
                others.append(node)
                continue
            self._touched += end - begin
            for place in range(begin, end):
                told = table[(word := words[place]) >> SHORT_AT]
                if not told:
                    continue
                if told & odd:
                    self._cross(node, self.single.sides[0], place, place + 1, near, pending)
                elif told > marks[far := word & FAR]:
                    (pending if told & COSTLY else near).append(far)
        return self._step_from(others, found) if others else []

    def _step_from(self, nodes: list[int], found: _Found) -> list[int]:
        """From nodes that have rows in several segments, or many; the hubs among them."""
        hubs: list[int] = []
        near, pending = found.few()
        for node in nodes:
            rows = self.single.count(node)
            if rows > self._hub and self._is_hub(node):
                hubs.append(node)
            elif rows > MANY:
                self._step_at_once(np.array([node], np.intp), found)
            else:
                for side in self.single.sides:
                    begin, end = side.span(node, self.crossing.beyond)
                    self._touched += end - begin
                    self._cross(node, side, begin, end, near, pending)
                self._cross_tail(node, near, pending)
        return hubs

    def _cross(
        self, node: int, side: Side, begin: int, end: int, near: list[int], pending: list[int]
    ) -> None:
        for entry in side.entries(begin, end):
            self._cross_one(node, entry, near, pending)

    def _cross_one(self, node: int, entry: Entry, near: list[int], pending: list[int]) -> None:
        crossing, (far, short, number) = self.crossing, entry
        if number > crossing.limit:  # its node may be beyond all that this walk knows
            return
        told = crossing.looking[short]
        fresh = told > self.marks.view[far]
        if not (fresh or told & self._watch) or not crossing.crossed(short, number):
            return
        if told & self._watch:
            self._watched.append((node, far, short))
        if fresh:
            (pending if told & COSTLY else near).append(far)

    def _cross_tail(self, node: int, near: list[int], pending: list[int]) -> None:
        entries = self.single.tail.get(node, ())
        self._touched += len(entries)
        for entry in entries:
            self._cross_one(node, entry, near, pending)

    # By arrays

    def _step_at_once(self, nodes: Ints, found: _Found) -> list[int]:
        """From nodes in ascending order; the hubs among them."""
        nodes, hubs = self._without_hubs(nodes)
        sides, later = self.single.sides, nodes[:0]
        if self._several:
            odd = nodes.take(self._later.take(nodes).nonzero()[0])
            if self.single.tail:
                near, pending = found.few()
                for node in odd.tolist():
                    self._cross_tail(node, near, pending)
            later, _ = _without(odd, self._suspects)
        if len(self._suspects):
            nodes, suspects = _without(nodes, self._suspects)
            for side in sides if len(suspects) else ():
                self._cross_at_once(side, suspects, found, True)
        for number, side in enumerate(sides):
            some = later if number else nodes
            if len(some):
                self._cross_at_once(side, some, found, self.crossing.exact)
        return hubs

    def _cross_at_once(self, side: Side, nodes: Ints, found: _Found, closer: bool) -> None:
        begin, end = side.spans(nodes, self.crossing.beyond)
        end -= begin
        places = _places(begin, end)
        self._touched += len(places)
        near = nodes.repeat(end) if self._watch else nodes
        self._cross_rows(side, places, near, found, closer)

    def _cross_rows(self, side: Side, places: Ints, near: Ints, found: _Found, closer: bool) -> None:
        """Put the other ends, not reached before, of the rows that may be crossed where they belong; ``near``
        are the nodes stepped from, where rows are watched. Mostly all steps from one kind of node cost the
        same.

        ``take`` costs a third of indexing where the indices are not of the machine's own width.
        """
        crossing = self.crossing
        words: Ints = side.word.take(places)
        told = (crossing.closely if closer else crossing.table).take((words >> SHORT_AT).view(np.intp))
        if crossing.past:
            _drop_later(told, words, side, places, crossing)
        if self._watch:
            self._watch_at_once(side, told, places, near)
        words &= FAR
        far = words.view(np.intp)
        crossed = told > self.marks.array.take(far)
        if closer:
            self._look_closer(side, told, places, crossed)
        costs = np.bitwise_or.reduce(told)
        if not costs & COSTLY:
            found.near.append(far.compress(crossed))
        elif not costs & FREE:
            found.pending.append(far.compress(crossed))
        else:
            costly = (told & COSTLY).astype(bool)
            found.pending.append(far.compress(crossed & costly))
            found.near.append(far.compress(crossed & ~costly))

    def _look_closer(self, side: Side, told: Ints, places: Ints, crossed: Ints) -> None:
        """Take back the rows that the table does not know, and that are not crossed."""
        look = (crossed & (told & LOOK).astype(bool)).nonzero()[0]
        if len(look):
            places = places.take(look)
            crossed[look] = self.crossing.all_closer(side.shorts(places), side.numbers(places))

    def _watch_at_once(self, side: Side, told: Ints, places: Ints, near: Ints) -> None:
        some = (told & self._watch).nonzero()[0]
        if not len(some):
            return
        near, places = near.take(some), places.take(some)
        far, number = side.word.take(places) & FAR, side.numbers(places)
        columns = (near, far, side.shorts(places), number)
        for one in zip(*[column.tolist() for column in columns], strict=True):
            if self.crossing.crossed(one[2], one[3]):
                self._watched.append(one[:3])

    # Hubs

    def _without_hubs(self, nodes: Ints) -> tuple[Ints, list[int]]:
        if self._hub == _NO_LIMIT:
            return nodes, []
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


def _without(nodes: Ints, others: Ints) -> tuple[Ints, Ints]:
    """Nodes that are not among the others, and those that are; all ascending."""
    if not len(nodes):
        return nodes, nodes
    place = np.searchsorted(nodes, others)
    place[place == len(nodes)] = 0
    place = place.compress(nodes.take(place) == others)
    return (np.delete(nodes, place), nodes.take(place)) if len(place) else (nodes, place)


def _drop_later(told: Ints, words: Ints, side: Side, places: Ints, crossing: Crossing) -> None:
    """Tell nothing of rows that were numbered later."""
    words = words & UP_TO_BLOCK
    late = words >= crossing.in_block
    if np.count_nonzero(late) * _FEW > len(late):
        told *= words < crossing.in_next
        late &= told > 0
    if late.any():
        some = late.nonzero()[0]
        told[some] *= side.numbers(places.take(some)) <= crossing.limit


@cache
def _first() -> Ints:
    """The first places there are, which most steps need no more than."""
    return np.arange(1 << 16)


def _places(begin: Ints, counts: Ints) -> Ints:
    """Every place from each begin on, so many of each; ``begin`` is used up."""
    ends = counts.cumsum()
    every = int(ends[-1])
    ends -= counts
    begin -= ends
    places: Ints = begin.repeat(counts)
    first = _first()
    places += first[:every] if every <= len(first) else np.arange(every)
    return places
