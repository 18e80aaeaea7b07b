"""Limits: each can be set, answers with its status, and says what to do; rates are counted for each key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from app import settings
from app.credentials.keys import Grant, Keys
from app.credentials.rates import Rates, TooFast
from app.faces.http import create_app
from app.faces.http.intake import Intake
from app.limits import LIMITS, Limits
from app.main import open_service
from app.settings import Settings
from provmodel.errors import StoreTrouble
from tests.app.faces import event

STANDING = 0.0
"""What the clock of the rates shows in these tests, however long they take."""


@contextmanager
def served(folder: Path, **limits: int) -> Iterator[tuple[TestClient, Keys]]:
    told = Limits(**limits)
    service = open_service(Settings(f"sqlite:///{folder / 'clew.db'}", folder / "clew.keys", limits=told))
    try:
        app = create_app(service, intake=Intake(told), rates=Rates(told, clock=lambda: STANDING))
        yield TestClient(app, raise_server_exceptions=False), Keys(service.ledger)
    finally:
        service.close()


def test_each_limit_can_be_set_in_the_environment() -> None:
    assert [one.field for one in LIMITS] == [field.name for field in msgspec.structs.fields(Limits)]
    for one in LIMITS:
        told = settings.read("clew.db", {one.variable: "7"})
        assert msgspec.structs.replace(Limits(), **{one.field: 7}) == told.limits
        if one.most:
            with pytest.raises(StoreTrouble, match=one.variable):
                settings.read("clew.db", {one.variable: str(one.most + 1)})


CALL = event(1, inputs=[{"ref": "message:" + "x" * 100}])
DEEP = event(2, inputs=[{"ref": "message:d", "body": {"json": [[[[[[[[1]]]]]]]]}}])
TOLD = event(3, "artifact_version", ref="document:d@version:1", kind="text", attributes={"note": "y" * 100})


@pytest.mark.parametrize(
    ("limits", "body", "status"),
    [
        ({"request_bytes": 100}, [CALL], 413),
        ({"waiting_bytes": 100}, [CALL], 503),
        ({"batch_items": 1}, [CALL, TOLD], 413),
        ({"id_characters": 100}, [CALL], 422),
        ({"attribute_characters": 99}, [TOLD], 422),
        ({"depth": 8}, [DEEP], 422),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_is_too_much_is_refused_with_its_status_and_the_remedy(
    tmp_path: Path, limits: dict[str, int], body: list[dict[str, Any]], status: int
) -> None:
    with served(tmp_path, **limits) as (http, _):
        answer = http.post("/v1/events", json=body)
        assert answer.status_code == status, answer.text
        [limit] = [one for one in LIMITS if one.field in limits]
        assert limit.status == status
        assert answer.headers.get("Retry-After") or answer.json()["remedy"] == limit.remedy.split(", with")[0]
        http.get("/healthz")
    with served(tmp_path) as (http, _):
        assert http.post("/v1/events", json=body).json()["counts"]["recorded"] == len(body)


def test_a_walk_gets_no_more_time_than_is_set(tmp_path: Path) -> None:
    with served(tmp_path, query_milliseconds=1) as (http, _):
        http.post("/v1/events", json=[CALL])
        asked = {"target": CALL["outputs"][0]["ref"], "deadline": 600_000}
        answer = http.get("/v1/questions/inputs-of", params=asked)
        assert answer.status_code == 200, answer.text


def test_who_asks_too_fast_is_told_when_to_come_again(tmp_path: Path) -> None:
    with served(tmp_path, requests_a_second=2, events_a_second=3, bytes_a_second=10_000) as (http, keys):
        one, other = (_key(keys, name) for name in ("one", "other"))
        answers = [http.get("/v1/runs", headers=one) for _ in range(6)]
        assert [each.status_code for each in answers] == [200] * 4 + [429] * 2
        last = answers[-1]
        assert last.headers["Retry-After"] == "1"
        assert last.json()["type"].endswith(":too-fast")
        assert "come again in 1 s" in last.json()["detail"]
        assert http.get("/v1/runs", headers=other).status_code == 200
        many = http.post("/v1/events", json=[event(n) for n in range(20)], headers=other)
        assert many.json()["counts"]["recorded"] == 20
        waits = http.get("/v1/runs", headers=other)
        assert (waits.status_code, int(waits.headers["Retry-After"])) == (429, 5)


@pytest.mark.parametrize("announced", [True, False])
def test_bytes_are_counted_whether_or_not_they_are_announced(tmp_path: Path, announced: bool) -> None:
    data = json.dumps([event(1)] * 50).encode()
    with served(tmp_path, bytes_a_second=1000) as (http, keys):
        key = _key(keys, "one")
        sent = http.post("/v1/events", content=data if announced else iter([data]), headers=key)
        assert sent.status_code == 200
        assert http.get("/v1/runs", headers=key).status_code == 429


def test_a_bucket_fills_with_time_and_never_beyond_its_burst() -> None:
    now = [0.0]
    rates = Rates(Limits(requests_a_second=1, bytes_a_second=0, events_a_second=10), clock=lambda: now[0])
    for _ in range(2):
        rates.enter("k")
    with pytest.raises(TooFast):
        rates.enter("k")
    now[0] = 1000.0
    for _ in range(2):
        rates.enter("k")
    with pytest.raises(TooFast):
        rates.enter("k")
    rates.spend("k", "bytes", 10**9)
    now[0] = 1001.0
    rates.enter("k")
    rates.spend("k", "events", 40)
    now[0] = 1002.5
    with pytest.raises(TooFast, match="events"):
        rates.enter("k")


def test_who_needs_no_key_is_not_counted(tmp_path: Path) -> None:
    with served(tmp_path, requests_a_second=1) as (http, _):
        assert {http.get("/v1/runs").status_code for _ in range(10)} == {200}


def _key(keys: Keys, name: str) -> dict[str, str]:
    grant = Grant(name=name, scopes=frozenset({"ingest", "graph:read"}), kinds=frozenset({"harness"}))
    return {"Authorization": f"Bearer {keys.create('default', grant)[0]}"}
