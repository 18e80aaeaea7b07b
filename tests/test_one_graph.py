"""Any number of events in any order, each any number of times, gives the same graph."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from app.content.keys import open_keys
from app.content.vault import Vault
from app.ledger import Ledger
from app.service import Service
from provmodel import joining
from tests.scramble import Scramble, scrambled
from tests.stores import empty_ledger

SETS = 10
SHUFFLES_OF_EACH = 30
MANY = 100
"""Of each, in ``python -m tests.test_one_graph``: a thousand altogether."""
SIZE = 50
BASE = "urn:x-clew:"


class Store:
    """One SQLite ledger in which each arrival order has a tenant of its own."""

    def __init__(self, folder: Path) -> None:
        self.ledger = Ledger.open(empty_ledger(folder / "clew.db"))
        self.vault = Vault(open_keys(folder / "clew.db.key", None))

    def service(self, tenant: str) -> Service:
        return Service(self.ledger, self.vault, tenant, BASE)

    def export(self, tenant: str, form: str = "prov-json") -> bytes:
        """What the tenant's graph says, but for the tenant's own name."""
        said = b"".join(self.service(tenant).export(form, "all")[1])
        return said.replace(f"{BASE}{tenant}".encode(), f"{BASE}one".encode())

    def record(self, tenant: str, events: list[dict[str, object]], batch: int) -> None:
        items = [msgspec.json.encode(event) for event in events]
        service = self.service(tenant)
        for start in range(0, len(items), batch):
            results = service.record(items[start : start + batch])
            assert {result.status for result in results} <= {"recorded", "duplicate", "conflict"}, results


@contextmanager
def store_in(folder: Path) -> Iterator[Store]:
    store = Store(folder)
    try:
        yield store
    finally:
        store.ledger.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_in(tmp_path) as made:
        yield made


@pytest.mark.parametrize("seed", range(SETS))
def test_shuffles_with_repeats_give_one_graph(store: Store, seed: int) -> None:
    shuffled(store, seed, SHUFFLES_OF_EACH)


def shuffled(store: Store, seed: int, times: int) -> None:
    """Record a set of events in so many other orders, and compare."""
    events = Scramble(seed).build(SIZE)
    assert len(events) >= SIZE
    store.record("first", events, batch=len(events))
    first = store.export("first")
    for shuffle in range(times):
        tenant = f"shuffle-{shuffle}"
        store.record(tenant, scrambled(events, shuffle), batch=1 + shuffle % 70)
        assert store.export(tenant) == first, f"seed {seed}, shuffle {shuffle}"


def test_the_sets_have_every_join_a_conflict_a_clash_and_a_refutation(store: Store) -> None:
    seen = b""
    for seed in range(SETS):
        store.record(f"set-{seed}", Scramble(seed).build(SIZE), batch=SIZE)
        seen += store.export(f"set-{seed}")
    joins = ("state", "equal-value", "containment", "result-to-call-by-id", "effect-to-attempt")
    for mark in (*(f"{join}/{joining.VERSION}" for join in joins), "clew:refuted", "clew:conflict"):
        assert mark.encode() in seen, mark


@pytest.mark.parametrize("form", ["prov-json", "turtle"])
@pytest.mark.parametrize("seed", range(3))
def test_a_rebuild_gives_the_same_exports(store: Store, seed: int, form: str) -> None:
    store.record("one", scrambled(Scramble(seed).build(SIZE), seed), batch=7)
    before = store.export("one", form)
    store.ledger.rebuild("one")
    assert store.export("one", form) == before


if __name__ == "__main__":
    for number in range(SETS):
        with TemporaryDirectory() as name, store_in(Path(name)) as made:
            shuffled(made, number, MANY)
    sys.stdout.write("1,000 shuffles: one graph of each set\n")
