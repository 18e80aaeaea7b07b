"""/v1/retention: policies, legal holds, what would go, sweeping, and deleting before the time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from app.faces.http.admitting import needs
from app.faces.http.given import given_by
from app.faces.http.posting import described_posting, described_reading, posted
from app.faces.http.server import Server, server_of
from app.faces.http.telling import told
from app.keeping.forms import (
    Deleting,
    Ending,
    Erasing,
    Everything,
    Holding,
    Lifting,
    Listing,
    Looking,
    Placing,
    Putting,
    Sweeping,
)
from app.keeping.telling import (
    deletions_told,
    forgotten_told,
    holds_told,
    policies_told,
    preview_told,
    swept_told,
)
from app.keeping.work import Keeping
from provmodel.evidence import Principal
from queries.question import read_params

_PATH = "/v1/retention/"
Told = tuple[Any, Sequence[str]]
Does = Callable[[Keeping, Principal, Any], Told]


def _policies(keeping: Keeping, _: Principal, __: Everything) -> Told:
    """The policies in force, the oldest first. The narrowest that fits a body decides."""
    found = keeping.policies()
    return found, policies_told(found)


def _put(keeping: Keeping, principal: Principal, form: Putting) -> Told:
    found = keeping.put(form, principal)
    return found, policies_told(found)


def _end(keeping: Keeping, principal: Principal, form: Ending) -> Told:
    """End a policy; what it alone let go is kept from now on. Tells those still in force."""
    found = keeping.end(form, principal)
    return found, policies_told(found)


def _holds(keeping: Keeping, _: Principal, form: Holding) -> Told:
    """The legal holds, by name."""
    found = keeping.holds(form)
    return found, holds_told(found)


def _place(keeping: Keeping, principal: Principal, form: Placing) -> Told:
    found = keeping.place(form, principal)
    return found, holds_told(found)


def _lift(keeping: Keeping, principal: Principal, form: Lifting) -> Told:
    """Lift a hold; what is due goes with the next sweep. Tells those that still stand."""
    found = keeping.lift(form, principal)
    return found, holds_told(found)


def _preview(keeping: Keeping, _: Principal, form: Looking) -> Told:
    """What a sweep, or the deletion of one thing, would take, and which reports could then no longer be
    re-checked. Nothing is changed.
    """
    found = keeping.preview(form)
    return found, preview_told(found)


def _sweep(keeping: Keeping, principal: Principal, _: Sweeping) -> Told:
    done = keeping.sweep(principal)
    return done, swept_told(done)


def _deletions(keeping: Keeping, _: Principal, form: Listing) -> Told:
    """What was deleted or is to be: when, by whom, why, from where, and which backups still hold it."""
    found = keeping.deletions(form)
    return found, deletions_told(found)


def _delete(keeping: Keeping, principal: Principal, form: Deleting) -> Told:
    done = keeping.delete(form, principal)
    return done, forgotten_told(done)


def _erase(keeping: Keeping, principal: Principal, form: Erasing) -> Told:
    done = keeping.erase(form, principal)
    return done, forgotten_told(done)


_READ: tuple[tuple[str, str, type[msgspec.Struct], Does, str, str], ...] = (
    ("policies", "GET", Everything, _policies, "PolicyList", "The policies in force"),
    ("policies", "DELETE", Ending, _end, "PolicyList", "End a policy"),
    ("holds", "GET", Holding, _holds, "HoldList", "The holds"),
    ("holds", "DELETE", Lifting, _lift, "HoldList", "Lift a hold"),
    ("preview", "GET", Looking, _preview, "Preview", "What would go"),
    ("deletions", "GET", Listing, _deletions, "DeletionList", "What was deleted"),
)
"""Addresses that take a form as their query string: path, method, form, what they do, answer, summary."""

_POSTED: tuple[tuple[str, type[msgspec.Struct], Does, str, str, dict[str, Any]], ...] = (
    (
        "policies",
        Putting,
        _put,
        "PolicyList",
        "Put a policy in force",
        {"policy": "policy:messages", "bodies": "class=message", "keep": "90d"},
    ),
    (
        "holds",
        Placing,
        _place,
        "HoldList",
        "Place a hold",
        {"hold": "case-7", "target": "document:tariff-2025", "reason": "case 7 of the court"},
    ),
    ("sweeps", Sweeping, _sweep, "Swept", "Delete what is due", {}),
    (
        "deletions",
        Deleting,
        _delete,
        "Forgotten",
        "Delete before the time",
        {"ref": "message:late-fees/task", "reason_class": "subject_request", "reason": "asked on 3 March"},
    ),
    (
        "erasures",
        Erasing,
        _erase,
        "Forgotten",
        "Erase a person's names",
        {"ref": "person:duty-manager", "reason": "left in May"},
    ),
)


def router() -> APIRouter:
    made = APIRouter(tags=["retention"], dependencies=[needs("retention:manage")])
    for path, method, form, does, schema, summary in _READ:
        made.add_api_route(
            _PATH + path, _read(form, does), methods=[method], **described_reading(form, schema, summary)
        )
    for path, form, does, schema, summary, example in _POSTED:
        made.add_api_route(
            _PATH + path,
            posted(form, _verb(does)),
            methods=["POST"],
            **described_posting(form, schema, summary, example, required=form is not Sweeping),
        )
    return made


def _read(form: type[msgspec.Struct], does: Does) -> Callable[..., Response]:
    def answer(request: Request) -> Response:
        value, sentences = _verb(does)(request, server_of(request), read_params(form, given_by(request)))
        return told(request, value, lambda: sentences)

    answer.__doc__ = does.__doc__
    return answer


def _verb(does: Does) -> Callable[[Request, Server, Any], Told]:
    return lambda _, server, form: does(Keeping(server.service), server.principal, form)
