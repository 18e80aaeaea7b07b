"""GET /vocabulary: the terms of Clew, as RDF or as a page to read."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Depends, Request
from starlette.responses import FileResponse

from app.faces.http.admitting import PUBLIC
from app.faces.http.describing import DOCUMENT
from app.faces.http.listing import only_known
from app.faces.http.negotiating import chosen

PATH = "/vocabulary"
_DATA = Path(__file__).parents[2] / "data"
_OFFERED = {
    "text/turtle": "vocabulary.ttl",
    "application/x-turtle": "vocabulary.ttl",
    "text/markdown": "vocabulary.md",
    "text/plain": "vocabulary.md",
}


def router() -> APIRouter:
    made = APIRouter(tags=["graph"], dependencies=[PUBLIC, Depends(only_known)])
    content = {kind: {"schema": {"type": "string"}} for kind in _OFFERED}
    made.add_api_route(
        PATH,
        vocabulary,
        summary="The terms that exports use",
        responses={200: {"description": "In Turtle or Markdown.", "content": content}, 406: DOCUMENT[406]},
    )
    return made


def vocabulary(request: Request) -> FileResponse:
    """What evidence, gaps, tombstones and other terms of Clew mean; the Accept header chooses the form."""
    name = chosen(request.headers.get("accept", ""), _OFFERED)
    kind = next(kind for kind, file in _OFFERED.items() if file == name)
    return FileResponse(_DATA / name, media_type=f"{kind}; charset=utf-8", headers={"Vary": "Accept"})
