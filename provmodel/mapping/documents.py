"""A submitted PROV document -> records: what it says is declared, by whoever submitted it, unless it says how
well it is known and the credential may say so.

- The document is a bundle, and so is each bundle in it, under its own name; Clew itself observed which bundle
  declares a node (``clew:inBundle``), which digest came, and who submitted it.
- IRIs under the tenant's base are its own references; others stand in angle brackets. A blank name is local
  to its part of the document.
- A relation is the recorded one with the same ends and role, unless the document gives it a name.
- What Clew's own terms say (:mod:`provmodel.mapping.exported`) becomes the assertions that it was, with the
  event of the first store as their origin.
- Contradictions stay: they are for validation. What has no place in the graph (extensions, a relation without
  a subject) is counted; the document itself keeps it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from provmodel import names
from provmodel.document import (
    DERIVATION_SUBTYPES,
    PROV_ROLE,
    PROV_TYPE,
    Bundle,
    Document,
    Element,
    Extension,
    Literal,
    Statement,
    named,
)
from provmodel.document import Attribute as Said
from provmodel.documents.scope import BLANK
from provmodel.errors import Refused
from provmodel.evidence import Evidence, Principal, Stance
from provmodel.lexical import CLEW
from provmodel.mapping.exported import Claim, Description, Told, is_made
from provmodel.mapping.saying import attribute_name, attributes_text, encoded, plain, value_of
from provmodel.records import Assertion, Attribute, Records, Relation
from provmodel.relations import ATTRIBUTION, BY_NAME, DERIVATION, INFLUENCE, Flow, Kind, Term
from provmodel.submission import DocumentSubmitted

ORIGIN = "@origin"
"""Among an assertion's attributes: source and id of the event that stated it in the store it came from."""
IN_BUNDLE = "clew:inBundle"
MOST_SAID = 2**15 - 1  # statements about one node in one document: what a small integer numbers
_OBSERVED, _SUPPORTS, _REFUTES = Evidence.OBSERVED, Stance.SUPPORTS, Stance.REFUTES
_EVIDENCE = {evidence.word: evidence for evidence in Evidence}
_UNKNOWN = CLEW + "UnknownKind"  # what an export calls a node of no kind
_FLOWS = {flow.word: flow for flow in Flow}
# What a relation says by its place in the graph, or of its assertions.
_PLACED = frozenset(
    CLEW + word
    for word in (
        "evidence", "refutingEvidence", "refuted", "flow", "role", "time", "method", "asserter", "source",
        "event", "id",
    )
)  # fmt: skip


class Reading(msgspec.Struct, frozen=True):
    """What was made of a document.

    ``evidence`` counts the assertions of relations by their evidence; ``capped`` those that were lowered, as
    "verified to declared". ``not_interpreted`` counts by name the statements that are carried and not
    walked, ``notes`` what was noticed.
    """

    entities: int = 0
    activities: int = 0
    agents: int = 0
    relations: int = 0
    evidence: dict[str, int] = {}
    capped: dict[str, int] = {}
    not_interpreted: dict[str, int] = {}
    notes: dict[str, int] = {}


class Projected(NamedTuple):
    """The records of a document, what was made of it, and the sources in whose name its assertions speak."""

    records: Records
    reading: Reading
    sources: frozenset[str]


def project_document(event: DocumentSubmitted, document: Document, principal: Principal) -> Projected:
    """What a submitted document becomes; raises :class:`Refused` when it claims more than its credential may,
    and names how to submit it all the same.
    """
    sheet = _Sheet(event, document, principal)
    for number, part in enumerate(document.parts):
        _Part(sheet, number, part).write()
    return Projected(sheet.records(), sheet.reading(), frozenset(sheet.sources - {""}))


