"""GET /v1/pictures/{question}: an answer as positions and lines, for a page to draw."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from app.faces.http.admitting import needs
from app.faces.http.asking import unknown
from app.faces.http.describing import ANSWERS, ref
from app.faces.http.given import given_by
from app.faces.http.server import server_of
from provmodel.errors import BadQuestion
from queries import shelf
from queries.picture.picture import LIMIT

_OWN = ("open", "limit")
_OPENED = re.compile(r"([1-9][0-9]{0,5}) (card .+)", re.DOTALL)


def router() -> APIRouter:
    made = APIRouter(tags=["graph"], dependencies=[needs("graph:read")])
    made.add_api_route(
        "/v1/pictures/{question}",
        picture,
        summary="An answer as a picture: where each node stands, and how each line runs",
        responses={200: ref("Picture", "The picture, in CSS pixels."), **ANSWERS},
    )
    return made


def picture(
    request: Request,
    question: Annotated[str, Path(description="The name of a question, or lineage.")],
    opened: Annotated[
        list[str] | None,
        Query(
            alias="open",
            description="A card that shows more rows: how many, a blank, and the card's id. Repeatable.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=10_000, description="How many boxes to draw at most.")] = LIMIT,
) -> Response:
    """The answer to a question (or ``lineage``) as a picture; each parameter of the question may be given."""
    asked = shelf.everything().get(question)
    if asked is None:
        return unknown(question)
    given = {name: values for name, values in given_by(request).items() if name not in _OWN}
    if given.get("view", ["full"]) != ["full"]:
        raise BadQuestion("view", "a picture shows whole nodes and edges", "leave view out")
    server = server_of(request)
    answer = server.service.answer(asked, given, server.principal).answer
    drawn = server.service.pictures.draw(answer.graph, _rows(opened or []), limit)
    return Response(drawn, media_type="application/json")


def _rows(opened: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in opened:
        read = _OPENED.fullmatch(text)
        if not read:
            raise BadQuestion("open", f"{text[:80]!r} names no card", "write how many rows, a blank, the id")
        found[read[2]] = int(read[1])
    return found
