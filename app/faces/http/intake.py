"""The body of a request: how much of it is taken, and how it is unpacked.

Nothing here holds more than the limit: a body is read up to it, and inflated up to it. What is being read at
one time, in all requests together, is bounded too.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from starlette.requests import ClientDisconnect, Request

from app.limits import Limits
from app.service import Overloaded
from provmodel.errors import ClewError, TooLarge, Unreadable

LIMITS = Limits()
MAX_BODY = LIMITS.request_bytes
_DRAINED = 4 * MAX_BODY  # read and dropped, so that a client gets to see why it was too much
_STEP = 2**20
_REMEDY = "send it in several requests"
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
ENCODINGS = "gzip, deflate"
UNSAID = frozenset({"", "application/x-www-form-urlencoded"})
"""The media types that say nothing: none, and what curl sends unless told. No form is taken anywhere."""


class Unsupported(ClewError):
    """The producer must act: the content is in a form that is not understood. ``accept`` is the header that
    says which are.
    """

    def __init__(self, what: str, remedy: str, accept: tuple[str, str]) -> None:
        super().__init__(f"{what} is not understood; {remedy}")
        self.remedy = remedy
        self.accept = accept


class Intake:
    """Reads bodies, and keeps count of what all of them hold."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.limit = limits.request_bytes
        self.items = limits.batch_items
        self.room = limits.waiting_bytes

    async def read(self, request: Request) -> bytes:
        """The body as it was sent; the caller gives its room back with :meth:`done`.

        Raises TooLarge beyond the limit, Overloaded when there is no room, Unsupported for a charset that is
        not UTF-8.
        """
        _check_charset(request)
        too_large = announced(request) > self.limit
        chunks: list[bytes] = []
        size = dropped = 0
        try:
            async for chunk in request.stream():
                too_large = too_large or size + len(chunk) > self.limit
                if too_large:
                    dropped += len(chunk)
                    if dropped > _DRAINED:
                        break
                    continue
                self._take(len(chunk))
                size += len(chunk)
                chunks.append(chunk)
        except (ClientDisconnect, Overloaded):
            self.done(size)
            raise
        if too_large:
            self.done(size)
            raise TooLarge("the bytes of this request", f"{self.limit} bytes", _REMEDY)
        return b"".join(chunks)

    def done(self, size: int) -> None:
        self.room += size

    def _take(self, size: int) -> None:
        if size > self.room:
            raise Overloaded("the requests that are being read fill the room for them", 1)
        self.room -= size


def announced(request: Request) -> int:
    """The bytes that a request says it brings; 0 when it does not say so."""
    length = request.headers.get("content-length", "")
    return int(length[:20]) if length.isdecimal() else 0


def media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def inflate(data: bytes, encodings: str, limit: int = MAX_BODY) -> bytes:
    """``data`` without its content encodings, at most ``limit`` bytes of it.

    Raises Unsupported for another encoding, TooLarge beyond the limit, and Unreadable for what is no such
    stream.
    """
    for encoding in reversed([name.strip().lower() for name in encodings.split(",") if name.strip()]):
        if encoding == "identity":
            continue
        if encoding not in _WINDOWS:
            raise Unsupported(
                f"Content-Encoding {encoding}", f"send {ENCODINGS}", ("Accept-Encoding", ENCODINGS)
            )
        window = _WINDOWS[encoding]
        if encoding == "deflate" and not _has_zlib_header(data):
            window = -zlib.MAX_WBITS  # some clients send raw deflate under that name (RFC 9110, 8.4.1.2)
        try:
            data = b"".join(_inflated(data, window, limit))
        except zlib.error as error:
            raise Unreadable(
                "body", f"this is no {encoding} stream: {error}", "send what Content-Encoding says"
            ) from None
    return data


def _inflated(data: bytes, window: int, limit: int) -> Iterator[bytes]:
    """Piece by piece; several members, one after the other, are one stream (RFC 1952, 2.2)."""
    size = 0
    while data:
        inflater = zlib.decompressobj(window)
        while data and not inflater.eof:
            piece = inflater.decompress(data, _STEP)
            size += len(piece)
            if size > limit:
                raise TooLarge("the bytes of this request, inflated,", f"{limit} bytes", _REMEDY)
            yield piece
            data = inflater.unconsumed_tail
        yield inflater.flush()  # at most what one symbol stands for: the rest came piece by piece
        if not inflater.eof:
            raise zlib.error("it ends too early")
        data = inflater.unused_data


def _has_zlib_header(data: bytes) -> bool:
    return len(data) > 1 and data[0] & 15 == zlib.DEFLATED and (data[0] << 8 | data[1]) % 31 == 0


def _check_charset(request: Request) -> None:
    for parameter in request.headers.get("content-type", "").split(";")[1:]:
        name, _, value = parameter.partition("=")
        charset = value.strip().strip('"').lower()
        if name.strip().lower() == "charset" and charset not in ("utf-8", "utf8", "us-ascii"):
            raise Unsupported(
                f"charset {charset}", "send UTF-8", ("Accept", "application/json; charset=utf-8")
            )
