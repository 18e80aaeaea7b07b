"""What all tables are made of: types, keys, and look-up by a text of any length."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, Index, LargeBinary, MetaData, SmallInteger, Text, text

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
    }
)

# Compared by code point in both databases, whatever the locale of the server.
String = Text().with_variant(Text(collation="C"), "postgresql")
Number, Small, Bytes = BigInteger(), SmallInteger(), LargeBinary()

CLUSTERED: dict[str, Any] = {"sqlite_with_rowid": False}


def key(name: str) -> Column[int]:
    """An integer of a primary key; never filled in by the database."""
    return Column(name, Number, nullable=False, autoincrement=False)


def tenant_key() -> Column[int]:
    """The first column of every key."""
    return key("tenant")


BY_TEXT = "by_text"
"""Where the ``info`` of an index says that its last column is a text of any length, and of which rows."""


def by_text(name: str, *columns: str, where: str = "", unique: bool = False) -> Index:
    """Look-up by columns of which the last is a text of any length: as it is on SQLite, by a column with its
    start on PostgreSQL (:mod:`app.tables.isolation`).

    There the lock on the tenant's head row keeps such a text unique, and ``clew db fsck`` checks it.
    """
    only: dict[str, Any] = {"sqlite_where": text(where)} if where else {}
    return Index(name, *columns, unique=unique, info={BY_TEXT: where}, **only).ddl_if(dialect="sqlite")
