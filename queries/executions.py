"""Attempts with the actions that they execute, the other attempts at these, and what verifiers say of them.

Four reads of rows and reports, whatever the number of attempts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from provmodel import names
from provmodel.events import ActionProposed, ToolCall, Verification
from provmodel.relations import INFLUENCE, USAGE, Flow
from queries.effect import Effect, effect_of_action, effect_of_attempt, effect_of_write
from queries.graph import Graph, Report, Way

EXECUTES = (USAGE.code(0, Flow.DATA),)
ABOUT = (INFLUENCE.code(0, Flow.RECORD),)
ARGUMENTS = "arguments"
VERIFIES = "verifies"


class Executions:
    """What was read: ``reports`` of attempts and actions by reference, ``actions`` of each attempt,
    ``attempts`` at each action. ``ids`` are the nodes of references.
    """

    def __init__(self, graph: Graph, as_of: int, attempts: Iterable[str]) -> None:
        self._graph, self._as_of = graph, as_of
        self.ids: dict[str, int] = {}
        self.reports: dict[str, list[Report]] = {}
        self.actions: defaultdict[str, list[str]] = defaultdict(list)
        self.attempts: defaultdict[str, list[str]] = defaultdict(list)
        self._checks: defaultdict[str, list[Verification]] = defaultdict(list)
        asked = list(dict.fromkeys(attempts))
        self._learn(asked)
        self._read_actions(asked)
        self._read_checks()

    def calls(self, attempt: str) -> list[ToolCall]:
        """What is reported of an attempt."""
        return [r.event for r in self.reports.get(attempt, ()) if isinstance(r.event, ToolCall)]

    def asked(self, attempt: str) -> list[ActionProposed]:
        """What is reported of the actions that an attempt executes."""
        found = [report.event for ref in self.actions[attempt] for report in self.reports.get(ref, ())]
        return [event for event in found if isinstance(event, ActionProposed)]

    def checks(self, *refs: str) -> list[Verification]:
        """Verifications whose subject or attempt is one of these, by reference."""
        found = {id(check): check for ref in refs for check in self._checks.get(ref, ())}
        return sorted(found.values(), key=lambda check: (check.verification, check.source, check.id))

    def checks_of(self, attempt: str) -> list[Verification]:
        """Verifications of an attempt, of its actions, and of what it or their other attempts wrote."""
        return self.checks(*(ref for one in self.group(attempt) for ref in self._subjects(one)))

    def group(self, attempt: str) -> list[str]:
        """The attempt and the others at the same actions."""
        others = [other for action in self.actions[attempt] for other in self.attempts[action]]
        return list(dict.fromkeys((attempt, *others)))

    def effect_of(self, attempt: str) -> Effect:
        """What is known of the effect of one attempt."""
        action = next(iter(self.actions[attempt]), "")
        return effect_of_attempt(attempt, self._calls(attempt), self.checks_of(attempt), action)

    def effect_of_write(self, written: str, attempt: str) -> Effect:
        """What is known of one write of an attempt; "" for one that is not reported."""
        if not written:
            return self.effect_of(attempt)
        action = next(iter(self.actions[attempt]), "")
        return effect_of_write(written, attempt, self._calls(attempt), self.checks_of(attempt), action)

    def effect(self, attempt: str) -> Effect:
        """What is known of the effect of the attempt's action; without one, of the attempt."""
        action = next(iter(self.actions[attempt]), "")
        if not action:
            return self.effect_of(attempt)
        return effect_of_action(self._calls(attempt), self.checks_of(attempt), action)

    def _calls(self, attempt: str) -> dict[str, Sequence[ToolCall]]:
        return {one: self.calls(one) for one in self.group(attempt)}

    def _subjects(self, attempt: str) -> list[str]:
        written = [write.ref for call in self.calls(attempt) for write in call.writes]
        made = [names.occurrence(ref, attempt) for ref in written]
        return [attempt, *self.actions[attempt], *written, *made]

    def _learn(self, refs: Iterable[str]) -> None:
        """The nodes and reports of references."""
        unknown = [ref for ref in dict.fromkeys(refs) if ref not in self.ids]
        if unknown:
            found = self._graph.ids(unknown, self._as_of)
            self.ids.update(found)
            told = self._graph.reports(list(found.values()), self._as_of)
            self.reports.update({ref: told[node] for ref, node in found.items() if node in told})

    def _read_actions(self, asked: Sequence[str]) -> None:
        nodes = [self.ids[ref] for ref in asked if ref in self.ids]
        used = self._executing(nodes, Way.OUT)
        pairs = {*used, *self._executing(sorted({action for _, action in used}), Way.IN)}
        refs = self._graph.refs(sorted({node for pair in pairs for node in pair}))
        for attempt, action in sorted((refs[one], refs[other]) for one, other in pairs):
            self.actions[attempt].append(action)
            self.attempts[action].append(attempt)
        self._learn((*self.actions, *self.attempts))

    def _executing(self, nodes: Sequence[int], way: Way) -> list[tuple[int, int]]:
        links = self._graph.links(nodes, way, EXECUTES, self._as_of) if nodes else []
        found = [link for link in links if link.role == ARGUMENTS and not link.refuted]
        return [(link.source, link.target) for link in found]

    def _read_checks(self) -> None:
        attempts = [ref for ref in self.ids if self.calls(ref)]
        subjects = dict.fromkeys(ref for attempt in attempts for ref in self._subjects(attempt))
        unknown = [ref for ref in subjects if ref not in self.ids]
        nodes = [*self.ids.values(), *(self._graph.ids(unknown, self._as_of).values() if unknown else ())]
        rows = self._graph.rows(nodes, Way.IN, ABOUT, self._as_of) if nodes else []
        verifying = sorted({row.source for row in rows if row.role == VERIFIES})
        told = self._graph.reports(verifying, self._as_of) if verifying else {}
        for report in (report for node in verifying for report in told.get(node, ())):
            if isinstance(report.event, Verification):
                for ref in {report.event.subject, report.event.attempt or report.event.subject}:
                    self._checks[ref].append(report.event)
