"""Drafts of sub-agents: which there are, what was decided about each, and where they were sent all the same.

Produced is not adopted: a draft enters the lineage of what its parent made only by a recorded adoption, or by
a recorded use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from provmodel import names
from provmodel.events import AdoptionDecided, Delegated, RunStarted
from provmodel.relations import (
    DERIVATION,
    GENERATION,
    INFLUENCE,
    MEMBERSHIP,
    START,
    USAGE,
    Flow,
)
from provmodel.times import nanoseconds
from queries.authority import order
from queries.building import Found
from queries.gaps import Run
from queries.graph import Graph, Report, Row, Unchecked, Way
from queries.marks import RUN
from queries.targets import Chosen
from queries.ties import MODEL_CALL

NOT_ADOPTED = frozenset({"rejected", "superseded", "expired", "cancelled"})
UNDECIDED = "undecided"
OR = " or "
"""Between verdicts of which nothing tells which came last."""
RUNS = 1000
"""Runs below the one asked about whose drafts are looked at."""

DECIDES = USAGE.code(0, Flow.RECORD)
ADOPTED = DERIVATION.code(0, Flow.DATA)
MADE = GENERATION.code(0, Flow.DATA)
OUTPUT = GENERATION.code(0, Flow.STRUCTURE)
PART_OF = INFLUENCE.code(0, Flow.STRUCTURE)
STARTED = START.code(1)
USED = USAGE.code(0, Flow.DATA)
MEMBER = MEMBERSHIP.code(0, Flow.DATA)


class Rejected(msgspec.Struct, frozen=True):
    """A draft that was not adopted and was in the context of ``call`` all the same."""

    ref: str
    verdict: str
    call: str


class Decided(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One decision about a draft: by whom, as which report has it, and what the draft became (``accepted``).

    ``parts`` are the passages that were taken over, as unit:start-end.
    """

    decision: str
    verdict: str
    time: str
    event: int
    asserter: str
    by: str = ""
    run: str = ""
    reason: str = ""
    accepted: str = ""
    parts: tuple[str, ...] = ()
    conflict: bool = False


