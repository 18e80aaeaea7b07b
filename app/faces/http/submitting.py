"""POST /v1/documents: a PROV document in any format that is read."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from app.faces.http.admitting import admit
from app.faces.http.guard import COUNTED_AS
from app.faces.http.intake import UNSAID, inflate, media_type
from app.faces.http.problems import Problem, problem, respond
from app.faces.http.server import Server, server_of
from app.service import Sent, Submitted
from provmodel import formats
from provmodel.errors import BadQuestion, Unreadable

PATH = "/v1/documents"
PARAMETERS = {
    "name": "What the document is called; without it, the beginning of its digest.",
    "format": "The name of its format; without it Content-Type says it, or looking.",
    "source": "Who submits it; without it, the credential.",
    "asserter": "Who says what it says, where it doesn't say so itself; without it, the source.",
    "evidence_cap": "The highest evidence that its statements keep.",
}
# Media types that say nothing of the format.
_UNTOLD = UNSAID | {"application/octet-stream", "text/plain"}


def media_types() -> list[str]:
    """Every media type of a format that is read."""
    return [kind for form in formats.documents().values() if form.read for kind in form.media_types]


def routes() -> list[BaseRoute]:
    """The address that takes documents."""
    return [Route(PATH, submit, methods=["POST"])]


async def submit(request: Request) -> Response:
    """Read the body within its limits, and answer in a thread."""
    request.scope[COUNTED_AS] = PATH
    await admit(request, "ingest")
    server = server_of(request)
    data = await server.intake.read(request)
    try:
        return await run_in_threadpool(_submitted, server, request, data)
    finally:
        server.intake.done(len(data))


def _submitted(server: Server, request: Request, data: bytes) -> Response:
    plain = inflate(data, request.headers.get("content-encoding", ""), server.intake.limit)
    try:
        done = server.service.submit(_sent(request, plain), server.principal)
    except Unreadable as error:
        return respond(_unreadable(error))
    server.metrics.items([done.status])
    if done.status == "conflict":
        return respond(_conflict(done))
    return Response(msgspec.json.encode(done), media_type="application/json")


def _sent(request: Request, data: bytes) -> Sent:
    given = dict(request.query_params)
    for name in given:
        if name not in PARAMETERS:
            raise BadQuestion(name, "there is no such parameter", f"use {', '.join(PARAMETERS)}")
    kind = media_type(request)
    return Sent(
        data=data,
        form=given.get("format") or ("" if kind in _UNTOLD else kind),
        name=given.get("name", ""),
        source=given.get("source", ""),
        asserter=given.get("asserter", ""),
        cap=given.get("evidence_cap", ""),
    )


def _unreadable(error: Unreadable) -> Problem:
    """What can be read but says what no document may is refused (422); what can't be read is unreadable."""
    name, status = ("refused", 422) if error.where.startswith("/") else ("unreadable", 400)
    members: dict[str, Any] = {"field": error.where, "reason": error.reason, "remedy": error.remedy}
    return problem(name, status, str(error), **members)


def _conflict(done: Submitted) -> Problem:
    detail = (
        f"event {done.first_seq} is another document of the name {done.document!r}; both are kept and flagged"
    )
    return problem(
        "conflict",
        409,
        detail,
        id=done.document,
        source=done.source,
        seq=done.seq,
        first_seq=done.first_seq,
        remedy="give each document a name of its own",
    )
