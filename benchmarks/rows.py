"""What an append wrote, read back from a finished store; and peers that insert these rows in these commits.

Every peer writes into tables and indexes that the ledger itself made, over a connection with its settings.
"""

from __future__ import annotations

import marshal
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Table, create_engine, event, insert
from sqlalchemy.orm import Session, registry
from sqlalchemy.pool import StaticPool

from app import tables
from app.ledger import Ledger
from app.ledger.sqlite import PRAGMAS

Row = tuple[Any, ...]
Raw = sqlite3.Connection

# What tells in which commit a row was written: a seq, or a number that only grows.
_BY_SEQ = {
    tables.event: "seq",
    tables.node: "coalesce(joined, event)",
    tables.node_kind: "event",
    tables.attribute: "event",
    tables.assertion: "since",
    tables.fact: "event",
    tables.blob: "first_seq",
    tables.source_epoch: "first_seq",
    tables.source_report: "seq",
    tables.missing: "since",
    tables.run_source: "seq",
    tables.body: "event",
    tables.event_salt: "event",
}
_ORDER = {tables.node: "node", tables.assertion: "assertion", tables.attribute: "event, n"}


Inserts = list[tuple[Table, list[Row]]]
Named = list[tuple[Table, list[dict[str, Any]]]]
"""The same rows as SQLAlchemy takes them."""


class Commit(NamedTuple):
    """The rows of one commit by table, in the order in which they came, packed.

    They are unpacked just before they are inserted, as events are made ready just before they are appended:
    objects that were made long before cost each side more to touch.
    """

    packed: list[tuple[Table, bytes]]
    rows: int

    def inserts(self) -> Inserts:
        return [(table, marshal.loads(data)) for table, data in self.packed]

    def named(self) -> Named:
        return [
            (table, [dict(zip(table.columns.keys(), row, strict=True)) for row in rows])
            for table, rows in self.inserts()
        ]


def written(path: Path, heads: Sequence[tuple[int, int]], first: tuple[int, int] = (0, 0)) -> list[Commit]:
    """What each commit wrote; ``heads`` are (seq, word) of the head row after each, ``first`` before all."""
    commits: list[Inserts] = [[] for _ in heads]
    with closing(sqlite3.connect(path)) as connection:
        for table, place in _BY_SEQ.items():
            _sort(connection, table, place, [seq for seq, _ in heads], first[0], commits)
        _sort(connection, tables.word, "word", [word for _, word in heads], first[1], commits)
    return [_packed(inserts) for inserts in commits]


def _packed(inserts: Inserts) -> Commit:
    packed = [(table, marshal.dumps(rows)) for table, rows in inserts]
    return Commit(packed, sum(len(rows) for _, rows in inserts))


def _sort(
    connection: sqlite3.Connection,
    table: Table,
    place: str,
    ends: Sequence[int],
    first: int,
    commits: Sequence[Inserts],
) -> None:
    names = ", ".join(table.columns.keys())
    found = connection.execute(
        f"select {place}, {names} from {table.name} where {place} > ? order by {_ORDER.get(table, place)}",
        (first,),
    )
    rows: list[list[Row]] = [[] for _ in ends]
    commit = 0
    for at, *row in sorted(found, key=lambda row: row[0]):
        while at > ends[commit]:
            commit += 1
        rows[commit].append(tuple(row))
    for inserts, of_commit in zip(commits, rows, strict=True):
        if of_commit:
            inserts.append((table, of_commit))


def empty(path: Path) -> Path:
    """A file with the ledger's tables and indexes, and nothing in them."""
    Ledger.open(str(path), create=True).close()
    return path


def drop(path: Path) -> None:
    """The file is used up."""
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()


# The peers


def open_raw(path: Path) -> Raw:
    """The driver alone, with the ledger's own settings."""
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in PRAGMAS:
        connection.execute(pragma)
    return connection


def insert_raw(connection: Raw, inserts: Inserts) -> None:
    """One commit by ``executemany``, and nothing else."""
    connection.execute("begin immediate")
    for table, rows in inserts:
        marks = ", ".join("?" * len(table.columns))
        names = ", ".join(table.columns.keys())
        connection.executemany(f"insert into {table.name} ({names}) values ({marks})", rows)
    connection.execute("commit")


def open_engine(path: Path) -> Engine:
    """SQLAlchemy over one connection with the ledger's own settings."""
    engine = create_engine(f"sqlite:///{path}", poolclass=StaticPool)

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None
        for pragma in PRAGMAS:
            connection.execute(pragma)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("begin immediate")

    return engine


def insert_core(engine: Engine, inserts: Named) -> None:
    """One commit by SQLAlchemy Core's executemany."""
    with engine.begin() as connection:
        for table, rows in inserts:
            connection.execute(insert(table), rows)


_classes: dict[Table, type[Any]] = {}


def mapped(table: Table) -> type[Any]:
    """A class of the ORM for a table."""
    if table not in _classes:
        _classes[table] = type(table.name.title(), (), {})
        registry().map_imperatively(_classes[table], table)
    return _classes[table]


def insert_orm(engine: Engine, inserts: Named) -> None:
    """One commit by SQLAlchemy's ORM: an object a row, added to a session."""
    with Session(engine) as session:
        for table, rows in inserts:
            kind = mapped(table)
            session.add_all([kind(**row) for row in rows])
        session.commit()
