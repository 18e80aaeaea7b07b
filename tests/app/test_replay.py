"""The bundle that a re-run needs: contents, events, the graph, and a manifest of what is missing."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app import demo
from app.credentials.keys import Grant, Keys
from app.credentials.scopes import Scope
from app.faces.cli import app
from app.faces.cli.outcome import USAGE
from app.faces.cli.outcome import run as run_command
from app.main import open_service
from app.service import Service
from app.settings import read
from provmodel.errors import BadQuestion, NotFound
from tests.app.faces import client_of, service_at

RUN = "run:late-fees"


@pytest.fixture
def told(store_url: str, tmp_path: Path) -> Any:
    with service_at(store_url, tmp_path) as service:
        demo.load(service)
        yield service


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        assert packed.testzip() is None
        return {name: packed.read(name) for name in packed.namelist()}


def kit(service: Service, run: str = RUN) -> dict[str, bytes]:
    return unpacked(b"".join(service.replay(run)))


def needs(files: dict[str, bytes]) -> dict[str, Any]:
    return {need["ref"]: need for need in json.loads(files["manifest.json"])["needs"]}


def test_contents_that_are_there_are_in_it_and_the_manifest_says_what_is_missing(told: Service) -> None:
    files = kit(told)
    found = needs(files)
    [task] = found["message:late-fees/task"]["contents"]
    assert files[task["file"]].decode().startswith("Please report on the late fees of February")
    assert task["size"] == len(files[task["file"]])
    assert found["message:late-fees/complaint"]["state"] == "deleted"
    assert found["tool:ledger"]["state"] == "unpinned"
    assert found["document:newsletter-2019@version:1"]["state"] == "never_captured"
    manifest = json.loads(files["manifest.json"])
    assert manifest["runs"] == [RUN]
    assert manifest["missing"]["deleted"] == 2
    assert manifest["present"] + sum(manifest["missing"].values()) == len(found)


def test_as_many_needs_have_content_in_it_as_the_question_says(told: Service) -> None:
    asked = told.ask("replay-kit", {"target": RUN})
    found = needs(kit(told))
    with_content = [each for each in found.values() if any("file" in one for one in each["contents"])]
    holders = [each for each in found.values() if each["holds"]]
    assert all(each["state"] == "present" and not each["contents"] for each in holders)
    assert len(holders) == asked.answer.graph.holders == 2
    assert len(with_content) == asked.answer.graph.present - 2
    says = f"the content of {len(with_content)} is present, and 2 more are what they hold."
    assert says in " ".join(asked.sentences)


def test_it_holds_the_events_and_the_graph_of_the_run(told: Service) -> None:
    files = kit(told)
    events = [json.loads(line) for line in files["events.ndjson"].splitlines()]
    assert {event["run"] for event in events} == {RUN}
    assert "run_started" in {event["type"] for event in events}
    assert "activity" in json.loads(files["prov.json"])
    assert b"charged twice" not in files["events.ndjson"]  # contents are bodies


def test_two_stores_that_were_told_in_another_order_give_the_same_bytes(tmp_path: Path) -> None:
    events = json.loads(demo.STORY.read_text())
    bundles = []
    for number, order in enumerate((events, events[::-1])):
        service = open_service(read(str(tmp_path / f"{number}.db"), {}))
        service.record([json.dumps(event).encode() for event in order])
        bundles.append(b"".join(service.replay(RUN)))
        service.close()
    assert bundles[0] == bundles[1]


def test_who_may_not_read_contents_gets_none_and_is_told_what_is_hidden(told: Service) -> None:
    files = unpacked(b"".join(told.replay(RUN, contents=False)))
    assert sorted(files) == ["events.ndjson", "manifest.json", "prov.json"]
    found = needs(files)
    assert found["message:late-fees/task"]["state"] == "hidden"
    assert "may not read" in found["message:late-fees/task"]["why"]
    assert found["message:late-fees/complaint"]["state"] == "deleted"
    missing = json.loads(files["manifest.json"])["missing"]
    assert missing["hidden"] > 10


@pytest.mark.parametrize(("run", "error"), [("run:none", NotFound), ("call:plan", BadQuestion)])
def test_what_is_no_run_is_refused_before_the_first_byte(
    told: Service, run: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        next(told.replay(run))


def test_rest_sends_it_as_a_zip_file(told: Service) -> None:
    http: TestClient
    with client_of(told) as http:
        answer = http.get("/v1/export", params={"replay": RUN})
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/zip"
        assert "clew-replay.zip" in answer.headers["content-disposition"]
        assert unpacked(answer.content) == kit(told)
        assert http.get("/v1/export", params={"replay": "run:none"}).status_code == 404
        assert http.get("/v1/export", params={"replay": RUN, "run": RUN}).status_code == 422


def test_the_command_line_writes_it_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    service = open_service(read(str(tmp_path / "demo.db"), {}))
    demo.load(service)
    expected = kit(service)
    service.close()
    assert run_command(app, ["export", "--replay", RUN, "-o", "kit.zip", "--db", "demo.db"]) == 0
    assert unpacked((tmp_path / "kit.zip").read_bytes()) == expected
    assert (
        run_command(app, ["export", "--replay", RUN, "--run", RUN, "-o", "no.zip", "--db", "demo.db"])
        == USAGE
    )
    assert "written whole" in capsys.readouterr().err
    assert not (tmp_path / "no.zip").exists()


def test_an_export_without_the_right_to_read_contents_holds_none(store_url: str, tmp_path: Path) -> None:
    with service_at(store_url, tmp_path) as service:
        demo.load(service)
        keys = Keys(service.ledger)
        rights: list[tuple[list[Scope], bool]] = [(["export"], False), (["export", "content:read"], True)]
        with client_of(service) as http:
            for scopes, contents in rights:
                grant = Grant(name="somebody", scopes=frozenset(scopes))
                key = {"Authorization": f"Bearer {keys.create('default', grant)[0]}"}
                answer = http.get("/v1/export", params={"replay": RUN}, headers=key)
                assert answer.status_code == 200
                assert any(name.startswith("bodies/") for name in unpacked(answer.content)) is contents
