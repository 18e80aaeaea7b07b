"""Texts to integers, for one batch: words and nodes, new ones numbered in the order in which events name
them.

The numbers come from the tenant's head row, inside the transaction that holds its lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from app import tables
from app.ledger.memory import DESCRIBED, KINDS, SHIFT, STATED, Memory
from app.ledger.store import Session, Tuple
from provmodel import names


class Head:
    """The tenant's head row: the last integer of each kind, held under the tenant's lock."""

    def __init__(self, row: Tuple) -> None:
        tenant, seq, node, word, assertion, received, generation = row
        self.tenant: int = tenant
        self.seq: int = seq
        self.node: int = node
        self.word: int = word
        self.assertion: int = assertion
        self.received: int = received
        self.generation: int = generation

    def save(self, session: Session) -> None:
        session.run(
            "update tenant set seq = ?, node = ?, word = ?, assertion = ?, received = ?, generation = ?"
            " where tenant = ?",
            (self.seq, self.node, self.word, self.assertion, self.received, self.generation, self.tenant),
        )


class Words(dict[str, int]):
    """Text to integer; a text that is nowhere yet gets the next one."""

    def __init__(self, session: Session, head: Head, known: Mapping[str, int]) -> None:
        super().__init__()
        self._session = session
        self._head = head
        self._known = known
        self._new: list[Tuple] = []

    def __missing__(self, text: str) -> int:
        number = self._known.get(text) or self._stored(text) or self._fresh(text)
        self[text] = number
        return number

    def _stored(self, text: str) -> int:
        found = self._session.fetch(
            "select w.word from texts(?) i cross join word w where w.tenant = ? and same(w.text, i.value)",
            (self._session.store.texts([text]), self._head.tenant),
        )
        return int(found[0][0]) if found else 0

    def _fresh(self, text: str) -> int:
        self._head.word += 1
        self._new.append((self._head.tenant, self._head.word, text))
        return self._head.word

    def save(self) -> None:
        self._session.insert(tables.word, self._new)


class Nodes(dict[str, int]):
    """References to nodes, each as its state in one integer (:mod:`app.ledger.memory`), and what is new."""

    def __init__(
        self,
        session: Session,
        head: Head,
        known: Mapping[str, int],
        numbers: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__()
        self._session = session
        self._head = head
        self._known = known
        self._numbers = numbers or {}  # those that a rebuild gives again
        self._new: dict[str, Tuple] = {}
        self._kinds: list[Tuple] = []
        self._stated: list[Tuple] = []
        self._described: list[Tuple] = []
        self._checked: set[str] = set()

    def load(self, refs: Iterable[str]) -> None:
        """Make every node of ``refs`` that is there known to this batch."""
        unknown = []
        for ref in refs:
            state = self._known.get(ref)
            if state is None:
                unknown.append(ref)
            else:
                self[ref] = state
        self._look_up(unknown)

    def _look_up(self, refs: list[str]) -> None:
        if not refs:
            return
        found = self._session.fetch(
            "select n.ref, n.node, n.kind, n.event, n.described,"
            " coalesce((select sum(k.kind) from node_kind k"
            " where k.tenant = n.tenant and k.node = n.node), 0)"
            " from texts(?) i cross join node n where n.tenant = ? and same(n.ref, i.value)",
            (self._session.store.texts(refs), self._head.tenant),
        )
        self._checked.update(refs)
        for ref, node, kind, event, described, more in found:
            flags = (STATED if event is not None else 0) | (DESCRIBED if described is not None else 0)
            self[ref] = node << SHIFT | flags | kind | int(more)

    def state_all(self, seq: int, kinds: Mapping[str, int], described: Set[str]) -> None:
        """Note that the event ``seq`` names these loaded nodes, as these kinds, and which of them it
        describes.
        """
        for ref, kind in kinds.items():
            state = self.get(ref)
            if state is None:
                self._add(ref, kind, seq, None, ref in described)
            elif (STATED | DESCRIBED | kind if ref in described else STATED | kind) & ~state:
                self.state(seq, ref, kind, ref in described)
        for ref in described:
            if ref not in kinds:
                self.state(seq, ref, 0, True)

    def state(self, seq: int, ref: str, kind: int, described: bool = False) -> int:
        """Note that the event ``seq`` names ``ref`` as ``kind``, and whether it describes it; its integer."""
        state = self.get(ref) or self._stored(ref)
        if not state:
            return self._add(ref, kind, seq, None, described)
        if (state & STATED and not kind & ~state) and (not described or state & DESCRIBED):
            return state >> SHIFT
        if ref not in self._checked and ref not in self._new:
            self._look_up([ref])  # another process may have noted it since
            state = self[ref]
        self._change(ref, state, kind, seq, described)
        return state >> SHIFT

    def joined(self, seq: int, ref: str, kind: int) -> int:
        """The integer of an end of a joined row. One that no event names is kept apart until one does."""
        state = self.get(ref) or self._stored(ref)
        return state >> SHIFT if state else self._add(ref, kind, None, seq, False)

    def _stored(self, ref: str) -> int:
        """The state of a node that :meth:`load` was not asked for; 0 when there is none."""
        if ref not in self._checked:
            self._look_up([ref])
        return self.get(ref, 0)

    def _add(self, ref: str, kind: int, seq: int | None, joined: int | None, described: bool) -> int:
        node = self._numbers.get(ref, 0)
        if not node:
            node = self._head.node = self._head.node + 1
        flags = (0 if seq is None else STATED) | (DESCRIBED if described else 0)
        self[ref] = node << SHIFT | flags | kind
        told = seq if described else None
        self._new[ref] = (self._head.tenant, node, ref, tail_of(ref), kind, seq, joined, told)
        return node

    def _change(self, ref: str, state: int, kind: int, seq: int, described: bool) -> None:
        tenant, node = self._head.tenant, state >> SHIFT
        if not state & STATED:  # known from a joined row alone until now
            self._stated.append((seq, kind, tenant, node))
            state = state & ~KINDS | STATED | kind
        elif kind & ~state:
            self._kinds.append((tenant, node, seq, kind & ~state & KINDS))
            state |= kind
        if described and not state & DESCRIBED:
            self._described.append((seq, tenant, node))
            state |= DESCRIBED
        self[ref] = state

    def save(self) -> None:
        session = self._session
        session.insert(tables.node, list(self._new.values()))
        session.insert(tables.node_kind, self._kinds)
        if self._stated:
            session.many("update node set event = ?, kind = ? where tenant = ? and node = ?", self._stated)
        if self._described:
            session.many("update node set described = ? where tenant = ? and node = ?", self._described)


def tail_of(ref: str) -> str | None:
    """:func:`provmodel.names.tail`, by which suffixes are found; ``None`` when it is the whole reference."""
    if "@" in ref or ";" in ref or ref[-1:] in "/>":
        tail = names.tail(ref)
        return None if tail == ref else tail
    tail = ref
    for mark in "/:#":
        if mark in tail:
            tail = tail[tail.rfind(mark) + 1 :]
    return None if tail is ref else tail


def recall(memory: Memory, head: Head) -> None:
    """Forget what a rebuild made stale."""
    if memory.generation != head.generation:
        memory.forget(head.generation)
