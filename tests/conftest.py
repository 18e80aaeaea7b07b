"""Fixtures that many tests share."""

from collections.abc import Iterator

import pytest

from tests import patience, predicates
from tests.needs import missing
from tests.postgres import NoPostgres, PostgresServer, postgres_server

predicates.watch()
patience.count_work()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One server for each test process."""
    try:
        with postgres_server() as server:
            yield server
    except NoPostgres as reason:
        missing(f"no PostgreSQL: {reason}")


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """The SQLAlchemy URL of an empty database, dropped after the test."""
    url = postgres.fresh_database()
    yield url
    postgres.drop_database(url)


@pytest.fixture
def postgres_ledger(postgres: PostgresServer) -> Iterator[str]:
    """The SQLAlchemy URL of an empty ledger, likewise."""
    url = postgres.fresh_ledger()
    yield url
    postgres.drop_database(url)
