"""GET /v1/access: who read, exported, asked about a person, deleted, or was refused."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from app.access import MEANINGS, MOST, Listing, sentences
from app.faces.http.admitting import needs
from app.faces.http.describing import ANSWERS, TEXT, ref
from app.faces.http.listing import Cursor, only_known
from app.faces.http.server import server_of
from app.faces.http.telling import told

_VERBS = "Only with this verb. " + "; ".join(f"{verb}: {meaning}" for verb, meaning in MEANINGS.items()) + "."


def router() -> APIRouter:
    made = APIRouter(tags=["operation"], dependencies=[needs("access:read"), Depends(only_known)])
    found = ref("AccessList", "One page; as plain text a line each.")
    found["content"] |= TEXT
    made.add_api_route("/v1/access", accesses, summary="Who read what", responses={200: found, **ANSWERS})
    return made


def accesses(
    request: Request,
    target: Annotated[
        str, Query(description="Only what was done with this: a reference, its bodies included, or an id.")
    ] = "",
    principal: Annotated[str, Query(description="Only what the credential of this name did.")] = "",
    verb: Annotated[str, Query(description=_VERBS, json_schema_extra={"enum": list(MEANINGS)})] = "",
    cursor: Cursor = "",
    limit: Annotated[int, Query(ge=1, le=MOST, description="How many entries a page has.")] = 100,
) -> Response:
    """The record of access, the newest first. It is no part of the graph, and in no answer and no export."""
    wanted = Listing(target=target, principal=principal, verb=verb, cursor=cursor, limit=limit)
    found = server_of(request).service.who_read(wanted)
    return told(request, found, lambda: sentences(found))
