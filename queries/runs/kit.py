"""What a re-run of a run needs, and what of it is there: as the log had it, never as stores have it now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from provmodel import names
from provmodel.events import (
    ActionProposed,
    AuthorizationDecided,
    Delegated,
    Derived,
    ModelCall,
    ToolCall,
)
from queries.authority.views import unique
from queries.building import Found
from queries.graph import Graph, Way
from queries.hiding import SCHEME
from queries.runs.record import RunRecord
from queries.runs.steps import DERIVED, MADE, RunSteps

Part = Literal["setting", "input", "recording"]
State = Literal["present", "partial", "deleted", "unpinned", "never_captured", "hidden"]
STATES: tuple[State, ...] = ("present", "partial", "deleted", "unpinned", "never_captured", "hidden")
HELD_ELSEWHERE = frozenset({"model", "tool", "package", "capability"})
"""Schemes of what is no content that could be captured: a version is all that a record can have of it."""


UNLIKE = "several contents of it came, and reports of it differ"
"""Why what is present may not be what the run had."""


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a re-run needs.

    ``part`` is ``setting`` (what the run was set up with and ran under), ``input`` (what came from outside)
    or ``recording`` (what models and tools answered, needed when they are not to be asked again). ``state``
    is that of its content: present, partial (there is some, and not all was captured), deleted, unpinned (its
    name has no version, and this run brought no content) or never_captured. ``pinned`` says that its name
    tells it from other versions. ``steps`` are those that need it, ``bodies`` the ids of contents that were
    not deleted. What is present without any
    ``holds`` others, each of which is a need by itself, and is no more than these.
    """

    ref: str
    part: Part
    state: State
    why: str
    pinned: bool
    roles: tuple[str, ...]
    steps: tuple[str, ...]
    bodies: tuple[str, ...]
    holds: bool = False


class Wanted:
    """The references that a run needs, each with its part, the roles it had, and the steps that had it.
    ``holders`` are no more than what they hold.
    """

    def __init__(self) -> None:
        self.parts: dict[str, Part] = {}
        self.roles: defaultdict[str, set[str]] = defaultdict(set)
        self.steps: defaultdict[str, set[str]] = defaultdict(set)
        self.holders: set[str] = set()

    def add(self, ref: str | None, part: Part, role: str, step: str) -> None:
        """What is an input or a setting stays one, whatever else it is."""
        if ref:
            self.parts.setdefault(ref, part)
            self.roles[ref].update([role] if role else [])
            self.steps[ref].add(step)


def wanted_by(graph: Graph, as_of: int, run: RunSteps) -> Wanted:
    """All that a re-run of these steps needs."""
    wanted = Wanted()
    for ref, role, step in _setting(run.record):
        wanted.add(ref, "setting", role, step)
    for start in run.record.starts:
        if start.environment and start.environment.members:
            wanted.holders.add(start.environment.ref)
    for _, tried in run.record.of(ToolCall):
        wanted.holders.update(result.ref for result in tried.results if result.members)
    made = {ref for step in run.every for ref in step.made}
    if run.record.clipped:
        used = {ref for step in run.every for ref, _ in step.used}
        made |= _made_beyond(graph, as_of, used - made, run.record.ref)
    for one in run.every:
        for ref, role in one.used:
            if ref not in made and names.BY not in ref and not ref.endswith(";accepted"):
                wanted.add(ref, "input", role, one.ref)
    for ref, role, step in _recording(run.record):
        wanted.add(ref, "recording", role, step)
    return wanted


def _made_beyond(graph: Graph, as_of: int, used: Collection[str], run: str) -> set[str]:
    """Which of these an event of the run made that was not read with the others."""
    ids = graph.ids(sorted(used), as_of)
    rows = graph.rows(sorted(ids.values()), Way.OUT, (MADE, DERIVED), as_of) if ids else []
    told = graph.events(sorted({row.event for row in rows if row.stance}), as_of)
    inside = {row.source for row in rows if row.event in told and told[row.event].event.run == run}
    return {ref for ref, node in ids.items() if node in inside}


