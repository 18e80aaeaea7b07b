"""What an answer says of each write: asked, allowed, tried, done, and how these differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from provmodel import names
from provmodel.events import ToolCall, Write
from provmodel.evidence import WORDS
from queries.authority.arguments import WHOLE, letters
from queries.authority.findings import SOMETHING_ELSE, Finding
from queries.authority.outcomes import Judgement, Weighed
from queries.authority.views import Action, Attempt, Case, Decision
from queries.effect import Effect, effect_of_action, effect_of_attempt, effect_of_write
from queries.links import Link


class DeciderView(msgspec.Struct, frozen=True):
    """Who decided; ``authenticated`` is "authenticated" or "claimed"."""

    id: str
    kind: str
    authenticated: str


class PolicyView(msgspec.Struct, frozen=True, omit_defaults=True):
    """The policy that a decision stands on."""

    ref: str
    rule: str = ""
    revision: str = ""


class ScopeView(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far a decision reaches: once, calls, sticky or session."""

    kind: str
    limit: int | None = None
    calls: tuple[str, ...] = ()


class DecisionView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One report of a decision that bears on the write.

    ``covers`` says that it authorizes the write; ``named`` that the attempt names it; ``valid`` is (from,
    until), "" for an open end; ``event`` is the seq of its event, ``conflict`` says that there are variants
    of it.
    """

    decision: str
    verdict: str
    covers: bool
    named: bool
    decider: DeciderView
    policy: PolicyView | None = None
    capability: str = ""
    scope: ScopeView | None = None
    object: str = ""
    valid: tuple[str, str] | None = None
    replaces: str = ""
    action: str = ""
    time: str = ""
    reason: str = ""
    event: int
    conflict: bool = False


class AskedView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One report of the action that was asked for: by whom, with which tool, for what."""

    action: str
    by: tuple[str, ...]
    tool: str
    time: str
    target: str = ""
    target_before: str = ""
    stake: str = ""
    key: str = ""
    call: str = ""
    event: int


class Difference(msgspec.Struct, frozen=True):
    """One argument that did not run as granted; equal letters mean equal values, "" that none is known.

    ``pointer`` is a JSON pointer, "" for the whole.
    """

    pointer: str
    proposed: str
    shown: str
    authorized: str
    executed: str
    decision: str


