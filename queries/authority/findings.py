"""What a judgement consists of: findings, each with its outcome, basis and plain words."""

from __future__ import annotations

import msgspec

from queries.authority.order import TWO_CLOCKS, Timing

AUTHORIZED = "authorized"
SOMETHING_ELSE = "authorized_for_something_else"
MODIFIED = "modified"
USED_UP = "used_up"
EXPIRED = "expired_or_revoked"
AFTERWARDS = "granted_afterwards"
DENIED = "denied_and_done"
ASKED = "asked_not_answered"
CANCELLED = "cancelled_before"
SELF = "self_approved"
DEFAULT = "allowed_by_default"
CLAIMED = "claimed_not_authenticated"
NOBODY = "nobody_recorded"
NOT_RECORDABLE = "not_recordable"
UNKNOWN_COVERAGE = "coverage_unknown"
POSSIBLY = "possibly_"

BESIDE = frozenset({CLAIMED, SELF, DEFAULT})
"""What may stand beside ``authorized``; every other outcome excludes it (model, section 6)."""

OUTCOMES = (
    AUTHORIZED, SOMETHING_ELSE, MODIFIED, USED_UP, EXPIRED, AFTERWARDS, DENIED, ASKED, CANCELLED,
    SELF, DEFAULT, CLAIMED, NOBODY, NOT_RECORDABLE, UNKNOWN_COVERAGE,
)  # fmt: skip


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing found about a write.

    ``side`` (pointer, object or scope) and ``pointers`` say what an authorization for something else was for.
    ``basis`` and ``difference`` (an ISO 8601 duration between two instants) stand with what depends on time.
    ``decision`` is the one it is about.
    """

    outcome: str
    detail: str
    decision: str = ""
    basis: str = ""
    difference: str = ""
    side: str = ""
    pointers: tuple[str, ...] = ()


def timed(outcome: str, detail: str, timing: Timing, decision: str = "") -> Finding:
    """A finding that rests on order; on two clocks it is only possible, and says so."""
    if timing.basis == TWO_CLOCKS:
        outcome, detail = POSSIBLY + outcome, f"if the clocks of two sources agree, {detail}"
    return Finding(outcome, detail, decision, timing.basis, timing.difference)


def names_of(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """The outcomes that hold, in the order of ``OUTCOMES``: what excludes ``authorized`` does, a plain one
    its possible form.
    """
    held = {finding.outcome for finding in findings}
    held -= {POSSIBLY + outcome for outcome in held}
    if held - BESIDE - {AUTHORIZED}:
        held.discard(AUTHORIZED)
    return tuple(sorted(held, key=rank))


def rank(outcome: str) -> tuple[int, bool]:
    return OUTCOMES.index(outcome.removeprefix(POSSIBLY)), outcome.startswith(POSSIBLY)
