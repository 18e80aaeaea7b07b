"""No statement without its tenant: each connection of a test refuses one, whoever of the app sends it.

A statement is read simply: each table with a tenant that stands after `from`, `join`, `into` or `update` must
have its tenant named, by its alias when it has one. The directory of tenants alone may be read without.
Statements that a test sends itself are its own matter.
"""

from __future__ import annotations

import inspect
import re
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import Engine, event

from app import tables

ROOT = Path(__file__).parents[1]
OF_TENANTS = {name for name, table in tables.metadata.tables.items() if "tenant" in table.columns}
DIRECTORY = "tenant"

_PLACES = re.compile(r"\b(from|join|into|update)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?", re.IGNORECASE)
_NO_ALIAS = re.compile(
    "where|on|set|cross|left|inner|join|order|group|limit|indexed|values|select|for|union|using|default",
    re.IGNORECASE,
)
_WHOLE = "insert into search_index "
"""The index of words on SQLite is one for all tenants, whose words begin with their number."""
_MATTERS = re.compile(r"\s*(select|insert|update|delete|with)\b", re.IGNORECASE)
_SENDERS = ("app/ledger/store.py", "app/ledger/sqlite.py", "app/ledger/postgres.py")


class WithoutTenant(AssertionError):
    """The app sent a statement that touches rows of a tenant and does not say whose."""


def missing_in(statement: str) -> list[str]:
    """The tables of tenants whose tenant the statement does not name."""
    if not _MATTERS.match(statement) or statement.startswith(_WHOLE):
        return []
    found = [(table.lower(), alias) for _, table, alias in _PLACES.findall(statement)]
    touched = [(table, alias) for table, alias in found if table in OF_TENANTS]
    if {table for table, _ in touched} == {DIRECTORY}:
        return []
    without_places = _PLACES.sub(lambda place: place[0].replace(DIRECTORY, "", 1), statement)
    return [table for table, alias in touched if not _named(without_places, alias)]


def _named(statement: str, alias: str) -> bool:
    if alias and not _NO_ALIAS.fullmatch(alias):
        return bool(re.search(rf"\b{alias}\.tenant\b", statement))
    return bool(re.search(r"(?<![.\w])tenant\b", statement))


_fine: set[str] = set()


def check(statement: Any) -> None:
    """Refuse a statement of the app without its tenant; each text is looked at once."""
    text = statement.decode() if isinstance(statement, bytes) else statement
    if not isinstance(text, str) or text in _fine:
        return
    without = missing_in(text)
    if without and _is_of_the_app():
        raise WithoutTenant(f"{', '.join(without)} without a tenant: {text}")
    if not without:
        _fine.add(text)


def _is_of_the_app() -> bool:
    """Whether the nearest file of the project that is no sender of statements is the app's."""
    for frame in inspect.stack(0)[2:]:
        path = Path(frame.filename)
        if path.is_relative_to(ROOT):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(".venv/") and name not in (*_SENDERS, "tests/predicates.py"):
                return name.startswith("app/")
    return False


class CheckedConnection(sqlite3.Connection):
    """Of SQLite."""

    def execute(self, sql: str, *more: Any) -> sqlite3.Cursor:
        check(sql)
        return super().execute(sql, *more)

    def executemany(self, sql: str, *more: Any) -> sqlite3.Cursor:
        check(sql)
        return super().executemany(sql, *more)


class CheckedCursor(psycopg.Cursor[Any]):
    """Of PostgreSQL."""

    def execute(self, query: Any, *more: Any, **options: Any) -> CheckedCursor:
        check(query)
        super().execute(query, *more, **options)
        return self

    def executemany(self, query: Any, *more: Any, **options: Any) -> None:
        check(query)
        super().executemany(query, *more, **options)


def _open_checked(dialect: Any, _: Any, __: Any, options: dict[str, Any]) -> None:
    if dialect.name != "sqlite":
        options["cursor_factory"] = CheckedCursor


def watch() -> None:
    """Look at what is sent from now on, over every connection to SQLite and by every engine."""
    setattr(sqlite3, "connect", partial(sqlite3.connect, factory=CheckedConnection))  # noqa: B010
    event.listen(Engine, "do_connect", _open_checked)
