"""/v1/cases: worklists of what a retraction affects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from app.cases.forms import Deciding, Listing, Opening, Rerunning, Showing
from app.cases.telling import case_told, list_told, run_told
from app.faces.http.admitting import needs
from app.faces.http.describing import ANSWERS, SCHEMAS, TEXT, query_parameters, ref, trouble
from app.faces.http.given import given_by
from app.faces.http.intake import UNSAID, Unsupported, inflate, media_type
from app.faces.http.server import Server, server_of
from app.faces.http.telling import told
from provmodel.errors import BadQuestion, Unreadable
from queries.question import parameters_of, read_params

_JSON = "application/json"
_WHICH = "The number of the case."
_PATH = {"name": "case", "in": "path", "required": True, "schema": {"type": "string"}, "description": _WHICH}
_EXAMPLES: dict[type[msgspec.Struct], dict[str, Any]] = {
    Opening: {"target": ["document:tariff-2025"], "title": "The tariff of 2025 was taken back", "by": "ann"},
    Deciding: {"verb": "clear", "ref": ["ledger:account-4711"], "note": "Paid back by hand.", "by": "ann"},
    Rerunning: {"by": "ann"},
}
_TAKEN: dict[int | str, dict[str, Any]] = {
    400: trouble("The body is no JSON."),
    415: trouble("The body is in a form that is not understood."),
    **ANSWERS,
}


def router() -> APIRouter:
    made = APIRouter(tags=["cases"], dependencies=[needs("graph:read")])
    made.add_api_route(
        "/v1/cases", _posted(Opening, _open), methods=["POST"], **_described(Opening, "Case", "Open a case")
    )
    made.add_api_route("/v1/cases", listed, **_read(Listing, "CaseList", "The cases"))
    made.add_api_route("/v1/cases/{case}", shown, **_read(Showing, "Case", "A case with its items"))
    made.add_api_route(
        "/v1/cases/{case}/actions",
        _posted(Deciding, _decide),
        methods=["POST"],
        **_described(Deciding, "Case", "Acknowledge, clear, reopen or note items"),
    )
    made.add_api_route(
        "/v1/cases/{case}/runs",
        _posted(Rerunning, _rerun),
        methods=["POST"],
        **_described(Rerunning, "Run", "Ask again, and see what differs"),
    )
    return made


# Reading


def listed(request: Request) -> Response:
    """Cases, newest first, with how much of each is still to be seen to."""
    cases = server_of(request).service.cases.listed(read_params(Listing, given_by(request)))
    return told(request, cases, lambda: list_told(cases))


def shown(request: Request, case: Annotated[str, Path(description=_WHICH)]) -> Response:
    """A case: what is affected and how, what was decided, each asking, and what its answers lack."""
    found = server_of(request).service.cases.show(_number(case), read_params(Showing, given_by(request)))
    return told(request, found, lambda: case_told(found))


# Writing

Verb = Callable[[Request, Server, Any], tuple[Any, list[str]]]


def _posted(form: type[msgspec.Struct], verb: Verb) -> Callable[..., Any]:
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
    if media_type(request) not in UNSAID | {_JSON}:
        raise Unsupported(media_type(request), f"send {_JSON}", ("Accept", _JSON))
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


def _open(_: Request, server: Server, form: Opening) -> tuple[Any, list[str]]:
    case = server.service.cases.open(form, server.principal.name)
    return case, case_told(case)


def _decide(request: Request, server: Server, form: Deciding) -> tuple[Any, list[str]]:
    case = server.service.cases.decide(_number(request.path_params["case"]), form, server.principal.name)
    return case, case_told(case)


def _rerun(request: Request, server: Server, form: Rerunning) -> tuple[Any, list[str]]:
    run = server.service.cases.rerun(_number(request.path_params["case"]), form, server.principal.name)
    return run, run_told(run)


_DIGITS = 18  # of a number that a store can compare


def _number(case: str) -> int:
    if not case.isdecimal() or len(case) > _DIGITS:
        raise BadQuestion("case", f"{case!r} is no number of a case", "give the number that /v1/cases tells")
    return int(case)


# Describing


def _read(form: type[msgspec.Struct], schema: str, summary: str) -> dict[str, Any]:
    return {
        "summary": summary,
        "responses": {200: _told_as(schema, summary), **ANSWERS},
        "openapi_extra": {"parameters": query_parameters(parameters_of(form), {})},
    }


def _described(form: type[msgspec.Struct], schema: str, summary: str) -> dict[str, Any]:
    body = {"schema": {"$ref": f"{SCHEMAS}{form.__name__}"}, "example": _EXAMPLES[form]}
    return {
        "summary": summary,
        "responses": {200: _told_as(schema, summary), **_TAKEN},
        "openapi_extra": {
            "parameters": [] if form is Opening else [_PATH],
            "requestBody": {"required": form is not Rerunning, "content": {_JSON: body}},
        },
    }


def _told_as(schema: str, summary: str) -> dict[str, Any]:
    described = ref(schema, f"{summary}; as plain text a few sentences.")
    described["content"] |= TEXT
    return described
