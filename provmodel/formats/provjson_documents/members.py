"""The members of a PROV-JSON record: PROV's own arguments, and attributes with their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from provmodel.document import PROV, XSD, Attribute, Literal
from provmodel.documents.faults import Faults, Remarks, Trouble, shown
from provmodel.documents.literals import NAME_TYPES, in_language, integer_type, name_value
from provmodel.documents.scope import BLANK, Scope, is_iri
from provmodel.documents.values import Times
from provmodel.errors import Unreadable
from provmodel.formats.provjson_documents.parsing import Integer, Real, pointer

_TYPED = frozenset({"$", "type", "lang"})
_TRUE = Literal("true", XSD + "boolean", native=True)
_FALSE = Literal("false", XSD + "boolean", native=True)


class Context:
    """What one reading shares: what was found wrong, what was noticed, and which times are right."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.remarks = Remarks()
        self.times = Times()


class Members:
    """Reads members of records within one scope; ``path`` leads to the part of the document that has it."""

    def __init__(self, context: Context, path: tuple[str, ...], scope: Scope) -> None:
        self.context = context
        self.path = path
        self.scope = scope
        self.section = ""
        self.key = ""
        self._attribute_names: dict[str, str] = {}
        self._datatypes: dict[str, str] = {}

    def where(self, *more: str | int) -> str:
        """The pointer to the record that is read, or to something in it."""
        return pointer(*self.path, self.section, self.key, *more)

    def split(
        self, record: dict[str, Any], places: Mapping[str, int]
    ) -> tuple[tuple[Attribute, ...], dict[int, Any]]:
        """The attributes of a record, and the values of PROV's own arguments by their places."""
        found: list[Attribute] = []
        formal: dict[int, Any] = {}
        names = self._attribute_names
        for key, value in record.items():
            place = places.get(key)
            if place is not None:
                formal[place] = value
                continue
            name = names.get(key) or self._name(key)
            if type(value) is str:
                found.append((name, Literal(value)))
            elif name.startswith(PROV) and f"prov:{name[len(PROV) :]}" in places:
                formal[places[f"prov:{name[len(PROV) :]}"]] = value  # PROV under another prefix
            elif type(value) is list:
                found.extend([(name, self.value(one, key, number)) for number, one in enumerate(value)])
            else:
                found.append((name, self.value(value, key)))
        return tuple(found), formal

    def _name(self, key: str) -> str:
        try:
            name = self.scope[key]
        except Trouble as trouble:
            raise Trouble(f"the attribute {shown(key)}: {trouble.reason}", trouble.remedy) from None
        if name.startswith(BLANK):
            raise Trouble(f"the attribute {shown(key)} has a blank name", "give it a qualified name")
        self._attribute_names[key] = name
        return name

    def value(self, value: Any, *path: str | int) -> Literal:
        """One value of an attribute; ``path`` leads to it within the record."""
        kind = type(value)
        if kind is str:
            return Literal(value)
        if kind is bool:
            return _TRUE if value else _FALSE
        if kind is Integer:
            return Literal(str(value), integer_type(value), native=True)
        if kind is Real:
            return Literal(str(value), XSD + "double", native=True)
        if kind is dict and "$" in value:
            return self._typed(value, path)
        what = "an object without $" if kind is dict else described(value)
        remedy = 'give a text, a number, true, false, or {"$": ..., "type": ...}'
        raise Unreadable(self.where(*path), f"the value is {what}", remedy)

    def _typed(self, value: dict[str, Any], path: tuple[str | int, ...]) -> Literal:
        if value.keys() - _TYPED:
            odd = next(key for key in value if key not in _TYPED)
            raise Unreadable(
                self.where(*path, odd), f"a value has no member {shown(odd)}", "use $, type, lang"
            )
        text = value["$"]
        if type(text) is bool:
            text = "true" if text else "false"
        for member in value.values():
            if not isinstance(member, str) and type(member) is not bool:
                what = f"a member of the value is {described(member)}"
                raise Unreadable(self.where(*path), what, "give texts")
        given = value.get("type", "")
        datatype = self._datatypes.get(given) or self._datatype(given)
        remarks = self.context.remarks
        if "lang" in value:
            return in_language(str(text), datatype, value["lang"], remarks, lambda: self.where(*path))
        if datatype in NAME_TYPES:
            return name_value(str(text), datatype, self.scope, remarks, lambda: self.where(*path))
        return Literal(str(text), datatype)

    def _datatype(self, text: str) -> str:
        """The IRI of a datatype, which may also be given as an IRI."""
        if not text:
            return ""
        iri = text if not self.scope.knows(text) and is_iri(text) and "/" in text else self.scope[text]
        self._datatypes[text] = iri
        return iri

    def end(self, value: Any) -> str:
        """The name that an argument gives; an array of one is taken for that one."""
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict) and value.keys() <= _TYPED:
            value = value.get("$")
        if type(value) is not str:
            raise Trouble(f"an argument is {described(value)}", "give one qualified name")
        return self.scope[value]

    def time(self, value: Any) -> str | None:
        """The time that an argument gives; None when there is none."""
        if value is None:
            return None
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict) and value.keys() <= _TYPED:
            value = value.get("$")
        if type(value) is not str:
            raise Trouble(f"a time is {described(value)}", "give one xsd:dateTime")
        return self.context.times[value]


def described(value: Any) -> str:
    """What kind of JSON value it is, for a message."""
    if value is None:
        return "null"
    if isinstance(value, Integer | Real):
        return f"the number {value[:40]}"
    if isinstance(value, str):
        return f"the text {shown(value)}"
    words = {dict: "an object", list: "an array", bool: "a truth value"}
    return words.get(type(value), "of another kind") + (" that is empty" if value in ({}, []) else "")
