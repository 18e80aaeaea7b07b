"""Requests made from the OpenAPI document, good and bad, while others write and ask: no 5xx, and no hang."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from starlette.testclient import TestClient

from app.service import Service
from tests.app.faces import client_of, event
from tests.patience import HANGING

EXAMPLES = 3
"""Requests of each kind for each operation; more are made by hand, with another number here."""


@pytest.fixture
def busy(service: Service) -> Iterator[TestClient]:
    """A server at which others record and ask all the time."""
    with client_of(service) as client:
        client.post("/v1/events", json=[event(0, "run_started", run="run:1", agent="agent:a"), event(1)])
        done = threading.Event()
        others = [threading.Thread(target=_use, args=(client, n, done)) for n in range(2)]
        for other in others:
            other.start()
        yield client
        done.set()
        for other in others:
            other.join(HANGING)


def _use(client: TestClient, number: int, done: threading.Event) -> None:
    sent = 0
    while not done.wait(0.05):
        sent += 1
        told = event(sent, id=f"{number}-{sent}", call=f"call:{number}-{sent}", outputs=[])
        assert client.post("/v1/events", json=[told]).status_code == 200
        target = {"target": "message:1/1/out"}
        assert client.get("/v1/questions/inputs-of", params=target).status_code == 200


@pytest.mark.parametrize(
    "mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: mode.name
)
def test_no_request_that_can_be_made_is_a_defect_or_hangs(busy: TestClient, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_dict(busy.get("/openapi.json").json())
    broken: list[str] = []
    for result in schema.get_all_operations():
        assert isinstance(result, Ok)
        _try(busy, result.ok(), mode, broken)
    assert broken == []


def _try(client: TestClient, operation: Any, mode: GenerationMode, broken: list[str]) -> None:
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        began = time.monotonic()
        answer = client.request(**_request(case))
        took = time.monotonic() - began
        if answer.status_code >= 500 or took > HANGING:
            broken.append(f"{answer.status_code} {took:.1f} s {case.as_curl_command()} {answer.text[:300]}")

    with suppress(Unsatisfiable):  # an operation without parameters has no bad request
        send()


def _request(case: Any) -> dict[str, Any]:
    made = case.as_transport_kwargs(base_url="http://testserver")
    known = {"method", "url", "params", "headers", "json", "data", "files"}
    given = {name: value for name, value in made.items() if name in known and value is not None}
    if isinstance(given.get("data"), str | bytes):
        given["content"] = given.pop("data")
    return given
