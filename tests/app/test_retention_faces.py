"""Retention over REST, on the command line (here and by ``--url``) and over MCP: one verb behind them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.access import Listing
from app.credentials.keys import Grant, Keys
from app.credentials.scopes import Scope
from app.faces.mcp import Tools
from app.service import Service
from tests.app.commands import Clew
from tests.app.faces import array, client_of, event, service_at

PATH = "/v1/retention/"
DAY = "2026-03-02T09:00:00Z"
TOLD = {"Accept": "text/plain"}
CALL = event(
    1,
    inputs=[
        {"ref": "message:1/a", "body": {"id": "body:a", "text": "the first of the texts"}},
        {"ref": "message:1/b", "body": {"id": "body:b", "text": "another one, which is kept"}},
    ],
)
READS = event(
    2,
    "tool_call",
    run="run:1",
    attempt="attempt:1",
    tool="tool:files",
    outcome="completed",
    reads=[{"ref": "message:1/a"}],
    writes=[{"ref": "report:x@version:1", "mode": "create"}],
)
NAMED = event(3, "artifact_version", ref="document:d@version:1", kind="document", label="The name of it")


@pytest.fixture
def told(http: TestClient) -> TestClient:
    assert http.post("/v1/events", content=array([CALL, READS, NAMED])).json()["counts"]["recorded"] == 3
    return http


def post(client: TestClient, path: str, **form: Any) -> Any:
    answer = client.post(PATH + path, json=form)
    assert answer.status_code == 200, answer.text
    return answer.json()


def get(client: TestClient, path: str, **asked: Any) -> Any:
    answer = client.get(PATH + path, params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_policy_is_put_listed_previewed_swept_and_ended(told: TestClient) -> None:
    put = {"policy": "policy:m", "bodies": "class=message", "keep": "0s", "by": "person:keeper"}
    [one] = post(told, "policies", **put)["policies"]
    assert (one["bodies"], one["keep"], one["by"]) == ("class=message", "0s", "person:keeper")
    found = get(told, "preview")
    assert found["due"] == [{"policy": "policy:m", "class": "message", "bodies": 2, "bytes": 48}]
    assert (found["inputs"], found["names"]) == (["message:1/a", "message:1/b"], [])
    assert found["reports"] == [{"ref": "report:x@version:1", "kind": "report", "input": "message:1/a"}]
    text = " ".join(told.get(PATH + "preview", headers=TOLD).text.split())
    assert "report:x@version:1 could no longer be re-checked: it came from message:1/a." in text
    assert told.get("/v1/content", params={"ref": "message:1/a"}).status_code == 200
    assert post(told, "sweeps")["deleted"] == {"policy:m": 2}
    gone = told.get("/v1/content", params={"ref": "message:1/a"})
    assert (gone.status_code, gone.json()["tombstones"][0]["policy"]) == (410, "policy:m")
    assert told.delete(PATH + "policies", params={"policy": "policy:m"}).json() == {"policies": []}
    assert told.delete(PATH + "policies", params={"policy": "policy:m"}).status_code == 404


def test_a_hold_has_a_reason_and_an_owner_and_beats_a_request(told: TestClient) -> None:
    form = {"hold": "case-7", "target": "message:1/a", "reason": "case 7", "by": "person:counsel"}
    [hold] = post(told, "holds", **form)["holds"]
    assert (hold["reason"], hold["placed_by"]) == ("case 7", "person:counsel")
    asked = {"ref": "message:1/a", "reason_class": "mistake"}
    refused = told.post(PATH + "deletions", json=asked)
    assert (refused.status_code, refused.json()["field"]) == (422, "ref")
    assert get(told, "preview", ref="message:1/a")["held"] == 1
    assert told.delete(PATH + "holds", params={"hold": "case-7"}).json()["holds"] == []
    [lifted] = get(told, "holds", lifted="true")["holds"]
    assert lifted["lifted"] > lifted["placed"]
    assert lifted["lifted_by"] == "service:local"
    [deleted] = post(told, "deletions", **asked)["deleted"]
    assert (deleted["state"], deleted["places"]) == ("done", ["database", "key store"])


def test_a_hold_on_an_end_of_a_name_holds_what_alone_ends_so(told: TestClient) -> None:
    placed = post(told, "holds", hold="case-7", target="1/a", reason="case 7")
    assert ([one["target"] for one in placed["holds"]], placed["unknown"]) == (["message:1/a"], [])
    refused = told.post(PATH + "deletions", json={"ref": "message:1/a", "reason_class": "mistake"})
    assert refused.status_code == 422
    by_body = post(told, "holds", hold="case-8", target="body:b", reason="case 8")
    assert by_body["unknown"] == []


def test_a_hold_on_what_is_not_there_says_so_and_holds_what_comes_later(told: TestClient) -> None:
    placed = post(told, "holds", hold="case-9", target="message:9/z", reason="case 9")
    assert placed["unknown"] == ["case-9"]
    words = told.get(PATH + "holds", headers=TOLD).text
    assert "Nothing is recorded under the name message:9/z: case-9 holds what comes later." in " ".join(
        words.split()
    )
    body = {"id": "body:z", "text": "it came later"}
    told.post("/v1/events", content=array([event(9, inputs=[{"ref": "message:9/z", "body": body}])]))
    assert get(told, "holds")["unknown"] == []
    asked = {"ref": "message:9/z", "reason_class": "mistake"}
    assert told.post(PATH + "deletions", json=asked).status_code == 422


def test_what_a_request_would_take_is_looked_at_before(told: TestClient) -> None:
    found = get(told, "preview", ref="message:1/a")
    assert [(due["policy"], due["bodies"]) for due in found["due"]] == [("", 1)]
    assert [one["ref"] for one in found["reports"]] == ["report:x@version:1"]
    post(told, "deletions", ref="message:1/a", reason_class="subject_request", reason="asked on 3 March")
    assert told.get(PATH + "preview", params={"ref": "message:1/a"}).status_code == 410
    assert told.get(PATH + "preview", params={"ref": "message:1/never"}).status_code == 404


def test_a_hold_on_a_thing_keeps_the_name_of_its_versions(told: TestClient) -> None:
    post(told, "holds", hold="case-8", target="document:d", reason="case 8")
    assert told.post(PATH + "erasures", json={"ref": "document:d@version:1"}).status_code == 422
    told.delete(PATH + "holds", params={"hold": "case-8"})
    [erased] = post(told, "erasures", ref="document:d@version:1")["deleted"]
    assert (erased["state"], erased["places"]) == ("done", ["database", "key store", "search index"])


def test_the_states_requested_and_done_are_told_with_place_and_backup(
    told: TestClient, service: Service, tmp_path: Path
) -> None:
    service.retention.place_hold("case-7", "body:b", "case 7", "person:counsel")
    service.ledger.backup(tmp_path / "copy.db", "2027-01-31")
    deletions = [
        event(n, "content_deleted", body=f"body:{name}", reason_class="court_order", done=DAY)
        for n, name in ((8, "a"), (9, "b"))
    ]
    told.post("/v1/events", content=array(deletions))
    found = get(told, "deletions")
    states = {one["body"]: one["state"] for one in found["deletions"]}
    assert (found["total"], states) == (2, {"body:a": "done", "body:b": "requested"})
    [waits] = get(told, "deletions", state="requested")["deletions"]
    assert "kept until 2027-01-31" in waits["backups"][0]
    first = get(told, "deletions", limit=1)
    second = get(told, "deletions", limit=1, cursor=first["cursor"])
    assert [one["deletions"][0]["body"] for one in (first, second)] == ["body:a", "body:b"]
    assert second["cursor"] == ""
    assert (
        told.get(PATH + "deletions", params={"cursor": first["cursor"], "state": "done"}).status_code == 422
    )


@pytest.mark.parametrize(
    ("path", "form", "field"),
    [
        ("policies", {"policy": "policy:m", "bodies": "colour=red", "keep": "1d"}, "bodies"),
        ("policies", {"policy": "policy:m", "bodies": "all", "keep": "soon"}, "keep"),
        ("policies", {"policy": "", "bodies": "all", "keep": "1d"}, "policy"),
        ("holds", {"hold": "h", "target": "message:1/a", "reason": ""}, "reason"),
        ("holds", {"hold": "h", "target": "message:1/a", "reason": "r", "owner": "ann"}, "owner"),
        ("deletions", {"ref": "message:1/a", "reason_class": "because"}, "reason_class"),
        ("sweeps", {"policy": "policy:m"}, "policy"),
    ],
)
def test_what_can_not_be_done_names_the_field(
    told: TestClient, path: str, form: dict[str, str], field: str
) -> None:
    answer = told.post(PATH + path, json=form)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert told.get("/v1/content", params={"ref": "message:1/a"}).status_code == 200


def test_what_is_no_form_is_refused(told: TestClient) -> None:
    assert told.post(PATH + "deletions", content=b"{").status_code == 400
    assert told.post(PATH + "deletions", content=b"[]").status_code == 400
    kind = {"Content-Type": "text/csv"}
    assert told.post(PATH + "deletions", content=b"{}", headers=kind).status_code == 415
    assert told.post(PATH + "sweeps?all=true", content=b"{}").status_code == 422


def test_only_who_manages_retention_may_and_it_is_recorded_who_did(tmp_path: Path) -> None:
    with service_at(f"sqlite:///{tmp_path}/clew.db", tmp_path) as service:
        client, keys = client_of(service), Keys(service.ledger)

        def signed(name: str, *scopes: Scope) -> dict[str, str]:
            secret, _ = keys.create("default", Grant(name=name, scopes=frozenset(scopes)))
            return {"Authorization": f"Bearer {secret}"}

        keeper, reader = signed("keeper", "retention:manage"), signed("reader", "graph:read")
        form = {"policy": "policy:m", "bodies": "all", "keep": "1d"}
        assert client.post(PATH + "policies", json=form, headers=reader).status_code == 403
        assert client.get(PATH + "preview").status_code == 401
        [policy] = client.post(PATH + "policies", json=form, headers=keeper).json()["policies"]
        assert policy["by"] == "service:keeper"
        done = service.who_read(Listing(verb="policy")).accesses
        assert [(one.principal, one.target) for one in done] == [("keeper", "policy:m")]


Ask = Callable[..., Any]


@pytest.fixture(params=["--db", "--url"])
def keeps(request: pytest.FixtureRequest, clew: Clew, tmp_path: Path) -> Ask:
    """Runs ``clew retention``, in place or by way of a server."""
    (tmp_path / "events.json").write_text(json.dumps([CALL, READS, NAMED]))
    assert clew("ingest", "events.json").code == 0
    where = ["--url", request.getfixturevalue("server")] if request.param == "--url" else []
    return lambda *words: clew("retention", *words, *where)


def test_the_command_line_does_the_same_here_and_on_a_server(keeps: Ask) -> None:
    put = keeps("put", "policy:m", "class=message", "5y", "--json").json
    assert put["policies"][0]["keep"] == "5y"
    assert "are kept for 5 years" in keeps("policies", "--text").out
    assert keeps("hold", "case-7", "message:1/b", "--reason", "case 7").code == 0
    assert "case 7" in keeps("holds").out
    assert "Nothing would be deleted now." in keeps("preview").out
    looked = keeps("preview", "message:1/a").out
    assert "report:x@version:1" in looked
    assert "Could no longer be re-checked" in looked
    assert keeps("delete", "message:1/b", "--why", "mistake").code == 3
    done = keeps("delete", "message:1/a", "--why", "mistake", "--reason", "sent twice")
    assert "body:a is deleted: gone from database, key store." in done.out
    assert "Nothing was due." in keeps("sweep").out
    assert "1 deletion" in keeps("deletions", "--state", "done").out
    assert keeps("lift", "case-7").code == keeps("end", "policy:m").code == 0
    assert keeps("end", "policy:m").code == 3
    assert keeps("put", "policy:m", "all", "soon").code == 3


def test_over_mcp_retention_is_looked_at_and_nothing_is_deleted(told: TestClient, service: Service) -> None:
    post(told, "policies", policy="policy:m", bodies="class=message", keep="0s")
    tools = Tools(service)
    found = tools.call("retention-preview", {})
    assert found.structured_content == get(told, "preview")
    assert tools.call("retention-preview", {"ref": "message:1/a"}).structured_content["due"][0]["bodies"] == 1
    for name in ("policies", "holds", "deletions"):
        assert tools.call(f"retention-{name}", {}).structured_content == get(told, name)
    assert tools.call("retention-sweep", {}).is_error
