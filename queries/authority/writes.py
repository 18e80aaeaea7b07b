"""From what is asked about to the writes to judge: of versions and things, of attempts, actions and runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from provmodel import names
from provmodel.events import ActionProposed, ArtifactVersion, RunEnded, RunStarted, ToolCall, Write
from provmodel.evidence import Evidence
from provmodel.relations import GENERATION, INVALIDATION, SPECIALIZATION, USAGE, Flow, Kind
from provmodel.times import nanoseconds
from queries.authority.reading import ARGUMENTS
from queries.graph import Graph, Report, Way
from queries.links import Link, weighed
from queries.targets import Chosen

MADE = (GENERATION.code(0, Flow.DATA),)
DELETED = (INVALIDATION.code(0, Flow.RECORD),)
EXECUTES = (USAGE.code(0, Flow.DATA),)
SPECIAL = (SPECIALIZATION.code(0, Flow.STRUCTURE),)
DELETE = "delete"
OF_RUN = 20_000
"""Reports of one run that are looked at, on whichever page: every page judges all of them."""
_WRITERS = (ToolCall, RunStarted, RunEnded)


class Asked(msgspec.Struct):
    """What the targets come down to.

    ``refs`` names the targets; ``made`` are the edges from what was written (or deleted) to what did it;
    ``attempts`` and ``candidates`` are node ids asked about directly, ``of_runs`` attempts of a run asked
    about. ``touched`` are the references of the versions; ``clipped`` says that a run has more attempts than
    were looked at.
    """

    refs: dict[int, str] = {}
    made: list[Link] = []
    attempts: list[int] = []
    candidates: list[int] = []
    of_runs: list[int] = []
    touched: list[str] = []
    clipped: bool = False

    def all_attempts(self) -> set[int]:
        return {*self.attempts, *self.of_runs, *(link.target for link in self.made)}


class Finder:
    """Reads what the targets are, and who made them."""

    def __init__(self, graph: Graph, as_of: int, evidence: frozenset[Evidence]) -> None:
        self.graph = graph
        self.as_of = as_of
        self.evidence = evidence

    def find(self, starts: Sequence[Chosen]) -> Asked:
        """What the targets come down to; things (found as their newest version) by their newest write."""
        asked = Asked(refs={start.id: start.ref for start in starts})
        reports = self.graph.reports([start.id for start in starts], self.as_of)
        entities = []
        for start in starts:
            events = [report.event for report in reports.get(start.id, ())]
            if any(isinstance(event, RunStarted) for event in events):
                self._run(start, asked)
            elif any(isinstance(event, ActionProposed) for event in events):
                asked.candidates.append(start.id)
            elif any(isinstance(event, ToolCall) for event in events):
                asked.attempts.append(start.id)
            else:
                entities.append(start)
        self._entities(entities, asked)
        return asked

    def _run(self, start: Chosen, asked: Asked) -> None:
        found = self.graph.run_reports(start.ref, ("tool_call",), self.as_of, OF_RUN)
        asked.clipped = asked.clipped or len(found) >= OF_RUN
        refs = dict.fromkeys(report.event.attempt for report in found if isinstance(report.event, ToolCall))
        asked.of_runs += sorted(self.graph.ids(list(refs), self.as_of).values())

    def links(self, ids: Iterable[int], way: Way, codes: Sequence[int]) -> list[Link]:
        wanted = sorted(set(ids))
        return weighed(self.graph.links(wanted, way, codes, self.as_of), self.evidence) if wanted else []

    def made(self, ids: Iterable[int]) -> list[Link]:
        """The edges from versions to what made or deleted them, that the evidence asked for supports."""
        found = self.links(ids, Way.OUT, (*MADE, *DELETED))
        return [link for link in found if link.supporting and (link.code in MADE or link.role == DELETE)]

    def _entities(self, entities: Sequence[Chosen], asked: Asked) -> None:
        """Versions by what made them, with things by their newest write; what nothing made is looked at
        again.
        """
        things = self._things([start for start in entities if _is_thing(start)])
        made = _by_source(self.made([*(start.id for start in entities), *things.values()]))
        lone = [start for start in entities if start.id not in made]
        again = self._lone(lone, asked) if lone else {}
        for start in entities:
            found = made.get(start.id) or again.get(start.id, [])
            thing = made.get(things.get(start.ref, -1), [])
            asked.made += _newest(found, thing) if _is_thing(start) else found
        asked.touched += [start.ref for start in entities if start.id not in asked.candidates]

    def _things(self, newest: Sequence[Chosen]) -> dict[str, int]:
        """The nodes of the things themselves, by the reference of their newest version."""
        named = {start.ref: names.split(start.ref).thing for start in newest}
        ids = self.graph.ids(list(dict.fromkeys(named.values())), self.as_of) if named else {}
        return {ref: ids[thing] for ref, thing in named.items() if thing in ids}

    def _lone(self, lone: Sequence[Chosen], asked: Asked) -> dict[int, list[Link]]:
        """What nothing is recorded to have made: an activity, an action, or a state that has occurrences."""
        infos = self.graph.infos([start.id for start in lone], self.as_of)
        activities = [start for start in lone if infos[start.id].kind & Kind.ACTIVITY]
        for start in activities:  # one may be a run whose start was never told
            self._run(start, asked)
        made = self.links((start.id for start in activities), Way.IN, MADE)
        asked.made += [link for link in made if link.supporting]
        rest = [start for start in lone if start not in activities]
        executing = self.links((start.id for start in rest), Way.IN, EXECUTES)
        executed = {link.target for link in executing if link.role == ARGUMENTS}
        asked.candidates += [start.id for start in rest if start.id in executed]
        return self._occurrences([start for start in rest if start.id not in executed])

    def _occurrences(self, states: Sequence[Chosen]) -> dict[int, list[Link]]:
        """The writes of a content state: each made an occurrence of it."""
        special = [link for link in self.links((s.id for s in states), Way.IN, SPECIAL) if not link.refuted]
        made = _by_source(self.made(link.source for link in special))
        found: defaultdict[int, list[Link]] = defaultdict(list)
        for link in special:
            found[link.target] += made.get(link.source, [])
        return found


def _is_thing(start: Chosen) -> bool:
    """Whether a thing was asked about, and its newest version stands for it."""
    asked = names.split(start.asked)
    return start.found != "exact" and not asked.pin and not asked.by


def _newest(found: list[Link], of_thing: list[Link]) -> list[Link]:
    """The newest write of a thing: that it was deleted, when that came last."""
    deleted = [link for link in (*found, *of_thing) if link.role == DELETE]
    written = [link for link in found if link.role != DELETE]
    last = max((_time(link) for link in written), default=0)
    late = [link for link in deleted if _time(link) >= last]
    return late or written or deleted


def _by_source(links: Iterable[Link]) -> dict[int, list[Link]]:
    found: defaultdict[int, list[Link]] = defaultdict(list)
    for link in links:
        found[link.source].append(link)
    return dict(found)


def _time(link: Link) -> int:
    return max((nanoseconds(row.time) for row in link.rows if row.time), default=0)


def may_write(reports: Sequence[Report]) -> bool:
    """Whether an activity can have written: a model's answer or an adoption changes nothing outside."""
    return not reports or any(isinstance(report.event, _WRITERS) for report in reports)


