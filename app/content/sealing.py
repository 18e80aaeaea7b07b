"""Sealing one content: zstd, then AES-256-GCM under a random key of its own, which the tenant's key wraps.

Destroying the wrapped key makes the content unreadable wherever copies of its bytes lie. Tenant and content
id are bound into both, so that a row moved to another tenant or under another id does not open.

A content is cut into segments of 256 KiB, each compressed and sealed by itself, so that a range of it can be
read without the rest. A segment's nonce is its number and whether it is the last (each key serves one
content alone), so segments can't be dropped, swapped or added. Format 1, of before, sealed all in one piece
under the id of the body.
"""

from __future__ import annotations

import os
import secrets
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, Protocol

import msgspec
import zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from provmodel.errors import StoreTrouble

SEGMENT = 256 * 2**10
"""Bytes of content in one segment."""

OLD, WHOLE, PACKED = b"\x01", b"\x02", b"\x03"
"""First byte of a segment's content: format 1 has none; as it is; zstd."""

KEY_BYTES = 32
NONCE = 12
TAG = 16
LEVEL = 1  # of zstd: half the time of 3, and a tenth more bytes
WORTH_PACKING = 256  # bytes; less shrinks by no more than its header
_nonce = struct.Struct(">IQ").pack
_length = struct.Struct(">I")
_local = threading.local()


class Wrapping(Protocol):
    """What wraps the keys of contents. A key file does it here; a key management service may."""

    def wrap(self, tenant: str, bound: bytes, key: bytes) -> bytes:
        """The key, encrypted; only with the same ``bound`` does it come out again."""
        ...

    def unwrap(self, tenant: str, bound: bytes, wrapped: bytes) -> bytes:
        """The reverse; raises ``InvalidTag`` for what was changed, or wrapped for another."""
        ...


