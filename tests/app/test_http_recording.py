"""POST: events in every form that is taken, the short forms, and traces."""

import gzip
import json
import tracemalloc
import zlib
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.faces.http import examples
from app.faces.http.intake import Intake, inflate
from app.limits import Limits
from app.service import Service
from provmodel.decoding import decode_event, split_items
from provmodel.errors import TooLarge
from provmodel.events import TYPES, plural
from tests.app.faces import array, client_of, event

JSON = {"Content-Type": "application/json"}
CONTENT = [event(1), event(2)]


def post(client: TestClient, path: str, body: bytes, **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(path, content=body, headers={**JSON, **named})


def results(response: Any) -> list[tuple[str, int | None]]:
    assert response.status_code == 200, response.text
    return [(one["status"], one.get("seq")) for one in response.json()["results"]]


# --- whole events ---


def test_an_array_is_recorded_in_its_order_and_known_again(http: TestClient) -> None:
    assert results(http.post("/v1/events", json=CONTENT)) == [("recorded", 1), ("recorded", 2)]
    again = http.post("/v1/events", json=[*reversed(CONTENT), event(3)])
    assert results(again) == [("duplicate", 2), ("duplicate", 1), ("recorded", 3)]
    assert again.json()["counts"] == {"recorded": 1, "duplicate": 2, "conflict": 0, "refused": 0}


def test_lines_are_recorded_one_by_one(http: TestClient) -> None:
    lines = "".join(json.dumps(one) + "\n" for one in CONTENT).encode()
    for kind in ("application/x-ndjson", "application/json"):
        statuses = results(post(http, "/v1/events", lines, Content_Type=kind))
        assert [seq for _, seq in statuses] == [1, 2]


def test_lines_of_which_one_is_broken_need_no_content_type(http: TestClient) -> None:
    lines = b"\n".join([*(json.dumps(one).encode() for one in CONTENT), b"not json", b'{"type": "mod'])
    reply = http.post("/v1/events", content=lines)
    assert reply.status_code == 200
    assert [one["status"] for one in reply.json()["results"]] == ["recorded"] * 2 + ["refused"] * 2


def test_a_lone_object_is_a_delivery_of_one(http: TestClient) -> None:
    assert results(http.post("/v1/events", json=event(1))) == [("recorded", 1)]


def test_cloudevents_are_recorded_alone_and_in_batches(http: TestClient) -> None:
    one = examples.CLOUDEVENT
    two = {**one, "id": "e-4", "data": {"ref": "file:/b@version:1", "kind": "file"}}
    alone = post(http, "/v1/events", json.dumps(one).encode(), Content_Type="application/cloudevents+json")
    assert results(alone) == [("recorded", 1)]
    batch = json.dumps([one, two]).encode()
    both = post(http, "/v1/events", batch, Content_Type="application/cloudevents-batch+json; charset=UTF-8")
    assert results(both) == [("duplicate", 1), ("recorded", 2)]


def test_nothing_is_a_delivery_too(http: TestClient) -> None:
    assert results(http.post("/v1/events", json=[])) == []


# --- how content travels ---


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data)[2:-4]),
        ("gzip", lambda data: gzip.compress(data[:20]) + gzip.compress(data[20:])),
        ("deflate, gzip", lambda data: gzip.compress(zlib.compress(data))),
        ("identity", bytes),
    ],
)
def test_packed_content_is_unpacked(http: TestClient, encoding: str, pack: Any) -> None:
    packed = post(http, "/v1/events", pack(array(CONTENT)), Content_Encoding=encoding)
    assert results(packed) == [("recorded", 1), ("recorded", 2)]


def test_a_gzip_bomb_is_too_large_and_stays_small_in_memory(http: TestClient) -> None:
    bomb = gzip.compress(b" " * 2**20) * 300
    assert len(bomb) < 400_000
    tracemalloc.start()
    refused = post(http, "/v1/events", bomb, Content_Encoding="gzip")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused.status_code == 413
    assert peak < 80 * 2**20
    assert http.get("/v1/events").json()["total"] == 0


