"""compare-runs: where do two runs part, in what they did?"""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from provmodel.errors import BadQuestion
from queries import building
from queries.answer import Answer, Graphed
from queries.gathered import gathered, with_unchecked
from queries.graph import Graph
from queries.question import Asked, Question, Table
from queries.runs.comparison import Comparison, Difference, StepView, Unsourced
from queries.runs.final import Final
from queries.runs.record import runs_of
from queries.runs.verdicts import Aspect
from queries.telling import counted, listed, missing_told, targets_told

TOLD = 5
"""Differences that have a sentence of their own."""


class Compared(Graphed, frozen=True, kw_only=True):
    """Two runs by behaviour.

    ``steps`` are those of both, in causal order; ``differences`` what of them differs, in that order, and
    ``first_difference`` the first. ``modes`` are live, fixed or dry, null where no start says. ``same``,
    ``differs`` and ``cannot_tell`` count the steps; ``no_longer_sourced`` are arguments that the second run
    assumed or invented. ``final_state`` is what each left of the things that either wrote.
    """

    modes: tuple[str | None, ...] = ()
    steps: tuple[StepView, ...] = ()
    differences: tuple[Difference, ...] = ()
    first_difference: Difference | None = None
    same: int = 0
    differs: int = 0
    cannot_tell: int = 0
    no_longer_sourced: tuple[Unsourced, ...] = ()
    final_state: tuple[Final, ...] = ()


class CompareRuns(Question[Asked, Compared]):
    """Two runs step by step, as they are named: the first is what the second is held against."""

    name: ClassVar[str] = "compare-runs"
    sentence: ClassVar[str] = (
        "Where do two runs part in what they did: in inputs, authority, writes or order?"
    )
    params: ClassVar[type[Asked]] = Asked
    graphed: ClassVar[type[Graphed]] = Compared
    policy: ClassVar[str] = "who"
    needs: ClassVar[int] = 2
    of_runs: ClassVar[bool] = True
    example: ClassVar[dict[str, Any]] = {"target": ["run:summary", "run:summary-again"]}

    def answer(self, graph: Graph, params: Asked) -> Answer[Compared]:
        if params.part:
            raise BadQuestion("part", "runs are compared whole", "leave it out")
        scope = self.scope(graph, params)
        runs = runs_of(graph, scope.as_of, scope.starts)
        if len(runs) != self.needs:
            raise self.miscounted(len(runs))
        compared = Comparison(graph, scope.as_of, runs[0], runs[1], scope.evidence)
        depths = _depths(compared)
        ids = graph.ids(list(depths), scope.as_of)
        found = gathered(graph, scope, params, {node: depths[ref] for ref, node in ids.items()})
        fields = building.common(graph, scope, params, found) | _own(compared)
        fields = with_unchecked(fields, compared.unchecked())
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, Compared(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[Compared]) -> list[str]:
        graph = answer.graph
        return [*targets_told(graph), *_told(graph), *missing_told(graph)]

    def table(self, answer: Answer[Compared]) -> Table:
        """The steps of both runs, how they compare, and in what they differ or can't be told."""
        return Table(("step", "first", "second", "state", "why"), [_row(step) for step in answer.graph.steps])


def _row(step: StepView) -> tuple[str, ...]:
    state = step.state.replace("_", " ")
    whys = dict.fromkeys(_aspect(one) for one in step.aspects if one.state == step.state != "same")
    kind = f"{step.kind.replace('_', ' ')} {step.tool}".rstrip()
    return kind, step.first or "", step.second or "", state, "; ".join(whys)


def _aspect(aspect: Aspect) -> str:
    """In which respect, and what of it differs or keeps it from being told."""
    name = aspect.name.replace("_", " ")
    return f"{name}: {aspect.why}" if aspect.why else name


def _depths(compared: Comparison) -> dict[str, int]:
    """The runs first, then their steps by level."""
    return {
        ref: step.level + 1 for step in reversed(compared.steps) for ref in (step.first, step.second) if ref
    }


def _own(compared: Comparison) -> dict[str, Any]:
    differences = compared.differences()
    states = [step.state for step in compared.steps]
    return {
        "modes": tuple(run.record.mode for run in compared.runs),
        "steps": compared.steps,
        "differences": differences,
        "first_difference": differences[0] if differences else None,
        "same": states.count("same"),
        "differs": states.count("differs"),
        "cannot_tell": states.count("cannot_tell"),
        "no_longer_sourced": compared.unsourced(),
        "final_state": compared.final,
    }


def _told(graph: Compared) -> list[str]:
    first, second = (target.ref for target in graph.targets)
    told = [_modes(graph, first, second)] if set(graph.modes) != {"live"} else []
    if graph.first_difference is None:
        untold = f"; of {counted(graph.cannot_tell, 'step')} it can't be told" if graph.cannot_tell else ""
        told.append(
            f"No difference between {first} and {second} is known in {len(graph.steps):,} steps{untold}."
        )
    else:
        told.append(f"{first} and {second} first part at {_where(graph.first_difference)}.")
        told += [f"Then {_where(one)}." for one in graph.differences[1:TOLD]]
        if len(graph.differences) > TOLD:
            told.append(f"{len(graph.differences) - TOLD:,} more differences follow.")
        told.append(f"Of {counted(len(graph.steps), 'step')}, {_counts(graph)}.")
    return [*told, *_untold(graph), *_states(graph)]


def _untold(graph: Compared) -> list[str]:
    """Why of some steps it can't be told, each reason with how many steps it is of."""
    whys = Counter(
        _aspect(aspect)
        for step in graph.steps
        for aspect in step.aspects
        if step.state == aspect.state == "cannot_tell"
    )
    told = [f"{why}, of {counted(count, 'step')}" for why, count in whys.most_common(TOLD)]
    return [f"It can't be told: {'; '.join(told)}."] if told else []


def _counts(graph: Compared) -> str:
    parts = [
        f"{graph.same:,} {'is' if graph.same == 1 else 'are'} the same",
        f"{graph.differs:,} {'differs' if graph.differs == 1 else 'differ'}",
    ]
    if graph.cannot_tell:
        parts.append(f"of {graph.cannot_tell:,} it can't be told")
    return ", ".join(parts[:-1]) + f" and {parts[-1]}"


def _modes(graph: Compared, first: str, second: str) -> str:
    one, other = (mode or "of an unknown mode" for mode in graph.modes)
    return f"{first} was {one}, {second} was {other}: they are not compared in what only a live run shows."


def _where(one: Difference) -> str:
    what = one.kind.replace("_", " ") + (f" with {one.tool}" if one.tool else "")
    steps = " and ".join(dict.fromkeys(ref for ref in (one.first, one.second) if ref))
    return f"{what} ({steps}), in {one.aspect.replace('_', ' ')}: {one.why}"


def _states(graph: Compared) -> list[str]:
    told = []
    if graph.no_longer_sourced:
        pointers = [f"{one.pointer} of {one.second}" for one in graph.no_longer_sourced]
        told.append(f"No longer taken from a source, but assumed or invented: {listed(pointers)}.")
    for state, words in (
        ("differs", "Left in another state"),
        ("cannot_tell", "Whether it was left the same can't be told"),
    ):
        things = [one.thing for one in graph.final_state if one.state == state]
        if things:
            told.append(f"{words}: {listed(things)}.")
    return told
