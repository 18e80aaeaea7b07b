"""Cases on the command line: here or on a server, as a table, as text or as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from app.cases.forms import Case, CaseList, Deciding, Item, Listing, Opening, Rerunning, Run, Showing
from app.cases.telling import case_told, list_told, run_told
from app.faces.cli.acting import How
from app.faces.cli.shortening import NOTE, Shortener
from app.faces.cli.terminal import REFERENCE, console, print_lines, table
from provmodel.evidence import LOCAL
from queries.question import read_params

_JSON = "application/json"


def open_case(given: Mapping[str, Any], how: How) -> None:
    form = read_params(Opening, how.said(given))
    case = how.act(
        Case,
        lambda service: service.cases.open(form, LOCAL.name),
        lambda server: server.post("/v1/cases", msgspec.json.encode(form), _JSON),
    )
    how.tell(case, case_told(case), _show)


def list_cases(given: Mapping[str, Any], how: How) -> None:
    form = read_params(Listing, given)
    found = how.act(
        CaseList, lambda service: service.cases.listed(form), lambda server: server.get("/v1/cases", given)
    )
    how.tell(found, list_told(found), _show_list)


def show(number: int, given: Mapping[str, Any], how: How) -> None:
    form = read_params(Showing, given)
    case = how.act(
        Case,
        lambda service: service.cases.show(number, form),
        lambda server: server.get(f"/v1/cases/{number}", given),
    )
    how.tell(case, case_told(case), _show)


def decide(number: int, given: Mapping[str, Any], how: How) -> None:
    form = read_params(Deciding, how.said(given))
    case = how.act(
        Case,
        lambda service: service.cases.decide(number, form, LOCAL.name),
        lambda server: server.post(f"/v1/cases/{number}/actions", msgspec.json.encode(form), _JSON),
    )
    how.tell(case, case_told(case), _show)


def rerun(number: int, given: Mapping[str, Any], how: How) -> None:
    form = read_params(Rerunning, how.said(given))
    run = how.act(
        Run,
        lambda service: service.cases.rerun(number, form, LOCAL.name),
        lambda server: server.post(f"/v1/cases/{number}/runs", msgspec.json.encode(form), _JSON),
    )
    how.tell(run, run_told(run), lambda run: print_lines(run_told(run), Shortener(run_told(run))))


def _show(case: Case) -> None:
    """The case in sentences, and its items in a table."""
    told = case_told(msgspec.structs.replace(case, items=[]))
    short = Shortener([*told, *(item.ref for item in case.items)])
    print_lines(told, short)
    if case.items:
        rows = [_row(item, short) for item in case.items]
        console().print()
        console().print(table("", (REFERENCE, "kind", "known", "by way of", "state"), rows))
    print_lines(["", NOTE] if short.cuts else [])


def _row(item: Item, short: Shortener) -> tuple[str, ...]:
    found = item.found
    state: list[str] = [item.state] if item.decided_by or not item.gone else []
    state += [f"gone: {short(item.why)}" if item.why else "gone"] if item.gone else []
    state += ["changed since"] if item.changed and not item.gone else []
    kind = f"{found.kind}, {found.standing}" if found.standing else found.kind
    return short(item.ref), kind, found.evidence, ", ".join(found.links), ", ".join(state)


def _show_list(found: CaseList) -> None:
    told = list_told(found)
    print_lines(told, Shortener(told))
