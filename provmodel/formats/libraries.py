"""Documents and answers for those who live in another library: a PROV document, an RDF graph, or a graph of
networkx.

Each takes a document (:func:`provmodel.formats.read` gives one), an answer (a mapping, or the struct itself),
its ``graph`` part, or a feed, and needs the extra ``interop``. Meant for what fits into memory: the libraries
hold everything there, many times the size of a stream.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from provmodel import formats
from provmodel.comparing import difference
from provmodel.document import Bundle, Document, Loss
from provmodel.documents.faults import Losses
from provmodel.documents.picture.parts import Edge, Node, Short, picture
from provmodel.feeds import WithNodes, contract_of, feed_of_answer
from provmodel.lexical import CLEW, iri
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

Source = Document | Mapping[str, Any] | msgspec.Struct | Feed
BASE = "urn:x-clew:default:"
_LITERALS = Lock()


def to_prov(
    source: Source, base: str = BASE, assertions: str = "all", losses: list[Loss] | None = None
) -> ProvDocument:
    """A document of the library ``prov``. ``base`` is the tenant's IRI prefix; a feed has its own.

    ``prov`` leaves out what it can't hold (times that are not in its calendar, members beyond the first):
    what of a document does not come back from it is added to ``losses``, and warned of when there is no list.
    """
    with _needs("prov"):
        from prov.model import ProvDocument
    found = ProvDocument.deserialize(content=_written(source, base, "prov-json", assertions), format="json")
    if isinstance(source, Document):
        back = formats.read((found.serialize(format="json") or "").encode(), "prov-json")
        _tell([Loss(*one, "prov has no place for it") for one in difference(source, back).only_first], losses)
    return found


def to_rdflib(
    source: Source, base: str = BASE, assertions: str = "all", losses: list[Loss] | None = None
) -> rdflib.Graph:
    """A graph of ``rdflib`` in the terms of PROV-O, literals in the forms in which they were recorded; of a
    document with bundles a ``rdflib.Dataset``, each bundle a named graph. What RDF can't hold is added to
    ``losses``, and warned of when there is no list.
    """
    with _needs("rdflib"):
        import rdflib
    lost: list[Loss] = []
    if isinstance(source, Document) and source.bundles:
        found = rdflib.Dataset()
        for part in source.parts:
            inner = found.graph(rdflib.URIRef(part.id)) if part.id else found.default_graph
            alone = Document(Bundle(None, {**source.main.prefixes, **part.prefixes}, part.statements))
            _parse(inner, _written(alone, base, "turtle", assertions, lost))
        _tell(lost, losses)
        return found
    graph = rdflib.Graph()
    _parse(graph, _written(source, base, "turtle", assertions, lost))
    _tell(lost, losses)
    return graph


def _parse(graph: rdflib.Graph, data: bytes) -> None:
    """Read Turtle without changing a literal."""
    import rdflib

    with _LITERALS:
        before, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False
        try:
            graph.parse(data=data, format="turtle")
        finally:
            rdflib.NORMALIZE_LITERALS = before


def to_networkx(
    source: Source, base: str = BASE, losses: list[Loss] | None = None
) -> networkx.MultiDiGraph[Any]:
    """A directed graph of ``networkx`` that keeps parallel edges.

    Of an answer, nodes are references, with ``iri``, ``kinds`` and ``attributes`` (name to values). An edge
    goes from a relation's subject to one argument, toward causes, under the key ``<relation>/<argument>``. It
    holds ``term``, ``argument``, ``role``, ``flow``, ``evidence`` (the best in support), ``refuted`` and
    ``assertions``. What the answer says of itself is in ``graph.graph``: complete, truncated, gaps,
    unchecked.

    Of a document, nodes are IRIs (in a bundle, pairs of the bundle's and the node's), with ``iri``,
    ``bundle``, ``kinds``, ``times`` and ``attributes``; edges hold ``term``, ``argument``, ``id``, ``time``,
    ``evidence`` and ``attributes``. A relation of which but one end is given has no edge: it is added to
    ``losses``, and warned of when there is no list.
    """
    with _needs("networkx"):
        import networkx
    graph: networkx.MultiDiGraph[Any] = networkx.MultiDiGraph()
    if isinstance(source, Document):
        lost: list[Loss] = []
        _add_document(graph, source, lost)
        _tell(lost, losses)
        return graph
    _add_contract(graph, source)
    feed = _feed(source, base)
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


def _tell(found: list[Loss], losses: list[Loss] | None) -> None:
    if losses is not None:
        losses.extend(found)
        return
    for loss in found:
        warnings.warn(f"lost: {loss.what} of {loss.where}: {loss.why}", UserWarning, stacklevel=3)


# --- documents as graphs ---


def _add_document(graph: networkx.MultiDiGraph[Any], document: Document, lost: list[Loss]) -> None:
    losses = Losses(lost)
    for part in document.parts:
        short = Short(document.main.prefixes, part.prefixes)
        shown = picture(part, losses)
        for node in shown.nodes.values():
            graph.add_node(_key(part.id, node.name), bundle=part.id, **_of_node(node, short))
        for number, edge in enumerate(shown.edges, 1):
            if not edge.subject or not edge.ends:
                what = f"the relation {edge.word}, of which but one end is given"
                losses.add(edge.id or edge.subject or edge.word, what, "an edge has two ends")
                continue
            for argument, target in edge.ends:
                ends = _key(part.id, edge.subject), _key(part.id, target)
                key = f"{part.id or ''}#{number}/{argument}"
                graph.add_edge(*ends, key, argument=argument, **_of_edge(edge, short))
    losses.tell()


def _key(bundle: str | None, name: str) -> str | tuple[str, str]:
    return (bundle, name) if bundle else name


def _of_node(node: Node, short: Short) -> dict[str, Any]:
    attributes: dict[str, list[str]] = {}
    for name, value in node.attributes:
        attributes.setdefault(short[name], []).append(short[value.value] if value.is_name else value.value)
    kinds = kind_words(node.kinds)
    return {"iri": node.name, "kinds": kinds, "times": dict(node.times), "attributes": attributes}


def _of_edge(edge: Edge, short: Short) -> dict[str, Any]:
    attributes: dict[str, list[str]] = {}
    for name, value in edge.attributes:
        attributes.setdefault(short[name], []).append(short[value.value] if value.is_name else value.value)
    return {
        "term": edge.word,
        "id": edge.id,
        "time": edge.time,
        "evidence": edge.first(CLEW + "evidence"),
        "references": dict(edge.references),
        "attributes": attributes,
    }


# --- answers as graphs ---


def _add_contract(
    graph: networkx.MultiDiGraph[Any], source: Mapping[str, Any] | msgspec.Struct | Feed
) -> None:
    if isinstance(source, Mapping | msgspec.Struct):
        whole: Mapping[str, Any] = msgspec.to_builtins(source)
        said = whole.get("graph", whole)
        kept = ("complete", "truncated", "gaps", "unchecked")
        graph.graph.update({name: said[name] for name in kept if name in said})


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


def _written(
    source: Source, base: str, name: str, assertions: str, losses: list[Loss] | None = None
) -> bytes:
    if isinstance(source, Document):
        chunks, lost = formats.write_document(source, name)
        data = b"".join(chunks)
        if losses is not None:
            losses.extend(lost)
        return data
    return b"".join(formats.write(_whole(source, base), name, assertions))


def _feed(source: Mapping[str, Any] | msgspec.Struct | Feed, base: str) -> Feed:
    if isinstance(source, Mapping | msgspec.Struct):
        return feed_of_answer(source, base)
    return source


def _whole(source: Mapping[str, Any] | msgspec.Struct | Feed, base: str) -> Feed:
    """The feed of an answer, with what the answer says of itself."""
    feed = _feed(source, base)
    if isinstance(source, Mapping | msgspec.Struct):
        answer: Mapping[str, Any] = msgspec.to_builtins(source)
        if "complete" in answer.get("graph", answer):
            return WithNodes(feed, contract_of(answer, base))
    return feed


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
