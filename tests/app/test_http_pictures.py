"""GET /v1/pictures: answers as positions and lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.pictures import Pictures
from app.service import Service
from queries.lineage import LINEAGE
from tests.app.faces import client_of, event
from tests.story import Story


@pytest.fixture(scope="module")
def told(kept: Service) -> Iterator[TestClient]:
    inputs = [{"ref": f"file:/in/{n}.txt@version:1"} for n in range(20)]
    events = [event(0, "run_started", run="run:1", agent="agent:a", task="report"), event(1, inputs=inputs)]
    with client_of(kept) as client:
        assert client.post("/v1/events", json=events).json()["counts"]["recorded"] == len(events)
        yield client


def picture(client: TestClient, **more: Any) -> Any:
    answer = client.get("/v1/pictures/inputs-of", params={"target": "message:1/1/out", **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_picture_counts_what_its_answer_counts(told: TestClient) -> None:
    graph = told.get("/v1/questions/inputs-of", params={"target": "message:1/1/out"}).json()["graph"]
    drawn = picture(told)
    edges = [*graph["edges"], *graph["conditions"], *graph["responsible"]]
    assert drawn["edge_count"] == len(edges) == sum(line["count"] for line in drawn["lines"])
    refs = {node["ref"] for node in graph["nodes"]} | {
        edge[end] for edge in edges for end in ("source", "target")
    }
    assert drawn["node_count"] == len(refs)
    assert refs == {node["ref"] for node in drawn["nodes"]} | {
        member for card in drawn["cards"] for member in card["members"]
    }


def test_a_card_opens_row_by_row(told: TestClient) -> None:
    (card,) = picture(told)["cards"]
    assert (len(card["members"]), card["shown"]) == (20, 4)
    (opened,) = picture(told, open=f"8 {card['id']}")["cards"]
    assert opened["shown"] == 8
    assert opened["height"] > card["height"]


def test_lineage_has_a_picture_too(told: TestClient) -> None:
    answer = told.get("/v1/pictures/lineage", params={"target": "message:1/1/out"})
    assert answer.json()["nodes"]


@pytest.mark.parametrize(
    ("path", "params", "status", "said"),
    [
        ("/v1/pictures/no-such", {}, 404, "no-such"),
        ("/v1/pictures/inputs-of", {"target": "message:1/1/out", "open": "card"}, 422, "names no card"),
        ("/v1/pictures/inputs-of", {"target": "message:1/1/out", "view": "ids"}, 422, "whole nodes"),
        ("/v1/pictures/inputs-of", {"target": "message:1/1/out", "limit": 0}, 422, "limit"),
        ("/v1/pictures/inputs-of", {"target": "no:such"}, 404, "no:such"),
        ("/v1/pictures/inputs-of", {"target": "message:1/1/out", "speling": 1}, 422, "speling"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(
    told: TestClient, path: str, params: dict[str, Any], status: int, said: str
) -> None:
    answer = told.get(path, params=params)
    assert answer.status_code == status
    assert said in answer.json()["detail"]


def test_a_picture_is_drawn_once_and_the_oldest_is_forgotten() -> None:
    story = Story()
    story.call("call:1", sees=["doc:a"], says=["report:1"])
    graph = LINEAGE.answer(story.graph(), LINEAGE.read({"target": "report:1"})).graph
    pictures = Pictures(kept=1)
    first = pictures.draw(graph, {}, 10)
    assert pictures.draw(graph, {}, 10) is first
    assert pictures.draw(graph, {}, 9) is not first
    assert pictures.draw(graph, {}, 10) == first
    assert pictures.draw(graph, {}, 10) is not first


def test_a_folded_node_says_how_many_nodes_it_stands_for_and_opens_again(told: TestClient) -> None:
    folded = picture(told, fold="run")
    [run] = [node for node in folded["nodes"] if node["ref"] == "run:1"]
    assert run["folded"] > 0
    opened = picture(told, fold="run", expand="run:1")
    assert not any(node.get("folded") for node in opened["nodes"])
    assert "call:1" in {node["ref"] for node in opened["nodes"]} - {node["ref"] for node in folded["nodes"]}


def test_who_asks_is_told_whose_graph_it_is(told: TestClient) -> None:
    known = told.get("/v1/me").json()
    assert known["tenant"] == "default"
    assert known["open"]
    assert "graph:read" in known["scopes"]
