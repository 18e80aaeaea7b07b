"""Writes, and who looked whether they took place.

A write is verified when a verifier's assertion supports it, or it is confirmed as its attempt's; it never
took place when that was confirmed to have failed. Where verifiers contradict each other, neither is
settled. All others nobody verified.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from provmodel import names
from provmodel.events import ArtifactVersion, ToolCall, Verification, Write
from provmodel.evidence import WORDS, Evidence
from provmodel.relations import GENERATION, INVALIDATION, Flow
from queries.authority.views import in_order, unique
from queries.authority.writes import may_write, written_by
from queries.effect import Effect
from queries.executions import Executions
from queries.graph import Graph, Report, Way
from queries.hiding import SCHEME
from queries.links import Link, contradicted, links_of
from queries.logged.agents import Agents
from queries.logged.pages import Where

MADE = (GENERATION.code(0, Flow.DATA), INVALIDATION.code(0, Flow.RECORD))
DELETE = "delete"
TYPES = ("tool_call", "artifact_version")
Why = Literal[
    "nobody_looked", "looked_in_vain", "operation_only", "evidence_lowered", "contradicted", "hidden"
]


CONTRADICTED: Literal["contradicted"] = "contradicted"
HIDDEN: Literal["hidden"] = "hidden"
UNTOLD = frozenset({CONTRADICTED, HIDDEN})
"""Of what can't be said that nobody verified it."""


class Unverified(msgspec.Struct, frozen=True, kw_only=True):
    """One write that nobody verified.

    ``write`` is the occurrence made or the version deleted; null for an attempt of unknown outcome that
    reports none and may have written (``possible``). ``why`` is ``nobody_looked``, ``looked_in_vain`` (every
    look was unconfirmed), ``operation_only`` (the action was confirmed, not which attempt did it) or
    ``evidence_lowered`` (what was confirmed is not claimed to be verified), ``contradicted`` (verifiers
    say that it took place, and that it did not) or ``hidden`` (what was written is hidden from the reader,
    and so is who looked at it). ``checks`` are these looks.
    """

    write: str | None
    thing: str | None
    mode: str | None
    possible: bool
    why: Why
    attempt: str
    action: str | None
    run: str | None
    tool: str | None
    agents: tuple[str, ...]
    sources: tuple[str, ...]
    time: str
    outcome: tuple[str, ...]
    effect: Effect
    evidence: str
    checks: tuple[str, ...]


class Looked(msgspec.Struct):
    """What became of the writes looked at."""

    unverified: list[Unverified] = []
    verified: int = 0
    failed: int = 0
    links: list[Link] = []
    attempts: list[str] = []