class _Bound:
    """What claims amount to: lowered by the cap, within what the credential may claim."""

    def __init__(self, event: DocumentSubmitted, principal: Principal) -> None:
        asked = Evidence[event.evidence.upper()] if event.evidence else Evidence.VERIFIED
        self._cap = min(asked, principal.cap)
        self._principal = principal
        usual = min(Evidence.DECLARED, self._cap)
        self.default = usual if principal.may_claim(usual) else Evidence.INFERRED
        self.capped: Counter[tuple[Evidence, Evidence]] = Counter()

    def __call__(self, wanted: Evidence, where: str) -> Evidence:
        kept = min(wanted, self._cap)
        if not self._principal.may_claim(kept):
            best = max(one for one in Evidence if one <= kept and self._principal.may_claim(one))
            raise Refused(
                where,
                f"the document claims {wanted.word!r}, and the credential {self._principal.name!r} may not",
                f"submit it with evidence_cap={best.word}, or with a credential that may",
            )
        if kept != wanted:
            self.capped[wanted, kept] += 1
        return kept


class _Sheet:
    """Collects what all parts become."""

    def __init__(self, event: DocumentSubmitted, document: Document, principal: Principal) -> None:
        self.event = event
        self.bound = _Bound(event, principal)
        self.asserter = names.agent(event.asserter) if event.asserter else names.source_agent(event.source)
        self.refs = _Refs(event.base)
        self.nodes: dict[str, int] = {}
        self.assertions: list[Assertion] = []
        self.attributes: list[Attribute] = []
        self.counts = {Kind.ENTITY: set[str](), Kind.ACTIVITY: set[str](), Kind.AGENT: set[str]()}
        self.relations = 0
        self.carried: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()
        self.sources: set[str] = set()
        self.origins = _origins(document.main)
        self._submitted(principal)

    def _submitted(self, principal: Principal) -> None:
        """The document as a bundle: which bytes came, in which form, and from whom."""
        event = self.event
        self.node(self.asserter, Kind.AGENT)
        self.bundle(event.ref)
        for name, value, datatype in (
            ("clew:digest", event.sha256, "string"),
            ("clew:format", event.format, "string"),
            ("clew:reported", event.time, "dateTime"),
            ("clew:submitter", principal.name, "string"),
            ("clew:source", event.source, "string"),
            ("clew:event", event.id, "string"),
        ):
            self.observed(event.ref, name, value, datatype)
        self.relate(ATTRIBUTION, event.ref, self.asserter)

    def bundle(self, ref: str) -> None:
        """A bundle of this document: itself, or one that it holds."""
        self.node(ref, Kind.ENTITY)
        self.node(names.CLEW, Kind.AGENT)
        self.observed(ref, "prov:type", "prov:Bundle", "qname")
        self.observed(ref, "clew:asserter", self.asserter, "iri")
        if ref != self.event.ref:
            self.observed(ref, IN_BUNDLE, self.event.ref, "iri")
            self.relate(INFLUENCE, ref, self.event.ref, "bundle", Flow.STRUCTURE)

    def node(self, ref: str, kind: int) -> None:
        self.nodes[ref] = self.nodes.get(ref, 0) | kind

    def observed(self, node: str, name: str, value: str, datatype: str) -> None:
        """Clew's own statement about a node."""
        self.attributes.append(Attribute(node, name, value, datatype, _OBSERVED, names.CLEW))

    def relate(
        self, term: Term, subject: str, argument: str, role: str = "", flow: Flow | None = None
    ) -> None:
        """Clew's own statement of a relation."""
        relation = Relation(term, subject, (argument,), role, flow)
        self.assertions.append(Assertion(relation, _OBSERVED, names.CLEW))

    def records(self) -> Records:
        attributes = list(dict.fromkeys(self.attributes))
        most = Counter(one.node for one in attributes).most_common(1)
        if most and most[0][1] > MOST_SAID:
            raise Refused(
                most[0][0],
                f"the document says {most[0][1]} things of it, and no more than {MOST_SAID} can be kept",
                "take the statement apart: give what is listed entities of its own",
            )
        return Records(self.event.ref, self.nodes, self.assertions, attributes, [])

    def reading(self) -> Reading:
        entities, activities, agents = (len(found) for found in self.counts.values())
        evidence = Counter(one.evidence.word for one in self.assertions if one.asserter != names.CLEW)
        capped = {
            f"{one.word} to {kept.word}": count for (one, kept), count in sorted(self.bound.capped.items())
        }
        return Reading(
            entities,
            activities,
            agents,
            self.relations,
            dict(evidence),
            capped,
            dict(sorted(self.carried.items())),
            dict(sorted(self.notes.items())),
        )


