"""Documents in TriG (W3C Recommendation, 25 February 2014), in the terms of PROV-O: a named graph is a
bundle. How they are read and written says :mod:`provmodel.documents.rdf`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from provmodel.document import Document, Loss
from provmodel.documents.rdf import parsing, reading, writing
from provmodel.formats import Documents

_HEAD = 1 << 14  # bytes that are looked at
_DECLARED = re.compile(
    rb"^(?:@prefix|@base|prefix|base)\s+[^<\n]{0,80}<", re.IGNORECASE | re.MULTILINE
).search
_OPENED = re.compile(rb"^\s*(?:GRAPH\s+)?(?:<[^>\s]*>|[\w.:-]+)?\s*\{", re.IGNORECASE | re.MULTILINE).search


def read(data: bytes) -> Document:
    """The document in a TriG text; raises :class:`Unreadable`."""
    return reading.document(data, parsing.TRIG)


def write(document: Document, told: list[Loss]) -> Iterator[bytes]:
    """The document as TriG; what it can't hold is added to ``told``."""
    return writing.turtle(document, told, named_graphs=True)


def looks(data: bytes) -> int:
    """2 for prefixes as TriG declares them with a graph, 1 for such prefixes alone."""
    head = data[:_HEAD]
    if not _DECLARED(head):
        return 0
    return 2 if _OPENED(head) else 1


DOCUMENTS = Documents(
    name="trig",
    title="TriG (PROV-O)",
    media_types=("application/trig", "application/x-trig"),
    endings=(".trig",),
    read=read,
    write=write,
    looks=looks,
    is_rdf=True,
)
