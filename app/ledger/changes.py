"""Of which nodes and runs something was said lately: what a process remembers of the others still holds.

A node's rows, attributes and kinds are only ever added, each in the commit of some seq, so what was read of a
node stays right until a later seq says more of it. Which nodes those are is read from what the commits wrote:
the packed blobs (ends of rows, added and retired), the attributes, the subjects of events, and later kinds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NamedTuple

from app.ledger import blobs
from app.ledger.store import Store

EVENTS = 2_000
"""Events after which it costs less to forget all than to learn what they are about."""

EDGES = 100_000
"""Edges in the blobs of such events, likewise: small ones are merged with older ones."""

NODES = 200_000
"""Nodes of which the last change is kept, about 100 bytes each."""

# seq, seq, tenant
_EDGES = (
    "select coalesce(sum(b.edges), 0) from blob b where b.last_seq > ? and b.first_seq >= coalesce((select"
    " max(c.first_seq) from blob c where c.tenant = b.tenant and c.first_seq <= ?), 0) and b.tenant = ?"
)
_BLOBS = _EDGES.replace("coalesce(sum(b.edges), 0)", "b.last_seq, b.data")
# tenant, seq
_ATTRIBUTES = (
    "select t.node, max(t.event) from attribute t by(attribute_event) where t.tenant = ? and t.event > ?"
    " group by t.node"
)
_SUBJECTS = "select e.node, e.seq from event e where e.tenant = ? and e.seq > ?"
_RUNS = _SUBJECTS.replace("e.node", "-e.run") + " and e.run is not null"
_KINDS = "select k.node, k.event from node_kind k by(node_kind_event) where k.tenant = ? and k.event > ?"


class Known(NamedTuple):
    """The last seq that said anything of each node (``last``), complete from ``floor`` up to ``seen``.

    Runs are there by the negative of their word: the last seq of an event in it.
    """

    floor: int
    seen: int
    last: dict[int, int]


class Changes:
    """The changes of one tenant, for any number of threads; reading begins when it is first asked."""

    def __init__(self, store: Store, tenant: int) -> None:
        self._store = store
        self._tenant = tenant
        self._turn = threading.Lock()
        self._known = Known(0, 0, {})

    def known(self, as_of: int) -> Known:
        """What changed, up to ``as_of`` at least, a seq that is committed."""
        if self._known.seen < as_of:
            with self._turn:
                if self._known.seen < as_of:
                    self._known = self._caught_up(self._known, as_of)
        return self._known

    def _caught_up(self, known: Known, as_of: int) -> Known:
        before = known.seen
        if before == 0 or as_of - before > EVENTS or len(known.last) > NODES or self._many(before):
            return Known(as_of, as_of, {})
        for node, seq in self._said(before):
            if known.last.get(node, 0) < seq:
                known.last[node] = seq
        return known._replace(seen=as_of)

    def _many(self, before: int) -> bool:
        [(edges,)] = self._store.fetch(_EDGES, (before, before + 1, self._tenant))
        return bool(edges > EDGES)

    def _said(self, before: int) -> Iterator[tuple[int, int]]:
        """(node, seq) of what was said after ``before``; some of it may be of later than the head read."""
        fetch, tenant = self._store.fetch, self._tenant
        for statement in (_ATTRIBUTES, _SUBJECTS, _RUNS, _KINDS):
            yield from fetch(statement, (tenant, before))
        for last_seq, data in fetch(_BLOBS, (before, before + 1, tenant)):
            for node in blobs.ends_of(data):
                yield node, last_seq
