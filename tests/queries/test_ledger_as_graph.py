"""The ledger keeps the contract of every graph, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.ledger import Ledger
from queries.graph import Graph
from tests.ledgers import all_prepared, labels_of
from tests.queries.graph_contract import GraphContract, Told
from tests.stores import empty_ledger


class _LedgerContract(GraphContract):
    """A fresh tenant of one store for each graph."""

    ledger: Ledger
    tenants = 0

    def graph_of(self, told: Told) -> Graph:
        type(self).tenants += 1
        tenant = f"tenant-{self.tenants}"
        items = all_prepared(told)
        self.ledger.reveal = lambda _, __: labels_of(items)
        for start in range(0, len(items), 7):
            self.ledger.append(tenant, items[start : start + 7])
        return self.ledger.graph(tenant)


class TestLedgerOnSQLite(_LedgerContract):
    @pytest.fixture(autouse=True)
    def _open(self, tmp_path: Path) -> Iterator[None]:
        with Ledger.open(empty_ledger(tmp_path / "clew.db")) as self.ledger:
            yield


class TestLedgerOnPostgreSQL(_LedgerContract):
    @pytest.fixture(autouse=True)
    def _open(self, postgres_ledger: str) -> Iterator[None]:
        with Ledger.open(postgres_ledger) as self.ledger:
            yield


class TestLedgerWithItsIndexLoaded(_LedgerContract):
    """Reads ask the index first whether there is anything to read."""

    @pytest.fixture(autouse=True)
    def _open(self, tmp_path: Path) -> Iterator[None]:
        with Ledger.open(empty_ledger(tmp_path / "clew.db")) as self.ledger:
            yield

    def graph_of(self, told: Told) -> Graph:
        graph = super().graph_of(told[: len(told) // 2])
        whole = all_prepared(told)
        self.ledger.reveal = lambda _, __: labels_of(whole)
        graph = self.ledger.graph(graph.tenant)
        graph.adjacency(graph.head(), 10**9)
        items = whole[len(told) // 2 :]
        for start in range(0, len(items), 3):
            self.ledger.append(graph.tenant, items[start : start + 3])
        graph.adjacency(graph.head(), 0)
        return graph
