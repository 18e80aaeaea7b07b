"""What a format writes for readers who may not see all of it: a feed with hidden nodes renamed and stripped.

A hidden node is an entity of type ``clew:Restricted`` of which nothing is said. A relation of which it is
the subject, or an argument that can't be left out, becomes one ``wasInfluencedBy`` for each of the others,
with its flow class alone; another argument is left out of its relation, and becomes an influence by itself.
A bundle that names what is hidden is left out: it is what somebody signed for, whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import groupby

import msgspec
from msgspec.structs import replace

from provmodel.document import Bundle
from provmodel.evidence import Stance, weigh
from provmodel.feeds import canonical_place
from provmodel.relations import INFLUENCE, TERMS, Kind, Term
from provmodel.statements import ExportAssertion, ExportAttribute, ExportNode, ExportRelation, Feed
from queries.hiding import Hiding
from queries.redacting import covered, names_hidden

TYPE = "clew:Restricted"
_TYPED: ExportAttribute = ("prov:type", TYPE, "qname", 0, int(Stance.SUPPORTS), "", "", "")
_UNTOLD: ExportAssertion = (0, int(Stance.SUPPORTS), "", "", "", "", "", "")


class RedactedFeed:
    """``feed`` without what is hidden."""

    def __init__(self, feed: Feed, hiding: Hiding) -> None:
        self.base = feed.base
        self._feed = feed
        self._hiding = hiding

    def refs(self) -> Iterator[str]:
        return (self._hiding.shown(ref) for ref in self._feed.refs())

    def nodes(self, kind: Kind | None = None) -> Iterator[ExportNode]:
        seen = (self._node(one) for one in self._feed.nodes(kind) if not self._hiding.hides(one.ref))
        hidden = self._hidden() if kind in (None, Kind.ENTITY) else []
        return merge(seen, hidden, key=lambda one: one.ref)

    def _hidden(self) -> list[ExportNode]:
        refs = {self._hiding.alias(ref) for ref in self._feed.refs() if self._hiding.hides(ref)}
        return [ExportNode(ref, int(Kind.ENTITY), (_TYPED,)) for ref in sorted(refs)]

    def _node(self, node: ExportNode) -> ExportNode:
        hiding = self._hiding
        said = [
            (name, hiding.covered(value), kind, evidence, stance, hiding.shown(who), source, event)
            for name, value, kind, evidence, stance, who, source, event in node.attributes
        ]
        return replace(node, attributes=said)

    def relations(self, term: Term) -> Iterable[ExportRelation]:
        seen = self._seen(term)
        if term is not INFLUENCE:
            return seen
        every = (self._influences(one) for other in TERMS for one in self._feed.relations(other))
        made = sorted((one for some in every for one in some), key=canonical_place)
        distinct = (next(same) for _, same in groupby(made, key=lambda one: one.key))
        return merge(seen, distinct, key=canonical_place)

    def _seen(self, term: Term) -> Iterator[ExportRelation]:
        for relation in self._feed.relations(term):
            left = self._left(relation)
            if left is not None:
                yield left

    def _left(self, relation: ExportRelation) -> ExportRelation | None:
        """What is left of a relation; None when it can't be without what is hidden."""
        hides = self._hiding.hides
        hidden = [argument is not None and hides(argument) for argument in relation.arguments]
        needed = [
            one and not argument.optional
            for one, argument in zip(hidden, relation.term.arguments, strict=True)
        ]
        only = not any(a is not None and not one for a, one in zip(relation.arguments, hidden, strict=True))
        if hides(relation.subject) or any(needed) or (any(hidden) and only):
            return None
        arguments = tuple(None if one else a for a, one in zip(relation.arguments, hidden, strict=True))
        said = [self._assertion(one) for one in relation.assertions]
        key = self._hiding.relation(relation.key) if len(arguments) > 1 else relation.key
        return replace(relation, arguments=arguments, assertions=said, key=key)

    def _assertion(self, assertion: ExportAssertion) -> ExportAssertion:
        evidence, stance, who, method, source, event, time, attributes = assertion
        if attributes and names_hidden(said := msgspec.json.decode(attributes), self._hiding):
            attributes = msgspec.json.encode(covered(said, self._hiding), order="deterministic").decode()
        return evidence, stance, self._hiding.shown(who), method, source, event, time, attributes

    def _influences(self, relation: ExportRelation) -> Iterator[ExportRelation]:
        """The edges of which one end is hidden, or of a relation that can't be told any more."""
        hiding, left = self._hiding, self._left(relation)
        if left is not None and left.arguments == relation.arguments:
            return
        if weigh((evidence, stance) for evidence, stance, *_ in relation.assertions).refuted:
            return
        for place, argument in enumerate(relation.arguments):
            kept = left is not None and left.arguments[place] is not None
            if argument is not None and not kept:
                flow = relation.term.arguments[place].flow if place else relation.flow
                yield ExportRelation(
                    INFLUENCE,
                    hiding.shown(relation.subject),
                    (hiding.shown(argument),),
                    "",
                    int(flow),
                    hiding.relation(relation.key, place),
                    (_UNTOLD,),
                )

    def namespaces(self) -> Iterable[str]:
        return self._feed.namespaces()

    def bundles(self) -> Iterable[Bundle]:
        hiding = self._hiding
        return (one for one in self._feed.bundles() if not names_hidden(msgspec.to_builtins(one), hiding))
