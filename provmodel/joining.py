"""Joined assertions: what follows from the *set* of events of a run (for states: of the tenant), whatever
their order.

An event leaves facts under keys. A *need* looks for *offers* under the same key; :func:`join` is a pure
function of one need and all offers of its key, so the result depends on the set of events alone. What it
finds:

==========  ==============================  ==================================================================
need        key                             joined assertion, and the evidence it earns
==========  ==============================  ==================================================================
read        ``ref:<state>``                 used(activity, occurrence): verified when one occurrence fits and
ended
                                            before, else inferred
revision    ``ref:<state>``                 wasRevisionOf(occurrence, earlier occurrence): likewise
delete      ``ref:<state>``                 wasInvalidatedBy(occurrence, attempt): likewise
argument    ``value:<run>:<tag>``           wasDerivedFrom(candidate, holder of the value): verified when
unique, not
                                            guessable and ended before; inferred otherwise
message     ``value:<run>:<tag>``           used(call, what has exactly this content): likewise
attempt     ``call:<run>:<tool>:<id>``      used(attempt, candidate): the latest candidate of that id, or of
those arguments verify      ``ref:<attempt, action, ref>``  generated(occurrence, attempt): verified,
supporting or refuting; inferred for
                                            an attempt of unknown outcome that may have made what was seen
deletion    ``body:<id>``                   specializationOf(body, version)
==========  ==============================  ==================================================================

A guessable value that several things hold joins to none of them, and a key with more than ``MANY`` offers
joins nothing: both stay visible as the gap *not joined*. An occurrence never fits a reader that its own
attempt is, nor one known to be earlier.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from provmodel.evidence import Evidence, Stance
from provmodel.names import CLEW, occurrence
from provmodel.records import Assertion, Relation
from provmodel.relations import DERIVATION, GENERATION, INVALIDATION, REVISION, SPECIALIZATION, USAGE, Flow

MANY = 32
"""Offers on one key beyond which nothing is joined: a name for "too many to tell"."""

VERSION = "1"


class Moment(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """When something happened, for ordering: nanoseconds, and the source's own numbering (0 when it has
    none).
    """

    at: int
    source: str = ""
    epoch: str = ""
    number: int = 0


class Holder(msgspec.Struct, frozen=True, tag="holder", gc=False):
    """An entity that holds a value, or a body: what entered a call stands in its ``context``; what came out
    of an activity, its ``maker``, is there for others from ``moment`` on.
    """

    node: str
    moment: Moment | None = None
    context: str = ""
    whole: bool = False
    maker: str = ""


class Made(msgspec.Struct, frozen=True, tag="made", gc=False):
    """An occurrence that an attempt wrote of the state which is the key."""

    attempt: str
    occurrence: str
    moment: Moment


class Tried(msgspec.Struct, frozen=True, tag="tried", gc=False):
    """An attempt, under its own id and its action's: what it reports to have written, as (ref, occurrence)
    pairs.
    """

    attempt: str
    outcome: str
    writes: tuple[tuple[str, str], ...]


class Proposed(msgspec.Struct, frozen=True, tag="proposed", gc=False):
    """A candidate action that an attempt may turn out to execute."""

    action: str
    moment: Moment


Offer = Holder | Made | Tried | Proposed


class Reads(msgspec.Struct, frozen=True, tag="read", gc=False):
    """An activity used a state; which occurrence of it was that?"""

    activity: str
    moment: Moment
    role: str = ""
    flow: int = 0


class Revises(msgspec.Struct, frozen=True, tag="revision", gc=False):
    """An occurrence was edited from a state; from which occurrence?"""

    attempt: str
    occurrence: str
    moment: Moment
    flow: int = 0


class Deletes(msgspec.Struct, frozen=True, tag="delete", gc=False):
    """An attempt deleted a state; which occurrence?"""

    attempt: str
    moment: Moment


class Argument(msgspec.Struct, frozen=True, tag="argument", gc=False):
    """An argument of a candidate has a value that others may hold."""

    candidate: str
    pointer: str
    strong: bool
    call: str
    moment: Moment


class Message(msgspec.Struct, frozen=True, tag="message", gc=False):
    """A call was sent something whose whole content others may have."""

    call: str
    ref: str
    strong: bool
    moment: Moment


class Executes(msgspec.Struct, frozen=True, tag="attempt", gc=False):
    """An attempt that names no action; ``by`` says what the key was made of."""

    attempt: str
    by: Literal["id", "arguments"]
    moment: Moment


class Verifies(msgspec.Struct, frozen=True, tag="verify", gc=False):
    """A verdict on an attempt, an action or something written."""

    subject: str
    asserter: str
    method: str
    confirmed: bool
    evidence: int
    read: str = ""
    attempt: str = ""


class Deleted(msgspec.Struct, frozen=True, tag="deletion", gc=False):
    """A body was deleted; whose was it?"""

    body: str


Need = Reads | Revises | Deletes | Argument | Message | Executes | Verifies | Deleted

_encoder = msgspec.json.Encoder()
_offer = msgspec.json.Decoder(Offer)
_need = msgspec.json.Decoder(Need)


def encode(fact: Offer | Need) -> str:
    """A fact's ``data`` text."""
    return _encoder.encode(fact).decode()


