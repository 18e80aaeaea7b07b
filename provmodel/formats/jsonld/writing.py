"""A document as PROV-JSONLD: a statement a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import msgspec

from provmodel.document import (
    ABSENT_MARK,
    PROV_LABEL,
    PROV_LOCATION,
    PROV_ROLE,
    PROV_TYPE,
    PROV_VALUE,
    XSD_STRING,
    AnyStatement,
    Attribute,
    Bundle,
    Document,
    Element,
    Extension,
    Literal,
    Loss,
    Statement,
)
from provmodel.documents.faults import Losses
from provmodel.documents.rdf.encoding import Encoder
from provmodel.documents.rdf.spelling import Names, usable
from provmodel.documents.rdf.vocabulary import ARGUMENTS, ATTRIBUTES, DESCRIPTION, PROPERTIES, RELATING
from provmodel.documents.scope import BLANK, DEFAULT
from provmodel.formats.jsonld.context import ADDRESS, CLASS_NAMES, CONTEXT
from provmodel.lexical import PROV
from provmodel.relations import MENTION, TERMS, Kind

BATCH = 512  # statements between two chunks
_encode = msgspec.json.Encoder().encode
_GENERAL = {PROV_TYPE: "type", PROV_ROLE: "role", PROV_LOCATION: "location", PROV_LABEL: "label"}
_NAMED = frozenset({PROV_TYPE, PROV_ROLE, PROV_LOCATION})  # whose text is a name
_ENDS_PREFIX = tuple(":/?#[]@")  # JSON-LD 1.1, 4.1.2: what a namespace ends in that may be abbreviated
_KEYS = {
    term.name: (term.subject, *(argument.name for argument in term.arguments), *term.references)
    for term in TERMS
}
_WHY = "in PROV-O it would say something else"


def write(document: Document, told: list[Loss]) -> Iterator[bytes]:
    """The document as PROV-JSONLD; what it can't hold is added to ``told``."""
    losses = Losses(told)
    schemes = {name.partition(":")[0] for part in document.parts for name in _names(part)}
    prefixes = _prefixes(document, schemes)
    labels = count(1)
    context = _encode([prefixes, ADDRESS])
    yield b'{"@context":%b,"@graph":[' % context
    start = b"\n"
    for number, part in enumerate(document.parts):
        names = _Names(prefixes, labels)
        if number:
            if not part.statements:
                losses.add(f"<{part.id}>", "a bundle that says nothing", "readers of RDF see no empty graph")
            head = b'%b{"@type":"Bundle","@id":%b,"@context":%b,"@graph":['
            yield head % (start, _encode(names[str(part.id)]), context)
        first = b"\n" if number else start
        for chunk in _Part(part, names, losses).chunks():
            yield first + chunk
            first = b",\n"
        if number:
            yield b"]}"
        start = first if not number else b",\n"
    yield b"]}\n"
    losses.tell()


def _names(part: Bundle) -> Iterator[str]:
    if part.id:
        yield part.id
    for one in part.statements:
        if isinstance(one, Statement):
            yield from (name for name in (one.id, *one.arguments) if name)
        elif isinstance(one, Element):
            yield one.id
        else:
            yield from (name for name in (one.id, *one.arguments) if isinstance(name, str))
        for name, value in one.attributes:
            yield name
            yield value.value if value.is_name else value.datatype


def _prefixes(document: Document, schemes: set[str]) -> dict[str, str]:
    """Those that JSON-LD can use, and that no IRI of the text begins with as if it were abbreviated."""
    found = dict(document.main.prefixes)
    for bundle in document.bundles:
        for prefix, space in bundle.prefixes.items():
            found.setdefault(prefix, space)
    return {
        prefix: space
        for prefix, space in usable(found).items()
        if prefix != DEFAULT
        and space.endswith(_ENDS_PREFIX)
        and prefix not in schemes
        and (prefix not in CONTEXT or CONTEXT[prefix] == space)
    }


class _Names(Names):
    """Names as JSON-LD spells them."""

    def __init__(self, prefixes: Mapping[str, str], labels: Iterator[int]) -> None:
        super().__init__({}, labels)
        order = sorted(prefixes.items(), key=lambda one: -len(one[1]))
        self._short = [(space, f"{prefix}:") for prefix, space in order]

    def _spelt(self, name: str) -> str:
        if name.startswith(BLANK):
            return self.blank()
        for space, head in self._short:
            if name.startswith(space) and not name.startswith("//", len(space)):
                return head + name[len(space) :]
        return name


