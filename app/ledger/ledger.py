"""One store of events and of the graph made from them, on SQLite or PostgreSQL."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from app.ledger import bodies, schema, tagkeys
from app.ledger.append import append, take_head
from app.ledger.backup import Backup, backup, backups, note
from app.ledger.bodykeys import BodyKeys, default_path, open_body_keys, property_of, wipe
from app.ledger.cards import AllCards
from app.ledger.compact import compact
from app.ledger.fsck import Finding, fsck
from app.ledger.indexes import Indexes
from app.ledger.items import Outcome, Prepared
from app.ledger.memory import Memory
from app.ledger.read import Reader, Reveal
from app.ledger.rebuild import Progress, rebuild
from app.ledger.search.index import catch_up
from app.ledger.sqlite import Sqlite
from app.ledger.store import Collided, Store
from app.ledger.tagkeys import TagKey, Wrap
from provmodel.errors import StoreTrouble
from provmodel.events import ContentDeleted
from provmodel.unhindered import no_collections
from queries.graph import Graph

TRIES = 5
"""How often an append begins again when another writer got in its way."""

_FINGERPRINT = "key_fingerprint"
_FILE = "sqlite:///"


DATABASE = "database"
"""The place of contents whose bytes are in the ledger."""

ANYWHERE = ""
"""The place of contents that may have bytes elsewhere, and have none in the ledger."""

Discard = Callable[[Sequence[tuple[str, str]]], None]
"""Removes the bytes of (content, place) from other places than the database."""


class Ledger:
    """Appends events and reads the graph. Any number of threads and processes may use one store at a time."""

    def __init__(self, store: Store, keys: BodyKeys) -> None:
        self.store = store
        self.keys = keys
        self.reveal: Reveal | None = None
        self.discard: Discard | None = None
        self.indexes = Indexes(store)
        self._cards = AllCards(store)
        self._memories: dict[str, Memory] = {}

    @classmethod
    def open(cls, url: str, *, create: bool = False, keys: str = "") -> Ledger:
        """Open the store at a SQLAlchemy URL, or at the path of a SQLite file.

        ``keys`` is where the keys of bodies are, likewise; unless told, a file beside that of SQLite, and
        the ledger itself on PostgreSQL. With ``create``, an empty or absent ledger is made. Raises
        :class:`StoreTrouble`, which names the remedy, when it can't be reached, holds something else, has
        tables of another version, or its key store is missing or another's.
        """
        store = store_at(url)
        try:
            _ready(store, create)
            return cls(store, open_body_keys(store, _key_store(store, keys)))
        except BaseException:
            store.close()
            raise

    @staticmethod
    def upgrade(url: str) -> tuple[str | None, str]:
        """Make the store's tables, or bring them up to date; their version before (``None``: there were none)
        and after.
        """
        store = store_at(url)
        try:
            told = schema.upgrade(store)
            if property_of(store, schema.REBUILD):
                _rebuild_all(store)
            return told
        finally:
            store.close()

    @staticmethod
    def make_role(url: str, name: str, password: str = "") -> bool:
        """Make the role that a service connects as, on PostgreSQL; see :func:`app.ledger.roles.make_role`."""
        from app.ledger.roles import make_role

        store = store_at(url)
        try:
            schema.check(store)
            return make_role(store, name, password)
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
        with no_collections(), self.store.of(tenant).writing() as session:
            appended = append(session, take_head(session, tenant, memory), memory, self.keys, items)
        appended.remember(memory)
        appended.offer(self.indexes)
        if appended.spare and self.discard:
            with suppress(StoreTrouble):  # a sweep finds it
                self.discard(appended.spare)
        if any(isinstance(item.event, ContentDeleted) for item in items):
            self.finish(tenant)
        return appended.outcomes

    def finish(self, tenant: str, wiping: bool = True) -> int:
        """Destroy the keys, and the bytes elsewhere, of contents that no body has any more; how many went.

        May be done again after a crash. Raises :class:`StoreTrouble` when another place doesn't let go of
        its bytes; their keys are gone by then.
        """
        store = self.store.of(tenant)
        done = self._end_tags(store.tenant) if store.tenant else 0
        while some := bodies.unwanted(store, store.tenant):
            done += len(some)
            self._finish(store.tenant, some)
        if done and wiping:
            self.wipe()
        return done

    def clear_strays(self, tenant: str, after: str, until: str) -> int:
        """Destroy the keys, and bytes elsewhere, of contents that came to nothing: the disk was full, or the
        process gone, between the commit of the key store and that of the ledger. How many there were of those
        named from ``after`` to before ``until``, which must not be on their way any more.
        """
        store, done = self.store.of(tenant), 0
        for contents in self.keys.names(store.tenant, after, until) if store.tenant else ():
            there = bodies.known(store, store.tenant, contents)
            strays = [content for content in contents if content not in there]
            if strays:
                self.keys.destroy(store.tenant, strays)
                done += len(strays)
                if self.discard:
                    self.discard([(content, ANYWHERE) for content in strays])
        return done

    def _end_tags(self, tenant: int) -> int:
        """Destroy the secrets of tags that have ended; how many."""
        store = self.store.of(tenant)
        names = tagkeys.ended(store, tenant)
        if names:
            self.keys.destroy(tenant, names)
            with store.writing() as session:
                tagkeys.forget(session, tenant, names)
        return len(names)

    def tag_key(self, tenant: str) -> TagKey | None:
        """Which secret the tenant's contents are tagged under now; None when there is none."""
        return tagkeys.current(self.store.of(tenant), tenant)

    def tag_secret(self, tenant: str, key: TagKey) -> bytes | None:
        """A secret as the key store has it; None when it has been destroyed."""
        return self.keys.get(self.store.of(tenant).tenant, [key.name]).get(key.name)

    def begin_tag_key(self, tenant: str, wrap: Wrap, lost: TagKey | None = None) -> TagKey:
        """Begin a secret, unless another process just did; ``lost``: the key store has it not."""
        with self.store.of(tenant).writing() as session:
            head = take_head(session, tenant, Memory())
            there = tagkeys.current(session, tenant)
            if there and there != lost:
                return there
            tagkeys.end(session, head.tenant, head.seq + 1)
            return tagkeys.begin(session, head, self.keys, wrap)

    def wipe(self) -> None:
        """Leave nothing of what was deleted in the logs of the databases, as far as these can be told."""
        self.keys.wipe()
        if self.keys.apart:
            wipe(self.store)

    def _finish(self, tenant: int, some: Sequence[tuple[str, str]]) -> None:
        contents = [content for content, _ in some]
        self.keys.destroy(tenant, contents)
        elsewhere = [(content, place) for content, place in some if place != DATABASE]
        if elsewhere and self.discard is None:
            raise StoreTrouble(
                f"{len(elsewhere)} deleted bodies lie in another place ({elsewhere[0][1]}), of which this"
                " process was not told; set CLEW_BODIES as it was when they came"
            )
        if elsewhere and self.discard:
            self.discard(elsewhere)
        with self.store.of(tenant).writing() as session:
            bodies.forget(session, tenant, contents)

    def wrapped_keys(self) -> WrappedKeys:
        """The wrapped keys of all contents, to be wrapped anew."""
        return WrappedKeys(self)

    @property
    def whole(self) -> Ledger:
        """The ledger of which nothing is hidden."""
        return self

    def graph(self, tenant: str) -> Graph:
        """The graph of a tenant; each read sees what is committed by then. A tenant without events has an
        empty one.
        """
        store = self.store.of(tenant)
        return Reader(store, tenant, self._memory(tenant), self.indexes, self._cards, self.reveal)

    def rebuild(self, tenant: str, progress: Progress = lambda done, total: None) -> int:
        """Make the graph of a tenant and its words for searching again from the log; from how many events.

        Where labels can't be opened, the words are left to the first search.
        """
        events = rebuild(self.store, tenant, progress)
        while self.reveal and not self.take_words(tenant):
            pass
        return events

    def take_words(self, tenant: str) -> bool:
        """Take the words of some more events for searching; whether that was all. Cheap when none is left."""
        return catch_up(self.store.of(tenant), tenant, self.reveal)

    def fsck(self, tenant: str, progress: Progress = lambda done, total: None) -> list[Finding]:
        """What is wrong with a tenant's log, and where its graph is not what the log makes."""
        return fsck(self.store, tenant, progress, self.reveal)

    def compact(self, tenant: str) -> int:
        """Merge small packed blobs; how many were merged. Cheap when there are few."""
        return compact(self.store, tenant)

    def backup(self, target: Path, until: str = "") -> None:
        """Copy the ledger, as of one moment, to a new file, and after it the key store beside that.

        The copy is remembered, with ``until`` when it is meant to be kept. Raises :class:`StoreTrouble`.
        """
        made = time.time_ns() // 1000
        backup(self.store, target)
        if self.keys.apart:
            backup(self.keys.store, default_path(target))
        name = os.fsencode(target).decode("utf-8", "backslashreplace")  # a file may be called so all the same
        note(self.store, Backup(name, made, until))

    def backups(self) -> list[Backup]:
        """The copies that were made; each holds what was deleted after it."""
        return backups(self.store)

    def tenants(self) -> list[str]:
        """The tenants that have events, ordered by name."""
        return [name for (name,) in self.store.directory("select name from tenant order by name")]

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
        self.keys.close()
        self.store.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class WrappedKeys:
    """The wrapped keys of a ledger, by the names of tenants (:mod:`app.content.rotation`)."""

    def __init__(self, ledger: Ledger) -> None:
        self._keys = ledger.keys
        self._numbers: dict[str, int] = dict(
            ledger.store.directory("select name, tenant from tenant order by name")
        )
        self.refuse_below = self._keys.refuse_below
        self.wipe = self._keys.wipe

    def tenants(self) -> list[str]:
        return list(self._numbers)

    def every(self, tenant: str) -> Iterator[list[tuple[str, bytes]]]:
        return self._keys.every(self._numbers[tenant])

    def replace(self, tenant: str, rows: Sequence[tuple[str, bytes]]) -> None:
        self._keys.rewrap(self._numbers[tenant], rows)


