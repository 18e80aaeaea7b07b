"""The version of a store's tables: making them, checking them, and bringing older ones up to date.

Opening a store reads its version with one query. Alembic is imported only to change an older store.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from app import tables
from app.ledger.store import Session, Store
from provmodel.errors import StoreTrouble

VERSIONS = tuple(f"{number:04}" for number in range(1, 14))
"""Every version of the tables, oldest first; one for each file in ``migrations/versions``."""

REBUILD = "rebuild"
"""The property by which an upgrade asks for graphs to be made again."""

_VERSION_TABLE = (
    "create table alembic_version (version_num varchar(32) not null,"
    " constraint alembic_version_pkc primary key (version_num))"
)


def version_of(store: Store) -> str | None:
    """The version of the store's tables; ``None`` when it has none of ours."""
    if "alembic_version" not in store.tables():
        return None
    found = store.fetch("select version_num from alembic_version")
    return str(found[0][0]) if found else None


def check(store: Store) -> None:
    """Raise :class:`StoreTrouble` unless the tables are those of this version of Clew."""
    version = version_of(store)
    if version == VERSIONS[-1]:
        return
    if version is None:
        raise StoreTrouble(f"{store.name} holds no ledger; `clew db upgrade` makes one there")
    if version in VERSIONS:
        raise StoreTrouble(
            f"{store.name} has tables of version {version}, and this Clew reads {VERSIONS[-1]};"
            " make a backup, then run `clew db upgrade`"
        )
    raise StoreTrouble(
        f"{store.name} has tables of version {version}, which a newer Clew made;"
        " use that Clew: an older one can't go back (`clew db upgrade` only goes forward)"
    )


def make(store: Store) -> None:
    """Make the tables in an empty database, once, whoever else tries at the same time."""
    with store.writing() as session:
        store.lock_schema(session)
        there = store.tables(session)
        if "alembic_version" in there:
            return
        if there:
            raise StoreTrouble(
                f"{store.name} holds other tables ({', '.join(sorted(there)[:3])});"
                " give Clew a database of its own"
            )
        _create(store, session)
        session.run(_VERSION_TABLE)
        session.run("insert into alembic_version (version_num) values (?)", (VERSIONS[-1],))


def _create(store: Store, session: Session) -> None:
    def run(statement: Any, *_: Any, **__: Any) -> None:
        session.run(str(statement.compile(dialect=store.engine.dialect)))

    from sqlalchemy import create_mock_engine  # who reads does without

    tables.metadata.create_all(create_mock_engine(store.engine.url, run), checkfirst=False)


def upgrade(store: Store) -> tuple[str | None, str]:
    """Bring the tables up to date, by Alembic; the versions before and after."""
    before = version_of(store)
    if before is not None and before not in VERSIONS:
        check(store)
    if before != VERSIONS[-1]:
        _migrate(store)
    return before, VERSIONS[-1]


def _migrate(store: Store) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", _scripts().replace("%", "%%"))
    with store.engine.connect() as connection:
        store.begin(connection.connection.driver_connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()


def _scripts() -> str:
    """Where the package ``migrations`` lies, in a checkout or installed."""
    found = find_spec("migrations")
    if found is None or not found.submodule_search_locations:
        raise StoreTrouble("the package `migrations` is not installed; install Clew again")
    return found.submodule_search_locations[0]
