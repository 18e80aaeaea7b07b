"""Which relations a walk crosses, which way and for which purpose, as data (model, section 2).

One walker (:mod:`queries.walk`) runs every policy. A reader may bring his own as a JSON object of the same
shape: ``{"direction": "backward", "flows": ["data"], "terms": ["used/data", "wasGeneratedBy"], "conditions":
["control"]}``.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

from provmodel.errors import BadQuestion
from provmodel.explaining import explained
from provmodel.relations import (
    BY_NAME,
    DERIVATION,
    GENERATION,
    Flow,
    Kind,
    argument_of,
    codes_of,
    flow_of,
    term_of,
)
from queries.graph import Way

FlowWord = Literal["data", "control", "responsibility", "structure", "record"]
Direction = Literal["backward", "forward"]


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """What a walk crosses and what it only lists.

    ``terms`` narrows ``flows`` to some PROV relations ("used"), or to one flow class of them
    ("used/control"); empty means all. ``conditions`` are the flow classes listed one step deep and not
    crossed. ``name`` is that of the policy of the shelf that is the same, else ``own``, whatever a reader
    calls it.
    """

    direction: Direction
    flows: Annotated[tuple[FlowWord, ...], Meta(min_length=1)]
    terms: tuple[str, ...] = ()
    conditions: tuple[FlowWord, ...] = ()
    name: str = "own"

    @property
    def way(self) -> Way:
        return Way.OUT if self.direction == "backward" else Way.IN

    @cached_property
    def codes(self) -> tuple[int, ...]:
        """The row codes crossed at every step."""
        return _codes(self)

    @property
    def cites(self) -> bool:
        """Whether it crosses what the citations of sibling texts lead over (:mod:`queries.siblings`)."""
        return set(_codes(self)) >= _CITING

    @cached_property
    def listed(self) -> tuple[int, ...]:
        """The row codes listed as conditions, one step deep, the way of the walk."""
        return tuple(sorted(set(codes_of(flows_of(self.conditions))) - set(_codes(self))))


_CITING = {GENERATION.code(0), DERIVATION.code(0)}


@lru_cache(maxsize=256)
def _codes(policy: Policy) -> tuple[int, ...]:
    return tuple(code for code in codes_of(flows_of(policy.flows)) if _holds(policy.terms, code))


def _holds(terms: tuple[str, ...], code: int) -> bool:
    term = term_of(code).name
    return not terms or term in terms or f"{term}/{flow_of(code).word}" in terms


def flows_of(words: tuple[str, ...]) -> frozenset[Flow]:
    return frozenset(Flow[word.upper()] for word in words)


POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy(name="why", direction="backward", flows=("data",), conditions=("control", "responsibility")),
        Policy(name="impact", direction="forward", flows=("data",), conditions=("control", "responsibility")),
        Policy(
            name="who",
            direction="backward",
            flows=("data", "control", "responsibility"),
            terms=(
                "wasGeneratedBy", "used/control", "wasAssociatedWith", "wasAttributedTo", "actedOnBehalfOf",
            ),
        ),
        Policy(
            name="derivation",
            direction="backward",
            flows=("data",),
            terms=("wasDerivedFrom", "wasRevisionOf", "wasQuotedFrom", "hadPrimarySource"),
        ),
    )
}  # fmt: skip


def read_policy(given: str | Policy) -> Policy:
    """The policy that a name, a JSON text or a struct stands for; raises :class:`BadQuestion`."""
    if isinstance(given, Policy):
        return _checked(given)
    if given.lstrip().startswith("{"):
        try:
            return _checked(msgspec.json.decode(given, type=Policy))
        except msgspec.DecodeError as error:
            raise _unread(str(error)) from None
    if given not in POLICIES:
        raise BadQuestion(
            "policy", f"there is no policy {given!r}", f"use one of {', '.join(POLICIES)}, or a JSON object"
        )
    return POLICIES[given]


_ALLOWED = {
    "direction": get_args(Direction),
    "flows": get_args(FlowWord),
    "terms": tuple(BY_NAME),
    "conditions": get_args(FlowWord),
}
SHAPE = (
    '{"direction": "backward", "flows": ["data"], "terms": ["wasGeneratedBy", "used/data"],'
    ' "conditions": ["control"]}'
)
"""An own policy, as errors and the reference show it."""


def _unread(problem: str) -> BadQuestion:
    """What is wrong with a policy's JSON, and which words may stand there."""
    field, reason = explained(problem)
    if field not in _ALLOWED or problem.startswith("Object "):  # one is missing, or one too many
        where = f"{field}: " if field else ""
        return BadQuestion("policy", f"{where}{reason}", f"give a JSON object such as {SHAPE}")
    return BadQuestion("policy", f"{field}: {reason}", f"use {', '.join(_ALLOWED[field])}")


def _checked(policy: Policy) -> Policy:
    for entry in policy.terms:
        term, _, flow = entry.partition("/")
        if term not in BY_NAME or (flow and flow.upper() not in Flow.__members__):
            allowed = f"use {', '.join(BY_NAME)}, or one of them with /{', /'.join(_ALLOWED['flows'])}"
            raise BadQuestion("policy", f"there is no relation {entry!r}", allowed)
        if flow and flow not in policy.flows:
            reason = f"{entry!r} crosses nothing: {flow} is not among the flows, {', '.join(policy.flows)}"
            raise BadQuestion("policy", reason, f"add {flow} to flows, or leave {entry!r} out")
    return _named(policy)


def turned(policy: Policy, direction: Direction) -> Policy:
    """The same policy in this direction."""
    return _named(msgspec.structs.replace(policy, direction=direction))


def _named(policy: Policy) -> Policy:
    """The policy by the name of the one of the shelf that is the same, else as ``own``."""
    own = msgspec.structs.replace(policy, name="own")
    same = (one for one in POLICIES.values() if msgspec.structs.replace(one, name="own") == own)
    return next(same, own)


# Relations from an entity straight to an entity that stand for an activity nobody named.
_DERIVATIONS = frozenset({"wasDerivedFrom", "wasRevisionOf", "wasQuotedFrom", "hadPrimarySource"})


def _cost(code: int, way: Way) -> int:
    term, argument = term_of(code), argument_of(code)
    reached = term.arguments[argument].kind if way is Way.OUT else term.subject_kind
    derived = term.name in _DERIVATIONS and term.arguments[argument].kind is Kind.ENTITY
    return int(reached is Kind.ACTIVITY or derived)


COSTS: dict[Way, dict[int, int]] = {
    way: {
        code: _cost(code, way)
        for code in codes_of(frozenset(Flow))
        if argument_of(code) < len(term_of(code).arguments)
    }
    for way in Way
}
"""What a step over a row costs in depth: 1 when it enters an activity, or skips an unnamed one (a
derivation); snapshots, members and what an activity used or made cost none."""
