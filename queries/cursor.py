"""Cursors: where an answer was cut, in words that only the same question can go on from.

A cursor names as_of and a digest of the question with its parameters, so a changed question is told apart
from a continued one, and it carries its own check sum. It holds no right: what may be read is decided anew
at each page.
"""

from __future__ import annotations

import base64
import binascii
from hashlib import blake2b

import msgspec

from provmodel.errors import BadQuestion

_DIGEST = 9  # bytes: 12 characters, enough to tell questions apart by chance alone


class Position(msgspec.Struct, frozen=True, array_like=True):
    """The first place not yet shown: a level of depth, how many of its nodes were shown, and the slice of a
    start node that has too many neighbours (which one, and the last (code, neighbour) shown)."""

    level: int = 0
    offset: int = 0
    hub: int = 0
    code: int = -1
    neighbour: int = -1

    @property
    def first(self) -> bool:
        return self == Position()


class _Cursor(msgspec.Struct, frozen=True, array_like=True):
    as_of: int
    asked: bytes
    position: Position


_decoder = msgspec.msgpack.Decoder(_Cursor)


def digest_of(question: str, parameters: msgspec.Struct, tenant: str) -> bytes:
    """What a question asks, whatever page of it: the digest of its name and all parameters but cursor and
    as_of.
    """
    fields = msgspec.to_builtins(parameters)
    fields = {name: value for name, value in fields.items() if name not in ("cursor", "as_of")}
    text = msgspec.json.encode([question, tenant, fields], order="deterministic")
    return blake2b(text, digest_size=_DIGEST).digest()


def write(as_of: int, asked: bytes, position: Position) -> str:
    """An opaque, URL-safe text."""
    payload = msgspec.msgpack.encode(_Cursor(as_of, asked, position))
    return base64.urlsafe_b64encode(_check(payload) + payload).decode().rstrip("=")


def read(text: str, asked: bytes) -> tuple[int, Position]:
    """The as_of and position of a cursor; raises :class:`BadQuestion` when it is damaged, forged or
    another's.
    """
    cursor = _parsed(text)
    if cursor.asked != asked:
        raise BadQuestion(
            "cursor", "it belongs to another question", "repeat the question exactly as it was asked"
        )
    return cursor.as_of, cursor.position


def _parsed(text: str) -> _Cursor:
    try:
        raw = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        if raw[:_DIGEST] != _check(raw[_DIGEST:]):
            raise ValueError
        return _decoder.decode(raw[_DIGEST:])
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise BadQuestion(
            "cursor", "Clew did not write it", "use the cursor of an answer as it stands"
        ) from None


def _check(payload: bytes) -> bytes:
    return blake2b(payload, digest_size=_DIGEST, person=b"clew-cursor").digest()
