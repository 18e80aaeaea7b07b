"""Taking secrets out of events: every text of them is looked at, and what is found becomes a marker.

``[secret:github-token]`` stands where the token stood. A reference whose content lost something is *partial*;
values are compared, and tags made, without the secret.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from app.content.secrets.finding import Finder
from provmodel.events import Event

MARKER = re.compile(rb"\[secret:([a-z0-9-]+)\]")
CARRIED = 8192  # bytes of a stream that are held back, since a secret may go on in what follows

_encode = msgspec.json.Encoder().encode


def kinds_in(content: bytes) -> tuple[str, ...]:
    """The kinds of secrets that were taken out of a content, ordered."""
    if b"[secret:" not in content:
        return ()
    return tuple(sorted({found.decode() for found in MARKER.findall(content)}))


class Redactor:
    """Takes out of events what a finder finds."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder

    def event(self, event: Event) -> Event:
        """The event without secrets; the same object when there is none."""
        if not self._finder.suspicious(_encode(event)):
            return event
        plain = msgspec.to_builtins(event, str_keys=True)
        cleaned, changed = self._value(plain)
        return msgspec.convert(cleaned, type(event)) if changed else event

    def clean(self, content: bytes) -> bytes:
        """A content without secrets."""
        if not self._finder.suspicious(content):
            return content
        found = self._finder.find(content)
        pieces: list[bytes] = []
        at = 0
        for start, end, name in found:
            pieces += [content[at:start], b"[secret:" + name.encode() + b"]"]
            at = end
        return b"".join([*pieces, content[at:]]) if found else content

    def stream(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The same for what comes in chunks; a secret longer than some kilobytes may be seen in part only."""
        held = b""
        for chunk in chunks:
            clean = self.clean(held + chunk)
            held = clean[-CARRIED:]
            yield clean[: len(clean) - len(held)]
        yield held

    def _text(self, text: str) -> str:
        raw = text.encode(errors="surrogatepass")
        clean = self.clean(raw)
        return text if clean is raw else clean.decode(errors="surrogatepass")

    def _value(self, value: Any) -> tuple[Any, bool]:
        """A JSON value without secrets, and whether it had any."""
        if isinstance(value, str):
            clean = self._text(value)
            return clean, clean != value
        if isinstance(value, list | tuple):
            items = [self._value(item) for item in value]
            return [item for item, _ in items], any(changed for _, changed in items)
        if isinstance(value, dict):
            return self._object(value)
        return value, False

    def _object(self, value: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        cleaned: dict[str, Any] = {}
        changed: set[str] = set()
        for key, inner in value.items():
            named = self._text(key)
            clean, different = self._base64(inner) if key == "base64" else self._value(inner)
            cleaned[named] = clean
            if different or named != key:
                changed.add(key)
        if "size" in cleaned and changed & {"text", "json", "base64"}:
            del cleaned["size"]  # it was the size with the secret
        if "body" in changed and "ref" in cleaned and "kind" not in cleaned:
            cleaned.setdefault("state", "partial")
        return cleaned, bool(changed)

    def _base64(self, value: Any) -> tuple[Any, bool]:
        """Content that came as base64 is looked at as what it is."""
        if not isinstance(value, str):
            return self._value(value)
        try:
            raw = binascii.a2b_base64(value.encode(), strict_mode=True)
        except (binascii.Error, UnicodeEncodeError):
            return self._value(value)  # it will be refused
        clean = self.clean(raw)
        return (value, False) if clean is raw else (base64.b64encode(clean).decode(), True)
