"""The rules of PROV-CONSTRAINTS (W3C Recommendation, 30 April 2013), each with a sentence in plain words.

Numbers and names are the standard's, the sentences are ours. Three rules come from elsewhere: what a
statement must name (PROV-DM, section 5), and that a mention specializes and is unique (PROV-LINKS, section
3).
"""

from __future__ import annotations

import msgspec

INFERENCE, CONSTRAINT = "inference", "constraint"


class Rule(msgspec.Struct, frozen=True):
    """One rule. ``key`` is its number as text ("24"), or a word for those that have none."""

    key: str
    kind: str
    name: str
    sentence: str

    @property
    def title(self) -> str:
        """Such as "constraint 24 (unique-generation)"."""
        return f"{self.short} ({self.name})" if self.key.isdigit() else f"{self.kind} ({self.name})"

    @property
    def short(self) -> str:
        """Such as "constraint 24"; by its name where it has no number."""
        return f"{self.kind} {self.key if self.key.isdigit() else self.name}"


REQUIRED = "required"
MENTION = "mention"
MENTION_SPECIALIZES = "mention-specialization"

_INFERENCES = (
    ("5", "communication-generation-use-inference", "Who was informed used something that the other made."),
    ("6", "generation-use-communication-inference", "Who used what another made was informed by the other."),
    (
        "7",
        "entity-generation-invalidation-inference",
        "Each entity came to be and ceases to be at some time.",
    ),
    ("8", "activity-start-end-inference", "Each activity started and ends at some time."),
    ("9", "wasStartedBy-inference", "The trigger of a start was made by the activity that gave the start."),
    ("10", "wasEndedBy-inference", "The trigger of an end was made by the activity that gave the end."),
    (
        "11",
        "derivation-generation-use-inference",
        "An activity that derived one entity from another used the one and made the other.",
    ),
    ("12", "revision-is-alternate-inference", "A revision and what it revises are two sides of one thing."),
    ("13", "attribution-inference", "What is attributed to an agent was made in something the agent did."),
    ("14", "delegation-inference", "Both agents of a delegation had a part in its activity."),
    ("15", "influence-inference", "Each relation is an influence too, under the same id."),
    ("16", "alternate-reflexive", "An entity is an alternate of itself."),
    ("17", "alternate-transitive", "An alternate of an alternate is an alternate."),
    ("18", "alternate-symmetric", "Alternates are so both ways."),
    ("19", "specialization-transitive", "What specializes a specialization specializes the general one."),
    ("20", "specialization-alternate-inference", "A specialization is an alternate."),
    ("21", "specialization-attributes-inference", "A specialization has what the general entity has."),
)

_CONSTRAINTS = (
    (
        "22",
        "key-object",
        "All that is said under one id of an entity, activity or agent is said of one thing.",
    ),
    ("23", "key-properties", "One id names one relation: what is said under it must agree in every part."),
    ("24", "unique-generation", "An activity generates an entity once: two such generations are one."),
    ("25", "unique-invalidation", "An activity invalidates an entity once: two such invalidations are one."),
    ("26", "unique-wasStartedBy", "One activity starts another once: two such starts are one."),
    ("27", "unique-wasEndedBy", "One activity ends another once: two such ends are one."),
    ("28", "unique-startTime", "An activity has one start time, wherever it is given."),
    ("29", "unique-endTime", "An activity has one end time, wherever it is given."),
    ("30", "start-precedes-end", "An activity doesn't end before it starts."),
    ("31", "start-start-ordering", "All starts of an activity are the same moment."),
    ("32", "end-end-ordering", "All ends of an activity are the same moment."),
    ("33", "usage-within-activity", "An activity uses things between its start and its end."),
    ("34", "generation-within-activity", "An activity generates things between its start and its end."),
    ("35", "wasInformedBy-ordering", "Who informs doesn't start after the informed has ended."),
    ("36", "generation-precedes-invalidation", "An entity doesn't cease to be before it came to be."),
    ("37", "generation-precedes-usage", "Nothing is used before it was generated."),
    ("38", "usage-precedes-invalidation", "Nothing is used after it was invalidated."),
    ("39", "generation-generation-ordering", "All generations of an entity are the same moment."),
    ("40", "invalidation-invalidation-ordering", "All invalidations of an entity are the same moment."),
    (
        "41",
        "derivation-usage-generation-ordering",
        "What was derived is generated no earlier than what it was derived from was used for it.",
    ),
    (
        "42",
        "derivation-generation-generation-ordering",
        "What was derived comes to be after what it was derived from.",
    ),
    ("43", "wasStartedBy-ordering", "What triggers a start exists at that moment."),
    ("44", "wasEndedBy-ordering", "What triggers an end exists at that moment."),
    ("45", "specialization-generation-ordering", "A specialization doesn't come before the general entity."),
    ("46", "specialization-invalidation-ordering", "A specialization doesn't outlast the general entity."),
    ("47", "wasAssociatedWith-ordering", "An activity and an agent that has a part in it overlap in time."),
    ("48", "wasAttributedTo-ordering", "The agent that something is attributed to was there before it."),
    ("49", "actedOnBehalfOf-ordering", "The responsible agent was there before the delegate was gone."),
    ("50", "typing", "The place in a statement says whether a thing is an entity, an activity or an agent."),
    (
        "51",
        "impossible-unspecified-derivation-generation-use",
        "A derivation that names its generation or usage names its activity as well.",
    ),
    ("52", "impossible-specialization-reflexive", "Nothing is a specialization of itself."),
    ("53", "impossible-property-overlap", "One id doesn't name relations of two sorts."),
    ("54", "impossible-object-property-overlap", "One id doesn't name a thing and a relation."),
    ("55", "entity-activity-disjoint", "Nothing is both an entity and an activity."),
    ("56", "membership-empty-collection", "An empty collection has no members."),
)

RULES: dict[str, Rule] = {
    **{key: Rule(key, INFERENCE, name, sentence) for key, name, sentence in _INFERENCES},
    **{key: Rule(key, CONSTRAINT, name, sentence) for key, name, sentence in _CONSTRAINTS},
    REQUIRED: Rule(
        REQUIRED,
        CONSTRAINT,
        "required-argument",
        "A statement names everything that its sort can't do without.",
    ),
    MENTION_SPECIALIZES: Rule(
        MENTION_SPECIALIZES,
        INFERENCE,
        MENTION_SPECIALIZES,
        "A mention of an entity is a specialization of it.",
    ),
    MENTION: Rule(
        MENTION, CONSTRAINT, "unique-mention", "An entity is a mention of one entity in one bundle."
    ),
}
"""Every rule by its key."""


def order_of(key: str) -> tuple[int, str]:
    """Sorts rules: by number, those without one first."""
    return (int(key) if key.isdigit() else 0), key
