"""GET /v1/export: PROV in a wire format, as a stream."""

from __future__ import annotations

from itertools import chain
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from app.faces.http import documents
from app.faces.http.admitting import needs
from app.faces.http.describing import DOCUMENT
from app.faces.http.server import server_of
from app.replay import FILE, MEDIA_TYPE
from provmodel.errors import BadQuestion
from queries import shelf

_OWN = ("format", "assertions", "run", "question", "document", "replay")


_HIDE: dict[str, object] = {
    "name": "hide",
    "in": "query",
    "required": False,
    "description": "With question: leave out nodes of this kind (entity, activity, agent) or with this mark, "
    "and edges of this evidence (or refuted). Repeatable.",
    "schema": {"type": "array", "items": {"type": "string"}},
}
_BUNDLE = {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}


def router() -> APIRouter:
    made = APIRouter(tags=["graph"], dependencies=[needs("export")])
    made.add_api_route(
        "/v1/export",
        export,
        responses={
            200: {"description": "The document.", "content": {**documents.content(), **_BUNDLE}},
            **DOCUMENT,
        },
        openapi_extra={"parameters": _questions_own()},
    )
    return made


def export(
    request: Request,
    form: documents.Form = "",
    assertions: documents.Assertions = "best",
    run: Annotated[str, Query(description="Only what the events of this run state.")] = "",
    question: Annotated[
        str, Query(description="Only the answer to this question, which the other parameters are for.")
    ] = "",
    document: Annotated[
        str, Query(description="Only this document, as it was submitted: its name, reference or digest.")
    ] = "",
    replay: Annotated[
        str,
        Query(description="What a re-run of this run needs: contents, events and a manifest, as a ZIP file."),
    ] = "",
) -> Response:
    """The graph, one run or one answer as a PROV document. Nothing in it depends on the order of arrival."""
    if replay:
        return _replay(request, replay)
    given = {name: request.query_params.getlist(name) for name in request.query_params if name not in _OWN}
    if given and not question:
        raise BadQuestion(next(iter(given)), "there is no such parameter", f"use {', '.join(_OWN)}")
    wanted = documents.format_for(request, form)
    server = server_of(request)
    made = server.service.export(
        wanted, assertions, run or None, question or None, given, document or None, server.principal
    )
    return documents.sent(made)


def _replay(request: Request, run: str) -> Response:
    others = sorted(set(request.query_params) - {"replay"})
    if others:
        raise BadQuestion(others[0], "what a re-run needs is written whole", "leave it out")
    server = server_of(request)
    chunks = server.service.replay(run, "content:read" in server.scopes, server.principal)
    first = next(chunks)  # a run that can't be replayed says so before the answer begins
    headers = {"Content-Disposition": f'attachment; filename="{FILE}"'}
    return StreamingResponse(chain([first], chunks), media_type=MEDIA_TYPE, headers=headers)


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
    return [*names.values(), _HIDE]
