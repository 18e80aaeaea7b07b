"""One database, as the ledger talks to it: connections, transactions, and how SQLite and PostgreSQL differ.

Statements are written once, with ``?`` for a parameter and eight words that each database spells its own way:

======================  ======================================================================================
``ints(?) i``           a list of integers as a table ``i`` with the column ``value``
``texts(?) i``          a list of texts, likewise
``triples(?) t``        triples of integers as a table ``t`` with columns ``a``, ``b``, ``c``; for ``match``
``spans(?) s``          a list of pairs of texts as a table ``s`` with columns ``a`` and ``b``
``same(x.c, i.value)``  equality of an indexed text of any length (``tables.INDEXED_CHARACTERS``)
``within(x.c, a, b)``   an indexed text from ``a`` to before ``b``, by code point
``matching(?) d``       the rows of ``search_text`` that hold a word (:meth:`Store.matching`), as a table
``event e by(index)``   the index to take on SQLite, which without statistics thinks well of any index that
                        begins with the tenant; PostgreSQL chooses by itself
======================  ======================================================================================

Statements go straight to the driver; SQLAlchemy describes the tables, and is loaded for that alone.

A store as it is opened sees what belongs to no tenant (``store``) and the directory of tenants. What belongs
to one is read and written through its view (:meth:`Store.of`): on PostgreSQL no row of another is in it.
"""

from __future__ import annotations

import copy
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from provmodel.errors import StoreBusy, StoreTrouble

if TYPE_CHECKING:
    from sqlalchemy import Engine, Table

Tuple = tuple[Any, ...]
Triple = tuple[int, int, int]

DOC_BITS = 40
"""Bits of the number of a row of ``search_text`` that count within its tenant, whose number stands above."""


class Collided(StoreBusy):
    """Two writers got in each other's way; one of them has to begin again."""


