"""GET: bodies, and the keys of producers that do not send them."""

from __future__ import annotations

import base64
import re
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from app.bodies import Opened
from app.faces.http import linking
from app.faces.http.admitting import needs
from app.faces.http.describing import ANSWERS, ref, trouble
from app.faces.http.listing import only_known
from app.faces.http.server import server_of
from provmodel.computed import RUN_ALG

_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(; ?charset=[\w-]+)?\Z")
_SANDBOX = "default-src 'none'; sandbox"


class TagKey(msgspec.Struct, frozen=True):
    """The key under which a producer tags arguments that it must not send: ``key`` is base64 of 32 bytes."""

    run: str
    alg: str
    key: str


def router() -> APIRouter:
    made = APIRouter(tags=["graph"], dependencies=[Depends(only_known)])
    made.add_api_route(
        "/v1/content",
        content,
        dependencies=[needs("content:read")],
        responses={
            200: {"description": "The content.", "content": {"application/octet-stream": {}}},
            410: trouble("The content was deleted; the tombstone is told."),
            **ANSWERS,
        },
    )
    made.add_api_route(
        "/v1/runs/tag-key",
        tag_key,
        dependencies=[needs("ingest")],
        responses={200: ref("TagKey", "The key of the run."), **ANSWERS},
    )
    return made


def content(
    request: Request,
    wanted: Annotated[str, Query(alias="ref", description="A reference, or the id of a body.")],
) -> Response:
    """The content of a reference, to be saved and never shown by the browser itself."""
    clew = server_of(request).service
    opened = clew.bodies.open(wanted)
    named = clew.named(wanted)
    return Response(
        opened.content,
        headers={
            "Content-Type": _media_type(opened),
            "Content-Disposition": 'attachment; filename="content"',
            "Content-Security-Policy": _SANDBOX,
            "X-Clew-Body": opened.body.encode("ascii", "backslashreplace").decode(),
            "X-Clew-State": opened.state,
            "X-Clew-Bodies": str(opened.of),
            **linking.of_nodes([named] if named else []),
        },
    )


def _media_type(opened: Opened) -> str:
    """As delivered, when it is one at all; text is kept in UTF-8."""
    kind = opened.media_type
    if not _MEDIA_TYPE.match(kind):
        return "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") and ";" not in kind else kind


def tag_key(request: Request, run: Annotated[str, Query(min_length=1, description="The run.")]) -> Response:
    """The run's tag key (32 bytes, for HMAC over RFC 8785). Whoever has it can test guesses."""
    key = base64.b64encode(server_of(request).service.tag_key(run)).decode()
    return Response(msgspec.json.encode(TagKey(run, RUN_ALG, key)), media_type="application/json")
