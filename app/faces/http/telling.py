"""What was found, as JSON or as plain text, whichever ``Accept`` prefers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from fastapi import Request
from starlette.responses import Response

from app.faces.prose import paragraphs, wants_text

FLOWED = "text/plain; format=flowed; delsp=no; charset=utf-8"
"""RFC 3676: a line that ends with a blank goes on in the next, so that a reader can undo the wrapping."""
_VARY = {"Vary": "Accept"}


def told(request: Request, value: Any, sentences: Callable[[], Sequence[str]], status: int = 200) -> Response:
    """The value, or the sentences about it, which are made only then."""
    if wants_text(request.headers.get("accept", "")):
        return Response(paragraphs(sentences(), flowed=True), status, _VARY, media_type=FLOWED)
    raw = value if isinstance(value, bytes) else msgspec.json.encode(value)
    return Response(raw, status, _VARY, media_type="application/json")
