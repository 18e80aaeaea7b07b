"""The same as :mod:`queries.adjacency.marks`, and steps, by compiled code: one call a frontier.

Calls run beside other threads. That is safe: what a walk writes to is its own, what it reads is held here for
as long as the walk is, and a writer replaces arrays of a view, or sets single bytes and words of them, which
are read whole.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import NamedTuple

from queries.adjacency.arrays import Ints, np
from queries.adjacency.compiled import address
from queries.adjacency.crossing import Crossing
from queries.adjacency.marks import Marks, Nodes
from queries.adjacency.segments import Side

_FIRST = 1 << 12
"""Nodes for which there is room at first."""
_MOST = 1 << 20
"""Nodes up to which room is kept for the next walks, at some 20 bytes each."""
_KEPT = 4
"""Rooms kept for the next walks, of whatever index."""
_SPREAD = 16
"""Places of a sieve for each node: of others, one in so many is let through at most."""
_FAR = 2**32 - 1
SEGMENTS = 40
"""Segments that compiled.c has room for: more than there can be, as each is twice as large as the next."""
_POINTERS = ("bounds", "word", "low", "table", "closely", "suspects", "sieve", "later", "marks", "others")
_ARRAYS = ("given", "order", "waiting", "rows", "watched")


class _Other(ctypes.Structure):
    """``other`` in compiled.c: one side of a segment after the first."""

    _fields_ = (
        *[(name, ctypes.c_void_p) for name in ("bounds", "word", "low", "nodes")],
        ("size", ctypes.c_int64),
        ("offset", ctypes.c_uint64),
    )


class _Walk(ctypes.Structure):
    """``walk`` in compiled.c, which says what each of these is."""

    _fields_ = (
        *[(name, ctypes.c_void_p) for name in _POINTERS],
        *[(name, ctypes.c_uint64) for name in ("limit", "first")],
        *[(name, ctypes.c_int64) for name in ("nodes", "segment", "count", "most")],
        *[(name, ctypes.c_uint32) for name in ("beyond", "watch", "mask")],
        ("suspected", ctypes.c_int64),
        *[(name, ctypes.c_void_p) for name in _ARRAYS],
        *[(f"{name}_room", ctypes.c_int64) for name in _ARRAYS],
        *[(name, ctypes.c_int64) for name in ("handed", "reached", "waits", "odd", "noted")],
        *[(name, ctypes.c_int64) for name in ("touched", "wanted")],
    )


class _Room:
    """The arrays of one walk (uint32), which grow, as ``walk`` tells compiled code of them."""

    def __init__(self) -> None:
        self.walk = _Walk()
        self.at = ctypes.addressof(self.walk)
        self.arrays: dict[str, Ints] = {}
        for name in _ARRAYS:
            self._make(name, _FIRST)

    def _make(self, name: str, size: int) -> Ints:
        made = self.arrays[name] = np.empty(size, np.uint32)
        setattr(self.walk, name, address(made, np.uint32))
        setattr(self.walk, f"{name}_room", size)
        return made

    def reserve(self, name: str, used: int, more: int) -> None:
        """Have room for more beside those used."""
        array = self.arrays[name]
        if len(array) - used < more:
            self._make(name, max(2 * len(array), used + more))[:used] = array[:used]


_rooms: list[_Room] = []


def _sieve(nodes: Ints) -> Ints:
    """Which nodes may be among some, by their lower bits: small enough to be at hand, where looking for each
    node among them is not.
    """
    size = 1 << (len(nodes) * _SPREAD).bit_length()
    sieve = np.zeros(size, np.uint8)
    sieve[nodes & np.uint32(size - 1)] = 1
    return sieve


def _others(sides: Sequence[Side]) -> ctypes.Array[_Other]:
    """What compiled code is told of the sides after the first."""
    others = (_Other * (len(sides) - 1))()
    offset = sides[0].rows
    for other, side in zip(others, sides[1:], strict=True):
        other.bounds, other.word = address(side.bounds, np.uint64), address(side.word, np.uint64)
        other.low = address(side.low, np.uint16)
        other.nodes = None if side.nodes is None else address(side.nodes, np.uint32)
        other.size, other.offset = len(side.bounds) - 2, offset
        offset += side.rows
    return others


class Handed(NamedTuple):
    """What compiled code hands back of a step: nodes, and single rows."""

    nodes: Ints
    rows: list[Placed]


class Placed(NamedTuple):
    """Some rows of one side, each by the node stepped from and its place."""

    side: Side
    near: Ints
    places: Ints


class Swift(Marks):
    """The marks of a walk, and its way through one side of each segment.

    ``later`` says of each node where it has rows outside the first segment, None that no node does. Nodes
    with rows in the tail are handed back, and those with more than ``most`` rows, and single rows that need a
    closer look. Rows that are crossed and of which the table tells the bit ``watch`` are noted.
    """

    def __init__(
        self,
        library: ctypes.CDLL,
        crossing: Crossing,
        sides: Sequence[Side],
        size: int,
        later: Ints | None,
        most: int,
        watch: int,
    ) -> None:
        super().__init__(crossing.view.pool, size)
        sieve, others = _sieve(crossing.suspects), _others(sides)
        self._held = (sides, crossing, later, sieve, others)
        self._sides = sides
        try:
            self._room = _rooms.pop()
        except IndexError:
            self._room = _Room()
        self._left: Ints = self._room.arrays["order"][:0]
        walk = self._walk = self._room.walk
        side = sides[0]
        walk.bounds, walk.word = address(side.bounds, np.uint64), address(side.word, np.uint64)
        walk.low = address(side.low, np.uint16)
        walk.table, walk.closely = address(crossing.table, np.uint8), address(crossing.closely, np.uint8)
        walk.suspects, walk.sieve = address(crossing.suspects, np.uint32), address(sieve, np.uint8)
        walk.suspected, walk.mask = len(crossing.suspects), len(sieve) - 1
        walk.later = None if later is None else address(later, np.uint8)
        walk.marks = address(self.array, np.uint8)
        walk.others, walk.count, walk.first = ctypes.addressof(others), len(others), side.rows
        walk.limit = min(crossing.limit, _FAR)
        walk.nodes, walk.segment, walk.most = size, len(side.bounds) - 2, min(most, _FAR)
        walk.beyond, walk.watch = crossing.beyond, watch
        walk.reached = walk.waits = walk.noted = walk.touched = 0
        self._library = library

    @property
    def touched(self) -> int:
        """Rows looked at by compiled code."""
        return int(self._walk.touched)

    def _give(self, nodes: Nodes) -> int:
        count = len(nodes)
        self._room.reserve("given", 0, count)
        self._room.arrays["given"][:count] = nodes
        return count

    def enter(self, nodes: Nodes) -> Nodes:
        count = self._give(nodes)
        return self._enter(self._walk.given, count)

    def _enter(self, nodes: int, count: int) -> Nodes:
        first = self._walk.reached
        self._room.reserve("order", first, count)
        if self._library.enter(self._room.at, nodes, count):
            raise IndexError("a node that is not of this graph")
        return self.since(first)

    @property
    def reached(self) -> int:
        """How many nodes are reached."""
        return int(self._walk.reached)

    def since(self, first: int) -> Ints:
        """The nodes reached from the ``first`` of them on."""
        return self._room.arrays["order"][first : self._walk.reached]

    def wait(self, nodes: Nodes) -> None:
        used, more = self._walk.waits, len(nodes)
        self._room.reserve("waiting", used, more)
        self._room.arrays["waiting"][used : used + more] = nodes
        self._walk.waits = used + more

    def waiting(self) -> Nodes:
        self._library.settle(self._room.at)
        self._left = self._room.arrays["waiting"][: self._walk.waits].copy()
        self._walk.waits = 0
        return self._left

    def next(self) -> Nodes:
        count, self._walk.waits = self._walk.waits, 0
        return self._enter(self._walk.waiting, count)

    def step(self, nodes: Nodes) -> tuple[Nodes, Handed | None]:
        """What nodes lead to at no cost, reached now; what they lead to at cost waits. And what is to be
        stepped from in another way, if any.
        """
        room, walk = self._room, self._walk
        count, first, done = self._give(nodes), walk.reached, 0
        while (done := self._library.step(room.at, done, count)) < count:
            self._grow()
        return self.since(first), self._handed()

    def close(self, nodes: Nodes) -> tuple[Nodes, Handed | None]:
        """As :meth:`step`, from nodes that were entered last, and on from what is reached, until there is no
        more that is.
        """
        room, walk = self._room, self._walk
        first = walk.reached
        done = first - len(nodes)
        walk.handed = walk.odd = 0
        while (done := self._library.close_level(room.at, done)) < walk.reached:
            self._grow()
        return self.since(first), self._handed()

    def _grow(self) -> None:
        """Make room for the node that wants it."""
        room, walk = self._room, self._walk
        room.reserve("given", walk.handed, 1)
        room.reserve("order", walk.reached, walk.wanted)
        room.reserve("waiting", walk.waits, walk.wanted)
        room.reserve("rows", 2 * walk.odd, 2 * walk.wanted)
        room.reserve("watched", 2 * walk.noted, 2 * walk.wanted)

    def _handed(self) -> Handed | None:
        room, walk = self._room, self._walk
        if not walk.handed and not walk.odd:
            return None
        return Handed(room.arrays["given"][: walk.handed].copy(), self._placed("rows", walk.odd))

    def watched(self) -> list[Placed]:
        """The rows noted."""
        return self._placed("watched", self._walk.noted)

    def _placed(self, name: str, count: int) -> list[Placed]:
        """Rows by their place among those of all segments, as places in each."""
        near, places = self._room.arrays[name][: 2 * count].reshape(-1, 2).T
        if len(self._sides) == 1:
            return [Placed(self._sides[0], near, places)] if count else []
        placed, offset = [], 0
        for side in self._sides:
            here = (places >= offset) & (places < offset + side.rows)
            if here.any():
                placed.append(Placed(side, near[here], places[here] - np.uint32(offset)))
            offset += side.rows
        return placed

    def give_back(self) -> None:
        """As of other marks; the arrays are kept, too."""
        room, walk = self._room, self._walk
        self._batches = [self.since(0), self._left, room.arrays["waiting"][: walk.waits]]
        super().give_back()
        if len(_rooms) < _KEPT and max(map(len, room.arrays.values())) <= _MOST:
            _rooms.append(room)
