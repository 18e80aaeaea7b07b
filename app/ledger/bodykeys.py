"""The key store: the wrapped key of each content, in a small database of its own.

Whoever deletes a content deletes its key here. A copy of the ledger then holds bytes that nothing opens, be
it a backup, a write-ahead log or a page that was freed. On SQLite what is deleted is overwritten
(``secure_delete``) and the write-ahead log is cut off, so that the key is gone from the file. On PostgreSQL
nothing of the kind can be had: what was deleted stays in the heap, the write-ahead log and the backups until
these are written over. So the service keeps the keys of such a ledger in a file, too, unless it is told of
another place; a ledger that is opened without one keeps them in its own table.

A ledger and its key store know each other by a random name. A store that is missing or another's is refused,
and nothing in it is touched.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from app import tables
from app.ledger.sqlite import Sqlite
from app.ledger.store import Session, Store, Tuple
from app.tables.figures import VACUUMED
from provmodel.errors import StoreBusy, StoreTrouble

LEDGER = "key_store"
"""The property by which both know each other."""

_CHOSEN = "key_store_chosen"
"""The property of the name that a key store is to get."""

OLDEST = "wrapping"
"""The property of the lowest number of a wrapping key that is still taken."""

AT_A_TIME = 2000
_OWNER_ONLY = 0o600

# contents, tenant
_GET = (
    "select k.content, k.wrapped from texts(?) i cross join body_key k"
    " where k.tenant = ? and k.content = i.value"
)


class BodyKeys:
    """The wrapped keys of all tenants, in a store of their own or beside everything else."""

    def __init__(self, store: Store, ledger: Store) -> None:
        self.store = store
        self._ledger = ledger

    @property
    def apart(self) -> bool:
        """Whether they are kept apart from the ledger."""
        return self.store is not self._ledger

    @property
    def name(self) -> str:
        """Where they are, without a password."""
        return self.store.name

    def keep(self, session: Session, rows: Sequence[tuple[int, str, bytes]]) -> None:
        """Keep (tenant, content, wrapped key); durable before the ledger's own transaction is, if apart.

        Raises :class:`StoreBusy` for keys under a wrapping key that was rotated away meanwhile.
        """
        if not rows:
            return
        if not self.apart:
            self._keep(session, rows)
            return
        with self.store.of(rows[0][0]).writing() as own:
            self._keep(own, rows)

    def _keep(self, session: Session, rows: Sequence[Tuple]) -> None:
        oldest = int(property_of(session, OLDEST) or 0)
        if oldest and any(int.from_bytes(wrapped[1:3], "big") < oldest for _, _, wrapped in rows):
            raise StoreBusy("the keys of bodies were rotated just now; send it again")
        session.insert(tables.body_key, rows)

    def get(self, tenant: int, contents: Sequence[str]) -> dict[str, bytes]:
        """The wrapped keys that are there."""
        found: dict[str, bytes] = {}
        for store in dict.fromkeys((self._ledger, self.store)):  # the ledger has those of before it was apart
            rows = store.of(tenant).fetch(_GET, (store.texts(contents), tenant))
            found.update((content, bytes(wrapped)) for content, wrapped in rows)
        return found

    def destroy(self, tenant: int, contents: Sequence[str]) -> None:
        """Delete keys for good; those that aren't there are no error."""
        for store in dict.fromkeys((self.store, self._ledger)):
            with store.of(tenant).writing() as session:
                for start in range(0, len(contents), AT_A_TIME):
                    some = store.texts(contents[start : start + AT_A_TIME])
                    session.run(
                        "delete from body_key where tenant = ? and content in"
                        " (select i.value from texts(?) i)",
                        (tenant, some),
                    )

    def wipe(self) -> None:
        """Leave nothing of deleted keys in the files, as far as the database lets itself be told."""
        wipe(self.store)

    def every(self, tenant: int) -> Iterator[list[tuple[str, bytes]]]:
        """All keys of a tenant, some at a time, in the order of contents."""
        for store in dict.fromkeys((self._ledger, self.store)):
            after = ""
            while rows := store.of(tenant).fetch(
                "select content, wrapped from body_key where tenant = ? and content > ? order by content"
                f" limit {AT_A_TIME}",
                (tenant, after),
            ):
                after = rows[-1][0]
                yield [(content, bytes(wrapped)) for content, wrapped in rows]

    def names(self, tenant: int, after: str, until: str) -> Iterator[list[str]]:
        """The contents that have a key, from one name to before another, some at a time and in order."""
        while rows := self.store.of(tenant).fetch(
            "select content from body_key where tenant = ? and content > ? and content < ? order by content"
            f" limit {AT_A_TIME}",
            (tenant, after, until),
        ):
            after = rows[-1][0]
            yield [content for (content,) in rows]

    def rewrap(self, tenant: int, rows: Sequence[tuple[str, bytes]]) -> None:
        """Put other wrapped keys in the place of those that are still there."""
        changed = [(wrapped, tenant, content) for content, wrapped in rows]
        for store in dict.fromkeys((self._ledger, self.store)):
            with store.of(tenant).writing() as session:
                session.many("update body_key set wrapped = ? where tenant = ? and content = ?", changed)

    def refuse_below(self, number: int) -> None:
        """Take no keys any more that an older wrapping key wrapped."""
        with self.store.writing() as session:
            keep_property(session, OLDEST, str(number))

    def close(self) -> None:
        if self.apart:
            self.store.close()


