"""What a feed gives, as one document: for the formats that write documents and no feeds.

It says what the streams of PROV-JSON and Turtle say, read back: a relation of the four that PROV gives no
attributes has them here, under its id (:mod:`provmodel.documents.own`). All of it is in memory, some 2 kB a
relation, so that a feed with more than :data:`MOST` statements is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import quote

from provmodel.document import (
    PROV_LABEL,
    PROV_LOCATION,
    PROV_QUALIFIED_NAME,
    PROV_ROLE,
    PROV_TYPE,
    PROV_VALUE,
    AnyStatement,
    Attribute,
    Bundle,
    Document,
    Element,
    Literal,
    Statement,
    statement,
)
from provmodel.errors import TooLarge
from provmodel.lexical import CLEW, PROV, PROVEXT, RDF, XSD, Memo, about, iri, is_word
from provmodel.relations import ATTRIBUTION, BY_NAME, TERMS, Kind, Term
from provmodel.statements import (
    Detail,
    ExportAssertion,
    ExportNode,
    Feed,
    Property,
    Summary,
    assertion_digest,
    chosen,
    descriptions,
    head_properties,
    instant,
    more_properties,
    node_properties,
    properties_of,
    statement_properties,
    summed_up,
)

MOST = 500_000
"""Statements of one document: about 1 GB of memory."""

_SPACES = {"prov": PROV, "provext": PROVEXT, "clew": CLEW, "xsd": XSD, "rdf": RDF}
_KNOWN = {
    "prov:label": PROV_LABEL,
    "prov:location": PROV_LOCATION,
    "prov:role": PROV_ROLE,
    "prov:type": PROV_TYPE,
    "prov:value": PROV_VALUE,
}
_START, _END = "prov:startTime", "prov:endTime"
_TYPES = {
    "json": RDF + "JSON",
    "dateTime": XSD + "dateTime",
    "integer": XSD + "integer",
    "double": XSD + "double",
    "boolean": XSD + "boolean",
}
_ENTITY_OF_NONE = ("prov:type", "clew:UnknownKind", "qname")


def document_of(feed: Feed, detail: Detail) -> Document:
    """The document; raises :class:`TooLarge` for more than it may hold."""
    found: list[AnyStatement] = []
    writer = _Statements(feed, detail)
    for one in writer.all():
        found.append(one)
        if len(found) > MOST:
            raise _too_large()
    prefixes = {**_SPACES, "t": feed.base, "about": writer.about}
    bundles = []
    for bundle in feed.bundles():
        bundles.append(bundle)
        if len(found) + sum(len(one.statements) for one in bundles) > MOST:
            raise _too_large()
    return Document(Bundle(None, prefixes, tuple(found)), tuple(bundles))


def _too_large() -> TooLarge:
    remedy = "export as prov-json or turtle, which are streamed, or one run, or an answer"
    return TooLarge("the statements of this export", f"{MOST} in this format", remedy)


class _Statements:
    """Makes the statements, nodes first, each in the order of the feed."""

    def __init__(self, feed: Feed, detail: Detail) -> None:
        self.feed = feed
        self.detail = detail
        self.about = about(feed.base)
        self.iris: Memo[str] = Memo(lambda ref: iri(ref, feed.base))
        self.names = Memo(self._name)

    def all(self) -> Iterator[AnyStatement]:
        """Everything that the feed gives."""
        for node in self.feed.nodes():
            yield from self._elements(node)
            if self.detail == "all":
                yield from self._descriptions(node)
        for term in TERMS:
            for summary in summed_up(self.feed.relations(term)):
                yield self._relation(term, summary)
                yield from self._assertions(summary)

    def _name(self, name: str) -> str:
        """The IRI of an attribute; a producer's free name is one in Clew's space."""
        prefix, _, local = name.partition(":")
        if name in _KNOWN:
            return _KNOWN[name]
        if name[0] == "<":
            return name[1:-1]
        if prefix in {"clew", "provext"} and is_word(local):
            return _SPACES[prefix] + local
        if prefix == "attr":
            return f"{self.about}attr/{quote(local, safe='')}"
        return f"{self.about}name/{quote(name, safe='')}"

    def _attributes(self, properties: Iterable[Property]) -> tuple[Attribute, ...]:
        return tuple([(self.names[name], self._value(value, kind)) for name, value, kind in properties])

    def _value(self, value: str, datatype: str) -> Literal:
        if datatype == "string":
            return Literal(value)
        if datatype == "iri":
            return Literal(self.iris[value], PROV_QUALIFIED_NAME)
        if datatype[0] == "@":
            return Literal(value, language=datatype[1:])
        if datatype[0] == "<":
            return Literal(value, datatype[1:-1])
        return _term(value) if datatype == "qname" else Literal(value, _TYPES[datatype])

    # --- nodes ---

    def _elements(self, node: ExportNode) -> Iterator[Element]:
        """One for each of its kinds. What is said of it stands with the first, but a type that belongs to
        another kind, and the times of an activity.
        """
        properties = node_properties(node)
        kinds = [kind for kind in Kind if kind and node.kind & kind]
        if not kinds:
            properties, kinds = sorted([*properties, _ENTITY_OF_NONE]), [Kind.ENTITY]
        name = self.iris[node.ref]
        times = {key: value for key, value, _ in properties if key in (_START, _END)}
        said = [one for one in properties if one[0] not in times]
        for kind in kinds:
            own = self._attributes(said if len(kinds) == 1 else properties_of(kind, node.kind, said))
            if kind is Kind.ACTIVITY:
                yield Element(kind, name, own, times.get(_START), times.get(_END))
            else:
                yield Element(kind, name, own)

    def _descriptions(self, node: ExportNode) -> Iterator[AnyStatement]:
        for evidence, stance, asserter, source, event, stated, digest in descriptions(node):
            name = f"{self.about}description/{digest}"
            attributes = (
                (PROV_TYPE, _term("clew:Description")),
                (CLEW + "describes", Literal(self.iris[node.ref], PROV_QUALIFIED_NAME)),
                (CLEW + "stated", Literal(stated, RDF + "JSON")),
                *self._attributes(statement_properties(evidence, stance, "", source)),
                *((CLEW + "event", Literal(one)) for one in (event,) if one),
            )
            yield Element(Kind.ENTITY, name, attributes)
            yield statement(ATTRIBUTION, name, self.iris[asserter])

    # --- relations ---

    def _relation(self, term: Term, summary: Summary) -> AnyStatement:
        relation, _, is_refuted, head, more = summary
        time = instant(head, more)
        said = self._attributes([*head_properties(head), *more_properties(more, time)])
        name = f"{self.about}rel/{relation.key:016x}"
        ends = [self.iris[relation.subject], *(end and self.iris[end] for end in relation.arguments)]
        if is_refuted:
            return self._refuted(term, name, ends, said)
        subtype = ((PROV_TYPE, _term(term.json_type)),) if term.json_type else ()
        base = BY_NAME[term.json_name or term.name]
        missing = 1 + len(base.arguments) + len(base.references) - len(ends)
        return Statement(base, name, (*ends, *(None,) * missing), time or None, (*subtype, *said))

    def _refuted(self, term: Term, name: str, ends: list[str | None], said: tuple[Attribute, ...]) -> Element:
        keys = ("clew:subject", "clew:argument", *(f"clew:{one.name}" for one in term.arguments[1:]))
        places = [
            (self.names[key], Literal(end, PROV_QUALIFIED_NAME))
            for key, end in zip(keys, ends, strict=True)
            if end
        ]
        types = (
            (PROV_TYPE, _term("clew:RefutedRelation")),
            (CLEW + "term", _term(f"prov:{term.name}")),
        )
        return Element(Kind.ENTITY, name, (*types, *places, *said))

    def _assertions(self, summary: Summary) -> Iterator[AnyStatement]:
        relation, said, *_ = summary
        for assertion in chosen(said, self.detail):
            key = f"{relation.key:016x}"
            name = f"{self.about}assertion/{key}-{assertion_digest(assertion)}"
            about_it = (CLEW + "relation", Literal(f"{self.about}rel/{key}", PROV_QUALIFIED_NAME))
            attributes = ((PROV_TYPE, _term("clew:Assertion")), about_it, *self._claim(assertion))
            yield Element(Kind.ENTITY, name, attributes)
            yield statement(ATTRIBUTION, name, self.iris[assertion[2]])

    def _claim(self, assertion: ExportAssertion) -> tuple[Attribute, ...]:
        evidence, stance, _, method, source, event, time, attributes = assertion
        told = ((CLEW + "event", Literal(event)),) if event else ()
        more = more_properties(((time, attributes),)) if time or attributes else []
        return (
            *self._attributes(statement_properties(evidence, stance, method, source)),
            *told,
            *self._attributes(more),
        )


def _term(name: str) -> Literal:
    """A qualified name of a known prefix as a value."""
    prefix, _, local = name.partition(":")
    return Literal(_SPACES[prefix] + local, PROV_QUALIFIED_NAME)
