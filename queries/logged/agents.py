"""Which agents were at work in a run, and asked for an action."""

from __future__ import annotations

from collections.abc import Sequence

from provmodel import names
from provmodel.events import ModelCall, RunStarted
from queries.authority.views import unique
from queries.graph import Graph

STARTS = 100
"""Starts of one run that are looked at."""


class Agents:
    """Agents by run and by call, each read once."""

    def __init__(self, graph: Graph, as_of: int) -> None:
        self._graph, self._as_of = graph, as_of
        self._of_runs: dict[str, tuple[str, ...]] = {}
        self._of_call: dict[str, tuple[str, ...]] = {}

    def of_run(self, run: str | None) -> tuple[str, ...]:
        """The agents that a run was started with."""
        if not run:
            return ()
        if run not in self._of_runs:
            told = self._graph.run_reports(run, ("run_started",), self._as_of, STARTS)
            starts = [report.event for report in told]
            self._of_runs[run] = unique(names.agent(e.agent) for e in starts if isinstance(e, RunStarted))
        return self._of_runs[run]

    def of_calls(self, calls: Sequence[str]) -> tuple[str, ...]:
        """The agents that made these model calls, where the calls say so."""
        unread = [call for call in calls if call not in self._of_call]
        if unread:
            ids = self._graph.ids(unread, self._as_of)
            told = self._graph.reports(list(ids.values()), self._as_of)
            for call in unread:
                found = [report.event for report in told.get(ids.get(call, -1), ())]
                made = [event for event in found if isinstance(event, ModelCall) and event.agent]
                self._of_call[call] = unique(names.agent(event.agent or "") for event in made)
        return unique(agent for call in calls for agent in self._of_call[call])
