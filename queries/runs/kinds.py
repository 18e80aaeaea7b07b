"""What steps that are no actions are compared in: versions and verdicts, never texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from provmodel import names
from provmodel.events import AdoptionDecided, Delegated, Derived, Envelope, ModelCall
from queries.authority.views import unique
from queries.runs import references
from queries.runs.references import Item, always
from queries.runs.steps import Step
from queries.runs.verdicts import CANNOT_TELL, DIFFERS, DISAGREE, Aspect, doubted, plain, single, versions

E = TypeVar("E", bound=Envelope)


def compare(one: Step, two: Step) -> list[Aspect]:
    """The aspects of steps of this kind alone."""
    match one.kind:
        case "model_call":
            return list(_calls(one, two))
        case "delegation":
            return list(_delegations(one, two))
        case "adoption":
            return list(_adoptions(one, two))
        case "transformation":
            return list(_transformations(one, two))
        case "action" | "span":
            return []


def _calls(one: Step, two: Step) -> Iterator[Aspect]:
    """Model, prompts and tools of two calls: versions, not texts."""
    first, second = (_of(step, ModelCall) for step in (one, two))
    models = [[names.under("model", call.model) for call in calls] for calls in (first, second)]
    yield _versions("model", *models)
    prompts = [
        [Item(i.ref, i.role or "") for c in calls for i in c.instructions] for calls in (first, second)
    ]
    silent = (_silent(one), _silent(two))
    doubts = (always(silent[1] or one.disputed()), always(silent[0] or two.disputed()))
    yield references.compare("instructions", prompts[0], prompts[1], doubts)
    offered = plain(
        "tools",
        [names.under("tool", tool) for call in first for tool in call.tools],
        [names.under("tool", tool) for call in second for tool in call.tools],
        "other tools were offered",
    )
    yield doubted(offered, silent)
    ends = [unique(f"{c.status or ''} {c.finish or ''}".strip() for c in calls) for calls in (first, second)]
    if ends[0] and ends[1]:
        yield single("status", ends[0], ends[1], "they ended in another way")


def sent(used: Aspect, one: Step, two: Step) -> Aspect:
    """What entered two calls, of which both may say nothing: something did."""
    if one.used or two.used:
        return used
    return msgspec.structs.replace(used, state=CANNOT_TELL, why="neither call reports what was sent")


def _silent(step: Step) -> str:
    """That nothing is reported of what a call was sent or told, in words; "" where something is."""
    told = any(call.inputs or call.context or call.instructions for call in _of(step, ModelCall))
    return "" if told else f"{step.ref} reports nothing that was sent"


def _delegations(one: Step, two: Step) -> Iterator[Aspect]:
    first, second = (_of(step, Delegated) for step in (one, two))
    given = [[Item(ref) for one in delegated for ref in one.permissions] for delegated in (first, second)]
    yield references.compare("permissions", given[0], given[1])
    tasks = [[one.task for one in delegated if one.task] for delegated in (first, second)]
    yield single("task", tasks[0], tasks[1], "another task")


def _adoptions(one: Step, two: Step) -> Iterator[Aspect]:
    first, second = ([e.verdict for e in _of(step, AdoptionDecided)] for step in (one, two))
    yield single(
        "verdict", first, second, f"{', '.join(first)} in the first, {', '.join(second)} in the second"
    )


def _transformations(one: Step, two: Step) -> Iterator[Aspect]:
    first, second = (
        [f"{e.tool or e.method} {e.tool_version or 'without a version'}" for e in _of(step, Derived)]
        for step in (one, two)
    )
    if any(word.endswith("without a version") for word in (*first, *second)):
        why = "the tool is named without a version"
        yield Aspect(name="version", state=CANNOT_TELL, first=tuple(first), second=tuple(second), why=why)
    else:
        yield single("version", first, second, "another version of the tool")


def _of(step: Step, kind: type[E]) -> list[E]:
    return [event for event in step.events() if isinstance(event, kind)]


def _versions(name: str, first: Iterable[str], second: Iterable[str]) -> Aspect:
    one, other = sorted(set(first)), sorted(set(second))
    pairs = [versions(mine, theirs) for mine in one for theirs in other]
    if one == other and len(one) > 1:
        return plain(name, one, other)
    if len(pairs) != 1 and any(state != DIFFERS for state, _ in pairs):
        return Aspect(name=name, state=CANNOT_TELL, first=tuple(one), second=tuple(other), why=DISAGREE)
    if len(pairs) != 1:
        return plain(name, one, other, "several are reported")
    state, why = pairs[0]
    return Aspect(name=name, state=state, first=tuple(one), second=tuple(other), why=why)
