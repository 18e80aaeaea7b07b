"""GET /v1/export: every format, by name and by the Accept header; what a format can't hold is told."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.faces.http.negotiating import chosen
from app.faces.http.problems import Unacceptable
from provmodel import formats
from provmodel.comparing import difference
from tests.app.faces import array, client_of, event, service_at
from tests.needs import missing

NAMES = list(formats.writable())
OFFERED = {
    "application/json": "prov-json",
    "text/turtle": "turtle",
    "text/csv": "csv",
    "image/svg+xml": "svg",
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("export")
    with service_at(f"sqlite:///{folder}/clew.db", folder) as service:
        client = client_of(service)
        client.post("/v1/events", content=array([event(1), event(2, run="run:2")]))
        yield client


def name_of(form: str) -> str:
    if form == "svg" and shutil.which("dot") is None:
        missing("Graphviz is not installed")
    return form


@pytest.mark.parametrize("form", NAMES)
def test_every_format_is_given_by_its_name_and_by_each_of_its_media_types(
    told: TestClient, form: str
) -> None:
    named = told.get("/v1/export", params={"format": name_of(form)})
    assert named.status_code == 200
    found = formats.by_name(form)
    assert named.headers["content-type"].partition(";")[0] == found.media_types[0]
    assert named.headers["content-disposition"] == f'attachment; filename="clew{found.endings[0]}"'
    for kind in found.media_types:
        asked = told.get("/v1/export", headers={"Accept": f"text/plain;q=0.3, {kind}"})
        assert asked.content == named.content
        assert asked.headers["vary"] == "Accept"


@pytest.mark.parametrize("form", [name for name in NAMES if formats.documents()[name].read])
def test_every_format_that_can_be_read_says_the_same(told: TestClient, form: str) -> None:
    first = formats.read(told.get("/v1/export?format=prov-json").content, "prov-json")
    other = formats.read(told.get("/v1/export", params={"format": form}).content, form)
    assert not difference(first, other)


def test_what_a_format_can_not_hold_is_told_in_headers(told: TestClient) -> None:
    answer = told.get("/v1/export?format=graphml")
    losses = json.loads(answer.headers["x-clew-lost"])
    assert len(losses) == int(answer.headers["x-clew-losses"])
    assert {"where", "what", "why"} == losses[0].keys()
    assert "x-clew-losses" not in told.get("/v1/export?format=prov-json").headers


def test_a_run_and_an_answer_are_given_in_any_format(told: TestClient) -> None:
    run = told.get("/v1/export", params={"format": "provn", "run": "run:2"})
    assert rb"call\:2" in run.content
    assert rb"call\:1" not in run.content
    question = {"question": "inputs-of", "target": "message:1/1/out", "format": "csv"}
    assert "message:1/1/in" in told.get("/v1/export", params=question).text


def test_what_nobody_offers_is_406_and_names_what_there_is(told: TestClient) -> None:
    answer = told.get("/v1/export", headers={"Accept": "image/png"})
    assert answer.status_code == 406
    assert "text/turtle" in answer.json()["near"]
    assert "application/trig" in answer.json()["detail"]


def test_without_graphviz_a_picture_is_501_and_says_what_to_install(
    told: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = told.get("/v1/export?format=svg")
    assert answer.status_code == 501
    assert "install Graphviz" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("", "prov-json"),
        ("*/*", "prov-json"),
        ("text/*", "turtle"),
        ("text/turtle;q=0.5, text/csv", "csv"),
        ("text/*;q=0.9, text/csv;q=0.1", "turtle"),
        ("application/json;q=0, */*;q=0.1", "turtle"),
        ("TEXT/CSV; charset=utf-8", "csv"),
        ("nonsense, , text/csv", "csv"),
        ("image/svg+xml;q=1.000, */*;q=0.999", "svg"),
    ],
)
def test_the_accept_header_is_read_as_rfc_9110_has_it(accept: str, form: str) -> None:
    assert chosen(accept, OFFERED) == form


@pytest.mark.parametrize("accept", ["image/png", "text/csv;q=0", "nonsense"])
def test_a_header_that_likes_nothing_is_told_what_there_is(accept: str) -> None:
    with pytest.raises(Unacceptable, match="text/turtle"):
        chosen(accept, OFFERED)


def test_an_export_of_an_answer_leaves_out_what_its_reader_hides(told: TestClient) -> None:
    asked = {"question": "inputs-of", "target": "message:1/1/out", "format": "prov-json"}
    whole = told.get("/v1/export", params=asked).json()
    without = told.get("/v1/export", params={**asked, "hide": ["agent"]}).json()
    assert whole["wasAssociatedWith"]
    assert "wasAssociatedWith" not in without
    assert without["used"] == whole["used"]
    assert "used" not in told.get("/v1/export", params={**asked, "hide": ["observed", "agent"]}).json()
