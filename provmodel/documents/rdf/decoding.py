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
from provmodel.documents.rdf import dictionaries, linking
from provmodel.documents.rdf.parsing import Graph, Node, Properties, Values
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
    QUALIFIED_OF,
    RELATING,
    STARTED,
    SUBKINDS,
    SUBTYPE_OF,
    TYPE,
)
from provmodel.documents.values import is_datetime
from provmodel.relations import INFLUENCE, MENTION, TERMS, Kind, Term

_ELEMENT_OWN = frozenset({TYPE, STARTED, ENDED})
_TYPE_ALONE = frozenset({TYPE})
_STATING = frozenset({*PLAIN, *MOMENTS})
_RELATIONS = frozenset(CLASSES)
_SPECIAL = frozenset({*RELATING, *MOMENTS, MENTION_BUNDLE})  # are attributes only sometimes
_TYPE, _TIME, _OTHER = -1, -2, -3  # what a property of a qualified node is, beside an argument


def _slots(term: Term) -> dict[str, int]:
    """What the properties of a qualified node say: the position of an argument, or one of the above."""
    timed = {AT_TIME: _TIME} if term.timed else {}
    arguments = {name: place for place, name in enumerate(ARGUMENTS.get(term.name, ()))}
    return {INFLUENCER: _OTHER, TYPE: _TYPE, **timed, **arguments}


_SLOTS = [_slots(term) for term in TERMS]
_COUNT = [len(term.arguments) + len(term.references) for term in TERMS]
_KIND_CLASSES = frozenset(CLASS_OF.values())
_IMPLIED = {name: frozenset({class_, *IMPLIED, *_KIND_CLASSES}) for name, (_, class_) in QUALIFIED_OF.items()}


def statements(graph: Graph, remarks: Remarks) -> list[AnyStatement]:
    """What a graph says in PROV; raises :class:`Unreadable`. The graph is changed on the way."""
    return _Decoder(graph, remarks).all()


