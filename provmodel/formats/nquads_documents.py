"""Documents in N-Quads (W3C Recommendation, 25 February 2014), in the terms of PROV-O: a named graph is a
bundle. N-Triples are N-Quads without names. How they are read and written says
:mod:`provmodel.documents.rdf`.
"""

from __future__ import annotations

import re

from provmodel.document import Document
from provmodel.documents.rdf import parsing, reading, writing
from provmodel.formats import Documents

_FIRST = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s*#[^\n]*\n)*+\s*(?:<[^>\s]+>|_:\S+)\s*<[^>\s]+>\s*[<_\"]").match
_HEAD = 1 << 14  # bytes that are looked at


def read(data: bytes) -> Document:
    """The document in a text of N-Quads or N-Triples; raises :class:`Unreadable`."""
    return reading.document(data, parsing.N_QUADS)


def looks(data: bytes) -> int:
    """2 for what begins with a triple without abbreviations."""
    return 2 if _FIRST(data[:_HEAD]) else 0


DOCUMENTS = Documents(
    name="n-quads",
    title="N-Quads (PROV-O)",
    media_types=("application/n-quads", "application/n-triples"),
    endings=(".nq", ".nquads", ".nt"),
    read=read,
    write=writing.quads,
    looks=looks,
    is_rdf=True,
)
