"""Cases from the field: what others' stores do wrong with the same input."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.service import Service
from tests.app.documents import asked, case, ex, exported
from tests.app.faces import array, event

CASES = Path(__file__).parents[1] / "cases"


def batch(name: str) -> bytes:
    return (CASES / name / "batch-1.json").read_bytes()


def traced(client: TestClient, data: bytes) -> dict[str, int]:
    answer = client.post("/v1/traces", content=data, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200, answer.text
    counts: dict[str, int] = answer.json()["counts"]
    return counts


def test_things_with_the_same_content_are_two_things_with_two_uses(service: Service) -> None:
    """Case 072."""
    service.submit(case("072"))
    document = json.loads(exported(service))
    uses = {one["prov:entity"].rpartition("/")[2]: one["prov:role"] for one in document["used"].values()}
    roles = {name.rpartition(":")[2]: role for name, role in uses.items()}
    assert roles == {"f1": "reference", "f2": "reads"}
    details = service.details(ex("f1", "f2")).nodes
    assert [one.ref for one in details] == [*ex("f1", "f2")]


def test_a_batch_that_is_delivered_again_at_once_leaves_no_mark(both: TestClient) -> None:
    """Case 104."""
    data = batch("104-otlp-redelivery-identical")
    first = traced(both, data)
    before = both.get("/v1/export").content
    assert traced(both, data) == {**first, "recorded": 0, "duplicate": first["recorded"]}
    with ThreadPoolExecutor(8) as pool:
        again = list(pool.map(lambda _: traced(both, data), range(8)))
    assert {counts["duplicate"] for counts in again} == {first["recorded"]} == {2}
    assert both.get("/v1/export").content == before


def test_a_backfill_does_not_bring_erased_content_back(both: TestClient) -> None:
    """Case 106."""
    data = batch("106-otlp-redelivery-after-deletion")
    assert traced(both, data)["recorded"] == 1
    document = json.loads(both.get("/v1/export").content)
    said = [one for kind in ("entity", "activity") for one in document[kind].values()]
    bodies = [one["clew:body"] for one in said if "clew:body" in one]
    [jane] = [one for one in bodies if b"Jane" in both.get("/v1/content", params={"ref": one}).content]
    erased = {"ref": jane, "reason_class": "subject_request"}
    assert both.post("/v1/retention/deletions", json=erased).status_code == 200
    before = both.get("/v1/export").content
    again = both.post("/v1/traces", content=data, headers={"Content-Type": "application/json"})
    assert again.json()["counts"] == {"recorded": 0, "duplicate": 1, "conflict": 0, "refused": 0}
    assert both.get("/v1/content", params={"ref": jane}).status_code == 410
    assert both.get("/v1/export").content == before
    assert b"Jane Roe" not in before


def test_an_address_where_content_is_wanted_is_kept_and_never_fetched(both: TestClient) -> None:
    """Case 123: nothing listens there, and nothing is asked."""
    answer = both.post(
        "/v1/traces",
        content=batch("123-image-url-in-data-field"),
        headers={"Content-Type": "application/json"},
    )
    assert (answer.status_code, answer.json()["counts"]["recorded"]) == (200, 1)
    assert "ai.prompt.messages" not in json.dumps(answer.json()["not_understood"])
    call = "span:0af7651916cd43dd8448eb211c80319c/a000000000000001"
    graph = both.get("/v1/questions/inputs-of", params={"target": call}).json()["graph"]
    [photo] = [one for one in graph["nodes"] if one["ref"] == "http-response:https://example.com/photo.png"]
    assert photo["kinds"] == ["entity"]
    found = {gap["kind"]: gap for gap in graph["gaps"]}
    assert found["unpinned"]["count"] >= 1
    assert found["never_captured"]["example"] == photo["ref"]
    [edge] = [one for one in graph["edges"] if photo["ref"] in (one["source"], one["target"])]
    assert edge["evidence"] == "observed"


def test_a_time_without_a_zone_stays_one_wherever_the_server_is(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 026: 02:30 does not exist on that day in New York."""
    sent = case("026")
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        done = service.submit(sent)
        there = exported(service, document=done.ref), exported(service)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert there == (exported(service, document=done.ref), exported(service))
    times = set(_times(json.loads(sent.data)))
    assert times <= set(_times(json.loads(there[0])))
    assert any(not one.endswith("Z") for one in times)