def test_what_is_beyond_the_limit_is_too_large_whether_announced_or_not(service: Service) -> None:
    with client_of(service, Intake(Limits(request_bytes=1000))) as client:
        announced = post(client, "/v1/events", b" " * 1001)
        streamed = client.post("/v1/events", content=iter([b" " * 600, b" " * 600]), headers=JSON)
        packed = post(client, "/v1/events", gzip.compress(b" " * 1001), Content_Encoding="gzip")
        assert [r.status_code for r in (announced, streamed, packed)] == [413, 413, 413]
        assert "1000 bytes" in announced.json()["detail"]
        assert results(post(client, "/v1/events", b"[]" + b" " * 998)) == []


def test_inflation_stops_at_the_limit_exactly() -> None:
    assert inflate(gzip.compress(b"x" * 1000), "gzip", 1000) == b"x" * 1000
    with pytest.raises(TooLarge):
        inflate(gzip.compress(b"x" * 1001), "gzip", 1000)


def test_the_room_for_requests_is_given_back(service: Service) -> None:
    intake = Intake(Limits(request_bytes=10_000, waiting_bytes=10_000))
    with client_of(service, intake) as client:
        for body in (array(CONTENT), b"nonsense", b" " * 20_000, gzip.compress(b"")[:9]):
            post(client, "/v1/events", body)
        assert intake.room == 10_000
        intake.room = 10
        refused = post(client, "/v1/events", array(CONTENT))
    assert refused.status_code == 503
    assert refused.headers["Retry-After"] == "1"


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Content_Encoding": "gzip"}, b"no gzip", 400),
        ({"Content_Encoding": "gzip"}, gzip.compress(array(CONTENT))[:-9], 400),
        ({"Content_Encoding": "br"}, array(CONTENT), 415),
        ({"Content_Type": "application/json; charset=utf-16"}, array(CONTENT), 415),
        ({"Content_Type": "application/json; charset=utf-8"}, array(CONTENT).decode().encode("utf-16"), 400),
        ({}, array(CONTENT).decode().encode("utf-16-le"), 400),
        ({"Content_Type": "application/x-protobuf"}, b"\x0a\x00", 415),
        ({"Content_Type": "text/xml"}, b"<events/>", 415),
        ({}, b"", 400),
    ],
)
def test_content_in_a_form_that_is_not_understood_says_what_is(
    http: TestClient, headers: dict[str, str], body: bytes, status: int
) -> None:
    refused = post(http, "/v1/events", body, **headers)
    assert refused.status_code == status
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert refused.json()["remedy"]
    if status == 415:
        assert refused.headers.get("Accept") or refused.headers.get("Accept-Encoding")


# --- short forms ---


def test_what_a_person_would_type_into_curl_is_enough(http: TestClient) -> None:
    made = http.post(
        "/v1/model-calls",
        json={
            "run": "run:first",
            "model": "model:m",
            "inputs": [{"text": "What is the fee?"}],
            "outputs": [{"text": "The fee is 1.4 %."}],
        },
    )
    assert made.status_code == 200
    told = made.json()
    assert told["status"] == "recorded"
    assert told["seq"] == 1
    assert told["id"]
    assert told["source"] == "http:local"
    assert told["time"].endswith("Z")
    call = told["refs"]["/call"]
    question, reply = told["refs"]["/inputs/0"], told["refs"]["/outputs/0"]
    assert question == f"message:run:first/{call}/in/0"
    answer = http.get("/v1/questions/inputs-of", params={"target": reply}).json()
    assert question in [entry["ref"] for entry in answer["graph"]["links"]["sent"]]
    assert http.get("/v1/content", params={"ref": reply}).text == "The fee is 1.4 %."


