"""/v1/restrictions: which groups of readers may see what has a label."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from app.faces.http.admitting import needs
from app.faces.http.describing import ANSWERS, SCHEMAS, TEXT, ref, trouble
from app.faces.http.intake import UNSAID, Unsupported, inflate, media_type
from app.faces.http.listing import only_known
from app.faces.http.server import Server, server_of
from app.faces.http.telling import told
from app.restrictions import LONGEST, Readers, sentences
from provmodel.errors import BadQuestion, Unreadable
from provmodel.explaining import explained

_JSON = "application/json"
_PATH = "/v1/restrictions"
Label = Annotated[
    str,
    Query(
        min_length=1,
        max_length=LONGEST,
        description="The class of versions, or what is said under access of anything.",
    ),
]
_BODY = {
    "required": True,
    "content": {
        _JSON: {"schema": {"$ref": f"{SCHEMAS}Readers"}, "example": {"groups": ["finance", "audit"]}}
    },
}
_TAKEN: dict[int | str, dict[str, Any]] = {
    400: trouble("The body is no JSON."),
    415: trouble("The body is in a form that is not understood."),
    422: ANSWERS[422],
    503: ANSWERS[503],
}


def router() -> APIRouter:
    made = APIRouter(tags=["operation"], dependencies=[needs("admin"), Depends(only_known)])
    found = ref("RestrictionList", "All of them; as plain text a line each.")
    found["content"] |= TEXT
    made.add_api_route(
        _PATH, listed, summary="Who may see what has a label", responses={200: found, 503: ANSWERS[503]}
    )
    made.add_api_route(
        _PATH,
        restrict,
        methods=["PUT"],
        summary="Say who may see what has a label",
        responses={200: ref("Restriction", "The rule, in force."), **_TAKEN},
        openapi_extra={"requestBody": _BODY},
    )
    made.add_api_route(
        _PATH,
        lift,
        methods=["DELETE"],
        status_code=204,
        summary="Let everybody who reads see what has a label",
        responses={204: {"description": "Lifted."}, **ANSWERS},
    )
    return made


def listed(request: Request) -> Response:
    """The rules in force, by label. What has a label without one is seen by everybody who reads."""
    found = server_of(request).service.restrictions.listed()
    return told(request, found, lambda: sentences(found))


async def restrict(request: Request, label: Label) -> Response:
    """From now on only readers of these groups see what has the label, and what is named like it; no group is
    nobody. The others see that something is there. It holds for what was recorded before, and for answers as
    of an earlier time.
    """
    server = server_of(request)
    data = await server.intake.read(request)
    try:
        return await run_in_threadpool(_restricted, request, server, label, data)
    finally:
        server.intake.done(len(data))


def _restricted(request: Request, server: Server, label: str, data: bytes) -> Response:
    if media_type(request) not in UNSAID | {_JSON}:
        raise Unsupported(media_type(request), f"send {_JSON}", ("Accept", _JSON))
    plain = inflate(data, request.headers.get("content-encoding", ""), server.intake.limit)
    try:
        readers = msgspec.json.decode(plain, type=Readers)
    except msgspec.ValidationError as error:
        field, reason = explained(str(error))
        raise BadQuestion(field or "body", reason, 'send {"groups": [...]}') from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable("body", str(error), 'send {"groups": [...]}') from None
    made = server.service.restrictions.restrict(label, readers.groups, server.principal.name)
    return Response(msgspec.json.encode(made), media_type=_JSON)


def lift(request: Request, label: Label) -> Response:
    """From now on everybody who reads sees what has the label, unless another label hides it."""
    server = server_of(request)
    server.service.restrictions.lift(label, server.principal.name)
    return Response(status_code=204)
