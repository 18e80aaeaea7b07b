"""The completeness contract, over both stores: what an answer said it says again, and counts agree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from app.service import Service
from provmodel.errors import BadQuestion
from queries import shelf
from queries.lineage import LINEAGE
from queries.question import Question
from tests.app.faces import client_of, service_at

STORY = json.loads(resources.files("app").joinpath("data/story.json").read_text())
QUESTIONS = [*shelf.questions().values(), LINEAGE]
REPORT = "report:late-fees-february"
TIME = "2026-05-01T10:00:00Z"


@pytest.fixture
def told(store_url: str, tmp_path: Path) -> Iterator[Service]:
    """The story that ships, in a store of each kind."""
    with service_at(store_url, tmp_path) as service:
        tell(service, STORY)
        yield service


@pytest.fixture(scope="module")
def read(kept: Service) -> Service:
    """The same, for tests that only read."""
    tell(kept, STORY)
    return kept


def tell(service: Service, events: list[dict[str, Any]]) -> None:
    results = service.record([json.dumps(item).encode() for item in events])
    assert {result.status for result in results} == {"recorded"}


def graphs(service: Service, **more: Any) -> dict[str, bytes]:
    """The graph part of every question's answer to its own example."""
    return {
        question.name: msgspec.json.encode(
            service.answer(question, {**question.example, **more}).answer.graph
        )
        for question in QUESTIONS
    }


def later() -> list[dict[str, Any]]:
    """Events about the same things: a use, a new version, a retraction, a deletion of what was said."""
    shared = {"source": "later", "time": TIME}
    call = {"type": "model_call", "run": "run:late-fees", "call": "call:later", "model": "model:m@version:1"}
    sent = {
        "inputs": [{"ref": "document:tariff-2025"}, {"ref": REPORT}],
        "outputs": [{"ref": "message:later"}],
    }
    version = {"type": "artifact_version", "ref": f"{REPORT}@version:2", "kind": "report", "mode": "replace"}
    return [
        {**shared, "id": "1", **call, **sent},
        {**shared, "id": "2", **version},
        {**shared, "id": "3", "type": "retracted", "what": REPORT, "by": "ann", "reason": "wrong"},
    ]


def bodies(service: Service) -> list[str]:
    return [
        body
        for (body,) in service.ledger.store.of("default").fetch(
            "select distinct body from body where content is not null"
        )
    ]


def deletion(number: int, body: str) -> dict[str, Any]:
    gone = {"type": "content_deleted", "body": body, "done": TIME, "actor": "ann"}
    return {"id": f"gone-{number}", "source": "later", "time": TIME, **gone}


# --- as_of ---


def test_the_graph_of_a_seq_is_the_same_to_the_byte_while_events_come_and_after_bodies_are_gone(
    told: Service,
) -> None:
    head = str(told.ledger.graph(told.tenant).head())
    before, folded = graphs(told, as_of=head), graphs(told, as_of=head, fold="run")
    tell(told, later())
    assert graphs(told, as_of=head) == before
    assert graphs(told) != before
    there = bodies(told)
    assert there
    tell(told, [deletion(number, body) for number, body in enumerate(there)])
    assert bodies(told) == []
    assert graphs(told, as_of=head) == before
    assert graphs(told, as_of=head, fold="run") == folded
    told.ledger.rebuild(told.tenant)
    assert graphs(told, as_of=head) == before


def test_what_can_be_read_now_is_told_apart_from_the_graph(told: Service) -> None:
    tell(told, [deletion(number, body) for number, body in enumerate(bodies(told))])
    answer = told.answer(LINEAGE, {"target": REPORT, "direction": "backward"}).answer
    assert {body.state for body in answer.availability.bodies} == {"deleted"}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_a_seq_beyond_the_log_is_refused_with_where_the_log_ends(
    question: Question[Any, Any], read: Service
) -> None:
    head = read.ledger.graph(read.tenant).head()
    with pytest.raises(BadQuestion, match=f"the log ends at {head}"):
        read.answer(question, {**question.example, "as_of": str(head + 1)})


