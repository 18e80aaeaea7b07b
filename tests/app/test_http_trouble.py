"""What the service answers when things go wrong (design, section 7), through REST, on both kinds of store."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.ledger import Outcome, Prepared
from app.service import Service
from app.service.writer import Writer
from provmodel.errors import StoreBusy
from tests.app.faces import array, client_of, event, service_at
from tests.patience import HANGING

JSON = {"Content-Type": "application/json"}
LATER = "2026-03-01T10:00:00Z"


def send(client: TestClient, *items: bytes | dict[str, Any]) -> Any:
    return client.post("/v1/events", content=array(items), headers=JSON)


def statuses(response: Any) -> list[str]:
    assert response.status_code == 200, response.text
    return [one["status"] for one in response.json()["results"]]


def attempt(number: int, **fields: Any) -> dict[str, Any]:
    base = {"run": "run:1", "attempt": f"attempt:{number}", "tool": "tool:t", "outcome": "completed"}
    return event(number, "tool_call", **{**base, **fields})


def derived(number: int, to: str, *sources: str) -> dict[str, Any]:
    return event(number, "derived", to=to, method="copy", **{"from": [{"ref": ref} for ref in sources]})


def ask(client: TestClient, question: str, target: str, **more: Any) -> Any:
    answer = client.get(f"/v1/questions/{question}", params={"target": target, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()["graph"]


# --- the same again, and something else under one name ---


def test_the_same_event_again_is_a_duplicate_with_the_original_seq(both: TestClient) -> None:
    with_body = event(1, inputs=[{"ref": "message:1", "body": {"text": "hello"}}])
    assert statuses(send(both, with_body, event(2))) == ["recorded", "recorded"]
    again = send(both, with_body)
    assert again.json()["results"][0] | {"seq": 1, "status": "duplicate"} == again.json()["results"][0]
    assert both.get("/v1/events").json()["total"] == 2


def test_other_content_under_the_same_name_is_a_conflict_and_both_are_kept(both: TestClient) -> None:
    send(both, event(1))
    alone = send(both, event(1, model="model:other"))
    assert alone.status_code == 409
    assert (alone.json()["seq"], alone.json()["first_seq"]) == (2, 1)
    among = send(both, event(1, model="model:third"), event(2))
    assert statuses(among) == ["conflict", "recorded"]
    entries = both.get("/v1/events").json()["events"]
    assert [entry["conflict"] for entry in entries] == [True, True, True, False]
    assert [entry["event"]["model"] for entry in entries[:2]] == ["model:m@version:1", "model:other"]
    models = {edge["target"] for edge in ask(both, "inputs-of", "call:1")["responsible"]}
    assert {"model:other", "model:third"} <= models
    assert statuses(send(both, event(1, model="model:other"))) == ["duplicate"]


# --- a bad item among good ones ---

BAD: dict[str, bytes | dict[str, Any]] = {
    "no type": event(9, "no_type"),
    "a missing field": event(9, "tool_call"),
    "an unknown field": event(9, colour="red"),
    "a field of another type": event(9, inputs=5),
    "no object": b"5",
    "no json": b"{nonsense}",
    "NaN": json.dumps(event(9, finish="F")).encode().replace(b'"F"', b"NaN"),
    "a key given twice": json.dumps(event(9)).encode()[:-1] + b', "id": "other"}',
    "an integer beyond 64 bits": event(9, source_number=2**80),
    "an integer beyond 64 bits in a body": event(9, inputs=[{"ref": "m", "body": {"json": 2**80}}]),
    "a lone surrogate": json.dumps(event(9, finish="\ud800")).encode(),
    "a lone surrogate in an id": json.dumps(event(9, call="call:\udfff")).encode(),
    "a NUL": event(9, finish="a\0b"),
    "a NUL in an id": event(9, call="call:\0"),
    "a control character in an id": event(9, call="call:\x07"),
    "bytes that are not UTF-8": json.dumps(event(9, finish="F")).encode().replace(b'"F"', b'"\xff"'),
    "deep nesting": b'{"a":' * 5000 + b"1" + b"}" * 5000,
    "deep nesting in a body": json.dumps(event(9, inputs=[{"ref": "m", "body": {"json": "F"}}]))
    .encode()
    .replace(b'"F"', b"[" * 700 + b"]" * 700),
    "a day that is not in the calendar": event(9, time="2026-02-30T00:00:00Z"),
    "a time without a zone": event(9, time="2026-02-01T00:00:00"),
    "an id as entity and activity": event(9, inputs=[{"ref": "call:9"}]),
    "something derived from itself": derived(9, "file:/a@version:1", "file:/a@version:1"),
    "a version that is its own thing": event(
        9, "artifact_version", ref="file:/a", thing="file:/a", kind="file"
    ),
    "two contents in one body": event(9, inputs=[{"ref": "m", "body": {"text": "a", "json": 1}}]),
    "a body that is no base64": event(9, inputs=[{"ref": "m", "body": {"base64": "?"}}]),
}


def test_a_bad_item_alone_is_told_what_and_where(http: TestClient) -> None:
    for name, bad in BAD.items():
        refused = send(http, bad)
        assert refused.status_code in (400, 422), name
        problem = refused.json()
        assert problem["item"] == 0, name
        assert problem["reason"], name
        assert problem["remedy"], name
        assert "field" in problem, name
    assert http.get("/v1/events").json()["total"] == 0


def test_bad_items_among_good_ones_are_told_and_the_good_ones_are_durable(both: TestClient) -> None:
    items: list[bytes | dict[str, Any]] = []
    for number, bad in enumerate(BAD.values()):
        items += [event(100 + number), bad]
    answer = send(both, *items, event(200))
    assert statuses(answer) == ["recorded", "refused"] * len(BAD) + ["recorded"]
    refused = [one for one in answer.json()["results"] if one["status"] == "refused"]
    assert [one["item"] for one in refused] == list(range(1, 2 * len(BAD), 2))
    assert all(one["error"]["reason"] and one["error"]["remedy"] for one in refused)
    kept = both.get("/v1/events", params={"limit": 1000}).json()
    assert kept["total"] == len(BAD) + 1
    assert statuses(send(both, *(event(100 + n) for n in range(len(BAD))))) == ["duplicate"] * len(BAD)


def test_a_bad_line_does_not_spoil_its_neighbours(http: TestClient) -> None:
    for number, bad in enumerate(BAD.values()):
        line = bad if isinstance(bad, bytes) else json.dumps(bad).encode()
        before, after = (json.dumps(event(1000 + 2 * number + n)).encode() for n in range(2))
        lines = b"\n".join([before, line, after])
        answer = http.post("/v1/events", content=lines, headers={"Content-Type": "application/x-ndjson"})
        assert statuses(answer) == ["recorded", "refused", "recorded"], list(BAD)[number]


# --- what can't be read at all ---


NONSENSE = {
    "letters": b"x" * 10_000_000,
    "brackets": b"[" * 10_000_000,
    "braces": b'{"a":' * 2_000_000,
    "a string without end": b'["' + b"a" * 10_000_000,
    "bytes": bytes(range(256)) * 40_000,
    "arrays": b"[NaN" + b",[]" * 3_000_000,
    "quotes": b'"' * 10_000_000,
}


def test_ten_megabytes_of_nonsense_are_refused(both: TestClient) -> None:
    for name, nonsense in NONSENSE.items():
        refused = both.post("/v1/events", content=nonsense, headers=JSON)
        assert 400 <= refused.status_code < 500, name
        assert refused.json()["detail"], name
    assert both.get("/v1/events").json()["total"] == 0


def test_nonsense_is_refused_where_one_event_or_a_trace_belongs(http: TestClient) -> None:
    for path in ("/v1/model-calls", "/v1/traces"):
        for name, nonsense in NONSENSE.items():
            refused = http.post(path, content=nonsense[:2_000_000], headers=JSON)
            assert 400 <= refused.status_code < 500, f"{path} {name}"


def test_more_items_than_are_taken_at_once_are_too_many(http: TestClient) -> None:
    refused = http.post("/v1/events", content=b"[" + b"1," * 10_000 + b"1]", headers=JSON)
    assert refused.status_code == 413
    assert "10000 items" in refused.json()["detail"]


# --- too much at once ---


def test_overload_is_told_with_a_time_to_come_again(service: Service) -> None:
    held, go_on = threading.Event(), threading.Event()

    def slowly(tenant: str, items: Sequence[Prepared]) -> list[Outcome]:
        held.set()
        go_on.wait(HANGING)
        return service.ledger.append(tenant, items)

    slow = Service(service.ledger, service.vault, "default", "urn:x-clew:", Writer(slowly, room=3))
    with client_of(slow) as client:
        threads = [threading.Thread(target=send, args=(client, event(n))) for n in range(3)]
        threads[0].start()
        assert held.wait(HANGING)
        for thread in threads[1:]:
            thread.start()
        while slow.writer.waiting < 2:
            pass
        refused = send(client, event(10), event(11))
        go_on.set()
        for thread in threads:
            thread.join()
        assert refused.status_code == 503
        assert int(refused.headers["Retry-After"]) > 0
        assert refused.json()["type"].endswith("overloaded")
        assert client.get("/v1/events").json()["total"] == 3
        assert statuses(send(client, event(10), event(11))) == ["recorded", "recorded"]
    slow.writer.close()


def test_a_store_that_is_busy_is_told_with_a_time_to_come_again(service: Service) -> None:
    def busy(tenant: str, items: Sequence[Prepared]) -> list[Outcome]:
        raise StoreBusy("the ledger is locked by another process")

    with client_of(Service(service.ledger, service.vault, "default", "urn:x-clew:", Writer(busy))) as client:
        refused = send(client, event(1))
    assert refused.status_code == 503
    assert refused.headers["Retry-After"]


def test_a_defect_is_a_500_that_tells_nothing_of_what_was_sent(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(tenant: str, items: Sequence[Prepared]) -> list[Outcome]:
        raise RuntimeError(f"a defect with the secret {items[0].log!r}")

    with client_of(
        Service(service.ledger, service.vault, "default", "urn:x-clew:", Writer(broken))
    ) as client:
        failed = send(client, event(1, call="call:secret"))
    assert failed.status_code == 500
    assert "secret" not in failed.text
    assert "secret" not in caplog.text
    assert failed.headers["Content-Security-Policy"]


# --- odd, and recorded all the same ---


def test_an_edge_may_come_before_its_nodes(both: TestClient) -> None:
    def placeholders() -> list[str]:
        nodes = ask(both, "inputs-of", "file:/b@version:1")["nodes"]
        return [node["ref"] for node in nodes if {"kind": "placeholder"} in node.get("marks", ())]

    send(both, derived(1, "file:/b@version:1", "file:/a@version:1"))
    assert placeholders() == ["file:/a@version:1"]
    send(both, event(2, "artifact_version", ref="file:/a@version:1", kind="file"))
    assert placeholders() == []


def test_late_future_and_skewed_events_are_recorded_and_marked(both: TestClient) -> None:
    late = [event(1, epoch="1", source_number=2), event(2, epoch="1", source_number=1)]
    future = event(3, time="2999-01-01T00:00:00Z")
    skewed = event(4, started=LATER, ended="2026-03-01T09:00:00Z")
    results = send(both, *late, future, skewed).json()["results"]
    assert [one["status"] for one in results] == ["recorded"] * 4
    assert [one.get("warnings", []) for one in results] == [[], ["late"], ["future"], ["skewed"]]
    marks = [entry["marks"] for entry in both.get("/v1/events").json()["events"]]
    assert marks == [[], ["late"], ["future"], ["skewed"]]
    assert b"late" not in both.get("/v1/export").content


def test_a_use_before_its_generation_and_a_cycle_over_events_are_kept_and_walks_end(both: TestClient) -> None:
    send(
        both,
        attempt(
            1,
            started="2026-03-01T09:00:00Z",
            ended="2026-03-01T09:00:01Z",
            reads=[{"ref": "file:/a@version:2"}],
        ),
        attempt(2, started=LATER, ended=LATER, writes=[{"ref": "file:/a@version:2", "mode": "create"}]),
        derived(3, "doc:1@version:1", "doc:2@version:1"),
        derived(4, "doc:2@version:1", "doc:1@version:1"),
    )
    assert len(ask(both, "inputs-of", "doc:1@version:1")["nodes"]) == 2
    assert len(ask(both, "impact-of", "doc:1@version:1")["nodes"]) == 2
    assert "attempt:2" in [node["ref"] for node in ask(both, "inputs-of", "attempt:1")["nodes"]]


def test_one_id_as_entity_and_activity_over_two_events_is_kept(both: TestClient) -> None:
    assert statuses(send(both, event(1), event(2, inputs=[{"ref": "call:1"}]))) == ["recorded", "recorded"]
    [node] = both.get("/v1/nodes", params={"ref": "call:1"}).json()["nodes"]
    assert node["kinds"] == ["entity", "activity"]


def test_odd_characters_in_a_label_are_kept(both: TestClient) -> None:
    label = "Ünï\u202ecode \x1b[31m <b>bold</b> \x7f \U0001f600 'quote\" \\ \ufffd"
    version = event(1, "artifact_version", ref="file:/a@version:1", kind="file", label=label)
    assert statuses(send(both, version)) == ["recorded"]
    [node] = both.get("/v1/nodes", params={"ref": "file:/a@version:1"}).json()["nodes"]
    assert label in [attribute["value"] for attribute in node["attributes"]]
    assert both.get("/v1/export", params={"format": "turtle"}).status_code == 200
    assert json.loads(both.get("/v1/export").content)


def test_a_fan_out_is_paged_counted_and_said_to_be_cut(both: TestClient) -> None:
    hub = event(1, inputs=[{"ref": f"doc:{n:04}@version:1"} for n in range(1200)])
    send(both, hub)
    graph = ask(both, "inputs-of", "message:1/1/out", max_nodes=100)
    assert graph["truncated"]
    assert not graph["complete"]
    assert len(graph["nodes"]) <= 101
    assert graph["frontier"] or graph["cursor"]
    [node] = both.get("/v1/nodes", params={"ref": "call:1"}).json()["nodes"]
    assert node["causes"] == 1000  # counted so far; the list of nodes has them all
    assert both.get("/v1/nodes", params={"prefix": "doc:"}).json()["total"] == 1200


def test_what_belongs_to_another_tenant_is_absent(store_url: str, tmp_path: Path) -> None:
    with (
        service_at(store_url, tmp_path, "one") as one,
        service_at(store_url, tmp_path, "two") as two,
        client_of(one) as mine,
        client_of(two) as theirs,
    ):
        send(mine, event(1, inputs=[{"ref": "message:1", "body": {"text": "private"}}]))
        send(theirs, event(2))
        body = mine.get("/v1/events").json()["events"][0]["event"]["inputs"][0]["body"]["id"]
        for path in (
            "/v1/nodes?ref=call:1",
            "/v1/questions/inputs-of?target=call:1",
            "/v1/lineage?target=call:1",
            "/v1/content?ref=message:1",
            f"/v1/content?ref={body}",
            "/v1/export?run=run:9",
        ):
            absent, never = theirs.get(path), theirs.get(path.replace("call:1", "call:0"))
            assert absent.status_code == 404, path
            assert never.status_code == 404
            assert "private" not in absent.text
        assert [entry["event"]["id"] for entry in theirs.get("/v1/events").json()["events"]] == ["e2"]
        assert "call:1" not in theirs.get("/v1/export").text
        assert theirs.get("/v1/sources").json()["total"] == 1


def test_32_connections_share_commits_and_lose_nothing(both: TestClient) -> None:
    def deliver(worker: int) -> None:
        for number in range(10):
            assert statuses(send(both, event(worker * 100 + number))) == ["recorded"]

    threads = [threading.Thread(target=deliver, args=(worker,)) for worker in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = both.get("/v1/events", params={"limit": 1000}).json()
    assert [entry["seq"] for entry in found["events"]] == list(range(1, 321))
    commits = next(
        float(line.split()[1])
        for line in both.get("/metrics").text.splitlines()
        if line.startswith("clew_commits_total ")
    )
    assert commits < 320


def test_a_query_that_is_not_utf_8_is_refused_and_not_read_as_other_characters(http: TestClient) -> None:
    for method, path in (("GET", "/v1/nodes?ref=%ff"), ("PUT", "/v1/restrictions?label=%ff")):
        answer = http.request(method, path, json={"groups": []} if method == "PUT" else None)
        assert (answer.status_code, answer.json()["type"]) == (400, "urn:x-clew:problem:unreadable")
    assert http.get("/v1/restrictions").json()["restrictions"] == []
