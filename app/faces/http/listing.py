"""GET: runs, events and sources, page by page."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from app.faces.http.admitting import needs
from app.faces.http.describing import ANSWERS, ref
from app.faces.http.server import server_of
from app.listing import MOST, Lists
from provmodel.errors import BadQuestion

AsOf = Annotated[
    str, Query(description="As it was known then: a seq of the log, or an RFC 3339 time; empty: now.")
]
LAST_SEQ = 2**63 - 1
"""What a store can count to."""
Cursor = Annotated[str, Query(description="Go on after the page that gave this cursor.")]
Limit = Annotated[int, Query(ge=1, le=MOST, description="How many entries a page has.")]


def only_known(request: Request) -> None:
    """A parameter that is not there is refused: left aside in silence, it would seem to have been heeded."""
    route = request.scope["route"]
    known = [field.alias for field in route.dependant.query_params]
    for name in request.query_params:
        if name not in known:
            raise BadQuestion(name, "there is no such parameter", f"use {', '.join(known) or 'none'}")


def router() -> APIRouter:
    made = APIRouter(tags=["graph"], dependencies=[needs("graph:read"), Depends(only_known)])
    for path, endpoint, schema in (
        ("/v1/events", events, "EventList"),
        ("/v1/runs", runs, "RunList"),
        ("/v1/sources", sources, "SourceList"),
        ("/v1/documents", documents, "DocumentList"),
    ):
        made.add_api_route(path, endpoint, responses={200: ref(schema, "One page."), **ANSWERS})
    return made


def events(
    request: Request,
    as_of: AsOf = "",
    cursor: Cursor = "",
    limit: Limit = 100,
    run: Annotated[str, Query(description="Only events of this run.")] = "",
    source: Annotated[str, Query(description="Only events of this source.")] = "",
    kind: Annotated[str, Query(alias="type", description="Only events of this type.")] = "",
    beyond: Annotated[
        int, Query(ge=0, le=LAST_SEQ, alias="after", description="Only events with a greater seq.")
    ] = 0,
) -> Response:
    """The log, in its order: what was accepted, and how it arrived."""
    return _json(_lists(request).events(as_of, cursor, limit, run, source, kind, beyond))


def runs(request: Request, as_of: AsOf = "", cursor: Cursor = "", limit: Limit = 100) -> Response:
    """Runs, the newest first; a run without a reported end is open, and that is no success."""
    return _json(_lists(request).runs(as_of, cursor, limit))


def sources(request: Request, as_of: AsOf = "", cursor: Cursor = "", limit: Limit = 1000) -> Response:
    """Who reports, what was received of it, and what its numbers show to be missing."""
    return _json(_lists(request).sources(as_of, cursor, limit))


def documents(request: Request, as_of: AsOf = "", cursor: Cursor = "", limit: Limit = 100) -> Response:
    """PROV documents that were submitted, by whom, when and with which digest; the oldest first."""
    return _json(server_of(request).service.documents.page(as_of, cursor, limit))


def _lists(request: Request) -> Lists:
    return server_of(request).service.lists


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")
