"""What an export is made of: nodes and relations as the store and an answer can both give them, and what a
format must say about each, whatever its syntax.

A :class:`Feed` gives them in canonical order (code points) as often as it is asked, so that a writer streams
section by section in constant memory. Nothing in it depends on arrival, so equal sets of events give equal
bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Literal, Protocol

import msgspec
from msgspec.structs import replace

from provmodel.document import Bundle
from provmodel.evidence import Evidence, Stance, Weight, weigh
from provmodel.lexical import is_datetime, typed
from provmodel.relations import (
    ASSOCIATION,
    END,
    GENERATION,
    INVALIDATION,
    START,
    SUBKINDS,
    TERMS,
    USAGE,
    Flow,
    Kind,
    Term,
)

Detail = Literal["none", "best", "all"]
DETAILS: tuple[Detail, ...] = ("none", "best", "all")
"""How many assertions an export names as entities: none, the best for and against each relation, or all, and
then also who stated each attribute."""

EVIDENCE_WORDS = ("", *(evidence.word for evidence in sorted(Evidence)))
STANCE_WORDS = tuple(stance.word for stance in sorted(Stance))
FLOW_WORDS = tuple(flow.word for flow in sorted(Flow))


ExportAttribute = tuple[str, str, str, int, int, str, str, str]
"""One statement about a node: name, value, datatype, evidence, stance (both the integers of
:mod:`provmodel.evidence`), asserter ("" where it isn't told), and the source and id of the event that states
it."""

ExportAssertion = tuple[int, int, str, str, str, str, str, str]
"""One statement that a relation holds, or does not: evidence, stance, asserter, method, the source and id of
the event that states it ("" for a joined one), time (RFC 3339 or ""), and attributes (canonical JSON text of
qualified names to values, or "")."""


class ExportNode(msgspec.Struct, frozen=True, gc=False):
    """A node, the sum of its PROV kinds, and all that is said of it, in any order. A ``placeholder`` was
    named, but no event describes it.
    """

    ref: str
    kind: int
    attributes: Sequence[ExportAttribute] = ()
    placeholder: bool = False


class ExportRelation(msgspec.Struct, frozen=True, gc=False):
    """A relation with all its arguments (in the order of its term's; an absent one is None), and its
    assertions (at least one) in any order. ``flow`` is that of the first argument, ``key`` its 63-bit
    identity.
    """

    term: Term
    subject: str
    arguments: tuple[str | None, ...]
    role: str
    flow: int
    key: int
    assertions: Sequence[ExportAssertion]


class Feed(Protocol):
    """Gives what is exported, as often as it is asked and always the same."""

    @property
    def base(self) -> str:
        """The IRI prefix of the tenant's nodes (:func:`provmodel.names.base_iri`)."""
        ...

    def refs(self) -> Iterable[str]:
        """Every reference that a node, a relation or a statement (its asserter) names, in any order."""
        ...

    def nodes(self, kind: Kind | None = None) -> Iterable[ExportNode]:
        """The nodes with ``kind`` among their kinds (UNKNOWN: with none), or all nodes; ordered by ref."""
        ...

    def relations(self, term: Term) -> Iterable[ExportRelation]:
        """The relations of one term, ordered by subject, arguments (an absent one first) and role."""
        ...

    def namespaces(self) -> Iterable[str]:
        """Those of IRIs that attributes and datatypes have for names, or name as values: as
        :func:`provmodel.lexical.split_iri` cuts them.
        """
        ...

    def bundles(self) -> Iterable[Bundle]:
        """What documents say, word for word, each under the IRI of its bundle: for formats that have bundles.
        The nodes and relations say it too, with how well it is known.
        """
        ...


Property = tuple[str, str, str]
"""A qualified name, a value in a lexical form, and its datatype."""

Head = tuple[int, str, int, int, int]
"""What relations of one shape say: the term's index, role, flow, best supporting and refuting evidence."""

More = tuple[tuple[str, str], ...]
"""Times and attributes (JSON text) that a relation's supporters give; of a refuted one, those of all."""

Summary = tuple[ExportRelation, Sequence[ExportAssertion], bool, Head, More]
"""A relation, its distinct assertions (the best first), whether they refute it, and what it says."""


def summed_up(relations: Iterable[ExportRelation]) -> Iterator[Summary]:
    """Order each relation's assertions, and weigh them."""
    for relation in relations:
        said = relation.assertions
        evidence, stance, _, _, _, _, time, attributes = said[0]
        if stance and len(said) == 1:
            head = relation.term.index, relation.role, relation.flow, evidence, 0
            yield relation, said, False, head, ((time, attributes),) if time or attributes else ()
        else:
            yield _sum_up(relation)


def _sum_up(relation: ExportRelation) -> Summary:
    said = sorted(set(relation.assertions), reverse=True)
    weight = weigh((evidence, stance) for evidence, stance, *_ in said)
    head = relation.term.index, relation.role, relation.flow, weight.supporting, weight.refuting
    heard = {(one[6], one[7]) for one in said if one[1] or weight.refuted}
    return relation, said, weight.refuted, head, tuple(sorted(heard - {("", "")}))


def chosen(assertions: Sequence[ExportAssertion], detail: Detail) -> Sequence[ExportAssertion]:
    """The assertions, of those in order, that are exported as entities; not one that tells of no evidence."""
    if len(assertions) == 1 or detail != "best":
        return () if detail == "none" or not assertions[0][0] else assertions
    best: dict[int, ExportAssertion] = {}
    for assertion in assertions:
        best.setdefault(assertion[1], assertion)
    return tuple(best.values())


def assertion_digest(assertion: ExportAssertion) -> str:
    """What tells a relation's assertions apart: 64 bits (hex) of BLAKE2b of the fields as a JSON array."""
    return blake2b(msgspec.json.encode(assertion), digest_size=8).hexdigest()


def statement_properties(evidence: int, stance: int, method: str, source: str) -> list[Property]:
    """What many statements of one source share."""
    found = [
        ("clew:evidence", EVIDENCE_WORDS[evidence], "string"),
        ("clew:stance", STANCE_WORDS[stance], "string"),
    ]
    if method:
        found.append(("clew:method", method, "string"))
    if source:
        found.append(("clew:source", source, "string"))
    return found


EXTENSION_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "specializationOf": ("provext:generalEntity",),
    "alternateOf": ("provext:alternate",),
    "hadMember": ("provext:member",),
    "mentionOf": ("clew:argument", "clew:bundle"),
}
"""The properties that hold the arguments of the four terms without attributes, where they are qualified."""


# PROV-DM 5.7.2.3: prov:role is the function of an entity or agent in these.
TERMS_WITH_ROLE = frozenset({USAGE, GENERATION, INVALIDATION, ASSOCIATION, START, END})


def is_refuted(head: Head) -> bool:
    return Weight(head[3], head[4]).refuted


def head_properties(head: Head) -> list[Property]:
    """What a relation says beside its arguments, its times and its attributes, ordered by name."""
    index, role, flow, supporting, refuting = head
    found = [("clew:evidence", EVIDENCE_WORDS[supporting], "string")] if supporting else []
    found.append(("clew:flow", FLOW_WORDS[flow], "string"))
    if is_refuted(head):
        found.append(("clew:refuted", "true", "boolean"))
    if refuting:
        found.append(("clew:refutingEvidence", EVIDENCE_WORDS[refuting], "string"))
    if role:
        has_role = TERMS[index] in TERMS_WITH_ROLE and not is_refuted(head)
        found.append(("prov:role" if has_role else "clew:role", role, "string"))
    return found


def instant(head: Head, more: More) -> str:
    """The time of a relation that stands, carries one, and of which exactly one is given; else ""."""
    if not TERMS[head[0]].timed or is_refuted(head):
        return ""
    times = {time for time, _ in more if time}
    time = times.pop() if len(times) == 1 else ""
    return time if is_datetime(time) else ""


def more_properties(more: More, but: str = "") -> list[Property]:
    """The times that are given, ``but`` one, and the attributes."""
    if len(more) == 1 and not more[0][0]:
        return attributes_of(more[0][1])
    found: dict[Property, None] = {}
    for time, attributes in more:
        if time and time != but:
            found["clew:time", *typed(time, "dateTime")] = None
        found.update((one, None) for one in attributes_of(attributes))
    return sorted(found, key=lambda one: one[0])


OWN = frozenset(
    {
        "clew:argument",
        "clew:describes",
        "clew:event",
        "clew:evidence",
        "clew:flow",
        "clew:method",
        "clew:refuted",
        "clew:refutingEvidence",
        "clew:relation",
        "clew:role",
        "clew:source",
        "clew:stance",
        "clew:stated",
        "clew:subject",
        "clew:term",
        "clew:time",
        "prov:endTime",
        "prov:role",
        "prov:startTime",
    }
)
"""The names under which Clew itself says something of relations and assertions, and what these can't have."""


def attributes_of(text: str) -> list[Property]:
    """The properties in an assertion's JSON text; a list is several values, an object one value of JSON."""
    found: list[Property] = []
    for name, value in msgspec.json.decode(text).items() if text else ():
        free = f"attr:{name}" if name in OWN else _TEXTS.get(name, name)
        for one in value if type(value) is list else (value,):
            kind = type(one)
            if kind is str:
                found.append((free, one, "string"))
            elif kind is int:
                found.append((free, str(one), "integer"))
            else:
                found.append((free, *_seldom(one)))
    return found


def _seldom(value: object) -> tuple[str, str]:
    match value:
        case bool():
            return ("true" if value else "false"), "boolean"
        case {"@id": str(ref)}:
            return ref, "iri"
        case {"@value": str(text), "@language": str(tag)}:
            return text, f"@{tag}"
        case {"@value": str(text), "@type": str(datatype)}:
            return text, f"<{datatype}>"
        case float():
            return typed(repr(value), "double")
        case _:
            return msgspec.json.encode(value, order="deterministic").decode(), "json"


_TIMES = {"prov:startTime": "clew:startTime", "prov:endTime": "clew:endTime"}
_TEXTS = {"prov:type": "clew:type", "prov:location": "clew:location"}
# Attributes that are no names, and the terms of Clew's for those that PROV has no place for.
_ELSEWHERE = {**_TIMES, **_TEXTS, "prov:role": "attr:prov:role"}


_NAMES = frozenset({"qname", "iri"})


def node_properties(node: ExportNode) -> list[Property]:
    """What stands of a node's attributes, ordered by name and value: each value once, and no refuted one.

    ``prov:startTime`` and ``prov:endTime`` are given for an activity of which exactly one is known; where
    several stand, or one that is no time, they are values of ``clew:startTime`` and ``clew:endTime``. A type
    or a location that is text, which PROV-O has no place for, is a ``clew:type`` or ``clew:location``.
    """
    found: dict[Property, None] = {}
    moved: dict[Property, None] = {}
    for name, value, datatype, _, stance, _, _, _ in sorted(node.attributes):
        if not stance:
            return node_properties(replace(node, attributes=_unrefuted(node.attributes)))
        one = (name, value, datatype) if datatype == "string" else (name, *typed(value, datatype))
        if name in _ELSEWHERE and one[2] not in _NAMES:
            moved[one] = None
        else:
            found[one] = None
    if node.placeholder:
        found["clew:placeholder", "true", "boolean"] = None
    if moved or node.placeholder:
        return sorted({*found, *_settled(moved, node.kind)})
    return list(found)


def _unrefuted(attributes: Iterable[ExportAttribute]) -> list[ExportAttribute]:
    """For each value that stands, one statement that supports it."""
    said: dict[Property, list[ExportAttribute]] = {}
    for one in sorted(attributes, reverse=True):
        said.setdefault(one[:3], []).append(one)
    return [
        next(one for one in same if one[4])
        for same in said.values()
        if (weight := weigh((one[3], one[4]) for one in same)).supporting and not weight.refuted
    ]


def _settled(moved: Collection[Property], kind: int) -> Iterator[Property]:
    """Let an activity have one start and one end, and nothing else what PROV has no place for."""
    names = [name for name, _, _ in moved]
    for name, value, datatype in moved:
        is_time = name in _TIMES and datatype == "dateTime"
        if is_time and kind & Kind.ACTIVITY and names.count(name) == 1:
            yield name, value, datatype
        else:
            yield _ELSEWHERE[name], value, datatype


def properties_of(kind: Kind, kinds: int, properties: Iterable[Property]) -> list[Property]:
    """Those properties of a node of several kinds that stand with one of them: with the first, but a type
    that makes it another (``prov:Person``, ``prov:Plan``).
    """
    first = next(one for one in Kind if one & kinds)
    return [one for one in properties if _kind_of(one, kinds, first) is kind]


def _kind_of(one: Property, kinds: int, first: Kind) -> Kind:
    own = SUBKINDS.get(one[1]) if one[0] == "prov:type" else None
    return own if own and own & kinds else first


Description = tuple[int, int, str, str, str, str, str]
"""Attributes of one node that one asserter states in one event: evidence, stance, asserter, source, event,
what is stated (a JSON object of names to lexical forms), and a digest that tells descriptions apart."""


def descriptions(node: ExportNode) -> list[Description]:
    """Who says what of a node, and how well it is known: its attributes grouped by who states them."""
    groups: dict[tuple[int, int, str, str, str], dict[str, str | list[str]]] = {}
    for name, value, _, evidence, stance, asserter, source, event in sorted(node.attributes):
        if not asserter:
            continue
        said = groups.setdefault((evidence, stance, asserter, source, event), {})
        before = said.setdefault(name, value)
        if before != value:
            values = [before] if isinstance(before, str) else before
            said[name] = values if value in values else [*values, value]
    return [_description(node.ref, key, groups[key]) for key in sorted(groups, reverse=True)]


def _description(
    ref: str, key: tuple[int, int, str, str, str], said: dict[str, str | list[str]]
) -> Description:
    stated = msgspec.json.encode(said)
    digest = blake2b(msgspec.json.encode((ref, key)) + stated, digest_size=16).hexdigest()
    return *key, stated.decode(), digest
