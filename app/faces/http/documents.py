"""A PROV document as a response: in the format that is asked for by name or by the Accept header."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, Any

import msgspec
from fastapi import Query, Request
from starlette.responses import Response, StreamingResponse

from app.faces.http.negotiating import chosen
from app.service import Export
from provmodel import formats
from provmodel.document import Loss
from provmodel.statements import DETAILS

Form = Annotated[
    str,
    Query(
        alias="format",
        description="The format; without it the Accept header chooses, and then prov-json.",
        json_schema_extra={"enum": list(formats.writable())},
    ),
]
Assertions = Annotated[
    str,
    Query(
        description="How many assertions become entities of their own.",
        json_schema_extra={"enum": list(DETAILS)},
    ),
]

PREFERRED = "prov-json"  # of an Accept header that likes several formats as much
SPOOL = 1 << 22  # bytes of a whole document that wait in memory before they wait in a file
_CHUNK = 1 << 16
_LONGEST = 4000  # characters of a header that tells what was lost


def media_types() -> dict[str, str]:
    """Every media type that can be answered with, and the name of its format; the preferred ones first."""
    forms = sorted(formats.writable().values(), key=lambda form: form.name != PREFERRED)
    return {kind: form.name for form in forms for kind in form.media_types}


def content() -> dict[str, Any]:
    """The media types, for the OpenAPI description."""
    return {kind: {"schema": {"type": "string", "format": "binary"}} for kind in media_types()}


def format_for(request: Request, named: str) -> str:
    """The name of the format to answer in; raises Unacceptable when the header likes none."""
    return named or chosen(request.headers.get("accept", ""), media_types())


def sent(export: Export) -> Response:
    """The document as a response. What is written from memory is written before the answer begins, so that
    its headers can tell what was lost; what is streamed loses nothing.
    """
    form, chunks = export.form, export.chunks
    headers = {
        "Content-Disposition": f'attachment; filename="clew{form.endings[0]}"',
        "Vary": "Accept",
    }
    if export.streamed:
        first = next(chunks, b"")  # what can't be exported says so before the answer begins
        return StreamingResponse(chain([first], chunks), media_type=form.media_types[0], headers=headers)
    with ExitStack() as opened:
        file = opened.enter_context(SpooledTemporaryFile(SPOOL))
        for chunk in chunks:
            file.write(chunk)
        opened.pop_all()  # it is closed when it was sent
    headers["Content-Length"] = str(file.tell())
    file.seek(0)
    headers.update(_lost(export.losses))
    return StreamingResponse(_copied(file), media_type=form.media_types[0], headers=headers)


def _copied(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _lost(losses: list[Loss]) -> dict[str, str]:
    """How much was lost, and as much of what it was as a header holds (JSON in ASCII)."""
    if not losses:
        return {}
    told = losses.copy()
    while len(text := _ascii(told)) > _LONGEST and told:
        del told[len(told) // 2 :]
    return {"X-Clew-Losses": str(len(losses)), "X-Clew-Lost": text}


def _ascii(losses: list[Loss]) -> str:
    text = msgspec.json.encode(losses).decode()
    return "".join(one if one.isascii() else _escaped(one) for one in text)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
