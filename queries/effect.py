"""The effect of an action: a view over its attempts and their verifications, never stored (model, sections 5
and 6).

``confirmed`` if any attempt is; else ``confirmed_failed`` if all are; else ``submitted_unconfirmed`` if any
was accepted or completed; else ``unknown`` (a failure that nothing verified included).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from provmodel import names
from provmodel.events import ToolCall, Verification

Effect = Literal["confirmed", "confirmed_failed", "submitted_unconfirmed", "unknown"]
EFFECTS: tuple[Effect, ...] = ("unknown", "submitted_unconfirmed", "confirmed_failed", "confirmed")
"""The least certain first."""

Calls = Mapping[str, Sequence[ToolCall]]
"""The attempts of one action, by their ids: each with all its reports."""

_SUBMITTED = frozenset({"accepted", "completed"})


def effect_of_action(attempts: Calls, verifications: Iterable[Verification], action: str = "") -> Effect:
    """What is known of the action's effect. A verdict on the action itself is about all its attempts."""
    checks = [check for check in verifications if check.verdict != "unconfirmed"]
    on_action = {check.verdict for check in checks if check.subject == action and not check.attempt}
    each = {attempt: _verdicts(attempt, attempts, checks) for attempt in attempts}
    if "confirmed" in on_action or any("confirmed" in verdicts for verdicts in each.values()):
        return "confirmed"
    if "confirmed_failed" in on_action or (each and all(each.values())):
        return "confirmed_failed"
    return _submitted(call for calls in attempts.values() for call in calls)


def effect_of_attempt(
    attempt: str, attempts: Calls, verifications: Iterable[Verification], action: str = ""
) -> Effect:
    """What is known of one attempt's effect. A verdict on its action is about it when it alone could be
    meant.
    """
    checks = [check for check in verifications if check.verdict != "unconfirmed"]
    verdicts = _verdicts(attempt, attempts, checks)
    on_action = {check.verdict for check in checks if check.subject == action and not check.attempt}
    writers = [ref for ref, calls in attempts.items() if any(call.writes for call in calls)]
    if "confirmed_failed" in on_action or (writers or list(attempts)) == [attempt]:
        verdicts |= on_action
    if "confirmed" in verdicts:
        return "confirmed"
    return "confirmed_failed" if verdicts else _submitted(attempts.get(attempt, ()))


def _verdicts(attempt: str, attempts: Calls, checks: Sequence[Verification]) -> set[str]:
    return {check.verdict for check in checks if _about(check, attempt, attempts)}


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
