"""What two runs left behind: for each thing written, its last version in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from provmodel import names
from provmodel.events import ArtifactVersion, ToolCall, Write
from queries.authority.arguments import Tags, compare_all, disagree
from queries.authority.views import unique
from queries.effect import Effect
from queries.graph import Graph
from queries.runs.steps import RunSteps, began
from queries.runs.verdicts import CANNOT_TELL, DIFFERS, DISAGREE, SAME, State

DELETED = "deleted"


class Final(msgspec.Struct, frozen=True, omit_defaults=True):
    """A thing that a run wrote, as each left it: a version, ``deleted``, or null where it was not written."""

    thing: str
    state: State
    first: str | None
    second: str | None
    why: str = ""


def final(graph: Graph, as_of: int, first: RunSteps, second: RunSteps) -> list[Final]:
    """The last state of all that either run wrote, by thing."""
    one, other = _last(first), _last(second)
    contents = _contents(graph, as_of, (*one.values(), *other.values()))
    live = first.record.live and second.record.live
    found = []
    for thing in sorted(one.keys() | other.keys()):
        mine, theirs = one.get(thing), other.get(thing)
        state, why = (
            _compare(mine, theirs, contents) if live else (CANNOT_TELL, "one of the runs was not live")
        )
        unsure = _unsure(first, second, thing, mine, theirs)
        if state == DIFFERS and unsure:
            state, why = CANNOT_TELL, f"{why}, but {unsure}"
        found.append(Final(thing, state, mine, theirs, why))
    return found


def _unsure(first: RunSteps, second: RunSteps, thing: str, mine: str | None, theirs: str | None) -> str:
    """Why it is not certain that one of the runs alone wrote a thing, in words, or ""."""
    if mine is not None and theirs is not None:
        return ""
    lacking, other = (first, second) if mine is None else (second, first)
    if thing in _written(lacking, "confirmed_failed") and thing not in _written(other, "confirmed"):
        return f"whether it took effect was read back in the {'first' if mine is None else 'second'} alone"
    return lacking.unsure


def _written(run: RunSteps, effect: Effect) -> set[str]:
    """The things of which a write came to this effect."""
    return {
        names.split(write.ref).thing
        for call, write in _writes(run)
        if run.done.effect_of_write(write.ref, call.attempt) == effect
    }


def _writes(run: RunSteps) -> Iterator[tuple[ToolCall, Write]]:
    """What was written or deleted, each with what tells of it."""
    for step in run.steps:
        for attempt in step.attempts:
            for call in run.done.calls(attempt):
                yield from ((call, write) for write in call.writes)


def _last(run: RunSteps) -> dict[str, str]:
    """The last write of each thing that did not fail: by when its attempt began."""
    found: dict[str, tuple[int, str, str]] = {}
    for call, write in _writes(run):
        if run.done.effect_of_write(write.ref, call.attempt) != "confirmed_failed":
            thing = names.split(write.ref).thing
            made = DELETED if write.mode == "delete" else names.occurrence(write.ref, call.attempt)
            found[thing] = max(found.get(thing, (0, "", "")), (began(call), call.attempt, made))
    return {thing: made for thing, (_, _, made) in found.items()}


def _compare(mine: str | None, theirs: str | None, contents: dict[str, list[Tags]]) -> tuple[State, str]:
    if mine is None or theirs is None:
        return DIFFERS, f"the {'second' if mine is None else 'first'} alone wrote it"
    if mine == theirs:
        return SAME, ""
    if DELETED in (mine, theirs):
        return DIFFERS, f"{mine} in the first, {theirs} in the second"
    first, second = names.split(mine), names.split(theirs)
    if first.pin in names.CONTENT_PINS and first.pin == second.pin:
        return (SAME, "") if first.value == second.value else (DIFFERS, "other contents")
    found = compare_all(contents.get(mine, ()), contents.get(theirs, ()))
    if disagree(contents.get(mine, ()), contents.get(theirs, ())):
        return CANNOT_TELL, f"several contents of one of these came, and {DISAGREE}"
    if found.equal is None:
        return CANNOT_TELL, f"a version names a write, not a content, and of these {found.why}"
    return (SAME, "") if found.equal else (DIFFERS, "other contents")


def _contents(graph: Graph, as_of: int, made: Sequence[str]) -> dict[str, list[Tags]]:
    """The tags of what was written, where the version's own event brought it."""
    refs = unique(spelling for ref in made for spelling in (ref, ref.partition(names.BY)[0]))
    ids = graph.ids(refs, as_of)
    told = graph.reports(list(ids.values()), as_of)
    found: dict[str, list[Tags]] = {}
    for ref, node in ids.items():
        for report in told.get(node, ()):
            if isinstance(report.event, ArtifactVersion):
                run = report.event.run or ""
                found.setdefault(ref, []).extend(
                    Tags(item.alg, run, item.whole, {}) for item in report.computed if item.where == ""
                )
    return {ref: found.get(ref) or found.get(ref.partition(names.BY)[0], []) for ref in made}
