"""The ledger on PostgreSQL: many machines, many writers.

A writer holds the tenant's head row (``select ... for update``) from taking a seq to the commit, so seqs are
contiguous and become visible in order; other tenants write beside it. Large inserts go as an array a column:
row-level security lets no ``COPY`` in. They need no ``on conflict``: whatever could clash was looked up under
that lock, and its integers are new.

Rows are seen and written by a setting of the transaction (:mod:`app.tables.isolation`). A read outside of a
transaction is sent together with its setting, in one go, which PostgreSQL runs as one transaction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import psycopg
from psycopg import errors
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from sqlalchemy import URL, Column, Engine, LargeBinary, Table, Text, create_engine, event
from sqlalchemy.pool import NullPool

from app.ledger.store import Collided, Session, Store, Triple, Tuple, insertion
from app.tables.figures import INDEXED_CHARACTERS
from provmodel.errors import StoreTrouble

FEW = 16
"""Rows up to which one ``insert`` each, sent together, is faster than an array a column."""

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
_MATCHED = "(select s.* from search_matching(?::tsquery) s)"
_OF_TENANT = "select set_config('clew.tenant', %s, true)"
_DIRECTORY = "select set_config('clew.directory', %s, true)"
_BYPASSING = "select rolsuper or rolbypassrls from pg_roles where rolname = current_user"
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
        self._engine = create_engine(url.set(drivername="postgresql+psycopg"), poolclass=NullPool)
        event.listen(self._engine, "connect", _prepare)
        super().__init__(url.render_as_string(hide_password=True))

    @property
    def engine(self) -> Engine:
        return self._engine

    def _connect(self) -> Any:
        proxied = self._engine.raw_connection()
        connection = proxied.driver_connection
        proxied.detach()
        return connection

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
        return _rows(connection.execute(self.spell(statement), (*_columns(triples), *parameters)))

    def session(self, connection: Any) -> Session:
        return PostgresSession(self, connection)

    def begin(self, connection: Any) -> None:
        whose = f"; select set_config('clew.tenant', '{self.tenant}', true)" if self.tenant else ""
        connection.execute(f"begin{whose}")

    def fetch(self, statement: str, parameters: Sequence[Any] = ()) -> list[Tuple]:
        return self._read(statement, parameters)

    def each(self, statement: str, parameters: Sequence[Any] = ()) -> Iterator[Tuple]:
        """The driver has all rows by then, so no connection need be lent while they are used."""
        yield from self.fetch(statement, parameters)

    def match(self, statement: str, triples: Sequence[Triple], parameters: Sequence[Any]) -> list[Tuple]:
        return self._read(statement, (*_columns(triples), *parameters))

    def directory(self, statement: str, parameters: Sequence[Any] = ()) -> list[Tuple]:
        return self._read(statement, parameters, (_DIRECTORY, "on"))

    def _read(
        self, statement: str, parameters: Sequence[Any], setting: tuple[str, str] | None = None
    ) -> list[Tuple]:
        """Asks once more when the connection had gone stale: the server may have been started again."""
        if setting is None and self.tenant:
            setting = (_OF_TENANT, str(self.tenant))
        try:
            return self._sent(statement, parameters, setting)
        except StoreTrouble as trouble:
            if not isinstance(trouble.__cause__, psycopg.OperationalError) or self.is_busy(trouble.__cause__):
                raise
            return self._sent(statement, parameters, setting)

    def _sent(
        self, statement: str, parameters: Sequence[Any], setting: tuple[str, str] | None
    ) -> list[Tuple]:
        """What stands in one pipeline is one transaction, so that the setting ends with the statement."""
        with self.connection() as connection:
            if setting is None:
                return _rows(connection.execute(self.spell(statement), parameters))
            with connection.pipeline():
                connection.execute(setting[0], setting[1:], prepare=True)
                cursor = connection.execute(self.spell(statement), parameters)
            return _rows(cursor)

    @contextmanager
    def reading(self) -> Iterator[Any]:
        with self.connection() as connection:
            self.begin(connection)
            try:
                yield connection
            finally:
                self._undo(connection)

    def goes_round_isolation(self) -> bool:
        """Whether row-level security does not hold for the role that this connects as."""
        return bool(self.fetch(_BYPASSING)[0][0])

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

    def __init__(self, store: Store, connection: Any) -> None:
        super().__init__(store, connection)
        self._entered = store.tenant

    def enter(self, tenant: int) -> None:
        if tenant != self._entered:
            self.connection.execute(_OF_TENANT, (str(tenant),))
            self._entered = tenant

    def directory(self, statement: str, parameters: Sequence[Any] = ()) -> list[Tuple]:
        self.connection.execute(_DIRECTORY, ("on",))
        found = self.fetch(statement, parameters)
        self.connection.execute(_DIRECTORY, ("off",))
        return found

    def many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        with self.connection.cursor() as cursor:
            cursor.executemany(self.store.spell(statement), rows)

    def insert(self, table: Table, rows: Sequence[Tuple]) -> None:
        if not rows:
            return
        with self.connection.cursor() as cursor:
            if len(rows) <= FEW:
                cursor.executemany(insertion(table, "%s"), rows)
            else:
                cursor.execute(_at_once(table), [list(column) for column in zip(*rows, strict=True)])

    def index(self, rows: Sequence[tuple[int, str]]) -> None:
        """The index is the table's own."""

    def unindex(self, rows: Sequence[tuple[int, str]]) -> None:
        """The words go with their rows."""

    def index_anew(self) -> None:
        """The index is the table's own."""

    def indexed(self, tenant: int) -> None:
        """The index is the table's own."""


@cache
def _at_once(table: Table) -> str:
    """The statement that inserts rows that are given as an array a column, in binary."""
    names = ", ".join(table.columns.keys())
    return f"insert into {table.name} ({names}) select * from unnest({', '.join(map(_array, table.columns))})"


def _array(column: Column[Any]) -> str:
    match column.type:
        case LargeBinary():
            return "%b::bytea[]"
        case Text():
            return "%b::text[]"
        case _:
            return "%b::bigint[]"


def _rows(cursor: Any) -> list[Tuple]:
    found: list[Tuple] = cursor.fetchall()
    return found


def _columns(triples: Sequence[Triple]) -> list[list[int]]:
    return [list(column) for column in zip(*triples, strict=True)] or [[], [], []]


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
    return f"{column}_start = {_start(value)} and {column} = {value}"


def _within(found: re.Match[str]) -> str:
    column, first, end = found[1], found[2], found[3]
    return (
        f"{column}_start >= {_start(first)} and {column}_start <= {_start(end)}"
        f" and {column} >= {first} and {column} < {end}"
    )


def _start(text: str) -> str:
    """What the column with the start of a long text holds of it."""
    return f"substr({text}, 1, {INDEXED_CHARACTERS})"


def _prepare(connection: psycopg.Connection[Any], _: object) -> None:
    connection.autocommit = True  # transactions begin where the ledger says so
    for dumper in (Int8Dumper, Int8BinaryDumper):
        connection.adapters.register_dumper(int, dumper)  # one type, so one prepared statement
    for setting in SETTINGS:
        connection.execute(setting)