def join(need: str, offers: Iterable[str]) -> list[Assertion]:
    """The assertions that one need earns from the distinct offers of its key (both as ``data`` texts).

    The order of ``offers`` does not matter; the result is in a fixed order.
    """
    distinct = sorted(set(offers))
    if not distinct or len(distinct) > MANY:
        return []
    return _joined(_need.decode(need), [_offer.decode(text) for text in distinct])


def _joined(need: Need, offers: Sequence[Offer]) -> list[Assertion]:
    match need:
        case Reads():
            relation = [
                (m, _usage(need.activity, m.occurrence, need.role, need.flow)) for m in _earlier(offers, need)
            ]
            return _told("state", need.moment, relation)
        case Revises():
            pairs = [
                (m, _revision(need, m)) for m in _earlier(offers, need) if m.occurrence != need.occurrence
            ]
            return _told("state", need.moment, pairs)
        case Deletes():
            gone = [
                (m, Relation(INVALIDATION, m.occurrence, (need.attempt,))) for m in _earlier(offers, need)
            ]
            return _told("state", need.moment, gone)
        case Argument():
            return _argument(need, offers)
        case Message():
            return _message(need, offers)
        case Executes():
            return _executes(need, offers)
        case Verifies():
            return _verifies(need, offers)
        case Deleted():
            return [
                _clew(Relation(SPECIALIZATION, need.body, (o.node,)), Evidence.OBSERVED, "body")
                for o in offers
                if isinstance(o, Holder) and o.node != need.body
            ]


def before(first: Moment, second: Moment) -> bool | None:
    """Whether ``first`` came before ``second``: by clock, then by number within one source and epoch;
    ``None`` when that can't tell.
    """
    if first.at != second.at:
        return first.at < second.at
    one_source = first.source == second.source and first.epoch == second.epoch
    if one_source and first.number and second.number and first.number != second.number:
        return first.number < second.number
    return None


def _clew(relation: Relation, evidence: Evidence, method: str, attributes: str = "") -> Assertion:
    return Assertion(relation, evidence, CLEW, Stance.SUPPORTS, f"{method}/{VERSION}", "", attributes)


def _usage(activity: str, entity: str, role: str, flow: int = 0) -> Relation:
    return Relation(USAGE, activity, (entity,), role, Flow(flow))


def _revision(need: Revises, made: Made) -> Relation:
    return Relation(REVISION, need.occurrence, (made.occurrence,), "", Flow(need.flow))


def _earlier(offers: Sequence[Offer], need: Reads | Revises | Deletes) -> list[Made]:
    """Occurrences that may be meant: not the reader's own, and not known to be later."""
    own = need.activity if isinstance(need, Reads) else need.attempt
    return [
        o
        for o in offers
        if isinstance(o, Made) and o.attempt != own and before(o.moment, need.moment) is not False
    ]


def _told(method: str, moment: Moment, fits: Sequence[tuple[Made, Relation]]) -> list[Assertion]:
    sure = len(fits) == 1 and before(fits[0][0].moment, moment) is True
    evidence = Evidence.VERIFIED if sure else Evidence.INFERRED
    return [_clew(relation, evidence, method) for _, relation in fits]


def _nearest(offers: Sequence[Offer], call: str, moment: Moment, own: str) -> list[Holder]:
    """Holders in the context of the same call if there are any, else what others had made before."""
    holders = [o for o in offers if isinstance(o, Holder) and o.node != own]
    in_context = [h for h in holders if call and h.context == call]
    if in_context:
        return in_context
    return [h for h in holders if not h.context and h.moment and before(h.moment, moment) is not False]


