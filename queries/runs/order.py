"""The order of a run's steps: causal where one depends on another, else as one source saw it happen.

Steps that nothing orders are parallel. So are those that one model call proposed together, whatever was
executed first.
"""

from __future__ import annotations

from collections.abc import Sequence

from provmodel.events import Envelope
from provmodel.times import nanoseconds
from queries.authority.order import reported_first
from queries.runs.steps import RunSteps, Step

TIMED = 600
"""Steps of one run whose times are compared with each other."""


class Order:
    """``before[n]`` are the steps that step ``n`` depends on, directly; ``level[n]`` is the length of the
    longest chain of these. ``causes[n]`` and ``earlier[n]`` are bit sets: all that came before by dependence,
    and by the clock and numbers of one source.
    """

    def __init__(self, run: RunSteps) -> None:
        self.steps = run.steps
        self.before = _dependences(run.steps)
        self.level, self.order = _levels(self.before, run.steps)
        self.causes = [0] * len(self.steps)
        for step in self.order:
            for other in self.before[step]:
                self.causes[step] |= self.causes[other] | 1 << other
        self.timed = len(self.steps) <= TIMED
        self.earlier = _earlier(run, self.causes) if self.timed else [0] * len(self.steps)


def _dependences(steps: Sequence[Step]) -> list[set[int]]:
    """For each step, those that made what it used, or proposed it; never itself."""
    makers: dict[str, set[int]] = {}
    by_ref = {step.ref: number for number, step in enumerate(steps)}
    for number, step in enumerate(steps):
        for ref in step.made:
            makers.setdefault(ref, set()).add(number)
    found: list[set[int]] = []
    for number, step in enumerate(steps):
        on = {maker for ref, _ in step.used for maker in makers.get(ref, ())}
        if step.call in by_ref:
            on.add(by_ref[step.call])
        found.append(on - {number})
    return found


def _levels(before: Sequence[set[int]], steps: Sequence[Step]) -> tuple[list[int], list[int]]:
    """Level by level, what depends on nothing left; a knot of steps that depend on each other is cut at its
    first.
    """
    level = [0] * len(steps)
    order: list[int] = []
    left = set(range(len(steps)))
    depth = 0
    while left:
        ready = sorted(step for step in left if not before[step] & left) or [min(left)]
        for step in ready:
            level[step] = depth
        order += ready
        left -= set(ready)
        depth += 1
    return level, order


def _earlier(run: RunSteps, causes: Sequence[int]) -> list[int]:
    """Steps that ended before another began, by the clock and the numbers of one source, and that were not
    proposed beside it.
    """
    spans = [_span(run, step) for step in run.steps]
    earlier = [0] * len(run.steps)
    for number, step in enumerate(run.steps):
        for other, first in enumerate(run.steps):
            if other == number or causes[number] >> other & 1 or causes[other] >> number & 1:
                continue
            if step.call and step.call == first.call:
                continue
            if _ended_first(spans[other], spans[number]):
                earlier[number] |= 1 << other
    return earlier


def _span(run: RunSteps, step: Step) -> list[Envelope]:
    """The events that say when a step was done: of an action, its attempts'."""
    if step.attempts:
        return [call for attempt in step.attempts for call in run.done.calls(attempt)]
    return [] if step.kind == "action" else step.events()


def _ended_first(first: Sequence[Envelope], second: Sequence[Envelope]) -> bool:
    return bool(first and second) and all(_one_ended(one, other) for one in first for other in second)


def _one_ended(one: Envelope, other: Envelope) -> bool:
    ended, started = getattr(one, "ended", None), getattr(other, "started", None)
    if not ended or not started or reported_first(one, other) is not True:
        return False
    return nanoseconds(ended) <= nanoseconds(started)
