"""Hostile hands at the HTTP face: what is known from the advisories of comparable products, and more."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode, urlsplit
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from app.credentials.keys import Grant, Keys
from app.credentials.scopes import SCOPES
from app.faces.http import create_app
from app.service import Service
from provmodel import names
from provmodel.evidence import MAY_CLAIM
from tests.app.faces import client_of, event
from tests.app.hostile_inputs import LONG, TOLD, VALUES, filled

SECONDS = 2.0
"""CPU of one request at most; each takes a few milliseconds, and a pattern that stalls takes hours."""


@pytest.fixture
def told(http: TestClient) -> TestClient:
    events = [
        event(0, "run_started", run="run:1", agent="agent:a"),
        event(1, inputs=[{"ref": "document:a", "body": {"id": "body:a", "text": "0123456789"}}]),
    ]
    assert http.post("/v1/events", json=events).json()["counts"]["recorded"] == 2
    return http


def operations(client: TestClient) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Each path of the description with its method and parameters."""
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation.get("parameters", [])


def test_no_value_of_a_parameter_breaks_stalls_or_opens_anything(told: TestClient) -> None:
    """Sort and filter injection, CR LF, wildcards, numbers and texts without end, at every address."""
    for path, method, parameters in operations(told):
        texts = [one["name"] for one in parameters if one["in"] == "query"]
        if method not in ("get", "delete") or not texts:
            continue
        for number, (name, value) in enumerate(VALUES.items()):
            parameter = texts[number % len(texts)]
            began = time.process_time()
            given = urlencode(filled(parameters, value, parameter), errors="surrogateescape")
            answer = told.request(method, f"{_path(path, 'x')}?{given}")
            where = (method, path, parameter, name)
            assert answer.status_code < 500, (where, answer.text[:300])
            assert time.process_time() - began < SECONDS, where
            assert "set-cookie" not in answer.headers, where
            if answer.status_code >= 400:
                assert not TOLD.search(answer.text.replace(value, "")), (where, answer.text[:300])
    assert told.get("/v1/events").json()["total"] == 2


def test_no_part_of_a_path_breaks_stalls_or_opens_anything(told: TestClient) -> None:
    """Path-parameter tricks and double decoding: what is no address as it stands is no address."""
    tricks = [
        "/v1/runs;x=/healthz", "//v1//runs", "/v1/%2e%2e/v1/runs", "/v1/.%2e/runs", "/%2e/v1/runs",
        "/v1/runs%00", "/v1/runs/..;/events", "/v1/%252e%252e/runs",
        "/v1\\runs", "/v1/runs%20", "/page/..%2f..%2fsettings.py", "/page/%2e%2e/%2e%2e/settings.py",
        "/page/..%252fsettings.py", "/page/%5c..%5csettings.py", "/page//etc/passwd", "/page/%00",
        "/page/C:/x",
    ]  # fmt: skip
    for trick in tricks:
        answer = told.get(trick, follow_redirects=False)
        assert answer.status_code in (307, 400, 404), (trick, answer.status_code)
        assert not TOLD.search(answer.text), trick
    for path, method, _ in operations(told):
        if "{" in path and method == "get":
            for name, value in VALUES.items():
                if value and "\udc80" not in value and "\0" not in value:
                    answer = told.get(_path(path, quote(value, safe="")))
                    assert answer.status_code < 500, (path, name, answer.text[:300])


def test_no_redirect_leads_elsewhere(told: TestClient) -> None:
    for path in ("//evil.example/v1/runs/", "/v1/runs/", "/page", "/\\evil.example/", "/%09/evil.example/"):
        for host in ("127.0.0.1", "testserver"):
            answer = told.get(path, headers={"Host": host}, follow_redirects=False)
            leads = urlsplit(answer.headers.get("location", ""))
            assert leads.netloc in ("", host), (path, answer.headers)


