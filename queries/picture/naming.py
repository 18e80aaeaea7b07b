"""What a node is called in a picture: a name short enough to read, and a second line to tell it by."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

from provmodel import names

LONGEST = 22
"""So many characters of a name are drawn; the whole reference stands in the panel and in the table."""
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=8192)
def called(ref: str, type_: str) -> tuple[str, str]:
    """Name and second line of the node ``ref`` of type ``type_`` (``clew:ModelCall``, or empty)."""
    if ref.startswith("<"):
        return _last(ref[1:-1]), ref[1:-1].rpartition(_last(ref[1:-1]))[0]
    if ";" in ref and ";by=" not in ref:  # a part that belongs to a decision, an action, ...
        whole, _, part = ref.partition(";")
        return unquote(names.tail(whole)) or ref, unquote(part)
    name = names.split(ref)
    return unquote(names.tail(ref)) or ref, _second(name, type_)


def _second(name: names.Name, type_: str) -> str:
    words = _WORDS.sub(" ", type_.partition(":")[2]).lower()
    if not name.pin:
        return words or name.scheme
    if name.pin in names.CONTENT_PINS:
        value = name.value if len(name.value) <= 12 else f"{name.value[:4]}…{name.value[-4:]}"
        return f"{name.pin} {value}"
    return f"{name.pin} {unquote(name.value)}"


def _last(iri: str) -> str:
    return unquote(re.split(r"[/#:]", iri.rstrip("/#"))[-1]) or iri


def shortened(text: str, longest: int = LONGEST) -> str:
    """The text, with its middle left out where it is longer."""
    if len(text) <= longest:
        return text
    kept = longest - 1
    return f"{text[: kept - kept // 3]}…{text[-(kept // 3) :]}"


def width(text: str, size: float = 12.0) -> float:
    """About how wide a text is in pixels, on the safe side: a wide character counts double."""
    return sum([size if ord(sign) > 0x1100 else 0.58 * size for sign in text])
