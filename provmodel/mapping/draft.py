"""The sheet on which one event is written out as records, with the evidence that its deliverer may claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from provmodel import names
from provmodel.computed import Computed
from provmodel.errors import Refused
from provmodel.events import Envelope, Part, Ref
from provmodel.evidence import Evidence, Principal, Stance
from provmodel.joining import Holder, Moment, encode
from provmodel.records import Assertion, Attribute, Datatype, Fact, Records, Relation
from provmodel.relations import (
    ASSOCIATION,
    GENERATION,
    INFLUENCE,
    SPECIALIZATION,
    USAGE,
    Flow,
    Kind,
    Term,
)
from provmodel.times import nanoseconds

ENTITY, ACTIVITY, AGENT = Kind.ENTITY, Kind.ACTIVITY, Kind.AGENT
_BOTH = ENTITY | ACTIVITY
_sorted = msgspec.json.Encoder(order="sorted")
CONTENT_TYPES = {"message": "clew:Message", "result": "clew:Result", "document": "clew:Document"}


class Draft:
    """Collects nodes, assertions, attributes and facts of one event.

    ``observed``, ``declared`` and so on are what such a claim amounts to after ``evidence`` lowered it;
    reading one that the principal may not make raises :class:`Refused` with the remedy.
    """

    def __init__(self, event: Envelope, computed: Sequence[Computed], principal: Principal) -> None:
        self.event = event
        self.computed = {item.where: item for item in computed}
        self.principal = principal
        self.asserter = names.agent(event.asserter) if event.asserter else names.source_agent(event.source)
        self.lowered = Evidence[event.evidence.upper()] if event.evidence else Evidence.VERIFIED
        self.nodes: dict[str, int] = {}
        self.fields: dict[str, str] = {}
        self.assertions: list[Assertion] = []
        self.attributes: list[Attribute] = []
        self.facts: list[Fact] = []
        self.claims: dict[Evidence, Evidence] = {}
        self.node(self.asserter, AGENT, "source")

    # What may be claimed

    def claim(self, natural: Evidence) -> Evidence:
        """The evidence under which a ``natural`` claim of this event is recorded."""
        found = self.claims.get(natural)
        if found is None:
            found = self.claims[natural] = self._bounded(natural)
        return found

    def _bounded(self, natural: Evidence) -> Evidence:
        wanted = min(natural, self.lowered)
        if not self.principal.may_claim(wanted):
            most = self.best(natural)
            raise Refused(
                "evidence",
                f"the credential {self.principal.name!r} may not claim {wanted.word!r}",
                f'send "evidence": "{most.word}" with this event, or use a credential that may',
            )
        return min(wanted, self.principal.cap)

    def best(self, most: Evidence) -> Evidence:
        """The highest evidence up to ``most`` that this event's deliverer may claim."""
        may = [e for e in Evidence if e <= most and e <= self.lowered and self.principal.may_claim(e)]
        return min(max(may, default=Evidence.INFERRED), self.principal.cap)

    # Nodes and their attributes

    def node(self, ref: str, kind: Kind, field: str) -> str:
        """Note that ``ref`` stands as ``kind`` in ``field``; one id as entity and activity in one event is
        refused.
        """
        mask = self.nodes.get(ref, 0)
        if not mask & kind:
            if (mask | kind) & _BOTH == _BOTH:
                raise Refused(
                    field,
                    f"{ref!r} stands as an entity and as an activity ({self.fields[ref]}) in one event",
                    "give the two things two ids",
                )
            self.nodes[ref] = mask | kind
            if not mask:
                self.fields[ref] = field
        return ref

    def attribute(
        self,
        node: str,
        name: str,
        value: str | None,
        datatype: Datatype = "string",
        evidence: Evidence = Evidence.OBSERVED,
        asserter: str = "",
    ) -> None:
        """State an attribute, unless its value is absent."""
        if value is not None:
            claimed = self.claims.get(evidence) or self.claim(evidence)
            self.attributes.append(Attribute(node, name, value, datatype, claimed, asserter or self.asserter))

    def describe(
        self, node: str, type_name: str, started: str | None = None, ended: str | None = None
    ) -> None:
        """What every event says of its subject: type, times and when it was reported."""
        self.attribute(node, "prov:type", type_name, "qname")
        self.attribute(node, "prov:startTime", started, "dateTime")
        self.attribute(node, "prov:endTime", ended, "dateTime")
        self.attribute(node, "clew:reported", self.event.time, "dateTime")

    # Relations

    def relate(
        self,
        term: Term,
        subject: str,
        *arguments: str | None,
        evidence: Evidence,
        role: str = "",
        flow: Flow | None = None,
        asserter: str = "",
        time: str = "",
        attributes: str = "",
    ) -> Relation:
        """State a relation. ``evidence`` is the natural one of the claim."""
        relation = Relation(term, subject, arguments, role, flow)
        if term.subject_kind == ENTITY and subject in arguments:
            raise Refused(
                self.fields.get(subject, "ref"),
                f"{subject!r} stands as {term.name} itself",
                "name two things",
            )
        said = asserter or self.asserter
        self.assertions.append(
            Assertion(relation, self.claim(evidence), said, Stance.SUPPORTS, "", time, attributes)
        )
        return relation

    def used(
        self, activity: str, entity: str, field: str, role: str = "", flow: Flow = Flow.DATA, **more: Any
    ) -> None:
        self.node(entity, ENTITY, field)
        more.setdefault("evidence", Evidence.OBSERVED)
        self.relate(USAGE, activity, entity, role=role, flow=flow, **more)

    def generated(self, entity: str, activity: str, field: str, **more: Any) -> None:
        self.node(entity, ENTITY, field)
        more.setdefault("evidence", Evidence.OBSERVED)
        self.relate(GENERATION, entity, activity, **more)

    def associated(self, activity: str, agent: str, field: str, role: str = "", **more: Any) -> None:
        self.node(agent, AGENT, field)
        more.setdefault("evidence", Evidence.OBSERVED)
        plan = more.pop("plan", None)
        self.relate(ASSOCIATION, activity, agent, plan, role=role, **more)

    def part_of(self, activity: str, whole: str | None, field: str, role: str = "part-of") -> None:
        """Structure: an activity's run, or its parent span."""
        if whole and whole != activity:
            self.node(whole, ACTIVITY, field)
            self.relate(
                INFLUENCE, activity, whole, evidence=Evidence.OBSERVED, role=role, flow=Flow.STRUCTURE
            )

    def concerns(self, notice: str, what: str | None, role: str) -> None:
        """Record: a notice or a check points at what it is about, whatever kind that is."""
        if what and what != notice:
            self.nodes.setdefault(what, 0)
            self.relate(INFLUENCE, notice, what, evidence=Evidence.OBSERVED, role=role, flow=Flow.RECORD)

    def specializes(self, specific: str, general: str, field: str) -> None:
        if specific != general:
            self.node(general, ENTITY, field)
            self.relate(SPECIALIZATION, specific, general, evidence=Evidence.OBSERVED)

    # References with bodies

    def body_of(self, ref: Ref, where: str) -> Computed | None:
        """State what is known of a reference's content; what came with its content is described by that."""
        self.attribute(ref.ref, "clew:bodyState", ref.state)
        if ref.body or ref.state:
            self.attribute(
                ref.ref, "prov:type", CONTENT_TYPES.get(ref.ref.partition(":")[0], "clew:Content"), "qname"
            )
        return self.body_at(ref.ref, where)

    def body_at(self, node: str, where: str) -> Computed | None:
        computed = self.computed.get(where)
        if computed:
            self.attribute(node, "clew:body", computed.body)
            self.fact(f"body:{computed.body}", "offer", node, encode(Holder(node)))
            for kind in computed.redacted:
                clew = self.node(names.CLEW, AGENT, "")
                self.attribute(node, "clew:redacted", kind, asserter=clew)
                self.attribute(node, "clew:bodyState", "partial", asserter=clew)
            if computed.skipped:
                clew = self.node(names.CLEW, AGENT, "")
                self.attribute(node, "clew:skipped", computed.skipped, asserter=clew)
        return computed

    def fact(self, key: str, side: str, node: str, data: str = "") -> None:
        self.facts.append(Fact(key, side, node, data))  # type: ignore[arg-type]

    def moment(self, *times: str | None) -> Moment:
        """When, for ordering: the first time that is there, with the source's own numbering of this event."""
        event = self.event
        return Moment(when(*times, event.time), event.source, event.epoch or "", event.source_number or 0)

    def records(self, subject: str, lookup: str = "") -> Records:
        return Records(subject, self.nodes, self.assertions, self.attributes, self.facts, lookup)


def passage(
    part: Part | None, more: Iterable[tuple[str, str | None]] = (), position: int | None = None
) -> str:
    """Attributes of a relation as canonical JSON text: the passage, the position, and what else is given."""
    found: dict[str, Any] = {name: value for name, value in more if value is not None}
    if part:
        found["clew:part"] = f"{part.unit}:{part.start}-{'' if part.end is None else part.end}"
    if position is not None:
        found["clew:position"] = position
    return _sorted.encode(found).decode() if found else ""


def when(*times: str | None) -> int:
    """Nanoseconds of the first time that is there."""
    return nanoseconds(next(time for time in times if time))
