"""Read from a graph all that bears on some attempts, in a fixed number of reads whatever their number.

The way: attempts -> candidates -> the authorizations of these -> decisions; beside them the decisions that
attempts name, the grants filed under the run (session) or the thing touched (sticky), and what is recorded
about any of these: verifications, revocations, cancellations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from provmodel import names
from provmodel.events import (
    ActionProposed,
    AuthorizationDecided,
    Envelope,
    RunCancelled,
    ToolCall,
    Verification,
)
from provmodel.relations import INFLUENCE, USAGE, Flow
from queries.authority.limits import limit_of
from queries.authority.views import GRANTS, unique
from queries.graph import Graph, Report, SourceState, Way
from queries.links import Link

AUTHORIZATION = ";authorization"
NOTICE = ";notice"
ARGUMENTS = "arguments"
USED = (USAGE.code(0, Flow.DATA), USAGE.code(0, Flow.CONTROL))
ABOUT = (INFLUENCE.code(0, Flow.RECORD),)
MANY = 1000
"""Reports of one run, and grants under one key, that are looked at."""

E = TypeVar("E", bound=Envelope)


class Reading:
    """What was read about some attempts.

    ``reports`` holds the events that describe each node, ``refs`` the nodes' references, ``executes`` the
    edges from attempts to candidates that are not refuted; ``clipped`` names what had too many reports to
    read all.
    """

    def __init__(
        self,
        graph: Graph,
        as_of: int,
        attempts: Iterable[int],
        candidates: Iterable[int] = (),
        touched: Iterable[str] = (),
        refs: Mapping[int, str] | None = None,
    ) -> None:
        self.graph = graph
        self.as_of = as_of
        self.refs: dict[int, str] = dict(refs or {})
        self.ids: dict[str, int] = {}
        self.reports: dict[str, list[Report]] = {}
        self._of_type: dict[type[Envelope], list[Any]] = {}
        self.executes: list[Link] = []
        self.clipped: list[str] = []
        self.runs: tuple[str, ...] = ()
        self.starts: list[Report] = []
        self.cancels: list[Report] = []
        self._read_attempts(set(attempts), set(candidates))
        self._read_runs()
        self._read_decisions(touched)
        self._read_notices()
        self._read_uses()

    def of_type(self, kind: type[E]) -> list[E]:
        """All events of one type that were read."""
        found: list[E] = self._of_type.get(kind, [])
        return found

    # Nodes and their reports

    def name(self, ids: Iterable[int]) -> None:
        """Learn the references of nodes."""
        unknown = [node for node in dict.fromkeys(ids) if node not in self.refs]
        if unknown:
            infos = self.graph.infos(unknown, self.as_of)
            self.refs.update({node: info.ref for node, info in infos.items()})

    def _describe(self, ids: Iterable[int]) -> None:
        unread = [node for node in dict.fromkeys(ids) if self.refs[node] not in self.reports]
        if unread:
            found = self.graph.reports(unread, self.as_of)
            self.reports.update({self.refs[node]: found.get(node, []) for node in unread})
            for event in [report.event for node in unread for report in found.get(node, ())]:
                self._of_type.setdefault(type(event), []).append(event)

    def find(self, refs: Iterable[str]) -> list[int]:
        """The nodes of these references, those that are there."""
        wanted = list(dict.fromkeys(refs))
        unknown = [ref for ref in wanted if ref not in self.ids]
        if unknown:
            ids = self.graph.ids(unknown, self.as_of)
            self.ids.update(ids)
            self.refs.update({node: ref for ref, node in ids.items()})
        return [self.ids[ref] for ref in wanted if ref in self.ids]

    def look(self, refs: Iterable[str | None]) -> None:
        """Read the reports of nodes known by reference."""
        unread = [ref for ref in unique(refs) if ref not in self.reports]
        if unread:
            self._describe(self.find(unread))

    def _links(self, ids: Iterable[int], way: Way, codes: Sequence[int]) -> list[Link]:
        wanted = sorted(set(ids))
        links = self.graph.links(wanted, way, codes, self.as_of) if wanted else []
        return [link for link in links if not link.refuted]

    # The steps

    def _read_attempts(self, attempts: set[int], candidates: set[int]) -> None:
        """The attempts, their candidates, the other attempts at these, and the authorizations about them."""
        used = self._links(attempts, Way.OUT, USED)
        candidates |= {link.target for link in used if link.role == ARGUMENTS}
        at_candidates = self._links(candidates, Way.IN, USED)
        self.executes = [link for link in (*used, *at_candidates) if link.role == ARGUMENTS]
        self.tried = sorted({*attempts, *(link.source for link in self.executes)})
        self.candidates = sorted(candidates)
        authorizations = {link.source for link in at_candidates if link.role == "candidate"}
        self.name([*self.tried, *self.candidates, *sorted(authorizations)])
        self._describe([*self.tried, *self.candidates])
        self._decided = sorted(self.refs[node].removesuffix(AUTHORIZATION) for node in authorizations)

    def _read_runs(self) -> None:
        """Starts and cancellations of every run that was met."""
        met = unique(report.event.run for reports in self.reports.values() for report in reports)
        for run in met:
            if run not in self.runs:
                found = self._few(
                    self.graph.run_reports(run, ("run_started", "run_cancelled"), self.as_of, MANY), run
                )
                self.starts += [report for report in found if not isinstance(report.event, RunCancelled)]
                self.cancels += [report for report in found if isinstance(report.event, RunCancelled)]
        self.runs = unique((*self.runs, *met))

    def _read_decisions(self, touched: Iterable[str]) -> None:
        """Decisions: those found, those named, those filed; then the actions they were asked for, and who
        asked.
        """
        self.look((*self._decided, *(call.decision for call in self.of_type(ToolCall))))
        keys = self._keys(touched)
        found = self.graph.filed_reports(keys, self.as_of, MANY)
        filed = [report for key in keys for report in self._few(found.get(key, []), key)]
        self.look(report.event.decision for report in filed if isinstance(report.event, AuthorizationDecided))
        self.look(decision.action for decision in self.of_type(AuthorizationDecided))
        self.look(asked.call for asked in self.of_type(ActionProposed))
        self._read_runs()

    def _keys(self, touched: Iterable[str]) -> list[str]:
        """The keys of session grants of the runs, and of sticky grants on what was aimed at or written."""
        aimed = [asked.target for asked in self.of_type(ActionProposed) if asked.target]
        written = [write.ref for call in self.of_type(ToolCall) for write in call.writes]
        things = unique(names.split(ref).thing for ref in (*aimed, *written, *touched))
        return [*(f"session:{run}" for run in self.runs), *(f"sticky:{thing}" for thing in things)]

    def _few(self, found: list[Report], what: str) -> list[Report]:
        if len(found) >= MANY:
            self.clipped.append(what)
        return found

    def _read_notices(self) -> None:
        """What is recorded about attempts, actions, decisions and what was written."""
        written = [(write.ref, call.attempt) for call in self.of_type(ToolCall) for write in call.writes]
        subjects = {ref for ref, _ in written} | {names.occurrence(ref, attempt) for ref, attempt in written}
        subjects |= {decision.decision for decision in self.of_type(AuthorizationDecided)}
        about = self._links((*self.tried, *self.candidates, *self.find(sorted(subjects))), Way.IN, ABOUT)
        self.name(link.source for link in about)
        self._describe(link.source for link in about if link.role in ("verifies", "replaces"))
        withdrawing = [
            self.refs[link.source].removesuffix(NOTICE) for link in about if link.role == "withdraws"
        ]
        self.look(withdrawing)
        found = [report for ref in unique(withdrawing) for report in self.reports.get(ref, ())]
        known = {report.seq for report in self.cancels}
        self.cancels += [
            report for report in found if isinstance(report.event, RunCancelled) and report.seq not in known
        ]
        self.verifications = self.of_type(Verification)

    def _read_uses(self) -> None:
        """Other attempts under grants that are good for so many uses."""
        decided = [
            d for d in self.of_type(AuthorizationDecided) if d.verdict in GRANTS and limit_of(d) is not None
        ]
        listed = [call for decision in decided if decision.scope for call in decision.scope.calls]
        if decided:
            using = self._links(self.find([*(d.decision for d in decided), *listed]), Way.IN, USED)
            using = [link for link in using if link.role in ("authorization", ARGUMENTS)]
            self.name(link.source for link in using)
            self._describe(link.source for link in using)
            self.executes += [link for link in using if link.role == ARGUMENTS]

    @cached_property
    def run_sources(self) -> dict[str, list[str]]:
        """Which sources reported events of each run."""
        return self.graph.run_sources(self.runs, self.as_of) if self.runs else {}

    @cached_property
    def sources(self) -> list[SourceState]:
        """What is known of the sources of the runs, and of those that reported the attempts."""
        own = {r.event.source for node in self.tried for r in self.reports.get(self.refs[node], ())}
        asked = sorted(own.union(*self.run_sources.values()))
        return self.graph.sources(asked, self.as_of) if asked else []