def test_each_type_has_a_short_form_at_an_address_of_its_own(both: TestClient) -> None:
    for seq, tag in enumerate(TYPES, 1):
        made = both.post(f"/v1/{plural(tag)}", json=examples.SHORT[tag])
        assert made.status_code == 200, made.text
        assert (made.json()["status"], made.json()["seq"]) == ("recorded", seq)
        [entry] = both.get("/v1/events", params={"type": tag}).json()["events"]
        assert entry["event"]["type"] == tag
        assert entry["event"]["id"] == made.json()["id"]


def test_a_short_form_that_is_sent_again_under_its_id_is_a_duplicate(both: TestClient) -> None:
    for tag in TYPES:
        form = {"id": f"event:{tag}", **examples.SHORT[tag]}
        first, again = (both.post(f"/v1/{plural(tag)}", json=form).json() for _ in range(2))
        assert again == {**first, "status": "duplicate"}
    changed = both.post("/v1/tool-calls", json={"id": "event:tool_call", "tool": "other"})
    assert changed.status_code == 409
    [source] = [s for s in both.get("/v1/sources").json()["sources"] if s["source"] == "http:local"]
    assert source["missing"] == 0


def test_a_whole_event_is_a_short_form_that_leaves_nothing_out(http: TestClient) -> None:
    for tag in TYPES:
        whole = event(1, "model_call") if tag == "model_call" else None
        if whole is None:
            http.post(f"/v1/{plural(tag)}", json=examples.SHORT[tag])
            whole = http.get("/v1/events", params={"type": tag}).json()["events"][0]["event"]
            whole["id"] += "/again"
        made = http.post(f"/v1/{plural(tag)}", json=whole).json()
        assert (made["status"], made["id"], made["refs"]) == ("recorded", whole["id"], {}), tag


def test_content_and_names_may_be_given_bare(http: TestClient) -> None:
    made = http.post(
        "/v1/tool-calls",
        json={
            "run": "run:a b@version:1/x",
            "attempt": "attempt:1",
            "tool": "search",
            "reads": ["file:/a@version:1"],
            "results": [
                "two hits",
                {"json": [1, 2], "members": ["doc:1", {"text": "hit"}]},
                {"ref": "result:x"},
            ],
            "arguments": {"body": "hello", "text": "an argument of that name"},
        },
    ).json()
    scope = "message:run:a%20b%40version:1%2Fx/attempt:1/out"
    assert made["refs"]["/results/0"] == f"{scope}/0"
    assert made["refs"]["/results/1/members/1"] == f"{scope}/1/members/1"
    event = http.get("/v1/events").json()["events"][0]["event"]
    assert [read["ref"] for read in event["reads"]] == ["file:/a@version:1"]
    assert event["results"][1]["members"][0]["ref"] == "doc:1"
    assert event["results"][2] == {"ref": "result:x"}
    assert event["outcome"] == "completed"
    body = event["arguments"]["body"]["id"]
    assert http.get("/v1/content", params={"ref": body}).json() == {
        "body": "hello",
        "text": "an argument of that name",
    }


def test_a_call_without_results_claims_no_outcome(http: TestClient) -> None:
    http.post("/v1/tool-calls", json={"tool": "search"})
    assert http.get("/v1/events").json()["events"][0]["event"]["outcome"] == "unknown"


def test_arguments_in_their_own_form_stay_as_they_are(http: TestClient) -> None:
    tags = {"alg": "hmac-sha256-128-jcs", "whole": "ab", "by_pointer": {"/a": "cd"}}
    http.post("/v1/action-proposals", json={"run": "r", "tool": "t", "arguments": tags})
    assert http.get("/v1/events").json()["events"][0]["event"]["arguments"] == tags


