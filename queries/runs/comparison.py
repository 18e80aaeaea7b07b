"""Two runs side by side, step by step: by behaviour, never by the wording of what a model said."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import msgspec

from provmodel import names
from provmodel.evidence import ALL_EVIDENCE, Evidence
from queries.graph import Graph, Unchecked
from queries.runs import actions, authority, final, kinds, matching, references, setting
from queries.runs.actions import Side
from queries.runs.order import TIMED, Order
from queries.runs.record import RunRecord
from queries.runs.references import OUTSIDE, Item
from queries.runs.reversal import Reversal
from queries.runs.steps import ACTION, RunSteps, Step
from queries.runs.verdicts import CANNOT_TELL, DIFFERS, Aspect, State, overall


class StepView(msgspec.Struct, frozen=True, kw_only=True):
    """A step of the first run, its counterpart in the second, and how they compare; one is null where the
    other run has no such step. ``level`` is how deep it stands in the causal order.
    """

    kind: str
    tool: str
    level: int
    state: State
    first: str | None
    second: str | None
    aspects: tuple[Aspect, ...] = ()


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One respect in which the runs differ; ``step`` is the place in ``steps``."""

    step: int
    kind: str
    tool: str
    first: str | None
    second: str | None
    aspect: str
    why: str
    first_has: tuple[str, ...] = ()
    second_has: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    basis: str = ""


class Unsourced(msgspec.Struct, frozen=True):
    """An argument that the first run had from somewhere, and the second assumed or invented."""

    pointer: str
    first: str
    second: str
    became: str


