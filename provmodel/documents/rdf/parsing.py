"""Text to triples, by pyoxigraph: the one place that knows it. Nothing is fetched and no file is opened."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, BinaryIO, TypeAlias, cast

import msgspec
import pyoxigraph

from provmodel.document import PROV_QUALIFIED_NAME, RDF_LANG_STRING, XSD, XSD_QNAME, XSD_STRING, Literal
from provmodel.documents.faults import Remarks, shown
from provmodel.documents.scope import BLANK, BLANK_SPACE, RESERVED, is_iri
from provmodel.documents.values import is_date, is_datetime
from provmodel.errors import Unreadable

Node: TypeAlias = "str | Literal"
"""An absolute IRI or a blank ``_:name``, or a literal."""
Values: TypeAlias = "list[Node] | tuple[Node, ...]"
Properties = dict[str, Values]
Graph = dict[str, Properties]
"""Subjects to properties to values, each in the order of the text. A single value stands in a tuple, which is
shared: most properties have one, and as lists they would be half of all objects.
"""

Syntax = pyoxigraph.RdfFormat
TURTLE = pyoxigraph.RdfFormat.TURTLE
TRIG = pyoxigraph.RdfFormat.TRIG
N_QUADS = pyoxigraph.RdfFormat.N_QUADS
JSON_LD = pyoxigraph.RdfFormat.JSON_LD

_ESCAPED = re.compile(rb"\\[uU]").search
_BOM = b"\xef\xbb\xbf"
_SUBTAGS = rb"([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})+)"
_TAG = re.compile(rb"@" + _SUBTAGS).finditer  # begins with one letter, which is searched for fast
_TAG_IN_JSON = re.compile(rb'"\s*:\s*"' + _SUBTAGS).finditer
_POSITION = re.compile(r"^Parser error at (line \d+).*?: | \(line \d+\)$")
_SCHEME = "No scheme found"


class Quads(msgspec.Struct):
    """What a text says: its default graph (None) and named ones, in their order, and its prefixes."""

    graphs: dict[str | None, Graph]
    prefixes: dict[str, str]


def parse(data: bytes, format: pyoxigraph.RdfFormat, remarks: Remarks) -> Quads:  # noqa: A002
    """The triples in ``data``, once for each time they stand there; raises :class:`Unreadable`."""
    is_json = format == JSON_LD
    reader = _Reader(data, remarks, is_json)
    # "lenient" leaves the checking of IRIs to _Reader.iri, which has one rule for all formats of documents.
    parser = pyoxigraph.parse(data.removeprefix(_BOM), format=format, lenient=True)
    try:
        if is_json or _ESCAPED(data):
            reader.take(parser)
        else:
            # Lines of text cost a third of what objects for the terms do. No IRI can break out of its line:
            # where nothing is escaped, none has a ">" in it.
            pyoxigraph.serialize(parser, output=cast("BinaryIO", reader), format=N_QUADS)
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


def add(properties: Properties, name: str, value: Node) -> None:
    """Add one value of a property."""
    values = properties.get(name)
    if values is None:
        properties[name] = (value,)
    elif isinstance(values, list):
        values.append(value)
    else:
        properties[name] = [*values, value]


class _Reader:
    """Takes the quads of one text apart. It is a file to which N-Quads are written."""

    def __init__(self, data: bytes, remarks: Remarks, is_json: bool) -> None:
        self.graphs: dict[str | None, Graph] = {None: {}}
        self.remarks = remarks
        self._rest = b""
        self._iris: dict[str, str] = {}
        self._terms: dict[str | None, _Terms] = {}
        self._homes: dict[str, str | None] = {}
        self._told: set[str] = set()
        self._blanks = 0
        quotes = b"\"'"
        found = {one[1].decode() for one in _TAG(data) if data[one.start() - 1 : one.start()] in quotes}
        if is_json:
            found = {one[1].decode() for one in _TAG_IN_JSON(data)}
        self._tags = {tag.lower(): tag for tag in sorted(found)}
        """Languages as the text spells them: the parser gives them in small letters."""

    # --- from lines ---

    def write(self, chunk: bytes) -> int:
        """Take the lines of one piece of N-Quads; what is left of the last waits for the next."""
        whole, newline, rest = chunk.rpartition(b"\n")
        if newline:
            lines = (self._rest + whole).decode().split("\n")
            self._rest = rest
            try:
                self._lines(lines)
            except ValueError:  # a line that is none: there are blanks in an IRI
                raise Unreadable("an IRI", "it has blanks in it", "percent-encode them") from None
        else:
            self._rest += chunk
        return len(chunk)

    def flush(self) -> None:
        """Nothing waits but a line without its end, and there is none."""

    def _lines(self, lines: list[str]) -> None:
        home, last = "", ""
        graph, terms = self._at("")
        properties: Properties = {}
        for line in lines:
            subject, predicate, rest = line.split(" ", 2)
            rest = rest[:-2]
            if rest[-1] != '"' and " " in rest:
                value, _, place = rest.rpartition(" ")
                if '"' in place or place == ")>>":
                    place = ""
                else:
                    rest = value
            else:
                place = ""
            if place != home:
                home, last = place, ""
                graph, terms = self._at(place)
            if subject != last:
                last, about = subject, terms[subject][0]
                found = graph.get(about)
                properties = graph.setdefault(about, {}) if found is None else found
            key, node = terms[predicate][0], terms[rest]
            if key in properties:
                add(properties, key, node[0])
            else:
                properties[key] = node

    def _at(self, place: str) -> tuple[Graph, _Terms]:
        """The graph of this term ("" for the default one), and the terms that stand in it."""
        name = self._graph(place)
        if name not in self._terms:
            self._terms[name] = _Terms(self, name)
        return self.graphs.setdefault(name, {}), self._terms[name]

    def _graph(self, place: str) -> str | None:
        if place.startswith(BLANK):
            self._unnamed(place)
            return None
        return self.iri(place[1:-1]) if place else None

    def _unnamed(self, label: str) -> None:
        """A graph without a name is no bundle; some writers put a whole document in one."""
        if label not in self._told:
            self._told.add(label)
            what = "a graph has no name; what it says is taken for the main part"
            self.remarks.add("graphs without a name", "", what)

    # --- from objects ---

    def take(self, parser: pyoxigraph.QuadParser) -> None:
        """Put every quad in its graph."""
        for quad in parser:
            home = quad.graph_name
            name = self._graph("" if isinstance(home, pyoxigraph.DefaultGraph) else str(home))
            properties = self.graphs.setdefault(name, {}).setdefault(str(self._node(quad.subject, name)), {})
            add(properties, self.iri(quad.predicate.value), self._node(quad.object, name))

    def _node(self, node: object, graph: str | None) -> Node:
        if isinstance(node, pyoxigraph.NamedNode):
            return self.iri(node.value)
        if isinstance(node, pyoxigraph.Literal):
            return self.literal(node.value, node.language or "", node.datatype.value)
        if graph not in self._terms:
            self._terms[graph] = _Terms(self, graph)
        return str(self._terms[graph][str(node)][0])

    # --- terms ---

    def iri(self, iri: str) -> str:
        """An IRI that every format can hold, or the blank name that it stands for."""
        found = self._iris.get(iri)
        if found is None:
            found = self._iris[iri] = self._named(iri)
        return found

    def _named(self, iri: str) -> str:
        if iri.startswith(BLANK_SPACE) and iri != BLANK_SPACE:
            return BLANK + iri[len(BLANK_SPACE) :]
        if not is_iri(iri):
            remedy = "write it in full (or with @base), and percent-encode what an IRI may not hold"
            raise Unreadable(f"<{iri[:200]}>", "it is no absolute IRI (RFC 3987)", remedy)
        return iri

    def blank(self, label: str, graph: str | None) -> str:
        """A new name for a blank node of a graph."""
        if self._homes.setdefault(label, graph) != graph:
            what = "a blank node stands in several graphs; in PROV it is another one in each"
            self.remarks.add("blank nodes in several graphs", f"<{graph}>", what)
        self._blanks += 1
        return f"{BLANK}b{self._blanks}"

    def literal(self, text: str, language: str, datatype: str) -> Literal:
        """A literal as documents have it."""
        if language:
            return Literal(text, language=self._tags.get(language, language))
        datatype = self.iri(datatype)
        if datatype in {XSD_STRING, RDF_LANG_STRING}:
            return Literal(text)
        if datatype == PROV_QUALIFIED_NAME:
            return Literal(text, datatype if is_iri(text) else XSD_QNAME)
        check = _CHECKS.get(datatype)
        if check and not check(text):
            what = f"{shown(text)} is no <{datatype}>; it was kept as it is"
            self.remarks.add("values that their datatype doesn't have", "", what)
        return Literal(text, datatype)


class _Terms(dict[str, tuple[Any, ...]]):
    """The terms of one graph as N-Quads spell them, each taken apart once: :data:`Node`, alone in a tuple."""

    def __init__(self, reader: _Reader, graph: str | None) -> None:
        super().__init__()
        self._reader, self._graph = reader, graph

    def __missing__(self, term: str) -> tuple[Any, ...]:
        self[term] = found = (self._made(term),)
        return found

    def _made(self, term: str) -> Node:
        first = term[0]
        if first == '"':
            return self._literal(term)
        if first == "_":
            return self._reader.blank(term, self._graph)
        if first != "<" or term.startswith("<<"):
            raise Unreadable("a term", "triples within triples are not of RDF 1.1", "state them as triples")
        if term[-1] != ">":
            raise ValueError(term)
        return self._reader.iri(term[1:-1])

    def _literal(self, term: str) -> Literal:
        text, _, rest = term[1:].rpartition('"')
        if "\\" in text:
            text = _ESCAPE.sub(_unescaped, text)
        if not rest:
            return Literal(text)
        return self._reader.literal(text, "" if rest[0] == "^" else rest[1:], rest[3:-1])


_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _ESCAPES.get(found[3], found[3])


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
