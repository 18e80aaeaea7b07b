"""Cases on the command line: here or on a server, as a table, as text or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from app.cases.forms import Case, CaseList, Deciding, Item, Listing, Opening, Rerunning, Run, Showing
from app.cases.telling import case_told, list_told, run_told
from app.cases.work import Cases
from app.faces.cli.opening import opened
from app.faces.cli.remote import Server
from app.faces.cli.shortening import NOTE, Shortener
from app.faces.cli.terminal import (
    REFERENCE,
    console,
    only_one,
    print_json,
    print_lines,
    print_text,
    table,
)
from provmodel.evidence import LOCAL
from queries.question import read_params

T = TypeVar("T")
_JSON = "application/json"


class How(NamedTuple):
    """Where a command acts, and in which form it answers."""

    db: str | None
    url: str | None
    json: bool
    text: bool

    def act(self, kind: type[T], here: Callable[[Cases], T], there: Callable[[Server], bytes]) -> T:
        """Do it here, or on a server."""
        only_one(self.json, self.text)
        if self.url:
            return msgspec.json.decode(there(Server(self.url)), type=kind)
        with opened(self.db) as service:
            return here(service.cases)

    def tell(self, value: T, sentences: Sequence[str], show: Callable[[T], None]) -> None:
        if self.json:
            print_json(value)
        elif self.text:
            print_text(sentences)
        else:
            show(value)


def open_case(given: Mapping[str, Any], how: How) -> None:
    form = read_params(Opening, given)
    case = how.act(
        Case,
        lambda cases: cases.open(form, LOCAL.name),
        lambda server: server.post("/v1/cases", msgspec.json.encode(form), _JSON),
    )
    how.tell(case, case_told(case), _show)


def list_cases(given: Mapping[str, Any], how: How) -> None:
    form = read_params(Listing, given)
    found = how.act(CaseList, lambda cases: cases.listed(form), lambda server: server.get("/v1/cases", given))
    how.tell(found, list_told(found), _show_list)


def show(number: int, given: Mapping[str, Any], how: How) -> None:
    form = read_params(Showing, given)
    case = how.act(
        Case,
        lambda cases: cases.show(number, form),
        lambda server: server.get(f"/v1/cases/{number}", given),
    )
    how.tell(case, case_told(case), _show)


def decide(number: int, given: Mapping[str, Any], how: How) -> None:
    form = read_params(Deciding, given)
    case = how.act(
        Case,
        lambda cases: cases.decide(number, form, LOCAL.name),
        lambda server: server.post(f"/v1/cases/{number}/actions", msgspec.json.encode(form), _JSON),
    )
    how.tell(case, case_told(case), _show)


def rerun(number: int, given: Mapping[str, Any], how: How) -> None:
    form = read_params(Rerunning, given)
    run = how.act(
        Run,
        lambda cases: cases.rerun(number, form, LOCAL.name),
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
    print_lines([NOTE] if short.cuts else [])


def _row(item: Item, short: Shortener) -> tuple[str, ...]:
    found = item.found
    state = [item.state, *(["changed since"] if item.changed else []), *(["gone"] if item.gone else [])]
    kind = f"{found.kind}, {found.standing}" if found.standing else found.kind
    return short(item.ref), kind, found.evidence, ", ".join(found.links), ", ".join(state)


def _show_list(found: CaseList) -> None:
    told = list_told(found)
    print_lines(told, Shortener(told))