class _Refs(dict[str, str]):
    """IRIs to references; blank names are put in front of by each part."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self._base = base

    def __missing__(self, iri: str) -> str:
        own = iri[len(self._base) :] if iri.startswith(self._base) else ""
        self[iri] = ref = own if own and _is_reference(own) else f"<{iri}>"
        return ref


def _is_reference(text: str) -> bool:
    """True for what is kept as it stands, and is no plain digest of private content."""
    if len(text) > names.MAX_REF or text[0] == "<" or names.encoded(text) != text:
        return False
    name = names.split(text)
    return name.pin != "sha256" or name.scheme in names.PUBLIC_SCHEMES


def _origins(main: Bundle) -> dict[str, tuple[str, str, str]]:
    """For bundles that were submitted to the store which wrote this document: who asserts what they say, and
    the source and id of the event that submitted them (as IRIs and texts).
    """
    told: dict[str, dict[str, str]] = {}
    words = {CLEW + word: word for word in ("asserter", "source", "event", "inBundle", "digest")}
    for one in main.statements:
        if isinstance(one, Element):
            for name, value in one.attributes:
                if name in words:
                    told.setdefault(one.id, {})[words[name]] = value.value
    found = {}
    for bundle, said in told.items():
        whole = said if "digest" in said else told.get(said.get("inBundle", ""), {})
        if "digest" in whole and "asserter" in said and "source" in whole and "event" in whole:
            found[bundle] = said["asserter"], whole["source"], whole["event"]
    return found


class _Part:
    """One part of a document, on its way to the sheet."""

    def __init__(self, sheet: _Sheet, number: int, part: Bundle) -> None:
        self.sheet = sheet
        self.statements = part.statements
        self.told = Told(part)
        self.refs = sheet.refs
        self._blank = f"blank:{sheet.event.sha256[:16]}/{number}/"
        self.bundle = self.ref(part.id) if part.id else sheet.event.ref
        origin = sheet.origins.get(part.id or "")
        self.asserter = self.ref(origin[0]) if origin else sheet.asserter
        self._more: dict[str, Any] = {}
        if origin and origin[1:] != (sheet.event.source, sheet.event.id):
            self._more[ORIGIN] = list(origin[1:])
            sheet.sources.add(origin[1])
        if part.id:
            sheet.bundle(self.bundle)
        if part.id and not self._submitted_by_itself(part.id):
            self._more[IN_BUNDLE] = {"@id": self.bundle}
        self._plain = encoded(self._more)
        self._datatypes: dict[tuple[str, str, str], dict[str, None]] = {}

    def _submitted_by_itself(self, name: str) -> bool:
        """True for a bundle that is a document of the store which wrote this one."""
        return name in self.sheet.origins and self.bundle.startswith("document:")

    def ref(self, iri: str) -> str:
        """The reference of a node, or of anything else that has a name."""
        return self._blank + names.encoded(iri[len(BLANK) :]) if iri.startswith(BLANK) else self.refs[iri]

    def write(self) -> None:
        taken = self.told.taken
        for one in self.statements:
            if isinstance(one, Statement):
                if one.arguments[0] not in taken:
                    self.statement(one)
            elif isinstance(one, Element):
                if one.id not in taken:
                    self.element(one)
            else:
                self.extension(one)
        for relation in self.told.relations:
            self.statement(relation)
        for node, descriptions in self.told.said.items():
            for description in descriptions:
                self.description(node, description)

    def extension(self, one: Extension) -> None:
        self.sheet.carried[one.name] += 1

    # Elements

    def element(self, one: Element) -> None:
        """A node that is declared, and what is said of it."""
        sheet, ref = self.sheet, self.ref(one.id)
        is_unknown = any(name == PROV_TYPE and value.value == _UNKNOWN for name, value in one.attributes)
        sheet.node(ref, Kind.UNKNOWN if is_unknown else one.kind)
        sheet.counts[one.kind].add(ref)
        given = [(attribute_name(iri), *value_of(value, self.ref)) for iri, value in one.attributes]
        for name, time in (("prov:startTime", one.start), ("prov:endTime", one.end)):
            if time and named(time):
                given.append((name, time, "dateTime"))
        if one.id not in self.told.placeholders:
            sheet.observed(ref, IN_BUNDLE, self.bundle, "iri")
        described = _stated(self.told.said.get(one.id, ()))
        evidence, asserter = sheet.bound.default, self.asserter
        for name, value, datatype in given:
            if (name, value) in described:
                self._datatypes.setdefault((one.id, name, value), {})[datatype] = None
            elif name != "clew:placeholder" and value != "clew:UnknownKind":
                sheet.attributes.append(Attribute(ref, name, value, datatype, evidence, asserter))

    def description(self, node: str, one: Description) -> None:
        """What an asserter said of a node, as the store has it that wrote the document."""
        sheet, ref, asserter = self.sheet, self.ref(node), self.ref(one.asserter)
        evidence = sheet.bound(one.evidence, one.asserter)
        sheet.node(ref, 0)
        sheet.node(asserter, Kind.AGENT)
        for name, value in _pairs(one.stated):
            for datatype in self._datatypes.get((node, name, value), ("string",)):
                sheet.attributes.append(
                    Attribute(ref, name, plain(value), datatype, evidence, asserter, one.stance)
                )

    # Relations

    def statement(self, one: Statement) -> None:
        """A relation, and each assertion that it holds or does not."""
        sheet, subject = self.sheet, one.subject
        if subject is None:
            sheet.carried[f"{one.term.name} without {one.term.subject}"] += 1
            return
        sheet.relations += 1
        arguments = tuple([self.ref(end) if end else None for end in one.nodes])
        claims = self.told.claims.get(one.id or "")
        if not one.attributes and not claims and (not one.id or one.id.startswith(BLANK)):
            relation = Relation(one.term, self.ref(subject), arguments)
            time = one.time if one.time and named(one.time) else ""
            self.state(
                Assertion(relation, sheet.bound.default, self.asserter, _SUPPORTS, "", time, self._plain)
            )
        else:
            self._said(one, self.ref(subject), arguments, claims or [])

    def state(self, assertion: Assertion) -> None:
        """An assertion, with the nodes that it names."""
        for ref, kind in assertion.relation.nodes():
            self.sheet.node(ref, kind)
        self.sheet.node(assertion.asserter, Kind.AGENT)
        self.sheet.assertions.append(assertion)

    def _said(
        self, one: Statement, subject: str, arguments: tuple[str | None, ...], claims: list[Claim]
    ) -> None:
        """A relation that has a name, or of which something is said."""
        words = {name: value for name, value in reversed(one.attributes) if name in _PLACED}
        term, arguments, given = _term(one, arguments)
        role, given = _role(words, given)
        kept = [pair for pair in given if pair[0] not in _PLACED]
        more = dict(self._more)
        ident = self._ident(one, words)
        if ident:
            more["clew:id"] = {"@id": ident}
        for word, link in zip(term.references, one.references, strict=False):
            if link and not link.startswith(BLANK):
                more[f"clew:{word}"] = {"@id": self.ref(link)}
        flow = _FLOWS.get(words[CLEW + "flow"].value) if CLEW + "flow" in words else None
        relation = Relation(term, subject, arguments, role, flow, id=ident)
        where = one.id or f"{term.name}({one.subject})"
        if claims:
            for claim in claims:
                self.state(self._claimed(relation, claim, where))
            return
        time = one.time if one.time and named(one.time) else ""
        time = time or (words[CLEW + "time"].value if CLEW + "time" in words else "")
        text = attributes_text(kept, self.ref, more)
        for stance, evidence in self._evidence(words, where):
            method = words[CLEW + "method"].value if CLEW + "method" in words else ""
            who = self._asserter(words.get(CLEW + "asserter"))
            self.state(Assertion(relation, evidence, who, stance, plain(method), time, text))

    def _ident(self, one: Statement, words: dict[str, Literal]) -> str:
        """The name that a document gave the relation: this one, or the one that an export tells of."""
        given = words.get(CLEW + "id")
        if given and given.is_name:
            return self.ref(given.value)
        if not one.id or one.id.startswith(BLANK) or is_made(one.id):
            return ""
        return self.ref(one.id)

    def _evidence(self, words: dict[str, Literal], where: str) -> list[tuple[Stance, Evidence]]:
        """How well a relation is known that no entity asserts: by its own attributes, or declared."""
        found: list[tuple[Stance, Evidence]] = []
        for name, stance in (("evidence", _SUPPORTS), ("refutingEvidence", _REFUTES)):
            literal = words.get(CLEW + name)
            if literal is None:
                continue
            evidence = _EVIDENCE.get(literal.value)
            if evidence is None:
                self.sheet.notes[f"clew:{name} is no kind of evidence; taken for what is usual"] += 1
            else:
                found.append((stance, self.sheet.bound(evidence, where)))
        return found or [(_SUPPORTS, self.sheet.bound.default)]

    def _asserter(self, told: Literal | None) -> str:
        if told is None:
            return self.asserter
        return self.ref(told.value) if told.is_name else names.agent(names.encoded(plain(told.value)))

    def _claimed(self, relation: Relation, claim: Claim, where: str) -> Assertion:
        """An assertion that an entity tells of."""
        words = {name: value.value for name, value in claim.attributes if name in _PLACED}
        kept = [pair for pair in claim.attributes if pair[0] not in _PLACED or pair[0] == CLEW + "id"]
        more: dict[str, Any] = {}
        source, event = words.get(CLEW + "source", ""), words.get(CLEW + "event", "")
        if (source, event) != (self.sheet.event.source, self.sheet.event.id):
            more[ORIGIN] = [source, event]
            self.sheet.sources.add(source)
        return Assertion(
            relation,
            self.sheet.bound(claim.evidence, where),
            self.ref(claim.asserter),
            claim.stance,
            plain(words.get(CLEW + "method", "")),
            words.get(CLEW + "time", ""),
            attributes_text(kept, self.ref, more),
        )


def _pairs(stated: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """Each name and value of a description."""
    return (
        (name, str(value))
        for name, values in stated.items()
        for value in (values if isinstance(values, list) else [values])
    )


def _stated(descriptions: Iterable[Description]) -> set[tuple[str, str]]:
    return {pair for one in descriptions for pair in _pairs(one.stated)}


def _term(
    one: Statement, arguments: tuple[str | None, ...]
) -> tuple[Term, tuple[str | None, ...], tuple[Said, ...]]:
    """The relation's term: a derivation that is of one subtype, and nothing more, is that subtype."""
    kinds = [
        value.value
        for name, value in one.attributes
        if name == PROV_TYPE and value.is_name and value.value in DERIVATION_SUBTYPES
    ]
    if one.term is not DERIVATION or len(kinds) != 1 or any(arguments[1:]) or any(one.references):
        return one.term, arguments, one.attributes
    given = tuple(pair for pair in one.attributes if not (pair[0] == PROV_TYPE and pair[1].value == kinds[0]))
    return BY_NAME[DERIVATION_SUBTYPES[kinds[0]]], arguments[:1], given


def _role(words: dict[str, Literal], given: tuple[Said, ...]) -> tuple[str, tuple[Said, ...]]:
    """The role that is part of the relation: one text. Others stay attributes."""
    own = words.get(CLEW + "role")
    if own:
        return plain(own.value), given
    roles = [value for name, value in given if name == PROV_ROLE]
    if len(roles) == 1 and not (roles[0].datatype or roles[0].language):
        return plain(roles[0].value), tuple(pair for pair in given if pair[0] != PROV_ROLE)
    return "", given
