"""GET /v1/export: PROV in a wire format, as a stream."""

from __future__ import annotations

from itertools import chain
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from app import exporting
from app.faces.http import documents
from app.faces.http.admitting import needs
from app.faces.http.describing import DOCUMENT, query_parameters
from app.faces.http.given import given_by
from app.faces.http.server import server_of
from app.replay import FILE, MEDIA_TYPE

_BUNDLE: dict[str, Any] = {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}


def router() -> APIRouter:
    made = APIRouter(tags=["graph"], dependencies=[needs("export")])
    made.add_api_route(
        "/v1/export",
        export,
        responses={
            200: {"description": "The document.", "content": {**documents.content(), **_BUNDLE}},
            **DOCUMENT,
        },
        openapi_extra={"parameters": query_parameters(exporting.parameters(), {})},
    )
    return made


def export(request: Request) -> Response:
    """The graph, one run or one answer as a PROV document. Nothing in it depends on the order of arrival."""
    form, asked = exporting.read(given_by(request))
    if form.replay:
        return _replay(request, form.replay)
    server = server_of(request)
    made = server.service.export(
        documents.format_for(request, form.format),
        form.assertions,
        form.run or None,
        form.question or None,
        asked,
        form.document or None,
        server.principal,
    )
    return documents.sent(made)


def _replay(request: Request, run: str) -> Response:
    server = server_of(request)
    chunks = server.service.replay(run, "content:read" in server.scopes, server.principal)
    first = next(chunks)  # a run that can't be replayed says so before the answer begins
    headers = {"Content-Disposition": f'attachment; filename="{FILE}"'}
    return StreamingResponse(chain([first], chunks), media_type=MEDIA_TYPE, headers=headers)
