"""The tables of the store, for SQLite and PostgreSQL alike.

``tenant`` is the first column of every primary, unique and foreign key, of every index and of every query:
that makes isolation checkable, row-level security possible (``isolation``), and sharding by tenant a choice
of deployment. Only ``tenant`` itself, which gives a name its number, and ``store``, which holds what is true
of the whole database, stand outside the rule.

Texts that return often (roles, methods, attribute names, sources, runs) are integers of ``word``; what can
be an end of a relation is an integer of ``node``. On SQLite the narrow tables are clustered on their
primary key (``WITHOUT ROWID``); ``event`` and ``body`` are not, because rows of a page's quarter and more
would spill from an index page.

Times of the service's own clock are microseconds since 1970 in UTC. ``since`` and ``until`` are seqs of the
log: a row is visible when ``since <= as_of < until``, an ``until`` of null being never.

They are made when the first of them is named: to read, the ledger names none, and does without SQLAlchemy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.tables.every import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(import_module("app.tables.every"), name)
