"""Empty ledgers for tests that are not about making one: copies of one that was made once in this process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from app.ledger import schema
from app.ledger.ledger import store_at


def empty_ledger(path: Path) -> str:
    """Put a ledger without events at a path; the path, for ``Ledger.open``."""
    path.write_bytes(_empty())
    return str(path)


@cache
def _empty() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "clew.db"
        make_tables(str(path))
        return path.read_bytes()


def make_tables(url: str) -> None:
    """Make every table of a ledger in an empty database."""
    store = store_at(url)
    try:
        schema.make(store)
    finally:
        store.close()
