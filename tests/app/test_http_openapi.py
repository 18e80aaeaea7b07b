"""What `/openapi.json` says: every address, parameter, response and schema."""

import json
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from provmodel.events import TYPES, plural
from queries import shelf
from tests.app.faces import TIME


@pytest.fixture
def openapi(http: TestClient) -> Any:
    return http.get("/openapi.json").json()


def operations(openapi: Any) -> list[tuple[str, str, Any]]:
    return [
        (path, method, one) for path, methods in openapi["paths"].items() for method, one in methods.items()
    ]


RETENTION = {
    "policies": "get post delete",
    "holds": "get post delete",
    "preview": "get",
    "sweeps": "post",
    "deletions": "get post",
    "erasures": "post",
}


def test_openapi_describes_every_address(openapi: Any) -> None:
    described = {(path, method) for path, method, _ in operations(openapi)}
    reading = (
        "events",
        "runs",
        "sources",
        "nodes",
        "lineage",
        "export",
        "content",
        "runs/tag-key",
        "questions",
        "documents",
        "pictures/{question}",
        "cases",
        "cases/{case}",
        "access",
        "me",
    )
    assert described == {
        *((f"/v1/{plural(tag)}", "post") for tag in TYPES),
        *((f"/v1/questions/{name}", "get") for name in shelf.questions()),
        *((f"/v1/{path}", "get") for path in reading),
        *((path, "get") for path in ("/healthz", "/readyz", "/metrics")),
        *((f"/prov/{path}", "get") for path in ("service", "query", "pingback")),
        ("/prov/pingback", "post"),
        ("/vocabulary", "get"),
        *((f"/v1/{path}", "post") for path in ("events", "traces", "documents")),
        *((f"/v1/cases{path}", "post") for path in ("", "/{case}/actions", "/{case}/runs")),
        *(("/v1/content", method) for method in ("put", "delete")),
        *(
            (f"/v1/retention/{path}", method)
            for path, methods in RETENTION.items()
            for method in methods.split()
        ),
        *(("/v1/restrictions", method) for method in ("get", "put", "delete")),
    }


def test_openapi_describes_every_parameter_and_every_kind_of_response(openapi: Any) -> None:
    for path, method, operation in operations(openapi):
        where = f"{method} {path}"
        assert operation.get("summary"), where
        assert operation.get("description") or operation.get("summary"), where
        assert {"200", "201", "204"} & operation["responses"].keys(), where
        assert operation.get("tags"), where
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description"), f"{where} {parameter['name']}"
            assert parameter["schema"], where
        if path.startswith("/v1/") and path != "/v1/questions":
            kinds = {kind for answer in operation["responses"].values() for kind in answer.get("content", ())}
            assert "application/problem+json" in kinds, where
        if method == "post":
            assert any("example" in form for form in operation["requestBody"]["content"].values()), where


def test_every_reference_in_openapi_leads_somewhere(openapi: Any) -> None:
    text = json.dumps(openapi)
    for name in set(re.findall(r'"#/components/schemas/([^"]+)"', text)):
        assert name in openapi["components"]["schemas"], name
    assert openapi["openapi"].startswith("3.1")


def test_openapi_has_the_schemas_of_the_structs_themselves(openapi: Any) -> None:
    schemas = openapi["components"]["schemas"]
    assert schemas["ToolCall"]["properties"]["outcome"]["enum"] == [
        "accepted",
        "completed",
        "failed",
        "unknown",
    ]
    assert "attempt" in schemas["ToolCall"]["required"]
    assert "attempt" not in schemas["ToolCallShort"]["required"]
    assert schemas["Event"]["discriminator"]["mapping"]["tool_call"].endswith("/ToolCall")
    names = {one["name"] for one in openapi["paths"]["/v1/questions/inputs-of"]["get"]["parameters"]}
    assert names == {one.name for one in shelf.question("inputs-of").parameters()}
    assert TIME in json.dumps(openapi["paths"]["/v1/events"]["post"]["requestBody"])
