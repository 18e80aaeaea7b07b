"""Cursors: where an answer or a list was cut, in words that only the same question can go on from.

A cursor names as_of and a digest of the question with its parameters, so a changed question is told apart
from a continued one, and it carries its own check sum. It holds no right: what may be read is decided anew
at each page.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TypeVar

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


class _ListCursor(msgspec.Struct, frozen=True, array_like=True):
    as_of: int
    asked: bytes
    place: str


_decoder = msgspec.msgpack.Decoder(_Cursor)
_list_decoder = msgspec.msgpack.Decoder(_ListCursor)
C = TypeVar("C", _Cursor, _ListCursor)


def digest_of(question: str, parameters: msgspec.Struct, tenant: str) -> bytes:
    """What a question asks, whatever page of it: the digest of its name and all parameters but cursor,
    as_of and deadline.
    """
    fields = msgspec.to_builtins(parameters)
    fields = {name: value for name, value in fields.items() if name not in ("cursor", "as_of", "deadline")}
    return _digest([question, tenant, fields])


def digest_of_list(name: str, tenant: str, filters: Mapping[str, object]) -> bytes:
    """What a list holds, whatever page of it."""
    return _digest([name, tenant, filters])


def _digest(parts: Sequence[object]) -> bytes:
    return blake2b(msgspec.json.encode(parts, order="deterministic"), digest_size=_DIGEST).digest()


def write(as_of: int, asked: bytes, position: Position) -> str:
    """An opaque, URL-safe text."""
    return _written(_Cursor(as_of, asked, position))


def write_list(as_of: int, asked: bytes, place: str) -> str:
    """The same for a list, of which ``place`` is the last entry shown."""
    return _written(_ListCursor(as_of, asked, place))


def read(text: str, asked: bytes) -> tuple[int, Position]:
    """The as_of and position of a cursor; raises :class:`BadQuestion` when it is damaged, forged or
    another's.
    """
    cursor = _of_this(_parsed(text, _decoder), asked)
    return cursor.as_of, cursor.position


def read_list(text: str, asked: bytes) -> tuple[int, str]:
    """The as_of and place of a list's cursor; raises as :func:`read`."""
    cursor = _of_this(_parsed(text, _list_decoder), asked)
    return cursor.as_of, cursor.place


def _of_this(cursor: C, asked: bytes) -> C:
    if cursor.asked != asked:
        raise BadQuestion(
            "cursor", "it belongs to another question", "repeat the question exactly as it was asked"
        )
    return cursor


def _written(cursor: _Cursor | _ListCursor) -> str:
    payload = msgspec.msgpack.encode(cursor)
    return base64.urlsafe_b64encode(_check(payload) + payload).decode().rstrip("=")


def _parsed(text: str, decoder: msgspec.msgpack.Decoder[C]) -> C:
    try:
        raw = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        if raw[:_DIGEST] != _check(raw[_DIGEST:]):
            raise ValueError
        return decoder.decode(raw[_DIGEST:])
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise BadQuestion(
            "cursor", "Clew did not write it", "use the cursor of an answer as it stands"
        ) from None


def _check(payload: bytes) -> bytes:
    return blake2b(payload, digest_size=_DIGEST, person=b"clew-cursor").digest()
