"""The nodes and edges of one part of a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from provmodel.document import (
    DERIVATION_SUBTYPES,
    PROV_TYPE,
    Attribute,
    Bundle,
    Element,
    Extension,
    Literal,
    Statement,
)
from provmodel.documents.faults import Losses
from provmodel.documents.scope import RESERVED
from provmodel.lexical import CLEW
from provmodel.relations import BY_NAME, DERIVATION, Kind


class Node(msgspec.Struct):
    """A node: the sum of its kinds, and all that is said of it. One that is only named has no kinds, and
    ``place`` is the kind that its places give it.
    """

    name: str
    kinds: int = 0
    place: Kind = Kind.UNKNOWN
    attributes: list[Attribute] = []
    times: list[tuple[str, str]] = []


class Edge(msgspec.Struct, frozen=True):
    """A relation: what it is called, its subject and other ends (argument and name), the relations that it
    refers to, and all that is said of it.
    """

    word: str
    id: str | None
    subject: str | None
    ends: tuple[tuple[str, str], ...]
    references: tuple[tuple[str, str], ...] = ()
    time: str | None = None
    attributes: tuple[Attribute, ...] = ()
    refuted: bool = False

    def first(self, name: str) -> str:
        """The first value of an attribute, or ""."""
        return next((value.value for key, value in self.attributes if key == name), "")


class Picture(msgspec.Struct):
    """The nodes by their names, in the order in which they are first spoken of, and the edges."""

    nodes: dict[str, Node] = {}
    edges: list[Edge] = []


CLAIMS = {CLEW + "Assertion": "clew:Assertion", CLEW + "Description": "clew:Description"}
"""Types of entities that only say how well something else is known."""
_REFUTED = CLEW + "RefutedRelation"


def picture(part: Bundle, losses: Losses, claims: bool = True) -> Picture:
    """What a part shows. Without ``claims``, entities that only say how well a relation is known are left
    out, which is told, and a refuted relation is an edge.
    """
    found = Picture()
    hidden = set() if claims else _claims(part, losses)
    only_say: set[str] = set()
    for one in part.statements:
        if isinstance(one, Element):
            edge = None if claims else _refuted(one)
            if edge:
                _add_edge(found, edge)
            elif one.id not in hidden:
                _add_element(found, one, losses)
        elif isinstance(one, Statement):
            if one.subject in hidden:
                only_say.update(name for name in one.nodes if name)
            else:
                _add_edge(found, _edge(one), one)
        else:
            _tell_extension(one, losses)
    _leave_out(found, only_say, losses)
    return found


def _leave_out(found: Picture, names: set[str], losses: Losses) -> None:
    """Leave nodes of these names out that no edge reaches: they only say how well something is known."""
    reached = {name for edge in found.edges for _, name in (("", edge.subject), *edge.ends)}
    alone = [name for name in found.nodes if name in names - reached]
    for name in alone:
        del found.nodes[name]
        losses.add(name, "who only asserts", "a picture shows what happened")


def _claims(part: Bundle, losses: Losses) -> set[str]:
    """The ids of entities that are only claims, told by their number."""
    found: dict[str, list[str]] = {}
    for one in part.statements:
        if isinstance(one, Element):
            types = {value.value for name, value in one.attributes if name == PROV_TYPE}
            for kind in types & CLAIMS.keys():
                found.setdefault(kind, []).append(one.id)
    for kind, ids in found.items():
        why = "a picture shows of each relation how well it is known at best"
        losses.add(f"{len(ids)} entities of the type {CLAIMS[kind]}", "the content", why)
    return {name for ids in found.values() for name in ids}


def _tell_extension(one: Extension, losses: Losses) -> None:
    losses.add(one.id or one.name, f"the statement <{one.name}>", "it is no node and no edge of PROV")


def _add_element(found: Picture, one: Element, losses: Losses) -> None:
    node = found.nodes.setdefault(one.id, Node(one.id))
    if one.attributes and node.kinds & ~one.kind:
        losses.add(
            one.id, "with which of its kinds an attribute stands", "what is of several kinds is one node"
        )
    node.kinds |= one.kind
    node.attributes.extend(pair for pair in one.attributes if pair not in node.attributes)
    times = [(word, time) for word, time in (("startTime", one.start), ("endTime", one.end)) if time]
    node.times.extend(times)


def _add_edge(found: Picture, edge: Edge, of: Statement | None = None) -> None:
    found.edges.append(edge)
    kinds = {argument.name: argument.kind for argument in of.term.arguments} if of else {}
    subject_kind = of.term.subject_kind if of else Kind.UNKNOWN
    for argument, name in (("", edge.subject), *edge.ends):
        if name:
            node = found.nodes.setdefault(name, Node(name))
            node.place = node.place or kinds.get(argument, subject_kind)


def _edge(one: Statement) -> Edge:
    term = one.term
    ends = zip((argument.name for argument in term.arguments), one.nodes, strict=True)
    references = zip(term.references, one.references, strict=True)
    return Edge(
        _word(one),
        one.id,
        one.subject,
        tuple((argument, name) for argument, name in ends if name),
        tuple((word, name) for word, name in references if name),
        one.time,
        one.attributes,
    )


def _word(one: Statement) -> str:
    if one.term is DERIVATION:
        for name, value in one.attributes:
            if name == PROV_TYPE and value.value in DERIVATION_SUBTYPES:
                return DERIVATION_SUBTYPES[value.value]
    return one.term.name


def _refuted(one: Element) -> Edge | None:
    """The edge that a refuted relation is: an entity that names what it would be, and its ends."""
    given: dict[str, str] = {name: value.value for name, value in one.attributes if value.is_name}
    if given.get(PROV_TYPE) != _REFUTED:
        return None
    term = BY_NAME.get(given.get(CLEW + "term", "").rpartition("#")[2])
    if term is None or CLEW + "subject" not in given:
        return None
    first, *others = term.arguments
    keys = ((first.name, CLEW + "argument"), *((other.name, CLEW + other.name) for other in others))
    ends = tuple((name, given[key]) for name, key in keys if key in given)
    return Edge(term.name, one.id, given[CLEW + "subject"], ends, (), None, one.attributes, True)


class Short(dict[str, str]):
    """IRIs by the prefixes of a document, each worked out once; one that no prefix fits stands as it is."""

    def __init__(self, *prefixes: Mapping[str, str]) -> None:
        super().__init__()
        known: dict[str, str] = dict(RESERVED)
        for some in prefixes:
            known.update(some)
        self._spaces = sorted(
            ((space, prefix) for prefix, space in known.items()), key=lambda one: -len(one[0])
        )

    def __missing__(self, iri: str) -> str:
        self[iri] = found = self._short(iri)
        return found

    def _short(self, iri: str) -> str:
        for space, prefix in self._spaces:
            if iri.startswith(space) and len(iri) > len(space):
                local = iri[len(space) :]
                return f"{prefix}:{local}" if prefix else local
        return iri

    def value(self, value: Literal) -> str:
        """A value as PROV-N has it, or nearly: for people."""
        if value.is_name:
            return self[value.value]
        if value.language:
            return f'"{value.value}"@{value.language}'
        return f'"{value.value}"' if not value.datatype else f'"{value.value}" %% {self[value.datatype]}'


def lines(pairs: Iterator[tuple[str, str]]) -> str:
    """Names and values, one a line."""
    return "\n".join(f"{name} = {value}" for name, value in pairs)
