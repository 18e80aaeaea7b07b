"""A copy of a ledger while it is in use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from app.ledger.bodykeys import keep_property, property_of
from app.ledger.reports import rfc3339
from app.ledger.sqlite import Sqlite
from app.ledger.store import Store
from provmodel.errors import StoreTrouble

PAGES = 1024
"""Pages copied before writers get a turn."""

BACKUPS = "backups"
"""The property that lists the copies that were made."""


class Backup(msgspec.Struct, frozen=True):
    """A copy of the ledger with its keys: it holds what was deleted afterwards. ``made`` is in microseconds
    since 1970, ``until`` the day after which whoever made it means to have deleted it ("": it did not say).
    """

    file: str
    made: int
    until: str = ""

    def told(self) -> str:
        until = f"kept until {self.until}" if self.until else "it was not said until when it is kept"
        return f"{self.file}, made {rfc3339(self.made)}, {until}"


def backups(store: Store) -> list[Backup]:
    """The copies that were made of this ledger."""
    known = property_of(store, BACKUPS)
    return msgspec.json.decode(known, type=list[Backup]) if known else []


def note(store: Store, copy: Backup) -> None:
    """Remember a copy."""
    with store.writing() as session:
        known = property_of(session, BACKUPS)
        listed = msgspec.json.decode(known, type=list[Backup]) if known else []
        keep_property(session, BACKUPS, msgspec.json.encode([*listed, copy]).decode())


def backup(store: Store, target: Path) -> None:
    """Copy an SQLite ledger, as of one moment, to a file that is not there yet; the keys are a file apart.

    Raises :class:`StoreTrouble` for a file that is there, or a ledger on PostgreSQL, which has its own tools.
    """
    if not isinstance(store, Sqlite):
        raise StoreTrouble(
            f"{store.name} is on PostgreSQL; copy it with `pg_dump`, and keep its key file too"
        )
    try:
        target.touch(exist_ok=False)
    except OSError as error:
        raise StoreTrouble(
            f"{target} can't be made: {error.strerror}; name a file that is not there"
        ) from None
    with store.connection() as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy, pages=PAGES)