def _key_store(store: Store, keys: str) -> Store | None:
    """The store of its own that keeps the keys of bodies, if there is one."""
    if keys:
        return store_at(keys)
    return store_at(str(default_path(store.path))) if isinstance(store, Sqlite) else None


def _rebuild_all(store: Store) -> None:
    """Make every graph again, as an upgrade of the tables asks for; what it replaced is cut off."""
    for (name,) in store.directory("select name from tenant order by name"):
        rebuild(store, name)
    with store.writing() as session:
        session.run("delete from store where property = ?", (schema.REBUILD,))
    wipe(store)


def _ready(store: Store, create: bool) -> None:
    if create:
        if schema.version_of(store) is None:
            schema.make(store)
    elif isinstance(store, Sqlite) and not store.path.exists():
        raise StoreTrouble(f"there is no file {store.path}; `clew db upgrade` makes an empty ledger there")
    schema.check(store)


def store_at(url: str) -> Store:
    """The store at a URL; a text without ``://`` is the path of a SQLite file."""
    if "://" not in url:
        return Sqlite(url)
    if url.startswith(_FILE) and "?" not in url:
        return Sqlite(url.removeprefix(_FILE))
    from sqlalchemy import make_url  # a file is opened without
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StoreTrouble(
            f"{url!r} is no database URL: {error}; give sqlite:///FILE or postgresql://..."
        ) from None
    match parsed.get_backend_name():
        case "sqlite" if parsed.query:
            raise StoreTrouble(f"{url!r}: a ledger in a file takes no options; give sqlite:///FILE alone")
        case "sqlite":
            return Sqlite(parsed.database or "")
        case "postgresql":
            from app.ledger.postgres import Postgres

            return Postgres(parsed)
        case other:
            raise StoreTrouble(f"Clew keeps no ledger in {other}; give sqlite:///FILE or postgresql://...")
