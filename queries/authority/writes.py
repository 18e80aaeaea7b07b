"""From what is asked about to the writes to judge: of versions and things, of attempts, actions and runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from provmodel import names
from provmodel.events import ActionProposed, ArtifactVersion, ModelCall, RunStarted, Span, ToolCall, Write
from provmodel.evidence import Evidence
from provmodel.relations import GENERATION, INVALIDATION, SPECIALIZATION, USAGE, Flow, Kind
from provmodel.times import nanoseconds
from queries.authority.reading import ARGUMENTS
from queries.graph import Graph, Report, Way
from queries.links import Link, links_of
from queries.targets import Chosen

MADE = (GENERATION.code(0, Flow.DATA),)
DELETED = (INVALIDATION.code(0, Flow.RECORD),)
EXECUTES = (USAGE.code(0, Flow.DATA),)
SPECIAL = (SPECIALIZATION.code(0, Flow.STRUCTURE),)
DELETE = "delete"
_NO_WRITERS = (ModelCall, Span)


class Asked(msgspec.Struct):
    """What the targets come down to.

    ``made`` are the edges from what was written (or deleted) to what did it; ``attempts`` and ``candidates``
    are node ids asked about directly, ``of_runs`` attempts of a run asked about. ``touched`` are the
    references of the versions; ``clipped`` says that a run has more attempts than were looked at.
    """

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

    def __init__(self, graph: Graph, as_of: int, evidence: frozenset[Evidence], most: int) -> None:
        self.graph = graph
        self.as_of = as_of
        self.evidence = evidence
        self.most = most

    def find(self, starts: Sequence[Chosen]) -> Asked:
        """What the targets come down to; things (found as their newest version) by their newest write."""
        asked = Asked()
        ids = [start.id for start in starts]
        reports, infos = self.graph.reports(ids, self.as_of), self.graph.infos(ids, self.as_of)
        entities = []
        for start in starts:
            events = [report.event for report in reports.get(start.id, ())]
            if any(isinstance(event, RunStarted) for event in events):
                self._run(start, asked)
            elif any(isinstance(event, ActionProposed) for event in events):
                asked.candidates.append(start.id)
            elif infos[start.id].kind & Kind.ACTIVITY and not any(isinstance(e, _NO_WRITERS) for e in events):
                asked.attempts.append(start.id)
            else:
                entities.append(start)
        self._entities(entities, asked)
        return asked

    def _run(self, start: Chosen, asked: Asked) -> None:
        found = self.graph.run_reports(start.ref, ("tool_call",), self.as_of, self.most)
        asked.clipped = asked.clipped or len(found) >= self.most
        refs = dict.fromkeys(report.event.attempt for report in found if isinstance(report.event, ToolCall))
        asked.of_runs += sorted(self.graph.ids(list(refs), self.as_of).values())

    def links(self, ids: Iterable[int], way: Way, codes: Sequence[int]) -> list[Link]:
        wanted = sorted(set(ids))
        return links_of(self.graph.rows(wanted, way, codes, self.as_of), self.evidence) if wanted else []

    def made(self, ids: Iterable[int]) -> list[Link]:
        """The edges from versions to what made or deleted them, that the evidence asked for supports."""
        found = self.links(ids, Way.OUT, (*MADE, *DELETED))
        return [link for link in found if link.supporting and (link.code in MADE or link.role == DELETE)]

    def _entities(self, entities: Sequence[Chosen], asked: Asked) -> None:
        made = self._by_entity(self.made(start.id for start in entities))
        lone = [start for start in entities if start.id not in made]
        self._candidates(lone, asked)
        occurrences = self._occurrences([start for start in lone if start.id not in asked.candidates])
        for start in entities:
            found = made.get(start.id) or occurrences.get(start.id, [])
            asked.made += self._newest(start, found) if start.found != "exact" else found
        asked.touched += [start.ref for start in entities if start.id not in asked.candidates]

    def _candidates(self, lone: Sequence[Chosen], asked: Asked) -> None:
        """Actions that no event describes, but that an attempt executed."""
        executing = self.links((start.id for start in lone), Way.IN, EXECUTES)
        executed = {link.target for link in executing if link.role == ARGUMENTS}
        asked.candidates += [start.id for start in lone if start.id in executed]

    def _occurrences(self, states: Sequence[Chosen]) -> dict[int, list[Link]]:
        """The writes of a content state: each made an occurrence of it."""
        special = [link for link in self.links((s.id for s in states), Way.IN, SPECIAL) if not link.refuted]
        made = self._by_entity(self.made(link.source for link in special))
        found: defaultdict[int, list[Link]] = defaultdict(list)
        for link in special:
            found[link.target] += made.get(link.source, [])
        return found

    def _newest(self, start: Chosen, found: list[Link]) -> list[Link]:
        """The newest write of a thing: that it was deleted, when that came last."""
        thing = self.graph.ids([names.split(start.ref).thing], self.as_of)
        also = [link for link in self.made(thing.values()) if link not in found]
        deleted = [link for link in (*found, *also) if link.role == DELETE]
        written = [link for link in found if link.role != DELETE]
        last = max((_time(link) for link in written), default=0)
        late = [link for link in deleted if _time(link) >= last]
        return late or written or deleted

    def _by_entity(self, links: Iterable[Link]) -> dict[int, list[Link]]:
        found: defaultdict[int, list[Link]] = defaultdict(list)
        for link in links:
            found[link.source].append(link)
        return dict(found)


def _time(link: Link) -> int:
    return max((nanoseconds(row.time) for row in link.rows if row.time), default=0)


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


def written_by(attempt: str, reports: Iterable[Report]) -> dict[str, list[Write]]:
    """What an attempt reports to have written: by the occurrence made, or the version deleted."""
    found: defaultdict[str, list[Write]] = defaultdict(list)
    for report in reports:
        for write in report.event.writes if isinstance(report.event, ToolCall) else ():
            made = write.ref if write.mode == DELETE else names.occurrence(write.ref, attempt)
            if write not in found[made]:
                found[made].append(write)
    return found