# --- cursors and budgets ---


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_pages_of_a_walk_add_up_to_the_whole_while_events_come(told: Service, direction: str) -> None:
    target = REPORT if direction == "backward" else "document:tariff-2025"
    asked = {"target": target, "direction": direction}
    whole = told.answer(LINEAGE, asked).answer.graph
    page = told.answer(LINEAGE, {**asked, "max_nodes": "2"}).answer.graph
    nodes, edges = list(page.nodes), list(page.edges)
    assert page.truncated
    assert not page.complete
    while page.cursor:
        page = told.answer(LINEAGE, {**asked, "max_nodes": "2", "cursor": page.cursor}).answer.graph
        nodes += page.nodes
        edges += page.edges
        if len(nodes) < 6:
            tell(told, [{**event, "id": f"{event['id']}-{len(nodes)}"} for event in later()[2:]])
    assert sorted(node.ref for node in nodes) == sorted(node.ref for node in whole.nodes)
    assert {edge.relation for edge in edges} == {edge.relation for edge in whole.edges}


def test_a_cursor_of_a_longer_log_or_of_another_question_is_refused(
    told: Service, tmp_path_factory: pytest.TempPathFactory
) -> None:
    asked = {"target": REPORT, "direction": "backward", "max_nodes": "2"}
    cursor = told.answer(LINEAGE, asked).answer.graph.cursor
    runs = told.lists.events(limit=2).cursor
    folder = tmp_path_factory.mktemp("restored")
    with service_at(f"sqlite:///{folder / 'clew.db'}", folder) as restored:
        tell(restored, STORY[:-5])
        with pytest.raises(BadQuestion, match="cursor"):
            restored.answer(LINEAGE, {**asked, "cursor": cursor})
        with pytest.raises(BadQuestion, match="the log ends at"):
            restored.lists.events(limit=2, cursor=runs)
    for change in ({"depth": "3"}, {"max_nodes": "3"}, {"fold": "run"}, {"as_of": "5"}):
        with pytest.raises(BadQuestion, match="cursor"):
            told.answer(LINEAGE, {**asked, **change, "cursor": cursor})
    with pytest.raises(BadQuestion, match="cursor"):
        told.lists.runs(cursor=runs)
    with pytest.raises(BadQuestion, match="cursor"):
        told.lists.events(cursor=runs, run="run:late-fees")


# --- counts ---


def test_counts_agree_across_list_graph_search_and_export(told: Service) -> None:
    with client_of(told) as http:
        listed = pages(http, "/v1/nodes", limit=7)
        assert len(listed) == len(set(listed)) == http.get("/v1/nodes").json()["total"]
        assert sorted(listed) == sorted(pages(http, "/v1/nodes", limit=7, until="2100-01-01T00:00:00Z"))
        document = http.get("/v1/export", params={"format": "prov-json", "assertions": "none"}).json()
        exported = {kind: nodes_of(document, kind) for kind in ("entity", "activity", "agent")}
        assert len(set().union(*exported.values())) == len(listed)
        for kind, names in exported.items():
            assert http.get("/v1/nodes", params={"kind": kind}).json()["total"] == len(names)
        asked = {"target": REPORT, "direction": "backward"}
        answer = http.get("/v1/lineage", params=asked).json()["graph"]
        ids = http.get("/v1/lineage", params={**asked, "view": "ids"}).json()
        assert [node["ref"] for node in answer["nodes"]] == ids["graph"]["nodes"]
        assert {node["ref"] for node in answer["nodes"]} <= set(listed)
        assert http.get("/v1/events").json()["total"] == answer["as_of"] == len(STORY)


def nodes_of(document: dict[str, Any], kind: str) -> set[str]:
    """The nodes of a PROV-JSON document, but for those that stand for a relation."""
    return {name for name in document.get(kind, {}) if not name.startswith("about:")}


def pages(http: TestClient, path: str, **given: Any) -> list[str]:
    found, cursor = [], ""
    while True:
        page = http.get(path, params={**given, "cursor": cursor} if cursor else given).json()
        found += [node["ref"] for node in page["nodes"]]
        cursor = page["cursor"]
        if not cursor:
            return found


# --- what is asked wrongly ---


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("direction=sideways", ["backward", "forward"]),
        ("stop_at=entitty", ["entity", "activity", "agent", "clew:Attempt"]),
        ("evidence=sure", ["verified", "observed", "declared", "inferred"]),
        ("policy=how", ["why", "impact", "who", "derivation"]),
        ("depth=-1", ["0"]),
        ("max_nodes=0", ["1"]),
    ],
)
def test_a_wrong_word_is_refused_with_the_allowed_ones(read: Service, query: str, named: list[str]) -> None:
    with client_of(read) as http:
        answer = http.get(f"/v1/lineage?target={REPORT}&{query}")
        assert answer.status_code == 422
        problem = answer.json()
        assert problem["field"] == query.partition("=")[0]
        assert all(word in problem["remedy"] for word in named)
