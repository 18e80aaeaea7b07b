"""A document in DOT, the language of Graphviz: the shapes and colours that PROV is usually drawn in, and
edges whose line says how well they are known.

Every name and value stands in a quoted string, escaped so that Graphviz neither takes a part of it for markup
nor replaces anything in it. No node is a link: a name that somebody chose could lead anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from provmodel.document import PROV_LABEL, PROV_ROLE, PROV_TYPE, Attribute, Bundle, Document, Loss
from provmodel.documents.faults import Losses
from provmodel.documents.picture.parts import Edge, Node, Picture, Short, lines, picture
from provmodel.lexical import CLEW, INVISIBLE
from provmodel.relations import Kind, kind_words

LONGEST = 60  # characters of a name, a label or a role that are drawn
LONGEST_TOOLTIP = 2000
_BATCH = 256  # nodes or edges between two chunks

SHAPES = {Kind.ENTITY: "ellipse", Kind.ACTIVITY: "box", Kind.AGENT: "house", Kind.UNKNOWN: "ellipse"}
COLOURS = {Kind.ENTITY: "#FFFC87", Kind.ACTIVITY: "#9FB1FC", Kind.AGENT: "#FED37F", Kind.UNKNOWN: "#FFFFFF"}
"""The colours of the W3C's illustrations, as most tools have them; what is only named is white."""
LINES = {
    "verified": ("solid", "2.4"),
    "observed": ("solid", "1.4"),
    "declared": ("dashed", "1.2"),
    "inferred": ("dotted", "1.2"),
}
"""The style and the width of an edge by its evidence; solid and thin where nothing says."""
_HEAD = """digraph prov {
  graph [rankdir=BT, charset="UTF-8", fontname="Helvetica"];
  node [style=filled, color="#808080", fontname="Helvetica", fontsize=11, tooltip=" "];
  edge [fontname="Helvetica", fontsize=9, color="#404040", tooltip=" "];
"""
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\ufffe\uffff\ud800-\udfff]")
_NEVER_BOTH = Kind.ENTITY | Kind.ACTIVITY  # PROV-CONSTRAINTS, 55
_EVIDENCE = CLEW + "evidence"


def write(document: Document, told: list[Loss]) -> Iterator[bytes]:
    """The document as DOT; what it can't show is added to ``told``."""
    losses = Losses(told)
    yield _HEAD.encode()
    for number, part in enumerate(document.parts):
        drawing = _Drawing(part, number, document, losses)
        if number:
            name = drawing.cut(drawing.short[part.id or ""])
            yield f"  subgraph cluster_{number} {{\n  label={quoted(f'bundle {name}')};\n".encode()
        yield from drawing.chunks()
        yield b"  }\n" if number else b""
    yield b"}\n"
    losses.tell()


def quoted(text: str, backslash: str = "\\\\") -> str:
    """A quoted string of DOT that shows ``text`` as it is, lines included."""
    text = INVISIBLE.sub(_visible, _CONTROL.sub(_visible, text))
    text = text.replace("&", "&amp;").replace("\\", backslash).replace('"', '\\"')
    return '"' + text.replace("\n", "\\n") + '"'


def tooltip(text: str) -> str:
    """A quoted string for a tooltip, in which Graphviz (2.43) undoes escapes twice."""
    return quoted(text or " ", "\\" * 4)


def _visible(found: re.Match[str]) -> str:
    """What can't be seen, and what XML can't hold, by its number."""
    return f"\\u{ord(found[0]):04X}"


