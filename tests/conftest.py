"""Fixtures that many tests share."""

import os
from collections.abc import Iterator

import pytest

from tests.postgres import NoPostgres, PostgresServer, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One server for each test process. Where none can be started a test is skipped, and in CI fails."""
    try:
        with postgres_server() as server:
            yield server
    except NoPostgres as reason:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI needs PostgreSQL: {reason}", pytrace=False)
        pytest.skip(f"no PostgreSQL: {reason}")


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """The SQLAlchemy URL of an empty database, dropped after the test."""
    url = postgres.fresh_database()
    yield url
    postgres.drop_database(url)
