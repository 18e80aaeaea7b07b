"""Addresses that read a form from a JSON body, do something, and tell what came of it; and how OpenAPI
describes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from app.faces.http.describing import ANSWERS, SCHEMAS, TEXT, query_parameters, ref, trouble
from app.faces.http.intake import UNSAID, Unsupported, inflate, media_type
from app.faces.http.server import Server, server_of
from app.faces.http.telling import told
from provmodel.errors import BadQuestion, Unreadable
from queries.question import parameters_of, read_params

JSON = "application/json"
Verb = Callable[[Request, Server, Any], tuple[Any, Sequence[str]]]
"""Takes the form that was read; gives a value, and sentences about it."""

_TAKEN: dict[int | str, dict[str, Any]] = {
    400: trouble("The body is no JSON."),
    415: trouble("The body is in a form that is not understood."),
    **ANSWERS,
}


def posted(form: type[msgspec.Struct], verb: Verb) -> Callable[..., Any]:
    """An address that reads a form from the body, and does something with it in a thread."""

    async def post(request: Request) -> Response:
        server = server_of(request)
        data = await server.intake.read(request)
        try:
            return await run_in_threadpool(_answered, request, server, form, verb, data)
        finally:
            server.intake.done(len(data))

    post.__doc__ = (form.__doc__ or "").strip()
    return post


def _answered(
    request: Request, server: Server, form: type[msgspec.Struct], verb: Verb, data: bytes
) -> Response:
    if media_type(request) not in UNSAID | {JSON}:
        raise Unsupported(media_type(request), f"send {JSON}", ("Accept", JSON))
    for name in request.query_params:
        raise BadQuestion(name, "there is no such parameter", "put it into the body")
    plain = inflate(data, request.headers.get("content-encoding", ""), server.intake.limit)
    value, sentences = verb(request, server, _form(form, plain))
    return told(request, value, lambda: sentences)


def _form(form: type[msgspec.Struct], data: bytes) -> Any:
    try:
        given = msgspec.json.decode(data or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable("body", str(error), "send a JSON object") from None
    if not isinstance(given, dict):
        raise Unreadable("body", "it is no JSON object", "send a JSON object")
    return read_params(form, given)


def described_reading(form: type[msgspec.Struct], schema: str, summary: str) -> dict[str, Any]:
    """How an address is described that takes the form as its query string."""
    return {
        "summary": summary,
        "responses": {200: _told_as(schema, summary), **ANSWERS},
        "openapi_extra": {"parameters": query_parameters(parameters_of(form), {})},
    }


def described_posting(
    form: type[msgspec.Struct],
    schema: str,
    summary: str,
    example: Mapping[str, Any],
    parameters: Sequence[Mapping[str, Any]] = (),
    required: bool = True,
) -> dict[str, Any]:
    """How an address is described that takes the form as its body."""
    body = {"schema": {"$ref": f"{SCHEMAS}{form.__name__}"}, "example": example}
    return {
        "summary": summary,
        "responses": {200: _told_as(schema, summary), **_TAKEN},
        "openapi_extra": {
            "parameters": list(parameters),
            "requestBody": {"required": required, "content": {JSON: body}},
        },
    }


def _told_as(schema: str, summary: str) -> dict[str, Any]:
    described = ref(schema, f"{summary}; as plain text a few sentences.")
    described["content"] |= TEXT
    return described
