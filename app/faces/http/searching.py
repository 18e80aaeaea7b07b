"""GET /v1/nodes: nodes by name, by words and by conditions."""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from app.faces.http import linking
from app.faces.http.admitting import needs
from app.faces.http.describing import ANSWERS, TEXT, query_parameters, ref
from app.faces.http.given import given_by
from app.faces.http.server import server_of
from app.faces.http.telling import told
from app.searching import SearchAsked, sentences
from provmodel.errors import BadQuestion
from queries.question import Parameter, parameters_of, read_params

_NAMED = Parameter(
    name="ref",
    kind="text",
    repeatable=True,
    default=(),
    description="What is said of these alone: a version, a thing, or an unambiguous suffix.",
)
_OF_NAMED = ("ref", "as_of")
_OF_A_LIST = frozenset({"prefix", "as_of", "cursor", "limit"})


def router() -> APIRouter:
    made = APIRouter(tags=["graph"], dependencies=[needs("graph:read")])
    found = ref(
        "NodeDetails", "The nodes named by ref; else a page of nodes, with words or conditions by score."
    )
    kinds = ("NodeDetails", "Hits", "NodeList")
    found["content"]["application/json"]["schema"] = {
        "anyOf": [{"$ref": f"#/components/schemas/{kind}"} for kind in kinds]
    }
    found["content"] |= TEXT
    made.add_api_route(
        "/v1/nodes",
        nodes,
        responses={200: found, **ANSWERS},
        openapi_extra={"parameters": query_parameters((_NAMED, *parameters_of(SearchAsked)), {})},
    )
    return made


def nodes(request: Request) -> Response:
    """What is said of nodes, by whom and how well it is known; without a ref, which nodes there are, those
    that hold the words best first.
    """
    given, server = given_by(request), server_of(request)
    service = server.service
    if "ref" in given:
        details = service.details(given["ref"], _as_of_alone(given), server.principal)
        return _json(details, linking.of_nodes(service.iri(node.ref) for node in details.nodes))
    if given.keys() <= _OF_A_LIST:
        asked = read_params(SearchAsked, given)
        return _json(service.lists.nodes(str(asked.as_of), asked.cursor, asked.limit, asked.prefix))
    hits = service.search(given)
    return told(request, hits, lambda: sentences(hits))


def _as_of_alone(given: dict[str, list[str]]) -> str:
    for name, values in given.items():
        if name not in _OF_NAMED:
            raise BadQuestion(name, "it does not go with ref", f"use {' and '.join(_OF_NAMED)}")
        if name == "as_of" and len(values) > 1:
            raise BadQuestion(name, f"given {len(values)} times", "give it once")
    return given.get("as_of", [""])[0]


def _json(value: Any, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(value), headers=headers, media_type="application/json")
