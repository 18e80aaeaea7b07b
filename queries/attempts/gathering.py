"""From what is asked about (runs, actions, attempts, calls, versions, things) to attempts and actions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from provmodel import names
from provmodel.events import ActionProposed, ToolCall
from provmodel.evidence import Evidence
from provmodel.relations import COMMUNICATION, INVALIDATION, Flow
from queries.authority.cases import Cases
from queries.authority.reading import Reading
from queries.authority.views import Attempt
from queries.authority.writes import DELETE, MADE, OF_RUN, Finder
from queries.graph import Graph, Way
from queries.links import Link, links_of
from queries.targets import Chosen

RETRIES = (COMMUNICATION.code(0, Flow.STRUCTURE),)
RETRY = "retry"
DELETED = (INVALIDATION.code(0, Flow.RECORD),)
CHAIN = 1000
"""Attempts of one chain of retries that are followed."""


class Gathered:
    """The attempts and actions that the targets come down to, with all that bears on them.

    ``attempts`` are references, ``actions`` those of candidates; ``made`` the edges from what each attempt
    made or deleted; ``clipped`` says what was too many to look at.
    """

    def __init__(
        self, graph: Graph, as_of: int, evidence: frozenset[Evidence], starts: Sequence[Chosen]
    ) -> None:
        self.graph = graph
        self.as_of = as_of
        self.clipped: list[str] = []
        finder = Finder(graph, as_of, evidence)
        asked = finder.find(starts)
        if asked.clipped:
            self.clipped.append("further attempts of the run")
        candidates = {*asked.candidates, *(link.source for link in asked.made), *self._proposed(starts)}
        attempts = self._chains(asked.all_attempts())
        self.reading = Reading(graph, as_of, attempts, self._actions(candidates), asked.touched, asked.refs)
        further = self._chains(self.reading.tried) - set(self.reading.tried)
        if further:  # retries that are at another action, or at none
            everything = {*self.reading.tried, *further}
            self.reading = Reading(
                graph, as_of, everything, self.reading.candidates, asked.touched, asked.refs
            )
        self.cases = Cases(self.reading)
        self.attempts = self._tried()
        self.actions = tuple(sorted(self.reading.refs[node] for node in self.reading.candidates))
        self.made = self._made(evidence)
        self.clipped += [f"all reports of {what}" for what in self.reading.clipped]

    def _proposed(self, starts: Sequence[Chosen]) -> list[int]:
        """The actions proposed in the runs asked about: some may never have been tried."""
        found = []
        for start in starts:
            reports = self.graph.run_reports(start.ref, ("action_proposed",), self.as_of, OF_RUN)
            if len(reports) >= OF_RUN:
                self.clipped.append(f"further actions of {start.ref}")
            found += [r.event.action for r in reports if isinstance(r.event, ActionProposed)]
        return sorted(self.graph.ids(list(dict.fromkeys(found)), self.as_of).values()) if found else []

    def _actions(self, nodes: Iterable[int]) -> list[int]:
        """Those of the nodes that are candidate actions."""
        wanted = sorted(set(nodes))
        types = self.graph.attributes(wanted, self.as_of, ("prov:type",)) if wanted else {}
        return [node for node, rows in types.items() if any(r.value == "clew:CandidateAction" for r in rows)]

    def _chains(self, attempts: Iterable[int]) -> set[int]:
        """The attempts with those that they retry, and those that retry them."""
        seen = set(attempts)
        fresh = sorted(seen)
        while fresh and len(seen) < CHAIN:
            rows = [
                row
                for way in Way
                for row in self.graph.rows(fresh, way, RETRIES, self.as_of)
                if row.role == RETRY
            ]
            fresh = sorted({end for row in rows for end in (row.source, row.target)} - seen)
            seen.update(fresh)
        if fresh:
            self.clipped.append("further retries")
        return seen

    def _tried(self) -> dict[str, Attempt]:
        """What is known as an attempt: what a tool call reports, or what such a one retries."""
        known = self.cases.attempts
        retried = {ref for attempt in known.values() for ref in attempt.retries}
        return {ref: attempt for ref, attempt in known.items() if attempt.calls or ref in retried}

    def _made(self, evidence: frozenset[Evidence]) -> dict[str, list[Link]]:
        """The edges to each attempt from what it made or deleted, but for what it only returned."""
        nodes = self.reading.find(self.attempts)
        rows = self.graph.rows(nodes, Way.IN, (*MADE, *DELETED), self.as_of) if nodes else []
        links = [link for link in links_of(rows, evidence) if link.code in MADE or link.role == DELETE]
        self.reading.name(link.source for link in links)
        refs = self.reading.refs
        made: defaultdict[str, list[Link]] = defaultdict(list)
        for link in sorted(links, key=lambda link: (refs[link.source], link.code)):
            attempt = refs[link.target]
            if refs[link.source] not in only_returned(self.attempts[attempt].calls, attempt):
                made[attempt].append(link)
        return made


def only_returned(calls: Iterable[ToolCall], attempt: str) -> set[str]:
    """What the reports of an attempt list as its results, and not as written."""
    results = [result for call in calls for result in call.results]
    written = {names.occurrence(write.ref, attempt) for call in calls for write in call.writes}
    return {ref.ref for result in results for ref in (result, *result.members)} - written
