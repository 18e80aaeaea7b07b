"""How names and values are spelt in text formats: what stands in an IRI or a qualified name, which lexical
forms a datatype has, and which characters a reader can't see.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import TypeVar

from provmodel import names

PROV = "http://www.w3.org/ns/prov#"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
PROVEXT = "https://openprovenance.org/ns/provext#"
CLEW = "urn:x-clew:ns#"

# Control, format and separator characters: escaped in every format, so that what is shown is what is there.
INVISIBLE = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)

# The characters of a local name in PROV-N (PN_LOCAL), in ASCII and beyond; "." and "-" may be escaped.
_ASCII = r"[A-Za-z0-9_/@~&+*?$!='(),:;.-]*"
is_plain = re.compile(rf"{_ASCII}(?:%[0-9A-Fa-f]{{2}}{_ASCII})*").fullmatch
_LETTERS = (
    "\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"
    "\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_MARKS = "\xb7\u0300-\u036f\u203f\u2040"
_NOT_LOCAL = re.compile(
    rf"(?:[^A-Za-z0-9_/@~&+*?#$!='(),:;.%\-{_LETTERS}{_MARKS}]|%(?![0-9A-Fa-f]{{2}}))[{_MARKS}]*"
)
_MARK = re.compile(f"[{_MARKS}]").match
is_word = re.compile(r"[A-Za-z][A-Za-z0-9_-]*").fullmatch
"""A local name that needs no escape in any format."""
_ENDS_NAMESPACE = re.compile(rf"[/#:][{_MARKS}]*")

K = TypeVar("K")
_LONG = 1000  # characters of a text that is rather made again than remembered


class Memo(dict[K, str]):
    """Remembers the texts that ``make`` made of keys, so many and none that is long: memory stays constant on
    any stream.
    """

    def __init__(self, make: Callable[[K], str], most: int = 1 << 13) -> None:
        super().__init__()
        self._make = make
        self._most = most

    def __missing__(self, key: K) -> str:
        value = self._make(key)
        if len(value) < _LONG:
            if len(self) >= self._most:
                self.clear()
            self[key] = value
        return value


def about(base: str) -> str:
    """The namespace of what Clew says *about* a tenant's nodes: relations, assertions, roles.

    A sibling of the tenant's base: a tenant's name holds no ``;`` there, so no reference that a producer can
    choose is in it.
    """
    return f"{base[:-1]};about{base[-1]}"


def iri(ref: str, base: str) -> str:
    """The IRI of a node; what no IRI may hold (a reference from a document may) is percent-encoded."""
    if ref.startswith("<"):
        scheme, colon, rest = ref[1:-1].partition(":")
        return f"{scheme}{colon}{_host_kept(rest)}"
    return base + names.encoded(ref) if ref else base


def _host_kept(rest: str) -> str:
    """Brackets are legal in an IRI's host alone (an IPv6 address)."""
    if not rest.startswith("//"):
        return names.encoded(rest) if rest else ""
    host, slash, path = rest[2:].partition("/")
    return f"//{host}{slash}{names.encoded(path) if path else ''}"


def is_local(text: str) -> bool:
    """True when ``text`` can stand as the local part of a qualified name, and in an IRI, as it is."""
    if is_plain(text):
        return True
    return (
        not _NOT_LOCAL.search(text) and not _MARK(text) and text.count("#") < 2 and not text.startswith("<")
    )


def split_iri(text: str) -> tuple[str, str]:
    """Take an IRI apart into a namespace and a local part that a qualified name can hold (it may be empty).

    The cut is after the last ``/``, ``#`` or ``:``, and after all that no qualified name can hold.
    """
    cut = 0
    for pattern in (_ENDS_NAMESPACE, _NOT_LOCAL):
        for found in pattern.finditer(text):
            cut = max(cut, found.end())
    return text[:cut], text[cut:]


_ZONE = r"(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
_CLOCK = r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
_DATETIME = re.compile(rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{_CLOCK}{_ZONE}").fullmatch
_SURELY = re.compile(
    rf"[12][0-9]{{3}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8]){_CLOCK}{_ZONE}"
).fullmatch  # a day that every month has
_INTEGER = re.compile(r"[+-]?[0-9]+").fullmatch
_DOUBLE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|-?INF|NaN").fullmatch
_DOUBLE_WORDS = {
    "inf": "INF",
    "+inf": "INF",
    "infinity": "INF",
    "-inf": "-INF",
    "-infinity": "-INF",
    "nan": "NaN",
}
_BOOLEAN = {"true": "true", "false": "false", "1": "true", "0": "false"}
_QNAME = re.compile(r"(?:prov|provext|xsd|rdf|clew):[A-Za-z][A-Za-z0-9_-]*").fullmatch


def is_datetime(text: str) -> bool:
    """True for a lexical form of xsd:dateTime that is in the calendar (no leap second, no year 0)."""
    if _SURELY(text):
        return True
    if not _DATETIME(text):
        return False
    try:
        datetime.fromisoformat(text[:19])
    except ValueError:
        return False
    return True


def _datetime(text: str) -> tuple[str, str]:
    return (text, "dateTime") if _SURELY(text) or is_datetime(text) else (text, "string")


def _integer(text: str) -> tuple[str, str]:
    return (text, "integer") if _INTEGER(text) else (text, "string")


def _double(text: str) -> tuple[str, str]:
    found = text if _DOUBLE(text) else _DOUBLE_WORDS.get(text.lower())
    return (found, "double") if found else (text, "string")


def _boolean(text: str) -> tuple[str, str]:
    return (_BOOLEAN[text], "boolean") if text in _BOOLEAN else (text, "string")


@lru_cache(1024)
def _qname(text: str) -> tuple[str, str]:
    return (text, "qname") if _QNAME(text) else (text, "string")


_FORMS: dict[str, Callable[[str], tuple[str, str]]] = {
    "string": lambda text: (text, "string"),
    "dateTime": _datetime,
    "integer": _integer,
    "double": _double,
    "boolean": _boolean,
    "qname": _qname,
    "json": lambda text: (text, "json"),
}


def typed(value: str, datatype: str) -> tuple[str, str]:
    """A value in a lexical form of its datatype; what has none is kept as it is, as a string. Datatypes that
    only documents have are not looked into.
    """
    form = _FORMS.get(datatype)
    return form(value) if form else (value, datatype)
