"""Actions with their attempts, in order, and what is known of the effect of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from provmodel import names
from provmodel.events import ActionProposed, ToolCall, Verification
from provmodel.evidence import WORDS
from provmodel.times import nanoseconds
from queries.attempts.entries import Checked, Operation, Tried, Written
from queries.attempts.gathering import Gathered
from queries.authority import order
from queries.authority.views import Attempt, unique
from queries.effect import Calls, effect_of_action, effect_of_attempt
from queries.links import Link


def operations_of(gathered: Gathered) -> tuple[Operation, ...]:
    """The actions by when they were asked for or first tried, then by reference; attempts without an action
    each by themselves."""
    at: dict[str, list[str]] = {action: [] for action in gathered.actions}
    for ref, attempt in gathered.attempts.items():
        for action in attempt.actions or ("",):
            at.setdefault(action, []).append(ref)
    alone = at.pop("", [])
    found = [_operation(gathered, action, refs) for action, refs in at.items()]
    found += [_operation(gathered, "", [ref]) for ref in alone]
    return tuple(sorted(found, key=_place))


def _place(operation: Operation) -> tuple[int, str, str]:
    times = [time for time in (operation.asked, *(a.started or a.ended for a in operation.attempts)) if time]
    first = operation.attempts[0].attempt if operation.attempts else ""
    return min((nanoseconds(time) for time in times), default=0), operation.action, first


def _operation(gathered: Gathered, action: str, refs: Sequence[str]) -> Operation:
    attempts = sorted((gathered.attempts[ref] for ref in refs), key=_begun)
    calls = {attempt.ref: attempt.calls for attempt in attempts}
    checks = gathered.reading.verifications
    asked = [report.event for report in gathered.reading.reports.get(action, ())]
    proposed = [event for event in asked if isinstance(event, ActionProposed)]
    told: list[ActionProposed | ToolCall] = [*proposed, *chain.from_iterable(calls.values())]
    if action:
        effect = effect_of_action(calls, checks, action)
    else:
        effect = effect_of_attempt(attempts[0].ref, calls, checks)
    return Operation(
        action=action,
        effect=effect,
        attempts=tuple([_tried(gathered, attempt, calls, checks, action) for attempt in attempts]),
        tool=next(iter(unique(names.under("tool", event.tool) for event in told)), ""),
        run=next(iter(unique(event.run for event in told)), ""),
        target=next(iter(unique(event.target for event in proposed)), ""),
        stake=next(iter(unique(event.stake for event in proposed)), ""),
        asked=min((event.time for event in proposed), key=nanoseconds, default=""),
    )


def _begun(attempt: Attempt) -> tuple[int, int, str]:
    """When an attempt began, by its own reports; then its number; then its reference."""
    calls = attempt.calls
    numbers = [call.attempt_number for call in calls if call.attempt_number]
    return min((order.begun(call) for call in calls), default=0), min(numbers, default=0), attempt.ref


def _tried(
    gathered: Gathered, attempt: Attempt, calls: Calls, checks: Iterable[Verification], action: str
) -> Tried:
    told = attempt.calls
    return Tried(
        attempt=attempt.ref,
        outcome=attempt.outcomes,
        effect=effect_of_attempt(attempt.ref, calls, checks, action),
        number=next((call.attempt_number for call in told if call.attempt_number), 0),
        retry_of=tuple(sorted(attempt.retries)),
        key=next(iter(sorted(attempt.keys)), ""),
        started=next((call.started for call in told if call.started), ""),
        ended=next((call.ended for call in told if call.ended), ""),
        error=next((call.error for call in told if call.error), ""),
        http_status=next((call.http_status for call in told if call.http_status), 0),
        writes=tuple(_writes(gathered, attempt)),
        checks=tuple(_checks(gathered, attempt, checks, action)),
        decisions=tuple(sorted(attempt.named)),
    )


def _writes(gathered: Gathered, attempt: Attempt) -> list[Written]:
    """What the attempt's reports name, and what else is known or concluded to come from it."""
    links = {gathered.reading.refs[link.source]: link for link in gathered.made.get(attempt.ref, ())}
    modes: dict[str, str] = {}
    for call in attempt.calls:
        for write in call.writes:
            ref = write.ref if write.mode == "delete" else names.occurrence(write.ref, attempt.ref)
            modes.setdefault(ref, write.mode)
    refs = sorted({*links, *modes})
    return [_written(ref, links.get(ref), modes) for ref in refs]


def _written(ref: str, link: Link | None, modes: Mapping[str, str]) -> Written:
    evidence = WORDS[link.supporting] if link else ""
    return Written(ref, evidence, modes.get(ref, ""), ref in modes, bool(link and link.refuted))


def _checks(
    gathered: Gathered, attempt: Attempt, checks: Iterable[Verification], action: str
) -> list[Checked]:
    """Verifications of the attempt, of what it wrote, and of its action when they name no other attempt."""
    written = {
        ref for write in _writes(gathered, attempt) for ref in (write.ref, write.ref.partition(names.BY)[0])
    }
    found = [
        Checked(
            check.verification,
            check.verdict,
            check.method,
            check.subject,
            check.read.ref if check.read else "",
        )
        for check in checks
        if (check.attempt == attempt.ref)
        or (not check.attempt and check.subject in {attempt.ref, *written, *((action,) if action else ())})
    ]
    return sorted(set(found), key=lambda each: (each.verification, each.verdict))
