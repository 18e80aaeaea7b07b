"""The table of PROV relations: for each term its arguments, which way influence runs, and its flow class.

Every node-valued argument of a relation is a walkable row of its own; a row's *code* is the small integer
that names the flow class, the term and the argument, in this order, so that the rows of a flow class are one
range of codes and a walk asks for a range. Terms and arguments are those of PROV-DM (W3C Recommendation, 30
April 2013), section 5; their order here is part of the store's format: append only.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache

import msgspec


class Flow(IntEnum):
    """What crosses a relation (model, section 2)."""

    DATA = 0
    CONTROL = 1
    RESPONSIBILITY = 2
    STRUCTURE = 3
    RECORD = 4

    @property
    def word(self) -> str:
        return self.name.lower()


class Kind(IntEnum):
    """What a node is in PROV; a node that was used as several has the sum (and is reported as invalid)."""

    UNKNOWN = 0
    ENTITY = 1
    ACTIVITY = 2
    AGENT = 4

    @property
    def word(self) -> str:
        return self.name.lower()


SUBKINDS = {
    **dict.fromkeys(
        (
            "prov:Plan",
            "prov:Collection",
            "prov:EmptyCollection",
            "prov:Bundle",
            "prov:Dictionary",
            "prov:EmptyDictionary",
        ),
        Kind.ENTITY,
    ),
    **dict.fromkeys(("prov:Person", "prov:Organization", "prov:SoftwareAgent"), Kind.AGENT),
}
"""PROV's own types that say of what kind a node is."""


def kind_words(mask: int) -> tuple[str, ...]:
    """The PROV kinds in a node's mask, in the order entity, activity, agent."""
    return tuple(kind.word for kind in Kind if kind and mask & kind)


class Argument(msgspec.Struct, frozen=True):
    """One node-valued argument besides the subject. Influence runs from it to the subject, or both ways.

    ``name`` is the PROV-DM name, also the local part of the PROV-JSON key; ``optional`` ones may be absent.
    """

    name: str
    kind: Kind
    flow: Flow
    optional: bool = False
    both_ways: bool = False


class Term(msgspec.Struct, frozen=True):
    """One PROV relation.

    ``references`` are the arguments that name another relation (generation, usage), not a node. ``timed``
    ones carry an instant. ``attributes`` is False for the four that carry none. ``plain`` is the PROV-O
    property, ``qualified`` the PROV-O qualified property and class (for the four without one, those of Clew's
    published vocabulary).
    """

    index: int
    name: str
    subject: str
    subject_kind: Kind
    arguments: tuple[Argument, ...]
    qualified: tuple[str, str]
    timed: bool = False
    attributes: bool = True
    references: tuple[str, ...] = ()
    json_name: str = ""
    json_type: str = ""

    def code(self, argument: int, flow: Flow | None = None) -> int:
        chosen = self.arguments[argument].flow if flow is None else flow
        return chosen << 9 | self.index << 3 | argument


def _term(index: int, name: str, subject: tuple[str, Kind], *arguments: Argument, **more: object) -> Term:
    return Term(index, name, subject[0], subject[1], arguments, **more)  # type: ignore[arg-type]


_E, _A, _G = Kind.ENTITY, Kind.ACTIVITY, Kind.AGENT
_D, _R, _S = Flow.DATA, Flow.RESPONSIBILITY, Flow.STRUCTURE

