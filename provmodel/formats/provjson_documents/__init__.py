"""PROV-JSON documents (W3C Member Submission, 24 April 2013), read and written without loss of what they say.

Beyond the submission:

- ``prov`` and ``xsd`` are known without a declaration, and mean what PROV says whatever is declared.
- A bundle has the prefixes of the document and its own.
- A number without a datatype is ``xsd:int`` (``xsd:integer`` where that can't hold it) or ``xsd:double``,
  and is written as a number again; its digits stay.
- Names are legal IRIs; what an IRI can't hold, an undeclared prefix and an unknown section are refused. A
  *value* that is a name with an undeclared prefix is kept as it is.
- The statements of PROV-DICTIONARY stand in sections of their names; no other extension has a place.
"""

from __future__ import annotations

import re

from provmodel.formats import Documents
from provmodel.formats.provjson_documents.reading import read
from provmodel.formats.provjson_documents.writing import write

_HEAD = 1 << 14  # bytes that are looked at
_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(\{)?").match
_SECTION = re.compile(
    rb'"(?:prefix|entity|activity|agent|bundle|used|was[A-Z]\w+|actedOnBehalfOf|hadMember|alternateOf'
    rb'|specializationOf|mentionOf)"\s*+:\s*+[{\[]'
).search
_KEYWORD = re.compile(rb'"@(?:context|graph|id|type)"\s*+:').search


def looks(data: bytes) -> int:
    """2 for an object that begins with sections of PROV-JSON, 1 for any other but JSON-LD."""
    head = data[:_HEAD]
    found = _OBJECT(head)
    if not found or not found[1] or _KEYWORD(head):
        return 0
    return 2 if _SECTION(head) else 1


DOCUMENTS = Documents(
    name="prov-json",
    title="PROV-JSON",
    media_types=("application/json", "application/provenance+json"),
    endings=(".prov.json", ".provjson", ".json"),
    read=read,
    write=write,
    looks=looks,
)