def _by_value(fits: Sequence[Holder], strong: bool, moment: Moment, in_context: bool) -> Evidence | None:
    """What an equal value is worth; ``None`` when a guessable value is held by several."""
    if len(fits) > 1 and not strong:
        return None
    ended = bool(fits) and (
        in_context or (fits[0].moment is not None and before(fits[0].moment, moment) is True)
    )
    return Evidence.VERIFIED if strong and len(fits) == 1 and ended else Evidence.INFERRED


def _argument(need: Argument, offers: Sequence[Offer]) -> list[Assertion]:
    fits = _nearest(offers, need.call, need.moment, need.candidate)
    in_context = bool(fits) and fits[0].context == need.call != ""
    evidence = _by_value(fits, need.strong, need.moment, in_context)
    if evidence is None:
        return []
    attributes = msgspec.json.encode({"clew:pointer": need.pointer}).decode()
    return [
        _clew(
            Relation(DERIVATION, need.candidate, (holder.node, None)),
            evidence,
            "equal-value" if holder.whole else "containment",
            attributes,
        )
        for holder in fits
    ]


def _message(need: Message, offers: Sequence[Offer]) -> list[Assertion]:
    fits = [h for h in _nearest(offers, "", need.moment, need.ref) if h.whole and h.maker != need.call]
    evidence = _by_value(fits, need.strong, need.moment, False)
    if evidence is None:
        return []
    attributes = msgspec.json.encode({"clew:as": need.ref}).decode()
    return [_clew(_usage(need.call, holder.node, ""), evidence, "equal-value", attributes) for holder in fits]


def _executes(need: Executes, offers: Sequence[Offer]) -> list[Assertion]:
    """The latest candidate that was proposed before; several at that moment are all inferred."""
    fits = [o for o in offers if isinstance(o, Proposed) and before(o.moment, need.moment) is not False]
    if not fits:
        return []
    latest = max(fit.moment.at for fit in fits)
    last = [fit for fit in fits if fit.moment.at == latest]
    evidence = Evidence.VERIFIED if len(fits) == 1 and need.by == "id" else Evidence.INFERRED
    method = f"result-to-call-by-{need.by}"
    return [_clew(_usage(need.attempt, fit.action, "arguments"), evidence, method) for fit in last]


def _verifies(need: Verifies, offers: Sequence[Offer]) -> list[Assertion]:
    written = _written(need, offers)
    if len({attempt for attempt, _ in written}) == 1:
        stance = Stance.SUPPORTS if need.confirmed else Stance.REFUTES
        return [_verdict(need, attempt, made, stance) for attempt, made in written]
    return [] if written else _unreported(need, offers)


def _verdict(need: Verifies, attempt: str, made: str, stance: Stance) -> Assertion:
    relation = Relation(GENERATION, made, (attempt,))
    return Assertion(relation, Evidence(need.evidence), need.asserter, stance, need.method)


def _written(need: Verifies, offers: Sequence[Offer]) -> list[tuple[str, str]]:
    """(attempt, occurrence) pairs that the verdict can be about."""
    pairs: set[tuple[str, str]] = set()
    for offer in offers:
        match offer:
            case Made():
                pairs.add((offer.attempt, offer.occurrence))
            case Tried():
                matching = [o for ref, o in offer.writes if not need.read or need.read in (ref, o)]
                pairs.update((offer.attempt, o) for o in matching)
            case Holder() | Proposed():
                pass
    about = {(a, o) for a, o in pairs if o == need.subject} or pairs
    return sorted((a, o) for a, o in about if not need.attempt or a == need.attempt)


def _unreported(need: Verifies, offers: Sequence[Offer]) -> list[Assertion]:
    """Something was seen that no attempt reported: each attempt of unknown outcome may have made it."""
    if not (need.confirmed and need.read):
        return []
    unknown = sorted(
        o.attempt
        for o in offers
        if isinstance(o, Tried)
        and o.outcome == "unknown"
        and not o.writes
        and need.attempt in ("", o.attempt)
    )
    return [
        _clew(
            Relation(GENERATION, occurrence(need.read, attempt), (attempt,)),
            Evidence.INFERRED,
            "effect-to-attempt",
        )
        for attempt in unknown
    ]
