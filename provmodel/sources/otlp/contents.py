"""Attribute values as bodies: what was sent stays as it was sent, and what was hidden or cut says so."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from provmodel import plainness
from provmodel.errors import Refused, Unreadable
from provmodel.events import Args, Body, Ref, Result
from provmodel.sources.otlp.wire import Value

HIDDEN = "__REDACTED__"
"""What instrumentation writes for a value that it was told to hide (OpenInference, "Configuration")."""

State = Literal["present", "partial", "never_captured"]


class Content(Struct, frozen=True):
    """A body, or why there is none."""

    body: Body | None
    state: State | None = None

    def as_ref(self, ref: str, role: str | None = None, position: int | None = None) -> Ref:
        return Ref(ref=ref, role=role, position=position, body=self.body, state=self.state)

    def as_result(self, ref: str, members: tuple[Ref, ...] = ()) -> Result:
        return Result(ref=ref, body=self.body, state=self.state, members=members)


NOTHING = Content(None, "never_captured")


def content(value: Value, media_type: str | None = None, cut: bool = False) -> Content:
    """A value as a body. ``cut`` says that its span never ended, so that more may have followed."""
    if value == HIDDEN:
        return NOTHING
    return Content(body(value, media_type), "partial" if cut else None)


def body(value: Value, media_type: str | None = None) -> Body:
    """Text as text, byte for byte; bytes as base64; all else as JSON, null included."""
    if isinstance(value, str):
        return Body(text=value, media_type=media_type)
    if isinstance(value, bytes):
        return Body(base64=_base64(value), media_type=media_type)
    return Body(json=plain(value), media_type=media_type)


def _base64(value: bytes) -> str:
    return str(msgspec.to_builtins(value))


def plain(value: Value) -> Any:
    """A value as JSON can hold it: bytes become base64."""
    match value:
        case bytes():
            return _base64(value)
        case list():
            return [plain(item) for item in value]
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case _:
            return value


def arguments(value: Value, media_type: str | None = None) -> Args:
    """A tool's arguments: JSON when they are the text of one object, else as they were sent.

    Models write arguments that are no object, no JSON, or nothing at all; such text is kept byte for byte.
    Absent or hidden ones have no body.
    """
    if value is None or value == HIDDEN:
        return Args()
    found = json_object(value) if isinstance(value, str) else None
    return Args(body=body(value, media_type) if found is None else Body(json=found))


def json_object(text: str) -> dict[str, Any] | None:
    """The JSON object in ``text``.

    ``None`` when it is anything else, or an object that programs read differently (a key given twice, say).
    """
    found = _json(text, "{")
    return found if isinstance(found, dict) else None


def json_list(text: str) -> list[Any] | None:
    """The JSON array in ``text``, likewise."""
    found = _json(text, "[")
    return found if isinstance(found, list) else None


def _json(text: str, opening: str) -> Any:
    if not text.lstrip().startswith(opening):
        return None
    raw = text.encode()
    try:
        plainness.check(raw)
        return msgspec.json.decode(raw)
    except (Refused, Unreadable, msgspec.DecodeError):
        return None


def media_type(value: Value) -> str | None:
    """A media type when the value is one."""
    return value if isinstance(value, str) and "/" in value and len(value) <= 256 else None
