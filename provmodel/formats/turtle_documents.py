"""Documents in Turtle (W3C Recommendation, 25 February 2014), in the terms of PROV-O; how they are read and
written says :mod:`provmodel.documents.rdf`. Turtle has no named graphs, hence no bundles.
"""

from __future__ import annotations

import re

from provmodel.document import Document
from provmodel.documents.rdf import parsing, reading, writing
from provmodel.formats import Documents

_HEAD = 1 << 14  # bytes that are looked at
_DECLARED = re.compile(
    rb"^(?:@prefix|@base|prefix|base)\s+[^<\n]{0,80}<", re.IGNORECASE | re.MULTILINE
).search
_OPENED = re.compile(rb"^\s*(?:GRAPH\s+)?(?:<[^>\s]*>|[\w.:-]+)?\s*\{", re.IGNORECASE | re.MULTILINE).search
_TRIPLE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<[^>\s]+>|_:\w+|\[)\s+(?:<[^>\s]+>|a\s|[\w-]+:\w)").match


def read(data: bytes) -> Document:
    """The document in a Turtle text; raises :class:`Unreadable`."""
    return reading.document(data, parsing.TURTLE)


def looks(data: bytes) -> int:
    """2 for prefixes or bases as Turtle declares them and no graph, 1 for what begins with a triple."""
    head = data[:_HEAD]
    if _DECLARED(head):
        return 0 if _OPENED(head) else 2
    return 1 if _TRIPLE(head) else 0


DOCUMENTS = Documents(
    name="turtle",
    title="Turtle (PROV-O)",
    media_types=("text/turtle", "application/x-turtle"),
    endings=(".ttl", ".turtle"),
    read=read,
    write=writing.turtle,
    looks=looks,
    is_rdf=True,
)
