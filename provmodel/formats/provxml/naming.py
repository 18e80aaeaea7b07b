"""IRIs as the qualified names of XML, whose local part is narrower than PROV's.

A name that no prefix in scope can spell has one declared on the very element that holds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr  # they only write

from provmodel.documents.scope import BLANK
from provmodel.lexical import split_iri

# XML 1.0, production 4 (NameStartChar) without the colon, and 4a (NameChar).
_START = (
    "A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_REST = f"{_START}0-9.\\-\xb7\u0300-\u036f\u203f\u2040"
is_ncname = re.compile(f"[{_START}][{_REST}]*").fullmatch
_tail = re.compile(f"[{_START}][{_REST}]*$").search


class Spelt(NamedTuple):
    """A qualified name as it stands in XML, and the declaration (after a blank) that it needs, or ""."""

    declaration: str
    name: str


class Spelling:
    """Spells IRIs within one part. ``local`` is a prefix that no part of the document declares.

    ``blank`` gives the IRI for a blank name; ``broken`` is called with a name that is no xsd:QName.
    """

    def __init__(
        self,
        spaces: list[tuple[str, str]],
        local: str,
        blank: Callable[[str], str],
        broken: Callable[[str], None],
    ) -> None:
        self._spaces = spaces
        self._local = local
        self._blank = blank
        self._broken = broken
        self._spelt: dict[str, Spelt] = {}

    def name(self, iri: str) -> Spelt:
        """The name of an element or a thing; one that is no xsd:QName is written all the same."""
        found = self._spelt.get(iri)
        if found is None:
            found = self._spelt[iri] = self.valid(iri) or self._odd(iri)
        return found

    def valid(self, iri: str, local: str = "") -> Spelt | None:
        """A name that is an xsd:QName, or None when there is none for this IRI."""
        if iri.startswith(BLANK):
            iri = self._blank(iri)
        for space, prefix in self._spaces:
            if iri.startswith(space) and is_ncname(iri[len(space) :]):
                return Spelt("", f"{prefix}:{iri[len(space) :]}" if prefix else iri[len(space) :])
        tail = _tail(iri)
        if not tail or not tail.start():
            return None
        prefix = local or self._local
        return Spelt(f" xmlns:{prefix}={quoteattr(iri[: tail.start()])}", f"{prefix}:{tail[0]}")

    def _odd(self, iri: str) -> Spelt:
        if iri.startswith(BLANK):
            iri = self._blank(iri)
        self._broken(iri)
        quotes = {'"': "&quot;"}
        for space, prefix in self._spaces:
            if prefix and iri.startswith(space):
                return Spelt("", f"{prefix}:{escape(iri[len(space) :], quotes)}")
        space, rest = split_iri(iri)
        return Spelt(f" xmlns:{self._local}={quoteattr(space)}", f"{self._local}:{escape(rest, quotes)}")
