"""Which nodes of a graph are qualified relations, of what, and which plain triples they say too."""

from __future__ import annotations

from collections.abc import Container

from provmodel.document import PROV
from provmodel.documents.rdf.parsing import Graph, Properties, add
from provmodel.documents.rdf.vocabulary import (
    ARGUMENTS,
    CLASSES,
    INFLUENCER,
    INVERSES,
    QUALIFIED,
    SUBTYPE_OF_QUALIFIED,
    TYPE,
    plains,
)
from provmodel.errors import Unreadable
from provmodel.relations import DERIVATION, INFLUENCE, Term

Link = tuple[str, Term, str]
"""The subject of a qualified relation, its term, and the type that the leading property gives ("")."""
Links = dict[str, list[Link]]
"""Qualified nodes to what leads to them."""

MOST_COMBINED = 256
"""Statements that one qualified node makes at most, when several of its arguments have several values."""

_LEADING = frozenset(QUALIFIED)


def ambiguous(node: str) -> Unreadable:
    """The error for a node that would make too many statements."""
    reason = "several of its arguments have many values, and nothing says which go together"
    return Unreadable(f"<{node}>", reason, "give each relation a node of its own")


def turn_inverses(graph: Graph) -> None:
    """Say what inverse properties say (``prov:generated``) the usual way round as well."""
    for subject in [one for one, said in graph.items() if said.keys() & INVERSES.keys()]:
        properties = graph[subject]
        for inverse in properties.keys() & INVERSES.keys():
            for other in [one for one in properties[inverse] if isinstance(one, str)]:
                add(graph.setdefault(other, {}), INVERSES[inverse], subject)


def links(graph: Graph, taken: Container[str]) -> Links:
    """The qualified nodes; subjects that are ``taken`` lead to none."""
    found: Links = {}
    for subject, properties in graph.items():
        if _LEADING.isdisjoint(properties) or subject in taken:
            continue
        for name, nodes in properties.items():
            term = QUALIFIED.get(name)
            if term is None:
                continue
            for node in nodes if len(nodes) == 1 else dict.fromkeys(nodes):
                if isinstance(node, str):
                    link = (subject, _narrowed(graph, term, node), SUBTYPE_OF_QUALIFIED.get(name, ""))
                    found.setdefault(node, []).append(link)
    for node, leading in found.items():
        if len(leading) > 1:
            found[node] = _distinct(leading)
    return found


def _narrowed(graph: Graph, term: Term, node: str) -> Term:
    """``prov:qualifiedInfluence`` leads to any qualified node: its class says what it is."""
    if term is not INFLUENCE:
        return term
    types = graph.get(node, {}).get(TYPE, ())
    return next((CLASSES[one] for one in types if isinstance(one, str) and one in CLASSES), term)


def _distinct(leading: list[Link]) -> list[Link]:
    """Links of a node, where a more special one of the same subject stands for a general one."""
    special = {subject for subject, term, _ in leading if term is not INFLUENCE}
    subtyped = {subject for subject, term, subtype in leading if term is DERIVATION and subtype}
    return [
        (subject, term, subtype)
        for subject, term, subtype in dict.fromkeys(leading)
        if subtype
        or not (
            (term is INFLUENCE and subject in special)
            or (term in (INFLUENCE, DERIVATION) and subject in subtyped)
        )
    ]


def covered(graph: Graph, found: Links) -> set[tuple[str, str, str]]:
    """The plain triples (property, subject, object) that qualified nodes say too.

    Raises :class:`Unreadable` for a node of many subjects with many ends: it would say all pairs of them.
    """
    said: set[tuple[str, str, str]] = set()
    empty: Properties = {}
    for node, leading in found.items():
        properties = graph.get(node, empty)
        for subject, term, subtype in leading:
            ends = properties.get(ARGUMENTS[term.name][0]) or properties.get(INFLUENCER) or ()
            if len(leading) > 1 and len(ends) > 1 and len(leading) * len(ends) > MOST_COMBINED:
                raise ambiguous(node)
            for plain in _plains(term, subtype, properties):
                said.update((plain, subject, end) for end in ends if isinstance(end, str))
    return said


def _plains(term: Term, subtype: str, properties: Properties) -> list[str]:
    if term is not DERIVATION:
        return [PROV + term.name]
    types = (*(one for one in properties.get(TYPE, ()) if isinstance(one, str)), subtype)
    return plains(term, frozenset(types))
