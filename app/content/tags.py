"""Keyed tags of values: what can be compared without being kept.

A tag is the first 16 bytes, in hex, of HMAC-SHA256 over the RFC 8785 form of a JSON value. What a text or a
JSON body holds is tagged value by value and word by word, so that an argument can be found again in what
the model was sent.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from app.content import words
from app.content.canonical import NO_LEAVES, Leaves, canonical, canonical_of, leaves, number
from provmodel.computed import Value

TAG_HEX = 32
MAX_TOKENS = 512
MAX_DEPTH = 256  # of JSON within a text; how deep a reader gets by itself depends on who called it
LONGEST_PLAIN_LEAF = 32  # characters
_BLOCK = 64  # bytes of a SHA-256 block, to which HMAC fills its key
_NOT_JSON = b"\0"  # before what is no JSON, so that no bytes can pass for a value's form
_text = msgspec.json.Encoder()


def keyed_digest(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256, 32 bytes."""
    return hmac.digest(key, message, "sha256")


class Contents(msgspec.Struct, frozen=True, gc=False):
    """All tags of one body; fields as in :class:`provmodel.computed.Computed`."""

    alg: str
    whole: str
    strong: bool
    values: dict[str, Value] = {}
    tokens: tuple[str, ...] = ()
    skipped: str = ""


class Tags:
    """Tags under one key. ``alg`` names those of JSON values, ``bytes_alg`` those of bytes."""

    def __init__(self, key: bytes, alg: str, bytes_alg: str) -> None:
        self.alg = alg
        self.bytes_alg = bytes_alg
        # RFC 2104 with both key blocks hashed once: half the time of hmac.digest.
        block = key.ljust(_BLOCK, b"\0")
        self._inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block))
        self._outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))

    def tag(self, form: bytes) -> str:
        """The tag of a canonical form."""
        return self.digest(form).hex()

    def digest(self, content: bytes, size: int = TAG_HEX // 2) -> bytes:
        """As :meth:`tag`, in so many bytes."""
        inner = self._inner.copy()
        inner.update(content)
        outer = self._outer.copy()
        outer.update(inner.digest())
        return outer.digest()[:size]

    def chunks(self, start: bytes = _NOT_JSON) -> Chunks:
        """The tag of bytes as :meth:`of_bytes` gives it, a chunk at a time."""
        inner = self._inner.copy()
        inner.update(start)
        return Chunks(inner, self._outer.copy())

    def of_bytes(self, content: bytes) -> Contents:
        """Bytes are one value, without parts."""
        return Contents(self.bytes_alg, self.tag(_NOT_JSON + content), len(content) >= words.LONG)

    def of_json(self, value: Any) -> Contents:
        """A JSON value: the whole, its leaves, and the words of those that are prose.

        Raises ``ValueError`` and ``RecursionError`` as :func:`app.content.canonical.canonical` does.
        """
        found = leaves(value)
        values = self._values(found)
        tokens, skipped = self._tokens(_prose_in(found), found.skipped)
        strong = any(leaf.strong for leaf in values.values())
        return Contents(self.alg, self.tag(canonical_of(value, found)), strong, values, tokens, skipped)

    def of_text(self, text: str) -> Contents:
        """A text is a JSON string; one that holds a JSON object or array has the leaves of that, too."""
        inner = embedded(text)
        found = leaves(inner) if inner is not None else NO_LEAVES
        prose = (text,) if inner is None else _prose_in(found)
        tokens, skipped = self._tokens(prose, found.skipped)
        whole = self.tag(_text.encode(text))
        return Contents(self.alg, whole, words.strong_text(text), self._values(found), tokens, skipped)

    def _values(self, found: Leaves) -> dict[str, Value]:
        """Equal leaves are tagged once: rows of a table repeat much."""
        known: dict[bytes, Value] = {}
        values = {}
        for pointer, leaf in found.found:
            form = _leaf_form(leaf)
            value = known.get(form)
            if value is None:
                value = known[form] = Value(self.tag(form), words.strong(leaf))
            values[pointer] = value
        return values

    def _tokens(self, prose: Iterable[str], skipped: str) -> tuple[tuple[str, ...], str]:
        """Tags of the strong words in the order in which they first come, and what was left out in all."""
        forms: dict[bytes, None] = {}
        for form in _forms(prose):
            forms[form] = None
            if len(forms) > MAX_TOKENS:
                forms.popitem()
                skipped = f"{skipped}, words after the first {MAX_TOKENS}".removeprefix(", ")
                break
        return tuple(map(self.tag, forms)), skipped


class Chunks:
    """A tag in the making."""

    def __init__(self, inner: Any, outer: Any) -> None:
        self.update = inner.update
        self._inner = inner
        self._outer = outer

    def tag(self) -> str:
        """The tag of all chunks; asked for once."""
        self._outer.update(self._inner.digest())
        found: str = self._outer.hexdigest()
        return found[:TAG_HEX]


def embedded(text: str) -> Any:
    """The JSON object or array that a text is, or ``None``; also for one nested beyond ``MAX_DEPTH``."""
    bare = text.strip(" \t\r\n")
    if bare[:1] + bare[-1:] not in ("{}", "[]"):
        return None
    try:
        value = msgspec.json.decode(bare)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    shallow = bare.count("{") + bare.count("[") <= MAX_DEPTH or _is_shallow(value)
    return value if shallow else None


def _is_shallow(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for container in level for item in _items(container) if isinstance(item, (dict, list))]
        if not level:
            return True
    return False


def _items(container: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container


def _leaf_form(leaf: Any) -> bytes:
    return number(leaf) if isinstance(leaf, float) else _text.encode(leaf)


def _prose_in(found: Leaves) -> Iterable[str]:
    """The different leaves in which words are looked for; a short one without a blank is itself a word."""
    return dict.fromkeys(
        leaf
        for _, leaf in found.found
        if type(leaf) is str and (len(leaf) > LONGEST_PLAIN_LEAF or " " in leaf or "\n" in leaf)
    )


def _forms(prose: Iterable[str]) -> Iterator[bytes]:
    """The canonical forms under which strong words may stand elsewhere: as strings, and as numbers."""
    for text in prose:
        for word in words.words(text):
            yield _text.encode(word)
            spelled = words.amounts(word)
            if spelled:
                yield number(float(spelled[0])) if "." in word else canonical(int(spelled[0]))
                yield from map(_text.encode, spelled)
