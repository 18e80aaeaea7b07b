"""The ledger on SQLite: the embedded default.

Write-ahead log with ``synchronous=FULL``: a commit is on the disk when it returns. One writer at a time
over all processes (``BEGIN IMMEDIATE``), any number of readers beside it. Never run ``ANALYZE`` on
``assertion``: SQLite 3.40 then scans the whole table to build a Bloom filter for each step of a walk.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from app.ledger.store import DOC_BITS, Session, Store, Triple, Tuple, insertion
from provmodel.errors import StoreTrouble

if TYPE_CHECKING:
    from sqlalchemy import Engine, Table

SECONDS_TO_WAIT = 30.0
"""How long a writer waits for another one."""

SECONDS_BETWEEN = 0.01
"""How long it waits between two looks, where SQLite itself doesn't wait."""

CACHE_KIB = 65_536
"""Page cache of one connection; the upper levels of all indexes of some million events."""

AT_A_TIME = (128, 8)
"""Triples in one statement: of the fewest that hold those that are left."""

ROWS_AT_ONCE = (256, 64, 16)
"""Rows of one ``insert``: it opens each index once, so 256 rows cost a sixth less than with executemany."""

PRAGMAS = (
    "pragma journal_mode=wal",
    "pragma synchronous=full",
    "pragma temp_store=memory",
    "pragma secure_delete=on",  # what is deleted is overwritten: keys, digests and bytes of bodies
)

# Ours, not the database's state.
_MISTAKES = (
    sqlite3.IntegrityError,
    sqlite3.ProgrammingError,
    sqlite3.InternalError,
    sqlite3.NotSupportedError,
)

_encode = msgspec.json.Encoder().encode
_LISTS = re.compile(r"\b(ints|texts|spans)\(\?\) (\w+)")
_TRIPLES = re.compile(r"\btriples\(\?\) (\w+)")
_SAME = re.compile(r"\bsame\(([^,]+), ([^)]+)\)")
_WITHIN = re.compile(r"\bwithin\(([^,]+), ([^,]+), ([^)]+)\)")
_BY = re.compile(r"\bby\((\w+)\)")
_MATCHING = re.compile(r"\bmatching\(\?\)")
_SPANS = "(select json_extract(value, '$[0]') as a, json_extract(value, '$[1]') as b from json_each(?))"
_MATCHED = (
    "(select s.* from search_index x cross join search_text s where x.search_index match ?"
    f" and s.tenant = x.rowid >> {DOC_BITS} and s.doc = x.rowid)"
)
_GIVEN = {size: f"with given(a, b, c) as (values {', '.join(['(?, ?, ?)'] * size)}) " for size in AT_A_TIME}
_VOCABULARY = (
    "create virtual table if not exists temp.search_vocabulary using fts5vocab(main, search_index, instance)"
)


