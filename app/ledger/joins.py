"""Facts to joined assertions, event by event in the order of the log, so that the grouping into commits
leaves no mark.

What is visible at each seq must not depend on how events were grouped. So a batch is gone through one event
at a time: an event's offers change what the needs of their keys amount to, and its own needs are met by all
offers so far. A row that comes of it says ``event`` for the need's event and ``since`` for the event that
made it true; a row that no longer follows is retired with ``until``.

Facts are a set: an equal one of a later event adds nothing. A key with more than ``MANY`` offers joins
nothing whatever comes after, so no more than ``MANY + 1`` are kept, and then no need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from operator import itemgetter
from typing import NamedTuple
from zlib import crc32

from app import tables
from app.ledger.intern import Head, Nodes
from app.ledger.memory import SHIFT
from app.ledger.store import Session
from provmodel.joining import MANY, join
from provmodel.records import Assertion, Fact, Records

LISTED, NEED, OFFER = 0, 1, 2


class Change(NamedTuple):
    """An assertion that holds from ``seq`` on, or no longer does; ``event`` is that of the need."""

    seq: int
    event: int
    assertion: Assertion


class Key:
    """One key of the batch: its offers and needs so far, as data texts; each need with its event."""

    __slots__ = ("key", "needs", "offers", "place")

    def __init__(self, text: str) -> None:
        self.place, self.key = place_of(text), number_of(text)
        self.offers: dict[str, None] = {}
        self.needs: dict[str, int] = {}

    @property
    def full(self) -> bool:
        """True when there are too many offers for anything to be joined, now or later."""
        return len(self.offers) > MANY


class Joiner:
    """The joins of one batch."""

    def __init__(self, session: Session, head: Head) -> None:
        self._session = session
        self._tenant = head.tenant
        self._keys: dict[str, Key] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._there: set[tuple[int, int]] = set()
        self._new: list[tuple[Key, int, int, str, int, str]] = []
        self._filled: list[Key] = []
        self.added: list[Change] = []
        self.retired: list[Change] = []

    def run(self, events: Sequence[tuple[int, Records]]) -> None:
        """Take in the facts of these events, (seq, records) in the order of the log."""
        facts = [fact for _, records in events for fact in records.facts]
        if facts:
            self._load(facts)
            for seq, records in events:
                self._take(seq, records.facts)

    # What is stored of the batch's keys

    def _load(self, facts: Sequence[Fact]) -> None:
        self._keys = {text: Key(text) for text in {fact.key: None for fact in facts}}
        offered = {fact.key for fact in facts if fact.side == "offer"}
        needed = {fact.key for fact in facts if fact.side == "need"} - offered
        self._load_keys(offered, NEED)
        self._load_keys(needed, OFFER)
        self._load_exact([fact for fact in facts if fact.side == "listed" or fact.key in needed])

    def _load_keys(self, texts: Iterable[str], least: int) -> None:
        """The stored facts of these keys, from side ``least`` on: needs are asked for only where an offer
        comes.
        """
        keys = {(key.place, key.key): key for key in map(self._keys.__getitem__, texts)}
        if not keys:
            return
        found = self._session.match(
            "select f.place, f.key, f.side, f.hash, f.event, f.data from triples(?) t cross join fact f"
            " where f.tenant = ? and f.place = t.a and f.key = t.b and f.side >= ?",
            [(place, key, 0) for place, key in keys],
            (self._tenant, least),
        )
        for place, number, side, ident, event, data in found:
            key = keys[place, number]
            if side == OFFER:
                key.offers[data] = None
            else:
                key.needs[data] = event
                self._there.add((number, ident))

    def _load_exact(self, facts: Sequence[Fact]) -> None:
        """Which of these facts are there already."""
        wanted = {
            (key.place, key.key, self._number(fact)) for fact in facts for key in (self._keys[fact.key],)
        }
        if wanted:
            found = self._session.match(
                "select f.key, f.hash from triples(?) t cross join fact f where f.tenant = ?"
                " and f.place = t.a and f.key = t.b and f.side in (0, 1) and f.hash = t.c",
                list(wanted),
                (self._tenant,),
            )
            self._there.update((key, number) for key, number in found)

    # One event

    def _take(self, seq: int, facts: Sequence[Fact]) -> None:
        """Offers first, awaited ones all of one key at once; then what the event itself needs."""
        awaited: dict[str, dict[str, Fact]] = {}
        for fact in facts:
            if fact.side == "offer":
                key = self._keys[fact.key]
                if key.needs:
                    awaited.setdefault(fact.key, {})[fact.data] = fact
                elif fact.data not in key.offers and not key.full:
                    self._add(seq, key, fact)
        for text, given in awaited.items():
            self._offer(seq, self._keys[text], given)
        for fact in facts:
            if fact.side != "offer":
                self._need(seq, self._keys[fact.key], fact)

    def _add(self, seq: int, key: Key, fact: Fact) -> None:
        self._new.append((key, OFFER, len(key.offers), fact.node, seq, fact.data))
        key.offers[fact.data] = None

    def _offer(self, seq: int, key: Key, given: Mapping[str, Fact]) -> None:
        """New offers: what the needs of the key amount to may change."""
        before = list(key.offers)
        fresh = [fact for data, fact in given.items() if data not in key.offers]
        for fact in fresh[: MANY + 1 - len(before)]:
            self._add(seq, key, fact)
        if len(key.offers) == len(before):
            return
        for need, event in sorted(key.needs.items(), key=itemgetter(1, 0)):
            self._change(seq, event, earned(need, before), earned(need, key.offers))
        if key.full:
            self._filled.append(key)
            key.needs = {}

    def _change(self, seq: int, event: int, before: list[Assertion], after: list[Assertion]) -> None:
        self.retired += [Change(seq, event, gone) for gone in before if gone not in after]
        self.added += [Change(seq, event, come) for come in after if come not in before]

    def _need(self, seq: int, key: Key, fact: Fact) -> None:
        """A need, met by all offers so far; or something listed, which nothing meets."""
        listed = fact.side == "listed"
        number = self._number(fact)
        there = (key.key, number)
        if there in self._there or (key.full and not listed):
            return
        self._there.add(there)
        self._new.append((key, LISTED if listed else NEED, number, fact.node, seq, fact.data))
        if not listed:
            key.needs[fact.data] = seq
            if key.offers:
                self.added += [Change(seq, seq, found) for found in earned(fact.data, key.offers)]

    def _number(self, fact: Fact) -> int:
        """63 bits that tell a need, or something listed, from the others of its key."""
        node = fact.node if fact.side == "listed" else ""
        number = self._numbers.get((node, fact.data))
        if number is None:
            number = self._numbers[node, fact.data] = number_of(f"{node}\x1f{fact.data}")
        return number

    def save(self, nodes: Nodes) -> None:
        """Store the new facts, and drop the needs of keys that are full now."""
        tenant = self._tenant
        self._session.insert(
            tables.fact,
            [
                (tenant, key.place, key.key, side, number, nodes[node] >> SHIFT, seq, data)
                for key, side, number, node, seq, data in self._new
                if side != NEED or not key.full
            ],
        )
        if self._filled:
            self._session.many(
                "delete from fact where tenant = ? and place = ? and key = ? and side = ?",
                [(tenant, key.place, key.key, NEED) for key in self._filled],
            )


def earned(need: str, offers: Iterable[str]) -> list[Assertion]:
    """What a need earns, each assertion once: two offers of one node may earn it the same."""
    return list(dict.fromkeys(join(need, offers)))


_start = blake2b(digest_size=8).copy  # a copy is cheaper than a new one
_number = int.from_bytes


def number_of(text: str) -> int:
    """A text as a 63-bit integer: a fact's key, or what it says."""
    digest = _start()
    digest.update(text.encode())
    return _number(digest.digest()) >> 1


def place_of(text: str) -> int:
    """What keeps the keys of one run, or the states of one thing, together in the table."""
    return crc32(text[: text.rfind(":")].encode())
