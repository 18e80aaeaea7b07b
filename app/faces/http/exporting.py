"""GET /v1/export: PROV in a wire format, as a stream."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.faces.http import documents
from app.faces.http.describing import DOCUMENT
from app.faces.http.server import server_of
from provmodel import formats
from provmodel.errors import BadQuestion
from provmodel.statements import DETAILS
from queries import shelf

_OWN = ("format", "assertions", "run", "question")


def router() -> APIRouter:
    made = APIRouter(tags=["graph"])
    made.add_api_route(
        "/v1/export",
        export,
        responses={200: {"description": "The document.", "content": documents.content()}, **DOCUMENT},
        openapi_extra={"parameters": _questions_own()},
    )
    return made


def export(
    request: Request,
    form: Annotated[
        str,
        Query(
            alias="format",
            description="The format; without it the Accept header chooses, and then prov-json.",
            json_schema_extra={"enum": list(formats.writable())},
        ),
    ] = "",
    assertions: Annotated[
        str,
        Query(
            description="How many assertions become entities of their own.",
            json_schema_extra={"enum": list(DETAILS)},
        ),
    ] = "best",
    run: Annotated[str, Query(description="Only what the events of this run state.")] = "",
    question: Annotated[
        str, Query(description="Only the answer to this question, which the other parameters are for.")
    ] = "",
) -> Response:
    """The graph, one run or one answer as a PROV document. Nothing in it depends on the order of arrival."""
    given = {name: request.query_params.getlist(name) for name in request.query_params if name not in _OWN}
    if given and not question:
        raise BadQuestion(next(iter(given)), "there is no such parameter", f"use {', '.join(_OWN)}")
    wanted = documents.format_for(request, form)
    service = server_of(request).service
    return documents.sent(service.export(wanted, assertions, run or None, question or None, given))


def _questions_own() -> list[dict[str, object]]:
    """The parameters that a question takes, once each."""
    names: dict[str, dict[str, object]] = {}
    for question in shelf.questions().values():
        for one in question.parameters():
            names.setdefault(
                one.name,
                {
                    "name": one.name,
                    "in": "query",
                    "required": False,
                    "description": f"With question: {one.description}",
                    "schema": {"type": "array", "items": {"type": "string"}}
                    if one.repeatable
                    else {"type": "string"},
                },
            )
    return list(names.values())