def test_the_server_numbers_what_it_names_the_source_of(http: TestClient) -> None:
    first = http.post("/v1/run-starts", json={"agent": "a"}).json()
    refused = http.post("/v1/run-starts", json={"agent": "a", "run": "r", "parent_run": ""})
    second = http.post("/v1/run-starts", json={"agent": "a"}).json()
    assert refused.status_code == 422
    assert (first["source_number"], second["source_number"]) == (1, 2)
    assert first["epoch"] == second["epoch"]
    [source] = http.get("/v1/sources").json()["sources"]
    assert (source["state"], source["missing"]) == ("open", 0)
    named = http.post("/v1/run-starts", json={"agent": "a", "source": "mine"}).json()
    assert "source_number" not in named


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("model-calls", {"model": "m", "inputs": [{"rfe": "x"}]}, "/inputs/0/rfe"),
        ("model-calls", {"run": "r"}, "/model"),
        ("model-calls", {"type": "tool_call", "model": "m"}, "/type"),
        ("model-calls", [{"model": "m"}], ""),
        ("authorization-decisions", {"verdict": "allow", "decider": "amy"}, "/decider"),
        ("tool-calls", {"tool": "t", "results": [{"members": []}]}, "/results/0/ref"),
        ("tool-calls", {"tool": "t", "outcome": "great"}, "/outcome"),
        ("artifact-versions", {"ref": "a", "kind": "file", "body": 5}, "/body"),
    ],
)
def test_a_short_form_that_is_wrong_says_where(http: TestClient, path: str, body: Any, field: str) -> None:
    refused = http.post(f"/v1/{path}", json=body)
    assert refused.status_code == 422, refused.text
    assert refused.json()["field"] == field
    assert refused.json()["remedy"]
    assert http.get("/v1/events").json()["total"] == 0


def test_a_key_given_twice_in_a_short_form_is_refused(http: TestClient) -> None:
    refused = post(http, "/v1/model-calls", b'{"model": "m", "model": "n"}')
    assert refused.status_code == 422
    assert "given twice" in refused.json()["reason"]


# --- traces ---


def test_a_trace_becomes_events_and_what_was_not_understood_is_told(http: TestClient) -> None:
    reply = http.post("/v1/traces", json=examples.OTLP)
    assert reply.status_code == 200
    told = reply.json()
    assert told["partialSuccess"] == {"rejectedSpans": 0, "errorMessage": ""}
    assert told["items"] == 1
    assert told["counts"]["recorded"] == 1
    assert told["not_understood"]
    again = http.post("/v1/traces", json=examples.OTLP).json()
    assert again["counts"]["duplicate"] == 1


def test_one_bad_span_among_good_ones_is_a_partial_success(http: TestClient) -> None:
    trace = json.loads(json.dumps(examples.OTLP))
    [scope] = trace["resourceSpans"][0]["scopeSpans"]
    good = scope["spans"][0]
    scope["spans"] = [good, {**good, "spanId": "xyz"}, {**good, "spanId": "b7ad6b7169203332"}]
    told = http.post("/v1/traces", json=trace).json()
    assert told["partialSuccess"]["rejectedSpans"] == 1
    assert "xyz" in told["partialSuccess"]["errorMessage"]
    assert told["counts"]["recorded"] == 2


def test_a_trace_in_protobuf_is_told_to_come_as_json(http: TestClient) -> None:
    refused = post(http, "/v1/traces", b"\x0a\x00", Content_Type="application/x-protobuf")
    assert refused.status_code == 415
    assert "http/json" in refused.json()["remedy"]


@pytest.mark.parametrize("body", [b"nonsense", b'{"resourceSpans": 5}', b"{" * 100_000])
def test_a_trace_that_is_none_is_refused(http: TestClient, body: bytes) -> None:
    assert 400 <= post(http, "/v1/traces", body).status_code < 500


# --- the examples ---


def test_the_examples_of_whole_events_are_events() -> None:
    for raw in split_items(examples.NDJSON.encode()):
        decode_event(raw)
    decode_event(json.dumps(examples.CLOUDEVENT).encode())
    assert [decode_event(json.dumps(one).encode()) for one in examples.EVENTS]
    assert examples.SHORT.keys() == TYPES.keys()
