"""PROV-DICTIONARY (W3C Note, 30 April 2013) in RDF: its statements as extensions, and back."""

from __future__ import annotations

from provmodel.document import PROV, Carried, Extension, Literal
from provmodel.documents.rdf.parsing import Graph, Node
from provmodel.documents.rdf.vocabulary import TYPE
from provmodel.documents.scope import BLANK

_MEMBER = PROV + "hadDictionaryMember"
_PAIR_KEY, _PAIR_ENTITY, _PAIR = PROV + "pairKey", PROV + "pairEntity", PROV + "KeyEntityPair"
_OLD = PROV + "dictionary"
PROPERTIES = frozenset(
    {_MEMBER, PROV + "qualifiedInsertion", PROV + "qualifiedRemoval", PROV + "insertedKeyEntityPair"}
)
"""Properties that lead to a node that was taken for a part of a statement."""
_CHANGES = {
    PROV + "qualifiedInsertion": (PROV + "derivedByInsertionFrom", PROV + "insertedKeyEntityPair"),
    PROV + "qualifiedRemoval": (PROV + "derivedByRemovalFrom", PROV + "removedKey"),
}
_OF_CHANGE = {PROV + "Insertion", PROV + "Removal"}

Pair = tuple[Literal, str]


def decoded(graph: Graph, names: set[str]) -> tuple[list[Extension], set[str]]:
    """The statements of a graph about dictionaries, and the blank nodes that they took up. What isn't of
    their shape stays what it is. ``names`` are all properties of the graph.
    """
    found: list[Extension] = []
    taken: set[str] = set()
    if _MEMBER not in names and names.isdisjoint(_CHANGES):
        return found, taken
    for subject, properties in graph.items():
        for node in properties.get(_MEMBER, ()):
            pair = _pair(graph, node)
            if pair and isinstance(node, str):
                found.append(Extension(_MEMBER, None, (subject, pair[1], pair[0])))
                taken.add(node)
        for name in properties.keys() & _CHANGES.keys():
            for node in properties[name]:
                change = _change(graph, subject, node, name)
                if change and isinstance(node, str):
                    found.append(change[0])
                    taken |= {node, *change[1]}
    return found, taken


def _pair(graph: Graph, node: Node) -> Pair | None:
    if not isinstance(node, str) or not node.startswith(BLANK):
        return None
    said = graph.get(node, {})
    keys, entities = said.get(_PAIR_KEY, []), said.get(_PAIR_ENTITY, [])
    if said.keys() - {_PAIR_KEY, _PAIR_ENTITY, TYPE} or set(said.get(TYPE, ())) - {_PAIR}:
        return None
    if len(keys) != 1 or len(entities) != 1:
        return None
    key, entity = keys[0], entities[0]
    return (key, entity) if isinstance(key, Literal) and isinstance(entity, str) else None


def _change(graph: Graph, subject: str, node: Node, name: str) -> tuple[Extension, set[str]] | None:
    if not isinstance(node, str):
        return None
    said = graph.get(node, {})
    statement, parts = _CHANGES[name]
    old = said.get(_OLD, [])
    others = set(said.get(TYPE, ())) - _OF_CHANGE
    if said.keys() - {_OLD, TYPE, parts} or others or len(old) != 1 or not isinstance(old[0], str):
        return None
    given = said.get(parts, [])
    pairs: list[Carried] = []
    for one in given:
        pair = _pair(graph, one) if name.endswith("Insertion") else one
        if pair is None or isinstance(pair, str):
            return None
        pairs.append(pair)
    inner = {one for one in given if isinstance(one, str)}
    return Extension(statement, node, (subject, old[0], tuple(pairs))), inner
