"""The content of the story that ships: one body expired, one was deleted on request, one is on hold and one
was never captured, and every face and both exports tell them apart.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import rdflib

from app import demo
from app.faces.mcp import Tools
from app.service import Service
from tests.app.commands import Clew
from tests.app.faces import client_of, service_at

REPORT = "report:late-fees-february"
EXPIRED, ERASED = "message:late-fees/complaint", "message:late-fees/letter"
PHOTO = "message:late-fees/photo"
HELD = "file:/ledger/february.csv"
WHY = "The complaint about account 4711 is not settled"
BASE = "urn:x-clew:default:"
PROV = rdflib.Namespace("http://www.w3.org/ns/prov#")
CLEW = rdflib.Namespace("urn:x-clew:ns#")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("content")


@pytest.fixture(scope="module")
def told(folder: Path) -> Any:
    with service_at(f"sqlite:///{folder}/clew.db", folder) as service:
        demo.load(service)
        yield service


@pytest.fixture(params=["REST", "command line", "MCP"])
def ask(request: pytest.FixtureRequest, told: Service, folder: Path, clew: Clew) -> Any:
    """Asks about the report by way of one face, and gives the answer and its sentences."""

    def rest(question: str) -> tuple[Any, str]:
        client, path = client_of(told), f"/v1/questions/{question}"
        answer, text = (
            client.get(path, params={"target": REPORT}, headers={"Accept": kind})
            for kind in ("application/json", "text/plain")
        )
        return answer.json(), text.text

    def command_line(question: str) -> tuple[Any, str]:
        words = ("ask", question, "--target", REPORT, "--db", f"{folder}/clew.db")
        return clew(*words, "--json").json, clew(*words, "--text").out

    def mcp(question: str) -> tuple[Any, str]:
        called = Tools(told).call(question, {"target": [REPORT]})
        return called.structured_content, str(called.content[0].text)  # type: ignore[union-attr]

    return {"REST": rest, "command line": command_line, "MCP": mcp}[request.param]


def apart(answer: Any) -> dict[str, tuple[str, ...]]:
    """What an answer marks, and says of now, of each of the four."""
    found = {}
    now = {body["ref"]: body for body in answer["availability"]["bodies"]}
    for node in answer["graph"]["nodes"]:
        thing = node["ref"].partition("@")[0]
        if thing in (EXPIRED, ERASED, PHOTO, HELD):
            marks = {(mark["kind"], mark.get("reason", "")) for mark in node.get("marks", ())}
            body = now.get(node["ref"], {})
            found[thing] = (
                *[word for mark in sorted(marks) for word in mark if word],
                body.get("state", "no body"),
                body.get("hold", ""),
            )
    return found


def test_inputs_of_tells_the_four_apart(ask: Any) -> None:
    answer, text = ask("inputs-of")
    assert apart(answer) == {
        EXPIRED: ("deleted", "expired", "deleted", ""),
        ERASED: ("deleted", "subject_request", "deleted", ""),
        PHOTO: ("never_captured", "no body", ""),
        HELD: ("present", WHY),
    }
    told = " ".join(text.split())
    assert f"2 bodies were deleted ({EXPIRED}: expired, {ERASED}: subject_request)." in told
    assert f"1 has content that was not captured ({PHOTO})." in told
    assert f"({WHY})" in told


def test_expired_inputs_tells_the_four_apart(ask: Any) -> None:
    answer, text = ask("expired-inputs")
    graph = answer["graph"]
    assert (graph["expired"], graph["deleted"], graph["never_captured"]) == ([EXPIRED], [ERASED], [PHOTO])
    held = {each["ref"].partition("@")[0]: each for each in graph["inputs"]}
    assert held[HELD]["state"] == "present"
    assert held[EXPIRED]["bodies"][0]["deletion"]["policy"] == "policy:retention@version:1"
    assert held[ERASED]["bodies"][0]["deletion"]["by"] == "person:data-protection"
    assert apart(answer)[HELD] == ("present", WHY)
    told = " ".join(text.split())
    assert f"{EXPIRED} was deleted on 2026-03-09T11:00:00Z by agent:sweeper" in told
    assert f"{ERASED} was deleted on 2026-03-09T16:00:00Z by person:data-protection (subject_request)" in told
    assert f"Never captured, though it was there: {PHOTO}." in told
    assert f"({WHY})" in told


WAYS: dict[str, dict[str, Any]] = {
    "all": {},
    "a run": {"run": "run:late-fees"},
    "an answer": {"question": "inputs-of", "given": {"target": [REPORT]}},
}


@pytest.mark.parametrize("way", WAYS)
def test_turtle_tells_the_four_apart(told: Service, way: str) -> None:
    graph = rdflib.Graph().parse(data=b"".join(told.export("turtle", **WAYS[way]).chunks), format="turtle")
    reasons = {
        str(graph.value(body, PROV.specializationOf)).removeprefix(BASE): str(
            graph.value(deletion, CLEW.reasonClass)
        )
        for body, deletion in graph.subject_objects(PROV.wasInvalidatedBy)
    }
    assert reasons == {EXPIRED: "expired", ERASED: "subject_request"}
    [erasure] = graph.objects(rdflib.URIRef(f"{BASE}body:letter-4713"), PROV.wasInvalidatedBy)
    assert str(graph.value(erasure, PROV.wasAssociatedWith)) == f"{BASE}person:data-protection"
    [photo] = graph.subjects(CLEW.bodyState, rdflib.Literal("never_captured"))
    assert str(photo) == f"{BASE}{PHOTO}"
    [held] = graph.subjects(CLEW.hold, rdflib.Literal(WHY))
    assert str(graph.value(held, CLEW.holds) or graph.value(held, CLEW.contentOf)).startswith(HELD)


@pytest.mark.parametrize("way", WAYS)
def test_prov_json_tells_the_four_apart(told: Service, way: str) -> None:
    document = json.loads(b"".join(told.export("prov-json", **WAYS[way]).chunks))
    of_body = {
        one["prov:specificEntity"]: one["prov:generalEntity"] for one in document["specializationOf"].values()
    }
    reasons = {
        of_body[one["prov:entity"]]: document["activity"][one["prov:activity"]]["clew:reasonClass"]
        for one in document["wasInvalidatedBy"].values()
    }
    assert {name.partition(":")[2]: reason for name, reason in reasons.items()} == {
        EXPIRED: "expired",
        ERASED: "subject_request",
    }
    said = document["entity"]
    assert [name for name, one in said.items() if one.get("clew:bodyState") == "never_captured"] == [
        next(name for name in said if name.endswith(PHOTO))
    ]
    [held] = [one for one in said.values() if one.get("clew:hold") == WHY]
    assert (held.get("clew:holds") or held["clew:contentOf"]).startswith(HELD)


def test_what_the_hold_keeps_although_its_time_is_up_stays(told: Service) -> None:
    assert told.retention.sweep().deleted == {}
    assert told.retention.sweep().held == 2  # the list of fees, and its name
    assert told.read(HELD).content.startswith(b"account,fee")


def test_a_deleted_body_says_so_in_every_face_that_gives_bodies(told: Service) -> None:
    client = client_of(told)
    for ref, reason in ((EXPIRED, "expired"), (ERASED, "subject_request")):
        answer = client.get("/v1/content", params={"ref": ref})
        assert answer.status_code == 410
        [tombstone] = answer.json()["tombstones"]
        assert (tombstone["reason_class"], tombstone["places"]) == (reason, ["database", "key store"])
    assert client.get("/v1/content", params={"ref": PHOTO}).status_code == 404
