"""What a process remembers of the nodes it was asked about, so that asking again costs no query.

Every row has its seq and none ever changes, so what was read of a node is right as of any seq from its last
change on, until a later commit says more of it (:mod:`app.ledger.changes`). Contents and labels are no part
of it: of those only the ids of bodies are here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

from app.ledger.changes import Changes, Known
from app.ledger.once import Once
from app.ledger.store import Store
from queries.graph import AttributeRow, NodeInfo, Way
from queries.links import Link

T = TypeVar("T")

KEPT = 10_000
"""Nodes that a shelf keeps at least, at most twice as many; with its edges a node takes some 3 kB."""

RUNS = 1_000
"""Runs of which it is remembered what is loose in them."""

TENANTS = 16
"""Tenants of which a process remembers nodes: those that were asked about last."""


class Card(NamedTuple, Generic[T]):
    """What was read of a node: right as of every seq from ``newest`` to ``seen``."""

    newest: int
    seen: int
    value: T


Ever = Callable[[list[int], int], Mapping[int, tuple[int, T]]]
"""Reads all there ever was of nodes up to a seq: the last seq that changed anything, and what holds since.
Nodes that it leaves out are not to be remembered."""

Then = Callable[[list[int], int], Mapping[int, T]]
"""Reads what held of nodes as of a seq."""


class Shelf(Generic[T]):
    """Cards of one kind. Those not asked for during a whole filling are given up."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._young: dict[int, Card[T]] = {}
        self._old: dict[int, Card[T]] = {}

    def read(
        self, known: Known, nodes: Iterable[int], as_of: int, ever: Ever[T], then: Then[T]
    ) -> dict[int, T]:
        """What held of nodes as of a seq that ``known`` covers, those of which there is anything."""
        found, missing, later = self.at_hand(known, nodes, as_of)
        if missing:
            missing = list(dict.fromkeys(missing))
            fresh = ever(missing, known.seen)
            later += [node for node in missing if node not in fresh]
            later += self.take(fresh, known.seen, as_of, found)
        if later:
            found.update(then(later, as_of))
        return found

    def at_hand(
        self, known: Known, nodes: Iterable[int], as_of: int
    ) -> tuple[dict[int, T], list[int], list[int]]:
        """What is remembered; nodes that are to be read; and those of which more was said after ``as_of``."""
        found: dict[int, T] = {}
        missing: list[int] = []
        later: list[int] = []
        young, floor, last = self._young, known.floor, known.last
        for node in nodes:
            card = young.get(node) or self._again(node)
            if card is None:
                missing.append(node)
                continue
            newest, seen, value = card
            if as_of > seen and (seen < floor or last.get(node, 0) > seen):
                missing.append(node)
            elif newest <= as_of:
                found[node] = value
            else:
                later.append(node)
        return found, missing, later

    def take(
        self, fresh: Mapping[int, tuple[int, T]], seen: int, as_of: int, found: dict[int, T]
    ) -> list[int]:
        """Remember what was read up to ``seen``, and put what held as of then to what was found; the nodes
        of which more was said after ``as_of``."""
        later = []
        for node, (newest, value) in fresh.items():
            self._keep(node, Card(newest, seen, value))
            if newest <= as_of:
                found[node] = value
            else:
                later.append(node)
        return later

    def _again(self, node: int) -> Card[T] | None:
        card = self._old.get(node)
        if card is not None:
            self._keep(node, card)
        return card

    def _keep(self, node: int, card: Card[T]) -> None:
        if len(self._young) >= self._kept:
            self._old, self._young = self._young, {}
        self._young[node] = card


class Unused(NamedTuple):
    """What was loose in a run as of ``seen``: (node, what it is). ``looked`` are the nodes that this hangs
    on."""

    seen: int
    looked: frozenset[int]
    free: tuple[tuple[int, str], ...]

    def holds(self, known: Known, run: int, as_of: int) -> bool:
        """Whether it is the same as of that seq."""
        if as_of <= self.seen:
            return as_of == self.seen
        last, seen = known.last, self.seen
        if seen < known.floor or last.get(-run, 0) > seen:
            return False
        return not last or all(last.get(node, 0) <= seen for node in self.looked)


class Cards:
    """The shelves of one tenant, as long as its nodes keep their integers."""

    def __init__(self, store: Store, tenant: int, generation: int) -> None:
        self.generation = generation
        self.changes = Changes(store, tenant)
        self.infos: Shelf[NodeInfo] = Shelf()
        self.told: Shelf[list[AttributeRow]] = Shelf()
        self.links: dict[Way, Shelf[list[Link]]] = {way: Shelf() for way in Way}
        self.unused: dict[int, Unused] = {}
        self._once = Once(-1)

    def once(self, as_of: int) -> Once:
        """What was read as of a seq: that of the last one asked about is remembered."""
        once = self._once
        if once.as_of != as_of or once.full:
            once = self._once = Once(as_of)
        return once

    def keep_unused(self, run: int, unused: Unused) -> None:
        """Remember what is loose in a run, by its word."""
        if len(self.unused) >= RUNS:
            self.unused = {}
        self.unused[run] = unused


class AllCards:
    """The cards of a process, by tenant."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cards: dict[int, Cards] = {}

    def of(self, tenant: int, generation: int) -> Cards:
        """The cards of a tenant; ``generation`` counts its rebuilds: after each, they start afresh."""
        cards = self._cards.pop(tenant, None)
        if cards is None or cards.generation != generation:
            cards = Cards(self._store.of(tenant), tenant, generation)
        self._cards[tenant] = cards
        while len(self._cards) > TENANTS:
            self._cards.pop(next(iter(self._cards)), None)
        return cards
