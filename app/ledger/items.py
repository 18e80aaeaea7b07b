"""What the ledger takes in and gives back for each event."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from enum import IntFlag
from typing import Literal, Protocol

import msgspec

from provmodel.events import Envelope
from provmodel.evidence import Evidence, Principal
from provmodel.records import Records


class Mark(IntFlag):
    """How an event arrived. Marks stand in the log, are told to the producer, and are never exported.

    ``LATE``: an event of the same source and epoch with a greater number had come before. ``FUTURE``: its
    time lies ahead of this machine's clock. ``SKEWED``: it ends before it starts. ``VARIANT``: an event of
    the same source and id with other content had come before.
    """

    NONE = 0
    LATE = 1
    FUTURE = 2
    SKEWED = 4
    VARIANT = 8

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(mark.name.lower() for mark in Mark if mark in self and mark.name)


class Sealed(Protocol):
    """A body as it is stored: ``data`` (None where it lies at another place) opens only with the key in
    ``wrapped_key``; ``size`` is the content's, in bytes; equal ``digest`` means equal contents of a tenant.
    """

    @property
    def id(self) -> str: ...
    @property
    def cls(self) -> str: ...
    @property
    def media_type(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def state(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def label(self) -> str | None: ...
    @property
    def content(self) -> str: ...
    @property
    def digest(self) -> bytes | None: ...
    @property
    def wrapped_key(self) -> bytes: ...
    @property
    def data(self) -> bytes | None: ...
    @property
    def segments(self) -> bytes | None: ...
    @property
    def place(self) -> str: ...


class Content(msgspec.Struct, frozen=True, gc=False):
    """What a submitted document says: its canonical bytes, packed, and what is told of it (JSON text)."""

    packed: bytes
    about: str


class Prepared(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One event, ready to be stored.

    ``log`` is the canonical JSON of ``event``, whose bodies are already out, ``digest`` its SHA-256
    (:func:`digest_of`), ``computed`` the canonical JSON of what was computed from the bodies, and
    ``records`` what the mapping made of both. ``received`` is in microseconds since 1970. An event with
    content has ``salt`` and ``redelivery``, and ``same(salt, digest)`` tells whether its content is the one
    that those of another delivery were made from (None when that can't be told any more). A submitted
    document has its ``content``, and is told again by its digest, in the same way.
    """

    event: Envelope
    log: bytes
    digest: bytes
    records: Records
    principal: Principal
    received: int
    computed: bytes | None = None
    bodies: tuple[Sealed, ...] = ()
    salt: bytes | None = None
    redelivery: bytes | None = None
    same: Callable[[bytes, bytes], bool | None] | None = None
    marks: Mark = Mark.NONE
    content: Content | None = None


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What became of one event.

    ``seq`` is its place in the log; for a duplicate that of the equal event which is there. ``first_seq``
    is the place of the first event of this source and id, of which a conflict is another variant.
    ``content_compared`` is False for a duplicate that was told by source and id alone, because the content
    to compare with is gone.
    """

    status: Literal["recorded", "duplicate", "conflict"]
    seq: int
    first_seq: int
    content_compared: bool = True
    warnings: tuple[str, ...] = ()


class Grant(msgspec.Struct, frozen=True):
    """What of a credential the mapping reads; kept with each event, so that a replay reads the same."""

    kinds: tuple[str, ...]
    vouches: bool
    cap: int

    def principal(self, name: str) -> Principal:
        """The credential again, as far as a replay needs it: which sources it may write was checked on
        arrival.
        """
        return Principal(name, frozenset(self.kinds), None, self.vouches, Evidence(self.cap))


def grant_of(principal: Principal) -> str:
    """The canonical text of a credential's grant."""
    grant = Grant(tuple(sorted(principal.kinds)), principal.vouches, int(principal.cap))
    return msgspec.json.encode(grant).decode()


def digest_of(log: bytes) -> bytes:
    """32 bytes: SHA-256 of an event as the log keeps it."""
    return hashlib.sha256(log).digest()
