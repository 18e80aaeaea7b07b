"""Content over HTTP: kept as it comes, read in ranges, and never shown by a browser."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from app.content import Vault, open_keys
from app.content.elsewhere import Directory
from app.content.sealing import SEGMENT
from app.ledger import Ledger
from app.limits import Limits
from app.service import Service
from tests.app.faces import client_of, event
from tests.stores import empty_ledger

CALL: dict[str, Any] = {
    "type": "tool_call",
    "id": "1",
    "source": "s",
    "time": "2026-03-01T09:00:00Z",
    "run": "r",
    "attempt": "a",
    "tool": "t",
    "outcome": "completed",
    "results": [{"ref": "result:1"}, {"ref": "result:2"}],
}
LONG = bytes(range(256)) * (5 * SEGMENT // 256) + b"the end"


@pytest.fixture(params=["database", "directory"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    place = Directory(tmp_path / "bodies") if request.param == "directory" else None
    ledger = Ledger.open(empty_ledger(tmp_path / "clew.db"))
    vault = Vault(open_keys(tmp_path / "clew.keys", None), place, inside=1000)
    made = Service(ledger, vault, "default", "urn:x-clew:", limits=Limits(body_bytes=len(LONG)))
    yield made
    made.close()


@pytest.fixture
def http(service: Service) -> Iterator[TestClient]:
    with client_of(service) as client:
        assert client.post("/v1/events", json=[CALL]).status_code == 200
        yield client


def put(http: TestClient, content: bytes, ref: str = "result:1", **more: Any) -> Any:
    return http.put("/v1/content", params={"ref": ref, **more.pop("params", {})}, content=content, **more)


def test_what_was_put_is_read_whatever_its_length(http: TestClient) -> None:
    for ref, content in (("result:1", b"short"), ("result:2", LONG)):
        kept = put(http, content, ref, headers={"Content-Type": "application/x-thing"})
        assert (kept.status_code, kept.json()["size"]) == (201, len(content)), kept.text
        read = http.get("/v1/content", params={"ref": ref})
        assert read.content == content
        assert read.headers["content-type"] == "application/x-thing"
        assert read.headers["x-clew-body"] == kept.json()["body"]


@pytest.mark.parametrize("content", [b"short", LONG])
def test_the_type_that_curl_sends_unless_told_is_none(http: TestClient, content: bytes) -> None:
    read = []
    for headers in ({}, {"Content-Type": "application/x-www-form-urlencoded"}):
        assert put(http, content, headers=headers).status_code == 201
        read.append(http.get("/v1/content", params={"ref": "result:1"}).headers["content-type"])
    assert read[0] == read[1] != "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=-7", len(LONG) - 7, len(LONG)),
        (f"bytes={SEGMENT - 3}-{SEGMENT + 3}", SEGMENT - 3, SEGMENT + 4),
        (f"bytes={3 * SEGMENT}-", 3 * SEGMENT, len(LONG)),
        (f"bytes=5-{len(LONG) * 2}", 5, len(LONG)),
    ],
)
def test_a_range_is_read_without_the_rest(http: TestClient, asked: str, start: int, end: int) -> None:
    put(http, LONG)
    read = http.get("/v1/content", params={"ref": "result:1"}, headers={"Range": asked})
    assert (read.status_code, read.content) == (206, LONG[start:end])
    assert read.headers["content-range"] == f"bytes {start}-{end - 1}/{len(LONG)}"


def test_a_range_beyond_the_end_says_how_long_it_is(http: TestClient) -> None:
    put(http, b"short")
    read = http.get("/v1/content", params={"ref": "result:1"}, headers={"Range": "bytes=5-"})
    assert (read.status_code, read.headers["content-range"]) == (416, "bytes */5")


@pytest.mark.parametrize("asked", ["bytes=0-1,3-4", "lines=1-2", "bytes=-", "bytes=4-2", "nonsense"])
def test_what_is_no_one_range_gives_all_of_it(http: TestClient, asked: str) -> None:
    put(http, b"short")
    read = http.get("/v1/content", params={"ref": "result:1"}, headers={"Range": asked})
    assert (read.status_code, read.content) == (200, b"short")


def test_a_browser_saves_it_and_runs_nothing_of_it(http: TestClient) -> None:
    put(http, b"<script>alert(1)</script>", headers={"Content-Type": "text/html"})
    headers = http.get("/v1/content", params={"ref": "result:1"}).headers
    assert headers["content-disposition"].startswith("attachment")
    assert headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in headers["content-security-policy"]


@pytest.mark.parametrize("ref", ["result:nobody", "../../etc/passwd", "result:%252e%252e/1", "a\x00b"])
def test_content_of_what_nobody_named_is_refused(http: TestClient, ref: str) -> None:
    assert put(http, b"x", ref).status_code in (404, 422)


def test_more_than_the_limit_is_refused_and_leaves_nothing(http: TestClient, service: Service) -> None:
    assert put(http, LONG + b"!").status_code == 413
    assert service.ledger.store.of("default").fetch("select count(*) from content") == [(0,)]
    place = service.vault.place
    assert place is None or list(place.names()) == []


def test_a_digest_that_does_not_fit_is_refused(http: TestClient) -> None:
    for content in (b"short", LONG):
        right = base64.b64encode(hashlib.sha256(content).digest()).decode()
        wrong = base64.b64encode(hashlib.sha256(content + b".").digest()).decode()
        refused = put(http, content, headers={"Content-Digest": f"sha-256=:{wrong}:"})
        assert (refused.status_code, refused.json()["field"]) == (422, "Content-Digest")
        assert put(http, content, headers={"Content-Digest": f"sha-256=:{right}:"}).status_code == 201


@pytest.mark.parametrize("kind", ["text/plain", "application/json", ""])
def test_bytes_that_are_no_text_stay_as_they_are(http: TestClient, kind: str) -> None:
    content = b"\xff\xfe\x00 not text"
    assert put(http, content, headers={"Content-Type": kind} if kind else {}).status_code == 201
    assert http.get("/v1/content", params={"ref": "result:1"}).content == content


def test_equal_contents_are_kept_once_and_go_with_the_last(http: TestClient, service: Service) -> None:
    for ref in ("result:1", "result:2"):
        put(http, LONG, ref)
    store = service.ledger.store
    assert store.of("default").fetch("select bodies from content") == [(2,)]
    first, second = (http.get("/v1/content", params={"ref": ref}) for ref in ("result:1", "result:2"))
    for number, read in enumerate((first, second)):
        deletion = {
            "type": "content_deleted",
            "id": f"d{number}",
            "source": "s",
            "time": "2026-03-02T09:00:00Z",
            "body": read.headers["x-clew-body"],
            "done": "2026-03-02T09:00:00Z",
        }
        http.post("/v1/events", json=[deletion])
        assert http.get("/v1/content", params={"ref": f"result:{number + 1}"}).status_code == 410
        if number == 0:
            assert http.get("/v1/content", params={"ref": "result:2"}).content == LONG
    assert store.of("default").fetch("select count(*) from content") == [(0,)]
    assert service.ledger.keys.store.of(1).fetch("select count(*) from body_key") == [(0,)]
    assert service.vault.place is None or list(service.vault.place.names()) == []


def test_a_name_of_a_person_is_read_with_the_graph_until_it_is_erased(http: TestClient) -> None:
    decision = {
        "type": "authorization_decided",
        "id": "2",
        "source": "s",
        "time": "2026-03-01T09:00:00Z",
        "decision": "decision:1",
        "verdict": "allow",
        "decider": {"id": "person:p7", "kind": "person"},
    }
    http.post("/v1/events", json=[decision])
    plain = {"Content-Type": "text/plain"}
    named = put(http, b"Maria Example", "person:p7", params={"as": "label"}, headers=plain)
    assert named.status_code == 201, named.text
    assert labels(http) == {"prov:label": "Maria Example"}
    deletion = {**DELETION, "body": named.json()["body"]}
    assert http.post("/v1/events", json=[deletion]).status_code == 200
    assert labels(http) == {"clew:erased": "prov:label"}
    exported = http.get("/v1/export", params={"format": "prov-json"}).text
    assert "Maria" not in exported
    assert "clew:erased" in exported
    again = put(http, b"Maria Example", "person:p7", params={"as": "label"}, headers=plain)
    assert (again.status_code, len(again.json()["tombstones"])) == (410, 1)
    assert labels(http) == {"clew:erased": "prov:label"}


DELETION: dict[str, Any] = {
    "type": "content_deleted",
    "id": "d",
    "source": "s",
    "time": "2026-03-02T09:00:00Z",
    "done": "2026-03-02T09:00:00Z",
}


def labels(http: TestClient) -> dict[str, str]:
    [node] = http.get("/v1/nodes", params={"ref": "person:p7"}).json()["nodes"]
    return {a["name"]: a["value"] for a in node["attributes"] if a["name"] in ("prov:label", "clew:erased")}


def test_what_was_deleted_does_not_come_back_by_being_put_again(http: TestClient) -> None:
    first = put(http, b"a text", "result:1").json()["body"]
    second = put(http, b"another", "result:1").json()["body"]
    assert http.delete("/v1/content", params={"ref": first}).status_code == 200
    assert put(http, b"a third", "result:1").status_code == 201  # one of them is still there
    assert http.delete("/v1/content", params={"ref": "result:1"}).status_code == 200
    for content in (b"a text", LONG):
        again = put(http, content, "result:1")
        assert again.status_code == 410, again.text
        assert {first, second} < {one["body"] for one in again.json()["tombstones"]}
    assert http.get("/v1/content", params={"ref": "result:1"}).status_code == 410
    assert put(http, b"a text", "result:2").status_code == 201


def test_content_that_was_never_there_is_told_from_content_that_was_never_sent(http: TestClient) -> None:
    absent = {"ref": "result:3", "state": "never_captured"}
    assert (
        http.post("/v1/events", json=[{**CALL, "id": "4", "attempt": "b", "results": [absent]}]).status_code
        == 200
    )
    details = [http.get("/v1/content", params={"ref": f"result:{n}"}).json()["detail"] for n in (1, 3)]
    assert "it is only named" in details[0]
    assert "never captured" in details[1]


def test_content_in_a_coding_is_refused(http: TestClient) -> None:
    answer = put(http, b"a text", "result:1", headers={"Content-Encoding": "gzip"})
    assert (answer.status_code, answer.headers["accept-encoding"]) == (415, "identity")


def test_a_log_and_a_store_hold_no_byte_of_it(service: Service, http: TestClient, tmp_path: Path) -> None:
    canary = b"canary-" + os.urandom(8).hex().encode()
    put(http, canary, headers={"Content-Type": "text/plain"})
    put(http, canary * 300, "result:2")
    result = {"ref": "r", "body": {"text": canary.decode()}}
    events = [{**CALL, "id": "9", "attempt": "b", "results": [result]}]
    http.post("/v1/events", content=msgspec.json.encode(events))
    service.ledger.store.drop_free()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or canary not in path.read_bytes(), path


@pytest.mark.parametrize("content", [b"short", LONG])
def test_content_under_the_digest_of_another_is_refused(http: TestClient, content: bytes) -> None:
    digest = hashlib.sha256(content).hexdigest()
    own, other = f"file:/in@sha256:{digest}", f"file:/in@sha256:{'0' * 64}"
    http.post("/v1/events", json=[event(7, inputs=[{"ref": own}, {"ref": other}])])
    refused = put(http, content, other)
    assert refused.status_code == 422
    assert digest in refused.json()["remedy"]
    assert put(http, content, own).status_code == 201
