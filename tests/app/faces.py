"""Servers and events for the tests of the faces."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from app.faces.http import create_app
from app.faces.http.intake import Intake
from app.main import open_service
from app.service import Service
from app.settings import Settings, key_store_of
from tests.stores import empty_ledger

TIME = "2026-03-01T09:00:00Z"


@contextmanager
def service_at(url: str, folder: Path, tenant: str = "default", writing: bool = True) -> Iterator[Service]:
    """A service over the ledger at a URL, made where there is none; its key file is in ``folder``."""
    path = Path(url.removeprefix("sqlite:///"))
    if url.startswith("sqlite") and not path.exists():
        empty_ledger(path)
    keys = folder / "clew.keys"
    told = Settings(db=url, key_file=keys, key_store=key_store_of(url, keys), tenant=tenant)
    service = open_service(told, writing=writing)
    try:
        yield service
    finally:
        service.close()


def client_of(service: Service, intake: Intake | None = None, **more: Any) -> TestClient:
    """A client of the HTTP face; what the server raises by mistake it answers, as a real one."""
    return TestClient(create_app(service, intake=intake, **more), raise_server_exceptions=False)


def event(number: int, tag: str = "model_call", /, **fields: Any) -> dict[str, Any]:
    """A whole event; without more, a model call of run:1 with an input and an output of its own."""
    whole: dict[str, Any] = {"type": tag, "id": f"e{number}", "source": "harness", "time": TIME}
    if tag == "model_call":
        whole |= {
            "run": "run:1",
            "call": f"call:{number}",
            "model": "model:m@version:1",
            "inputs": [{"ref": f"message:1/{number}/in"}],
            "outputs": [{"ref": f"message:1/{number}/out"}],
        }
    return {**whole, **fields}


def array(items: Sequence[bytes | Mapping[str, Any]]) -> bytes:
    """A JSON array of items, some of which may be no JSON."""
    return b"[" + b",".join(i if isinstance(i, bytes) else json.dumps(i).encode() for i in items) + b"]"
