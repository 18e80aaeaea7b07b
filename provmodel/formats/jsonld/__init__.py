"""PROV-JSONLD (W3C Member Submission, 25 August 2024), read and written, and any JSON-LD of PROV-O, read.

- Nothing is fetched: the submission's context is known by its address, and written here from the table of
  relations; any other context that isn't in the text is refused.
- A mention has no form in the submission; it is written in the terms of PROV-O, which JSON-LD readers take.
- What a name means is decided as for the other syntaxes of RDF, see :mod:`provmodel.documents.rdf`.
"""

from __future__ import annotations

import re

from provmodel.formats import Documents
from provmodel.formats.jsonld.reading import read
from provmodel.formats.jsonld.writing import write

_HEAD = 1 << 14  # bytes that are looked at
_OPENED = re.compile(rb"(?:\xef\xbb\xbf)?\s*+[\[{]").match
_KEYWORD = re.compile(rb'"@(?:context|graph|id|type)"\s*+:').search


def looks(data: bytes) -> int:
    """2 for JSON with keywords of JSON-LD near its beginning."""
    head = data[:_HEAD]
    found = _OPENED(head)
    if not found:
        return 0
    return 2 if _KEYWORD(head) else 0


DOCUMENTS = Documents(
    name="prov-jsonld",
    title="PROV-JSONLD",
    media_types=("application/ld+json",),
    endings=(".jsonld", ".prov.jsonld"),
    read=read,
    write=write,
    looks=looks,
    is_rdf=True,
)