def _setting(record: RunRecord) -> Iterator[tuple[str | None, str, str]]:
    """What the run was set up with, and what its steps ran under: reference, role and step."""
    for start in record.starts:
        yield start.trigger, "trigger", start.run
        if start.environment:
            yield start.environment.ref, "environment", start.run
            for member in start.environment.members:
                yield member.ref, member.role or "", start.run
    for _, call in record.of(ModelCall):
        yield names.under("model", call.model), "model", call.call
        for prompt in call.instructions:
            yield prompt.ref, prompt.role or "instruction", call.call
        for tool in call.tools:
            yield names.under("tool", tool), "tool", call.call
    for _, asked in record.of(ActionProposed):
        yield asked.tool_binding or names.under("tool", asked.tool), "tool", asked.action
    for _, tried in record.of(ToolCall):
        yield tried.tool_binding or names.under("tool", tried.tool), "tool", tried.attempt
    for _, decided in record.of(AuthorizationDecided):
        yield decided.policy.ref if decided.policy else None, "policy", decided.decision
        yield decided.capability, "capability", decided.decision
    for _, handed in record.of(Delegated):
        for permission in handed.permissions:
            yield permission, "capability", handed.delegation
    for _, derived in record.of(Derived):
        yield names.under("tool", derived.tool) if derived.tool else None, "tool", derived.to


def _recording(record: RunRecord) -> Iterator[tuple[str | None, str, str]]:
    """What was asked of tools, and what models and tools answered."""
    for _, call in record.of(ModelCall):
        for output in call.outputs:
            yield output.ref, output.role or "output", call.call
    for _, asked in record.of(ActionProposed):
        yield asked.action, "arguments", asked.action
    for _, tried in record.of(ToolCall):
        for result in tried.results:
            yield result.ref, "result", tried.attempt
            for member in result.members:
                yield member.ref, member.role or "member", tried.attempt


class Kit:
    """The needs of some runs, with the state of each. ``found`` tells of their nodes, by ``ids``."""

    def __init__(
        self, runs: Sequence[RunSteps], wanted: Wanted, found: Found, ids: Mapping[str, int]
    ) -> None:
        self._wanted, self._found, self._ids = wanted, found, ids
        self._own = frozenset(
            item.body for run in runs for report in run.record.reports for item in report.computed
        )
        self._deleted = found.around.gone
        self.needs = tuple(self._need(ref) for ref in sorted(wanted.parts, key=self._place))

    def _place(self, ref: str) -> tuple[int, str]:
        return ("setting", "input", "recording").index(self._wanted.parts[ref]), ref

    def _need(self, ref: str) -> Need:
        kept, gone, short = self._bodies(ref)
        state, why = self._state(ref, kept, gone, short)
        return Need(
            ref=ref,
            part=self._wanted.parts[ref],
            state=state,
            why=why,
            pinned=bool(names.split(ref).pin) and not names.split(ref).unpinned,
            roles=tuple(sorted(self._wanted.roles[ref])),
            steps=tuple(sorted(self._wanted.steps[ref])),
            bodies=tuple(kept),
            holds=state == "present" and not kept,
        )

    def _bodies(self, ref: str) -> tuple[list[str], list[str], bool]:
        """Contents that were not deleted, those that were, and whether less than all was captured.

        Of what is named without a version only a content that this run's own events brought is the one that
        it had.
        """
        rows = self._found.told.get(self._ids.get(ref, -1), ())
        bodies = unique(row.value for row in rows if row.name == "clew:body")
        if names.split(ref).unpinned:
            bodies = tuple(body for body in bodies if body in self._own)
        kept = [body for body in bodies if body not in self._deleted]
        gone = [body for body in bodies if body in self._deleted]
        short = any(row.name == "clew:bodyState" and row.value != "present" for row in rows)
        return kept, gone, short

    def _contested(self, ref: str) -> bool:
        """Whether reports of it contradict each other."""
        marks = self._found.marks.get(self._ids.get(ref, -1), ())
        return any(mark.kind == "conflict" for mark in marks)

    def _state(
        self, ref: str, kept: Collection[str], gone: Collection[str], short: bool
    ) -> tuple[State, str]:
        name = names.split(ref)
        if ref.startswith(SCHEME):
            return "hidden", "it is hidden from you"
        if kept and not short:
            return "present", UNLIKE if len(kept) > 1 and self._contested(ref) else ""
        if kept:
            return "partial", "not all of it was captured"
        if gone:
            return "deleted", "its content was deleted"
        if ref in self._wanted.holders:
            return "present", "it is what it holds, each of which is listed by itself"
        if name.unpinned:
            return "unpinned", "its name has no version, so another may answer to it now"
        if name.scheme in HELD_ELSEWHERE and name.pin:
            return "never_captured", "it is known by its version, and is not kept here"
        return "never_captured", "its content was never recorded"


def counts(needs: Iterable[Need]) -> dict[State, int]:
    """How many things are in each state."""
    found = dict.fromkeys(STATES, 0)
    for need in needs:
        found[need.state] += 1
    return found
