"""The ledger on PostgreSQL: many machines, many writers.

A writer holds the tenant's head row (``select ... for update``) from taking a seq to the commit, so seqs are
contiguous and become visible in order; other tenants write beside it. Large inserts go by ``COPY``. They need
no ``on conflict``: whatever could clash was looked up under that lock, and its integers are new.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg import errors
from psycopg.types.numeric import Int8Dumper
from sqlalchemy import URL, Table, create_engine, event
from sqlalchemy.pool import NullPool

from app.ledger.store import Collided, Session, Store, Triple, Tuple, insertion
from app.tables import INDEXED_CHARACTERS
from provmodel.errors import StoreTrouble

FEW = 16
"""Rows up to which one ``insert`` each, sent together, is faster than a ``COPY``."""

SETTINGS = (
    "set synchronous_commit = on",  # what is answered is on the disk
    "set lock_timeout = '30s'",
    "set client_min_messages = warning",
    # Reads name the rows they want by index. The size of a list isn't known when they are planned, and a plan
    # made for a small table must not read all of it when it has grown.
    "set enable_hashjoin = off",
    "set enable_mergejoin = off",
    "set enable_seqscan = off",
    "set jit = off",
)

_SCHEMA_LOCK = 0x636C6577  # "clew"
_LISTS = re.compile(r"\b(ints|texts|triples|spans)\(\?\) (\w+)")
_SAME = re.compile(r"\bsame\(([^,]+), ([^)]+)\)")
_WITHIN = re.compile(r"\bwithin\(([^,]+), ([^,]+), ([^)]+)\)")
_BY = re.compile(r"\bby\((\w+)\)")
_MATCHING = re.compile(r"\bmatching\(\?\)")
_MATCHED = (
    "(select s.* from search_text s where array_to_tsvector(string_to_array(s.words, ' ')) @@ ?::tsquery)"
)
_TABLES = {
    "ints": "(select value, 0 * n as nought from unnest(?::bigint[]) with ordinality u(value, n)) {0}",
    "texts": "(select value, 0 * n as nought from unnest(?::text[]) with ordinality u(value, n)) {0}",
    "triples": "(select a, b, c, 0 * n as nought"
    " from unnest(?::bigint[], ?::bigint[], ?::bigint[]) with ordinality u(a, b, c, n)) {0}",
    "spans": "(select v->>0 as a, v->>1 as b, 0 * n as nought"
    " from json_array_elements(?::json) with ordinality u(v, n)) {0}",
}
_LOOKED_UP = re.compile(r"\b(?:ints|texts|triples|spans)\(\?\) (\w+) cross join \w+ (\w+)")


class Postgres(Store):
    """A database of a PostgreSQL server."""

    errors = psycopg.Error
    for_update = " for update"

    def __init__(self, url: URL) -> None:
        engine = create_engine(url.set(drivername="postgresql+psycopg"), poolclass=NullPool)
        event.listen(engine, "connect", _prepare)
        super().__init__(engine, url.render_as_string(hide_password=True))

    def _spell(self, statement: str) -> str:
        statement = _list_first(statement)
        lists = _LISTS.sub(lambda found: _TABLES[found[1]].format(found[2]), statement)
        lists = _BY.sub("", _MATCHING.sub(_MATCHED, lists))
        return _WITHIN.sub(_within, _SAME.sub(_same, lists)).replace("?", "%s")

    def ints(self, values: Sequence[int]) -> list[int]:
        return list(values)

    def texts(self, values: Sequence[str]) -> list[str]:
        return list(values)

    def spans(self, values: Sequence[tuple[str, str]]) -> str:
        return json.dumps(values)

    def matching(self, word: str, prefix: bool) -> str:
        return f"'{word}'{':*' if prefix else ''}"

    def match_on(
        self, connection: Any, statement: str, triples: Sequence[Triple], parameters: Sequence[Any]
    ) -> list[Tuple]:
        columns = [list(column) for column in zip(*triples, strict=True)] or [[], [], []]
        found: list[Tuple] = connection.execute(self.spell(statement), (*columns, *parameters)).fetchall()
        return found

    def session(self, connection: Any) -> Session:
        return PostgresSession(self, connection)

    def begin(self, connection: Any) -> None:
        connection.execute("begin")

    def fetch(self, statement: str, parameters: Sequence[Any] = ()) -> list[Tuple]:
        """Asks once more when the connection had gone stale: the server may have been started again."""
        try:
            return super().fetch(statement, parameters)
        except StoreTrouble as trouble:
            if not isinstance(trouble.__cause__, psycopg.OperationalError) or self.is_busy(trouble.__cause__):
                raise
            return super().fetch(statement, parameters)

    def tables(self, session: Session | None = None) -> set[str]:
        names = (session or self).fetch("select tablename from pg_tables where schemaname = current_schema()")
        return {name for (name,) in names}

    def lock_schema(self, session: Session) -> None:
        session.run("select pg_advisory_xact_lock(?)", (_SCHEMA_LOCK,))

    def trouble(self, error: BaseException) -> StoreTrouble | None:
        if isinstance(error, errors.DeadlockDetected | errors.SerializationFailure):
            return Collided(f"{self.name}: two writers collided: {error}; try again")
        if not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            return None
        if self.is_busy(error):
            return self._busy(error)
        self.drop_free()
        return self._unusable(error)

    @staticmethod
    def is_busy(error: BaseException) -> bool:
        """Whether someone else held what was wanted for too long."""
        return isinstance(error, errors.LockNotAvailable | errors.QueryCanceled)


class PostgresSession(Session):
    """A write transaction on PostgreSQL."""

    def many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        with self.connection.cursor() as cursor:
            cursor.executemany(self.store.spell(statement), rows)

    def insert(self, table: Table, rows: Sequence[Tuple]) -> None:
        if not rows:
            return
        with self.connection.cursor() as cursor:
            if len(rows) <= FEW:
                cursor.executemany(insertion(table, "%s"), rows)
                return
            names = ", ".join(table.columns.keys())
            with cursor.copy(f"copy {table.name} ({names}) from stdin") as copy:
                for row in rows:
                    copy.write_row(row)

    def index(self, rows: Sequence[tuple[int, str]]) -> None:
        """The index is the table's own."""

    def unindex(self, rows: Sequence[tuple[int, str]]) -> None:
        """The words go with their rows."""

    def index_anew(self) -> None:
        """The index is the table's own."""

    def indexed(self, tenant: int) -> None:
        """The index is the table's own."""