def stated(ref: str, attempt: str, reports: Iterable[Report]) -> list[Write]:
    """How the reports of an attempt put the write that made (or deleted) ``ref``; each way once."""
    writes = [write for r in reports if isinstance(r.event, ToolCall) for write in r.event.writes]
    return list(dict.fromkeys(w for w in writes if ref in (w.ref, names.occurrence(w.ref, attempt))))


def as_version(ref: str, reports: Iterable[Report]) -> Write | None:
    """A write that only a version's own event tells of."""
    for report in reports:
        event = report.event
        if isinstance(event, ArtifactVersion):
            return Write(ref=ref, mode=event.mode or "create", before=event.before)
    return None


def found_by(ref: str, attempt: str, told: Iterable[Report], own: Iterable[Report]) -> bool:
    """Whether the tool only found what it returned: that stands by itself (pinned, a member of a result, or
    described by an event of its own, as in :mod:`queries.returned`), and nobody says that it was made.
    """
    versions = [report.event for report in own if isinstance(report.event, ArtifactVersion)]
    if names.split(ref).is_occurrence and any(version.made_by == attempt for version in versions):
        return False
    results = [result for r in told if isinstance(r.event, ToolCall) for result in r.event.results]
    if ref in {member.ref for result in results for member in result.members}:
        return True
    return ref in {result.ref for result in results} and bool(versions or names.split(ref).pin)


def written_by(attempt: str, reports: Iterable[Report]) -> dict[str, list[Write]]:
    """What an attempt reports to have written: by the occurrence made, or the version deleted."""
    found: defaultdict[str, list[Write]] = defaultdict(list)
    for report in reports:
        for write in report.event.writes if isinstance(report.event, ToolCall) else ():
            made = write.ref if write.mode == DELETE else names.occurrence(write.ref, attempt)
            if write not in found[made]:
                found[made].append(write)
    return found