GENERATION = _term(
    0,
    "wasGeneratedBy",
    ("entity", _E),
    Argument("activity", _A, _D, optional=True),
    qualified=("prov:qualifiedGeneration", "prov:Generation"),
    timed=True,
)
USAGE = _term(
    1,
    "used",
    ("activity", _A),
    Argument("entity", _E, _D, optional=True),
    qualified=("prov:qualifiedUsage", "prov:Usage"),
    timed=True,
)
COMMUNICATION = _term(
    2,
    "wasInformedBy",
    ("informed", _A),
    Argument("informant", _A, _D),
    qualified=("prov:qualifiedCommunication", "prov:Communication"),
)
START = _term(
    3,
    "wasStartedBy",
    ("activity", _A),
    Argument("trigger", _E, Flow.CONTROL, optional=True),
    Argument("starter", _A, Flow.CONTROL, optional=True),
    qualified=("prov:qualifiedStart", "prov:Start"),
    timed=True,
)
END = _term(
    4,
    "wasEndedBy",
    ("activity", _A),
    Argument("trigger", _E, Flow.CONTROL, optional=True),
    Argument("ender", _A, Flow.CONTROL, optional=True),
    qualified=("prov:qualifiedEnd", "prov:End"),
    timed=True,
)
INVALIDATION = _term(
    5,
    "wasInvalidatedBy",
    ("entity", _E),
    Argument("activity", _A, Flow.RECORD, optional=True),
    qualified=("prov:qualifiedInvalidation", "prov:Invalidation"),
    timed=True,
)
DERIVATION = _term(
    6,
    "wasDerivedFrom",
    ("generatedEntity", _E),
    Argument("usedEntity", _E, _D),
    Argument("activity", _A, _D, optional=True),
    qualified=("prov:qualifiedDerivation", "prov:Derivation"),
    references=("generation", "usage"),
)
ATTRIBUTION = _term(
    7,
    "wasAttributedTo",
    ("entity", _E),
    Argument("agent", _G, _R),
    qualified=("prov:qualifiedAttribution", "prov:Attribution"),
)
ASSOCIATION = _term(
    8,
    "wasAssociatedWith",
    ("activity", _A),
    Argument("agent", _G, _R, optional=True),
    Argument("plan", _E, Flow.CONTROL, optional=True),
    qualified=("prov:qualifiedAssociation", "prov:Association"),
)
DELEGATION = _term(
    9,
    "actedOnBehalfOf",
    ("delegate", _G),
    Argument("responsible", _G, _R),
    Argument("activity", _A, _R, optional=True),
    qualified=("prov:qualifiedDelegation", "prov:Delegation"),
)
INFLUENCE = _term(
    10,
    "wasInfluencedBy",
    ("influencee", Kind.UNKNOWN),
    Argument("influencer", Kind.UNKNOWN, _S),
    qualified=("prov:qualifiedInfluence", "prov:Influence"),
)
SPECIALIZATION = _term(
    11,
    "specializationOf",
    ("specificEntity", _E),
    Argument("generalEntity", _E, _S),
    qualified=("provext:qualifiedSpecialization", "provext:Specialization"),
    attributes=False,
)
ALTERNATE = _term(
    12,
    "alternateOf",
    ("alternate1", _E),
    Argument("alternate2", _E, _S, both_ways=True),
    qualified=("provext:qualifiedAlternate", "provext:Alternate"),
    attributes=False,
)
MEMBERSHIP = _term(
    13,
    "hadMember",
    ("collection", _E),
    Argument("entity", _E, _D),
    qualified=("provext:qualifiedMembership", "provext:Membership"),
    attributes=False,
)
MENTION = _term(
    14,
    "mentionOf",
    ("specificEntity", _E),
    Argument("generalEntity", _E, _S),
    Argument("bundle", _E, _S),
    qualified=("clew:qualifiedMention", "clew:Mention"),
    attributes=False,
)
REVISION = _term(
    15,
    "wasRevisionOf",
    ("generatedEntity", _E),
    Argument("usedEntity", _E, _D),
    qualified=("prov:qualifiedRevision", "prov:Revision"),
    json_name="wasDerivedFrom",
    json_type="prov:Revision",
)
QUOTATION = _term(
    16,
    "wasQuotedFrom",
    ("generatedEntity", _E),
    Argument("usedEntity", _E, _D),
    qualified=("prov:qualifiedQuotation", "prov:Quotation"),
    json_name="wasDerivedFrom",
    json_type="prov:Quotation",
)
PRIMARY_SOURCE = _term(
    17,
    "hadPrimarySource",
    ("generatedEntity", _E),
    Argument("usedEntity", _E, _D),
    qualified=("prov:qualifiedPrimarySource", "prov:PrimarySource"),
    json_name="wasDerivedFrom",
    json_type="prov:PrimarySource",
)

TERMS: tuple[Term, ...] = (
    GENERATION,
    USAGE,
    COMMUNICATION,
    START,
    END,
    INVALIDATION,
    DERIVATION,
    ATTRIBUTION,
    ASSOCIATION,
    DELEGATION,
    INFLUENCE,
    SPECIALIZATION,
    ALTERNATE,
    MEMBERSHIP,
    MENTION,
    REVISION,
    QUOTATION,
    PRIMARY_SOURCE,
)
BY_NAME = {term.name: term for term in TERMS}


def term_of(code: int) -> Term:
    return TERMS[code >> 3 & 63]


def argument_of(code: int) -> int:
    """The position of the row's argument in its term's ``arguments``."""
    return code & 7


def flow_of(code: int) -> Flow:
    return Flow(code >> 9)


@cache
def codes_of(flows: frozenset[Flow], terms: tuple[str, ...] = ()) -> tuple[int, ...]:
    """Every row code of one of ``flows`` (and of one of ``terms``, when given), ascending."""
    return tuple(
        sorted(
            flow << 9 | term.index << 3 | position
            for term in TERMS
            if not terms or term.name in terms
            for position in range(len(term.arguments))
            for flow in flows
        )
    )
