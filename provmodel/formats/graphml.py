"""Documents as graphs in GraphML: written, never read. A stream; no library is needed.

- Each element is a node, each end of a relation but its subject an edge from the subject, so that a relation
  of several ends is several edges with one ``id``. What is only named is a node that is not ``declared``.
- Attributes are data by their names. Every value is a text; several of a name stand in it line by line.
- All parts are in one graph; ``bundle`` says in which a node or edge is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from xml.sax.saxutils import escape, quoteattr

from provmodel.document import Attribute, Document, Literal, Loss
from provmodel.documents.faults import Losses
from provmodel.documents.picture.parts import Edge, Node, Picture, Short, picture
from provmodel.documents.values import TEXT_TYPES
from provmodel.formats import Documents
from provmodel.relations import kind_words

_BATCH = 256  # nodes or edges between two chunks
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NODE_OWN = ("iri", "kind", "declared", "bundle", "prov:startTime", "prov:endTime")
_EDGE_OWN = ("relation", "argument", "id", "bundle", "time", "generation", "usage")
Data = list[tuple[str, str]]
"""Names of data and their values."""


def write(document: Document, told: list[Loss]) -> Iterator[bytes]:
    """The document as GraphML; what it can't hold is added to ``told``."""
    losses = Losses(told)
    parts = [
        _Part(picture(part, losses), part.id or "", number) for number, part in enumerate(document.parts)
    ]
    writer = _Writer(Short(*(part.prefixes for part in document.parts)), losses)
    yield _HEAD.encode()
    yield writer.keys(parts).encode()
    yield b'<graph id="prov" edgedefault="directed">\n'
    items = (text for part in parts for text in writer.items(part))
    while batch := list(islice(items, _BATCH)):
        yield "".join(batch).encode()
    yield b"</graph>\n</graphml>\n"
    losses.tell()


class _Part:
    """One part of a document: what it shows, its name, and its number (0 is the main one)."""

    def __init__(self, shown: Picture, name: str, number: int) -> None:
        self.shown = shown
        self.name = name
        prefix = f"b{number}n" if number else "n"
        self.is_empty = not shown.nodes
        self.ids = {node: f"{prefix}{at}" for at, node in enumerate(shown.nodes, 1)}


class _Writer:
    """Writes nodes and edges. Data is declared before it is used: by ``v1``, ``v2``, ... for nodes, ``w1``,
    ... for edges.
    """

    def __init__(self, short: Short, losses: Losses) -> None:
        self.short = short
        self.losses = losses
        self._of_nodes: dict[str, str] = {}
        self._of_edges: dict[str, str] = {}
        self._relations = 0

    def keys(self, parts: Iterable[_Part]) -> str:
        """The declarations of all data that the parts have."""
        for name in _NODE_OWN:
            self._of_nodes[name] = f"v{len(self._of_nodes) + 1}"
        for name in _EDGE_OWN:
            self._of_edges[name] = f"w{len(self._of_edges) + 1}"
        for part in parts:
            _declare(self._of_nodes, "v", part.shown.nodes.values(), self.short)
            _declare(self._of_edges, "w", part.shown.edges, self.short)
        return "".join(
            f'<key id="{key}" for="{domain}" attr.name={self._quoted(name)} attr.type="string"/>\n'
            for domain, names in (("node", self._of_nodes), ("edge", self._of_edges))
            for name, key in names.items()
        )

    def items(self, part: _Part) -> Iterator[str]:
        """The nodes, then the edges."""
        if part.is_empty and part.name:
            self.losses.add(
                f"<{part.name}>", "a bundle that says nothing", "bundles are named by what is in them"
            )
        for node in part.shown.nodes.values():
            data = self._data(self._of_node(node, part.name), self._of_nodes)
            yield f'<node id="{part.ids[node.name]}">{data}</node>\n'
        for edge in part.shown.edges:
            yield from self._edges(edge, part)

    def _of_node(self, node: Node, bundle: str) -> Data:
        own = [("iri", node.name), ("declared", "true" if node.kinds else "false")]
        own += [("kind", " ".join(kind_words(node.kinds)))] if node.kinds else []
        own += [("bundle", bundle)] if bundle else []
        own += [(f"prov:{word}", time) for word, time in node.times]
        return [*own, *self._values(node.attributes, node.name)]

    def _edges(self, edge: Edge, part: _Part) -> Iterator[str]:
        self._relations += 1
        if not edge.subject or not edge.ends:
            what = f"the relation {edge.word}, of which but one end is given"
            self.losses.add(edge.id or edge.subject or edge.word, what, "an edge has two ends")
            return
        own = [("relation", edge.word), ("id", edge.id or f"_:r{self._relations}")]
        own += [("bundle", part.name)] if part.name else []
        own += [("time", edge.time)] if edge.time else []
        more = [*own, *edge.references, *self._values(edge.attributes, edge.id or edge.subject)]
        ends = f'source="{part.ids[edge.subject]}" target='
        for argument, name in edge.ends:
            data = self._data([*more, ("argument", argument)], self._of_edges)
            yield f'<edge {ends}"{part.ids[name]}">{data}</edge>\n'

    def _values(self, attributes: Iterable[Attribute], where: str) -> Iterator[tuple[str, str]]:
        for name, value in attributes:
            self._tell_type(value, where)
            yield _named(name, self.short), self.short[value.value] if value.is_name else value.value

    def _tell_type(self, value: Literal, where: str) -> None:
        why = "every value in GraphML is a text"
        if value.language:
            self.losses.add(where, f"that a text is in the language {value.language}", why)
        elif not value.is_name and value.datatype not in TEXT_TYPES:
            self.losses.add(where, f"that a value is of type {self.short[value.datatype]}", why)

    def _data(self, given: Data, keys: dict[str, str]) -> str:
        found: dict[str, list[str]] = {}
        for name, value in given:
            found.setdefault(name, []).append(value)
        return "".join(
            f'<data key="{keys[name]}">{self._joined(values)}</data>' for name, values in found.items()
        )

    def _joined(self, values: list[str]) -> str:
        return self._text("\n".join(dict.fromkeys(values)))

    def _text(self, text: str) -> str:
        return escape(self._legal(text), {"\r": "&#13;"})

    def _quoted(self, text: str) -> str:
        return quoteattr(self._legal(text))

    def _legal(self, text: str) -> str:
        if _NO_XML.search(text):
            why = "XML has no such characters; U+FFFD stands for them"
            self.losses.add("a value", "control characters", why)
            return _NO_XML.sub("\ufffd", text)
        return text


def _declare(keys: dict[str, str], letter: str, items: Iterable[Node | Edge], short: Short) -> None:
    for item in items:
        for name, _ in item.attributes:
            keys.setdefault(_named(name, short), f"{letter}{len(keys) + 1}")


def _named(name: str, short: Short) -> str:
    """What an attribute is called: a name without a prefix could be one of GraphML's own."""
    found = short[name]
    return found if ":" in found else name


DOCUMENTS = Documents(
    name="graphml",
    title="GraphML",
    media_types=("application/graphml+xml",),
    endings=(".graphml",),
    write=write,
)