class Sqlite(Store):
    """A database file."""

    errors = sqlite3.Error

    def __init__(self, path: str | Path, cache_kib: int = CACHE_KIB) -> None:
        if str(path) in ("", ":memory:"):
            raise StoreTrouble(
                "a ledger in memory would not be durable; give a file, as in sqlite:///clew.db"
            )
        self.path = Path(path)
        self._pragmas = (*PRAGMAS, f"pragma cache_size=-{cache_kib}")
        super().__init__(str(self.path))

    @property
    def engine(self) -> Engine:
        from sqlalchemy import create_engine  # who reads does without
        from sqlalchemy.pool import NullPool

        return create_engine("sqlite://", creator=self._connect, poolclass=NullPool)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=SECONDS_TO_WAIT, check_same_thread=False)
        connection.isolation_level = None  # transactions begin where the ledger says so
        try:
            for pragma in self._pragmas:
                _set(connection, pragma)
        except BaseException:
            connection.close()
            raise
        return connection

    def _spell(self, statement: str) -> str:
        lists = _MATCHING.sub(_MATCHED, _LISTS.sub(_list, statement))
        lists = _BY.sub(r"indexed by \1", _TRIPLES.sub(r"given \1", lists))
        return _WITHIN.sub(r"\1 >= \2 and \1 < \3", _SAME.sub(r"\1 = \2", lists))

    def ints(self, values: Sequence[int]) -> str:
        return _encode(values).decode()

    def texts(self, values: Sequence[str]) -> str:
        return _encode(values).decode()

    def spans(self, values: Sequence[tuple[str, str]]) -> str:
        return _encode(values).decode()

    def matching(self, word: str, prefix: bool) -> str:
        return f'"{word}"{"*" if prefix else ""}'

    def match_on(
        self,
        connection: sqlite3.Connection,
        statement: str,
        triples: Sequence[Triple],
        parameters: Sequence[Any],
    ) -> list[Tuple]:
        """Some at a time, so that the statement is one of few texts; the rest is filled up with zeros."""
        spelled = self.spell(statement)
        found: list[Tuple] = []
        start = 0
        while start < len(triples):
            size = min([size for size in AT_A_TIME if size >= len(triples) - start], default=AT_A_TIME[0])
            flat = [number for triple in triples[start : start + size] for number in triple]
            flat += [0] * (3 * size - len(flat))
            found += connection.execute(_GIVEN[size] + spelled, (*flat, *parameters)).fetchall()
            start += size
        return found

    def session(self, connection: sqlite3.Connection) -> Session:
        return SqliteSession(self, connection)

    def begin(self, connection: sqlite3.Connection) -> None:
        connection.execute("begin immediate")

    def tables(self, session: Session | None = None) -> set[str]:
        names = (session or self).fetch("select name from sqlite_master where type = 'table'")
        return {name for (name,) in names}

    def lock_schema(self, session: Session) -> None:
        """The one writer is alone already."""

    def trouble(self, error: BaseException) -> StoreTrouble | None:
        if not isinstance(error, sqlite3.DatabaseError) or isinstance(error, _MISTAKES):
            return None
        return self._busy(error) if _is_locked(error) else self._unusable(error)

    @contextmanager
    def _one_writer(self) -> Iterator[None]:
        """Threads of one process queue here, in order; SQLite itself would let them poll."""
        with self._turn:
            yield


class SqliteSession(Session):
    """A write transaction on SQLite."""

    def many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        self.connection.executemany(self.store.spell(statement), rows)

    def insert(self, table: Table, rows: Sequence[Tuple]) -> None:
        done = 0
        for size in ROWS_AT_ONCE:
            statement = insertion(table, "?", size)
            while len(rows) - done >= size:
                part = rows[done : done + size]
                self.connection.execute(statement, tuple(chain.from_iterable(part)))
                done += size
        if done < len(rows):
            self.connection.executemany(insertion(table, "?"), rows[done:])

    def index(self, rows: Sequence[tuple[int, str]]) -> None:
        self.connection.executemany("insert into search_index (rowid, words) values (?, ?)", rows)

    def unindex(self, rows: Sequence[tuple[int, str]]) -> None:
        """What is deleted stays in older pieces of the index until they are merged."""
        statement = "insert into search_index (search_index, rowid, words) values ('delete', ?, ?)"
        self.connection.executemany(statement, rows)
        self.connection.execute("insert into search_index (search_index) values ('optimize')")

    def index_anew(self) -> None:
        self.connection.execute("insert into search_index (search_index) values ('delete-all')")
        self.connection.execute("insert into search_index (rowid, words) select doc, words from search_text")

    def indexed(self, tenant: int) -> Iterable[tuple[str, int]]:
        self.connection.execute(_VOCABULARY)
        found: Iterable[tuple[str, int]] = self.connection.execute(
            "select term, doc from temp.search_vocabulary where term >= ? and term < ?",
            (f"{tenant}.", f"{tenant}/"),
        )
        return found


def _list(found: re.Match[str]) -> str:
    table = _SPANS if found[1] == "spans" else "json_each(?)"
    return f"{table} {found[2]}"


def _set(connection: sqlite3.Connection, pragma: str) -> None:
    """Set it, and wait for whoever is in the way: whatever its timeout, SQLite gives up at once where another
    connection is turning on the write-ahead log of a young file.
    """
    until = time.monotonic() + SECONDS_TO_WAIT
    while True:
        try:
            connection.execute(pragma)
        except sqlite3.OperationalError as error:
            if not _is_locked(error) or time.monotonic() > until:
                raise
            time.sleep(SECONDS_BETWEEN)
        else:
            return


def _is_locked(error: sqlite3.Error) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
