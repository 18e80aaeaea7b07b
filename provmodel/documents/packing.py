"""A document as canonical bytes, and back: what the log keeps of it.

JSON without spaces, everything in its order: equal documents give equal bytes. Statements are arrays whose
first item says what they are: ``e`` an element, ``s`` a relation, ``x`` an extension. A value is an array of
its lexical form, datatype, language, spelling and whether it was native, as far as they say something. The
numbers of relations are those of :mod:`provmodel.relations`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from provmodel.document import (
    AnyStatement,
    Attribute,
    Bundle,
    Carried,
    Document,
    Element,
    Extension,
    Literal,
    Remark,
    Statement,
)
from provmodel.relations import TERMS, Kind

VERSION = 1
"""Goes up when the form changes; an older form stays readable."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def pack(document: Document) -> bytes:
    """The canonical bytes of a document, UTF-8. Raises UnicodeEncodeError for a lone surrogate."""
    remarks = [(remark.where, remark.what) for remark in document.remarks]
    return _encode((VERSION, [_part(part) for part in document.parts], remarks))


def unpack(data: bytes) -> Document:
    """The document that :func:`pack` gave these bytes of."""
    _, parts, remarks = _decode(data)
    main, *bundles = map(_bundle, parts)
    return Document(main, tuple(bundles), tuple(Remark(where, what) for where, what in remarks))


def _part(part: Bundle) -> Any:
    return part.id, list(part.prefixes.items()), [_statement(one) for one in part.statements]


def _statement(one: AnyStatement) -> Any:
    if isinstance(one, Statement):
        return "s", one.term.index, one.id, one.arguments, one.time, _attributes(one.attributes)
    if isinstance(one, Element):
        return "e", int(one.kind), one.id, one.start, one.end, _attributes(one.attributes)
    arguments = [_carried(argument) for argument in one.arguments]
    more = one.keys, one.format, one.raw, _attributes(one.attributes)
    return "x", one.name, one.id, arguments, *more


def _attributes(attributes: Iterable[Attribute]) -> Any:
    return [(name, _literal(value)) for name, value in attributes]


def _literal(value: Literal) -> Any:
    if not value.datatype and not value.language:
        return (value.value,)
    if not (value.language or value.spelling or value.native):
        return value.value, value.datatype
    return value.value, value.datatype, value.language, value.spelling, value.native


def _carried(place: Carried) -> Any:
    """An argument of an extension: a name is a text, a value an object, several an array."""
    if isinstance(place, Literal):
        return {"value": _literal(place)}
    return [_carried(one) for one in place] if isinstance(place, tuple) else place


def _bundle(packed: Any) -> Bundle:
    name, prefixes, statements = packed
    return Bundle(name, dict(prefixes), tuple(map(_unpacked, statements)))


def _unpacked(packed: Any) -> AnyStatement:
    kind, *rest = packed
    if kind == "s":
        index, name, arguments, time, attributes = rest
        return Statement(TERMS[index], name, tuple(arguments), time, _read_attributes(attributes))
    if kind == "e":
        number, name, start, end, attributes = rest
        return Element(Kind(number), name, _read_attributes(attributes), start, end)
    name, ident, arguments, keys, form, raw, attributes = rest
    places = tuple(map(_read_carried, arguments))
    return Extension(name, ident, places, tuple(keys), _read_attributes(attributes), form, raw)


def _read_attributes(packed: Any) -> tuple[Attribute, ...]:
    return tuple((name, Literal(*value)) for name, value in packed)


def _read_carried(packed: Any) -> Carried:
    if isinstance(packed, dict):
        return Literal(*packed["value"])
    return tuple(map(_read_carried, packed)) if isinstance(packed, list) else packed
