"""The peers of the export, each given the very records or triples that Clew wrote, in its own terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pyoxigraph
import rdflib
from prov.identifier import QualifiedName
from prov.model import ProvDocument

PREFIXES = {
    "prov": "http://www.w3.org/ns/prov#",
    "provext": "https://openprovenance.org/ns/provext#",
    "clew": "urn:x-clew:ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
}


class Records(NamedTuple):
    """What `prov` builds a document from: its namespaces, and each record's type, name and attributes."""

    namespaces: list[Any]
    records: list[tuple[QualifiedName, QualifiedName | None, list[Any], list[Any]]]

    @classmethod
    def of(cls, data: bytes) -> Records:
        read = ProvDocument.deserialize(content=data, format="json")
        records = [
            (one.get_type(), one.identifier, list(one.formal_attributes), list(one.extra_attributes))
            for one in read.get_records()
        ]
        return cls(list(read.namespaces), records)

    def write(self) -> None:
        """Build the document and serialise it."""
        document = ProvDocument(namespaces=self.namespaces)
        for record in self.records:
            document.new_record(*record)
        document.serialize(format="json")


class Term(NamedTuple):
    """The object of a triple; ``datatype`` is "" for a plain string, None for a resource."""

    text: str
    datatype: str | None


Plain = tuple[str, str, Term]


def plain_triples(data: bytes) -> list[Plain]:
    """The triples of a Turtle document as text, which is what a program has before it makes terms."""
    found = []
    for triple in pyoxigraph.parse(data, format=pyoxigraph.RdfFormat.TURTLE):
        object_ = triple.object
        if isinstance(object_, pyoxigraph.Literal):
            datatype = object_.datatype.value
            term = Term(object_.value, "" if datatype.endswith("#string") else datatype)
        else:
            term = Term(object_.value, None)
        found.append((triple.subject.value, triple.predicate.value, term))
    return found


def _named(text: str, known: dict[str, pyoxigraph.NamedNode]) -> pyoxigraph.NamedNode:
    found = known.get(text)
    if found is None:
        found = known[text] = pyoxigraph.NamedNode(text)
    return found


def _made(plain: list[Plain]) -> Iterator[pyoxigraph.Triple]:
    """Make terms and triples, each predicate, type and subject in a row once."""
    known: dict[str, pyoxigraph.NamedNode] = {}
    last, subject = "", pyoxigraph.NamedNode("urn:x")
    for text, predicate, (value, datatype) in plain:
        if text != last:
            last, subject = text, pyoxigraph.NamedNode(text)
        if datatype is None:
            object_: pyoxigraph.NamedNode | pyoxigraph.Literal = pyoxigraph.NamedNode(value)
        elif datatype:
            object_ = pyoxigraph.Literal(value, datatype=_named(datatype, known))
        else:
            object_ = pyoxigraph.Literal(value)
        yield pyoxigraph.Triple(subject, _named(predicate, known), object_)


def pyoxigraph_stream(plain: list[Plain]) -> None:
    """Make the triples and serialise them, one by one."""
    pyoxigraph.serialize(_made(plain), format=pyoxigraph.RdfFormat.TURTLE, prefixes=PREFIXES)


def pyoxigraph_store(plain: list[Plain]) -> pyoxigraph.Store:
    """Make the triples and put them into a store."""
    store = pyoxigraph.Store()
    store.bulk_extend(pyoxigraph.Quad(*triple) for triple in _made(plain))
    return store


def pyoxigraph_dump(store: pyoxigraph.Store) -> None:
    """Serialise a store that is filled already."""
    store.dump(format=pyoxigraph.RdfFormat.TURTLE, from_graph=pyoxigraph.DefaultGraph(), prefixes=PREFIXES)


def rdflib_graph(data: bytes) -> rdflib.Graph:
    """A graph that is filled already."""
    return rdflib.Graph().parse(data=data, format="turtle")