class Comparison:
    """Two runs, compared. ``orders`` are theirs, ``pairs`` the steps of the first that have a counterpart."""

    def __init__(
        self, graph: Graph, as_of: int, first: str, second: str, evidence: frozenset[Evidence] = ALL_EVIDENCE
    ) -> None:
        records = [RunRecord(graph, as_of, run) for run in (first, second)]
        self.runs = [RunSteps(graph, as_of, record, evidence) for record in records]
        self.orders = [Order(run) for run in self.runs]
        self._allowed = [authority.Authorities(graph, as_of, run) for run in self.runs]
        does = [{n: _does(run, step) for n, step in enumerate(run.steps)} for run in self.runs]
        self.pairs = matching.match(matching.Sides(self.orders[0], self.orders[1], does))
        self._back = {other: one for one, other in self.pairs.items()}
        self._reversed = Reversal(self.orders, self.pairs)
        self.steps = (self._whole(), *self._steps())
        self.final = tuple(final.final(graph, as_of, *self.runs))

    # Steps

    def _whole(self) -> StepView:
        """The runs themselves: what they were set up with. How they ended is compared last."""
        first, second = (run.record for run in self.runs)
        aspects = tuple(setting.compare(first, second))
        return _view("run", "", -1, first.ref, second.ref, aspects)

    def _steps(self) -> Iterator[StepView]:
        """Every step of either run, by level, then as the runs have it; last how the runs ended. Counterparts
        stand at the deeper of their levels: after what one of the runs has before them.
        """
        mine, theirs = self.orders
        placed = [(self._level(n), 0, n) for n in range(len(mine.steps))]
        placed += [(theirs.level[n], 1, n) for n in range(len(theirs.steps)) if n not in self._back]
        for level, side, number in sorted(placed):
            if side:
                step = theirs.steps[number]
                yield _lone(step, level, None, step.ref, self.runs[0].unsure)
            elif number not in self.pairs:
                step = mine.steps[number]
                yield _lone(step, level, step.ref, None, self.runs[1].unsure)
            else:
                yield self._pair(number, self.pairs[number], level)
        first, second = (run.record for run in self.runs)
        yield _view(
            "end",
            "",
            max((level for level, _, _ in placed), default=0) + 1,
            first.ref,
            second.ref,
            (setting.ended(first, second),),
        )

    def _level(self, number: int) -> int:
        mine, theirs = self.orders
        other = self.pairs.get(number)
        return mine.level[number] if other is None else max(mine.level[number], theirs.level[other])

    def _pair(self, number: int, other: int, level: int) -> StepView:
        one, two = (
            Side(self.runs[0], self.orders[0].steps[number]),
            Side(self.runs[1], self.orders[1].steps[other]),
        )
        aspects = [*self._reversed.of(number), *kinds.compare(one.step, two.step), *self._shared(one, two)]
        return _view(one.step.kind, one.step.tool, level, one.step.ref, two.step.ref, tuple(aspects))

    def _shared(self, one: Side, two: Side) -> Iterator[Aspect]:
        """What entered; of an action, all that was asked, allowed, tried and done."""
        used = references.compare(
            "reads" if one.step.kind == ACTION else "inputs",
            self._items(0, one.step),
            self._items(1, two.step),
            (self._doubt(one, two), self._doubt(two, one)),
        )
        if one.step.kind != ACTION:
            yield kinds.sent(used, one.step, two.step) if one.step.kind == "model_call" else used
            return
        allowed = (
            self._allowed[0].of(one.step.ref, one.step.attempts),
            self._allowed[1].of(two.step.ref, two.step.attempts),
        )
        yield from actions.asked(one, two)
        yield used
        yield authority.doubted(authority.compare(*allowed), allowed, (one.run.unsure, two.run.unsure))
        yield from actions.done(one, two)

    def _items(self, side: int, step: Step) -> list[Item]:
        """What entered a step, each with the step that made it, in the numbers of the first run."""
        makers = self._makers[side]
        return [Item(ref, role, makers.get(ref, OUTSIDE)) for ref, role in step.used if role != "argument"]

    def _doubt(self, side: Side, other: Side) -> references.Doubt:
        """Why it can't be told of what entered a step, and has no counterpart in the other run's, that it did
        not enter there: that step says nothing, one of its variants alone has it, or what made it may not
        have come."""
        silent, lost, mine = other.silent() or side.disputed(), other.run.unsure, side.run.unsure

        def why(item: Item) -> str:
            if silent:
                return silent
            if lost and item.maker != OUTSIDE and item.maker not in self.pairs:
                return f"what would have made its counterpart may be missing: {lost}"
            if mine and references.private(item):
                return f"what made {item.ref} may be missing: {mine}"
            return ""

        return why

    @cached_property
    def _makers(self) -> list[dict[str, int]]:
        return [self._made_in(0), self._made_in(1)]

    def _made_in(self, side: int) -> dict[str, int]:
        found: dict[str, int] = {}
        for number, step in enumerate(self.orders[side].steps):
            for ref in step.made:
                found[ref] = number if side == 0 else self._back.get(number, OUTSIDE - 1 - number)
        return found

    # What it comes to

    def differences(self) -> tuple[Difference, ...]:
        """All differences, in the order of the steps."""
        return tuple(
            Difference(
                step=place,
                kind=view.kind,
                tool=view.tool,
                first=view.first,
                second=view.second,
                aspect=aspect.name,
                why=aspect.why,
                first_has=aspect.first,
                second_has=aspect.second,
                pointers=aspect.pointers,
                basis=aspect.basis,
            )
            for place, view in enumerate(self.steps)
            for aspect in view.aspects
            if aspect.state == DIFFERS
        )

    def unsourced(self) -> tuple[Unsourced, ...]:
        """Arguments that went from sourced to assumed or invented."""
        found = []
        for number, other in sorted(self.pairs.items()):
            one, two = self.runs[0].steps[number], self.runs[1].steps[other]
            if one.kind == ACTION:
                before, after = actions.kinds(Side(self.runs[0], one)), actions.kinds(Side(self.runs[1], two))
                for pointer, kind in before.items():
                    if kind == actions.SOURCED and after.get(pointer) in ("assumed", "invented"):
                        found.append(Unsourced(pointer, one.ref, two.ref, after[pointer]))
        return tuple(sorted(found, key=lambda each: (each.first, each.pointer)))

    def unchecked(self) -> Iterator[Unchecked]:
        """What was too much to read, and what agreement of runs that were not live does not show."""
        for run, order, allowed in zip(self.runs, self.orders, self._allowed, strict=True):
            for what in run.clipped:
                yield Unchecked(f"further {what}", "there are more than are compared")
            if not order.timed:
                yield Unchecked(
                    f"order of steps of {run.record.ref} by its clock", f"more than {TIMED} steps"
                )
            if allowed.clipped:
                yield Unchecked(f"authority of further actions of {run.record.ref}", "there are too many")
            match run.record.mode:
                case "fixed":
                    why = "what it was answered was given, so that it agrees shows nothing"
                    yield Unchecked(f"answers in {run.record.ref}", why)
                case "dry":
                    yield Unchecked(
                        f"effects of {run.record.ref}", "it was dry: nothing it wrote was to last"
                    )
                case None:
                    yield Unchecked(f"mode of {run.record.ref}", "no start says one; it is taken for live")
                case "live":
                    pass
            yield from run.calls.unchecked
            yield from allowed.unchecked


def _does(run: RunSteps, step: Step) -> frozenset[str]:
    """What a step is about, by which its counterpart is found."""
    if step.kind == ACTION:
        return actions.does(Side(run, step))
    return frozenset(f"{role} {names.split(ref).thing}" for ref, role in step.used)


def _view(
    kind: str, tool: str, level: int, first: str | None, second: str | None, aspects: tuple[Aspect, ...]
) -> StepView:
    state = overall(aspect.state for aspect in aspects)
    return StepView(
        kind=kind, tool=tool, level=level, state=state, first=first, second=second, aspects=aspects
    )


def _lone(step: Step, level: int, first: str | None, second: str | None, unsure: str) -> StepView:
    """A step that one run has; a run of which not all came may have had it, too."""
    which = "first" if first else "second"
    what = f"{step.tool} " if step.tool else ""
    why = f"only the {which} run has this {what}{step.kind.replace('_', ' ')}"
    missing = (
        Aspect(name="presence", state=CANNOT_TELL, why=f"{why}, but {unsure}")
        if unsure
        else Aspect(name="presence", state=DIFFERS, why=why)
    )
    return _view(step.kind, step.tool, level, first, second, (missing,))