class AttemptView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Another attempt at the same action, its outcome as the tool has it, and what is known of its effect."""

    attempt: str
    outcome: tuple[str, ...]
    effect: Effect
    key: str = ""
    started: str = ""
    wrote: bool = False


class WriteView(msgspec.Struct, frozen=True, kw_only=True):
    """One write and its judgement. ``write`` is the occurrence made or the version deleted, null when none
    was reported.

    ``possible`` marks an attempt of unknown outcome that may have written. ``evidence`` says how well it is
    known that the attempt made it, ``refuted`` that something stronger speaks against it. ``effect`` is that
    of the action, ``attempt_effect`` that of this write of this attempt alone.
    """

    write: str | None
    thing: str | None
    mode: str | None
    possible: bool
    evidence: str
    refuted: bool
    attempt: str
    outcome: tuple[str, ...]
    action: str | None
    run: str | None
    tool: str | None
    started: str | None
    ended: str | None
    outcomes: tuple[str, ...]
    findings: tuple[Finding, ...]
    decisions: tuple[DecisionView, ...]
    asked: tuple[AskedView, ...]
    effect: Effect
    attempt_effect: Effect
    differences: tuple[Difference, ...]
    other_attempts: tuple[AttemptView, ...]


def entry(
    case: Case, judged: Judgement, ref: str | None, write: Write | None, link: Link | None
) -> WriteView:
    """One write of an answer; ``link`` is the edge from it to its attempt, when there is one."""
    attempt, calls = case.attempt, case.attempt.calls
    action = case.actions[0].ref if case.actions else None
    thing = ref or next(iter(case.targets()), None)
    return WriteView(
        write=ref,
        thing=names.split(thing).thing if thing else None,
        mode=write.mode if write else None,
        possible=ref is None,
        evidence=WORDS[link.supporting] if link else "",
        refuted=bool(link and link.refuted),
        attempt=attempt.ref,
        outcome=attempt.outcomes,
        action=action,
        run=next(iter(case.runs()), None),
        tool=next(iter(sorted(attempt.tools)), None),
        started=_first(call.started for call in calls),
        ended=_first(call.ended for call in calls),
        outcomes=judged.outcomes,
        findings=judged.findings,
        decisions=tuple(_decision(weighed, attempt) for weighed in judged.weighed),
        asked=tuple(view for one in case.actions for view in asked_for(one)),
        effect=_effect(case, action),
        attempt_effect=_effect_of_write(ref, case, action),
        differences=tuple(_differences(case, judged)),
        other_attempts=tuple(_other(other, case, action) for other in case.siblings),
    )


def asked_for(action: Action) -> list[AskedView]:
    """The action as each of its reports has it."""
    return [
        AskedView(
            action=action.ref,
            by=tuple(sorted(action.askers)),
            tool=names.under("tool", asked.tool),
            time=asked.time,
            target=asked.target or "",
            target_before=asked.target_before or "",
            stake=asked.stake or "",
            key=asked.key or "",
            call=asked.call or "",
            event=report.seq,
        )
        for report, asked in zip(action.reports, action.asked, strict=True)
    ]


def _decision(weighed: Weighed, attempt: Attempt) -> DecisionView:
    named = weighed.decision.ref in attempt.named
    return decision_view(weighed.decision, covers=weighed.covers, named=named)


def decision_view(decision: Decision, *, covers: bool = False, named: bool = False) -> DecisionView:
    """A decision as its report has it."""
    event = decision.event
    policy, scope, valid = event.policy, event.scope, event.valid
    return DecisionView(
        decision=decision.ref,
        verdict=event.verdict,
        covers=covers,
        named=named,
        decider=DeciderView(
            event.decider.id, event.decider.kind, "authenticated" if decision.authenticated else "claimed"
        ),
        policy=PolicyView(policy.ref, policy.rule or "", policy.revision or "") if policy else None,
        capability=event.capability or "",
        scope=ScopeView(scope.kind, scope.limit, scope.calls) if scope else None,
        object=event.object or "",
        valid=(valid.start or "", valid.until or "") if valid else None,
        replaces=event.replaces or "",
        action=event.action or "",
        time=event.time,
        reason=event.reason or "",
        event=decision.report.seq,
        conflict=decision.report.conflict,
    )


def _differences(case: Case, judged: Judgement) -> Iterable[Difference]:
    by_ref = {weighed.decision.ref: weighed.decision for weighed in judged.weighed}
    for finding in judged.findings:
        if finding.outcome == SOMETHING_ELSE and finding.side == "pointer":
            decision = by_ref[finding.decision]
            for pointer in finding.pointers or (WHOLE,):
                yield Difference(pointer, *_side_by_side(case, decision, pointer), decision.ref)


def _side_by_side(case: Case, decision: Decision, pointer: str) -> tuple[str, str, str, str]:
    proposed = [tags for action in case.actions for tags in action.proposed]
    if not proposed and decision.about:
        proposed = [*decision.about.proposed]
    sides = (proposed, decision.shown, decision.authorized, case.attempt.executed)
    first, second, third, fourth = letters(pointer, sides)
    return first, second, third, fourth


def _effect(case: Case, action: str | None) -> Effect:
    """The effect of the action; without one, of the attempt."""
    calls = _calls(case)
    if action is None:
        return _effect_of(case.attempt, case, action)
    return effect_of_action(calls, case.verifications, action)


def _effect_of(attempt: Attempt, case: Case, action: str | None) -> Effect:
    return effect_of_attempt(attempt.ref, _calls(case), case.verifications, action or "")


def _effect_of_write(ref: str | None, case: Case, action: str | None) -> Effect:
    if ref is None:
        return _effect_of(case.attempt, case, action)
    return effect_of_write(ref, case.attempt.ref, _calls(case), case.verifications, action or "")


def _other(other: Attempt, case: Case, action: str | None) -> AttemptView:
    return AttemptView(
        attempt=other.ref,
        outcome=other.outcomes,
        effect=_effect_of(other, case, action),
        key=next(iter(sorted(other.keys)), ""),
        started=_first(call.started for call in other.calls) or "",
        wrote=other.wrote(),
    )


def _calls(case: Case) -> dict[str, Sequence[ToolCall]]:
    return {attempt.ref: attempt.calls for attempt in (case.attempt, *case.siblings)}


def _first(times: Iterable[str | None]) -> str | None:
    return next((time for time in times if time), None)
