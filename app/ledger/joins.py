"""Facts to joined assertions, event by event in the order of the log, so that the grouping into commits leaves no mark.

What is visible at each seq must not depend on how events were grouped. So a batch is gone through one event
at a time: an event's offers change what the needs of their keys amount to, and its own needs are met by all
offers so far. A row that comes of it says ``event`` for the need's event and ``since`` for the event that
made it true; a row that no longer follows is retired with ``until``.

Facts are a set: an equal one of a later event adds nothing. A key with more than ``MANY`` offers joins
nothing whatever comes after, so no more than ``MANY + 1`` are kept, and then no need.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

from app import tables
from app.ledger.intern import Head, Nodes
from app.ledger.memory import SHIFT
from app.ledger.store import Session
from provmodel.joining import MANY, join
from provmodel.records import Assertion, Fact, Records

LISTED, NEED, OFFER = 0, 1, 2
_SIDES = {"listed": LISTED, "need": NEED, "offer": OFFER}


class Change(NamedTuple):
    """An assertion that holds from ``seq`` on, or no longer does; ``event`` is that of the need."""

    seq: int
    event: int
    assertion: Assertion


class Key:
    """One key of the batch: its offers and needs so far, as data texts; each need with its event."""

    __slots__ = ("key", "needs", "offers", "place")

    def __init__(self, text: str) -> None:
        self.place, self.key = place_of(text), key_of(text)
        self.offers: dict[str, None] = {}
        self.needs: dict[str, int] = {}

    @property
    def full(self) -> bool:
        """True when there are too many offers for anything to be joined, now or later."""
        return len(self.offers) > MANY


class New(NamedTuple):
    """A fact to be stored."""

    key: Key
    side: int
    hash: int
    node: str
    event: int
    data: str


class Joiner:
    """The joins of one batch."""

    def __init__(self, session: Session, head: Head) -> None:
        self._session = session
        self._tenant = head.tenant
        self._keys: dict[str, Key] = {}
        self._there: set[tuple[int, int]] = set()
        self._new: list[New] = []
        self._filled: list[Key] = []
        self.added: list[Change] = []
        self.retired: list[Change] = []

    def run(self, events: Sequence[tuple[int, Records]]) -> None:
        """Take in the facts of these events, (seq, records) in the order of the log."""
        self._load([fact for _, records in events for fact in records.facts])
        for seq, records in events:
            if records.facts:
                self._take(seq, records.facts)

    # What is stored of the batch's keys

    def _load(self, facts: Sequence[Fact]) -> None:
        offered = {fact.key for fact in facts if fact.side == "offer"}
        needed = {fact.key for fact in facts if fact.side == "need"} - offered
        self._keys = {text: Key(text) for text in {fact.key: None for fact in facts}}
        self._load_keys(offered, NEED)
        self._load_keys(needed, OFFER)
        self._load_exact([fact for fact in facts if fact.side == "listed" or fact.key not in offered])

    def _load_keys(self, texts: Iterable[str], least: int) -> None:
        """The stored facts of these keys, from side ``least`` on: needs are asked for only where an offer comes."""
        keys = {(key.place, key.key): key for key in map(self._keys.__getitem__, texts)}
        if not keys:
            return
        found = self._session.fetch(
            "select f.place, f.key, f.side, f.event, f.data from triples(?) t cross join fact f"
            " where f.tenant = ? and f.place = t.a and f.key = t.b and f.side >= ? order by f.event",
            (self._session.store.triples([(place, key, 0) for place, key in keys]), self._tenant, least),
        )
        for place, number, side, event, data in found:
            key = keys[place, number]
            if side == OFFER:
                key.offers[data] = None
            else:
                key.needs[data] = event

    def _load_exact(self, facts: Sequence[Fact]) -> None:
        """Which of these facts are there already."""
        keyed = [(self._keys[fact.key], fact) for fact in facts if fact.side != "offer"]
        wanted = {(key.place, key.key, hash_of(fact)) for key, fact in keyed}
        if wanted:
            self._there.update(
                (key, number)
                for key, number in self._session.fetch(
                    "select f.key, f.hash from triples(?) t cross join fact f where f.tenant = ?"
                    " and f.place = t.a and f.key = t.b and f.side in (0, 1) and f.hash = t.c",
                    (self._session.store.triples(list(wanted)), self._tenant),
                )
            )

    # One event

    def _take(self, seq: int, facts: Sequence[Fact]) -> None:
        offers: dict[str, list[Fact]] = {}
        for fact in facts:
            if fact.side == "offer" and fact.data not in self._keys[fact.key].offers:
                offers.setdefault(fact.key, []).append(fact)
        for text, fresh in offers.items():
            self._offer(seq, self._keys[text], fresh)
        for fact in facts:
            if fact.side == "need":
                self._need(seq, self._keys[fact.key], fact)
            elif fact.side == "listed":
                self._list(seq, self._keys[fact.key], fact)

    def _offer(self, seq: int, key: Key, fresh: Sequence[Fact]) -> None:
        """New offers: what the needs of the key amount to may change."""
        before = list(key.offers)
        room = MANY + 1 - len(before)
        for fact in list({fact.data: fact for fact in fresh}.values())[: max(room, 0)]:
            key.offers[fact.data] = None
            self._new.append(New(key, OFFER, hash_of(fact), fact.node, seq, fact.data))
        for need, event in key.needs.items():
            self._change(seq, event, join(need, before), join(need, key.offers))
        if key.full and len(before) <= MANY:
            self._filled.append(key)
            key.needs = {}

    def _change(self, seq: int, event: int, before: list[Assertion], after: list[Assertion]) -> None:
        self.retired += [Change(seq, event, gone) for gone in before if gone not in after]
        self.added += [Change(seq, event, come) for come in after if come not in before]

    def _need(self, seq: int, key: Key, fact: Fact) -> None:
        if key.full or fact.data in key.needs or (key.key, hash_of(fact)) in self._there:
            return
        key.needs[fact.data] = seq
        self._new.append(New(key, NEED, hash_of(fact), fact.node, seq, fact.data))
        if key.offers:
            self.added += [Change(seq, seq, found) for found in join(fact.data, key.offers)]

    def _list(self, seq: int, key: Key, fact: Fact) -> None:
        there = (key.key, hash_of(fact))
        if there not in self._there:
            self._there.add(there)
            self._new.append(New(key, LISTED, there[1], fact.node, seq, fact.data))

    def save(self, nodes: Nodes) -> None:
        """Store the new facts, and drop the needs of keys that are full now."""
        tenant = self._tenant
        self._session.insert(
            tables.fact,
            [
                (tenant, f.key.place, f.key.key, f.side, f.hash, nodes[f.node] >> SHIFT, f.event, f.data)
                for f in self._new
                if f.side != NEED or not f.key.full
            ],
        )
        if self._filled:
            self._session.many(
                "delete from fact where tenant = ? and place = ? and key = ? and side = ?",
                [(tenant, key.place, key.key, NEED) for key in self._filled],
            )


def key_of(text: str) -> int:
    """A fact's key as a 63-bit integer."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1


def place_of(text: str) -> int:
    """What keeps the keys of one run, or the states of one thing, together in the table."""
    return crc32(text.rpartition(":")[0].encode())


def hash_of(fact: Fact) -> int:
    """63 bits that tell one fact of a key from another; what is listed counts by its node as well."""
    text = f"{fact.node}\x1f{fact.data}" if fact.side == "listed" else f"{fact.side}\x1f{fact.data}"
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1