def wipe(store: Store) -> None:
    """Cut a SQLite write-ahead log off, so that pages of before are gone from it; vacuum the tables of
    content on PostgreSQL. A reader that is busy meanwhile puts it off to the next time.
    """
    with store.connection() as connection:
        if isinstance(store, Sqlite):
            connection.execute("pragma wal_checkpoint(truncate)")
        else:
            for table in VACUUMED:
                connection.execute(f"vacuum {table}")


def property_of(of: Session | Store, name: str) -> str | None:
    found = of.fetch("select value from store where property = ?", (name,))
    return str(found[0][0]) if found else None


def keep_property(session: Session, name: str, value: str) -> None:
    """Set a property, whatever it was."""
    session.run(
        "insert into store (property, value) values (?, ?)"
        " on conflict (property) do update set value = excluded.value",
        (name, value),
    )


def default_path(ledger: Path) -> Path:
    """Where the key store of an SQLite ledger is unless told otherwise."""
    return ledger.with_suffix(".bodykeys")


def open_body_keys(ledger: Store, apart: Store | None) -> BodyKeys:
    """The key store of a ledger; it is made, and introduced to the ledger, when the ledger has none yet.

    Raises :class:`StoreTrouble` when the one the ledger knows is missing, or this is another's.
    """
    known = property_of(ledger, LEDGER)
    if apart is None:
        if known is not None:
            raise _trouble(
                ledger,
                "keeps the keys of its bodies in a store of their own",
                "set CLEW_KEY_STORE to where it is",
            )
        return BodyKeys(ledger, ledger)
    known = known or _introduce(ledger, apart)
    there = _name_in(apart)
    if there is None:
        raise _trouble(
            apart,
            "is missing or empty",
            "put it back from its backup, or name it by CLEW_KEY_STORE; nothing was changed",
        )
    if there != known:
        raise _trouble(
            apart,
            "belongs to another ledger",
            "put the key store of this ledger there, or name it by CLEW_KEY_STORE; nothing was changed",
        )
    return BodyKeys(apart, ledger)


def _name_in(store: Store) -> str | None:
    if isinstance(store, Sqlite) and (not store.path.exists() or not store.path.stat().st_size):
        return None
    return property_of(store, LEDGER) if "store" in store.tables() else None


def _introduce(ledger: Store, apart: Store) -> str:
    """Make a key store and let both know each other; of several processes one is first. The name is written
    down before: one that ended between the two is gone on from, not taken for another ledger's.
    """
    with ledger.writing() as session:
        name = property_of(session, _CHOSEN) or secrets.token_hex(16)
        keep_property(session, _CHOSEN, name)
    with ledger.writing() as session:
        known = property_of(session, LEDGER)
        if known is not None:
            return known
        there = _name_in(apart)
        if there is None:
            _make(apart, name)
        elif there != name:
            raise _trouble(apart, "belongs to another ledger", "name another place by CLEW_KEY_STORE")
        keep_property(session, LEDGER, name)
        return name


def _make(store: Store, name: str) -> None:
    if isinstance(store, Sqlite):
        store.path.touch(mode=_OWNER_ONLY)
    if store.tables():
        raise _trouble(store, "holds other tables", "give the keys a database of their own")
    with store.writing() as session:

        def run(statement: object, *_: object, **__: object) -> None:
            session.run(str(statement.compile(dialect=store.engine.dialect)))  # type: ignore[attr-defined]

        from sqlalchemy import create_mock_engine  # who reads does without

        engine = create_mock_engine(store.engine.url, run)
        tables.metadata.create_all(engine, tables=[tables.store, tables.body_key], checkfirst=False)
        keep_property(session, LEDGER, name)


def _trouble(store: Store, what: str, remedy: str) -> StoreTrouble:
    return StoreTrouble(f"the key store {store.name} {what}; {remedy}")
