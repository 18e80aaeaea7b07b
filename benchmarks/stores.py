"""Stores to measure on: events made ready, fresh files for each turn, and what was written read back."""

from __future__ import annotations

import gc
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine

from app.content import Vault
from app.content.keys import Keys, TagKeys
from app.ledger import Ledger, Prepared
from app.service import Service
from app.service.preparing import Preparer
from benchmarks import rows, studies
from benchmarks.workload import BATCH, raw
from provmodel.decoding import decode_event
from provmodel.evidence import LOCAL

TENANT = "default"
BASE = "urn:x-clew:"
VAULT = Vault(Keys(bytes(range(32))))

_ENOUGH = 10**12
"""Rows read after which any index is worth loading."""

T = TypeVar("T")
R = TypeVar("R")


def in_batches(items: Sequence[T], size: int = BATCH) -> list[Sequence[T]]:
    """``items`` in parts of one commit each."""
    return [items[start : start + size] for start in range(0, len(items), size)]


def prepared(items: Iterable[bytes]) -> list[Prepared]:
    """Events without content, as the service makes them ready for the ledger."""
    preparer = Preparer(VAULT, TENANT, LOCAL, _no_tags)
    return [preparer.prepare(decode_event(item)) for item in items]


def _no_tags() -> TagKeys:
    raise LookupError("the events carry content, whose tags need the keys of a store")


def copy_ledger(ledger: Path, to: Path) -> None:
    """Copy a closed ledger with the keys of its bodies, which lie beside it."""
    for ending in (ledger.suffix, ".bodykeys"):
        shutil.copyfile(ledger.with_suffix(ending), to.with_suffix(ending))


def service_at(path: Path) -> Service:
    """The service over a new ledger in a file; it writes in the thread that asks."""
    return Service(Ledger.open(str(path), create=True), VAULT, TENANT, BASE)


def head_of(ledger: Ledger) -> tuple[int, int]:
    """The last seq and the last word of the tenant."""
    found = ledger.store.fetch("select seq, word from tenant where name = ?", (TENANT,))
    return found[0] if found else (0, 0)


def spent(parts: Iterable[T], ready: Callable[[T], R], commit: Callable[[R], object]) -> float:
    """CPU seconds of committing each part; making it ready just before is not counted."""
    gc.collect()
    seconds = 0.0
    for part in parts:
        given = ready(part)
        start = time.process_time()
        commit(given)
        seconds += time.process_time() - start
    return seconds


class Files:
    """Fresh files with the ledger's tables, one for each turn of a side, which is told in CPU seconds."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bench.db"

    def ledger(self, batches: Iterable[Sequence[bytes]]) -> float:
        """Clew's store step."""
        rows.empty(self.path)
        with Ledger.open(str(self.path)) as ledger:
            seconds = spent(batches, prepared, partial(ledger.append, TENANT))
        rows.drop(self.path)
        return seconds

    def service(self, batches: Iterable[Sequence[bytes]]) -> float:
        """Clew's ``record``: each event is taken, or this raises."""
        service = service_at(self.path)
        seconds = spent(batches, list, partial(record, service))
        service.close()
        rows.drop(self.path)
        return seconds

    def raw(self, commits: Iterable[rows.Commit]) -> float:
        """The driver alone."""
        connection = rows.open_raw(rows.empty(self.path))
        seconds = spent(commits, rows.Commit.inserts, partial(rows.insert_raw, connection))
        connection.close()
        rows.drop(self.path)
        return seconds

    def engine(self, commits: Iterable[rows.Commit], insert: Callable[[Engine, rows.Named], None]) -> float:
        """SQLAlchemy."""
        engine = rows.open_engine(rows.empty(self.path))
        engine.connect().close()
        seconds = spent(commits, rows.Commit.named, partial(insert, engine))
        engine.dispose()
        rows.drop(self.path)
        return seconds

    def written_by(self, batches: Iterable[Sequence[bytes]]) -> list[rows.Commit]:
        """Append once, and read back what each commit wrote."""
        with Ledger.open(str(rows.empty(self.path))) as ledger:
            heads = []
            for batch in batches:
                ledger.append(TENANT, prepared(batch))
                heads.append(head_of(ledger))
        commits = rows.written(self.path, heads)
        rows.drop(self.path)
        return commits


def record_studies(service: Service, first: int, end: int) -> None:
    """Record the studies (:mod:`benchmarks.studies`) from the ``first`` on to before ``end``."""
    events = chain(() if first else studies.handbook(), *map(studies.study, range(first, end)))
    while batch := raw(events, BATCH):
        service.record(batch)


def warm(service: Service) -> None:
    """Load the index, as it is in a server after a few questions."""
    graph = service.ledger.graph(TENANT)
    assert graph.adjacency(graph.head(), _ENOUGH) is not None


def record(service: Service, batch: Sequence[bytes]) -> None:
    """Record events of which each is new."""
    statuses = {result.status for result in service.record(batch)}
    assert statuses == {"recorded"}, statuses
