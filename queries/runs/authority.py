"""Who allowed the actions of a run, in words that two runs can be compared by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from provmodel.evidence import ALL_EVIDENCE
from queries.authority.entries import DecisionView, WriteView
from queries.authority.findings import POSSIBLY, UNKNOWN_COVERAGE
from queries.authority.telling import tell
from queries.authority.views import unique
from queries.graph import Graph, Unchecked
from queries.runs.steps import ACTION, RunSteps
from queries.runs.verdicts import CANNOT_TELL, DIFFERS, SAME, Aspect, State, in_doubt, overall, versions
from queries.targets import Chosen

ATTEMPTS = 1000
"""Attempts and actions of one run whose authority is judged."""


class Authority(msgspec.Struct, frozen=True):
    """What holds of one action: the outcomes of its attempts, and the decisions about it."""

    outcomes: tuple[str, ...] = ()
    decisions: tuple[DecisionView, ...] = ()


class Authorities:
    """The authority of each action of a run, by reference."""

    def __init__(self, graph: Graph, as_of: int, run: RunSteps) -> None:
        refs = unique(ref for step in run.steps if step.kind == ACTION for ref in (step.ref, *step.attempts))
        ids = graph.ids(refs[:ATTEMPTS], as_of)
        starts = [Chosen(ref, node, ref, "exact") for ref, node in ids.items()]
        told = tell(graph, as_of, ALL_EVIDENCE, starts)
        self.clipped = len(refs) > ATTEMPTS
        self.unchecked: tuple[Unchecked, ...] = told.unchecked
        self._writes: defaultdict[str, list[WriteView]] = defaultdict(list)
        self._decided: defaultdict[str, list[DecisionView]] = defaultdict(list)
        for view in told.writes:
            self._writes[view.attempt].append(view)
        for decision in told.decisions:
            self._decided[decision.action].append(decision)

    def of(self, action: str, attempts: Sequence[str]) -> Authority:
        views = [view for attempt in attempts for view in self._writes.get(attempt, ())]
        decisions = {d.event: d for view in views for d in view.decisions}
        decisions |= {d.event: d for d in self._decided.get(action, ())}
        outcomes = sorted({outcome for view in views for outcome in view.outcomes})
        return Authority(
            tuple(outcomes), tuple(sorted(decisions.values(), key=lambda d: (d.decision, d.time, d.verdict)))
        )


def compare(first: Authority, second: Authority) -> Aspect:
    """Whether the same was allowed, by whom, under which policy."""
    found = [_outcomes(first.outcomes, second.outcomes)]
    one, other = _relied(first.decisions), _relied(second.decisions)
    found += [
        _words("verdict", [d.verdict for d in one], [d.verdict for d in other]),
        _words("decided by", [_decider(d) for d in one], [_decider(d) for d in other]),
        _words(
            "scope",
            [d.scope.kind if d.scope else "" for d in one],
            [d.scope.kind if d.scope else "" for d in other],
        ),
        _words("capability", [d.capability for d in one], [d.capability for d in other]),
        _policies(one, other),
    ]
    state = overall(each for each, _ in found)
    return Aspect(
        name="authority",
        state=state,
        first=_told(first, one),
        second=_told(second, other),
        why="; ".join(dict.fromkeys(why for each, why in found if each == state and why)),
    )


def doubted(aspect: Aspect, sides: tuple[Authority, Authority], unsure: tuple[str, str]) -> Aspect:
    """That a run has no decision where the other has one is no difference if it may have been lost."""
    first, second = (bool(side.decisions) for side in sides)
    return in_doubt(aspect, unsure[0] if second and not first else unsure[1] if first and not second else "")


def _relied(decisions: Sequence[DecisionView]) -> list[DecisionView]:
    """The decisions that count: those that cover or are named; without such, all."""
    relied = [decision for decision in decisions if decision.covers or decision.named]
    return relied or list(decisions)


def _outcomes(first: Sequence[str], second: Sequence[str]) -> tuple[State, str]:
    sure = [{name for name in names if not name.startswith(POSSIBLY)} for names in (first, second)]
    maybe = [
        {name.removeprefix(POSSIBLY) for name in names} - own
        for names, own in zip((first, second), sure, strict=True)
    ]
    if UNKNOWN_COVERAGE in sure[0] | sure[1]:
        return CANNOT_TELL, "it is not known whether decisions would be recorded"
    if not (maybe[0] or maybe[1]):
        one, other = (", ".join(names) or "nothing to authorize" for names in (first, second))
        return (SAME, "") if sure[0] == sure[1] else (DIFFERS, f"{one} in the first, {other} in the second")
    return CANNOT_TELL, "it depends on two clocks"


def _words(what: str, first: Iterable[str], second: Iterable[str]) -> tuple[State, str]:
    one, other = sorted(set(first) - {""}), sorted(set(second) - {""})
    if one == other:
        return SAME, ""
    return (
        DIFFERS,
        f"{what}: {', '.join(one) or 'none'} in the first, {', '.join(other) or 'none'} in the second",
    )


def _decider(decision: DecisionView) -> str:
    decider = decision.decider
    return f"{decider.id} ({decider.kind}, {decider.authenticated})"


def _policies(first: Sequence[DecisionView], second: Sequence[DecisionView]) -> tuple[State, str]:
    rules = [sorted({_rule(d) for d in decisions} - {""}) for decisions in (first, second)]
    if rules[0] != rules[1]:
        return _words("policy rule", rules[0], rules[1])
    refs = [sorted({d.policy.ref for d in decisions if d.policy}) for decisions in (first, second)]
    if len(refs[0]) != len(refs[1]):
        return _words("policy", refs[0], refs[1])
    pinned = all(d.policy.revision for d in (*first, *second) if d.policy)
    states = [
        versions(one, other)
        for one, other in zip(refs[0], refs[1], strict=True)
        if one != other or not pinned
    ]
    state = overall(each for each, _ in states)
    return state, "; ".join(dict.fromkeys(why for each, why in states if each == state and why))


def _rule(decision: DecisionView) -> str:
    policy = decision.policy
    return " ".join(part for part in (policy.rule, policy.revision) if part) if policy else ""


def _told(authority: Authority, decisions: Iterable[DecisionView]) -> tuple[str, ...]:
    words = [
        f"{d.verdict} by {d.decider.id}" + (f" under {d.policy.ref}" if d.policy else "") for d in decisions
    ]
    return (*authority.outcomes, *dict.fromkeys(words))