def test_no_page_of_the_framework_is_behind(told: TestClient) -> None:
    for path in (
        "/docs",
        "/redoc",
        "/docs/oauth2-redirect",
        "/openapi.yaml",
        "/debug",
        "/admin",
        "/.git/config",
    ):
        assert told.get(path).status_code == 404, path
    for method in ("TRACE", "CONNECT", "PATCH", "PROPFIND"):
        assert told.request(method, "/v1/runs").status_code in (404, 405), method


def test_what_others_wrote_is_text_in_a_picture(told: TestClient) -> None:
    """Stored XSS in labels and SVG, and links that would run."""
    evil = ['"><script>alert(1)</script>', "javascript:alert(1)", "x' onload='alert(1)", "]]><svg onload=1>"]
    bodies = [
        event(10 + n, "artifact_version", ref=f"document:{n}{one}", kind="text", label=one, made_by="call:1")
        for n, one in enumerate(evil)
    ]
    assert told.post("/v1/events", json=bodies).json()["counts"]["recorded"] == len(evil)
    svg = told.get("/v1/export", params={"format": "svg"})
    assert svg.status_code == 200, svg.text
    assert "attachment" in svg.headers.get("content-disposition", "attachment")
    assert svg.headers["X-Content-Type-Options"] == "nosniff"
    for element in ElementTree.fromstring(svg.text).iter():
        assert element.tag.rpartition("}")[2] not in {"script", "foreignObject", "iframe", "image", "use"}
        for name, value in element.attrib.items():
            assert not name.rpartition("}")[2].startswith("on"), element.attrib
            assert not value.strip().lower().startswith("javascript:"), element.attrib


def test_attributes_with_the_names_of_built_ins_are_attributes(told: TestClient) -> None:
    named = {"__proto__": "p", "constructor": "c", "toString": "t", "hasOwnProperty": "h", "__class__": "k"}
    told.post(
        "/v1/events", json=[event(20, "artifact_version", ref="document:odd", kind="text", attributes=named)]
    )
    said = told.get("/v1/events").text + told.get("/v1/export", params={"format": "prov-json"}).text
    for name, value in named.items():
        assert f"{name}" in said, name
        assert f'"{value}"' in said, name


MANY = "9" * 5000


@pytest.mark.parametrize(
    "header",
    [
        pytest.param("bytes=" + ",".join(["0-0"] * 5000), id="many"),
        pytest.param(f"bytes={MANY}-", id="far"),
        pytest.param(f"bytes=0-{MANY}", id="long"),
        pytest.param(f"bytes=-{MANY}", id="last"),
        pytest.param("bytes=--", id="dashes"),
        pytest.param("bytes=5-2", id="backwards"),
        pytest.param("lines=0-1", id="lines"),
        pytest.param("bytes=" + "0-," * 5000, id="open"),
    ],
)
def test_a_range_that_wants_too_much_gets_what_there_is(told: TestClient, header: str) -> None:
    answer = told.get("/v1/content", params={"ref": "body:a"}, headers={"Range": header})
    assert answer.status_code in (200, 206, 416), answer.text
    assert len(answer.content) < 1000


def test_a_length_without_end_and_a_flood_of_fields_are_refused(told: TestClient) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    flood = "&".join(f"f{n}=1" for n in range(50_000))
    assert told.post("/v1/events", content=flood, headers=form).status_code == 400
    parts = {"Content-Type": "multipart/form-data; boundary=x"}
    assert told.post("/v1/events", content=b"--x\r\n" * 50_000, headers=parts).status_code == 415
    answer = told.post("/v1/events", content=iter([b"[]"]), headers={"Content-Length": "9" * 5000})
    assert answer.status_code in (400, 413)


