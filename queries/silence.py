"""Why nothing is recorded to have gone in: steps that report nothing that they read or were sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from provmodel.events import Envelope, ModelCall, ToolCall
from provmodel.relations import ASSOCIATION, GENERATION, INFLUENCE, Flow, Kind
from queries.building import Found
from queries.graph import RESTRICTED, Graph, Unchecked, Way
from queries.limits import STEPS
from queries.reported import reported_in
from queries.telling import counted, for_example
from queries.ties import MODEL_CALL

OUTPUT = GENERATION.code(0, Flow.STRUCTURE)
_STEPS = (INFLUENCE.code(0, Flow.STRUCTURE), ASSOCIATION.code(0))
Step = Literal["tool_call", "model_call", "step"]
LOOKED_AT = 1000
"""Steps of one run that are looked at."""

_REPORTS: Mapping[Step, tuple[str, str, str]] = {
    "tool_call": ("tool call", "reports no reads", "report no reads"),
    "model_call": ("model call", "reports no inputs", "report no inputs"),
    "step": ("step", "reports nothing that went in", "report nothing that went in"),
}


class Silence(msgspec.Struct, frozen=True):
    """Steps of one kind that report nothing that went in: on the way to the target, or in its run.

    ``count`` is their number, ``example`` the first by reference, or by arrival in the run.
    """

    step: Step
    where: Literal["way", "run"]
    count: int
    example: str

    def told(self) -> str:
        """In words: ``3 tool calls of this run report no reads (such as attempt:7)``."""
        noun, one, many = _REPORTS[self.step]
        where = "on the way" if self.where == "way" else "of this run"
        verb = one if self.count == 1 else many
        return f"{counted(self.count, noun)} {where} {verb} ({for_example(self.count, self.example)})"


def on_the_way(found: Found, silent: Sequence[int]) -> tuple[Silence, ...]:
    """The silent steps of a walk."""
    steps: dict[Step, list[str]] = {}
    for node in silent:
        steps.setdefault(_step(found.types.get(node, "")), []).append(found.ref(node))
    return tuple([Silence(step, "way", len(refs), min(refs)) for step, refs in sorted(steps.items())])


def _step(type_name: str) -> Step:
    if type_name == MODEL_CALL:
        return "model_call"
    return "tool_call" if type_name == "clew:Attempt" else "step"


def in_runs(graph: Graph, as_of: int, found: Found, targets: Sequence[int]) -> tuple[Silence, ...]:
    """The silent steps of the runs of the targets, and of those that gave them: what they had may have gone
    in there, and nobody reported it."""
    rows = graph.rows(targets, Way.OUT, (OUTPUT,), as_of)
    refs = graph.refs([row.target for row in rows])
    runs = {run.ref for run in found.runs} | {refs[row.target] for row in rows if row.stance}
    steps: dict[Step, list[str]] = {}
    for run in sorted(runs):
        for report in graph.run_reports(run, ("tool_call", "model_call"), as_of, LOOKED_AT):
            for step, ref in _silent(report.event):
                steps.setdefault(step, []).append(ref)
    distinct = {step: list(dict.fromkeys(refs)) for step, refs in sorted(steps.items())}
    return tuple([Silence(step, "run", len(refs), refs[0]) for step, refs in distinct.items()])


def of_steps(graph: Graph, as_of: int, found: Found, targets: Sequence[int]) -> list[Unchecked]:
    """The runs and agents among the targets whose steps are not looked at: what went in there is told of what
    the steps gave."""
    acting = [node for node in targets if not found.infos[node].kind & (Kind.ENTITY | RESTRICTED)]
    steps = set(graph.degrees(acting, Way.IN, _STEPS, as_of, 1)) if acting else set()
    derived = reported_in(graph, as_of, [node for node in acting if node not in steps]).derived
    steps.update(run for run, nodes in derived.items() if nodes)
    why = "only what it had as a whole was looked at; ask for its steps, or for what it gave"
    return [Unchecked(f"{STEPS}{ref}", why) for ref in sorted(found.ref(node) for node in steps)]


def _silent(event: Envelope) -> Iterator[tuple[Step, str]]:
    match event:
        case ToolCall() if not event.reads:
            yield "tool_call", event.attempt
        case ModelCall() if not (event.inputs or event.context):
            yield "model_call", event.call
        case _:
            pass