class Session(ABC):
    """One write transaction on one connection."""

    def __init__(self, store: Store, connection: Any) -> None:
        self.store = store
        self.connection = connection

    def enter(self, tenant: int) -> None:  # noqa: B027 (SQLite knows no rows that are hidden)
        """See and write the rows of this tenant alone from here on."""

    def directory(self, statement: str, parameters: Sequence[Any] = ()) -> list[Tuple]:
        """All rows of a query of the table ``tenant``, whoever they are of."""
        return self.fetch(statement, parameters)

    def fetch(self, statement: str, parameters: Sequence[Any] = ()) -> list[Tuple]:
        """All rows of a query."""
        found: list[Tuple] = self.connection.execute(self.store.spell(statement), parameters).fetchall()
        return found

    def match(self, statement: str, triples: Sequence[Triple], parameters: Sequence[Any]) -> list[Tuple]:
        """All rows of a query over ``triples(?) t``; the parameters are those that follow it."""
        return self.store.match_on(self.connection, statement, triples, parameters)

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        """Run one statement; how many rows it touched."""
        return int(self.connection.execute(self.store.spell(statement), parameters).rowcount)

    @abstractmethod
    def many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each row of parameters."""

    @abstractmethod
    def insert(self, table: Table, rows: Sequence[Tuple]) -> None:
        """Insert rows that hold every column of the table, in its order."""

    @abstractmethod
    def index(self, rows: Sequence[tuple[int, str]]) -> None:
        """Index the words of rows of ``search_text`` (doc, words), where the table itself has no index."""

    @abstractmethod
    def unindex(self, rows: Sequence[tuple[int, str]]) -> None:
        """Take such words out again, from every place where the index holds them."""

    @abstractmethod
    def index_anew(self) -> None:
        """Drop the index of words and make it again from what ``search_text`` holds."""

    @abstractmethod
    def indexed(self, tenant: int) -> Iterable[tuple[str, int]] | None:
        """Every (word, doc) that the index holds of a tenant; ``None`` where the table has its own index."""


class Store(ABC):
    """A database. Any number of threads may use it at once."""

    errors: type[Exception]
    """The base of what the driver raises."""

    for_update = ""
    """What a query of the head row ends in to take the tenant's lock."""

    def __init__(self, name: str) -> None:
        self.name = name  # without the password
        self._free: list[Any] = []
        self._turn = threading.Lock()
        self.spell = cache(self._spell)
        self._views: dict[str | int, Self] = {}
        self._of: str | int | None = None

    def of(self, tenant: str | int) -> Self:
        """The same database as far as it is that of a tenant, by name or by number."""
        view = self._views.get(tenant)
        if view is None:
            view = copy.copy(self)
            view._of = tenant
            self._views[tenant] = view
        return view

    @property
    def tenant(self) -> int:
        """The number of the tenant whose view this is; 0, which no row has, before it has one."""
        if isinstance(self._of, str):
            found = self.directory("select tenant from tenant where name = ?", (self._of,))
            self._of = int(found[0][0]) if found else self._of
        return self._of if isinstance(self._of, int) else 0

    def directory(self, statement: str, parameters: Sequence[Any] = ()) -> list[Tuple]:
        """All rows of a query of the table ``tenant``, whoever they are of."""
        return self.fetch(statement, parameters)

    @property
    @abstractmethod
    def engine(self) -> Engine:
        """SQLAlchemy's view of the database, for whoever makes or describes tables."""

    @abstractmethod
    def _connect(self) -> Any:
        """A driver's connection that nobody else has."""

    @abstractmethod
    def _spell(self, statement: str) -> str:
        """The statement in the database's own words."""

    @abstractmethod
    def ints(self, values: Sequence[int]) -> Any:
        """A parameter for ``ints(?)``."""

    @abstractmethod
    def texts(self, values: Sequence[str]) -> Any:
        """A parameter for ``texts(?)``."""

    @abstractmethod
    def spans(self, values: Sequence[tuple[str, str]]) -> Any:
        """A parameter for ``spans(?)``."""

    @abstractmethod
    def matching(self, word: str, prefix: bool) -> str:
        """A parameter for ``matching(?)``: rows with this word (letters, digits, a dot), or one that begins
        so.
        """

    @abstractmethod
    def session(self, connection: Any) -> Session:
        """What writes over this connection."""

    @abstractmethod
    def begin(self, connection: Any) -> None:
        """Begin a write transaction."""

    @abstractmethod
    def tables(self, session: Session | None = None) -> set[str]:
        """The names of the tables that are there."""

    @abstractmethod
    def lock_schema(self, session: Session) -> None:
        """Keep others from making tables until the transaction ends."""

    def fetch(self, statement: str, parameters: Sequence[Any] = ()) -> list[Tuple]:
        """All rows of a query, as committed now."""
        connection = None
        try:  # as in `connection`, which costs half as much as a small query
            connection = self._free.pop() if self._free else self._connect()
            found: list[Tuple] = connection.execute(self.spell(statement), parameters).fetchall()
        except BaseException as error:
            self._give_up(connection, error)
            raise
        self._free.append(connection)
        return found

    def each(self, statement: str, parameters: Sequence[Any] = ()) -> Iterator[Tuple]:
        """As :meth:`fetch`, row by row where the driver can: a connection is lent meanwhile."""
        with self.connection() as connection:
            yield from connection.execute(self.spell(statement), parameters)

    def match(self, statement: str, triples: Sequence[Triple], parameters: Sequence[Any]) -> list[Tuple]:
        """All rows of a query over ``triples(?) t``; the parameters are those that follow it."""
        with self.connection() as connection:
            return self.match_on(connection, statement, triples, parameters)

    @abstractmethod
    def match_on(
        self, connection: Any, statement: str, triples: Sequence[Triple], parameters: Sequence[Any]
    ) -> list[Tuple]:
        """:meth:`match` over one connection."""

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """Lend a driver's connection. What it raises about the database becomes :class:`StoreTrouble`."""
        connection = None
        try:
            connection = self._free.pop() if self._free else self._connect()
            yield connection
        except BaseException as error:
            self._give_up(connection, error)
            raise
        self._free.append(connection)

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """Lend a driver's connection for one long read."""
        with self.connection() as connection:
            yield connection

    def goes_round_isolation(self) -> bool:
        """Whether the database would show rows of a tenant outside of its view; SQLite keeps none apart."""
        return False

    def _give_up(self, connection: Any, error: BaseException) -> None:
        """Close a connection over which something went wrong; raises what is to be told of it."""
        if connection is not None:
            connection.close()
        told = self.trouble(error)
        if told is not None:
            raise told from error

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One write transaction: committed at the end of the block, undone when it raises."""
        with self._one_writer(), self.connection() as connection:
            self.begin(connection)
            try:
                yield self.session(connection)
                connection.commit()
            except BaseException:
                self._undo(connection)
                raise

    def _undo(self, connection: Any) -> None:
        with suppress(self.errors):  # when the connection is gone, so is the transaction
            connection.rollback()

    @contextmanager
    def _one_writer(self) -> Iterator[None]:
        yield

    @abstractmethod
    def trouble(self, error: BaseException) -> StoreTrouble | None:
        """What to tell the operator of an error; ``None`` when it is not about the state of the database."""

    def _busy(self, error: BaseException) -> StoreBusy:
        return StoreBusy(f"{self.name} is busy: {_line(error)}; try again")

    def _unusable(self, error: BaseException) -> StoreTrouble:
        return StoreTrouble(
            f"{self.name} can't be used: {_line(error)}; see that it can be reached and is whole and not full"
        )

    def drop_free(self) -> None:
        """Close every connection that nobody has."""
        while self._free:
            self._free.pop().close()

    def close(self) -> None:
        self.drop_free()


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())


@cache
def insertion(table: Table, parameter: str, rows: int = 1) -> str:
    """The statement that inserts so many rows of all columns."""
    names = ", ".join(table.columns.keys())
    row = f"({', '.join([parameter] * len(table.columns))})"
    return f"insert into {table.name} ({names}) values {', '.join([row] * rows)}"