def _times(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("prov:startTime", "prov:endTime", "prov:time") and isinstance(inner, str):
                yield inner
            yield from _times(inner)


def test_shortcuts_of_rdf_are_walked_and_what_they_imply_is_marked(service: Service) -> None:
    """Case 007."""
    service.submit(case("007"))
    base = "http://example.org/"
    graph = asked(service, "inputs-of", f"{base}r")
    assert {node.ref.strip("<>").rpartition("/")[2] for node in graph.nodes} >= {"r", "s", "q", "a"}
    derived = {(edge.term, edge.target.strip("<>").rpartition("/")[2]) for edge in graph.edges}
    assert {("hadPrimarySource", "s"), ("wasQuotedFrom", "q"), ("wasGeneratedBy", "a")} <= derived


CHARGE = [
    event(1, run="run:shop", call="call:charge", inputs=[{"ref": "message:shop/order"}], outputs=[]),
    event(2, "action_proposed", run="run:shop", action="action:charge", call="call:charge", tool="tool:card",
          arguments={"body": {"json": {"amount": 10}}}),
    event(3, "tool_call", run="run:shop", attempt="attempt:charge", action="action:charge", tool="tool:card",
          outcome="failed", http_status=402, error="card declined",
          results=[{"ref": "result:charge", "body": {"json": {"status": 402, "error": "card declined"}}}]),
    event(4, run="run:shop", call="call:reply", inputs=[{"ref": "result:charge"}],
          outputs=[{"ref": "message:shop/reply", "body": {"text": "Your order has shipped."}}]),
]  # fmt: skip


def test_an_error_that_the_agent_ignored_is_an_input_of_what_it_said_and_no_write(service: Service) -> None:
    """Case 134."""
    service.record([json.dumps(one).encode() for one in CHARGE])
    reply = asked(service, "inputs-of", "message:shop/reply")
    direct = [(one.ref, one.evidence) for one in reply.links.sent if one.direct]
    assert direct == [("result:charge", "observed")]
    tried = service.ask("attempts-of", {"target": ["run:shop"]})
    assert "failed" in " ".join(tried.sentences)
    assert asked(service, "survivors-of", "action:charge").survivors == ()
    document = json.loads(exported(service))
    made = [one["prov:entity"].partition(":")[2] for one in document["wasGeneratedBy"].values()]
    assert sorted(made) == ["action:charge", "message:shop/reply", "result:charge"]


def test_two_jobs_under_one_run_are_told_and_not_joined(service: Service) -> None:
    """Case 141: also when their clocks agree."""
    jobs = [("a", "etl", "menus"), ("b", "my-job", "other")]
    for source, job, output in jobs:
        told = [
            event(1, "run_started", source=source, run="run:d46e", agent=f"agent:{job}", task=f"do {job}"),
            event(2, "tool_call", source=source, run="run:d46e", attempt=f"attempt:{job}", tool="tool:t",
                  outcome="completed", writes=[{"ref": f"file:{output}@version:1", "mode": "create"}]),
            event(3, "run_ended", source=source, run="run:d46e", status="completed"),
        ]  # fmt: skip
        service.record([json.dumps(one).encode() for one in told])
    found = asked(service, "gaps-of", "run:d46e").contradictions
    assert {(one.kind, len(one.events)) for one in found} == {("two_runs", 2)}
    assert [one for one in found if "agent:etl, agent:my-job" in one.message]
    assert [one for one in found if "'do etl', 'do my-job'" in one.message]
    nodes = {node.ref for node in asked(service, "inputs-of", "file:other").nodes}
    assert not {"attempt:etl", "file:menus@version:1"} & nodes


def test_one_run_that_two_sources_start_alike_is_no_contradiction(service: Service) -> None:
    for source in ("a", "b"):
        told = event(1, "run_started", source=source, run="run:1", agent="agent:etl", task="one thing")
        service.record([json.dumps(told).encode()])
    assert asked(service, "gaps-of", "run:1").contradictions == ()


def test_what_was_deleted_stays_so_on_either_store(both: TestClient) -> None:
    told = event(
        1, inputs=[{"ref": "message:1/a", "body": {"id": "body:a", "text": "a text of some length"}}]
    )
    both.post("/v1/events", content=array([told]))
    held = {"hold": "case-7", "target": "message:1/a", "reason": "case 7"}
    assert both.post("/v1/retention/holds", json=held).status_code == 200
    asked_for = {"ref": "message:1/a", "reason_class": "mistake"}
    assert both.post("/v1/retention/deletions", json=asked_for).status_code == 422
    both.delete("/v1/retention/holds", params={"hold": "case-7"})
    assert both.post("/v1/retention/deletions", json=asked_for).status_code == 200
    for given in ({"ref": "message:1/a"}, {"ref": "message:1/a", "as": "label"}):
        again = both.put("/v1/content", params=given, content=b"a text of some length")
        assert again.status_code == (201 if "as" in given else 410)
    assert both.get("/v1/retention/deletions", params={"state": "done"}).json()["total"] == 1
    assert both.get("/v1/content", params={"ref": "message:1/a"}).status_code == 410
