"""GET /v1/me: as whom the service takes who asks, and whose graph it answers from."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from app.faces.http.admitting import needs
from app.faces.http.describing import ANSWERS, ref
from app.faces.http.server import server_of


class Me(msgspec.Struct, frozen=True):
    """``name`` is that of the credential; ``open`` says that this server asks for none."""

    tenant: str
    name: str
    scopes: tuple[str, ...]
    open: bool


def router() -> APIRouter:
    made = APIRouter(tags=["operation"], dependencies=[needs("graph:read")])
    known = ref("Me", "The tenant, the credential and what it may do.")
    made.add_api_route("/v1/me", me, summary="Who asks", responses={200: known, **ANSWERS})
    return made


def me(request: Request) -> Response:
    """Whose graph it is, and what the credential that is shown may do."""
    server = server_of(request)
    told = Me(
        server.service.tenant, server.principal.name, tuple(sorted(server.scopes)), not server.gate.required
    )
    return Response(msgspec.json.encode(told), media_type="application/json")