class SealedBody(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One body and its sealed content.

    ``size`` is that of the content in bytes. ``content`` is the random id of what is sealed, ``digest`` the
    tenant's keyed digest (16 bytes) by which equal contents are kept once, ``wrapped_key`` the content's key
    under the tenant's. ``data`` are the sealed segments one after the other, None once they lie at ``place``;
    ``segments`` their lengths (4 bytes each, big-endian) when there are several. ``kind`` and ``label`` are
    what retention may choose by, beside the class.
    """

    id: str
    cls: str
    media_type: str
    size: int
    state: Literal["present", "partial"]
    content: str
    digest: bytes | None
    wrapped_key: bytes
    data: bytes | None
    segments: bytes | None = None
    place: str = "database"
    kind: str = ""
    label: str | None = None


class Sealed(msgspec.Struct, frozen=True, gc=False):
    """What sealing gives: the id, wrapped key, segments one after the other, and their lengths."""

    content: str
    wrapped_key: bytes
    data: bytes
    segments: bytes | None


def fresh_id() -> str:
    """A name for a content: milliseconds of now, so that neighbours in time are neighbours on disk, and 80
    random bits; 32 hex digits that say nothing of what they stand for.
    """
    return f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"


def first_id(seconds: float) -> str:
    """What is before every name that a content got from this moment on (in seconds since 1970)."""
    return f"{int(seconds * 1000):012x}"


class Sealer:
    """Seals one content, a segment at a time."""

    def __init__(self, wrapping: Wrapping, tenant: str) -> None:
        self.content = fresh_id()
        self._bound = bound(tenant, self.content)
        key = os.urandom(KEY_BYTES)
        self._cipher = AESGCM(key)
        self.wrapped_key = wrapping.wrap(tenant, self._bound, key)
        self.lengths: list[int] = []

    def segment(self, plain: bytes, last: bool) -> bytes:
        """The next segment, sealed. All but the last hold ``SEGMENT`` bytes."""
        data = self._cipher.encrypt(_nonce(last, len(self.lengths)), _packed(plain), self._bound)
        self.lengths.append(len(data))
        return data

    @property
    def segments(self) -> bytes | None:
        """The lengths of the sealed segments; None for one alone."""
        return b"".join(map(_length.pack, self.lengths)) if len(self.lengths) > 1 else None


def seal(wrapping: Wrapping, tenant: str, plain: bytes) -> Sealed:
    """A content sealed in memory."""
    sealer = Sealer(wrapping, tenant)
    if len(plain) <= SEGMENT:
        data = sealer.segment(plain, last=True)
    else:
        starts = range(0, len(plain), SEGMENT)
        data = b"".join([sealer.segment(plain[s : s + SEGMENT], s + SEGMENT >= len(plain)) for s in starts])
    return Sealed(sealer.content, sealer.wrapped_key, data, sealer.segments)


Fetch = Callable[[int, int], bytes]
"""Reads (offset, length) of a content's sealed bytes, from wherever they lie."""


def unsealed(
    wrapping: Wrapping, tenant: str, row: SealedBody, fetch: Fetch, start: int = 0, end: int | None = None
) -> Iterator[bytes]:
    """The content from byte ``start`` to before ``end``, a segment at a time.

    Raises :class:`StoreTrouble` when anything about it was changed.
    """
    end = row.size if end is None else min(end, row.size)
    try:
        if row.wrapped_key[:1] == OLD:
            yield _unseal_old(wrapping, tenant, row, fetch(0, -1))[start:end]
            return
        tied = bound(tenant, row.content)
        cipher = AESGCM(wrapping.unwrap(tenant, tied, row.wrapped_key))
        for number, offset, length, last in _wanted(row, start, end):
            sealed = fetch(offset, length)
            plain = _unpacked(cipher.decrypt(_nonce(last, number), sealed, tied))
            before = number * SEGMENT
            yield plain[max(0, start - before) : end - before]
    except (InvalidTag, ValueError, struct.error, zstandard.ZstdError):
        raise damaged(row.id, "it was changed, or sealed for another content, tenant or key") from None


def _wanted(row: SealedBody, start: int, end: int) -> Iterable[tuple[int, int, int, bool]]:
    """Number, offset, length and whether it is the last, of each segment that holds some of the range."""
    if row.segments is None:
        return [(0, 0, -1, True)]
    lengths = [length for (length,) in _length.iter_unpack(row.segments)]
    if len(lengths) != -(-row.size // SEGMENT):
        raise ValueError("segments are missing")
    first, last = start // SEGMENT, max(start, end - 1) // SEGMENT
    return [
        (number, sum(lengths[:number]), lengths[number], number == len(lengths) - 1)
        for number in range(first, min(last + 1, len(lengths)))
    ]


def _unseal_old(wrapping: Wrapping, tenant: str, row: SealedBody, data: bytes) -> bytes:
    tied = f"clew body\0{tenant}\0{row.id}".encode()
    key = wrapping.unwrap(tenant, tied, row.wrapped_key)
    return AESGCM(key).decrypt(data[:NONCE], data[NONCE:], tied)


def _packed(plain: bytes) -> bytes:
    if len(plain) >= WORTH_PACKING:
        packed = _compressor().compress(plain)
        if len(packed) < len(plain) - len(plain) // 16:
            return PACKED + packed
    return WHOLE + plain


def _unpacked(content: bytes) -> bytes:
    if content[:1] == WHOLE:
        return content[1:]
    if content[:1] != PACKED:
        raise ValueError("not a form that this version writes")
    return zstandard.ZstdDecompressor().decompress(content[1:], max_output_size=SEGMENT)


def _compressor() -> zstandard.ZstdCompressor:
    """One a thread: it keeps its tables, and isn't made for several at once."""
    found: zstandard.ZstdCompressor | None = getattr(_local, "compressor", None)
    if found is None:
        found = _local.compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=False)
    return found


def bound(tenant: str, content: str) -> bytes:
    """What is bound into all that is sealed of a content."""
    return f"clew content\0{tenant}\0{content}".encode()


def damaged(body: str, why: str) -> StoreTrouble:
    return StoreTrouble(
        f"the body {body} does not open: {why}; restore its row from a backup, and run `clew db fsck`"
    )


def cut(chunks: Iterable[bytes], size: int = SEGMENT) -> Iterator[bytes]:
    """The same bytes in pieces of ``size``, the last one shorter (and empty when there are none at all)."""
    held: list[bytes] = []
    length = 0
    for chunk in chunks:
        held.append(chunk)
        length += len(chunk)
        while length > size:
            joined = b"".join(held)
            yield joined[:size]
            held = [joined[size:]]
            length -= size
    yield b"".join(held)