class Writes:
    """The writes of some reports of the log, each looked at once: at its attempt's first report."""

    def __init__(
        self, graph: Graph, as_of: int, where: Where, agents: Sequence[str], evidence: frozenset[Evidence]
    ) -> None:
        self._graph, self._as_of, self._where = graph, as_of, where
        self._agents, self._evidence = frozenset(agents), evidence
        self._agents_at = Agents(graph, as_of)
        self.looked = Looked()

    def look(self, reports: Sequence[Report], only: frozenset[str] = frozenset()) -> None:
        """Look at the writes that these report; at those alone that ``only`` names, when it does."""
        versions = self._versions(reports)
        makers = list(versions)
        attempts = [report.event.attempt for report in reports if isinstance(report.event, ToolCall)]
        self.done = Executions(self._graph, self._as_of, (*attempts, *makers))
        seqs = {report.seq for report in reports}
        found: dict[str, dict[str, Write | None]] = {}
        for attempt in dict.fromkeys((*attempts, *makers)):
            written = dict(self._written(attempt, seqs, versions.get(attempt, ())))
            if only:
                written = {ref: write for ref, write in written.items() if ref in only}
            if written:
                found[attempt] = written
        self._read(found)
        for attempt, written in found.items():
            self._judge(attempt, written)

    def _versions(self, reports: Iterable[Report]) -> dict[str, list[ArtifactVersion]]:
        """Versions that these report, by what made them."""
        found: defaultdict[str, list[ArtifactVersion]] = defaultdict(list)
        for report in reports:
            event = report.event
            if isinstance(event, ArtifactVersion) and event.made_by and self._where.holds(report, event.time):
                found[event.made_by].append(event)
        return found

    def _read(self, found: Mapping[str, Mapping[str, Write | None]]) -> None:
        """The edges that say who made what, and who asked for it, of all attempts at once."""
        refs = list(dict.fromkeys(ref for written in found.values() for ref in written if ref))
        ids = self._graph.ids(refs, self._as_of) if refs else {}
        rows = self._graph.rows(list(ids.values()), Way.OUT, MADE, self._as_of) if ids else []
        by_node = {node: ref for ref, node in ids.items()}
        self._made = {(by_node[x.source], x.target): x for x in links_of(rows, self._evidence)}
        asked = unique(one.call for attempt in found for one in self.done.asked(attempt))
        self._agents_at.of_calls(asked)

    def _written(
        self, attempt: str, seqs: set[int], versions: Sequence[ArtifactVersion]
    ) -> Iterator[tuple[str, Write | None]]:
        """What an attempt wrote, by the occurrence made or version deleted; "" for what it may have."""
        told = self.done.reports.get(attempt, [])
        calls = [report for report in told if isinstance(report.event, ToolCall)]
        meant = [report for report in calls if self._where.holds(report, _time_of(report.event))]
        known = written_by(attempt, calls)
        if meant and min(report.seq for report in meant) in seqs:
            yield from ((ref, writes[0]) for ref, writes in known.items())
            if not known and any(call.outcome == "unknown" for call in self.done.calls(attempt)):
                yield "", None
        if may_write(told):
            returned = {result.ref for call in self.done.calls(attempt) for result in call.results}
            for event in versions:
                if event.ref in returned and not names.split(event.ref).is_occurrence:
                    continue
                if not {event.ref, names.occurrence(event.ref, attempt)} & known.keys():
                    yield event.ref, Write(ref=event.ref, mode=event.mode or "create", before=event.before)

    def _judge(self, attempt: str, written: dict[str, Write | None]) -> None:
        agents = self._agents_of(attempt)
        if self._agents and not self._agents & set(agents):
            return
        self.looked.attempts.append(attempt)
        own = self.done.ids.get(attempt, -1)
        for ref, write in written.items():
            link = self._made.get((ref, own))
            if link is not None and not (link.supporting or link.refuted):
                continue
            self._sort(attempt, agents, ref, write, link)

    def _sort(
        self, attempt: str, agents: tuple[str, ...], ref: str, write: Write | None, link: Link | None
    ) -> None:
        looked = self.looked
        checks = self._checks(attempt, ref)
        effect = self.done.effect_of_write(ref, attempt)
        sure = any(c.verdict == "confirmed" and c.evidence in (None, "verified") for c in checks)
        if link is not None:
            looked.links.append(link)
        doubtful = effect == CONTRADICTED or (link is not None and contradicted(link))
        if not doubtful and (effect == "confirmed_failed" or (link is not None and link.refuted)):
            looked.failed += 1
        elif not doubtful and ((effect == "confirmed" and sure) or (link is not None and _verified(link))):
            looked.verified += 1
        else:
            why: Why = CONTRADICTED if doubtful else self._why(attempt, ref, effect, checks)
            looked.unverified.append(self._entry(attempt, agents, ref, write, link, why, checks))

    def _why(self, attempt: str, ref: str, effect: Effect, checks: Sequence[Verification]) -> Why:
        if effect == "confirmed":
            return "evidence_lowered"
        if self.done.effect(attempt) == "confirmed" != self.done.effect_of(attempt):
            return "operation_only"
        if ref.startswith(SCHEME):
            return HIDDEN
        return "looked_in_vain" if checks else "nobody_looked"

    def _checks(self, attempt: str, ref: str) -> list[Verification]:
        """Verifications that may be about the write: of its attempt, its actions, and what was written."""
        state = ref.partition(names.BY)[0]
        subjects = (attempt, *self.done.actions[attempt], *((ref, state) if ref else ()))
        found = self.done.checks(*subjects)
        return [check for check in found if not check.attempt or check.attempt == attempt]

    def _entry(
        self,
        attempt: str,
        agents: tuple[str, ...],
        ref: str,
        write: Write | None,
        link: Link | None,
        why: Why,
        checks: Sequence[Verification],
    ) -> Unverified:
        reports = in_order(self.done.reports.get(attempt, ()))
        calls = [report.event for report in reports if isinstance(report.event, ToolCall)]
        targets = [asked.target for asked in self.done.asked(attempt)]
        thing = ref or next((target for target in targets if target), "")
        return Unverified(
            write=ref or None,
            thing=names.split(thing).thing if thing else None,
            mode=write.mode if write else None,
            possible=not ref,
            why=why,
            attempt=attempt,
            action=next(iter(self.done.actions[attempt]), None),
            run=self._run(attempt),
            tool=next((names.under("tool", call.tool) for call in calls), None),
            agents=agents,
            sources=tuple(sorted({report.event.source for report in reports})),
            time=next((_time_of(call) for call in calls), ""),
            outcome=unique(call.outcome for call in calls),
            effect=self.done.effect_of(attempt),
            evidence=WORDS[link.supporting] if link else "",
            checks=unique(check.verification for check in checks),
        )

    def _runs(self, attempt: str) -> tuple[str, ...]:
        told = (*self.done.calls(attempt), *self.done.asked(attempt))
        return unique(event.run for event in told)

    def _run(self, attempt: str) -> str | None:
        """The run that it, or else its action, is reported in: of several the first by name, one that was
        asked about before others."""
        told = (self.done.calls(attempt), self.done.asked(attempt))
        runs = [run for events in told for run in sorted(unique(event.run for event in events))]
        return next((run for run in runs if run in self._where.runs), runs[0] if runs else None)

    def _agents_of(self, attempt: str) -> tuple[str, ...]:
        """The agents of its runs, and those whose calls asked for its actions."""
        asking = self._agents_at.of_calls(unique(asked.call for asked in self.done.asked(attempt)))
        return unique((*asking, *(one for run in self._runs(attempt) for one in self._agents_at.of_run(run))))


def _verified(link: Link) -> bool:
    return any(row.stance and row.evidence == Evidence.VERIFIED for row in link.rows)


def _time_of(call: object) -> str:
    """When the write was done, as far as it is told."""
    assert isinstance(call, ToolCall)  # noqa: S101 - attempts are described by these alone
    return call.ended or call.time


def by_run(entries: Iterable[Unverified]) -> dict[str, int]:
    """How many there are of each run, "" for those of none, most first."""
    counts: defaultdict[str, int] = defaultdict(int)
    for entry in entries:
        counts[entry.run or ""] += 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
