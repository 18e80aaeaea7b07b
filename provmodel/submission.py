"""A PROV document that was submitted, as the log keeps it.

It is an event like any other, but no producer reports it: whoever submits a document sends its bytes, and the
service says what came. What the document says is kept beside the event in canonical form
(:mod:`provmodel.documents.packing`), bound to it by ``content_sha256``.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from provmodel.events import Count, Envelope, Event, Text, Word

DOCUMENT = "document_submitted"
"""The type of the event."""

SCHEME = "document"
UNNAMED = 16  # hex digits of its digest that a document is called by when it got no name
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


class DocumentSubmitted(Envelope, tag=DOCUMENT, frozen=True):
    """A PROV document was submitted.

    ``id`` is the name that it was given, or the beginning of ``sha256``, the digest of the ``size`` bytes
    that came. ``evidence`` is the highest that its statements keep (the cap). IRIs under ``base`` are
    references of this tenant. ``format`` is the name of the format in which it came.
    """

    sha256: Sha256
    size: Count
    format: Word
    base: Text
    content_sha256: Sha256

    @property
    def ref(self) -> str:
        """The node of the document: a bundle."""
        return ref_of(self.id, self.sha256)


LoggedEvent = Event | DocumentSubmitted
"""What a log holds."""


def ref_of(name: str, sha256: str) -> str:
    """The reference of the document of this name and digest."""
    return f"{SCHEME}:{name}@sha256:{sha256}"
