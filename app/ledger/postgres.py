"""The ledger on PostgreSQL: many machines, many writers.

A writer holds the tenant's head row (``select ... for update``) from taking a seq to the commit, so seqs are contiguous and become
visible in order; other tenants write beside it. Large inserts go by ``COPY``. They need no ``on conflict``: whatever could clash
was looked up under that lock, and its integers are new.
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

from app.ledger.store import Collided, Session, Store, Tuple, insertion
from app.tables import INDEXED_CHARACTERS
from provmodel.errors import StoreTrouble

FEW = 16
"""Rows up to which one ``insert`` each, sent together, is faster than a ``COPY``."""

SETTINGS = (
    "set synchronous_commit = on",  # what is answered is on the disk
    "set lock_timeout = '30s'",
    "set client_min_messages = warning",
    # Reads name the rows they want by index. The size of a list isn't known when they are planned, and a plan made for a
    # small table must not read all of it when it has grown.
    "set enable_hashjoin = off",
    "set enable_mergejoin = off",
    "set enable_seqscan = off",
    "set jit = off",
)

_SCHEMA_LOCK = 0x636C6577  # "clew"
_LISTS = re.compile(r"\b(ints|texts|triples|spans)\(\?\) (\w+)")
_SAME = re.compile(r"\bsame\(([^,]+), ([^)]+)\)")
_WITHIN = re.compile(r"\bwithin\(([^,]+), ([^,]+), ([^)]+)\)")
_TABLES = {
    "ints": r"unnest(?::bigint[]) {0}(value)",
    "texts": r"unnest(?::text[]) {0}(value)",
    "triples": "(select (value->>0)::bigint as a, (value->>1)::bigint as b, (value->>2)::bigint as c"
    " from json_array_elements(?::json)) {0}",
    "spans": "(select value->>0 as a, value->>1 as b from json_array_elements(?::json)) {0}",
}


class Postgres(Store):
    """A database of a PostgreSQL server."""

    errors = psycopg.Error
    for_update = " for update"

    def __init__(self, url: URL) -> None:
        engine = create_engine(url.set(drivername="postgresql+psycopg"), poolclass=NullPool)
        event.listen(engine, "connect", _prepare)
        super().__init__(engine, url.render_as_string(hide_password=True))

    def _spell(self, statement: str) -> str:
        lists = _LISTS.sub(lambda found: _TABLES[found[1]].format(found[2]), statement)
        return _WITHIN.sub(_within, _SAME.sub(_same, lists)).replace("?", "%s")

    def ints(self, values: Sequence[int]) -> list[int]:
        return list(values)

    def texts(self, values: Sequence[str]) -> list[str]:
        return list(values)

    def triples(self, values: Sequence[tuple[int, int, int]]) -> str:
        return json.dumps(values)

    def spans(self, values: Sequence[tuple[str, str]]) -> str:
        return json.dumps(values)

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
