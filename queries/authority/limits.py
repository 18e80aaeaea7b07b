"""What ends a grant before or while it is used: time, revocation, and its limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from provmodel.events import AuthorizationDecided
from queries.authority import order
from queries.authority.findings import AFTERWARDS, EXPIRED, USED_UP, Finding, timed
from queries.authority.order import Timing
from queries.authority.views import ENDINGS, Attempt, Case, Decision
from queries.graph import Unchecked

Use = tuple[str, str]
"""One use of a grant: the action and the key that its attempts share, or the attempt alone."""


def in_time(grant: Decision, case: Case) -> Iterator[Finding]:
    """Granted only afterwards, not yet valid, or no longer valid when the attempt began."""
    attempts, valid = case.attempt.reports, grant.event.valid
    after = order.decided_after(grant.report, attempts, grant.ref in case.attempt.named)
    if after.holds:
        yield timed(AFTERWARDS, "it was decided after the attempt began", after, grant.ref)
    if valid and valid.start:
        begun = order.elapsed(valid.start, grant.report, attempts)
        if begun.by < 0:
            detail = f"it holds from {valid.start}; the attempt began before"
            yield timed(AFTERWARDS, detail, begun, grant.ref)
    if valid and valid.until:
        over = order.elapsed(valid.until, grant.report, attempts)
        if over.holds:
            detail = f"it held until {valid.until}; the attempt began later"
            yield timed(EXPIRED, detail, over, grant.ref)


def doubts(grant: Decision, case: Case) -> Iterator[Unchecked]:
    """What speaks for the grant only by the word of two clocks, or of a time that is not a start."""
    attempts, valid = case.attempt.reports, grant.event.valid
    timings = [order.decided_after(grant.report, attempts, grant.ref in case.attempt.named)]
    timings += [
        order.elapsed(moment, grant.report, attempts)
        for moment in ((valid.start, valid.until) if valid else ())
        if moment
    ]
    if any(timing.basis == order.TWO_CLOCKS for timing in timings):
        clocks = " and ".join(sorted({grant.event.source, *(report.event.source for report in attempts)}))
        yield Unchecked(f"order of {grant.ref} and {case.attempt.ref}", f"it rests on the clocks of {clocks}")
    by_clock = any(timing.basis in order.CLOCKS for timing in timings)
    if by_clock and not any(call.started for call in case.attempt.calls):
        yield Unchecked(
            f"start of {case.attempt.ref}", "it is not reported; the time of its report stands in"
        )


def endings(grant: Decision, case: Case) -> Iterator[Finding]:
    """Revocations and expiries of the grant that came before the attempt began."""
    for ending in case.decisions:
        if ending.event.verdict in ENDINGS and ends(ending, grant):
            timing = ended(ending, case)
            if timing.holds:
                detail = f"it was {ending.event.verdict} by {ending.ref} before the attempt began"
                yield timed(EXPIRED, detail, timing, grant.ref)


def ended(ending: Decision, case: Case) -> Timing:
    """Whether a revocation or expiry came before the attempt began; one that the attempt names did."""
    if ending.ref in case.attempt.named:
        return Timing(True, order.CAUSAL)
    return order.before_start(ending.report, case.attempt.reports)


def ends(ending: Decision, grant: Decision) -> bool:
    """``replaces`` names the grant that ends; without it, earlier ones of the same action or scope do."""
    if ending.event.replaces:
        return ending.event.replaces == grant.ref
    return concerns(ending, grant) and order.came_first(grant.report, ending.report).holds


def concerns(ending: Decision, other: Decision) -> bool:
    """Whether a revocation or expiry is about another decision, whatever came first."""
    if ending.event.replaces:
        return ending.event.replaces == other.ref
    if ending.event.action or other.event.action:
        return ending.event.action == other.event.action
    wide = ending.scope in ("session", "sticky") and ending.scope == other.scope
    return wide and ending.event.object == other.event.object


def limit_of(grant: AuthorizationDecided) -> int | None:
    """How many uses a grant is good for; ``None`` for any number."""
    scope = grant.scope
    if scope is None:
        return None
    return scope.limit or (1 if scope.kind == "once" else None)


def used_up(grant: Decision, case: Case) -> Iterator[Finding]:
    """Whether other uses had used the grant up. Attempts of one action under one key are one use."""
    limit = limit_of(grant.event)
    others = case.uses.get(grant.ref, ())
    if limit is None or not others:
        return
    mine = [case.attempt, *(other for other in others if use(other, case) == use(case.attempt, case))]
    earlier = sorted(
        (
            timing
            for group in _groups(others, case, use(case.attempt, case))
            if (timing := _before(group, mine)).holds
        ),
        key=lambda timing: order.BASES.index(timing.basis),
    )
    if len(earlier) >= limit:
        weakest = earlier[limit - 1]
        detail = f"it was good for {limit} {'use' if limit == 1 else 'uses'}, and others had come first"
        yield timed(USED_UP, detail, weakest, grant.ref)


def use(attempt: Attempt, case: Case) -> Use:
    """Which use of a grant an attempt is."""
    keys = attempt.keys
    if not keys and set(attempt.actions) & {action.ref for action in case.actions}:
        keys = frozenset(key for action in case.actions for key in action.keys)
    if keys and attempt.actions:
        return min(attempt.actions), min(keys)
    return attempt.ref, ""


def _groups(others: Iterable[Attempt], case: Case, own: Use) -> list[list[Attempt]]:
    groups: dict[Use, list[Attempt]] = {}
    for other in others:
        groups.setdefault(use(other, case), []).append(other)
    groups.pop(own, None)
    return list(groups.values())


def _before(group: list[Attempt], mine: list[Attempt]) -> Timing:
    """Whether any attempt of the group came before all of mine."""
    firsts = [_any_before(group, one) for one in mine]
    failing = [timing for timing in firsts if not timing.holds]
    return failing[0] if failing else max(firsts, key=lambda timing: order.BASES.index(timing.basis))


def _any_before(group: list[Attempt], mine: Attempt) -> Timing:
    found = [_began_first(theirs, mine) for theirs in group]
    return order.best([timing for timing in found if timing.holds] or found)


def _began_first(theirs: Attempt, mine: Attempt) -> Timing:
    if theirs.ref in mine.retries:
        return Timing(True, order.CAUSAL)
    if mine.ref in theirs.retries:
        return Timing(False, order.CAUSAL)
    return order.best(order.began_first(one, other) for one in theirs.reports for other in mine.reports)
