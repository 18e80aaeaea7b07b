"""Fixtures of the tests of the service and its faces."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.service import Service
from tests.app.faces import client_of, service_at


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store, of each kind."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'clew.db'}"


@pytest.fixture
def both(store_url: str, tmp_path: Path) -> Iterator[TestClient]:
    """A server over each kind of store."""
    with service_at(store_url, tmp_path) as service, client_of(service) as client:
        yield client


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """A service over an empty SQLite store."""
    with service_at(f"sqlite:///{tmp_path / 'clew.db'}", tmp_path) as made:
        yield made


@pytest.fixture
def http(service: Service) -> Iterator[TestClient]:
    """A server over that service."""
    with client_of(service) as client:
        yield client
