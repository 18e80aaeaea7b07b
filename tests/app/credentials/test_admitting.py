"""At the door: every address, every scope, two tenants; and what a credential may claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.credentials.keys import Grant, Keys
from app.credentials.scopes import SCOPES, Scope
from app.faces.http import create_app
from app.faces.http.openapi import declared
from provmodel.evidence import MAY_CLAIM
from tests.app.faces import event, service_at

PUBLIC = {"/", "/healthz", "/readyz", "/vocabulary", "/prov/service"}
SECRET = "ledger:account-of-acme@version:1"


class House:
    """A server that asks for keys, and a way to make them."""

    def __init__(self, app: FastAPI, keys: Keys) -> None:
        self.app = app
        self.keys = keys
        self.client = TestClient(app, raise_server_exceptions=False)

    def key(self, *scopes: Scope, tenant: str = "acme", **more: Any) -> dict[str, str]:
        """The headers of somebody who holds these scopes."""
        grant = Grant(name=more.pop("name", "somebody"), scopes=frozenset(scopes), **more)
        return {"Authorization": f"Bearer {self.keys.create(tenant, grant)[0]}"}


@pytest.fixture
def house(store_url: str, tmp_path: Path) -> Iterator[House]:
    with service_at(store_url, tmp_path) as service:
        keys = Keys(service.ledger)
        made = House(create_app(service), keys)
        harness = made.key("ingest", kinds=frozenset(MAY_CLAIM), vouches=True, name="harness-1")
        told = event(1, outputs=[{"ref": SECRET, "body": {"text": "secret of acme"}}])
        answer = made.client.post("/v1/events", json=[told], headers=harness)
        assert answer.json()["counts"]["recorded"] == 1, answer.text
        yield made


def requests(app: FastAPI) -> list[tuple[str, str, Scope | None]]:
    return [
        (
            path.replace("{name}", "inputs-of").replace("{question}", "inputs-of").replace("{case}", "1"),
            method,
            scope,
        )
        for path, method, scope in declared(app)
        if method != "head"
    ]


def test_every_address_declares_its_scope_and_says_so_in_openapi(house: House) -> None:
    described = house.client.get("/openapi.json").json()
    scopes = {(path, method): scope for path, method, scope in declared(house.app)}
    assert {path for (path, _), scope in scopes.items() if scope is None} <= PUBLIC | {"/openapi.json"}
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            scope = scopes[path, method]
            said = operation.get("security", [])
            assert said == ([{"bearer": [scope]}] if scope else []), (path, method)
            assert ("401" in operation["responses"]) is (scope is not None), (path, method)


def test_an_address_that_declares_nothing_stops_the_description(house: House) -> None:
    house.app.add_api_route("/v1/forgotten", lambda: "all of it")
    with pytest.raises(LookupError, match="/v1/forgotten"):
        list(declared(house.app))


def test_without_a_key_nothing_is_told_but_what_is_public(house: House) -> None:
    for path, method, scope in requests(house.app):
        answer = house.client.request(method, path)
        if scope is None:
            assert answer.status_code != 401, path
        else:
            assert answer.status_code == 401, (method, path, answer.text)
            assert answer.headers["WWW-Authenticate"].startswith("Bearer")
            assert "acme" not in answer.text


@pytest.mark.parametrize("held", SCOPES)
def test_a_scope_opens_its_own_addresses_and_no_other(house: House, held: Scope) -> None:
    headers = house.key(held, tenant="default")
    for path, method, scope in requests(house.app):
        answer = house.client.request(method, path, headers=headers)
        if scope is not None:
            assert (answer.status_code == 403) is (scope != held), (method, path, answer.status_code)
        assert answer.status_code < 500, (method, path, answer.text)


def test_the_counts_of_the_whole_server_are_for_its_own_tenant(house: House) -> None:
    assert house.client.get("/metrics", headers=house.key("admin", tenant="default")).status_code == 200
    refused = house.client.get("/metrics", headers=house.key("admin"))
    assert refused.status_code == 403
    assert "clew_" not in refused.text


def test_a_tenant_sees_nothing_of_another(house: House) -> None:
    other = house.key(*SCOPES, tenant="acm")
    own = house.key(*SCOPES)
    asked = {"ref": SECRET, "target": SECRET, "q": "account", "run": "run:1"}
    for path, method, scope in requests(house.app):
        if method != "get" or scope is None:
            continue
        params = {"/v1/nodes": {"ref": SECRET}, "/v1/content": {"ref": SECRET}}.get(path, {"target": SECRET})
        absent = house.client.get(
            path,
            params={name: value.replace("acme", "nobody") for name, value in params.items()},
            headers=other,
        )
        hidden = house.client.get(path, params=params, headers=other)
        assert hidden.status_code == absent.status_code, path
        assert "acme" not in hidden.text.replace(SECRET, ""), path
    assert asked["ref"] in house.client.get("/v1/nodes", params={"ref": SECRET}, headers=own).text
    assert house.client.get("/v1/events", headers=other).json()["total"] == 0
    assert house.client.get("/v1/events", headers=own).json()["total"] == 1


Told = Callable[[str], dict[str, Any]]


def claims(evidence: str) -> list[tuple[str, Any, dict[str, str]]]:
    """Every way in: the events, one type, CloudEvents, a document."""
    whole = event(
        9, "derived", to="report:x", method="said so", **{"from": [{"ref": "doc:a"}]}, evidence=evidence
    )
    short = {name: value for name, value in whole.items() if name != "type"}
    cloud = {"specversion": "1.0", "id": "e9", "source": "harness", "type": "clew.derived", "data": whole}
    prov = {
        "prefix": {"ex": "http://example.org/", "clew": "https://w3id.org/clew#"},
        "entity": {"ex:a": {}, "ex:b": {}},
        "wasDerivedFrom": {"_:d": {"prov:generatedEntity": "ex:b", "prov:usedEntity": "ex:a"}},
    }
    return [
        ("/v1/events", [whole], {}),
        ("/v1/derivations", short, {}),
        ("/v1/events", cloud, {"Content-Type": "application/cloudevents+json"}),
        ("/v1/documents", prov, {"Content-Type": "application/provenance+json"}),
    ]


@pytest.mark.parametrize("evidence", ["observed", "verified"])
def test_an_agent_cannot_write_what_only_others_may_know(house: House, evidence: str) -> None:
    agent = house.key("ingest", kinds=frozenset({"agent"}), name="agent:a")
    for path, body, headers in claims(evidence):
        house.client.post(path, json=body, headers={**agent, **headers})
    reader = house.key("graph:read")
    for target in ("report:x", "http://example.org/b"):
        answer = house.client.get("/v1/lineage", params={"target": target}, headers=reader)
        if answer.status_code == 200:
            for edge in answer.json()["graph"]["edges"]:
                assert edge["evidence"] in {"declared", "inferred"}, (target, edge)


def test_a_claim_above_the_bound_is_refused_with_reason_and_remedy(house: House) -> None:
    agent = house.key("ingest", kinds=frozenset({"agent"}), name="agent:a")
    said = house.client.post("/v1/events", json=[event(5)], headers=agent)
    assert said.status_code == 422
    assert "'agent:a' may not claim 'observed'" in said.json()["detail"]


def test_a_credential_speaks_only_for_its_sources(house: House) -> None:
    bound = house.key("ingest", kinds=frozenset({"harness"}), sources=frozenset({"gateway"}))
    said = house.client.post("/v1/events", json=[event(6)], headers=bound)
    assert said.status_code == 422
    assert "may not speak for 'harness'" in said.json()["detail"]


def test_a_decider_is_authenticated_by_his_own_credential_and_else_claimed(house: House) -> None:
    decision = {
        "action": "action:1",
        "verdict": "allow",
        "decider": {"id": "person:ann", "kind": "person", "authenticated_by": "typed into a form"},
    }
    told = [
        event(20, "action_proposed", action="action:1", tool="tool:t", arguments={"body": {"json": 1}}),
        event(21, "tool_call", attempt="attempt:1", action="action:1", tool="tool:t", outcome="completed",
              decision="decision:1", writes=[{"ref": "doc:w@version:1", "mode": "create"}]),
    ]  # fmt: skip
    harness = house.key("ingest", kinds=frozenset({"harness"}), name="harness-2")
    ann = house.key("ingest", kinds=frozenset({"person", "harness"}), name="person:ann")
    reader = house.key("graph:read")

    def authenticated(decision_id: str, headers: dict[str, str], number: int) -> str:
        made = event(number, "authorization_decided", decision=decision_id, **decision)
        assert house.client.post("/v1/events", json=[made], headers=headers).status_code == 200
        answer = house.client.get(
            "/v1/questions/who-authorized", params={"target": "action:1"}, headers=reader
        )
        found = [one for write in answer.json()["graph"]["writes"] for one in write["decisions"]]
        return str(next(one["decider"]["authenticated"] for one in found if one["decision"] == decision_id))

    house.client.post("/v1/events", json=told, headers=harness)
    assert authenticated("decision:1", harness, 22) == "claimed"
    assert authenticated("decision:2", ann, 23) == "authenticated"


@pytest.mark.parametrize(
    "trick", ["/v1/runs;x=/healthz", "//v1/runs", "/v1/%2e%2e/v1/runs", "/healthz/../v1/runs", "/V1/runs"]
)
def test_no_spelling_of_a_path_gets_round_the_gate(house: House, trick: str) -> None:
    answer = house.client.get(trick)
    assert answer.status_code in {401, 404}, answer.text
    assert "run:1" not in answer.text
