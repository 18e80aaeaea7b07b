"""PROV-XML (W3C Note, 30 April 2013), read and written.

Beyond the note:

- A document type is refused: it is the door for entities that grow or fetch.
- Ids and references are qualified names of PROV, whose local part is wider than XML's; they are read as such,
  and written as names that are valid in XML wherever that is possible.
- The namespace of XML Schema has no ``#`` in XML; its names are those that end in ``#name`` elsewhere.
- White space around a value that has a datatype of XML Schema doesn't count, save for strings.
- A statement of another vocabulary is carried as it stands; an XML attribute that says nothing in PROV is
  left out, with a remark.
"""

from __future__ import annotations

import re

from provmodel.formats import Documents
from provmodel.formats.provxml.reading import read
from provmodel.formats.provxml.writing import write

_HEAD = 1 << 12  # bytes that are looked at
_PROV = b"http://www.w3.org/ns/prov#"
_is_markup = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+<(?:[?!]|[A-Za-z_][\w.-]*+(?::[A-Za-z_][\w.-]*+)?[\s/>])"
).match


def looks(data: bytes) -> int:
    """2 for XML that names PROV's namespace near its beginning, 1 for other XML."""
    head = data[:_HEAD]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", errors="replace").encode()
    if not _is_markup(head) or b"<rdf:RDF" in head:
        return 0
    return 2 if _PROV in head else 1


DOCUMENTS = Documents(
    name="prov-xml",
    title="PROV-XML",
    media_types=("application/provenance+xml", "application/xml", "text/xml"),
    endings=(".provx", ".prov.xml", ".xml"),
    read=read,
    write=write,
    looks=looks,
    bare=True,
)
