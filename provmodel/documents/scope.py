"""Qualified names as they are read: which IRI each stands for, by the prefixes in scope."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from provmodel import lexical
from provmodel.document import PROV, XSD
from provmodel.documents.faults import Remarks, Trouble, shown

RESERVED = {"prov": PROV, "xsd": XSD}
"""Prefixes that PROV fixes; they need no declaration, and another meaning is ignored."""
BLANK = "_:"
BLANK_SPACE = "urn:x-clew:blank:"
"""The namespace in which blank names are written where a format has none; they are read as blank again."""
DEFAULT = ""


class Scope(dict[str, str]):
    """Qualified names to absolute IRIs, each worked out once. Names that are blank stay as they are.

    ``prefixes`` are those declared here; ``outer`` is the scope around this one, ``spaces`` all that hold.
    ``decode`` turns what was escaped in a local part into what it stands for. A look-up raises
    :class:`Trouble` for an undeclared prefix, which it names, and for a name that is no legal absolute IRI.
    ``reserved`` says that the format fixes ``prov`` and ``xsd``.
    """

    def __init__(
        self,
        prefixes: Mapping[str, str],
        outer: Scope | None = None,
        decode: Callable[[str], str] | None = None,
        reserved: bool = True,
    ) -> None:
        super().__init__()
        inherited: dict[str, str] = {} if outer is None else outer.spaces
        self.spaces: dict[str, str] = {**inherited, **prefixes, **(RESERVED if reserved else {})}
        self._decode: Callable[[str], str] | None = decode

    def __missing__(self, text: str) -> str:
        iri = self.expand(text)
        if iri.startswith(BLANK_SPACE) and iri != BLANK_SPACE:
            iri = BLANK + iri[len(BLANK_SPACE) :]
        if not iri.startswith(BLANK):
            check_iri(iri, text)
        self[text] = iri
        return iri

    def expand(self, text: str) -> str:
        """The namespace and the local part put together, whatever comes of it."""
        prefix, local = self.apart(text)
        space = self.spaces.get(prefix)
        if space is None:
            if prefix == "_" and local:
                return text
            raise _undeclared(prefix, text)
        if self._decode and "\\" in local:
            local = self._decode(local)
        return space + local

    def apart(self, text: str) -> tuple[str, str]:
        """Prefix ("" for none) and local part of a name as it stands."""
        prefix, colon, local = text.partition(":")
        return (prefix, local) if colon else (DEFAULT, text)

    def knows(self, text: str) -> bool:
        """True when the prefix of ``text`` is declared (or, without one, a default namespace is)."""
        return self.apart(text)[0] in self.spaces


def _undeclared(prefix: str, text: str) -> Trouble:
    if prefix == DEFAULT:
        return Trouble(f"{shown(text)} has no prefix, and there is no default namespace", "declare one")
    return Trouble(
        f"the prefix {shown(prefix)} of {shown(text)} is not declared",
        f"declare {prefix[:40]}, or correct it",
    )


_PLAIN = r"[A-Za-z0-9:/@._;=+,~!$&'()*?-]*+(?:%[0-9A-Fa-f]{2}[A-Za-z0-9:/@._;=+,~!$&'()*?-]*+)*+"
_is_plain = re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*+:{_PLAIN}(?:#{_PLAIN})?").fullmatch
_surely_not = re.compile(r'[\x00-\x20<>"{}|\\^`]').search
_has_scheme = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:.").match


def is_iri(text: str) -> bool:
    """True for an absolute IRI (RFC 3987) that every format can hold."""
    if _is_plain(text):
        return text[-1] != ":" or text.count(":") > 1
    if not _has_scheme(text) or _surely_not(text):
        return False
    return lexical.iri(f"<{text}>", "") == text


def check_iri(iri: str, text: str) -> None:
    """Raise :class:`Trouble` when ``iri``, which the text calls ``text``, is no legal absolute IRI."""
    if not is_iri(iri):
        raise Trouble(
            f"{shown(text)} is no legal name: <{iri[:200]}> is no absolute IRI (RFC 3987)",
            "percent-encode what an IRI may not hold",
        )


def declared(prefixes: Mapping[str, str], remarks: Remarks, where: Callable[[str], str]) -> dict[str, str]:
    """The prefixes that a text declares, without those that give a reserved one another meaning.

    Raises :class:`Trouble` for a namespace that is no absolute IRI.
    """
    kept = {}
    for prefix, space in prefixes.items():
        fixed = RESERVED.get(prefix)
        if fixed not in (None, space):
            what = f"the prefix {prefix} is reserved for <{fixed}>; <{space[:200]}> was ignored"
            remarks.add("reserved prefixes", where(prefix), what)
            continue
        check_iri(space + "x", f"{prefix or 'default'}: {space}")
        kept[prefix] = space
    return kept
