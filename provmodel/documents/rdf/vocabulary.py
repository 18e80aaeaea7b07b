"""The classes and properties of PROV-O, by what they say in PROV-DM."""

from __future__ import annotations

from provmodel.document import (
    DERIVATION_SUBTYPES,
    PROV,
    PROV_LABEL,
    PROV_LOCATION,
    PROV_ROLE,
    PROV_TYPE,
    RDF,
)
from provmodel.lexical import CLEW, PROVEXT, RDFS
from provmodel.relations import (
    DERIVATION,
    GENERATION,
    INFLUENCE,
    INVALIDATION,
    TERMS,
    Kind,
    Term,
)

_SPACES = {"prov": PROV, "provext": PROVEXT, "clew": CLEW}


def _iri(name: str) -> str:
    prefix, _, local = name.partition(":")
    return _SPACES[prefix] + local


TYPE = RDF + "type"
DESCRIPTION = RDF + "Description"
"""The name of the extension that carries what is said of a subject that is nothing in PROV."""
MENTION_BUNDLE = PROV + "asInBundle"
AT_TIME = PROV + "atTime"
STARTED, ENDED = PROV + "startedAtTime", PROV + "endedAtTime"
INFLUENCER = PROV + "influencer"

KINDS = {
    PROV + "Entity": Kind.ENTITY,
    PROV + "Activity": Kind.ACTIVITY,
    PROV + "Agent": Kind.AGENT,
}
CLASS_OF = {kind: iri for iri, kind in KINDS.items()}
SUBKINDS = {
    **{
        PROV + name: Kind.ENTITY
        for name in ("Plan", "Collection", "EmptyCollection", "Bundle", "Dictionary", "EmptyDictionary")
    },
    **{PROV + name: Kind.AGENT for name in ("Person", "Organization", "SoftwareAgent")},
}
"""Subclasses of the three classes: a subject of one is an element, with that as its ``prov:type``."""

ARGUMENT_NAMES = {
    "wasGeneratedBy": ("prov:activity",),
    "used": ("prov:entity",),
    "wasInformedBy": ("prov:activity",),
    "wasStartedBy": ("prov:entity", "prov:hadActivity"),
    "wasEndedBy": ("prov:entity", "prov:hadActivity"),
    "wasInvalidatedBy": ("prov:activity",),
    "wasDerivedFrom": ("prov:entity", "prov:hadActivity", "prov:hadGeneration", "prov:hadUsage"),
    "wasAttributedTo": ("prov:agent",),
    "wasAssociatedWith": ("prov:agent", "prov:hadPlan"),
    "actedOnBehalfOf": ("prov:agent", "prov:hadActivity"),
    "wasInfluencedBy": ("prov:influencer",),
    "specializationOf": ("provext:generalEntity",),
    "alternateOf": ("provext:alternate",),
    "hadMember": ("provext:member",),
    "mentionOf": ("clew:argument", "clew:bundle"),
}
"""The property of a qualified relation that holds each argument, then each reference, by the term's name."""
ARGUMENTS = {name: tuple(map(_iri, properties)) for name, properties in ARGUMENT_NAMES.items()}
"""The same as IRIs."""

_STATED = [term for term in TERMS if not term.json_name]  # a subtype is a derivation with a type
PLAIN: dict[str, Term] = {PROV + term.name: term for term in _STATED}
"""Properties that state a relation by themselves (those of subtypes are in :data:`SUBTYPE_OF`, too)."""
PLAIN.update({PROV + name: DERIVATION for name in DERIVATION_SUBTYPES.values()})
SUBTYPE_OF = {PROV + name: iri for iri, name in DERIVATION_SUBTYPES.items()}
PLAIN_OF_SUBTYPE = {iri: PROV + name for iri, name in DERIVATION_SUBTYPES.items()}

QUALIFIED: dict[str, Term] = {_iri(term.qualified[0]): term for term in _STATED}
"""Properties that lead to a qualified node."""
SUBTYPE_OF_QUALIFIED = {_iri(term.qualified[0]): _iri(term.qualified[1]) for term in TERMS if term.json_name}
QUALIFIED.update(dict.fromkeys(SUBTYPE_OF_QUALIFIED, DERIVATION))
QUALIFIED_OF_SUBTYPE = {iri: name for name, iri in SUBTYPE_OF_QUALIFIED.items()}
QUALIFIED_OF = {term.name: (_iri(term.qualified[0]), _iri(term.qualified[1])) for term in _STATED}
"""By the name of the term: the property, and the class of the node."""

CLASSES: dict[str, Term] = {_iri(term.qualified[1]): term for term in _STATED}
"""Classes of qualified nodes."""
CLASSES.update(dict.fromkeys(DERIVATION_SUBTYPES, DERIVATION))
IMPLIED = frozenset(
    PROV + name
    for name in (
        "Influence",
        "EntityInfluence",
        "ActivityInfluence",
        "AgentInfluence",
        "InstantaneousEvent",
        "Derivation",
    )
)
"""Classes of a qualified node that its own class implies."""

INVERSES = {
    PROV + "generated": PROV + GENERATION.name,
    PROV + "invalidated": PROV + INVALIDATION.name,
    PROV + "influenced": PROV + INFLUENCE.name,
}
MOMENTS = {PROV + "generatedAtTime": GENERATION, PROV + "invalidatedAtTime": INVALIDATION}

ATTRIBUTES = {
    TYPE: PROV_TYPE,
    RDFS + "label": PROV_LABEL,
    PROV + "hadRole": PROV_ROLE,
    PROV + "atLocation": PROV_LOCATION,
}
"""Properties that are attributes of another name in PROV-DM."""
PROPERTIES = {name: iri for iri, name in ATTRIBUTES.items()}
RELATING = frozenset({*PLAIN, *QUALIFIED, *INVERSES})
"""Properties whose resources make relations."""


def plains(term: Term, types: frozenset[str]) -> list[str]:
    """The plain properties that a qualified relation with these types says too."""
    if term is DERIVATION:
        subtypes = [PLAIN_OF_SUBTYPE[one] for one in PLAIN_OF_SUBTYPE if one in types]
        return [PROV + term.name, *subtypes]
    return [PROV + term.name]
