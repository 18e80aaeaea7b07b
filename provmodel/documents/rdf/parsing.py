"""Text to triples, by pyoxigraph: the one place that knows it. Nothing is fetched and no file is opened."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import msgspec
import pyoxigraph

from provmodel.document import PROV_QUALIFIED_NAME, RDF_LANG_STRING, XSD, XSD_QNAME, XSD_STRING, Literal
from provmodel.documents.faults import Remarks, shown
from provmodel.documents.scope import BLANK, BLANK_SPACE, RESERVED, is_iri
from provmodel.documents.values import is_date, is_datetime
from provmodel.errors import Unreadable

Node: TypeAlias = "str | Literal"
"""An absolute IRI or a blank ``_:name``, or a literal."""
Graph = dict[str, dict[str, list[Node]]]
"""Subjects to properties to values, each in the order of the text."""

Syntax = pyoxigraph.RdfFormat
TURTLE = pyoxigraph.RdfFormat.TURTLE
TRIG = pyoxigraph.RdfFormat.TRIG
N_QUADS = pyoxigraph.RdfFormat.N_QUADS
JSON_LD = pyoxigraph.RdfFormat.JSON_LD

_BOM = b"\xef\xbb\xbf"
_TAG = re.compile(rb"""["']\s*(?:@|:\s*")([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})+)""").finditer
_POSITION = re.compile(r"^Parser error at (line \d+).*?: | \(line \d+\)$")
_SCHEME = "No scheme found"


class Quads(msgspec.Struct):
    """What a text says: its default graph (None) and named ones, in their order, and its prefixes."""

    graphs: dict[str | None, Graph]
    prefixes: dict[str, str]


def parse(data: bytes, format: pyoxigraph.RdfFormat, remarks: Remarks) -> Quads:  # noqa: A002
    """The triples in ``data``, once for each time they stand there; raises :class:`Unreadable`."""
    reader = _Reader(data, remarks)
    # "lenient" leaves the checking of IRIs to _name, which has the same rule for all formats of documents
    parser = pyoxigraph.parse(data.removeprefix(_BOM), format=format, lenient=True)
    try:
        reader.take(parser)
    except SyntaxError as error:
        raise _unreadable(error) from None
    return Quads(reader.graphs, _declared(parser.prefixes))


def _unreadable(error: SyntaxError) -> Unreadable:
    where = f"line {error.lineno}" if error.lineno else "the text"
    reason = _POSITION.sub("", error.msg or "it can't be read").strip()
    reason = _POSITION.sub("", reason)
    if _SCHEME in reason:
        return Unreadable(where, f"a relative IRI has no base ({reason})", "write IRIs in full, or @base")
    return Unreadable(where, reason, "correct it there")


def _declared(prefixes: dict[str, str]) -> dict[str, str]:
    return {
        prefix: space
        for prefix, space in prefixes.items()
        if RESERVED.get(prefix, space) == space and is_iri(space + "x")
    }


class _Reader:
    """Takes the quads of one text apart."""

    def __init__(self, data: bytes, remarks: Remarks) -> None:
        self.graphs: dict[str | None, Graph] = {None: {}}
        self.remarks = remarks
        self._names: dict[pyoxigraph.NamedNode, str] = {}
        self._blanks: dict[tuple[str | None, str], str] = {}
        self._homes: dict[str, str | None] = {}
        self._told: set[str] = set()
        found = {one[1].decode() for one in _TAG(data)} if b"-" in data else set()
        self._tags = {tag.lower(): tag for tag in sorted(found)}
        """Languages as the text spells them: the parser gives them in small letters."""

    def take(self, parser: pyoxigraph.QuadParser) -> None:
        """Put every quad in its graph."""
        names, default = self._names, self.graphs[None]
        for quad in parser:
            home, graph, name = quad.graph_name, default, None
            if isinstance(home, pyoxigraph.NamedNode):
                name = names.get(home) or self._name(home)
                graph = self.graphs.setdefault(name, {})
            elif isinstance(home, pyoxigraph.BlankNode):
                self._unnamed(home.value)
            subject, predicate, value = quad.subject, quad.predicate, quad.object
            node: Node
            if isinstance(subject, pyoxigraph.NamedNode):
                about = names.get(subject) or self._name(subject)
            else:
                about = self._other(subject, name)
            if isinstance(value, pyoxigraph.NamedNode):
                node = names.get(value) or self._name(value)
            elif isinstance(value, pyoxigraph.Literal):
                node = self._literal(value)
            else:
                node = self._other(value, name)
            key = names.get(predicate) or self._name(predicate)
            properties = graph.get(about)
            if properties is None:
                graph[about] = {key: [node]}
            elif key in properties:
                properties[key].append(node)
            else:
                properties[key] = [node]

    def _name(self, node: pyoxigraph.NamedNode) -> str:
        iri = node.value
        if iri.startswith(BLANK_SPACE) and iri != BLANK_SPACE:
            iri = BLANK + iri[len(BLANK_SPACE) :]
        elif not is_iri(iri):
            remedy = "write it in full (or with @base), and percent-encode what an IRI may not hold"
            raise Unreadable(f"<{iri[:200]}>", "it is no absolute IRI (RFC 3987)", remedy)
        self._names[node] = iri
        return iri

    def _unnamed(self, label: str) -> None:
        """A graph without a name is no bundle; some writers put a whole document in one."""
        if label not in self._told:
            self._told.add(label)
            what = "a graph has no name; what it says is taken for the main part"
            self.remarks.add("graphs without a name", "", what)

    def _other(self, node: object, graph: str | None) -> str:
        if not isinstance(node, pyoxigraph.BlankNode):
            raise Unreadable("a term", "triples within triples are not of RDF 1.1", "state them as triples")
        label = node.value
        found = self._blanks.get((graph, label))
        if found:
            return found
        if self._homes.setdefault(label, graph) != graph:
            what = "a blank node stands in several graphs; in PROV it is another one in each"
            self.remarks.add("blank nodes in several graphs", f"<{graph}>", what)
        found = self._blanks[graph, label] = f"{BLANK}b{len(self._blanks) + 1}"
        return found

    def _literal(self, node: pyoxigraph.Literal) -> Literal:
        language = node.language
        if language:
            return Literal(node.value, language=self._tags.get(language, language))
        text, datatype = node.value, self._names.get(node.datatype) or self._name(node.datatype)
        if datatype in {XSD_STRING, RDF_LANG_STRING}:
            return Literal(text)
        if datatype == PROV_QUALIFIED_NAME:
            return Literal(text, datatype if is_iri(text) else XSD_QNAME)
        check = _CHECKS.get(datatype)
        if check and not check(text):
            what = f"{shown(text)} is no <{datatype}>; it was kept as it is"
            self.remarks.add("values that their datatype doesn't have", "", what)
        return Literal(text, datatype)


_WHOLE = re.compile(r"[+-]?[0-9]+").fullmatch
_CHECKS: dict[str, Callable[[str], object]] = {
    XSD + "dateTime": is_datetime,
    XSD + "date": is_date,
    XSD + "boolean": {"true", "false", "1", "0"}.__contains__,
    XSD + "integer": _WHOLE,
    XSD + "int": _WHOLE,
    XSD + "long": _WHOLE,
    XSD + "decimal": re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)").fullmatch,
    **dict.fromkeys(
        (XSD + "double", XSD + "float"),
        re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN").fullmatch,
    ),
}
