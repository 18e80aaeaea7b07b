"""PROV-JSON text to a document. Where something is wrong, a JSON pointer says where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from provmodel.document import AnyStatement, Bundle, Document, Element, Extension, Literal, Statement
from provmodel.documents import dictionary
from provmodel.documents.assembling import assembled
from provmodel.documents.faults import Trouble, shown
from provmodel.documents.lacking import is_void, lacking, required
from provmodel.documents.scope import BLANK, DEFAULT, Scope, declared
from provmodel.errors import Unreadable
from provmodel.formats.provjson_documents.members import Context, Members, described
from provmodel.formats.provjson_documents.parsing import parse, pointer
from provmodel.relations import END, MEMBERSHIP, TERMS, Kind, Term

_TIME = -1
_START, _END = -1, -2
_MEMBER = 1  # the position of the member in hadMember
_OWN = frozenset({"prefix", "bundle"})


class _Shape(msgspec.Struct, frozen=True):
    """Where the members of a record go: ``places`` are the keys of PROV's own arguments, each with the
    position of its argument, or -1 for a time; ``required`` are the positions that must be there.
    """

    term: Term
    size: int
    places: dict[str, int]
    required: tuple[int, ...]


def _shape(term: Term) -> _Shape:
    names = (term.subject, *(argument.name for argument in term.arguments), *term.references)
    places = {f"prov:{name}": position for position, name in enumerate(names)}
    if term.timed:
        places["prov:time"] = _TIME
    return _Shape(term, len(names), places, required(term))


_RELATIONS = {term.name: _shape(term) for term in TERMS if not term.json_name}
_RELATIONS["wasEndedby"] = _RELATIONS[END.name]  # so spelt in the schema of the submission
_ELEMENTS = {kind.word: kind for kind in Kind if kind}
_ACTIVITY_PLACES = {"prov:startTime": _START, "prov:endTime": _END}
_NO_PLACES: dict[str, int] = {}


def read(data: bytes) -> Document:
    """The document in PROV-JSON text; raises :class:`Unreadable`."""
    found = parse(data)
    context = Context()
    if not isinstance(found, dict):
        raise Unreadable("/", f"the document is {described(found)}", "a PROV-JSON document is an object")
    main = _Part(context, (), found, None)
    parts = [_bundle(main, name, content) for name, content in _bundles(found, ()).items()]
    document = assembled(main.read(None), [part for part in parts if part], context.remarks)
    context.faults.settle()
    return document


def _bundles(members: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    return _object(members.get("bundle", {}), (*path, "bundle"), "bundles by their names")


def _bundle(main: _Part, name: str, content: Any) -> Bundle | None:
    path = ("bundle", name)
    members = _object(content, path, "the sections of a bundle")
    if "bundle" in members:
        inner = next(iter(_bundles(members, path)), "")
        where = pointer(*path, "bundle", inner)
        raise Unreadable(where, f"nested bundle {inner} in {name}", "a bundle holds no bundle (PROV-DM 5.4)")
    part = _Part(main.context, path, members, main.scope)
    try:
        return part.read(main.scope[name])
    except Trouble as trouble:
        main.context.faults.add(pointer(*path), trouble)
        return None


class _Part(Members):
    """Reads the main part or one bundle."""

    def __init__(
        self, context: Context, path: tuple[str, ...], members: dict[str, Any], outer: Scope | None
    ) -> None:
        self.members = members
        self.prefixes = _declared(members, path, context)
        super().__init__(context, path, Scope(self.prefixes, outer))

    def read(self, name: str | None) -> Bundle:
        """Everything in it; ``name`` is the bundle's."""
        found: list[AnyStatement] = []
        for section, content in self.members.items():
            if section in _OWN:
                continue
            path = (*self.path, section)
            self.section, self.key = section, ""
            records = _object(content, path, "records by their ids")
            if section in _ELEMENTS:
                found.extend(self._elements(_ELEMENTS[section], records))
            elif section in _RELATIONS:
                found.extend(self._relations(_RELATIONS[section], records))
            elif section in dictionary.SHAPES:
                found.extend(self._dictionaries(dictionary.SHAPES[section], records))
            else:
                raise _unknown(section, path)
        return Bundle(name, self.prefixes, tuple(found))

    def _records(self, records: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each record of a section with its id; several of one id stand in an array."""
        for key, content in records.items():
            self.key = key
            if type(content) is dict:
                yield key, content
            elif isinstance(content, list) and content:
                for number, one in enumerate(content):
                    yield key, _object(one, (*self.path, self.section, key, str(number)), "its members")
            else:
                raise Unreadable(self.where(), f"the record is {described(content)}", "give an object")

    def _elements(self, kind: Kind, records: dict[str, Any]) -> Iterator[Element]:
        places = _ACTIVITY_PLACES if kind is Kind.ACTIVITY else _NO_PLACES
        scope = self.scope
        for key, record in self._records(records):
            try:
                attributes, formal = self.split(record, places) if record else ((), {})
                if formal:
                    start, end = self.time(formal.get(_START)), self.time(formal.get(_END))
                    yield Element(kind, scope[key], attributes, start, end)
                else:
                    yield Element(kind, scope[key], attributes)
            except Trouble as trouble:
                self.context.faults.add(self.where(), trouble)

    def _relations(self, shape: _Shape, records: dict[str, Any]) -> Iterator[Statement]:
        scope, end, term, places = self.scope, self.end, shape.term, shape.places
        nothing: list[str | None] = [None] * shape.size
        for key, record in self._records(records):
            try:
                attributes, formal = self.split(record, places)
                time = self.time(formal.pop(_TIME)) if _TIME in formal else None
                if term is MEMBERSHIP and isinstance(formal.get(_MEMBER), list):
                    yield from self._members_of(scope[key], formal, attributes)
                    continue
                ends = nothing.copy()
                for place, value in formal.items():
                    ends[place] = scope[value] if type(value) is str else end(value)
                name = scope[key]
                for place in shape.required:
                    if ends[place] is None:
                        self._lacking(shape, place, name)
                yield Statement(term, name, tuple(ends), time, attributes)
            except Trouble as trouble:
                self.context.faults.add(self.where(), trouble)

    def _lacking(self, shape: _Shape, place: int, name: str) -> None:
        found = lacking(shape.term, _name_of(shape, place))
        if is_void(shape.term, place, name):
            raise found
        self.context.remarks.add("incomplete relations", self.where(), found.reason)

    def _members_of(self, name: str, formal: dict[int, Any], attributes: Any) -> Iterator[Statement]:
        """``hadMember`` with several members: a statement for each."""
        if 0 not in formal or not formal[_MEMBER]:
            place = 0 if 0 not in formal else _MEMBER
            raise lacking(MEMBERSHIP, _name_of(_RELATIONS[MEMBERSHIP.name], place))
        collection = self.end(formal[0])
        one_by_one = None if name.startswith(BLANK) else name
        for member in formal[_MEMBER]:
            yield Statement(MEMBERSHIP, one_by_one, (collection, self.end(member)), None, attributes)

    # --- PROV-DICTIONARY ---

    def _dictionaries(self, shape: dictionary.Shape, records: dict[str, Any]) -> Iterator[Extension]:
        sets = dictionary.KEY_ENTITY_SET if shape.pairs else dictionary.KEY_SET
        places = {name: place for place, name in enumerate((*shape.json, sets))}
        what = f"{shape.name} of PROV-DICTIONARY is carried, not interpreted"
        for key, record in self._records(records):
            try:
                attributes, formal = self.split(record, places)
                given = formal.pop(len(shape.json), [])
                leading = tuple(
                    self.end(formal[place]) if place in formal else None for place in range(len(shape.json))
                )
                parts: Any = tuple(self._pairs(given) if shape.pairs else self._keys(given))
                yield from dictionary.statements(shape, self.scope[key], leading, parts, attributes)
                self.context.remarks.add("statements carried", self.where(), what)
            except Trouble as trouble:
                self.context.faults.add(self.where(), trouble)

    def _keys(self, given: Any) -> Iterator[Literal]:
        for one in given if isinstance(given, list) else [given]:
            yield self.value(one, dictionary.KEY_SET)

    def _pairs(self, given: Any) -> Iterator[dictionary.Pair]:
        """An array of objects with ``key`` and ``$``, or one object of keys that have one datatype."""
        for one in given if isinstance(given, list) else [given]:
            if not isinstance(one, dict):
                raise Trouble(f"a pair of key and entity is {described(one)}", 'give {"key": ..., "$": ...}')
            if "key" in one and "$" in one:
                yield self.value(one["key"], dictionary.KEY_ENTITY_SET), self.end(one["$"])
                continue
            datatype = one.get("$key-datatype")
            for key, entity in one.items():
                if key != "$key-datatype":
                    value: Any = {"$": key, "type": datatype} if datatype else key
                    yield self.value(value, dictionary.KEY_ENTITY_SET), self.end(entity)


def _declared(members: dict[str, Any], path: tuple[str, ...], context: Context) -> dict[str, str]:
    path = (*path, "prefix")
    given = _object(members.get("prefix", {}), path, "namespaces by their prefixes")
    for prefix, space in given.items():
        if type(space) is not str:
            raise Unreadable(pointer(*path, prefix), f"the namespace is {described(space)}", "give an IRI")
    spaces = {DEFAULT if prefix == "default" else prefix: space for prefix, space in given.items()}
    try:
        return declared(spaces, context.remarks, lambda prefix: pointer(*path, prefix))
    except Trouble as trouble:
        raise trouble.at(pointer(*path)) from None


def _object(value: Any, path: tuple[str, ...], of: str) -> dict[str, Any]:
    if type(value) is not dict:
        raise Unreadable(pointer(*path), f"it is {described(value)}", f"give an object of {of}")
    return value


def _name_of(shape: _Shape, place: int) -> str:
    return next(name for name, position in shape.places.items() if position == place)


def _unknown(section: str, path: tuple[str, ...]) -> Unreadable:
    remedy = "use the sections of PROV-JSON: prefix, entity, activity, agent, bundle, and those of relations"
    if section.startswith("@"):
        remedy = "this looks like JSON-LD: read it as that"
    return Unreadable(pointer(*path), f"there is no section {shown(section)}", remedy)