class _Drawing:
    """Draws one part; ``number`` is 0 for the main one."""

    def __init__(self, part: Bundle, number: int, document: Document, losses: Losses) -> None:
        self.short = Short(document.main.prefixes, part.prefixes)
        self.losses = losses
        self.picture: Picture = picture(part, losses, claims=False)
        self._prefix = f"p{number}n" if number else "n"
        self._ids = {name: f"{self._prefix}{at}" for at, name in enumerate(self.picture.nodes, 1)}
        self._points = 0

    def chunks(self) -> Iterator[bytes]:
        """The nodes, then the edges."""
        waiting: list[str] = []
        for text in self._all():
            waiting.append(text)
            if len(waiting) == _BATCH:
                yield "".join(waiting).encode()
                waiting.clear()
        yield "".join(waiting).encode()

    def _all(self) -> Iterator[str]:
        yield from (self._node(node) for node in self.picture.nodes.values())
        yield from (self._edge(edge) for edge in self.picture.edges)

    def cut(self, text: str) -> str:
        """As much of a text as is drawn; the whole of it is in the tooltip."""
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"

    def _tooltip(self, pairs: Iterator[tuple[str, str]], where: str) -> str:
        text = lines(pairs)
        if len(text) > LONGEST_TOOLTIP:
            what = f"the text beyond {LONGEST_TOOLTIP} characters of what is said of it"
            self.losses.add(where, what, "a picture is no place for long texts")
            text = f"{text[:LONGEST_TOOLTIP]}…"
        return tooltip(text)

    # --- nodes ---

    def _node(self, node: Node) -> str:
        kinds = [kind for kind in Kind if kind and node.kinds & kind]
        kind = kinds[0] if kinds else node.place
        said = dict(reversed(node.attributes))
        shown = [self.cut(self.short[node.name])]
        if PROV_LABEL in said:
            shown.append(self.cut(said[PROV_LABEL].value))
        types = [self.short[value.value] for name, value in node.attributes if name == PROV_TYPE]
        if types:
            shown.append(self.cut(", ".join(types)))
        if len(kinds) > 1:
            shown.append(" and ".join(kind_words(node.kinds)))
        look = f"shape={SHAPES[kind]}, fillcolor={quoted(COLOURS[kind] if kinds else '#FFFFFF')}"
        if not kinds:
            look += ', style="filled,dashed"'
        if len(kinds) > 1:
            look += ", peripheries=2"
        if node.kinds & _NEVER_BOTH == _NEVER_BOTH:
            look += ', color="#B00020"'
        more, label = self._tooltip(self._of_node(node), node.name), "\n".join(shown)
        return f"  {self._ids[node.name]} [label={quoted(label)}, {look}, tooltip={more}];\n"

    def _of_node(self, node: Node) -> Iterator[tuple[str, str]]:
        yield "name", node.name
        yield "kind", ", ".join(kind_words(node.kinds)) or "named, but not described"
        yield from ((f"prov:{word}", time) for word, time in node.times)
        yield from self._attributes(node.attributes)

    def _attributes(self, attributes: list[Attribute] | tuple[Attribute, ...]) -> Iterator[tuple[str, str]]:
        return ((self.short[name], self.short.value(value)) for name, value in attributes)

    # --- edges ---

    def _edge(self, edge: Edge) -> str:
        """One line from the subject to the other end; when there are more ends, or fewer, over a point."""
        look = self._look(edge)
        if edge.subject and len(edge.ends) == 1:
            return f"  {self._ids[edge.subject]} -> {self._ids[edge.ends[0][1]]} [{look}];\n"
        self._points += 1
        point = f"{self._prefix}p{self._points}"
        text = f'  {point} [shape=point, width=0.06, label=""];\n'
        if edge.subject:
            text += (
                f"  {self._ids[edge.subject]} -> {point} [{look}{', arrowhead=none' if edge.ends else ''}];\n"
            )
        for at, (argument, name) in enumerate(edge.ends):
            label = f", label={quoted(argument)}" if at or not edge.subject else ""
            text += f'  {point} -> {self._ids[name]} [color="#808080"{label}];\n'
        return text

    def _look(self, edge: Edge) -> str:
        evidence = edge.first(_EVIDENCE)
        style, width = LINES.get(evidence, ("solid", "1.0"))
        role = edge.first(PROV_ROLE) or edge.first(CLEW + "role")
        words = [f"refuted: {edge.word}" if edge.refuted else edge.word]
        words += [self.cut(self.short[role])] if role else []
        words += [evidence] if evidence in LINES else []
        refuted = ', color="#B00020", fontcolor="#B00020", arrowhead=tee' if edge.refuted else ""
        more = self._tooltip(self._of_edge(edge), edge.id or edge.subject or edge.word)
        label = quoted("\n".join(words))
        return f"label={label}, style={style}, penwidth={width}, tooltip={more}{refuted}"

    def _of_edge(self, edge: Edge) -> Iterator[tuple[str, str]]:
        if edge.id:
            yield "id", edge.id
        if edge.subject:
            yield "from", edge.subject
        yield from edge.ends
        yield from edge.references
        if edge.time:
            yield "time", edge.time
        yield from self._attributes(edge.attributes)
