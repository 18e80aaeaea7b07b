"""What was found, as JSON or as plain text, whichever ``Accept`` prefers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from fastapi import Request
from starlette.responses import Response

from app.faces.prose import paragraphs, wants_text

_VARY = {"Vary": "Accept"}


def told(request: Request, value: Any, sentences: Sequence[str], status: int = 200) -> Response:
    """The value, or the sentences about it."""
    if wants_text(request.headers.get("accept", "")):
        return Response(paragraphs(sentences), status, _VARY, media_type="text/plain")
    raw = value if isinstance(value, bytes) else msgspec.json.encode(value)
    return Response(raw, status, _VARY, media_type="application/json")
