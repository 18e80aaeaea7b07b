"""From what was read to cases: what bears on one attempt, put side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from provmodel import names
from provmodel.events import ActionProposed, AuthorizationDecided, ModelCall, RunStarted, ToolCall
from queries.authority.limits import limit_of
from queries.authority.reading import Reading
from queries.authority.views import ENDINGS, Action, Attempt, Case, Decision, in_order, order_of, unique
from queries.graph import Report, SourceState


class Cases:
    """The attempts, actions and decisions of a reading, each made once."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._actions: dict[str, Action] = {}

    def case(self, ref: str) -> Case:
        """All that bears on one attempt."""
        attempt = self.attempts.get(ref) or Attempt(ref, ())
        actions = tuple(self.action(action) for action in attempt.actions)
        runs = unique((*attempt.runs, *(run for action in actions for run in action.runs)))
        decisions = self._decisions_for(attempt) if self.decisions else ()
        run_actors = self._run_agents(runs)
        return Case(
            attempt=attempt,
            actions=actions,
            siblings=tuple(self.attempts[other] for other in self.at(attempt.actions) if other != ref),
            decisions=decisions,
            cancels=tuple(self.reading.cancels),
            starts=tuple(start for start in self.reading.starts if start.event.run in runs),
            verifications=tuple(self.reading.verifications),
            uses={d.ref: self._uses(d, ref) for d in decisions if d.grants and limit_of(d.event) is not None},
            actors=frozenset(run_actors | self._callers(actions)),
            run_actors=frozenset(run_actors),
            sources=lambda: self._states(attempt, runs),
        )

    # Attempts and actions

    @cached_property
    def attempts(self) -> dict[str, Attempt]:
        """The attempts as all their reports have them; actions are those that they state and those joined to
        them.
        """
        refs = self.reading.refs
        joined: defaultdict[str, list[str]] = defaultdict(list)
        for link in self.reading.executes:
            joined[refs.get(link.source, "")].append(refs.get(link.target, ""))
        known = dict.fromkeys((*(refs[node] for node in self.reading.tried), *sorted(self._called)))
        return {ref: self._attempt(ref, joined[ref]) for ref in known}

    @cached_property
    def _called(self) -> set[str]:
        return {call.attempt for call in self.reading.of_type(ToolCall)}

    def _attempt(self, ref: str, joined: Sequence[str]) -> Attempt:
        reports = in_order(r for r in self.reading.reports.get(ref, ()) if isinstance(r.event, ToolCall))
        stated = [r.event.action for r in reports if isinstance(r.event, ToolCall)]
        return Attempt(ref, reports, unique((*stated, *joined)))

    @cached_property
    def _by_action(self) -> dict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for ref in sorted(self.attempts):
            for action in self.attempts[ref].actions:
                found[action].append(ref)
        return found

    def at(self, actions: Iterable[str]) -> tuple[str, ...]:
        """Attempts at these actions, ordered by reference within each."""
        return unique(ref for action in actions for ref in self._by_action.get(action, ()))

    def action(self, ref: str) -> Action:
        if ref not in self._actions:
            found = self.reading.reports.get(ref, ())
            reports = in_order(report for report in found if isinstance(report.event, ActionProposed))
            self._actions[ref] = Action(ref, reports, frozenset(self._askers(reports)))
        return self._actions[ref]

    def _askers(self, reports: Iterable[Report]) -> set[str]:
        """The agents that asked: of the call when it says, else of the run."""
        found: set[str] = set()
        for report in reports:
            calls = self._model_calls(report)
            agents = {names.agent(call.agent) for call in calls if call.agent}
            found |= agents or self._run_agents((report.event.run,))
        return found

    def _callers(self, actions: Iterable[Action]) -> set[str]:
        """The agents and models whose calls asked for the actions."""
        calls = [
            call for action in actions for report in action.reports for call in self._model_calls(report)
        ]
        agents = {names.agent(call.agent) for call in calls if call.agent}
        return agents | {names.under("model", call.model) for call in calls}

    def _model_calls(self, report: Report) -> list[ModelCall]:
        call = report.event.call if isinstance(report.event, ActionProposed) else None
        found = self.reading.reports.get(call or "", ())
        return [told.event for told in found if isinstance(told.event, ModelCall)]

    def _run_agents(self, runs: Iterable[str | None]) -> set[str]:
        wanted = set(runs)
        starts = [start.event for start in self.reading.starts if start.event.run in wanted]
        return {names.agent(event.agent) for event in starts if isinstance(event, RunStarted)}

    # Decisions

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """Every report of a decision that was read, ordered by decision, source, event id and content."""
        found = [
            self._decision(report, report.event)
            for reports in self.reading.reports.values()
            for report in reports
            if isinstance(report.event, AuthorizationDecided)
        ]
        return tuple(sorted(found, key=lambda d: (d.ref, order_of(d.report))))

    def _decision(self, report: Report, event: AuthorizationDecided) -> Decision:
        about = self.action(event.action) if event.action else None
        askers = about.askers if about else frozenset()
        return Decision(report, about, askers or frozenset(self._run_agents((event.run,))))

    @cached_property
    def _index(self) -> dict[str, list[Decision]]:
        """Decisions by their own reference, by the actions that they name, by what they end; "" for the wide
        ones.
        """
        found: defaultdict[str, list[Decision]] = defaultdict(list)
        for decision in self.decisions:
            event = decision.event
            listed = event.scope.calls if event.scope else ()
            wide = decision.scope in ("session", "sticky") or not (event.action or listed)
            ended = event.replaces if event.verdict in ENDINGS else None
            for key in unique((decision.ref, event.action, *listed, ended)):
                found[key].append(decision)
            if wide:
                found[""].append(decision)
        return found

    def _decisions_for(self, attempt: Attempt) -> tuple[Decision, ...]:
        index = self._index
        near = [*index.get("", ())]
        for key in (*sorted(attempt.named), *attempt.actions):
            near += index.get(key, ())
        ending = [ending for decision in near for ending in index.get(decision.ref, ())]
        found = {decision.report.seq for decision in (*near, *ending)}
        return tuple(decision for decision in self.decisions if decision.report.seq in found)

    def _uses(self, grant: Decision, own: str) -> tuple[Attempt, ...]:
        """Other attempts that are uses of a grant: they name it, or name none and are at an action that it is
        for.
        """
        listed = grant.event.scope.calls if grant.event.scope else ()
        at = {
            ref
            for action in (grant.event.action, *listed)
            if action
            for ref in self._by_action.get(action, ())
        }
        using = self._naming.get(grant.ref, set()) | {ref for ref in at if not self.attempts[ref].named}
        return tuple(self.attempts[ref] for ref in sorted(using - {own}))

    @cached_property
    def _naming(self) -> dict[str, set[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for attempt in self.attempts.values():
            for decision in attempt.named:
                found[decision].add(attempt.ref)
        return found

    def _states(self, attempt: Attempt, runs: Iterable[str]) -> list[SourceState]:
        """The sources of the runs; without a run, those that reported the attempt."""
        wanted = {source for run in runs for source in self.reading.run_sources.get(run, ())}
        wanted = wanted or {report.event.source for report in attempt.reports}
        return [state for state in self.reading.sources if state.source in wanted]
