"""Submitted documents as the ledger keeps them: what each says, packed, bound to its event by a digest."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from hashlib import sha256

from app.ledger.store import Tuple
from provmodel.document import Document
from provmodel.documents.packing import unpack
from provmodel.submission import DocumentSubmitted

LEVEL = 6  # of zlib: names return often, and a tenth of the bytes is left
Fetch = Callable[[str, Sequence[object]], list[Tuple]]

CONTENT = "select d.content from document d where d.tenant = ? and d.event = ?"


class Damage(Exception):
    """What is kept of a document isn't what the log says of it."""


def compressed(content: bytes) -> bytes:
    """Canonical bytes as they are stored."""
    return zlib.compress(content, LEVEL)


def content_of(fetch: Fetch, tenant: int, seq: int, event: DocumentSubmitted) -> Document:
    """What the document of an event says; raises :class:`Damage`."""
    found = fetch(CONTENT, (tenant, seq))
    if not found:
        raise Damage("has lost its document")
    try:
        content = zlib.decompress(found[0][0])
    except zlib.error:
        raise Damage("has a document that can't be unpacked") from None
    if sha256(content).hexdigest() != event.content_sha256:
        raise Damage("has a document that does not match its digest")
    return unpack(content)
