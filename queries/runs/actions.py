"""One action of a run against its counterpart: arguments, their sources, writes, repeated commits, effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from provmodel import names
from provmodel.events import ActionProposed, ToolCall
from queries.authority.arguments import WHOLE, Tags, compare_all, disagree, tags_of
from queries.authority.views import unique
from queries.runs.steps import ACTION, RunSteps, Step
from queries.runs.verdicts import (
    CANNOT_TELL,
    DIFFERS,
    DISAGREE,
    SAME,
    Aspect,
    State,
    doubted,
    in_doubt,
    overall,
    plain,
    versions,
)

SOURCED, UNSTATED = "sourced", ""
MAY_HAVE = frozenset({"accepted", "completed"})


class Side(NamedTuple):
    """A step of one run."""

    run: RunSteps
    step: Step

    @property
    def live(self) -> bool:
        return self.run.record.live

    def calls(self) -> list[ToolCall]:
        return [call for attempt in self.step.attempts for call in self.run.done.calls(attempt)]

    def silent(self) -> str:
        """That what entered is not reported, in words; "" where something is, or nothing was done."""
        if self.step.kind != ACTION:
            return "" if self.step.used else f"{self.step.ref} reports nothing that went in"
        calls = self.calls()
        return f"{self.step.ref} reports no reads" if calls and not any(c.reads for c in calls) else ""

    def disputed(self) -> str:
        """That the step, or an attempt of it, is reported in variants that differ, in words, or ""."""
        tried = [r for attempt in self.step.attempts for r in self.run.done.reports.get(attempt, ())]
        return self.step.disputed(tried)

    def asked(self) -> list[ActionProposed]:
        return [event for event in self.step.events() if isinstance(event, ActionProposed)]

    def tags(self) -> list[Tags]:
        """The tags of the arguments: as proposed; where nothing was, as executed."""
        proposed = [
            tags_of(r, r.event.arguments, "/arguments")
            for r in self.step.reports
            if isinstance(r.event, ActionProposed)
        ]
        found = [tags for tags in proposed if tags is not None]
        if found:
            return found
        reports = [r for attempt in self.step.attempts for r in self.run.done.reports.get(attempt, ())]
        executed = [
            tags_of(r, r.event.arguments, "/arguments") for r in reports if isinstance(r.event, ToolCall)
        ]
        return [tags for tags in executed if tags is not None]


def asked(first: Side, second: Side) -> list[Aspect]:
    """Tool definition, arguments, and how these came to be."""
    return [*_binding(first, second), *_arguments(first, second), *_kinds(first, second)]


def done(first: Side, second: Side) -> list[Aspect]:
    """What was written, how often it took place, how it was tried, and to what effect."""
    unsure = (first.run.unsure, second.run.unsure)
    return [
        *(doubted(aspect, unsure) for aspect in _writes(first, second)),
        *_commits(first, second),
        doubted(_attempts(first, second), unsure),
        *_effect(first, second),
    ]


def does(side: Side) -> frozenset[str]:
    """What an action is about, by which counterparts are found: its target, what it wrote, its arguments as
    far as they can be compared beyond their run.
    """
    things = [f"thing {names.split(ref).thing}" for ref in _touched(side)]
    tags = [
        f"{form.alg} {pointer} {tag}"
        for one in side.tags()
        for form in (one, one.also)
        if form is not None and not form.run
        for pointer, tag in (*form.values.items(), (WHOLE, form.whole))
    ]
    return frozenset((*things, *tags))


def _touched(side: Side) -> list[str]:
    written = [write.ref for call in side.calls() for write in call.writes]
    return [*(asked.target for asked in side.asked() if asked.target), *written]


def _binding(first: Side, second: Side) -> list[Aspect]:
    """The definitions of the tool, where a run names one."""
    one, other = (_bindings(side) for side in (first, second))
    if not one and not other:
        return []
    if not one or not other:
        why = "only one of the runs names the tool's definition"
        return [Aspect(name="binding", state=CANNOT_TELL, first=one, second=other, why=why)]
    if set(one) != set(other) and set(one) & set(other):
        return [Aspect(name="binding", state=CANNOT_TELL, first=one, second=other, why=DISAGREE)]
    found = [versions(mine, theirs) for mine, theirs in zip(sorted(one), sorted(other), strict=False)]
    if len(one) != len(other):
        found.append((DIFFERS, "the tool was defined in several ways"))
    state = overall(each for each, _ in found)
    why = "; ".join(dict.fromkeys(why for each, why in found if each == state and why))
    return [Aspect(name="binding", state=state, first=one, second=other, why=why)]


def _bindings(side: Side) -> tuple[str, ...]:
    asked, called = side.asked(), side.calls()
    return unique((*(one.tool_binding for one in asked), *(one.tool_binding for one in called)))


def _arguments(first: Side, second: Side) -> list[Aspect]:
    one, other = first.tags(), second.tags()
    if not one and not other:
        return []
    found = compare_all(one, other)
    if found.equal is None:
        return [Aspect(name="arguments", state=CANNOT_TELL, why=found.why)]
    if disagree(one, other):
        return [Aspect(name="arguments", state=CANNOT_TELL, pointers=found.pointers, why=DISAGREE)]
    if found.equal:
        return [Aspect(name="arguments", state=SAME)]
    where = ", ".join(pointer for pointer in found.pointers if pointer != WHOLE)
    why = f"other values at {where}" if where else "other arguments"
    return [Aspect(name="arguments", state=DIFFERS, pointers=found.pointers, why=why)]


def kinds(side: Side) -> dict[str, str]:
    """How each argument came to be, by pointer: sourced, assumed or invented; "" where nothing says so."""
    pointers = {pointer for tags in side.tags() for pointer in tags.values}
    found = dict.fromkeys(sorted(pointers), UNSTATED)
    found |= dict.fromkeys(sorted(side.run.sourced[side.step.ref]), SOURCED)
    for asked in side.asked():
        found |= {source.pointer: source.kind for source in asked.sources}
    return found


def _kinds(first: Side, second: Side) -> list[Aspect]:
    one, other = kinds(first), kinds(second)
    pairs = {pointer: (one[pointer], other[pointer]) for pointer in sorted(one.keys() & other.keys())}
    pairs = {pointer: pair for pointer, pair in pairs.items() if pair != (UNSTATED, UNSTATED)}
    if not pairs:
        return []
    changed = [p for p, (a, b) in pairs.items() if a != b and a and b]
    untold = [p for p, (a, b) in pairs.items() if a != b and not (a and b)]
    state: State = DIFFERS if changed else CANNOT_TELL if untold else SAME
    shown = changed or untold
    why = "; ".join(f"{p}: {pairs[p][0] or 'not stated'}, then {pairs[p][1] or 'not stated'}" for p in shown)
    told = [tuple(f"{p} {pairs[p][side] or 'not stated'}" for p in pairs) for side in (0, 1)]
    return [
        Aspect(
            name="argument_kinds", state=state, first=told[0], second=told[1], pointers=tuple(shown), why=why
        )
    ]


def _writes(first: Side, second: Side) -> list[Aspect]:
    """What was written and how, by things; contents are compared where both runs end."""
    one, other = (_written(side) for side in (first, second))
    if not one and not other:
        return []
    return [plain("writes", one, other, "other things were written, or in another way")]


def _written(side: Side) -> list[str]:
    return [f"{write.mode} {names.split(write.ref).thing}" for call in side.calls() for write in call.writes]


def _commits(first: Side, second: Side) -> list[Aspect]:
    """How often it took place, as far as it is known: at least, and at most."""
    one, other = _range(first), _range(second)
    if not one[1] and not other[1]:
        return []
    mine, theirs = (f"{low}" if low == high else f"{low} to {high}" for low, high in (one, other))
    made = partial(Aspect, name="commits", first=(mine,), second=(theirs,))
    if not (first.live and second.live) and one != other:
        return [made(state=CANNOT_TELL, why="one of the runs was not live")]
    if one == other and one[0] == one[1]:
        return [made(state=SAME)]
    if _apart(one, other):
        return [
            _other_commits(
                first, second, made, f"{_times(mine)} in the first, {_times(theirs)} in the second"
            )
        ]
    return [made(state=CANNOT_TELL, why="the outcome of an attempt is not known")]


def _other_commits(first: Side, second: Side, made: Callable[..., Aspect], times: str) -> Aspect:
    """That it took place more often in one run: as was read back, or as the tools of both have it."""
    less = first if _range(first) < _range(second) else second
    if _apart(_range(first, verified=True), _range(second, verified=True)):
        return in_doubt(made(state=DIFFERS, why=f"it was done {times}"), less.run.unsure)
    if _apart(_reported(first), _reported(second)):
        return in_doubt(made(state=DIFFERS, why=f"it is reported as done {times}"), less.run.unsure)
    return made(state=CANNOT_TELL, why="whether it took effect was read back in one of the runs alone")


def _apart(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[1] < other[0] or other[1] < one[0]


def _times(count: str) -> str:
    """How often: a number, or a range of them."""
    return {"0": "not", "1": "once", "2": "twice"}.get(count, f"{count} times")


def _range(side: Side, verified: bool = False) -> tuple[int, int]:
    """How often it took place, at least and at most: at least as often as its tool took it, or as was read
    back (``verified``)."""
    sure = maybe = 0
    for attempt in side.step.attempts:
        calls = side.run.done.calls(attempt)
        effect = side.run.done.effect_of(attempt)
        if effect == "confirmed_failed" or not calls:
            continue
        taken = effect != "contradicted" and _took(calls)
        if effect == "confirmed" or (taken and not verified):
            sure += 1
        elif taken or effect == "contradicted" or _unknown(calls):
            maybe += 1
    return sure, sure + maybe


def _reported(side: Side) -> tuple[int, int]:
    """How often it took place by what the tools say alone."""
    attempts = [side.run.done.calls(attempt) for attempt in side.step.attempts]
    sure = sum(_took(calls) for calls in attempts)
    return sure, sure + sum(_unknown(calls) for calls in attempts if not _took(calls))


def _took(calls: Sequence[ToolCall]) -> bool:
    """Whether a tool took what was to be written."""
    return any(call.writes for call in calls) and any(call.outcome in MAY_HAVE for call in calls)


def _unknown(calls: Iterable[ToolCall]) -> bool:
    return any(call.outcome == "unknown" for call in calls)


def _attempts(first: Side, second: Side) -> Aspect:
    """How often it was tried, and what the tool made of it."""
    one, other = (_outcomes(side) for side in (first, second))
    if one == other:
        return Aspect(name="attempts", state=SAME, first=one, second=other)
    why = f"{', '.join(one) or 'none'} in the first, {', '.join(other) or 'none'} in the second"
    return Aspect(name="attempts", state=DIFFERS, first=one, second=other, why=why)


def _outcomes(side: Side) -> tuple[str, ...]:
    told = [unique(call.outcome for call in side.run.done.calls(attempt)) for attempt in side.step.attempts]
    return tuple(sorted("/".join(sorted(outcomes)) for outcomes in told if outcomes))


def _effect(first: Side, second: Side) -> list[Aspect]:
    """What is known of the effect; that one of them was not verified is no difference of effects."""
    if not any(_matters(side.calls()) for side in (first, second)):
        return []
    one, other = (_effect_of(side) for side in (first, second))
    made = partial(Aspect, name="effect", first=(one,), second=(other,))
    if not (first.live and second.live):
        return [made(state=CANNOT_TELL, why="one of the runs was not live")]
    if "contradicted" in (one, other):
        return [made(state=CANNOT_TELL, why="verifiers contradict each other about it")]
    if not {one, other} <= {"confirmed", "confirmed_failed"}:
        return [made(state=CANNOT_TELL, why="it was not verified in both runs")]
    if one == other:
        return [made(state=SAME)]
    return [made(state=DIFFERS, why=f"{one} in the first, {other} in the second")]


def _matters(calls: Iterable[ToolCall]) -> bool:
    return any(call.writes or call.outcome == "unknown" for call in calls)


def _effect_of(side: Side) -> str:
    attempts: Sequence[str] = side.step.attempts
    return side.run.done.effect(attempts[0]) if attempts else "not tried"
