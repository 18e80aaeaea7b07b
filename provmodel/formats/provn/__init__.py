"""PROV-N (W3C Recommendation, 30 April 2013), read and written.

Beyond the recommendation:

- Optional arguments may be left out from any place on. An argument that PROV-DM requires may be ``-`` when
  the relation has an id: then it is partly known, and remarked on.
- Blank names, which PROV-N doesn't have, are written in the namespace ``urn:x-clew:blank:`` where something
  refers to them, and are read from it as blank again.
- An extension statement, whose name has a prefix, is carried by its shape.
- A text may hold ``\\u`` and four hex digits: PROV-N has no other way to write a control character.
"""

from __future__ import annotations

import re

from provmodel.formats import Documents
from provmodel.formats.provn.lexing import SPACE
from provmodel.formats.provn.reading import read
from provmodel.formats.provn.writing import write

_HEAD = 1 << 14  # bytes that are looked at
_BEGINS = re.compile(rf"\ufeff?{SPACE}document(?![\w:.-])").match


def looks(data: bytes) -> int:
    """2 for a text that begins with the word ``document``, after comments."""
    return 2 if _BEGINS(data[:_HEAD].decode("utf-8", errors="replace")) else 0


DOCUMENTS = Documents(
    name="prov-n",
    title="PROV-N",
    media_types=("text/provenance-notation",),
    endings=(".provn",),
    read=read,
    write=write,
    looks=looks,
    bare=True,
)
