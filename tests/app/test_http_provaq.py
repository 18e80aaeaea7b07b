"""PROV-AQ: where provenance is found, direct queries, and pingbacks, as other tools use them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyoxigraph
import pytest
import rdflib
from starlette.testclient import TestClient

from app.faces.http import linking
from app.service import Service
from provmodel import formats
from provmodel.errors import Unreadable
from tests.app.faces import array, client_of, event, service_at

PROV = rdflib.Namespace("http://www.w3.org/ns/prov#")
BASE = "urn:x-clew:default:"
OUT = f"{BASE}message:1/1/out"
URI_LIST = {"Content-Type": "text/uri-list"}
ELSEWHERE = "https://example.org/provenance/of/report"
BODY = {"id": "b:1", "media_type": "text/plain", "text": "secret"}


@pytest.fixture(name="http")
def http_of(store_url: str, tmp_path: Path) -> Iterator[TestClient]:
    """A server that was told of two calls."""
    with service_at(store_url, tmp_path) as service:
        yield told(service)


@pytest.fixture(scope="module")
def read(kept: Service) -> TestClient:
    """The same, for tests that only read or are refused."""
    return told(kept)


def told(service: Service) -> TestClient:
    client = client_of(service)
    inputs = [{"ref": "message:1/1/in", "body": BODY}]
    client.post("/v1/events", content=array([event(1, inputs=inputs), event(2)]))
    return client


def links(header: str) -> dict[str, tuple[str, str]]:
    """The links of a header by their relations: where each leads, and its anchor."""
    return {name: (link.uri, link.anchor) for link in linking.read([header]) for name in link.relations}


# --- finding provenance ---


@pytest.mark.parametrize(
    ("path", "iri"),
    [("/v1/nodes?ref=message:1/1/out", OUT), ("/v1/content?ref=message:1/1/in", f"{BASE}message:1/1/in")],
)
def test_a_node_and_its_content_say_where_their_provenance_is(http: TestClient, path: str, iri: str) -> None:
    found = links(http.get(path).headers["link"])
    assert {anchor for _, anchor in found.values()} == {iri}
    assert set(found) == {str(PROV.has_provenance), str(PROV.has_query_service), str(PROV.pingback)}
    provenance = http.get(found[str(PROV.has_provenance)][0])
    assert provenance.status_code == 200
    assert iri in provenance.text.replace("t:", BASE)
    assert http.get(found[str(PROV.has_query_service)][0]).status_code == 200
    assert http.post(found[str(PROV.pingback)][0], content=ELSEWHERE, headers=URI_LIST).status_code == 204


def test_the_headers_alone_say_so_too(read: TestClient) -> None:
    for path in ("/v1/nodes?ref=message:1/1/out", f"/prov/query?target={OUT}"):
        answer = read.head(path)
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["link"] == read.get(path).headers["link"]
    assert read.head("/prov/query?target=nothing").status_code == 404
    assert read.head("/v1/traces").status_code == 405


def test_the_page_says_where_to_ask(read: TestClient) -> None:
    found = re.search(r'<link rel="([^"]+)" href="(/prov/[^"]+)">', read.get("/").text)
    assert found
    assert found.groups() == (str(PROV.has_query_service), "/prov/service")


def test_a_header_holds_any_reference(http: TestClient) -> None:
    odd = 'file:/é "x",<y>;z\u2028?a=1&b#c'
    http.post("/v1/events", content=array([event(3, outputs=[{"ref": odd}])]))
    [node] = http.get("/v1/nodes", params={"ref": odd}).json()["nodes"]
    header = http.get("/v1/nodes", params={"ref": odd}).headers["link"]
    assert header.isascii()
    uri, anchor = links(header)[str(PROV.has_provenance)]
    assert unquote(anchor) == unquote(BASE + node["ref"])
    assert http.get(uri).status_code == 200


# --- the service ---


def described(text: str, kind: str) -> rdflib.Graph:
    form = pyoxigraph.RdfFormat.from_media_type(kind)
    triples = pyoxigraph.parse(text, form, base_iri="http://testserver/prov/service")
    flat = pyoxigraph.serialize((quad.triple for quad in triples), format=pyoxigraph.RdfFormat.N_TRIPLES)
    assert flat
    return rdflib.Graph().parse(data=flat, format="nt")


@pytest.mark.parametrize("accept", ["", "text/turtle", "application/ld+json"])
def test_the_service_describes_itself(read: TestClient, accept: str) -> None:
    answer = read.get("/prov/service", headers={"Accept": accept})
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind == (accept or "text/turtle")
    graph = described(answer.text, kind)
    [description] = graph.subjects(rdflib.RDF.type, PROV.ServiceDescription)
    [direct] = graph.objects(description, PROV.describesService)
    assert (direct, rdflib.RDF.type, PROV.DirectQueryService) in graph
    [template] = graph.objects(direct, PROV.provenanceUriTemplate)
    assert str(template) == "http://testserver/prov/query?target={uri}"
    expanded = str(template).replace("{uri}", "urn%3Ax-clew%3Adefault%3Amessage%3A1%2F1%2Fout")
    assert read.get(expanded).status_code == 200


def test_a_description_that_nobody_offers_is_406(read: TestClient) -> None:
    answer = read.get("/prov/service", headers={"Accept": "text/html"})
    assert answer.status_code == 406
    assert answer.json()["near"] == ["text/turtle", "application/ld+json"]


# --- direct queries ---


@pytest.mark.parametrize("target", [OUT, "message:1/1/out", f"<{OUT}>"])
def test_a_query_gives_what_led_to_a_node(read: TestClient, target: str) -> None:
    answer = read.get("/prov/query", params={"target": target}, headers={"Accept": "text/turtle"})
    assert answer.headers["content-type"].startswith("text/turtle")
    graph = rdflib.Graph().parse(data=answer.text, format="turtle")
    assert (rdflib.URIRef(OUT), PROV.wasGeneratedBy, rdflib.URIRef(f"{BASE}call:1")) in graph
    assert (rdflib.URIRef(f"{BASE}call:1"), PROV.used, rdflib.URIRef(f"{BASE}message:1/1/in")) in graph
    assert f"{BASE}call:2" not in answer.text
    assert answer.headers["x-clew-truncated"] == "false"


@pytest.mark.parametrize("form", [name for name in formats.writable() if name != "svg"])
def test_a_query_is_answered_in_every_format(read: TestClient, form: str) -> None:
    kind = formats.by_name(form).media_types[0]
    answer = read.get("/prov/query", params={"target": OUT}, headers={"Accept": kind})
    assert answer.status_code == 200
    assert answer.headers["content-type"].partition(";")[0] == kind
    named = read.get("/prov/query", params={"target": OUT, "format": form})
    assert named.content == answer.content


def test_a_cut_answer_says_so(read: TestClient) -> None:
    answer = read.get("/prov/query", params={"target": OUT, "max_nodes": "1"})
    assert answer.headers["x-clew-truncated"] == "true"
    assert answer.headers["x-clew-complete"] == "false"


def test_what_is_not_known_is_404_with_names_like_it(read: TestClient) -> None:
    answer = read.get("/prov/query", params={"target": "message:1/9/out"})
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert "message:1/1/out" in answer.json()["near"]


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/prov/query", 422, "target"),
        (f"/prov/query?target={OUT}&format=word", 422, "turtle"),
        (f"/prov/query?target={OUT}&depth=x", 422, "depth"),
        (f"/prov/query?target={OUT}&colour=red", 422, "colour"),
        ("/prov/pingback?target=nothing", 404, "nothing"),
        ("/prov/pingback?cursor=x", 422, "cursor"),
    ],
)
def test_what_can_not_be_asked_says_why(read: TestClient, path: str, status: int, says: str) -> None:
    answer = read.get(path)
    assert answer.status_code == status
    assert says in answer.text


def test_a_query_that_nobody_can_read_is_406_and_names_what_there_is(read: TestClient) -> None:
    answer = read.get("/prov/query", params={"target": OUT}, headers={"Accept": "image/png"})
    assert answer.status_code == 406
    assert {"application/json", "text/turtle", "application/trig", "image/svg+xml"} <= set(
        answer.json()["near"]
    )


# --- pingbacks ---


def ping(http: TestClient, body: str | bytes, target: str = OUT, **headers: str) -> Any:
    return http.post(
        "/prov/pingback", params={"target": target}, content=body, headers={**URI_LIST, **headers}
    )


def kept(http: TestClient, **params: Any) -> list[dict[str, Any]]:
    answer = http.get("/prov/pingback", params=params)
    assert answer.status_code == 200
    found: list[dict[str, Any]] = answer.json()["pingbacks"]
    return found


def test_a_pingback_is_kept_and_shown(http: TestClient) -> None:
    body = f"# what we know\r\n{ELSEWHERE}\r\n\r\nurn:uuid:0c6f7f6e-0000-4000-8000-000000000001\r\n"
    answer = ping(http, body)
    assert (answer.status_code, answer.content) == (204, b"")
    found = kept(http, target=OUT)
    assert [(one["uri"], one["relation"], one["target"]) for one in found] == [
        (ELSEWHERE, "has_provenance", "message:1/1/out"),
        ("urn:uuid:0c6f7f6e-0000-4000-8000-000000000001", "has_provenance", "message:1/1/out"),
    ]
    assert all(one["received"].endswith("Z") and one["reporter"] for one in found)
    [node] = http.get("/v1/nodes", params={"ref": OUT}).json()["nodes"]
    assert node["pingbacks"] == 2
    assert kept(http, target="message:1/2/out") == []


def test_a_pingback_is_no_part_of_the_graph(http: TestClient) -> None:
    before = http.get("/v1/export").content
    ping(http, ELSEWHERE)
    assert http.get("/v1/export").content == before


def test_the_same_link_is_kept_once(http: TestClient) -> None:
    for _ in range(2):
        assert ping(http, f"{ELSEWHERE}\n{ELSEWHERE}").status_code == 204
    assert len(kept(http)) == 1


def test_a_service_to_ask_is_told_by_a_link_header(http: TestClient) -> None:
    service, anchor = "https://example.org/sparql", "https://example.org/our/report"
    header = f'<{service}>; rel="{PROV.has_query_service}"; anchor="{anchor}", <x>; rel=next'
    answer = http.post("/prov/pingback", params={"target": OUT}, headers={"Link": header})
    assert answer.status_code == 204
    [found] = kept(http)
    assert (found["relation"], found["uri"], found["anchor"]) == ("has_query_service", service, anchor)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("", "names no URI"),
        ("# nothing but a comment\r\n", "names no URI"),
        ("not a uri", "no URI"),
        ("javascript:alert(1)", "http, https, urn"),
        ("file:///etc/passwd", "http, https, urn"),
        ("/relative", "http, https, urn"),
        ("https://example.org/a b", "percent-encode"),
        ("https://example.org/<x>", "percent-encode"),
        (b"https://example.org/\xff", "UTF-8"),
        ("https://example.org/" + "x" * 2100, "at most 2048"),
    ],
)
def test_a_bad_list_is_400_and_nothing_of_it_is_kept(read: TestClient, body: str | bytes, says: str) -> None:
    whole = f"{ELSEWHERE}\n{body}" if isinstance(body, str) and body[:1] not in ("", "#") else body
    answer = ping(read, whole)
    assert answer.status_code == 400
    assert says in answer.json()["detail"]
    assert kept(read) == []


def test_a_bad_link_header_is_400(read: TestClient) -> None:
    for header in (
        "nonsense",
        "<https://example.org/> nonsense",
        f'<javascript:x>; rel="{PROV.has_provenance}"',
    ):
        assert ping(read, "", Link=header).status_code == 400
    assert kept(read) == []


def test_other_forms_of_content_are_415(read: TestClient) -> None:
    answer = ping(read, json.dumps([ELSEWHERE]), **{"Content-Type": "application/json"})
    assert answer.status_code == 415
    assert answer.headers["accept"] == "text/uri-list"


def test_links_are_taken_up_to_a_limit(http: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    many = "\n".join(f"https://example.org/{number}" for number in range(101))
    assert ping(http, many).status_code == 413
    monkeypatch.setattr("app.pingbacks.MOST_OF_ONE", 3)
    assert ping(http, "https://a.example/1\nhttps://a.example/2\nhttps://a.example/3").status_code == 204
    assert ping(http, "https://a.example/3").status_code == 204
    answer = ping(http, "https://a.example/4")
    assert answer.status_code == 413
    assert "limit of 3" in answer.json()["detail"]
    assert len(kept(http)) == 3


def test_a_pingback_about_what_is_not_known_is_404(read: TestClient) -> None:
    answer = ping(read, ELSEWHERE, target=f"{BASE}message:1/9/out")
    assert answer.status_code == 404
    assert "message:1/1/out" in answer.json()["near"]


def test_pages_of_pingbacks_fit_together(http: TestClient) -> None:
    for target in (OUT, f"{BASE}message:1/2/out"):
        ping(http, "\n".join(f"https://example.org/{number}" for number in range(5)), target=target)
    first = http.get("/prov/pingback", params={"limit": 4}).json()
    rest = http.get("/prov/pingback", params={"cursor": first["cursor"], "limit": 100}).json()
    assert first["total"] == rest["total"] == 10
    assert len(first["pingbacks"] + rest["pingbacks"]) == 10
    assert rest["cursor"] == ""
    other = http.get("/prov/pingback", params={"cursor": first["cursor"], "target": OUT})
    assert other.status_code == 422


# --- headers ---


def test_links_are_read_as_rfc_8288_has_them() -> None:
    header = '<a>; rel="x y"; title="a, \\"b\\"; c", <b>;rel=z;anchor=#c , <d>'
    assert list(linking.read([header])) == [
        linking.Link("a", ("x", "y"), ""),
        linking.Link("b", ("z",), "#c"),
        linking.Link("d", (), ""),
    ]


@pytest.mark.parametrize("header", ["a", "<a", "<a> b", "<a>; rel=x <b>", "x" * 70_000])
def test_what_is_no_link_is_refused(header: str) -> None:
    with pytest.raises(Unreadable):
        list(linking.read([header]))
