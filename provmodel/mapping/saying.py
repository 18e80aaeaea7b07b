"""Names and values of a document as records have them: qualified where the vocabulary is known, absolute
where it is not, lexical forms as they were written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import msgspec

from provmodel.document import PROV, RDF, XSD, XSD_STRING, Attribute, Literal
from provmodel.lexical import CLEW, PROVEXT
from provmodel.mapping.exported import free_name
from provmodel.statements import OWN

Ref = Callable[[str], str]
"""Turns an IRI, or a blank name of the part that is read, into a reference."""

_WORDS = {
    "": "string",
    XSD_STRING: "string",
    XSD + "dateTime": "dateTime",
    XSD + "integer": "integer",
    XSD + "double": "double",
    XSD + "boolean": "boolean",
    RDF + "JSON": "json",
}
_SPACES = {PROV: "prov", CLEW: "clew", PROVEXT: "provext", XSD: "xsd", RDF: "rdf"}
_is_word = re.compile(r"[A-Za-z][A-Za-z0-9_-]*").fullmatch
# Names that an export takes where PROV's own place can't hold a value.
_SAME_NAME = {
    CLEW + "type": "prov:type",
    CLEW + "location": "prov:location",
    CLEW + "startTime": "prov:startTime",
    CLEW + "endTime": "prov:endTime",
    PROV + "atLocation": "prov:location",
}
_NUL = "\x00"  # no database keeps it in a text; the document itself does
_MOST = 2**63  # beyond it a JSON number is read differently by different readers
_sorted = msgspec.json.Encoder(order="sorted")


@lru_cache(4096)
def attribute_name(iri: str) -> str:
    """An attribute's name as records have it: ``prov:type``, what a producer called it, or ``<iri>``."""
    return _SAME_NAME.get(iri) or _known(iri) or free_name(iri) or f"<{iri}>"


@lru_cache(4096)
def _known(iri: str) -> str:
    """A name of a known vocabulary, qualified; else ""."""
    for space, prefix in _SPACES.items():
        if iri.startswith(space) and _is_word(iri[len(space) :]):
            return f"{prefix}:{iri[len(space) :]}"
    return ""


def plain(text: str) -> str:
    """A text without what a database can't hold."""
    return text.replace(_NUL, "\ufffd") if _NUL in text else text


def value_of(literal: Literal, ref: Ref) -> tuple[str, str]:
    """A value and its datatype, as records have them."""
    if literal.is_name:
        known = _known(literal.value)
        return (known, "qname") if known else (ref(literal.value), "iri")
    if literal.language:
        return plain(literal.value), f"@{literal.language}"
    return plain(literal.value), _WORDS.get(literal.datatype) or f"<{literal.datatype}>"


def attributes_text(attributes: Iterable[Attribute], ref: Ref, more: dict[str, Any]) -> str:
    """Attributes of a relation as canonical JSON text, with ``more`` of them; "" for none."""
    found: dict[str, Any] = {}  # each value once: of equal ones an export writes one
    for iri, literal in attributes:
        name, value = _own_name(attribute_name(iri)), _json(literal, ref)
        values = found.setdefault(name, [])
        if not any(type(one) is type(value) and one == value for one in values):
            values.append(value)
    return encoded({name: values if len(values) > 1 else values[0] for name, values in found.items()} | more)


def _own_name(name: str) -> str:
    """What an attribute of a relation is called here that an export had to move out of the way."""
    given = name.removeprefix("attr:")
    return given if given in OWN else name


def encoded(attributes: dict[str, Any]) -> str:
    """Canonical JSON text of attributes; "" for none."""
    return _sorted.encode(attributes).decode() if attributes else ""


def _json(literal: Literal, ref: Ref) -> Any:
    """A value in the form that an event's own attributes have, where one gives back the same."""
    value, datatype = value_of(literal, ref)
    match datatype:
        case "string":
            return value
        case "qname":
            return {"@id": f"<{literal.value}>"}
        case "iri":
            return {"@id": value}
        case "boolean" if value in ("true", "false"):
            return value == "true"
        case "integer" if _is_short(value):
            return int(value)
        case "double" if _is_shortest(value):
            return float(value)
        case "json":
            return _object(value)
        case _:
            pass
    if datatype[0] == "@":
        return {"@value": value, "@language": datatype[1:]}
    return {"@value": value, "@type": literal.datatype}


def _is_short(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isdecimal() and len(digits) < 19 and str(int(text)) == text and abs(int(text)) < _MOST


def _is_shortest(text: str) -> bool:
    try:
        number = float(text)
    except ValueError:
        return False
    return repr(number) == text and number - number == 0


def _object(text: str) -> Any:
    """A value of JSON as it stands, when it is an object that an export writes in the same way."""
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError:
        found = None
    if isinstance(found, dict) and msgspec.json.encode(found, order="deterministic").decode() == text:
        return found
    return {"@value": text, "@type": RDF + "JSON"}
