"""The verb *capture*: content that comes by itself, for something that events have named.

A short one is recorded as if an event had carried it, so its words and values can be found. A long one is
sealed as it comes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Literal

import msgspec

from app.content.classes import class_of, kind_of
from app.content.keys import TagKeys
from app.content.streaming import Limit, Streamed, take_in
from app.content.vault import Vault, check_pin
from app.service.results import ItemResult
from provmodel.errors import Refused
from provmodel.events import Body, ContentCaptured, Ref
from provmodel.evidence import Principal

SHORT = 2**20
"""Bytes of a content that is recorded with its words and values."""

_JSON = "application/json"


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """Content that somebody sends for a reference. ``sha256`` is the digest that it is said to have (32
    bytes), ``size`` likewise; ``label`` is what retention may choose by.
    """

    ref: str
    media_type: str = ""
    as_: Literal["content", "label"] = "content"
    run: str | None = None
    label: str | None = None
    sha256: bytes | None = None
    size: int | None = None


class Captured(msgspec.Struct, frozen=True):
    """What became of a content: the body that it is now, its size in bytes, and the event that says so."""

    body: str
    size: int
    ref: str
    result: ItemResult


class Arriving:
    """Content on its way in: counted and digested, and held back as long as it is short."""

    def __init__(self, chunks: Iterable[bytes], offer: Offer) -> None:
        self._chunks = iter(chunks)
        self._offer = offer
        self._digest = hashlib.sha256()
        self.size = 0

    def start(self) -> tuple[bytes, bool]:
        """The first megabyte and a chunk more at most, and whether that is all."""
        held: list[bytes] = []
        for chunk in self._counted():
            held.append(chunk)
            if self.size > SHORT:
                return b"".join(held), False
        return b"".join(held), True

    def rest(self) -> Iterator[bytes]:
        """What follows; raises :class:`Refused` at its end when it is not what it was said to be."""
        yield from self._counted()

    def _counted(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self.size += len(chunk)
            self._digest.update(chunk)
            yield chunk
        self._check()

    def _check(self) -> None:
        offer = self._offer
        if offer.size is not None and offer.size != self.size:
            raise Refused(
                "Content-Length",
                f"{self.size} bytes came, not {offer.size}",
                "send all of it, or leave the size out",
            )
        if offer.as_ == "content":
            check_pin(offer.ref, self._digest.hexdigest, "")
        if offer.sha256 is not None and not hmac.compare_digest(offer.sha256, self._digest.digest()):
            raise Refused(
                "Content-Digest",
                "what came has another digest",
                "send it again; something changed it on its way",
            )


def event_of(offer: Offer, body: Body, principal: Principal) -> ContentCaptured:
    """The event that says of a content what came."""
    return ContentCaptured(
        id=f"event:{uuid.uuid4()}",
        source=f"http:{principal.name}",
        time=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        run=offer.run,
        content=Ref(ref=offer.ref, body=body),
        as_=offer.as_,
        label=offer.label,
    )


def short_body(content: bytes, media_type: str) -> Body:
    """A body that carries the content: as the text or JSON that its media type says, if it is that."""
    kind = media_type.partition(";")[0].strip().lower()
    if kind == _JSON or kind.startswith("text/") or kind.endswith("+json"):
        try:
            return Body(id=_fresh(), media_type=media_type, text=content.decode())
        except UnicodeDecodeError:
            pass  # then it is bytes, whatever it says of itself
    return Body(id=_fresh(), media_type=media_type or None, base64=base64.b64encode(content).decode())


def streamed(
    vault: Vault,
    tenant: str,
    offer: Offer,
    first: bytes,
    arriving: Arriving,
    event: ContentCaptured,
    most: int,
    under: TagKeys,
) -> Streamed:
    """Seal a long content; raises what its size or digest, or the place that takes it, gives cause for."""
    body = event.content.body
    assert body is not None  # noqa: S101 (event_of made it so)
    cls = class_of(event, offer.ref, "/content")
    limit = Limit(most, cls, kind_of(event, offer.ref), offer.label)
    chunks: Iterable[bytes] = chain([first], arriving.rest())
    if vault.redactor:
        chunks = vault.redactor.stream(chunks)
    return take_in(vault, tenant, body, chunks, limit, under, offer.run)


def long_body(media_type: str) -> Body:
    """A body that is named in the event and comes as a stream."""
    return Body(id=_fresh(), media_type=media_type or "application/octet-stream")


def _fresh() -> str:
    return f"body:{uuid.uuid4().hex}"
