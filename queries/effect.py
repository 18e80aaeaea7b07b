"""The effect of an action: a view over its attempts and their verifications, never stored (model, sections 5
and 6).

``confirmed`` if any attempt is; else ``contradicted`` if verifiers who know it equally well say of one thing
that it took place and that it did not, and neither wins; else ``confirmed_failed`` if all attempts are; else
``submitted_unconfirmed`` if any was accepted or completed; else ``unknown`` (a failure that nothing verified
included). All that speak of an effect ask here, or of what verifiers assert of one edge
(:func:`queries.links.contradicted`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from provmodel import names
from provmodel.events import ToolCall, Verification
from provmodel.evidence import Evidence

Effect = Literal["confirmed", "confirmed_failed", "contradicted", "submitted_unconfirmed", "unknown"]
EFFECTS: tuple[Effect, ...] = (
    "unknown", "contradicted", "submitted_unconfirmed", "confirmed_failed", "confirmed",
)  # fmt: skip
"""The least certain first."""

Calls = Mapping[str, Sequence[ToolCall]]
"""The attempts of one action, by their ids: each with all its reports."""

_SUBMITTED = frozenset({"accepted", "completed"})


def effect_of_action(attempts: Calls, verifications: Iterable[Verification], action: str = "") -> Effect:
    """What is known of the action's effect. A verdict on the action itself is about all its attempts."""
    checks = list(verifications)
    whole = _verdict(_on(action, checks))
    each = {_known(attempt, attempts, checks, action) for attempt in attempts}
    if "confirmed" in each or (whole == "confirmed" and each != {"contradicted"}):
        return "confirmed"
    if "contradicted" in each or whole == "contradicted":
        return "contradicted"
    if "confirmed_failed" in (whole, *(each if len(each) == 1 else ())):
        return "confirmed_failed"
    return _submitted(call for calls in attempts.values() for call in calls)


def effect_of_attempt(
    attempt: str, attempts: Calls, verifications: Iterable[Verification], action: str = ""
) -> Effect:
    """What is known of one attempt's effect. A verdict on its action is about it when it alone could be
    meant.
    """
    known = _known(attempt, attempts, list(verifications), action)
    return known or _submitted(attempts.get(attempt, ()))


def effect_of_write(
    written: str, attempt: str, attempts: Calls, verifications: Iterable[Verification], action: str = ""
) -> Effect:
    """What is known of one write of an attempt: by what verifiers say of that, and of the attempt as a
    whole.
    """
    things = _things(attempt, attempts, list(verifications), action)
    state = written.partition(names.BY)[0]
    about = [check for thing in dict.fromkeys((state, attempt)) for check in things.get(thing, ())]
    return _verdict(about) or _submitted(attempts.get(attempt, ()))


def _known(attempt: str, attempts: Calls, checks: Sequence[Verification], action: str) -> Effect | None:
    """What verifiers say of an attempt: each thing that it wrote may have a verdict of its own."""
    verdicts = {_verdict(each) for each in _things(attempt, attempts, checks, action).values()}
    order: tuple[Effect, ...] = ("contradicted", "confirmed", "confirmed_failed")
    return next((verdict for verdict in order if verdict in verdicts), None)


def _things(
    attempt: str, attempts: Calls, checks: Sequence[Verification], action: str
) -> dict[str, list[Verification]]:
    """The verifications that are about an attempt: by which of several things that it wrote they are about,
    or under its own name.
    """
    about = [check for check in checks if _about(check, attempt, attempts)]
    whole = _on(action, checks)
    writers = [ref for ref, calls in attempts.items() if any(call.writes for call in calls)]
    if any(check.verdict == "confirmed_failed" for check in whole) or (writers or list(attempts)) == [
        attempt
    ]:
        about += whole
    states = {write.ref for call in attempts.get(attempt, ()) for write in call.writes}
    things: defaultdict[str, list[Verification]] = defaultdict(list)
    for check in about:
        state = check.subject.partition(names.BY)[0]
        things[state if state in states and len(states) > 1 else attempt].append(check)
    return things


def _on(action: str, checks: Iterable[Verification]) -> list[Verification]:
    """The verifications of the action as such."""
    return [check for check in checks if check.subject == action and not check.attempt]


def _verdict(checks: Iterable[Verification]) -> Effect | None:
    """What verifications of one thing come to: the verdict that is known best; ``contradicted`` where two are
    known equally well; None where none of them could tell.
    """
    best: dict[Effect, int] = {}
    for check in checks:
        known = Evidence[check.evidence.upper()] if check.evidence else Evidence.VERIFIED
        if check.verdict != "unconfirmed":
            best[check.verdict] = max(known, best.get(check.verdict, 0))
    if len(set(best.values())) < len(best):
        return "contradicted"
    return max(best, key=best.__getitem__, default=None)


def _about(check: Verification, attempt: str, attempts: Calls) -> bool:
    """Whether a verification is about this attempt: it names it, or names what it alone is known to have
    written.
    """
    if check.attempt:
        return check.attempt == attempt
    if check.subject == attempt:
        return True
    if check.subject not in _written(attempt, attempts):
        return False
    return all(check.subject not in _written(other, attempts) for other in attempts if other != attempt)


def _written(attempt: str, attempts: Calls) -> set[str]:
    """What an attempt wrote: the states, and its occurrences of them."""
    refs = {write.ref for call in attempts.get(attempt, ()) for write in call.writes}
    return refs | {names.occurrence(ref, attempt) for ref in refs}


def _submitted(calls: Iterable[ToolCall]) -> Effect:
    return "submitted_unconfirmed" if any(call.outcome in _SUBMITTED for call in calls) else "unknown"