def test_a_token_of_a_megabyte_is_no_token(told: TestClient, service: Service) -> None:
    Keys(service.ledger).create("default", Grant(name="k", scopes=frozenset({"graph:read"})))
    time.sleep(1)  # until then nobody is asked
    for token in ("a" * 2**20, "e30." * 300_000, "clew_1_" + "x" * 2**20, "clew_" + "9" * 5000 + "_a_b"):
        began = time.process_time()
        answer = told.get("/v1/runs", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 401
        assert time.process_time() - began < SECONDS


def test_tenants_with_names_alike_are_strangers(service: Service) -> None:
    """`a`, `aa` and `a/`, and what a path or a pattern would take for the same."""
    alike = ["a", "aa", "a/", "a/..", "A", "a ", "a%", "a\u0301", "\u00e1", "default/a", "", "_"]
    client = TestClient(create_app(service), raise_server_exceptions=False)
    keys = Keys(service.ledger)
    headers = {}
    for name in filter(None, alike):
        grant = Grant(name="all", scopes=frozenset(SCOPES), kinds=frozenset(MAY_CLAIM))
        headers[name] = {"Authorization": f"Bearer {keys.create(name, grant)[0]}"}
        told = [event(1, run="run:1", outputs=[{"ref": f"document:of-{name.encode().hex()}"}])]
        assert client.post("/v1/events", json=told, headers=headers[name]).status_code == 200
    for base in ("urn:x-clew:", "http://x/"):
        assert len({names.base_iri(base, name) for name in headers}) == len(headers)
    for name, shown in headers.items():
        assert client.get("/v1/events", headers=shown).json()["total"] == 1
        refs = {node["ref"] for node in client.get("/v1/nodes", headers=shown).json()["nodes"]}
        assert {ref for ref in refs if "of-" in ref} == {f"document:of-{name.encode().hex()}"}


def test_ids_that_differ_only_by_look_are_different_things(told: TestClient) -> None:
    alike = ["document:pay", "document:p\u0430y", "document:pay\u200b", "document:p\uff41y", "document:PAY",
             "document:pa\u0301y", "document:p\u00e1y"]  # fmt: skip
    events = [event(30 + n, "artifact_version", ref=ref, kind="text") for n, ref in enumerate(alike)]
    results = told.post("/v1/events", json=events).json()["results"]
    taken = [ref for ref, result in zip(alike, results, strict=True) if result["status"] == "recorded"]
    assert len(taken) >= 5
    for ref in taken:
        [found] = told.get("/v1/nodes", params={"ref": ref}).json()["nodes"]
        assert (found["ref"], found["found"]) == (ref, "exact")
    assert len(taken) == sum(
        node["ref"].casefold().startswith("document:p") for node in told.get("/v1/nodes").json()["nodes"]
    )


def test_who_may_report_may_not_delete_and_who_may_delete_may_not_report(service: Service) -> None:
    """Scope creep between one method of an address and the next."""
    client, keys = client_of(service), Keys(service.ledger)
    verbs = {"put": "ingest", "get": "content:read", "delete": "retention:manage"}
    for scope in sorted(set(verbs.values())):
        grant = Grant(name=scope, scopes=frozenset({scope}), kinds=frozenset({"harness"}))  # type: ignore[arg-type]
        shown = {"Authorization": f"Bearer {keys.create('default', grant)[0]}"}
        for method, needed in verbs.items():
            answer = client.request(method, "/v1/content", params={"ref": "document:x"}, headers=shown)
            assert (answer.status_code == 403) is (needed != scope), (scope, method, answer.text)


def test_nothing_of_a_request_comes_back_in_a_header(told: TestClient) -> None:
    marked = "canary-5d1c"
    sent = {"X-Forwarded-Host": marked, "X-Original-URL": f"/{marked}", "Referer": f"http://{marked}/",
            "Accept-Language": marked, "X-Request-Id": marked, "If-None-Match": f'"{marked}"'}  # fmt: skip
    for path in ("/v1/runs", "/healthz", f"/{marked}", f"/v1/questions/{marked}", "/", "/prov/service"):
        answer = told.get(path, headers=sent, params={"x": marked})
        assert marked not in json.dumps(dict(answer.headers)), path


def _path(path: str, value: str) -> str:
    return (
        path.replace("{case}", value if len(value) < LONG else "1")
        .replace("{name}", value)
        .replace("{question}", value)
    )
