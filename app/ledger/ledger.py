"""One store of events and of the graph made from them, on SQLite or PostgreSQL."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from app.ledger import schema
from app.ledger.append import append, take_head
from app.ledger.backup import backup
from app.ledger.compact import compact
from app.ledger.fsck import Finding, fsck
from app.ledger.indexes import Indexes
from app.ledger.items import Outcome, Prepared
from app.ledger.memory import Memory
from app.ledger.read import Reader
from app.ledger.rebuild import Progress, rebuild
from app.ledger.search.index import catch_up
from app.ledger.sqlite import Sqlite
from app.ledger.store import Collided, Store
from provmodel.errors import StoreTrouble

TRIES = 5
"""How often an append begins again when another writer got in its way."""

_FINGERPRINT = "key_fingerprint"


class Ledger:
    """Appends events and reads the graph. Any number of threads and processes may use one store at a time."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.indexes = Indexes(store)
        self._memories: dict[str, Memory] = {}

    @classmethod
    def open(cls, url: str, *, create: bool = False) -> Ledger:
        """Open the store at a SQLAlchemy URL, or at the path of a SQLite file.

        With ``create``, an empty or absent one is made. Raises :class:`StoreTrouble`, which names the
        remedy, when it can't be reached, holds something else, or has tables of another version.
        """
        store = store_at(url)
        try:
            _ready(store, create)
        except BaseException:
            store.close()
            raise
        return cls(store)

    @staticmethod
    def upgrade(url: str) -> tuple[str | None, str]:
        """Make the store's tables, or bring them up to date; their version before (``None``: there were none)
        and after.
        """
        store = store_at(url)
        try:
            return schema.upgrade(store)
        finally:
            store.close()

    def append(self, tenant: str, items: Sequence[Prepared]) -> list[Outcome]:
        """Store events in one transaction, in their order; what is answered is durable.

        Raises :class:`StoreBusy` when others held the store for too long; nothing was stored then.
        """
        for _ in range(TRIES - 1):
            with suppress(Collided):
                return self._append(tenant, items)
        return self._append(tenant, items)

    def _append(self, tenant: str, items: Sequence[Prepared]) -> list[Outcome]:
        memory = self._memory(tenant)
        with no_sweeping(), self.store.writing() as session:
            appended = append(session, take_head(session, tenant, memory), memory, items)
        appended.remember(memory)
        return appended.outcomes

    def graph(self, tenant: str) -> Reader:
        """The graph of a tenant; each read sees what is committed by then. A tenant without events has an
        empty one.
        """
        return Reader(self.store, tenant, self._memory(tenant), self.indexes)

    def rebuild(self, tenant: str, progress: Progress = lambda done, total: None) -> int:
        """Make the graph of a tenant and its words for searching again from the log; from how many events."""
        events = rebuild(self.store, tenant, progress)
        while not self.take_words(tenant):
            pass
        return events

    def take_words(self, tenant: str) -> bool:
        """Take the words of some more events for searching; whether that was all. Cheap when none is left."""
        return catch_up(self.store, tenant)

    def fsck(self, tenant: str, progress: Progress = lambda done, total: None) -> list[Finding]:
        """What is wrong with a tenant's log, and where its graph is not what the log makes."""
        return fsck(self.store, tenant, progress)

    def compact(self, tenant: str) -> int:
        """Merge small packed blobs; how many were merged. Cheap when there are few."""
        return compact(self.store, tenant)

    def backup(self, target: Path) -> None:
        """Copy the ledger, as of one moment, to a new file; raises :class:`StoreTrouble`."""
        backup(self.store, target)

    def tenants(self) -> list[str]:
        """The tenants that have events, ordered by name."""
        return [name for (name,) in self.store.fetch("select name from tenant order by name")]

    def key_fingerprint(self) -> str | None:
        """Which key the store's bodies and tags were made with; ``None`` before the first."""
        found = self.store.fetch("select value from store where property = ?", (_FINGERPRINT,))
        return found[0][0] if found else None

    def keep_key_fingerprint(self, fingerprint: str) -> None:
        """Remember the key's fingerprint; raises :class:`StoreTrouble` when the store has another one."""
        with self.store.writing() as session:
            session.run(
                "insert into store (property, value) values (?, ?) on conflict do nothing",
                (_FINGERPRINT, fingerprint),
            )
        if self.key_fingerprint() != fingerprint:
            raise StoreTrouble(
                f"{self.store.name} was written with the key {self.key_fingerprint()}, not {fingerprint};"
                " give the key file of this store"
            )

    def _memory(self, tenant: str) -> Memory:
        return self._memories.setdefault(tenant, Memory())

    def close(self) -> None:
        """Give back what the ledger holds; committed events need no closing."""
        self.store.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def no_sweeping() -> Iterator[None]:
    """Keep the garbage collector from looking for cycles: a batch is thousands of tuples of texts and
    numbers, which can't form any, and going through them costs several percent of an append.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _ready(store: Store, create: bool) -> None:
    if create:
        if schema.version_of(store) is None:
            schema.make(store)
    elif isinstance(store, Sqlite) and not store.path.exists():
        raise StoreTrouble(f"there is no file {store.path}; `clew db upgrade` makes an empty ledger there")
    schema.check(store)


def store_at(url: str) -> Store:
    """The store at a URL; a text without ``://`` is the path of a SQLite file."""
    try:
        parsed = make_url(url) if "://" in url else URL.create("sqlite", database=url)
    except ArgumentError as error:
        raise StoreTrouble(
            f"{url!r} is no database URL: {error}; give sqlite:///FILE or postgresql://..."
        ) from None
    match parsed.get_backend_name():
        case "sqlite":
            return Sqlite(parsed)
        case "postgresql":
            from app.ledger.postgres import Postgres

            return Postgres(parsed)
        case other:
            raise StoreTrouble(f"Clew keeps no ledger in {other}; give sqlite:///FILE or postgresql://...")
