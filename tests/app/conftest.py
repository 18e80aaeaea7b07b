"""Fixtures of the tests of the service and its faces."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.faces.cli import app
from app.faces.cli.outcome import run
from app.service import Service
from tests.app.commands import EVENTS, Clew, Done, address_of, start
from tests.app.faces import client_of, service_at
from tests.patience import HANGING
from tests.stores import empty_ledger


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty ledger, of each kind."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_ledger"))
    return f"sqlite:///{empty_ledger(tmp_path / 'clew.db')}"


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def kept_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same, for the tests of a file that only read: they share it."""
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres")
        url = server.fresh_ledger()
        yield url
        server.drop_database(url)
    else:
        yield f"sqlite:///{empty_ledger(tmp_path_factory.mktemp('kept') / 'clew.db')}"


@pytest.fixture(scope="module")
def kept(kept_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service over that ledger."""
    with service_at(kept_url, tmp_path_factory.mktemp("kept")) as made:
        yield made


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


@pytest.fixture
def clew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Clew:
    """Runs a command in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("CLEW_") or name == "COLUMNS"]:
        monkeypatch.delenv(name)

    def command(*arguments: str) -> Done:
        code = run(app, list(arguments))
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfdbinary.readouterr()
        return Done(code, out, err)

    return command


@pytest.fixture
def recorded(clew: Clew, tmp_path: Path) -> Clew:
    """The same, in a folder with a ledger."""
    (tmp_path / "events.json").write_text(json.dumps(EVENTS))
    assert clew("ingest", "events.json").code == 0
    return clew


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server in a process of its own."""
    process = start(tmp_path)
    try:
        yield address_of(process)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANGING)