def _list_first(statement: str) -> str:
    """Make what a table must equal a matter of the list, too: it can then only be looked up in, row by row of
    the list.

    A table without statistics, as every young one is, would else be read whole for each row of the list.
    """
    found = _LOOKED_UP.search(statement)
    if not found:
        return statement
    listed, table = found.groups()
    return re.sub(rf"\b{table}\.(\w+) = \?", rf"{table}.\1 = ? + {listed}.nought", statement)


def _same(found: re.Match[str]) -> str:
    column, value = found[1], found[2]
    return f"{_start(column)} = {_start(value)} and {column} = {value}"


def _within(found: re.Match[str]) -> str:
    column, first, end = found[1], found[2], found[3]
    return (
        f"{_start(column)} >= {_start(first)} and {_start(column)} <= {_start(end)}"
        f" and {column} >= {first} and {column} < {end}"
    )


def _start(text: str) -> str:
    """What the index of a long text holds of it."""
    return f"substr({text}, 1, {INDEXED_CHARACTERS})"


def _prepare(connection: psycopg.Connection[Any], _: object) -> None:
    connection.autocommit = True  # transactions begin where the ledger says so
    connection.adapters.register_dumper(int, Int8Dumper)  # one type, so one prepared statement
    for setting in SETTINGS:
        connection.execute(setting)
