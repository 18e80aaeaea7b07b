"""What an agent says stays what an agent said, by whatever way; what a tenant has is absent to another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.credentials.keys import Grant, Keys
from app.credentials.scopes import SCOPES
from app.faces.http import create_app
from app.service import Service
from provmodel import cloudevents, formats
from provmodel.events import TYPES, plural
from provmodel.evidence import MAY_CLAIM, Evidence
from tests.app.faces import event, service_at
from tests.app.samples import samples
from tests.provmodel.sources.otlp_story import document, span

AGENT = "agent:a"
CLEW = "agent:clew"
_EVIDENCE = (
    "select distinct t.evidence from {} t join node n on n.tenant = t.tenant and n.node = t.asserter"
    " where t.tenant = ? and n.ref <> ?"
)
BELOW = {Evidence.DECLARED, Evidence.INFERRED}


class House:
    """A server, and a key that holds every scope for each of its tenants."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.client = TestClient(create_app(service), raise_server_exceptions=False)

    def key(self, tenant: str, *kinds: str, name: str = "somebody") -> dict[str, str]:
        grant = Grant(name=name, scopes=frozenset(SCOPES), kinds=frozenset(kinds))
        return {"Authorization": f"Bearer {Keys(self.service.ledger).create(tenant, grant)[0]}"}

    def evidence(self, tenant: str) -> set[Evidence]:
        """That of every assertion and attribute, but for what Clew saw itself: that a document came."""
        store = self.service.ledger.store.of(tenant)
        rows = [
            row
            for table in ("assertion", "attribute")
            for row in store.fetch(_EVIDENCE.format(table), (store.tenant, CLEW))
        ]
        return {Evidence(value) for (value,) in rows if value}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with service_at(f"sqlite:///{tmp_path / 'clew.db'}", tmp_path) as service:
        yield House(service)


def test_an_agent_writes_nothing_observed_or_verified_by_any_way_in(house: House) -> None:
    """Each type as a whole event, in short form and in a CloudEvent; a trace; content; documents."""
    agent = house.key("t", "agent", name=AGENT)
    house.client.put("/v1/content", params={"ref": "document:x"}, content=b"x", headers=agent)
    taken = 0
    for number, (tag, example) in enumerate(samples().items()):
        whole = {**event(number, tag), **example, "type": tag, "id": f"w{number}", "source": "agent"}
        for evidence in ("", "observed", "verified"):
            said = {**whole, "evidence": evidence} if evidence else whole
            short = {name: value for name, value in said.items() if name not in ("type", "id", "source")}
            cloud = {
                "specversion": "1.0",
                "id": f"c{number}",
                "source": "agent",
                "type": f"clew.{tag}",
                "data": said,
            }
            batch = {"Content-Type": cloudevents.BATCHED}
            for path, body, more in (
                ("/v1/events", [said], {}),
                ("/v1/events", said, {"Content-Type": "application/x-ndjson"}),
                (f"/v1/{plural(tag)}", short, {}),
                ("/v1/events", cloud, {"Content-Type": cloudevents.STRUCTURED}),
                ("/v1/events", [{**cloud, "id": f"b{number}"}], batch),
            ):
                answer = house.client.post(path, content=json.dumps(body).encode(), headers={**agent, **more})
                assert answer.status_code < 500, answer.text
                taken += answer.status_code == 200
    trace = document(
        span("LLM", {"llm.model_name": "m", "output.value": "x"}), span("TOOL", {"tool.name": "t"})
    )
    assert house.client.post("/v1/traces", json=trace, headers=agent).status_code == 200
    assert set(samples()) == set(TYPES)
    assert taken
    assert house.evidence("t") <= BELOW


LIFTING: tuple[dict[str, str], ...] = (
    {},
    {"evidence_cap": "verified"},
    {"asserter": "harness-1"},
    {"source": "harness"},
)


def test_an_agent_brings_back_nothing_as_observed_in_any_format(house: House) -> None:
    """An export that says observed, with every parameter that could lift it, and with one that lowers it."""
    harness, agent = house.key("h", *MAY_CLAIM, name="harness-1"), house.key("a", "agent", name=AGENT)
    house.client.post("/v1/events", json=[event(1), event(2)], headers=harness)
    assert Evidence.OBSERVED in house.evidence("h")
    for form in formats.documents().values():
        if not (form.read and form.write):
            continue
        exported = house.client.get("/v1/export", params={"format": form.name}, headers=harness).content
        for more in (*LIFTING, {"evidence_cap": "declared"}):
            given = {"format": form.name, "name": form.name, **more}
            answer = house.client.post("/v1/documents", content=exported, params=given, headers=agent)
            taken = more == {"evidence_cap": "declared"}
            assert answer.status_code == (200 if taken else 422), (form.name, more, answer.text[:300])
    assert house.evidence("a") <= BELOW


def test_what_another_tenant_has_answers_as_what_nobody_has(house: House) -> None:
    """Every operation of the description, with a name that another tenant has and one that none has."""
    mine, other = (house.key(tenant, *MAY_CLAIM) for tenant in ("mine", "other"))
    theirs, nobodys = "ledger:of-theirs@version:1", "ledger:of-nobody@version:1"
    told = [
        event(1, run="run:theirs1", outputs=[{"ref": theirs, "body": {"id": "body:theirs", "text": "s"}}])
    ]
    assert house.client.post("/v1/events", json=told, headers=other).status_code == 200
    house.client.post("/v1/cases", json={"target": [theirs]}, headers=other)
    pairs = [(theirs, nobodys), ("run:theirs1", "run:nobody1"), ("body:theirs", "body:nobody")]
    asked = 0
    for path, operations in house.client.get("/openapi.json").json()["paths"].items():
        for method, operation in operations.items():
            if path == "/metrics":  # of the whole server, for its own tenant alone
                continue
            for hidden, absent in pairs if "{case}" not in path else [("1", "2")]:
                answers = [_ask(house, method, path, operation, name, mine) for name in (hidden, absent)]
                assert answers[0] == answers[1], (method, path, hidden)
                assert "theirs" not in answers[0][1]
                asked += 1
    assert asked > 150
    assert house.client.get("/v1/events", headers=other).json()["total"] == 1


def _ask(
    house: House, method: str, path: str, operation: dict[str, Any], name: str, headers: dict[str, str]
) -> tuple[int, str]:
    """The status and the body, without the name that was given and the moment."""
    given = {
        one["name"]: name
        for one in operation.get("parameters", [])
        if one["in"] == "query"
        and (one.get("required") or one["name"] in {"target", "ref", "run", "q", "prefix"})
    }
    filled = re.sub(r"\{\w+\}", name if name.isdecimal() else "inputs-of", path)
    body = {"target": [name], "ref": name, "what": name} if method in ("post", "put") else None
    answer = house.client.request(method, filled, params=given, json=body, headers=headers)
    assert answer.status_code < 500, (method, filled, answer.text[:300])
    text = answer.text.replace(name, "NAME") if len(name) > 1 else re.sub(rf"\b{name}\b", "NAME", answer.text)
    return answer.status_code, re.sub(
        r'\d{4}-\d\d-\d\dT[0-9:.]+(Z|\+00:00)|[0-9a-f]{8,}|"key":"[^"]+"', "", text
    )
