"""The compact indexes of a process, one a tenant, fed from the packed blobs (:mod:`queries.adjacency`).

An index is loaded when walks have read so many rows that loading it would have cost no more, and given up
for another when together they would take more room than they may.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from itertools import chain

from app.ledger import blobs
from app.ledger.store import Store, Tuple
from queries.adjacency import Adjacency, Few, Fresh, Part, Statement, View
from queries.adjacency.arrays import loaded

WORTH = 100
"""Edges that an index loads in the time of one row of which nothing is remembered (0.1 us an edge, 10 us
a row)."""

NUMPY = 1_000_000
"""Edges that an index loads in the time that NumPy takes to be loaded itself, once in a process."""

FEW = 500
"""Edges of a blob that are appended one by one: beyond it arrays cost less."""

ROOM = 2_000_000_000
"""Bytes that the indexes of one process may take: some 70 million edges."""

# seq, seq, tenant
_BLOBS = (
    "select t.seq, t.generation, b.edges, b.data from tenant t left join blob b on b.tenant = t.tenant"
    " and b.last_seq > ? and b.first_seq >= coalesce((select max(c.first_seq) from blob c"
    " where c.tenant = t.tenant and c.first_seq <= ?), 0) where t.tenant = ? order by b.first_seq"
)
# tenant, source, code, target
_STATEMENTS = (
    "select a.assertion, a.relation, a.evidence, a.stance from assertion a"
    " where a.tenant = ? and a.source = ? and a.code = ? and a.target = ? order by a.assertion"
)
_EDGES = "select coalesce(sum(b.edges), 0) from blob b where b.tenant = ?"


class _Rebuilt(Exception):
    """The rows have other numbers now."""


class _Feed:
    """The rows of one tenant, as they are packed."""

    def __init__(self, store: Store, tenant: int, generation: int) -> None:
        self._store = store
        self._tenant = tenant
        self._generation = generation

    def parts(self, after: int) -> tuple[int, Iterator[Part | Few]]:
        found = self._store.each(_BLOBS, (after, after + 1, self._tenant))
        first = next(found)
        if first[1] != self._generation:
            raise _Rebuilt
        return first[0], self._unpacked(chain([first], found), after)

    def _unpacked(self, found: Iterable[Tuple], after: int) -> Iterator[Part | Few]:
        """One at a time, so that the room of one serves for the next."""
        for *_, edges, data in found:
            if data is not None:
                yield blobs.few_of(data) if after and edges <= FEW else blobs.part_of(data)

    def statements(self, source: int, code: int, target: int) -> list[Statement]:
        found = self._store.fetch(_STATEMENTS, (self._tenant, source, code, target))
        return [Statement(*row) for row in found]


class Held:
    """What a process has of one tenant: how many rows its walks have read by SQL, and the index if any."""

    def __init__(self) -> None:
        self.read = 0
        self.edges = 0
        self.generation = -1
        self.index: Adjacency | None = None
        self.used = 0


class Indexes:
    """The indexes of one process, by tenant."""

    def __init__(self, store: Store, room: int = ROOM) -> None:
        self._store = store
        self._room = room
        self._held: dict[int, Held] = {}
        self._turn = threading.Lock()
        self._clock = 0

    def view(self, tenant: int, generation: int, as_of: int, read: int) -> View | None:
        """The index, caught up to ``as_of``; None while there is none and it is not worth its loading.

        ``read`` rows were read by SQL in its place since it was last asked for. ``generation`` counts the
        rebuilds of the tenant: rows have other numbers after each.
        """
        held = self._held.setdefault(tenant, Held())
        held.read += read
        if held.generation != generation:
            held.generation, held.index, held.edges = generation, None, 0
        if held.index is None and not self._worth(tenant, held):
            return None
        index = held.index = held.index or Adjacency()
        before = index.view.seq
        try:
            view = index.catch_up(_Feed(self._store.of(tenant), tenant, generation), as_of)
        except _Rebuilt:
            held.index = None  # the next read of the head tells of the new generation
            return None
        self._clock += 1
        held.used = self._clock
        if before == 0:
            self._make_room(held)
        return view

    def at_hand(self, tenant: int, generation: int, as_of: int) -> View | None:
        """The index as it is, when it knows all rows up to ``as_of``."""
        held = self._held.get(tenant)
        if held is None or held.index is None or held.generation != generation:
            return None
        view = held.index.view
        return view if view.seq >= as_of else None

    def offer(self, tenant: int, generation: int, fresh: Fresh) -> None:
        """Give the index of a tenant, if there is one, what this process has just committed."""
        held = self._held.get(tenant)
        if held is not None and held.index is not None and held.generation == generation:
            held.index.offer(fresh)

    def held(self, tenant: int) -> Adjacency | None:
        """The index of a tenant, if there is one."""
        return self._held[tenant].index if tenant in self._held else None

    def forget(self, tenant: int) -> None:
        """Give up the index of a tenant; it is loaded again when that is worth it."""
        self._held.pop(tenant, None)

    def _worth(self, tenant: int, held: Held) -> bool:
        """Whether reading has cost what loading would."""
        worth = held.read * WORTH - (0 if loaded() else NUMPY)
        if worth < held.edges:
            return False
        [(edges,)] = self._store.of(tenant).fetch(_EDGES, (tenant,))
        held.edges = int(edges)
        return worth >= held.edges > 0

    def _make_room(self, fresh: Held) -> None:
        """Give up the indexes that were not used for the longest time."""
        with self._turn:
            loaded = [held for held in self._held.values() if held.index is not None and held is not fresh]
            taken = sum(held.index.nbytes for held in (*loaded, fresh) if held.index)
            for held in sorted(loaded, key=lambda each: each.used):
                if taken <= self._room:
                    return
                taken -= held.index.nbytes if held.index else 0
                held.index, held.read = None, 0
