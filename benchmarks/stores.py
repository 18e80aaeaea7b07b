"""Stores to measure on: events made ready, fresh files for each turn, and what was written read back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine

from app.content import Vault
from app.content.keys import Keys
from app.ledger import Ledger, Prepared
from app.service import Service
from app.service.preparing import Preparer
from benchmarks import rows
from benchmarks.frame import cpu
from benchmarks.workload import BATCH
from provmodel.decoding import decode_event
from provmodel.evidence import LOCAL

TENANT = "default"
BASE = "urn:x-clew:"
VAULT = Vault(Keys(bytes(range(32))))

T = TypeVar("T")


def in_batches(items: Sequence[T], size: int = BATCH) -> list[Sequence[T]]:
    """``items`` in parts of one commit each."""
    return [items[start : start + size] for start in range(0, len(items), size)]


def prepared(items: Iterable[bytes]) -> list[Prepared]:
    """Events as the service makes them ready for the ledger."""
    preparer = Preparer(VAULT, TENANT, LOCAL)
    return [preparer.prepare(decode_event(item)) for item in items]


def service_at(path: Path) -> Service:
    """The service over a new ledger in a file; it writes in the thread that asks."""
    return Service(Ledger.open(str(path), create=True), VAULT, TENANT, BASE)


def head_of(ledger: Ledger) -> tuple[int, int]:
    """The last seq and the last word of the tenant."""
    found = ledger.store.fetch("select seq, word from tenant where name = ?", (TENANT,))
    return found[0] if found else (0, 0)


def append(ledger: Ledger, batches: Iterable[Sequence[Prepared]]) -> None:
    """The store step: one commit a batch."""
    for batch in batches:
        ledger.append(TENANT, batch)


class Files:
    """Fresh files with the ledger's tables, one for each turn of a side, which is told in CPU seconds."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bench.db"

    def ledger(self, batches: Iterable[Sequence[Prepared]]) -> float:
        """Clew's store step."""
        rows.empty(self.path)
        with Ledger.open(str(self.path)) as ledger:
            seconds = cpu(lambda: append(ledger, batches))
        rows.drop(self.path)
        return seconds

    def service(self, work: Callable[[Service], object]) -> float:
        """A service over an empty ledger."""
        service = service_at(self.path)
        seconds = cpu(lambda: work(service))
        service.close()
        rows.drop(self.path)
        return seconds

    def raw(self, commits: Sequence[rows.Commit]) -> float:
        """The driver alone."""
        connection = rows.open_raw(rows.empty(self.path))
        seconds = cpu(lambda: rows.insert_raw(connection, commits))
        connection.close()
        rows.drop(self.path)
        return seconds

    def engine(self, work: Callable[[Engine], None]) -> float:
        """SQLAlchemy."""
        engine = rows.open_engine(rows.empty(self.path))
        engine.connect().close()
        seconds = cpu(lambda: work(engine))
        engine.dispose()
        rows.drop(self.path)
        return seconds

    def written_by(self, batches: Iterable[Sequence[Prepared]]) -> list[rows.Commit]:
        """Append once, and read back what each commit wrote."""
        with Ledger.open(str(rows.empty(self.path))) as ledger:
            heads = []
            for batch in batches:
                ledger.append(TENANT, batch)
                heads.append(head_of(ledger))
        commits = rows.written(self.path, heads)
        rows.drop(self.path)
        return commits
