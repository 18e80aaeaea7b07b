"""Judge one write: which outcomes hold, on which decisions and on which basis.

- A covering grant gives ``authorized`` (``modified`` when it changed the arguments);
  ``claimed_not_authenticated``, ``self_approved`` and ``allowed_by_default`` may stand beside it.
- What keeps a grant from covering is an outcome when no other grant covers, and always for a decision that
  the attempt names.
- A denial, an unanswered question and a cancellation stand whatever else was granted.
- Without any decision, what the run's sources can record tells ``nobody_recorded``, ``not_recordable`` and
  ``coverage_unknown`` apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from provmodel.events import Write
from queries.authority import findings as outcome
from queries.authority import limits, order
from queries.authority.cancels import cancelled
from queries.authority.coverage import Coverage, Misfit, cover, reach
from queries.authority.findings import Finding, timed
from queries.authority.views import ENDINGS, Case, Decision
from queries.graph import Unchecked

DECISIONS = "authorization_decided"
_ANSWERS = frozenset({"allow", "modify", "deny"})


class Weighed(msgspec.Struct, frozen=True):
    """One decision held against the write: whether it covers it, and what was found about it."""

    decision: Decision
    covers: bool
    findings: tuple[Finding, ...]
    unchecked: tuple[Unchecked, ...] = ()


class Judgement(msgspec.Struct, frozen=True):
    """``outcomes`` are all that hold; ``findings`` say why; ``weighed`` are the decisions that bear on the
    write.
    """

    outcomes: tuple[str, ...]
    findings: tuple[Finding, ...]
    weighed: tuple[Weighed, ...]
    unchecked: tuple[Unchecked, ...]


def judge(case: Case, write: Write | None) -> Judgement:
    """Judge one write of the case's attempt; ``None`` for a write that is only possible."""
    bearing = _bearing(case, write)
    weighed = [_weigh(decision, case, write) for decision in bearing]
    noted = list(_whole_write(weighed, case))
    found = [*_of_grants(weighed, case), *(item for item in noted if isinstance(item, Finding))]
    if not bearing or not any(finding.outcome not in outcome.BESIDE for finding in found):
        found.append(_nobody(bool(bearing), case))
    ordered = _ordered(found)
    unchecked = [item for item in noted if isinstance(item, Unchecked)]
    unchecked += [item for each in weighed for item in each.unchecked]
    names = outcome.names_of(ordered)
    held = tuple(finding for finding in ordered if finding.outcome in names)
    return Judgement(names, held, tuple(weighed), tuple(dict.fromkeys(unchecked)))


def _bearing(case: Case, write: Write | None) -> list[Decision]:
    """The decisions that bear on the write, and those that end one of them."""
    bearing = {decision.ref for decision in case.decisions if _bears(decision, case, write)}
    return [d for d in case.decisions if d.ref in bearing or (_is_ending(d) and d.event.replaces in bearing)]


def _is_ending(decision: Decision) -> bool:
    return decision.event.verdict in ENDINGS


def _bears(decision: Decision, case: Case, write: Write | None) -> bool:
    """Named, or about the action, or reaching the attempt by its scope."""
    if decision.ref in case.attempt.named or decision.event.action in case.attempt.actions:
        return True
    if _is_ending(decision) and decision.event.replaces:
        return False
    return not reach(decision, case, write).misfits


def _weigh(decision: Decision, case: Case, write: Write | None) -> Weighed:
    if not decision.grants:
        return Weighed(decision, False, tuple(_against(decision, case, write)))
    fit = cover(decision, case, write)
    found = (
        *_misfitting(decision, fit),
        *limits.in_time(decision, case),
        *limits.endings(decision, case),
        *limits.used_up(decision, case),
    )
    unchecked = fit.unchecked if found else (*fit.unchecked, *limits.doubts(decision, case))
    return Weighed(decision, not found, found or (_covering(decision),), unchecked)


def _covering(grant: Decision) -> Finding:
    if grant.event.verdict == "modify":
        return Finding(outcome.MODIFIED, "it changed the arguments, and the changed ones ran", grant.ref)
    return Finding(outcome.AUTHORIZED, "it covers the write", grant.ref)


def _misfitting(decision: Decision, fit: Coverage) -> list[Finding]:
    return [_something_else(decision, misfit) for misfit in fit.misfits]


def _something_else(decision: Decision, misfit: Misfit) -> Finding:
    return Finding(
        outcome.SOMETHING_ELSE, misfit.detail, decision.ref, side=misfit.side, pointers=misfit.pointers
    )


def _against(decision: Decision, case: Case, write: Write | None) -> Iterator[Finding]:
    """What a decision that grants nothing says: denials and endings; questions are weighed together."""
    misfits = reach(decision, case, write)
    if misfits.misfits:
        if decision.ref in case.attempt.named:
            yield from _misfitting(decision, misfits)
    elif decision.event.verdict == "deny":
        yield Finding(outcome.DENIED, "it denied what was done", decision.ref)
    elif _is_ending(decision) and not _told_elsewhere(decision, case):
        timing = limits.ended(decision, case)
        if timing.holds:
            detail = f"it says {decision.event.verdict}; what it ended is not recorded"
            yield timed(outcome.EXPIRED, detail, timing, decision.ref)


