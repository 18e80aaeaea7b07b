"""A copy of a ledger while it is in use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from app.ledger.sqlite import Sqlite
from app.ledger.store import Store
from provmodel.errors import StoreTrouble

PAGES = 1024
"""Pages copied before writers get a turn."""


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
