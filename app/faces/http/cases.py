"""/v1/cases: worklists of what a retraction affects."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from app.cases.forms import Deciding, Listing, Opening, Rerunning, Showing
from app.cases.telling import case_told, list_told, run_told
from app.faces.http.admitting import needs
from app.faces.http.given import given_by
from app.faces.http.posting import described_posting, described_reading, posted
from app.faces.http.server import Server, server_of
from app.faces.http.telling import told
from provmodel.errors import BadQuestion
from queries.question import read_params

_WHICH = "The number of the case."
_PATH = {"name": "case", "in": "path", "required": True, "schema": {"type": "string"}, "description": _WHICH}
_EXAMPLES: dict[type[msgspec.Struct], dict[str, Any]] = {
    Opening: {"target": ["document:tariff-2025"], "title": "The tariff of 2025 was taken back", "by": "ann"},
    Deciding: {"verb": "clear", "ref": ["ledger:account-4711"], "note": "Paid back by hand.", "by": "ann"},
    Rerunning: {"by": "ann"},
}


def router() -> APIRouter:
    made = APIRouter(tags=["cases"], dependencies=[needs("graph:read")])
    made.add_api_route(
        "/v1/cases", posted(Opening, _open), methods=["POST"], **_described(Opening, "Case", "Open a case")
    )
    made.add_api_route("/v1/cases", listed, **described_reading(Listing, "CaseList", "The cases"))
    made.add_api_route(
        "/v1/cases/{case}", shown, **described_reading(Showing, "Case", "A case with its items")
    )
    made.add_api_route(
        "/v1/cases/{case}/actions",
        posted(Deciding, _decide),
        methods=["POST"],
        **_described(Deciding, "Case", "Acknowledge, clear, reopen or note items"),
    )
    made.add_api_route(
        "/v1/cases/{case}/runs",
        posted(Rerunning, _rerun),
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


def _described(form: type[msgspec.Struct], schema: str, summary: str) -> dict[str, Any]:
    path = () if form is Opening else (_PATH,)
    return described_posting(form, schema, summary, _EXAMPLES[form], path, form is not Rerunning)
