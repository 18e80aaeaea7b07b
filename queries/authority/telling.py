"""From targets to judged writes: the steps of the question, without the form of its answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from provmodel.events import Write
from provmodel.evidence import Evidence
from queries.authority.cases import Cases
from queries.authority.entries import DecisionView, WriteView, decision_view, entry
from queries.authority.outcomes import judge
from queries.authority.reading import Reading
from queries.authority.views import Attempt
from queries.authority.writes import DELETE, Asked, Finder, as_version, stated, written_by
from queries.graph import Graph, Unchecked
from queries.links import Link
from queries.targets import Chosen

_MAY_HAVE_WRITTEN = frozenset({"unknown"})
_RAN = frozenset({"unknown", "accepted", "completed"})


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """The writes judged, ordered by what was written and by attempt.

    ``decisions`` are those about actions asked about that no attempt executed (``unexecuted``). ``silent``
    are attempts asked about that wrote nothing. ``attempts`` and ``related`` are node ids: the
    attempts judged, and the candidates and decisions that belong to them.
    """

    writes: tuple[WriteView, ...]
    decisions: tuple[DecisionView, ...]
    unexecuted: tuple[str, ...]
    silent: tuple[str, ...]
    unchecked: tuple[Unchecked, ...]
    attempts: tuple[int, ...]
    related: tuple[int, ...]
    executes: tuple[Link, ...]


class _Judged(msgspec.Struct, frozen=True):
    view: WriteView
    unchecked: tuple[Unchecked, ...]


def tell(
    graph: Graph, as_of: int, evidence: frozenset[Evidence], starts: Sequence[Chosen], most: int
) -> Told:
    """Judge the writes that the targets come down to, at most ``most`` attempts of a run."""
    finder = Finder(graph, as_of, evidence, most)
    asked = finder.find(starts)
    reading = Reading(graph, as_of, asked.all_attempts(), asked.candidates, asked.touched)
    return _Teller(finder, asked, reading).told()


class _Teller:
    def __init__(self, finder: Finder, asked: Asked, reading: Reading) -> None:
        self.finder = finder
        self.asked = asked
        self.reading = reading
        self.cases = Cases(reading)

    def told(self) -> Told:
        judged = [*self._versions(), *self._attempts()]
        judged.sort(key=lambda one: (one.view.write or "", one.view.attempt, one.view.mode or ""))
        views = {(j.view.write, j.view.attempt, j.view.mode): j.view for j in judged}
        unexecuted = tuple(ref for ref in self._candidates() if not self._at(ref))
        return Told(
            writes=tuple(views.values()),
            decisions=tuple(self._unexecuted(unexecuted)),
            unexecuted=unexecuted,
            silent=tuple(sorted({a.ref for a in self._direct()} - {view.attempt for view in views.values()})),
            unchecked=tuple(
                dict.fromkeys([*(item for one in judged for item in one.unchecked), *self._clipped()])
            ),
            attempts=tuple(self.reading.tried),
            related=tuple(self._related(views.values())),
            executes=tuple(self.reading.executes),
        )

    # Writes asked about by version or thing

    def _versions(self) -> Iterator[_Judged]:
        own = self.finder.graph.reports([link.source for link in self.asked.made], self.reading.as_of)
        refs = self.reading.refs
        self.reading.name(link.source for link in self.asked.made)
        for link in self.asked.made:
            ref, attempt = refs[link.source], refs[link.target]
            reports = self.reading.reports.get(attempt, ())
            writes = stated(ref, attempt, reports)
            writes = [write for write in writes if (write.mode == DELETE) == (link.role == DELETE)]
            version = as_version(ref, own.get(link.source, ()))
            for write in writes or [version or Write(ref=ref, mode="create")]:
                yield self._judged(attempt, ref, write, link, reported=bool(writes or version))

    # Writes asked about by attempt, action or run

    def _attempts(self) -> Iterator[_Judged]:
        direct = self._direct()
        of_runs = [self.cases.attempts[self.reading.refs[node]] for node in self.asked.of_runs]
        links = self._links([*direct, *of_runs])
        asked_for = {attempt.ref for attempt in direct}
        for attempt in {attempt.ref: attempt for attempt in (*direct, *of_runs)}.values():
            written = written_by(attempt.ref, attempt.reports)
            for ref, writes in written.items():
                for write in writes:
                    if (ref, attempt.ref) in links:
                        yield self._judged(attempt.ref, ref, write, links[ref, attempt.ref])
            may = _RAN if attempt.ref in asked_for else _MAY_HAVE_WRITTEN
            if not written and (may & set(attempt.outcomes) or not attempt.reports):
                yield self._judged(attempt.ref, None, None, None)

    def _direct(self) -> list[Attempt]:
        """The attempts asked about, by themselves or by their action."""
        refs = [self.reading.refs[node] for node in self.asked.attempts]
        refs += [ref for action in self._candidates() for ref in self._at(action)]
        return [self.cases.attempts[ref] for ref in dict.fromkeys(refs)]

    def _candidates(self) -> list[str]:
        return [self.reading.refs[node] for node in self.asked.candidates]

    def _at(self, action: str) -> tuple[str, ...]:
        return self.cases.at((action,))

    def _links(self, attempts: Iterable[Attempt]) -> dict[tuple[str, str], Link]:
        """The edges from what attempts report to have written to them."""
        refs = {ref for attempt in attempts for ref in written_by(attempt.ref, attempt.reports)}
        made = self.finder.made(self.reading.find(sorted(refs)))
        self.reading.name(link.target for link in made)
        names = self.reading.refs
        return {(names[link.source], names[link.target]): link for link in made}

    # Judging

    def _judged(
        self, attempt: str, ref: str | None, write: Write | None, link: Link | None, reported: bool = True
    ) -> _Judged:
        case = self.cases.case(attempt)
        judgement = judge(case, write)
        shown = write if reported else None
        return _Judged(entry(case, judgement, ref, shown, link), judgement.unchecked)

    def _unexecuted(self, actions: Iterable[str]) -> Iterator[DecisionView]:
        wanted = set(actions)
        for decision in self.cases.decisions:
            if decision.event.action in wanted:
                yield decision_view(decision)

    def _related(self, views: Iterable[WriteView]) -> list[int]:
        refs = {decision.decision for view in views for decision in view.decisions}
        refs |= {d.ref for d in self.cases.decisions if d.event.action in self._candidates()}
        return sorted({*self.reading.candidates, *self.reading.find(sorted(refs))})

    def _clipped(self) -> Iterator[Unchecked]:
        for what in self.reading.clipped:
            yield Unchecked(what, "it has more reports than are looked at")
        if self.asked.clipped:
            yield Unchecked("further attempts of the run", "only as many as max_nodes are looked at")
