"""What several reports say of one attempt, action or decision, side by side: no report wins over another.

Two sources may report one attempt (the agent's harness and the tool's gateway), and a conflict leaves two
variants of one event. Each is considered; nothing is merged into a value that nobody reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import msgspec

from provmodel import names
from provmodel.events import (
    ActionProposed,
    Args,
    AuthorizationDecided,
    RunCancelled,
    ToolCall,
    Verification,
)
from provmodel.mapping.actions import decider_agent
from queries.authority.arguments import Tags, tags_of
from queries.graph import Report, SourceState

GRANTS = frozenset({"allow", "modify"})
ENDINGS = frozenset({"expired", "revoked"})


class Attempt(msgspec.Struct, frozen=True, dict=True):
    """One attempt: its reports (tool calls), and the actions that it executes, stated or joined."""

    ref: str
    reports: tuple[Report, ...]
    actions: tuple[str, ...] = ()

    @cached_property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(r.event for r in self.reports if isinstance(r.event, ToolCall))

    @cached_property
    def named(self) -> frozenset[str]:
        """The decisions that it names: causal evidence that they came before it."""
        return frozenset(call.decision for call in self.calls if call.decision)

    @cached_property
    def tools(self) -> frozenset[str]:
        return frozenset(names.under("tool", call.tool) for call in self.calls)

    @cached_property
    def bindings(self) -> frozenset[str]:
        return frozenset(call.tool_binding for call in self.calls if call.tool_binding)

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(call.key for call in self.calls if call.key)

    @cached_property
    def versions(self) -> tuple[str, ...]:
        return unique(call.task_version for call in self.calls)

    @cached_property
    def runs(self) -> tuple[str, ...]:
        return unique(call.run for call in self.calls)

    @cached_property
    def retries(self) -> frozenset[str]:
        return frozenset(call.retry_of for call in self.calls if call.retry_of)

    @cached_property
    def outcomes(self) -> tuple[str, ...]:
        return unique(call.outcome for call in self.calls)

    @cached_property
    def executed(self) -> tuple[Tags, ...]:
        return _tags((report, _args(report, ToolCall, "arguments"), "/arguments") for report in self.reports)

    def wrote(self) -> bool:
        return any(call.writes for call in self.calls)


class Action(msgspec.Struct, frozen=True, dict=True):
    """One candidate action: its reports, and the agents that asked for it."""

    ref: str
    reports: tuple[Report, ...]
    askers: frozenset[str] = frozenset()

    @cached_property
    def asked(self) -> tuple[ActionProposed, ...]:
        return tuple(r.event for r in self.reports if isinstance(r.event, ActionProposed))

    @cached_property
    def tools(self) -> frozenset[str]:
        return frozenset(names.under("tool", asked.tool) for asked in self.asked)

    @cached_property
    def bindings(self) -> frozenset[str]:
        return frozenset(asked.tool_binding for asked in self.asked if asked.tool_binding)

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(asked.key for asked in self.asked if asked.key)

    @cached_property
    def targets(self) -> tuple[str, ...]:
        return unique(asked.target for asked in self.asked)

    @cached_property
    def targets_before(self) -> tuple[str, ...]:
        return unique(asked.target_before for asked in self.asked)

    @cached_property
    def runs(self) -> tuple[str, ...]:
        return unique(asked.run for asked in self.asked)

    @cached_property
    def proposed(self) -> tuple[Tags, ...]:
        return _tags(
            (report, _args(report, ActionProposed, "arguments"), "/arguments") for report in self.reports
        )


class Decision(msgspec.Struct, frozen=True, dict=True):
    """One report of a decision; ``about`` is the action it was asked for, ``askers`` who asked."""

    report: Report
    about: Action | None = None
    askers: frozenset[str] = frozenset()

    @cached_property
    def event(self) -> AuthorizationDecided:
        event = self.report.event
        assert isinstance(event, AuthorizationDecided)  # noqa: S101 - decisions are described by these alone
        return event

    @property
    def ref(self) -> str:
        return self.event.decision

    @property
    def grants(self) -> bool:
        return self.event.verdict in GRANTS

    @property
    def scope(self) -> str:
        return self.event.scope.kind if self.event.scope else ""

    @cached_property
    def shown(self) -> tuple[Tags, ...]:
        return _tags([(self.report, self.event.shown, "/shown")])

    @cached_property
    def authorized(self) -> tuple[Tags, ...]:
        return _tags([(self.report, self.event.authorized, "/authorized")])

    @cached_property
    def decider(self) -> str:
        """The decider as an agent's reference."""
        return decider_agent(self.event.decider)

    @cached_property
    def authenticated(self) -> bool:
        """Whether the decider's own credential delivered it, or one that may vouches for the check."""
        own = self.report.reporter in (self.event.decider.id, self.decider)
        return own or bool(self.event.decider.authenticated_by and self.report.vouched)


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """All that bears on one attempt.

    ``decisions`` are those it names, those about its actions, and those that may reach it (the run's session
    grants, sticky grants on what it touches); ``uses`` the other attempts under a limited grant, by decision;
    ``actors`` are the agents at work (the run's, the call's, the model); ``run_actors`` those of its run
    alone.
    """

    attempt: Attempt
    actions: tuple[Action, ...] = ()
    siblings: tuple[Attempt, ...] = ()
    decisions: tuple[Decision, ...] = ()
    cancels: tuple[Report, ...] = ()
    starts: tuple[Report, ...] = ()
    verifications: tuple[Verification, ...] = ()
    uses: dict[str, tuple[Attempt, ...]] = {}
    actors: frozenset[str] = frozenset()
    run_actors: frozenset[str] = frozenset()
    sources: Callable[[], Sequence[SourceState]] = tuple

    def runs(self) -> tuple[str, ...]:
        return unique(
            run for runs in (self.attempt.runs, *(action.runs for action in self.actions)) for run in runs
        )

    def targets(self) -> tuple[str, ...]:
        return unique(target for action in self.actions for target in action.targets)

    def keys(self) -> frozenset[str]:
        return self.attempt.keys or frozenset(key for action in self.actions for key in action.keys)


def unique(values: Iterable[str | None]) -> tuple[str, ...]:
    """The values that are there, each once, in the order given."""
    return tuple(dict.fromkeys(filter(None, values)))


def in_order(reports: Iterable[Report]) -> tuple[Report, ...]:
    """Reports of one thing by source, event id and content, so that nothing depends on which came first."""
    found = tuple(reports)
    return found if len(found) < 2 else tuple(sorted(found, key=order_of))


def order_of(report: Report) -> tuple[str, str, bytes]:
    return report.event.source, report.event.id, msgspec.json.encode(report.event)


def cancellation(report: Report) -> RunCancelled:
    assert isinstance(report.event, RunCancelled)  # noqa: S101 - read by that type
    return report.event


def _args(report: Report, kind: type, field: str) -> Args | None:
    return getattr(report.event, field) if isinstance(report.event, kind) else None


def _tags(sides: Iterable[tuple[Report, Args | None, str]]) -> tuple[Tags, ...]:
    found = [tags_of(*side) for side in sides]
    return tuple(tags for tags in found if tags is not None)