class _Part:
    """Makes the objects of one part."""

    def __init__(self, part: Bundle, names: Names, losses: Losses) -> None:
        self.part = part
        self.names = names
        self.losses = losses
        self._encoder = Encoder(part, names, losses, "")

    def chunks(self) -> Iterator[bytes]:
        """The objects, some hundred at a time, with commas between them."""
        statements = self.part.statements
        for at in range(0, len(statements), BATCH):
            objects = [self._object(one) for one in statements[at : at + BATCH]]
            lines = [_encode(one) for one in objects if one]
            if lines:
                yield b",\n".join(lines)

    def _object(self, one: AnyStatement) -> dict[str, Any] | None:
        if isinstance(one, Statement):
            return self._statement(one)
        return self._element(one) if isinstance(one, Element) else self._extension(one)

    def _element(self, one: Element) -> dict[str, Any]:
        found: dict[str, Any] = {"@type": one.kind.word.capitalize(), "@id": self.names[one.id]}
        if one.kind is Kind.ACTIVITY:
            times = (("startTime", one.start), ("endTime", one.end))
            found.update((key, time) for key, time in times if time and time != ABSENT_MARK)
        if one.attributes:
            self._encoder.tell_kinds(one)
            self._attributes(one.id, one.attributes, found, frozenset())
        return found

    def _statement(self, one: Statement) -> dict[str, Any] | None:
        if one.term is MENTION:
            return self._mention(one)
        found: dict[str, Any] = {"@type": CLASS_NAMES[one.term.name]}
        node = self._encoder.node(one)
        if node:
            found["@id"] = node
        for key, end in zip(_KEYS[one.term.name], one.arguments, strict=True):
            if end and end != ABSENT_MARK:
                found[key] = self.names[end]
        if one.time and one.time != ABSENT_MARK:
            found["time"] = one.time
        if one.attributes:
            self._attributes(one.id or "", one.attributes, found, frozenset(ARGUMENTS[one.term.name]))
        return found

    def _mention(self, one: Statement) -> dict[str, Any] | None:
        specific, general, bundle = one.subject, *one.nodes
        self.losses.add(str(specific), "a mention, for readers of PROV-JSONLD alone", "it has no form there")
        if not specific or not general:
            return None
        found: dict[str, Any] = {"@id": self.names[specific]}
        found[self.names[PROV + "mentionOf"]] = [{"@id": self.names[general]}]
        if bundle:
            found[self.names[PROV + "asInBundle"]] = [{"@id": self.names[bundle]}]
        return found

    def _extension(self, one: Extension) -> dict[str, Any] | None:
        subject = one.arguments[0] if one.arguments else None
        if one.name != DESCRIPTION or len(one.arguments) != 1 or not isinstance(subject, str):
            self.losses.add(
                one.id or one.name, f"the statement <{one.name}>", "PROV-JSONLD has no form of it"
            )
            return None
        found: dict[str, Any] = {"@id": self.names[subject]}
        self._attributes(subject, one.attributes, found, frozenset())
        return found

    def _attributes(
        self, where: str, attributes: tuple[Attribute, ...], found: dict[str, Any], own: frozenset[str]
    ) -> None:
        for name, value in attributes:
            if value.is_name and (name in RELATING or name in own):
                self.losses.add(where, f"the attribute <{name}>", _WHY)
                continue
            if name in ATTRIBUTES and name != PROPERTIES[PROV_LOCATION]:
                what = f"that it was called <{name}>, not <{ATTRIBUTES[name]}>"
                self.losses.add(where, what, "PROV-O has one property for both")
            key = _GENERAL.get(name) or self.names[name]
            if name == PROV_VALUE and found.get("@type") == "Entity":
                key = "value"
            found.setdefault(key, []).append(self._value(name, value))

    def _value(self, name: str, value: Literal) -> Any:
        if value.is_name:
            spelt = self.names[value.value]
            return spelt if name in _NAMED else {"@id": spelt}
        if value.language:
            return {"@value": value.value, "@language": value.language}
        if not value.datatype or value.datatype == XSD_STRING:
            return {"@value": value.value}
        return {"@value": value.value, "@type": self.names[value.datatype]}