def _told_elsewhere(ending: Decision, case: Case) -> bool:
    """Whether the finding is made about the grant that ended, or about the question that lapsed."""
    if ending.ref in case.attempt.named:
        return False
    about = [d for d in case.decisions if limits.concerns(ending, d)]
    return any(d.grants or d.event.verdict == "ask" for d in about)


def _of_grants(weighed: Sequence[Weighed], case: Case) -> Iterator[Finding]:
    """Findings of the grants that count: the covering ones if there are any, and always those named."""
    grants = [each for each in weighed if each.decision.grants]
    named = [each for each in grants if each.decision.ref in case.attempt.named]
    covering = [each for each in grants if each.covers]
    clean = [each for each in covering if not any(_beside(each.decision, case))]
    relied = [each for each in named if each.covers] or clean or covering
    counted = [*relied, *(each for each in named if not each.covers)] if covering else grants
    for each in counted:
        yield from each.findings
        yield from _beside(each.decision, case)


def _beside(grant: Decision, case: Case) -> Iterator[Finding]:
    """What may be said of the decider of a grant, beside whether it covers."""
    decider = grant.event.decider
    if decider.kind == "default":
        yield Finding(outcome.DEFAULT, "nobody decided: the default allowed it", grant.ref)
    elif _configured(grant):
        yield Finding(outcome.DEFAULT, f"{decider.id} allowed it by configuration, under no rule", grant.ref)
    if grant.decider in case.actors or decider.id in case.actors:
        yield Finding(outcome.SELF, f"{decider.id} decided about its own action", grant.ref)
    if not grant.authenticated and decider.kind != "default":
        yield Finding(outcome.CLAIMED, f"nothing vouches that it was {decider.id} who decided", grant.ref)


def _configured(grant: Decision) -> bool:
    """A configuration without a policy rule: what stands for a policy, and names neither one nor a rule of
    it.
    """
    event = grant.event
    if event.decider.kind != "policy" or (event.policy and event.policy.rule):
        return False
    return not (event.policy.ref if event.policy else event.decider.id).startswith("policy:")


def _whole_write(weighed: Sequence[Weighed], case: Case) -> Iterator[Finding | Unchecked]:
    """What stands whatever was granted: denials, endings of grants nobody recorded, open questions,
    cancellations.
    """
    for each in weighed:
        if not each.decision.grants:
            yield from each.findings
    yield from _open_questions(weighed)
    relied = case.attempt.named | {each.decision.ref for each in weighed if each.covers}
    yield from cancelled(case, relied)
    yield from _conflicts(weighed, case)
    for ref in sorted(case.attempt.named - {decision.ref for decision in case.decisions}):
        yield Unchecked(ref, "the attempt names this decision, and nothing describes it")


def _open_questions(weighed: Sequence[Weighed]) -> Iterator[Finding]:
    answers = [each.decision for each in weighed if each.decision.event.verdict in _ANSWERS]
    for each in weighed:
        asked = each.decision
        if asked.event.verdict == "ask" and not any(_answers(answer, asked) for answer in answers):
            detail = "it asked, and no answer is recorded"
            yield Finding(outcome.ASKED, detail, asked.ref)


def _answers(answer: Decision, asked: Decision) -> bool:
    """An answer is about the same action, or names the question; a wider grant answers unless it was there
    before.
    """
    if answer.event.replaces == asked.ref or answer.event.action == asked.event.action is not None:
        return True
    return answer.event.action is None and not order.came_first(answer.report, asked.report).holds


def _conflicts(weighed: Sequence[Weighed], case: Case) -> Iterator[Unchecked]:
    reports = [(each.decision.ref, each.decision.report) for each in weighed]
    reports += [(case.attempt.ref, report) for report in case.attempt.reports]
    reports += [(action.ref, report) for action in case.actions for report in action.reports]
    for ref in dict.fromkeys(ref for ref, report in reports if report.conflict):
        yield Unchecked(
            ref, "its event was delivered in variants that differ; each was judged, none preferred"
        )
    verdicts: dict[str, set[str]] = {}
    for each in weighed:
        verdicts.setdefault(each.decision.ref, set()).add(each.decision.event.verdict)
    for ref, said in verdicts.items():
        if len(said) > 1:
            told = " and as ".join(sorted(said))
            yield Unchecked(ref, f"it is told as {told}; each was judged, none preferred")


def _nobody(decided: bool, case: Case) -> Finding:
    """No decision that bears on it: did one of the sources have to record it?"""
    told = "no grant is recorded" if decided else "no decision is recorded"
    if case.attempt.named and not decided:
        told = f"the attempt names {', '.join(sorted(case.attempt.named))}, which nothing describes"
    states = case.sources()
    covering = sorted({s.source for s in states if s.covers and DECISIONS in s.covers})
    if covering:
        return Finding(outcome.NOBODY, f"{told}, though {', '.join(covering)} records decisions")
    reporting = {state.source for state in states if state.covers is not None}
    silent = sorted({state.source for state in states} - reporting)
    if states and not silent:
        return Finding(outcome.NOT_RECORDABLE, f"{told}, and no source of the run can record decisions")
    who = f"{', '.join(silent)} never said" if silent else "no source said"
    return Finding(outcome.UNKNOWN_COVERAGE, f"{told}; {who} whether decisions would be")


def _ordered(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(
        sorted(dict.fromkeys(found), key=lambda f: (*outcome.rank(f.outcome), f.decision, f.side, f.detail))
    )
