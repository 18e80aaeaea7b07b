"""GET /vocabulary, and what an exported answer says of itself in its terms."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import rdflib
from starlette.testclient import TestClient

from provmodel import formats
from tests.app.faces import array, client_of, event, service_at

CLEW = rdflib.Namespace("urn:x-clew:ns#")
ABOUT = "urn:x-clew:default;about:"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("vocabulary")
    with service_at(f"sqlite:///{folder}/clew.db", folder) as service:
        client = client_of(service)
        client.post("/v1/events", content=array([event(1)]))
        yield client


def test_the_server_gives_its_terms_as_turtle(told: TestClient) -> None:
    answer = told.get("/vocabulary", headers={"Accept": "text/turtle, */*;q=0.1"})
    assert answer.headers["content-type"] == "text/turtle; charset=utf-8"
    graph = rdflib.Graph().parse(data=answer.text, format="turtle")
    for name in ("Assertion", "Gap", "Deletion", "Retraction", "evidence", "digest"):
        assert graph.value(CLEW[name], rdflib.RDFS.comment), name
    assert told.get("/vocabulary").content == answer.content


def test_the_page_is_given_to_who_reads_text(told: TestClient) -> None:
    answer = told.get("/vocabulary", headers={"Accept": "text/markdown"})
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "| `clew:evidence` |" in answer.text
    assert told.get("/vocabulary", headers={"Accept": "image/png"}).status_code == 406


def test_an_exported_answer_says_how_far_it_goes(told: TestClient) -> None:
    params = {"question": "inputs-of", "target": "message:1/1/out", "format": "turtle"}
    graph = rdflib.Graph().parse(data=told.get("/v1/export", params=params).text, format="turtle")
    answer = told.get("/v1/questions/inputs-of", params={"target": "message:1/1/out"}).json()["graph"]
    [said] = graph.subjects(rdflib.RDF.type, CLEW.Answer)
    assert said == rdflib.URIRef(ABOUT + "answer")
    assert str(graph.value(said, CLEW.complete)) == str(answer["complete"]).lower()
    assert str(graph.value(said, CLEW.question)) == "inputs-of"
    gaps = {
        str(graph.value(gap, CLEW.gapKind)): (
            int(str(graph.value(gap, CLEW["count"]))),
            str(graph.value(gap, CLEW.example)),
        )
        for gap in graph.subjects(rdflib.RDF.type, CLEW.Gap)
    }
    assert gaps == {gap["kind"]: (gap["count"], gap["example"]) for gap in answer["gaps"]}
    assert gaps


@pytest.mark.parametrize("form", [name for name in formats.writable() if formats.documents()[name].read])
def test_every_format_says_it(told: TestClient, form: str) -> None:
    params = {"question": "inputs-of", "target": "message:1/1/out", "format": form}
    document = formats.read(told.get("/v1/export", params=params).content, form)
    names = {one.id for one in document.main.statements}
    assert f"{ABOUT}answer" in names
    assert any(name and name.startswith(f"{ABOUT}gap/") for name in names)


def test_an_export_of_all_is_no_answer(told: TestClient) -> None:
    assert "clew:Answer" not in told.get("/v1/export").text