class Draft(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One draft.

    ``standing`` is the verdict of the last decision, several verdicts that can't be put in order joined by
    "or", or undecided. ``run`` is the sub-run that gave it, ``sent_to`` the model calls that were sent it,
    ``sent_after`` those of them that are not known to be earlier than the decision against it.
    """

    ref: str
    standing: str
    run: str = ""
    agents: tuple[str, ...] = ()
    decisions: tuple[Decided, ...] = ()
    sent_to: tuple[str, ...] = ()
    sent_after: tuple[str, ...] = ()


class Drafts:
    """The drafts that the targets come down to. ``runs`` are the sub-runs looked at, by node, each with its
    outputs; ``makers`` the runs that gave each draft; ``instead`` the runs that made a target that is neither
    a run nor of a draft."""

    def __init__(self, graph: Graph, as_of: int, starts: Sequence[Chosen]) -> None:
        self.graph = graph
        self.as_of = as_of
        self.unchecked: list[Unchecked] = []
        self.drafts: set[int] = set()
        self.runs: dict[int, set[int]] = {}
        self.asked_runs: set[int] = set()
        self.instead: set[int] = set()
        self._find(starts)
        self.refs = self._names({*self.drafts, *self.runs, *self.asked_runs})
        self.decisions = self._decisions()
        self.makers = self._makers()

    def _rows(self, nodes: Iterable[int], way: Way, *codes: int) -> list[Row]:
        wanted = sorted(set(nodes))
        rows = self.graph.rows(wanted, way, codes, self.as_of) if wanted else []
        return [row for row in rows if row.stance]

    def _names(self, nodes: Iterable[int]) -> dict[int, str]:
        wanted = sorted(set(nodes))
        refs = self.graph.refs(wanted)
        return {node: refs[node] for node in wanted}

    # From targets to drafts

    def _find(self, starts: Sequence[Chosen]) -> None:
        reports = self.graph.reports([start.id for start in starts], self.as_of)
        rest, named = [], []
        for start in starts:
            events = [report.event for report in reports.get(start.id, ())]
            named += [event.draft for event in events if isinstance(event, AdoptionDecided)]
            named += [event.to_run for event in events if isinstance(event, Delegated)]
            if not any(isinstance(event, AdoptionDecided | Delegated) for event in events):
                rest.append(start.id)
        told = set(self.graph.ids(named, self.as_of).values()) | set(rest)
        runs = self._runs(told)
        self._of_entities(told - runs)
        self._of_runs(runs | self.asked_runs)

    def _runs(self, nodes: Iterable[int]) -> set[int]:
        """Those that are runs: they say so, or something was part of them, or delegated to them."""
        wanted = sorted(nodes)
        types = self.graph.attributes(wanted, self.as_of, ("prov:type",)) if wanted else {}
        said = {node for node, rows in types.items() if any(row.value == RUN for row in rows)}
        whole = {row.target for row in self._rows(wanted, Way.IN, PART_OF) if row.role == "part-of"}
        return said | whole | {row.source for row in self._rows(wanted, Way.OUT, STARTED)}

    def _of_entities(self, nodes: set[int]) -> None:
        """Drafts themselves, what was adopted from one, outputs of a sub-run; of anything else, its run's."""
        drafts = {row.target for row in self._rows(nodes, Way.IN, DECIDES) if row.role == "draft"}
        taken = [row for row in self._rows(nodes, Way.OUT, ADOPTED) if row.role == "adopted"]
        drafts |= {row.target for row in taken}
        given = self._rows(nodes, Way.OUT, OUTPUT)
        parents = {row.source for row in self._parents(row.target for row in given)}
        drafts |= {row.source for row in given if row.target in parents}
        self.drafts |= drafts
        rest = nodes - drafts - {row.source for row in taken}
        made = self._rows(rest, Way.OUT, MADE)
        steps = {row.target for row in made} | rest
        parts = [row for row in self._rows(steps, Way.OUT, PART_OF) if row.role == "part-of"]
        self.instead |= {row.target for row in parts} | {row.target for row in given if row.source in rest}
        self.asked_runs |= self.instead

    def _parents(self, runs: Iterable[int]) -> list[Row]:
        """The rows that lead from sub-runs to the runs that they are part of."""
        wanted = set(runs)
        return [row for row in self._rows(wanted, Way.OUT, PART_OF) if row.role == "parent"]

    def _of_runs(self, runs: set[int]) -> None:
        """What the sub-runs of these gave, theirs included, and what was decided in them."""
        self.asked_runs |= runs
        own = {row.source for row in self._parents(runs)}
        seen, fresh = set(runs), set(runs)
        while fresh and len(seen) < RUNS:
            rows = [row for row in self._rows(fresh, Way.IN, PART_OF) if row.role == "parent"]
            rows += self._rows(fresh, Way.IN, STARTED)
            fresh = self._runs({row.source for row in rows} - seen)
            seen |= fresh
        if fresh:
            self.unchecked.append(Unchecked("drafts of further sub-runs", f"only {RUNS} runs are looked at"))
        for run in (seen - runs) | own:
            self.runs[run] = set()
        for row in self._rows(self.runs, Way.IN, OUTPUT):
            self.runs[row.target].add(row.source)
            self.drafts.add(row.source)
        self._decided_in(seen)

    def _decided_in(self, runs: Iterable[int]) -> None:
        told = [
            report
            for ref in self._names(runs).values()
            for report in self.graph.run_reports(ref, ("adoption_decided",), self.as_of, RUNS)
        ]
        drafts = [report.event.draft for report in told if isinstance(report.event, AdoptionDecided)]
        self.drafts |= set(self.graph.ids(list(dict.fromkeys(drafts)), self.as_of).values())

    # What is said of them

    def _decisions(self) -> dict[int, list[Report]]:
        """The reports of the decisions about each draft, by source and id."""
        rows = [row for row in self._rows(self.drafts, Way.IN, DECIDES) if row.role == "draft"]
        reports = self.graph.reports(sorted({row.source for row in rows}), self.as_of) if rows else {}
        found: defaultdict[int, list[Report]] = defaultdict(list)
        for draft, decision in sorted({(row.target, row.source) for row in rows}):
            for report in reports.get(decision, ()):
                if _decides(report, self.refs[draft]):
                    found[draft].append(report)
        return {
            draft: sorted(told, key=lambda r: (nanoseconds(r.event.time), r.event.source, r.event.id, r.seq))
            for draft, told in found.items()
        }

    def _makers(self) -> dict[int, list[str]]:
        """The runs that gave each draft: as their output, or by a call that is part of them."""
        outputs = {(row.source, row.target) for row in self._rows(self.drafts, Way.OUT, OUTPUT)}
        made = self._rows(self.drafts, Way.OUT, MADE)
        parts = [
            row for row in self._rows({row.target for row in made}, Way.OUT, PART_OF) if row.role == "part-of"
        ]
        run_of = {row.source: row.target for row in parts}
        given = {draft for draft, _ in outputs}
        outputs |= {
            (row.source, run_of[row.target])
            for row in made
            if row.target in run_of and row.source not in given
        }
        self.refs |= self._names(run for _, run in outputs)
        found: defaultdict[int, list[str]] = defaultdict(list)
        for draft, run in outputs:
            found[draft].append(self.refs[run])
        return {draft: sorted(runs) for draft, runs in found.items()}

    def agents(self) -> dict[str, tuple[str, ...]]:
        """The agents of the runs that gave the drafts."""
        runs = sorted({run for found in self.makers.values() for run in found})
        found: dict[str, tuple[str, ...]] = {}
        for run in runs:
            told = self.graph.run_reports(run, ("run_started",), self.as_of, RUNS)
            agents = {names.agent(r.event.agent) for r in told if isinstance(r.event, RunStarted)}
            found[run] = tuple(sorted(agents))
        return found

    def all_runs(self, known: Sequence[Run]) -> list[Run]:
        """The runs of an answer with those asked about and those below them, by reference."""
        runs = {run.node: run for run in known}
        fresh = sorted({*self.runs, *self.asked_runs} - runs.keys())
        ends = self.graph.attributes(fresh, self.as_of, ("prov:endTime",)) if fresh else {}
        runs |= {node: Run(node, ref, node in ends) for node, ref in self._names(fresh).items()}
        return sorted(runs.values(), key=lambda run: run.ref)

    def told(self, found: Found) -> tuple[Draft, ...]:
        """Each draft, by reference; ``found`` is the walk forward from them."""
        sent, agents = sent_to(found, self.drafts), self.agents()
        standings = {node: self._standing(node) for node in sorted(self.drafts, key=self.refs.__getitem__)}
        after = self._after(sent, standings)
        drafts = []
        for node, standing in standings.items():
            makers = self.makers.get(node, [])
            drafts.append(
                Draft(
                    ref=self.refs[node],
                    standing=standing,
                    run=makers[0] if makers else "",
                    agents=tuple(sorted({agent for run in makers for agent in agents[run]})),
                    decisions=tuple([_decided(report) for report in self.decisions.get(node, ())]),
                    sent_to=tuple(sorted(found.ref(call) for call in sent[node])),
                    sent_after=tuple(sorted(found.ref(call) for call in after.get(node, ()))),
                )
            )
        return tuple(drafts)

    def _standing(self, node: int) -> str:
        verdicts = standing_of(self.decisions.get(node, []))
        if len(verdicts) > 1:
            why = "which decision came last rests on two clocks, or on none"
            self.unchecked.append(Unchecked(f"how {self.refs[node]} stands", why))
        return OR.join(verdicts) or UNDECIDED

    def _after(self, sent: Mapping[int, set[int]], standings: Mapping[int, str]) -> dict[int, set[int]]:
        """Of drafts that were not adopted: the calls that are not known to be earlier than that decision."""
        against = {
            draft: _decided_against(self.decisions[draft])
            for draft, standing in standings.items()
            if NOT_ADOPTED.intersection(standing.split(OR))
        }
        times = moments(self.graph, self.as_of, {call for draft in against for call in sent[draft]})
        return {
            draft: {call for call in sent[draft] if times.get(call, 0) >= moment}
            for draft, moment in against.items()
        }


def standing_of(reports: Sequence[Report]) -> tuple[str, ...]:
    """The verdict of the last decision about a draft; of several that can't be put in order, each."""
    last = [
        one for one in reports if not any(other is not one and _surely_later(other, one) for other in reports)
    ]
    return tuple(sorted({_event(report).verdict for report in last}))


def _decides(report: Report, draft: str) -> bool:
    return isinstance(report.event, AdoptionDecided) and report.event.draft == draft


def _decided_against(reports: Iterable[Report]) -> int:
    """When it was first decided not to adopt a draft (nanoseconds)."""
    events = [event for event in map(_event, reports) if event.verdict in NOT_ADOPTED]
    return min(nanoseconds(event.time) for event in events)


def _surely_later(one: Report, other: Report) -> bool:
    """Whether one decision came after another, by one source's numbers or one clock."""
    timing = order.came_first(other, one)
    return timing.holds and timing.basis != order.TWO_CLOCKS


def _event(report: Report) -> AdoptionDecided:
    assert isinstance(report.event, AdoptionDecided)  # noqa: S101 - read by that type
    return report.event


def _decided(report: Report) -> Decided:
    event = _event(report)
    asserter = names.agent(event.asserter) if event.asserter else names.source_agent(event.source)
    parts = [f"{part.unit}:{part.start}-{'' if part.end is None else part.end}" for part in event.parts]
    taken = event.accepted or f"{event.decision};accepted" if event.verdict == "adopted" else ""
    return Decided(
        decision=event.decision,
        verdict=event.verdict,
        time=event.time,
        event=report.seq,
        asserter=asserter,
        by=names.agent(event.decided_by) if event.decided_by else "",
        run=event.run or "",
        reason=event.reason or "",
        accepted=taken,
        parts=tuple(parts),
        conflict=report.conflict,
    )


def sent_to(found: Found, nodes: Iterable[int]) -> dict[int, set[int]]:
    """The model calls that were sent each node: by itself, or within what held it."""
    holders: defaultdict[int, set[int]] = defaultdict(set)
    users: defaultdict[int, set[int]] = defaultdict(set)
    for link in found.walked.crossed:
        if link.code == MEMBER:
            holders[link.target].add(link.source)
        elif link.code == USED and found.types.get(link.source) == MODEL_CALL:
            users[link.target].add(link.source)
    sent: dict[int, set[int]] = {}
    for node in nodes:
        within, waiting = {node}, [node]
        while waiting:
            fresh = holders[waiting.pop()] - within
            within |= fresh
            waiting += fresh
        sent[node] = {call for each in within for call in users[each]}
    return sent


def rejected_but_sent(
    graph: Graph, as_of: int, found: Found, pairs: Iterable[tuple[int, int]]
) -> tuple[Rejected, ...]:
    """Of (thing, call that was sent it): drafts that do not stand as adopted, in a context that is not known
    to be earlier than the decision against them."""
    against = _against(graph, as_of, found)
    sent = sorted({(thing, call) for thing, call in pairs if thing in against}) if against else []
    times = moments(graph, as_of, [call for _, call in sent]) if sent else {}
    rejected = [
        Rejected(found.ref(thing), against[thing][0], found.ref(call))
        for thing, call in sent
        if times.get(call, 0) >= against[thing][1]
    ]
    return tuple(sorted(rejected, key=lambda each: (each.ref, each.call)))


def _against(graph: Graph, as_of: int, found: Found) -> dict[int, tuple[str, int]]:
    """How each draft stands that is not adopted, and since when (nanoseconds)."""
    decisions: defaultdict[int, set[int]] = defaultdict(set)
    for row in found.around.about:
        if row.role == "draft" and row.stance:
            decisions[row.target].add(row.source)
    told = graph.reports(sorted(set().union(*decisions.values())), as_of) if decisions else {}
    against = {}
    for draft, nodes in decisions.items():
        reports = [r for node in nodes for r in told.get(node, ()) if _decides(r, found.ref(draft))]
        verdicts = standing_of(reports) if reports else _carried(found, nodes)
        if NOT_ADOPTED.intersection(verdicts):
            since = _decided_against(reports) if reports else _earliest(graph, as_of, nodes)
            against[draft] = (OR.join(verdicts), since)
    return against


def _carried(found: Found, nodes: Iterable[int]) -> tuple[str, ...]:
    """The verdicts of decisions that a document carries and no event reports."""
    rows = [row for node in nodes for row in found.told.get(node, ()) if row.name == "clew:verdict"]
    return tuple(sorted({row.value for row in rows}))


def _earliest(graph: Graph, as_of: int, nodes: Iterable[int]) -> int:
    return min(moments(graph, as_of, nodes).values(), default=0)


def moments(graph: Graph, as_of: int, nodes: Iterable[int]) -> dict[int, int]:
    """When each activity ended, started or was reported (nanoseconds), the last of what is known."""
    wanted = sorted(set(nodes))
    said = ("prov:endTime", "prov:startTime", "clew:reported")
    told = graph.attributes(wanted, as_of, said) if wanted else {}
    return {node: max(nanoseconds(row.value) for row in rows) for node, rows in told.items()}
