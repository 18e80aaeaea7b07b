"""What a run was set up with, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable

from provmodel import names
from queries.authority.views import unique
from queries.runs.record import RunRecord
from queries.runs.references import Item, always
from queries.runs.references import compare as compare_refs
from queries.runs.verdicts import CANNOT_TELL, Aspect, doubted, plain, single


def compare(first: RunRecord, second: RunRecord) -> list[Aspect]:
    """Agent, task, environment and end of two runs."""
    sides = (first, second)
    agents = [[names.agent(start.agent) for start in side.starts] for side in sides]
    behalf = [
        [names.agent(start.on_behalf_of) for start in side.starts if start.on_behalf_of] for side in sides
    ]
    environments = [_environment(side) for side in sides]
    unstarted = (_unstarted(first), _unstarted(second))
    doubts = (always(unstarted[1]), always(unstarted[0]))
    return [
        single("agent", agents[0], agents[1], "other agents"),
        doubted(plain("on_behalf_of", behalf[0], behalf[1], "on behalf of others"), unstarted),
        _task(first, second),
        compare_refs("environment", environments[0], environments[1], doubts),
    ]


def ended(first: RunRecord, second: RunRecord) -> Aspect:
    """How the runs ended; of one whose end is not reported nothing can be told."""
    one, other = ([end.status for end in side.ends] for side in (first, second))
    if not one or not other:
        told = (tuple(sorted(set(one))), tuple(sorted(set(other))))
        why = f"no end of {second.ref if one else first.ref} is reported"
        return Aspect(name="status", state=CANNOT_TELL, first=told[0], second=told[1], why=why)
    return single("status", one, other, "they ended in another way")


def _unstarted(record: RunRecord) -> str:
    return "" if record.starts else f"no start of {record.ref} is reported"


def _task(first: RunRecord, second: RunRecord) -> Aspect:
    one, other = (unique(start.task for start in side.starts) for side in (first, second))
    if not one or not other:
        why = "a task is not reported"
        return Aspect(name="task", state=CANNOT_TELL, first=one, second=other, why=why)
    return single("task", one, other, "another task")


def _environment(record: RunRecord) -> list[Item]:
    given = [start.environment for start in record.starts if start.environment]
    refs: Iterable[tuple[str, str]] = {
        (ref, role)
        for environment in given
        for ref, role in (
            (environment.ref, "environment"),
            *((member.ref, member.role or "") for member in environment.members),
        )
    }
    return [Item(ref, role) for ref, role in sorted(refs)]
