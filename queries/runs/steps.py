"""The steps of a run, and which of them depends on which.

A step is a model call, an action with its attempts, a delegation, an adoption, a transformation, or a span of
a foreign trace. One depends on another when it used something that the other made, or was proposed by it:
never because it merely came later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal

import msgspec

from provmodel import names
from provmodel.events import (
    ActionProposed,
    AdoptionDecided,
    Delegated,
    Derived,
    Envelope,
    ModelCall,
    Span,
    ToolCall,
)
from provmodel.evidence import ALL_EVIDENCE, Evidence
from provmodel.relations import DERIVATION, GENERATION, USAGE, Flow
from provmodel.times import nanoseconds
from queries.authority.views import unique
from queries.claims.reading import Calls
from queries.executions import Executions
from queries.graph import Graph, Report, Row, Way
from queries.links import links_of
from queries.runs.holes import holes
from queries.runs.record import RunRecord

USED = USAGE.code(0, Flow.DATA)
MADE = GENERATION.code(0, Flow.DATA)
DERIVED = DERIVATION.code(0, Flow.DATA)
STEPS = 2000
"""Steps of one run that are compared."""

StepKind = Literal["model_call", "action", "delegation", "adoption", "transformation", "span"]
ACTION: StepKind = "action"


class Step(msgspec.Struct, frozen=True, eq=False):
    """One step. ``tool`` tells steps of one kind apart: a tool, an agent, a method, a span's kind and name.

    ``reports`` are those of the step itself, ``attempts`` (of an action) those that executed it. ``used`` are
    the nodes that it had from elsewhere, each with its role; ``made`` those that came of it.
    """

    kind: StepKind
    tool: str
    ref: str
    reports: tuple[Report, ...]
    attempts: tuple[str, ...] = ()
    call: str = ""
    used: tuple[tuple[str, str], ...] = ()
    made: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.tool

    def events(self) -> list[Envelope]:
        return [report.event for report in self.reports]

    def disputed(self, more: Iterable[Report] = ()) -> str:
        """That it is reported, there or in ``more``, in variants that differ, in words, or ""."""
        variants = any(report.conflict for report in (*self.reports, *more))
        return f"{self.ref} is reported in variants that differ" if variants else ""


class RunSteps:
    """The steps of one run, tied by relations that the evidence asked for supports.

    ``every`` are those of all events that were read, ``steps`` as many of them as are compared. ``sourced``
    holds, for each action, the pointers of which a value was found or stated to come from something;
    ``clipped`` says what was too much to read, or to compare.
    """

    def __init__(
        self, graph: Graph, as_of: int, record: RunRecord, evidence: frozenset[Evidence] = ALL_EVIDENCE
    ) -> None:
        self._graph, self._as_of, self.record, self._evidence = graph, as_of, record, evidence
        self.clipped: list[str] = [f"events of {record.ref}"] if record.clipped else []
        self._by_ref: dict[tuple[str, str], list[Report]] = defaultdict(list)
        for report in record.reports:
            for place in _places(report.event):
                self._by_ref[place].append(report)
        attempts = self._refs(ToolCall)
        self.done = Executions(graph, as_of, attempts)
        self.calls = self._model_calls()
        self.sourced: defaultdict[str, set[str]] = defaultdict(set)
        self.every = sorted([*self._calls(), *self._actions(attempts), *self._others()], key=_begun)
        if len(self.every) > STEPS:
            self.clipped.append(f"steps of {record.ref}")
        self.steps = self.every[:STEPS]

    @cached_property
    def unsure(self) -> str:
        """Why what is not in these steps may be of the run all the same; "" where all of it came."""
        lost = holes(self._graph, self._as_of, self.record)
        missing = [f"of {self.record.ref} {lost}"] if lost else []
        return "; ".join([*missing, *(f"further {what} are not compared" for what in self.clipped)])

    def _refs(self, kind: type[Envelope]) -> list[str]:
        tag = str(kind.__struct_config__.tag)
        return [ref for place, ref in self._by_ref if place == tag]

    def _reports(self, kind: type[Envelope], ref: str) -> tuple[Report, ...]:
        return tuple(self._by_ref[str(kind.__struct_config__.tag), ref])

    # Model calls

    def _model_calls(self) -> Calls:
        ids = self._graph.ids(self._refs(ModelCall), self._as_of)
        return Calls(self._graph, self._as_of, sorted(ids.values()), self._evidence)

    def _calls(self) -> Iterator[Step]:
        calls = self.calls
        sent = {call: calls.sent(call) - calls.contexts for call in calls.calls}
        roles = {(link.source, link.target): link.role for link in calls.links if link.code == USED}
        named = {*calls.calls, *(n for nodes in sent.values() for n in nodes)}
        refs = self._graph.refs(sorted(named | {n for nodes in calls.made.values() for n in nodes}))
        for call in calls.calls:
            reports = self._reports(ModelCall, refs[call])
            used = sorted((refs[node], roles.get((call, node), "")) for node in sent[call])
            made = sorted(refs[node] for node in calls.made.get(call, ()))
            yield Step("model_call", "", refs[call], reports, used=tuple(used), made=tuple(made))

    # Actions and their attempts

    def _actions(self, attempts: Sequence[str]) -> Iterator[Step]:
        proposed = self._refs(ActionProposed)
        at: defaultdict[str, list[str]] = defaultdict(list)
        for attempt in attempts:
            for action in self.done.actions[attempt] or [attempt]:
                at[action].append(attempt)
        actions = list(dict.fromkeys((*proposed, *at)))
        around = _Around(self._graph, self._as_of, (actions, attempts), self._evidence)
        for action in actions:
            tried = tuple(sorted(at[action]))
            asked = self._reports(ActionProposed, action) or self._elsewhere(action)
            reports = asked or tuple(r for one in tried for r in self._reports(ToolCall, one))
            self.sourced[action] = around.pointers.get(action, set())
            yield Step(
                ACTION,
                _tool(reports),
                action,
                reports,
                tried,
                next(iter(unique(getattr(report.event, "call", None) for report in asked)), ""),
                tuple(sorted({*around.used(action), *(u for one in tried for u in around.used(one))})),
                tuple(sorted({m for one in tried for m in around.made.get(one, ())})),
            )

    def _elsewhere(self, action: str) -> tuple[Report, ...]:
        """What is reported of an action in another run, or in none."""
        found = self.done.reports.get(action, ())
        return tuple(report for report in found if isinstance(report.event, ActionProposed))

    # The rest

    def _others(self) -> Iterator[Step]:
        for ref in self._refs(Delegated):
            reports = self._reports(Delegated, ref)
            events = [report.event for report in reports if isinstance(report.event, Delegated)]
            used = {(one.ref, one.role or "") for event in events for one in event.inputs}
            yield Step("delegation", names.agent(events[0].agent), ref, reports, used=tuple(sorted(used)))
        for ref in self._refs(AdoptionDecided):
            reports = self._reports(AdoptionDecided, ref)
            decided = [report.event for report in reports if isinstance(report.event, AdoptionDecided)]
            drafts = tuple(sorted({(event.draft, "draft") for event in decided}))
            made = {event.accepted or f"{ref};accepted" for event in decided}
            yield Step("adoption", "", ref, reports, used=drafts, made=tuple(sorted(made)))
        for ref in self._refs(Derived):
            reports = self._reports(Derived, ref)
            derived = [report.event for report in reports if isinstance(report.event, Derived)]
            sources = {(one.ref, one.role or "") for event in derived for one in event.from_}
            method = derived[0].tool or derived[0].method
            yield Step("transformation", method, ref, reports, used=tuple(sorted(sources)), made=(ref,))
        for ref in self._refs(Span):
            reports = self._reports(Span, ref)
            spans = [report.event for report in reports if isinstance(report.event, Span)]
            used = {(one.ref, one.role or "") for span in spans for one in span.inputs}
            made = {one.ref for span in spans for one in span.outputs}
            tool = f"{spans[0].kind} {spans[0].name or ''}".strip()
            yield Step("span", tool, ref, reports, used=tuple(sorted(used)), made=tuple(sorted(made)))


class _Around:
    """What attempts used and made, and what candidates came from, as the graph has it: joins included."""

    def __init__(
        self,
        graph: Graph,
        as_of: int,
        named: tuple[Sequence[str], Sequence[str]],
        evidence: frozenset[Evidence],
    ) -> None:
        actions, attempts = named
        ids = graph.ids([*actions, *attempts], as_of)
        nodes = sorted(ids.values())
        outward = graph.rows(nodes, Way.OUT, (USED, DERIVED), as_of) if nodes else []
        inward = graph.rows(nodes, Way.IN, (MADE,), as_of) if nodes else []
        links = links_of([*outward, *inward], evidence)
        held = [link for link in links if link.supporting and not link.refuted]
        refs = graph.refs(sorted({end for link in held for end in (link.source, link.target)}))
        self._used: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        self.made: defaultdict[str, set[str]] = defaultdict(set)
        self.pointers: defaultdict[str, set[str]] = defaultdict(set)
        tried = frozenset(attempts)
        for link in held:
            source, target = refs[link.source], refs[link.target]
            if link.code == MADE and target in tried:
                self.made[target].add(source)
            elif link.code == DERIVED:
                self._used[source].add((target, "argument"))
                self.pointers[source].update(_pointers(link.rows))
            elif link.code == USED and link.role != "arguments":
                self._used[source].add((target, link.role))

    def used(self, ref: str) -> set[tuple[str, str]]:
        return self._used.get(ref, set())


def _pointers(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        if row.stance and row.attributes:
            pointer = msgspec.json.decode(row.attributes, type=dict[str, object]).get("clew:pointer")
            if isinstance(pointer, str):
                yield pointer


def _places(event: Envelope) -> list[tuple[str, str]]:
    """What an event is filed under: its type and the reference of what it is about."""
    match event:
        case ModelCall():
            return [("model_call", event.call)]
        case ActionProposed():
            return [("action_proposed", event.action)]
        case ToolCall():
            return [("tool_call", event.attempt)]
        case Delegated():
            return [("delegated", event.delegation)]
        case AdoptionDecided():
            return [("adoption_decided", event.decision)]
        case Derived():
            return [("derived", event.to)]
        case Span():
            return [("span", event.span)]
        case _:
            return []


def _tool(reports: Iterable[Report]) -> str:
    tools = (getattr(report.event, "tool", None) for report in reports)
    return next((names.under("tool", tool) for tool in tools if tool), "")


def _begun(step: Step) -> tuple[int, str]:
    """When a step is first told of; used only to put steps in a row that nothing else orders."""
    times = [began(event) for event in step.events()]
    return min(times, default=0), step.ref


def began(event: Envelope) -> int:
    return nanoseconds(getattr(event, "started", None) or event.time)
