"""PROV documents over REST and on the command line."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.faces.cli import app
from app.faces.cli.outcome import run
from app.faces.http.intake import Intake
from app.limits import Limits
from app.service import Service
from provmodel import formats
from tests.app.documents import CASES, EX, case
from tests.app.faces import client_of, event, service_at

PROVN = "text/provenance-notation"
SURVEY = f"document\nprefix ex <{EX}>\nwasDerivedFrom(ex:report, ex:answers)\nendDocument\n".encode()


def post(client: TestClient, data: bytes, kind: str = "", **more: str) -> Any:
    headers = {"Content-Type": kind} if kind else {}
    return client.post("/v1/documents", content=data, params=more, headers=headers)


def test_a_document_is_taken_listed_asked_and_given_back(both: TestClient) -> None:
    reply = post(both, SURVEY, PROVN, name="survey")
    assert reply.status_code == 200
    done = reply.json()
    assert (done["status"], done["document"], done["seq"]) == ("recorded", "survey", 1)
    assert (done["relations"], done["evidence"], done["format"]) == (1, {"declared": 1}, "prov-n")
    [entry] = both.get("/v1/documents").json()["documents"]
    assert {name: entry[name] for name in ("document", "ref", "sha256", "seq", "submitter")} == {
        "document": "survey", "ref": done["ref"], "sha256": done["sha256"], "seq": 1, "submitter": "local",
    }  # fmt: skip
    answer = both.get("/v1/questions/inputs-of", params={"target": f"{EX}report"}).json()
    assert f"<{EX}answers>" in {node["ref"] for node in answer["graph"]["nodes"]}
    given = both.get("/v1/export", params={"document": "survey"}, headers={"Accept": PROVN})
    assert given.headers["content-type"].startswith(PROVN)
    assert "wasDerivedFrom(ex:report, ex:answers)" in given.text
    assert both.get("/v1/export", params={"document": "other"}).status_code == 404


def test_the_same_again_is_a_duplicate_and_other_bytes_a_conflict(both: TestClient) -> None:
    assert post(both, SURVEY, name="survey").json()["status"] == "recorded"
    assert post(both, SURVEY, name="survey").json()["status"] == "duplicate"
    assert post(both, SURVEY).json()["document"] == "survey"
    other = post(both, SURVEY.replace(b"answers", b"letters"), name="survey")
    assert (other.status_code, other.json()["seq"], other.json()["first_seq"]) == (409, 2, 1)
    assert [one["conflict"] for one in both.get("/v1/documents").json()["documents"]] == [True, True]
    ambiguous = both.get("/v1/export", params={"document": "survey"})
    assert (ambiguous.status_code, ambiguous.json()["field"]) == (422, "document")


def test_a_page_of_documents_goes_on_where_the_one_before_ended(both: TestClient) -> None:
    for number in range(5):
        post(both, SURVEY, name=f"d{number}")
    found, cursor = [], ""
    while True:
        page = both.get("/v1/documents", params={"limit": 2, "cursor": cursor}).json()
        assert page["total"] == 5
        found += [one["document"] for one in page["documents"]]
        cursor = page["cursor"]
        if not cursor:
            break
    assert found == [f"d{number}" for number in range(5)]


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/octet-stream", "application/x-www-form-urlencoded", PROVN, "a/b"]
)
def test_a_content_type_that_says_nothing_leaves_it_to_looking(http: TestClient, kind: str) -> None:
    assert post(http, SURVEY, kind).json()["format"] == "prov-n"


def test_the_format_may_be_named(http: TestClient) -> None:
    assert post(http, b"{}", "application/json").json()["format"] == "prov-json"
    assert post(http, b"{}", format="prov-json").json()["status"] == "duplicate"
    assert post(http, b"{}", format="prov-z").status_code == 422
    assert post(http, b"{}", nothing="x").status_code == 422


def test_a_compressed_document_is_inflated_within_the_limit(service: Service) -> None:
    with client_of(service, Intake(Limits(request_bytes=10_000))) as http:
        headers = {"Content-Encoding": "gzip", "Content-Type": PROVN}
        reply = http.post("/v1/documents", content=gzip.compress(SURVEY), headers=headers)
        assert reply.json()["status"] == "recorded"
        bomb = gzip.compress(SURVEY + b" " * 1_000_000)
        assert http.post("/v1/documents", content=bomb, headers=headers).status_code == 413


def test_a_cap_is_told_and_a_word_that_is_none_refused(http: TestClient) -> None:
    claim = b'{"prefix":{"ex":"http://example.org/","clew":"urn:x-clew:ns#"},"used":{"ex:u":{"prov:activity":"ex:a",'
    claim += b'"prov:entity":"ex:e","clew:evidence":"verified"}}}'
    assert post(http, claim, evidence_cap="certain").status_code == 422
    done = post(http, claim, evidence_cap="observed").json()
    assert (done["evidence"], done["capped"]) == ({"observed": 1}, {"verified to observed": 1})


MALFORMED = [
    ("053", "input.json", 422, "/used/_:u"),
    ("063", "input-5.json", 422, "/entity/ex:e/ex:v"),
    ("064", "input-4.json", 400, "line 1"),
    ("069", "input.xml", 400, "line 2"),
    ("081", "input.provn", 400, "line 3"),
]


@pytest.mark.parametrize(("number", "name", "status", "where"), MALFORMED)
def test_what_is_no_document_is_refused_with_its_place(
    http: TestClient, number: str, name: str, status: int, where: str
) -> None:
    reply = post(http, case(number, name).data, "application/json" if name.endswith("json") else "")
    assert reply.status_code == status
    assert reply.json()["field"].startswith(where)
    assert reply.json()["remedy"]
    assert http.get("/v1/events").json()["total"] == 0
    assert http.get("/v1/nodes").json()["total"] == 0


@pytest.mark.parametrize("kind", ["", "text/plain", "application/json", "application/xml", PROVN])
def test_no_bytes_are_no_document(http: TestClient, kind: str) -> None:
    for data in (b"", b" \n"):
        assert post(http, data, kind).status_code == 400
    assert http.get("/v1/events").json()["total"] == 0


@pytest.mark.parametrize("kind", ["text/turtle", "application/trig", "application/n-quads"])
def test_no_bytes_are_an_empty_document_where_the_format_says_so_and_that_is_remarked(
    http: TestClient, kind: str
) -> None:
    """Case 064."""
    done = post(http, b"", kind).json()
    assert (done["status"], done["statements"]) == ("recorded", 0)
    assert [one["what"] for one in done["remarks"]] == [formats.NOTHING]
    assert post(http, b"# empty\n", kind).json()["remarks"] == []


HOSTILE = [
    b"",
    b"\xff\xfe\x00",
    b"\x00" * 1000,
    b"[" * 100_000,
    b"{" * 100_000,
    b'{"a":' * 50_000,
    b"<" * 100_000,
    b"<a>" * 50_000,
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    b"document\n" + b"entity(" * 50_000,
    b"document\n" + b"x:y({" * 20_000,
    b"@prefix a: <b> ." * 10_000,
    b'{"@context":"http://localhost:1/evil.jsonld","@graph":[]}',
    b'{"@graph":' * 10_000,
    b'{"entity":{"ex:e":{}}}',
    b'{"prefix":{"ex":"file:///etc/passwd#"},"entity":{"ex:e":{"ex:v":{"$":1e999}}}}',
    b'{"entity":{"prov:e":{"prov:label":"\\ud800"}}}',
    b"_:a <http://www.w3.org/ns/prov#used> <file:///etc/passwd> .\n" * 2000,
    b"MZ\x90\x00\x03",
    b"%PDF-1.7",
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_comes_is_answered_by_the_rules(http: TestClient, data: bytes) -> None:
    before = http.get("/v1/events").json()["total"]
    for kind in ("", "application/json", "application/xml", PROVN, "text/turtle"):
        reply = post(http, data, kind)
        assert reply.status_code < 500, reply.text
        if reply.status_code != 200:
            assert reply.headers["content-type"] == "application/problem+json"
            assert http.get("/v1/events").json()["total"] == before
        else:
            before = 1


def test_documents_of_many_at_once_are_each_taken_once(service: Service) -> None:
    with client_of(service) as http:
        replies: list[str] = []

        def send() -> None:
            replies.append(post(http, SURVEY).json()["status"])

        threads = [threading.Thread(target=send) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(replies) == ["duplicate"] * 5 + ["recorded"]
        assert http.get("/v1/documents").json()["total"] == 1


def test_no_producer_can_report_that_a_document_came(http: TestClient) -> None:
    forged = event(
        1, "document_submitted", sha256="0" * 64, size=1, format="prov-n", base="x:", content_sha256="0" * 64
    )
    assert http.post("/v1/events", json=forged).status_code == 422


def test_the_description_of_the_address_names_parameters_and_media_types(http: TestClient) -> None:
    operation = http.get("/openapi.json").json()["paths"]["/v1/documents"]["post"]
    assert {one["name"] for one in operation["parameters"]} >= {"name", "evidence_cap"}
    assert "application/trig" in operation["requestBody"]["content"]


# On the command line


Clew = Callable[..., tuple[int, str, str]]


@pytest.fixture
def clew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Clew:
    """Runs a command in an empty folder that has the survey in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.provn").write_bytes(SURVEY)

    def command(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = run(app, list(arguments))
        said = capfd.readouterr()
        return code, said.out, said.err

    return command


def test_documents_events_and_traces_are_told_apart_by_looking(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "events.ndjson").write_text(json.dumps(event(1)) + "\n" + json.dumps(event(2)))
    # an event about things that PROV has a word for
    odd = event(3, inputs=[{"ref": "message:1", "body": {"json": {"entity": {"ex:e": {}}, "used": [1]}}}])
    (tmp_path / "odd.json").write_text(json.dumps(odd))
    stated = str(CASES / "051-undeclared-references" / "input.json")
    files = ["survey.provn", "events.ndjson", "odd.json", stated]
    code, out, err = clew("ingest", *files, "--db", "a.db", "--json")
    told = json.loads(out)
    assert code == 0, err
    assert [one["format"] for one in told["documents"]] == ["prov-n", "prov-json"]
    assert told["counts"]["recorded"] == 5


def test_a_document_goes_in_and_comes_out_the_same(clew: Clew) -> None:
    code, out, _ = clew("ingest", "survey.provn", "--name", "survey", "--db", "a.db")
    assert (code, "recorded, 1 relation; 1 declared" in out) == (0, True)
    assert clew("export", "--document", "survey", "-o", "back.ttl", "--db", "a.db")[0] == 0
    assert clew("diff", "survey.provn", "back.ttl")[0] == 0
    code, out, _ = clew("documents", "--db", "a.db")
    assert out.startswith("document:survey@sha256:")
    assert json.loads(clew("documents", "--db", "a.db", "--json")[1])["total"] == 1
    code, _, err = clew("export", "--document", "nothing", "--db", "a.db")
    assert (code, "survey" in err) == (3, True)


def test_what_is_refused_ends_with_3_and_says_where(clew: Clew) -> None:
    bad = str(CASES / "053-missing-endpoints" / "input.json")
    code, out, err = clew("ingest", bad, "survey.provn", "--db", "a.db")
    assert code == 3
    assert "/used/_:u" in err
    assert "1 recorded, 1 refused" in out
    assert clew("ingest", "survey.provn", bad, "--name", "x", "--db", "a.db")[0] == 3


def test_each_document_of_a_ledger_is_judged_by_itself(clew: Clew) -> None:
    clew("ingest", "survey.provn", str(CASES / "054-entity-is-activity" / "input.json"), "--db", "a.db")
    code, out, _ = clew("validate", "--db", "a.db", "--json")
    told = [json.loads(line) for line in out.splitlines()]
    assert code == 2
    assert [one["valid"] for one in told] == [False, True, False]
    assert told[1]["file"].startswith("document:")


def test_a_conflict_is_told_by_the_exit_code(clew: Clew, tmp_path: Path) -> None:
    assert clew("ingest", "survey.provn", "--name", "s")[0] == 0
    (tmp_path / "survey.provn").write_bytes(SURVEY.replace(b"answers", b"letters"))
    assert clew("ingest", "survey.provn", "--name", "s")[0] == 2
    for number in (1, 2):
        (tmp_path / "e.json").write_text(json.dumps(event(1, model=f"m-{number}")))
        assert clew("ingest", "e.json")[0] == 2 * (number - 1)


def test_a_server_takes_documents_as_a_ledger_does(
    clew: Clew, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service_at(f"sqlite:///{tmp_path / 'b.db'}", tmp_path) as service, client_of(service) as http:
        served(http, monkeypatch)
        named = ("ingest", "survey.provn", "--name", "s")
        code, out, _ = clew(*named, "--evidence-cap", "inferred", "--url", "http://x")
        assert code == 0
        assert "recorded, 1 relation; 1 inferred" in out
        (tmp_path / "survey.provn").write_bytes(SURVEY.replace(b"answers", b"letters"))
        again = clew(*named, "--url", "http://x")
        assert again[0] == 2
        assert "1 conflict" in again[1]
        bad = str(CASES / "053-missing-endpoints" / "input.json")
        assert clew("ingest", bad, "--url", "http://x")[0] == 3
        assert clew("documents", "--url", "http://x")[1].count("document:s@sha256:") == 2
        (tmp_path / "e.json").write_text(json.dumps(event(1)))
        assert clew("ingest", "e.json", "--evidence-cap", "declared", "--url", "http://x")[0] == 3


def served(http: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line reach this server in place of one at an address."""
    from app.faces.cli import remote

    def send(_: remote.Server, request: Any, heard: Any = None) -> Iterator[bytes]:
        path = request.full_url.removeprefix("http://x")
        reply = http.request(request.get_method(), path, content=request.data, headers=dict(request.headers))
        if reply.status_code >= 400:
            found = reply.json()
            raise remote.Remote(found["detail"], reply.status_code, found)
        if heard:
            heard(reply.headers)
        yield reply.content

    monkeypatch.setattr(remote.Server, "_send", send)
