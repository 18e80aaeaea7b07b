"""Feeds of statements that are in memory: lists of them, and the answer to a question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from heapq import merge
from itertools import groupby
from typing import Any

import msgspec
from msgspec.structs import replace

from provmodel import evidence
from provmodel.document import Bundle
from provmodel.evidence import Stance
from provmodel.lexical import about
from provmodel.relations import BY_NAME, Flow, Kind, Term
from provmodel.statements import ExportAssertion, ExportAttribute, ExportNode, ExportRelation, Feed


class WithNodes:
    """A feed with more nodes that no relation names."""

    def __init__(self, feed: Feed, more: Iterable[ExportNode]) -> None:
        self.base = feed.base
        self._feed = feed
        self._more = sorted(more, key=lambda node: node.ref)

    def refs(self) -> Iterator[str]:
        yield from self._feed.refs()
        yield from (node.ref for node in self._more)

    def nodes(self, kind: Kind | None = None) -> Iterator[ExportNode]:
        more = [node for node in self._more if kind is None or (node.kind & kind if kind else not node.kind)]
        both = merge(self._feed.nodes(kind), more, key=_ref)
        return (reduce(_merged, same) for _, same in groupby(both, _ref))

    def relations(self, term: Term) -> Iterable[ExportRelation]:
        return self._feed.relations(term)

    def namespaces(self) -> Iterable[str]:
        return self._feed.namespaces()

    def bundles(self) -> Iterable[Bundle]:
        return self._feed.bundles()


def _ref(node: ExportNode) -> str:
    return node.ref


def contract_of(answer: Mapping[str, Any], base: str) -> Iterator[ExportNode]:
    """What an answer says of itself, as nodes: whether it is complete, each kind of gap, what could not be
    checked, and which bodies are gone, held or to go. ``answer`` has what :class:`queries.answer.Answer` has,
    as plain values.
    """
    graph = answer.get("graph", answer)
    told = [
        ("clew:question", answer.get("question", ""), "string"),
        ("clew:complete", str(graph["complete"]).lower(), "boolean"),
        ("clew:truncated", str(graph.get("truncated", False)).lower(), "boolean"),
    ]
    yield _contract("answer", "clew:Answer", told, base)
    for gap in graph.get("gaps", ()):
        told = [
            ("clew:gapKind", gap["kind"], "string"),
            ("clew:count", str(gap["count"]), "integer"),
            ("clew:example", gap["example"], "string"),
        ]
        yield _contract(f"gap/{gap['kind']}", "clew:Gap", told, base)
    for number, one in enumerate(graph.get("unchecked", ()), 1):
        told = [("clew:what", one["what"], "string"), ("clew:why", one["why"], "string")]
        yield _contract(f"unchecked/{number}", "clew:Unchecked", told, base)
    yield from _availability(answer.get("availability", {}), base)


def _availability(now: Mapping[str, Any], base: str) -> Iterator[ExportNode]:
    """The bodies that are not simply there, as they were when it was looked at."""
    for number, body in enumerate(now.get("bodies", ()), 1):
        expires, held = body.get("expires", ""), body.get("hold", "")
        if body["state"] != "present" or expires or held:
            told = [
                ("clew:contentOf", body["ref"], "string"),
                ("clew:body", body["body"], "string"),
                ("clew:bodyState", body["state"], "string"),
                ("clew:expires", expires, "dateTime"),
                ("clew:hold", held, "string"),
                ("clew:lookedAt", now["at"], "dateTime"),
            ]
            yield _contract(f"availability/{number}", "clew:Availability", told, base)


def holds_of(holds: Iterable[tuple[str, str, str, str, str]], base: str) -> Iterator[ExportNode]:
    """Legal holds as nodes: the name of each, what it holds, why, when it was placed and by whom."""
    for number, (name, target, reason, placed, by) in enumerate(holds, 1):
        told = [
            ("clew:name", name, "string"),
            ("clew:holds", target, "string"),
            ("clew:hold", reason, "string"),
            ("clew:placed", placed, "dateTime"),
            ("clew:placedBy", by, "string"),
        ]
        yield _contract(f"hold/{number}", "clew:Hold", told, base)


def _contract(name: str, kind: str, told: list[tuple[str, str, str]], base: str) -> ExportNode:
    said = [("prov:type", kind, "qname"), *[one for one in told if one[1]]]
    attributes = [(*one, 0, int(Stance.SUPPORTS), "", "", "") for one in said]
    return ExportNode(f"<{about(base)}{name}>", Kind.ENTITY, attributes)


class ListFeed:
    """A feed of records in memory, given in any order, a node or relation also in several pieces."""

    def __init__(
        self,
        base: str,
        nodes: Iterable[ExportNode],
        relations: Iterable[ExportRelation],
        bundles: Sequence[Bundle] = (),
        namespaces: Sequence[str] = (),
    ) -> None:
        self.base = base
        self._bundles = bundles
        self._namespaces = namespaces
        known: dict[str, ExportNode] = {}
        for node in nodes:
            known[node.ref] = _merged(known[node.ref], node) if node.ref in known else node
        self._nodes = sorted(known.values(), key=lambda node: node.ref)
        stated: dict[int, ExportRelation] = {}
        for one in relations:
            old = stated.get(one.key)
            stated[one.key] = replace(old, assertions=[*old.assertions, *one.assertions]) if old else one
        self._relations: dict[int, list[ExportRelation]] = {}
        for one in sorted(stated.values(), key=canonical_place):
            self._relations.setdefault(one.term.index, []).append(one)
        self._refs = frozenset(_refs(known.values(), stated.values()))

    def refs(self) -> Iterable[str]:
        return self._refs

    def nodes(self, kind: Kind | None = None) -> Iterable[ExportNode]:
        if kind is None:
            return self._nodes
        return (node for node in self._nodes if (node.kind & kind if kind else not node.kind))

    def relations(self, term: Term) -> Iterable[ExportRelation]:
        return self._relations.get(term.index, ())

    def namespaces(self) -> Iterable[str]:
        return self._namespaces

    def bundles(self) -> Iterable[Bundle]:
        return self._bundles


def _refs(nodes: Iterable[ExportNode], relations: Iterable[ExportRelation]) -> Iterator[str]:
    for node in nodes:
        yield node.ref
        yield from (attribute[5] for attribute in node.attributes)
    for relation in relations:
        yield relation.subject
        yield from (ref for ref in relation.arguments if ref is not None)
        yield from (assertion[2] for assertion in relation.assertions)


def _merged(one: ExportNode, other: ExportNode) -> ExportNode:
    return ExportNode(
        one.ref,
        one.kind | other.kind,
        (*one.attributes, *other.attributes),
        one.placeholder and other.placeholder,
    )


def canonical_place(relation: ExportRelation) -> tuple[int, str, tuple[str, ...], str]:
    """What relations are ordered by: term, subject, arguments (an absent one first) and role."""
    arguments = tuple(argument or "" for argument in relation.arguments)
    return relation.term.index, relation.subject, arguments, relation.role


def feed_of_answer(
    answer: Mapping[str, Any] | msgspec.Struct, base: str, events: Mapping[int, tuple[str, str]] | None = None
) -> ListFeed:
    """What an answer (or its ``graph`` part) shows, as a feed.

    An answer names events by their seq, which depends on arrival; ``events`` gives the source and id of each.
    Without it, the export doesn't name events. Ends of edges that are no nodes of the answer are given with
    the kind that their place gives them.
    """
    whole: Mapping[str, Any] = msgspec.to_builtins(answer)
    graph = whole.get("graph", whole)
    edges = [edge for part in ("edges", "conditions", "responsible") for edge in graph.get(part, ())]
    relations = list(_relations(edges, events or {}))
    nodes = {ref: ExportNode(ref, kind) for relation in relations for ref, kind in _ends(relation)}
    nodes.update((node.ref, node) for node in map(_node, graph.get("nodes", ())))
    return ListFeed(base, nodes.values(), relations)


def _node(node: Mapping[str, Any] | str) -> ExportNode:
    if isinstance(node, str):
        return ExportNode(node, Kind.UNKNOWN)
    type_name = node.get("type", "")
    attributes: list[ExportAttribute] = []
    if type_name:
        attributes.append(("prov:type", type_name, "qname", 0, Stance.SUPPORTS, "", "", ""))
    marks = {mark["kind"] for mark in node.get("marks", ())}
    kind = sum(Kind[word.upper()] for word in node["kinds"])
    return ExportNode(node["ref"], kind, attributes, placeholder="placeholder" in marks)


def _relations(
    edges: Iterable[Mapping[str, Any]], events: Mapping[int, tuple[str, str]]
) -> Iterator[ExportRelation]:
    """Put the arguments of each relation together again: an answer has an edge for each."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for edge in edges:
        rows.setdefault(edge["relation"], []).append(edge)
    for key, same in rows.items():
        term = BY_NAME[same[0]["term"]]
        given = {edge["argument"]: edge for edge in same}
        names = [argument.name for argument in term.arguments]
        first = given.get(names[0])
        yield ExportRelation(
            term,
            same[0]["source"],
            tuple(given[name]["target"] if name in given else None for name in names),
            same[0]["role"],
            Flow[first["flow"].upper()] if first else term.arguments[0].flow,
            int(key, 16),
            [_assertion(one, events) for one in same[0]["assertions"]],
        )


def _assertion(one: Mapping[str, Any], events: Mapping[int, tuple[str, str]]) -> ExportAssertion:
    source, event = events.get(one["event"], ("", ""))
    stance = Stance[one["stance"].upper()]
    return evidence.parse(one["evidence"]), stance, one["asserter"], one["method"], source, event, "", ""


def _ends(relation: ExportRelation) -> Iterator[tuple[str, Kind]]:
    term = relation.term
    yield relation.subject, term.subject_kind
    for argument, ref in zip(term.arguments, relation.arguments, strict=True):
        if ref is not None:
            yield ref, argument.kind