class _Decoder:
    """Takes one graph apart.

    ``names`` are all properties of the graph; ``taken`` the nodes that statements about dictionaries took up.
    """

    def __init__(self, graph: Graph, remarks: Remarks) -> None:
        self.graph = graph
        self.remarks = remarks
        self.names: set[str] = set().union(*graph.values())
        self.extensions, self.taken = dictionaries.decoded(graph, self.names)
        if not self.names.isdisjoint(INVERSES):
            linking.turn_inverses(graph)
        self.links = linking.links(graph, self.taken)
        self.covered = linking.covered(graph, self.links)
        self.moments: dict[str, str] = {}
        self._known_times: dict[str, bool] = {}

    def all(self) -> list[AnyStatement]:
        """Everything that the graph says."""
        if not self.names.isdisjoint(MOMENTS):
            self._give_moments()
        found: list[AnyStatement] = []
        links, taken = self.links, self.taken
        for subject, properties in self.graph.items():
            if subject in taken:
                continue
            if subject in links or self._orphan(properties):
                found += self._typed_too(subject, properties)
                found += self._qualified(subject, properties)
            else:
                found += self._elements(subject, properties)
            if not _STATING.isdisjoint(properties):
                found += self._plain(subject, properties)
        found.extend(self.extensions)
        found.extend(self._untyped(found))
        return found

    # --- what belongs together ---

    def _orphan(self, properties: Properties) -> bool:
        """True for a relation to which no subject points."""
        types = properties.get(TYPE)
        return types is not None and not _RELATIONS.isdisjoint(types)

    def _give_moments(self) -> None:
        for subject, properties in self.graph.items():
            for name in properties.keys() & MOMENTS.keys():
                self._give_moment(subject, properties, name)

    def _give_moment(self, subject: str, properties: Properties, name: str) -> None:
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

    def _ends(self, term: Term, properties: Properties) -> list[list[str | None]]:
        """For each argument of a qualified relation what it is; [None] where it isn't given."""
        found: list[list[str | None]] = []
        for name in ARGUMENTS[term.name]:
            given = properties.get(name)
            if given is None and not found:
                given = properties.get(INFLUENCER)
            names = [one for one in dict.fromkeys(given or ()) if isinstance(one, str)]
            found.append([*names] or [None])
        return found

    def _qualified(self, node: str, properties: Properties) -> list[Statement]:
        found: list[Statement] = []
        for subject, term, subtype in self.links.get(node) or self._unlinked(properties):
            one = self._simple(node, properties, subject, term, subtype)
            found += (one,) if one else self._combined(node, properties, subject, term, subtype)
        return found

    def _simple(
        self, node: str, properties: Properties, subject: str, term: Term, subtype: str
    ) -> Statement | None:
        """The relation of a node that names each argument and its time once, as nearly all do."""
        arguments: list[str | None] = [subject or None, *(None,) * _COUNT[term.index]]
        slots, time = _SLOTS[term.index], None
        types: list[Attribute] = [(PROV_TYPE, _literal(subtype))] if subtype else []
        attributes: list[Attribute] = []
        for name, values in properties.items():
            slot = slots.get(name)
            if slot is None:
                self._attribute(name, values, properties, attributes)
            elif slot == _TYPE:
                types = self._types(term, subtype, values)
            elif len(values) > 1 or slot == _OTHER:
                return None
            elif slot == _TIME:
                time = self._time(values[0])
                if time is None:
                    return None
            elif isinstance(values[0], str):
                arguments[slot + 1] = values[0]
            else:
                return None
        return Statement(term, node, tuple(arguments), time, (*types, *attributes))

    def _combined(
        self, node: str, properties: Properties, subject: str, term: Term, subtype: str
    ) -> Iterator[Statement]:
        """The relations of a node that names several things for one argument, or odd ones."""
        ends = self._ends(term, properties)
        times, odd = self._times(properties.get(AT_TIME, ())) if term.timed else ([], [])
        moments: list[str | None] = [*times] or [None]
        if prod(map(len, (*ends, moments))) > max(linking.MOST_COMBINED, *map(len, (*ends, moments))):
            raise linking.ambiguous(node)
        own = {*ARGUMENTS[term.name], INFLUENCER, *((AT_TIME,) if term.timed else ()), TYPE}
        attributes = (
            *self._types(term, subtype, properties.get(TYPE, ())),
            *self._attributes(properties, own),
            *((AT_TIME, one) for one in odd),
            *self._odd_arguments(term, properties),
        )
        for *places, time in product(*ends, moments):
            missing = _COUNT[term.index] - len(places)
            yield Statement(term, node, (subject or None, *places, *(None,) * missing), time, attributes)

    def _unlinked(self, properties: Properties) -> list[tuple[str, Term, str]]:
        terms = [CLASSES[one] for one in properties.get(TYPE, ()) if isinstance(one, str) and one in CLASSES]
        narrow = [term for term in terms if term is not INFLUENCE] or terms
        return [("", term, "") for term in dict.fromkeys(narrow)]

    def _types(self, term: Term, subtype: str, given: Values) -> list[Attribute]:
        implied = _IMPLIED[term.name]
        types = given if len(given) == 1 and not subtype else dict.fromkeys((subtype, *given))
        return [(PROV_TYPE, _literal(one)) for one in types if one and one not in implied]

    def _odd_arguments(self, term: Term, properties: Properties) -> list[Attribute]:
        """Arguments that are literals: they name nothing."""
        names = ARGUMENTS[term.name]
        odd = [(name, one) for name in names for one in properties.get(name, ()) if isinstance(one, Literal)]
        if INFLUENCER not in names[:1] and names[0] in properties:
            odd += [(INFLUENCER, _literal(one)) for one in properties.get(INFLUENCER, ())]
        return odd

    def _plain(self, subject: str, properties: Properties) -> Iterator[Statement]:
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
        more: tuple[str | None, ...] = (None,) * (_COUNT[term.index] - 1)
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

    def _elements(self, subject: str, properties: Properties) -> list[Element]:
        kinds, types = self._kinds(properties)
        starts, ends = properties.get(STARTED, ()), properties.get(ENDED, ())
        if (starts or ends) and kinds != [Kind.ACTIVITY]:
            kinds = self._timed_kinds(subject, kinds, (*starts, *ends))
        if not kinds:
            return []
        found: list[Element] = []
        attributes = tuple(self._attributes(properties, _ELEMENT_OWN))
        for number, kind in enumerate(kinds):
            said = attributes if not number else ()
            if types:
                own = [
                    (PROV_TYPE, _literal(one))
                    for one in types
                    if (SUBKINDS.get(one, kinds[0]) if isinstance(one, str) else kinds[0]) is kind
                ]
                said = (*own, *said)
            if kind is Kind.ACTIVITY:
                found += self._activity(subject, said, starts, ends)
            else:
                found.append(Element(kind, subject, said))
        return found

    def _timed_kinds(self, subject: str, kinds: list[Kind], times: Values) -> list[Kind]:
        """The kinds of what has a start or an end."""
        if Kind.ACTIVITY in kinds or (kinds and not self._times(times)[0]):
            return kinds
        what = "it has a start or an end, which makes it an activity"
        self.remarks.add("activities by their times", f"<{subject}>", what)
        return [*kinds, Kind.ACTIVITY]

    def _typed_too(self, subject: str, properties: Properties) -> list[Element]:
        """A relation that is an element, too: its attributes stay with the relation."""
        return [Element(kind, subject) for kind in self._kinds(properties)[0]]

    def _kinds(self, properties: Properties) -> tuple[list[Kind], Values]:
        """The kinds of a subject, and its other types."""
        given = properties.get(TYPE)
        if not given:
            return [], []
        if len(given) == 1 and isinstance(given[0], str) and given[0] in KINDS:
            return [KINDS[given[0]]], []
        if len(given) == 1 and given[0] in _RELATIONS:
            return [], given
        kinds: set[Kind] = set()
        types: list[Node] = []
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
        self, subject: str, said: tuple[Attribute, ...], starts: Values, ends: Values
    ) -> Iterator[Element]:
        (first, odd_first), (last, odd_last) = self._times(starts), self._times(ends)
        if not odd_first and not odd_last and len(first) < 2 and len(last) < 2:
            start, end = first[0] if first else None, last[0] if last else None
            yield Element(Kind.ACTIVITY, subject, said, start, end)
            return
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
        used_as: dict[str, int] | None = None
        for subject, properties in self.graph.items():
            if subject in known or subject in self.links or subject in self.taken:
                continue
            if self._orphan(properties):
                continue
            own = (
                *((PROV_TYPE, _literal(one)) for one in dict.fromkeys(properties.get(TYPE, ()))),
                *self._attributes(properties, _TYPE_ALONE),
            )
            if not own:
                continue
            used_as = _used_as(found) if used_as is None else used_as
            yield self._described(subject, own, used_as.get(subject, 0))

    def _described(self, subject: str, own: tuple[Attribute, ...], mask: int) -> AnyStatement:
        kind = next((one for one in Kind if one and mask & one), None)
        if kind:
            what = f"it has no type of PROV-O; its relations make it an {kind.word}"
            self.remarks.add("subjects without a type", f"<{subject}>", what)
            return Element(kind, subject, own)
        what = "it is nothing in PROV; what is said of it is carried as a description"
        self.remarks.add("subjects that are nothing in PROV", f"<{subject}>", what)
        return Extension(DESCRIPTION, None, (subject,), attributes=own, format="rdf")

    # --- values ---

    def _attributes(self, properties: Properties, own: set[str] | frozenset[str]) -> list[Attribute]:
        found: list[Attribute] = []
        for name, values in properties.items():
            if name not in own:
                self._attribute(name, values, properties, found)
            elif name in MOMENTS:
                found += [(name, one) for one in self._times(values)[1]]
        return found

    def _attribute(self, name: str, values: Values, properties: Properties, found: list[Attribute]) -> None:
        called = ATTRIBUTES.get(name, name)
        if name in _SPECIAL:
            if name in MOMENTS:
                found += [(name, one) for one in self._times(values)[1]]
                return
            if name == MENTION_BUNDLE and PROV + MENTION.name in properties:
                return
            if name in RELATING:
                found += [(called, one) for one in values if isinstance(one, Literal)]
                return
        if len(values) == 1 and isinstance(values[0], Literal):
            found.append((called, values[0]))
        else:
            taken = self.taken if name in dictionaries.PROPERTIES else ()
            found += [(called, _literal(one)) for one in dict.fromkeys(values) if one not in taken]

    def _times(self, values: Values) -> tuple[list[str], list[Literal]]:
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
        if not isinstance(value, Literal):
            return None
        text, known = value.value, self._known_times
        if text not in known:
            known[text] = is_datetime(text)
        return text if known[text] else None


def _literal(node: Node) -> Literal:
    return node if isinstance(node, Literal) else Literal(node, PROV_QUALIFIED_NAME)


def _used_as(found: list[AnyStatement]) -> dict[str, int]:
    """What relations make of names."""
    used: dict[str, int] = {}
    for one in found:
        if isinstance(one, Statement):
            kinds = (one.term.subject_kind, *(argument.kind for argument in one.term.arguments))
            for name, kind in zip(one.arguments, kinds, strict=False):
                if name:
                    used[name] = used.get(name, 0) | kind
    return used
