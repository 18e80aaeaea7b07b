"""Answers for those who live in another library: a PROV document, an RDF graph, or a graph of networkx.

Each takes an answer (a mapping, or the struct itself), its ``graph`` part, or a feed, and needs the extra
``interop``. Meant for answers: the libraries hold everything in memory, many times the size of a stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from provmodel import formats
from provmodel.feeds import feed_of_answer
from provmodel.lexical import iri
from provmodel.relations import TERMS, kind_words
from provmodel.statements import (
    EVIDENCE_WORDS,
    FLOW_WORDS,
    STANCE_WORDS,
    ExportNode,
    Feed,
    Summary,
    node_properties,
    summed_up,
)

if TYPE_CHECKING:
    import networkx
    import rdflib
    from prov.model import ProvDocument

Source = Mapping[str, Any] | msgspec.Struct | Feed
BASE = "urn:x-clew:default:"
_LITERALS = Lock()


def to_prov(source: Source, base: str = BASE, assertions: str = "all") -> ProvDocument:
    """A document of the library ``prov``. ``base`` is the tenant's IRI prefix; a feed has its own."""
    with _needs("prov"):
        from prov.model import ProvDocument
    return ProvDocument.deserialize(content=_written(source, base, "prov-json", assertions), format="json")


def to_rdflib(source: Source, base: str = BASE, assertions: str = "all") -> rdflib.Graph:
    """A graph of ``rdflib`` in the terms of PROV-O, literals in the forms in which they were recorded."""
    with _needs("rdflib"):
        import rdflib
    graph = rdflib.Graph()
    with _LITERALS:
        before, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False
        try:
            graph.parse(data=_written(source, base, "turtle", assertions), format="turtle")
        finally:
            rdflib.NORMALIZE_LITERALS = before
    return graph


def to_networkx(source: Source, base: str = BASE) -> networkx.MultiDiGraph[str]:
    """A directed graph of ``networkx`` that keeps parallel edges.

    Nodes are references, with ``iri``, ``kinds`` and ``attributes`` (name to values). An edge goes from a
    relation's subject to one argument, toward causes, under the key ``<relation>/<argument>``. It holds
    ``term``, ``argument``, ``role``, ``flow``, ``evidence`` (the best in support), ``refuted`` and
    ``assertions``.
    """
    with _needs("networkx"):
        import networkx
    feed = _feed(source, base)
    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    for node in feed.nodes():
        graph.add_node(node.ref, **_node_data(node, feed.base))
    for term in TERMS:
        for summary in summed_up(feed.relations(term)):
            relation = summary[0]
            data = _edge_data(summary)
            for argument, target in zip(term.arguments, relation.arguments, strict=True):
                if target is not None:
                    key = f"{relation.key:016x}/{argument.name}"
                    graph.add_edge(relation.subject, target, key, argument=argument.name, **data)
    return graph


def _node_data(node: ExportNode, base: str) -> dict[str, Any]:
    attributes: dict[str, list[str]] = {}
    for name, value, _ in node_properties(node):
        attributes.setdefault(name, []).append(value)
    return {"iri": iri(node.ref, base), "kinds": kind_words(node.kind), "attributes": attributes}


def _edge_data(summary: Summary) -> dict[str, Any]:
    relation, said, refuted, head, _ = summary
    fields = ("evidence", "stance", "asserter", "method", "source", "event", "time", "attributes")
    words = [(EVIDENCE_WORDS[evidence], STANCE_WORDS[stance], *rest) for evidence, stance, *rest in said]
    return {
        "term": relation.term.name,
        "role": relation.role,
        "flow": FLOW_WORDS[relation.flow],
        "evidence": EVIDENCE_WORDS[head[3]],
        "refuted": refuted,
        "assertions": [dict(zip(fields, one, strict=True)) for one in words],
    }


def _written(source: Source, base: str, name: str, assertions: str) -> bytes:
    return b"".join(formats.write(_feed(source, base), name, assertions))


def _feed(source: Source, base: str) -> Feed:
    if isinstance(source, Mapping | msgspec.Struct):
        return feed_of_answer(source, base)
    return source


@contextmanager
def _needs(library: str) -> Iterator[None]:
    """Say what to install when a library is absent."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"this needs the library {library}: install Clew with its extra, clew-prov[interop]",
            name=error.name,
        ) from error
