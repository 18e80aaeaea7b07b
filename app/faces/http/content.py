"""Bodies: GET, PUT and DELETE, streamed; and the keys of producers that do not send them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import AsyncIterator, Iterator
from itertools import chain
from typing import Annotated

import msgspec
from anyio import from_thread
from fastapi import APIRouter, Depends, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from app.actors import RULE
from app.bodies import Opened
from app.faces.http import linking
from app.faces.http.admitting import admit, needs
from app.faces.http.describing import ANSWERS, ref, trouble
from app.faces.http.guard import COUNTED_AS
from app.faces.http.intake import UNSAID, Unsupported, announced, media_type
from app.faces.http.listing import only_known
from app.faces.http.ranges import wanted
from app.faces.http.server import Server, server_of
from app.keeping.forms import Deleting
from app.keeping.work import Keeping
from app.retention import REASONS
from app.service.capturing import Offer
from provmodel.errors import Refused
from queries.question import read_params

PATH = "/v1/content"
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(; ?charset=[\w-]+)?\Z")
_SANDBOX = "default-src 'none'; sandbox"
_SHA256 = re.compile(r"sha-256=:([A-Za-z0-9+/=]+):")
_DIGEST_BYTES = 32


class TagKey(msgspec.Struct, frozen=True):
    """The key under which a producer tags arguments that it must not send: ``key`` is base64 of 32 bytes."""

    run: str
    alg: str
    key: str


def router() -> APIRouter:
    made = APIRouter(tags=["graph"], dependencies=[Depends(only_known)])
    made.add_api_route(
        PATH,
        content,
        dependencies=[needs("content:read")],
        responses={
            200: {"description": "The content.", "content": {"application/octet-stream": {}}},
            206: {"description": "The range of it.", "content": {"application/octet-stream": {}}},
            410: trouble("The content was deleted; the tombstone is told."),
            416: trouble("The range begins beyond the end."),
            **ANSWERS,
        },
    )
    made.add_api_route(
        PATH,
        delete,
        methods=["DELETE"],
        dependencies=[needs("retention:manage")],
        responses={
            200: ref("Forgotten", "Gone from everywhere that is named."),
            410: trouble("It was deleted before; the tombstone is told."),
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


def routes() -> list[BaseRoute]:
    """The address that takes content."""
    return [Route(PATH, put, methods=["PUT"])]


def content(
    request: Request,
    named: Annotated[str, Query(alias="ref", description="A reference, or the id of a body.")],
) -> Response:
    """The content of a reference, to be saved and never shown by the browser itself. A `Range` is heeded."""
    server = server_of(request)
    clew = server.service
    opened = clew.read(named, server.principal)
    node = clew.named(named)
    part = wanted(request.headers.get("range", ""), opened.size)
    start, end = part or (0, opened.size)
    chunks = opened.read(start, end)
    first = next(chunks, b"")  # what can't be opened is told by the status, not by a stream that ends
    headers = {
        "Content-Type": _media_type(opened),
        "Content-Length": str(end - start),
        "Content-Disposition": 'attachment; filename="content"',
        "Content-Security-Policy": _SANDBOX,
        "Accept-Ranges": "bytes",
        "X-Clew-Body": opened.body.encode("ascii", "backslashreplace").decode(),
        "X-Clew-State": opened.state,
        "X-Clew-Bodies": str(opened.of),
        **linking.of_nodes([node] if node else []),
    }
    if part:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{opened.size}"
    return StreamingResponse(chain([first], chunks), 206 if part else 200, headers)


def delete(
    request: Request,
    named: Annotated[str, Query(alias="ref", description="A reference, or the id of a body.")],
    actor: Annotated[str, Query(description=f"Who asks for it. {RULE}")] = "",
    reason_class: Annotated[
        str, Query(description="Why, in one word.", json_schema_extra={"enum": list(REASONS)})
    ] = "other",
    reason: Annotated[str, Query(description="Why, in words; kept as a body of its own.")] = "",
) -> Response:
    """Delete content before its time. The graph keeps its place, and a tombstone tells of it."""
    server = server_of(request)
    given = {"ref": named, "reason_class": reason_class, "reason": reason, "by": actor}
    done = Keeping(server.service).delete(read_params(Deleting, given), server.principal)
    return Response(msgspec.json.encode(done), media_type="application/json")


async def put(request: Request) -> Response:
    """Keep the content of something that is known: the body of the request, whatever its length."""
    request.scope[COUNTED_AS] = PATH
    await admit(request, "ingest")
    server = server_of(request)
    offer = _offer(request)
    return await run_in_threadpool(_put, server, offer, request.stream())


def _put(server: Server, offer: Offer, stream: AsyncIterator[bytes]) -> Response:
    captured = server.service.capture(offer, _chunks(stream), server.principal)
    server.metrics.items([captured.result.status])
    return Response(msgspec.json.encode(captured), 201, media_type="application/json")


def _chunks(stream: AsyncIterator[bytes]) -> Iterator[bytes]:
    """What comes over the network, in the thread that takes it in."""

    async def one() -> bytes | None:
        return await anext(stream, None)

    while (chunk := from_thread.run(one)) is not None:
        yield chunk


def _offer(request: Request) -> Offer:
    """What the address and the headers say of the content; raises :class:`Refused`."""
    given = dict(request.query_params)
    unknown = given.keys() - {"ref", "as", "run", "label"}
    if unknown:
        raise Refused(
            min(unknown),
            "there is no such parameter",
            "there are ref, as (content or label), run, label",
        )
    if not given.get("ref"):
        raise Refused("ref", "it names nothing", "name what this is the content of")
    if given.get("as", "content") not in ("content", "label"):
        raise Refused("as", f"it is {given['as']!r}", "give content or label")
    coding = request.headers.get("content-encoding", "identity")
    if coding != "identity":
        raise Unsupported(
            coding, "send it as it is, without Content-Encoding", ("Accept-Encoding", "identity")
        )
    return Offer(
        ref=given["ref"],
        media_type="" if media_type(request) in UNSAID else request.headers["content-type"][:256],
        as_="label" if given.get("as") == "label" else "content",
        run=given.get("run"),
        label=given.get("label"),
        sha256=_digest(request.headers.get("content-digest", "")),
        size=announced(request) if "content-length" in request.headers else None,
    )


def _digest(header: str) -> bytes | None:
    """The SHA-256 of a Content-Digest (RFC 9530); other algorithms are not looked at."""
    found = _SHA256.search(header)
    if not found:
        return None
    try:
        digest = binascii.a2b_base64(found[1].encode(), strict_mode=True)
    except binascii.Error:
        digest = b""
    if len(digest) != _DIGEST_BYTES:
        raise Refused("Content-Digest", "its sha-256 is no base64 of 32 bytes", "send sha-256=:BASE64:")
    return digest


def _media_type(opened: Opened) -> str:
    """As delivered, when it is one at all; text is kept in UTF-8."""
    kind = opened.media_type
    if not _MEDIA_TYPE.match(kind):
        return "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") and ";" not in kind else kind


def tag_key(request: Request, run: Annotated[str, Query(min_length=1, description="The run.")]) -> Response:
    """The run's tag key (32 bytes, for HMAC over RFC 8785). Whoever has it can test guesses.

    A producer needs it before its first event: a run is answered for of which nothing is recorded yet.
    """
    alg, key = server_of(request).service.tag_key(run)
    told = TagKey(run, alg, base64.b64encode(key).decode())
    return Response(msgspec.json.encode(told), media_type="application/json")
