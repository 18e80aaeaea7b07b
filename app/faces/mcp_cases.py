"""Cases as MCP tools: open one, list them, show, decide, ask again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.cases.forms import Deciding, Listing, Opening, Rerunning, Showing
from app.cases.telling import case_told, list_told, run_told
from app.faces.mcp_tools import VerbTool
from app.service import Service
from provmodel.errors import BadQuestion
from provmodel.evidence import LOCAL
from queries.question import Parameter, parameters_of, read_params

_CASE = Parameter(
    name="case",
    kind="integer",
    repeatable=False,
    default=None,
    description="The number of the case.",
    minimum=1,
)


def _open(service: Service, given: Mapping[str, Any]) -> tuple[Any, Sequence[str]]:
    case = service.cases.open(read_params(Opening, given), LOCAL.name)
    return case, case_told(case)


def _list(service: Service, given: Mapping[str, Any]) -> tuple[Any, Sequence[str]]:
    found = service.cases.listed(read_params(Listing, given))
    return found, list_told(found)


def _show(service: Service, given: Mapping[str, Any]) -> tuple[Any, Sequence[str]]:
    number, rest = _numbered(given)
    case = service.cases.show(number, read_params(Showing, rest))
    return case, case_told(case)


def _decide(service: Service, given: Mapping[str, Any]) -> tuple[Any, Sequence[str]]:
    number, rest = _numbered(given)
    case = service.cases.decide(number, read_params(Deciding, rest), LOCAL.name)
    return case, case_told(case)


def _rerun(service: Service, given: Mapping[str, Any]) -> tuple[Any, Sequence[str]]:
    number, rest = _numbered(given)
    run = service.cases.rerun(number, read_params(Rerunning, rest), LOCAL.name)
    return run, run_told(run)


def _numbered(given: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    number = given.get("case")
    if not isinstance(number, int) or number < 1:
        raise BadQuestion(
            "case", f"{number!r} is no number of a case", "give the number that case-list tells"
        )
    return number, {name: value for name, value in given.items() if name != "case"}


TOOLS = (
    VerbTool(
        "case-open",
        "Make a worklist of the reports and writes that a retracted input affects.",
        parameters_of(Opening),
        True,
        _open,
    ),
    VerbTool("case-list", "List the cases, newest first.", parameters_of(Listing), False, _list),
    VerbTool(
        "case-show",
        "Show a case: its items, what was decided, and what is missing.",
        (_CASE, *parameters_of(Showing)),
        False,
        _show,
    ),
    VerbTool(
        "case-decide",
        "Acknowledge, clear, reopen or note items of a case.",
        (_CASE, *parameters_of(Deciding)),
        True,
        _decide,
    ),
    VerbTool(
        "case-rerun",
        "Ask a case again: what is new, gone or affected otherwise.",
        (_CASE, *parameters_of(Rerunning)),
        True,
        _rerun,
    ),
)
