"""Errors as RFC 9457 problem details: for every answer that is no answer, whoever found out."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.responses import Response

from app.bodies import Gone, NotCaptured
from app.cases.work import NoCase
from app.credentials.errors import NotAllowed, NotSignedIn
from app.credentials.rates import TooFast
from app.faces.http.intake import Unsupported
from app.faces.http.ranges import Unsatisfiable
from app.limits import LATER
from app.service import Overloaded
from provmodel.errors import (
    Absent,
    Ambiguous,
    BadQuestion,
    ClewError,
    NotFound,
    Refused,
    StoreTrouble,
    TooLarge,
    Unreadable,
)
from provmodel.records import Tombstone

MEDIA_TYPE = "application/problem+json"
BASE = "urn:x-clew:problem:"
RETRY_STORE = 2  # seconds, after which a store that was locked or away is worth another try


class Unacceptable(ClewError):
    """The reader must act: nothing that the Accept header likes is offered."""

    def __init__(self, accept: str, offered: tuple[str, ...]) -> None:
        super().__init__(
            f"Accept: {accept[:200]} names nothing that is offered; ask for one of {', '.join(offered)}"
        )
        self.offered = offered


class Problem(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A problem detail (RFC 9457, section 3) with the members that Clew adds.

    ``field`` is a JSON pointer into the item, or the name of a parameter; ``item`` counts from 0.
    """

    type: str
    title: str
    status: int
    detail: str
    item: int | None = None
    id: str = ""
    source: str = ""
    seq: int | None = None
    first_seq: int | None = None
    field: str | None = None
    reason: str | None = None
    remedy: str | None = None
    near: tuple[str, ...] = ()
    retry_after: int | None = None
    tombstones: tuple[Tombstone, ...] = ()


_TITLES = {
    "unreadable": "The request can't be read",
    "refused": "The item is refused",
    "conflict": "Another event has this source and id",
    "too-large": "The request is too large",
    "not-found": "There is nothing of that name",
    "ambiguous": "The name fits several",
    "bad-question": "The question can't be asked like that",
    "too-fast": "This key asks for too much at a time",
    "overloaded": "Too much is waiting to be written",
    "store": "The store can't be used now",
    "unsupported": "This form of content is not understood",
    "deleted": "The content was deleted",
    "absent": "This server lacks a part",
    "not-captured": "The content was never recorded",
    "not-signed-in": "Nobody is signed in",
    "not-allowed": "This credential may not do that",
}


def problem(name: str, status: int, detail: str, **members: Any) -> Problem:
    """A problem of one of Clew's kinds, or for any other name of the kind that the status means."""
    title = _TITLES.get(name) or HTTPStatus(status).phrase
    kind = BASE + name if name in _TITLES else "about:blank"
    return Problem(type=kind, title=title, status=status, detail=detail, **members)


def problem_of(error: ClewError) -> tuple[Problem, dict[str, str]]:
    """The problem that one of Clew's own errors amounts to, and the headers that go with it."""
    match error:
        case Refused(field=field, reason=reason, remedy=remedy):
            found = problem("refused", 422, str(error), field=field, reason=reason, remedy=remedy)
        case Unreadable(where=where, reason=reason, remedy=remedy):
            found = problem("unreadable", 400, str(error), field=where, reason=reason, remedy=remedy)
        case TooLarge(remedy=remedy):
            found = problem("too-large", 413, str(error), remedy=remedy)
        case NotFound(near=near):
            found = problem("not-found", 404, str(error), near=near)
        case Ambiguous(candidates=candidates, parameter=parameter):
            found = problem("ambiguous", 422, str(error), field=parameter, near=candidates)
        case BadQuestion(parameter=parameter, reason=reason, remedy=remedy):
            found = problem("bad-question", 422, str(error), field=parameter, reason=reason, remedy=remedy)
        case Unsupported(remedy=remedy, accept=accept):
            return problem("unsupported", 415, str(error), remedy=remedy), dict([accept])
        case Unacceptable(offered=offered):
            found = problem("", 406, str(error), near=offered)
        case NotSignedIn():
            return problem("not-signed-in", 401, str(error)), {"WWW-Authenticate": 'Bearer realm="clew"'}
        case NotAllowed(scope=scope):
            found = problem("not-allowed", 403, str(error), reason=scope)
        case Absent():
            found = problem("absent", 501, str(error))
        case Gone(tombstones=tombstones):
            found = problem("deleted", 410, str(error), tombstones=tombstones)
        case Unsatisfiable(size=size):
            return problem("", 416, str(error)), {"Content-Range": f"bytes */{size}"}
        case NoCase():
            found = problem("not-found", 404, str(error))
        case NotCaptured():
            found = problem("not-captured", 404, str(error))
        case TooFast(seconds=seconds):
            found = problem("too-fast", 429, str(error), retry_after=seconds, remedy=LATER)
        case Overloaded(seconds=seconds):
            found = problem("overloaded", 503, str(error), retry_after=seconds)
        case StoreTrouble():
            found = problem("store", 503, str(error), retry_after=RETRY_STORE)
        case _:
            found = problem("", 500, str(error))
    return found, {}


def respond(found: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The problem as a response; ``Retry-After`` says when to come again."""
    more = {} if found.retry_after is None else {"Retry-After": str(found.retry_after)}
    return Response(
        msgspec.json.encode(found), found.status, {**(headers or {}), **more}, media_type=MEDIA_TYPE
    )
