"""The triples of one graph to statements.

Nothing here depends on the order of a set: all is kept in the order of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from provmodel.document import (
    PROV,
    PROV_QUALIFIED_NAME,
    PROV_TYPE,
    AnyStatement,
    Attribute,
    Element,
    Extension,
    Literal,
    Statement,
)
from provmodel.documents.faults import Remarks, shown
from provmodel.documents.rdf import dictionaries
from provmodel.documents.rdf.parsing import Graph, Node
from provmodel.documents.rdf.vocabulary import (
    ARGUMENTS,
    AT_TIME,
    ATTRIBUTES,
    CLASS_OF,
    CLASSES,
    DESCRIPTION,
    ENDED,
    IMPLIED,
    INFLUENCER,
    INVERSES,
    KINDS,
    MENTION_BUNDLE,
    MOMENTS,
    PLAIN,
    QUALIFIED,
    QUALIFIED_OF,
    RELATING,
    STARTED,
    SUBKINDS,
    SUBTYPE_OF,
    SUBTYPE_OF_QUALIFIED,
    TYPE,
    plains,
)
from provmodel.documents.values import is_datetime
from provmodel.errors import Unreadable
from provmodel.relations import DERIVATION, INFLUENCE, MENTION, Kind, Term

MOST_COMBINED = 256
"""Statements that one qualified node makes at most, when several of its arguments have several values."""

_Properties = dict[str, list[Node]]
_Nodes = list[Node] | tuple[Node, ...]
_ELEMENT_OWN = frozenset({TYPE, STARTED, ENDED})


def statements(graph: Graph, remarks: Remarks) -> list[AnyStatement]:
    """What a graph says in PROV; raises :class:`Unreadable`. The graph is changed on the way."""
    return _Decoder(graph, remarks).all()


class _Decoder:
    """Takes one graph apart.

    ``links`` are the qualified nodes with their subjects, terms and the types that their properties give;
    ``covered`` the plain triples that they say too; ``used_as`` what relations make of names.
    """

    def __init__(self, graph: Graph, remarks: Remarks) -> None:
        self.graph = graph
        self.remarks = remarks
        self.extensions, self.taken = dictionaries.decoded(graph)
        self.links: dict[str, list[tuple[str, Term, str]]] = {}
        self.covered: set[tuple[str, str, str]] = set()
        self.moments: dict[str, str] = {}
        self.used_as: dict[str, int] = {}

    def all(self) -> list[AnyStatement]:
        """Everything that the graph says."""
        self._turn_inverses()
        self._find_links()
        self._cover()
        found: list[AnyStatement] = []
        for subject, properties in self.graph.items():
            if subject in self.taken:
                continue
            is_relation = subject in self.links or self._orphan(properties)
            if not is_relation:
                found.extend(self._elements(subject, properties))
            else:
                found.extend(self._typed_too(subject, properties))
                found.extend(self._qualified(subject, properties))
            found.extend(self._plain(subject, properties))
        found.extend(self.extensions)
        found.extend(self._untyped(found))
        return found

    # --- what belongs together ---

    def _turn_inverses(self) -> None:
        for subject in [one for one, said in self.graph.items() if said.keys() & INVERSES.keys()]:
            properties = self.graph[subject]
            for inverse in properties.keys() & INVERSES.keys():
                for other in [one for one in properties[inverse] if isinstance(one, str)]:
                    self.graph.setdefault(other, {}).setdefault(INVERSES[inverse], []).append(subject)

    def _find_links(self) -> None:
        for subject, properties in self.graph.items():
            for name, nodes in properties.items():
                term = QUALIFIED.get(name)
                if term is None:
                    continue
                for node in dict.fromkeys(nodes):
                    if isinstance(node, str) and subject not in self.taken:
                        link = (subject, self._narrowed(term, node), SUBTYPE_OF_QUALIFIED.get(name, ""))
                        self.links.setdefault(node, []).append(link)
        for node, links in self.links.items():
            if len(links) > 1:
                self.links[node] = _distinct(links)

    def _narrowed(self, term: Term, node: str) -> Term:
        """``prov:qualifiedInfluence`` leads to any qualified node: its class says what it is."""
        if term is not INFLUENCE:
            return term
        types = self.graph.get(node, {}).get(TYPE, ())
        return next((CLASSES[one] for one in types if isinstance(one, str) and one in CLASSES), term)

    def _orphan(self, properties: _Properties) -> bool:
        """True for a relation to which no subject points."""
        types = properties.get(TYPE)
        return types is not None and any(isinstance(one, str) and one in CLASSES for one in types)

    def _cover(self) -> None:
        for node, links in self.links.items():
            properties = self.graph.get(node, {})
            for subject, term, subtype in links:
                types = frozenset(
                    (*(one for one in properties.get(TYPE, ()) if isinstance(one, str)), subtype)
                )
                for plain in plains(term, types):
                    for end in self._ends(term, properties)[0]:
                        if end is not None:
                            self.covered.add((plain, subject, end))
        for subject, properties in self.graph.items():
            for name in properties.keys() & MOMENTS.keys():
                self._give_moment(subject, properties, name)

    def _give_moment(self, subject: str, properties: _Properties, name: str) -> None:
        """Give the only generation (or invalidation) of a subject the time that the subject names."""
        term = MOMENTS[name]
        nodes = [one for one in properties.get(QUALIFIED_OF[term.name][0], ()) if isinstance(one, str)]
        plain = PROV + term.name
        ends = [
            one
            for one in dict.fromkeys(properties.get(plain, ()))
            if isinstance(one, str) and (plain, subject, one) not in self.covered
        ]
        moments = list(dict.fromkeys(properties[name]))
        known = {one for node in nodes for one in self.graph.get(node, {}).get(AT_TIME, ())}
        left = [one for one in moments if one not in known]
        timeless = [node for node in nodes if AT_TIME not in self.graph.get(node, {})]
        if len(left) == 1 and len(nodes) + len(ends) == 1 and (ends or timeless):
            time = self._time(left[0])
            if time is not None:
                self.moments[f"{term.name} {subject}"] = ""
                if timeless:
                    self.graph.setdefault(nodes[0], {})[AT_TIME] = left
                else:
                    self.moments[f"{term.name} {subject}"] = time
                left = []
        properties[name] = left

    # --- relations ---

    def _ends(self, term: Term, properties: _Properties) -> list[list[str | None]]:
        """For each argument of a qualified relation what it is; [None] where it isn't given."""
        found: list[list[str | None]] = []
        for name in ARGUMENTS[term.name]:
            given = properties.get(name)
            if given is None and not found:
                given = properties.get(INFLUENCER)
            names = [one for one in dict.fromkeys(given or ()) if isinstance(one, str)]
            found.append([*names] or [None])
        return found

    def _qualified(self, node: str, properties: _Properties) -> Iterator[Statement]:
        for subject, term, subtype in self.links.get(node) or self._unlinked(properties):
            ends = self._ends(term, properties)
            times, odd = self._times(properties.get(AT_TIME, ())) if term.timed else ([], [])
            moments: list[str | None] = [*times] or [None]
            if prod(map(len, (*ends, moments))) > max(MOST_COMBINED, *map(len, (*ends, moments))):
                reason = "several of its arguments have many values, and nothing says which go together"
                raise Unreadable(f"<{node}>", reason, "give each relation a node of its own")
            own = {*ARGUMENTS[term.name], INFLUENCER, *((AT_TIME,) if term.timed else ()), TYPE}
            attributes = (
                *self._types(term, subtype, properties),
                *self._attributes(properties, own),
                *((AT_TIME, one) for one in odd),
                *self._odd_arguments(term, properties),
            )
            self._note(subject, term.subject_kind)
            for *places, time in product(*ends, moments):
                for place, argument in zip(places, term.arguments, strict=False):
                    if place is not None:
                        self._note(place, argument.kind)
                missing = len(term.arguments) + len(term.references) - len(places)
                arguments = (subject or None, *places, *(None,) * missing)
                yield Statement(term, node, arguments, time, attributes)

    def _unlinked(self, properties: _Properties) -> list[tuple[str, Term, str]]:
        terms = [CLASSES[one] for one in properties.get(TYPE, ()) if isinstance(one, str) and one in CLASSES]
        narrow = [term for term in terms if term is not INFLUENCE] or terms
        return [("", term, "") for term in dict.fromkeys(narrow)]

    def _types(self, term: Term, subtype: str, properties: _Properties) -> list[Attribute]:
        implied = {QUALIFIED_OF[term.name][1], *IMPLIED, *CLASS_OF.values()}
        types: list[Node] = [*dict.fromkeys((*([subtype] if subtype else []), *properties.get(TYPE, ())))]
        return [(PROV_TYPE, _literal(one)) for one in types if not (isinstance(one, str) and one in implied)]

    def _odd_arguments(self, term: Term, properties: _Properties) -> list[Attribute]:
        """Arguments that are literals: they name nothing."""
        names = ARGUMENTS[term.name]
        odd = [(name, one) for name in names for one in properties.get(name, ()) if isinstance(one, Literal)]
        if INFLUENCER not in names[:1] and names[0] in properties:
            odd += [(INFLUENCER, _literal(one)) for one in properties.get(INFLUENCER, ())]
        return odd

    def _plain(self, subject: str, properties: _Properties) -> Iterator[Statement]:
        for name, values in properties.items():
            term = PLAIN.get(name)
            if term is not None:
                types = ((PROV_TYPE, _literal(SUBTYPE_OF[name])),) if name in SUBTYPE_OF else ()
                ends = values if len(values) == 1 else list(dict.fromkeys(values))
                for end in ends:
                    if isinstance(end, str) and (name, subject, end) not in self.covered:
                        yield self._one_plain(subject, term, end, types)
            elif name in MOMENTS:
                for time in self._times(values)[0]:
                    missing = (None,) * len(MOMENTS[name].arguments)
                    yield Statement(MOMENTS[name], None, (subject, *missing), time)

    def _one_plain(self, subject: str, term: Term, end: str, types: tuple[Attribute, ...]) -> Statement:
        self._note(subject, term.subject_kind)
        self._note(end, term.arguments[0].kind)
        more: tuple[str | None, ...] = (None,) * (len(term.arguments) + len(term.references) - 1)
        if term is MENTION:
            more = (self._bundle_of(subject),)
        time = self.moments.get(f"{term.name} {subject}") if self.moments and term.timed else None
        return Statement(term, None, (subject, end, *more), time or None, types)

    def _bundle_of(self, subject: str) -> str | None:
        bundles = [one for one in self.graph[subject].get(MENTION_BUNDLE, ()) if isinstance(one, str)]
        if len(set(bundles)) > 1:
            what = "several bundles are named for mentions, and nothing says which for which"
            self.remarks.add("mentions in several bundles", f"<{subject}>", what)
        return bundles[0] if bundles else None

    # --- elements ---

    def _elements(self, subject: str, properties: _Properties) -> Iterator[Element]:
        kinds, types = self._kinds(properties)
        starts, ends = properties.get(STARTED, ()), properties.get(ENDED, ())
        if (
            (starts or ends)
            and Kind.ACTIVITY not in kinds
            and (not kinds or self._times((*starts, *ends))[0])
        ):
            what = "it has a start or an end, which makes it an activity"
            self.remarks.add("activities by their times", f"<{subject}>", what)
            kinds = [*kinds, Kind.ACTIVITY]
        attributes = tuple(self._attributes(properties, _ELEMENT_OWN))
        for number, kind in enumerate(kinds):
            own = tuple(
                (PROV_TYPE, _literal(one))
                for one in types
                if (SUBKINDS.get(one, kinds[0]) if isinstance(one, str) else kinds[0]) is kind
            )
            said = (*own, *attributes) if not number else own
            if kind is Kind.ACTIVITY:
                yield from self._activity(subject, said, starts, ends)
            else:
                yield Element(kind, subject, said)

    def _typed_too(self, subject: str, properties: _Properties) -> Iterator[Element]:
        """A relation that is an element, too: its attributes stay with the relation."""
        for kind in self._kinds(properties)[0]:
            yield Element(kind, subject)

    def _kinds(self, properties: _Properties) -> tuple[list[Kind], list[Node]]:
        """The kinds of a subject, and its other types."""
        given = properties.get(TYPE)
        if not given:
            return [], []
        kinds, types = set(), []
        for one in dict.fromkeys(given):
            kind = KINDS.get(one) if isinstance(one, str) else None
            if kind:
                kinds.add(kind)
                continue
            types.append(one)
            if isinstance(one, str) and one in SUBKINDS:
                kinds.add(SUBKINDS[one])
        return sorted(kinds), types

    def _activity(
        self, subject: str, said: tuple[Attribute, ...], starts: _Nodes, ends: _Nodes
    ) -> Iterator[Element]:
        (first, odd_first), (last, odd_last) = self._times(starts), self._times(ends)
        odd = (*((STARTED, one) for one in odd_first), *((ENDED, one) for one in odd_last))
        yield Element(
            Kind.ACTIVITY, subject, (*said, *odd), first[0] if first else None, last[0] if last else None
        )
        for time in first[1:]:
            yield Element(Kind.ACTIVITY, subject, start=time)
        for time in last[1:]:
            yield Element(Kind.ACTIVITY, subject, end=time)

    def _untyped(self, found: list[AnyStatement]) -> Iterator[AnyStatement]:
        """What is said of subjects that have no type of PROV-O."""
        known = {one.id for one in found if isinstance(one, Element)}
        for subject, properties in self.graph.items():
            if subject in known or subject in self.links or subject in self.taken:
                continue
            if self._orphan(properties):
                continue
            own = (
                *((PROV_TYPE, _literal(one)) for one in dict.fromkeys(properties.get(TYPE, ()))),
                *self._attributes(properties, {TYPE}),
            )
            if not own:
                continue
            mask = self.used_as.get(subject, 0)
            kind = next((one for one in Kind if one and mask & one), None)
            if kind:
                what = f"it has no type of PROV-O; its relations make it an {kind.word}"
                self.remarks.add("subjects without a type", f"<{subject}>", what)
                yield Element(kind, subject, own)
            else:
                what = "it is nothing in PROV; what is said of it is carried as a description"
                self.remarks.add("subjects that are nothing in PROV", f"<{subject}>", what)
                yield Extension(DESCRIPTION, None, (subject,), attributes=own, format="rdf")

    # --- values ---

    def _attributes(self, properties: _Properties, own: set[str] | frozenset[str]) -> Iterator[Attribute]:
        for name, values in properties.items():
            if name in own or name in MOMENTS:
                if name in MOMENTS:
                    yield from ((name, one) for one in self._times(values)[1])
                continue
            if name == MENTION_BUNDLE and PROV + MENTION.name in properties:
                continue
            relates = name in RELATING
            for one in values if len(values) == 1 else dict.fromkeys(values):
                if isinstance(one, Literal):
                    yield ATTRIBUTES.get(name, name), one
                elif not relates and (one not in self.taken or name not in dictionaries.PROPERTIES):
                    yield ATTRIBUTES.get(name, name), _literal(one)

    def _times(self, values: _Nodes) -> tuple[list[str], list[Literal]]:
        """The lexical forms of moments, and what is none."""
        times, odd = [], []
        for one in values if len(values) < 2 else dict.fromkeys(values):
            time = self._time(one)
            if time is None:
                what = f"{shown(one if isinstance(one, str) else one.value)} is no time; it is an attribute"
                self.remarks.add("times that are none", "", what)
                odd.append(_literal(one))
            else:
                times.append(time)
        return times, odd

    def _time(self, value: Node) -> str | None:
        return value.value if isinstance(value, Literal) and is_datetime(value.value) else None

    def _note(self, name: str, kind: Kind) -> None:
        if name:
            self.used_as[name] = self.used_as.get(name, 0) | kind


def _literal(node: Node) -> Literal:
    return node if isinstance(node, Literal) else Literal(node, PROV_QUALIFIED_NAME)


def _distinct(links: list[tuple[str, Term, str]]) -> list[tuple[str, Term, str]]:
    """Links of a node, where a more special one of the same subject stands for a general one."""
    found = dict.fromkeys(links)
    for subject, term, subtype in links:
        special = any(
            one[0] == subject
            and ((term is INFLUENCE and one[1] is not INFLUENCE) or (one[1] is DERIVATION and one[2]))
            for one in links
            if one[:2] != (subject, term) or one[2] != subtype
        )
        if special and not subtype and term in (INFLUENCE, DERIVATION):
            found.pop((subject, term, subtype), None)
    return list(found)
