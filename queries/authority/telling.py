"""From targets to judged writes: the steps of the question, without the form of its answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from provmodel.events import Write
from provmodel.evidence import Evidence
from provmodel.names import BY
from queries.authority.cases import Cases
from queries.authority.entries import DecisionView, WriteView, decision_view, entry
from queries.authority.outcomes import judge
from queries.authority.reading import Reading
from queries.authority.views import Attempt
from queries.authority.writes import (
    DELETE,
    OF_RUN,
    Asked,
    Finder,
    as_version,
    found_by,
    may_write,
    stated,
    written_by,
)
from queries.graph import Graph, Report, Unchecked
from queries.hiding import SCHEME
from queries.links import Link
from queries.targets import Chosen

NOT_SEEN = "it is hidden from you"
_RAN = frozenset({"unknown", "accepted", "completed"})


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """The writes judged, ordered by what was written and by attempt.

    ``decisions`` are those about actions asked about that no attempt executed (``unexecuted``). ``silent``
    are attempts asked about that wrote nothing, ``returned`` is what tools only found. ``attempts``,
    ``written`` and ``related`` are node ids: the attempts judged, the versions that they made, and the
    candidates and decisions that belong to them.
    """

    writes: tuple[WriteView, ...]
    decisions: tuple[DecisionView, ...]
    unexecuted: tuple[str, ...]
    silent: tuple[str, ...]
    returned: tuple[str, ...]
    unchecked: tuple[Unchecked, ...]
    attempts: tuple[int, ...]
    written: tuple[int, ...]
    related: tuple[int, ...]
    executes: tuple[Link, ...]


class _Judged(msgspec.Struct, frozen=True):
    """One judgement; ``key`` tells it from others, and orders them. ``written`` is the node that was made."""

    key: tuple[str, str, str, str]
    view: WriteView
    unchecked: tuple[Unchecked, ...]
    written: int | None


def tell(graph: Graph, as_of: int, evidence: frozenset[Evidence], starts: Sequence[Chosen]) -> Told:
    """Judge the writes that the targets come down to."""
    finder = Finder(graph, as_of, evidence)
    asked = finder.find(starts)
    reading = Reading(graph, as_of, asked.all_attempts(), asked.candidates, asked.touched, asked.refs)
    return _Teller(finder, asked, reading).told()


class _Teller:
    def __init__(self, finder: Finder, asked: Asked, reading: Reading) -> None:
        self.finder = finder
        self.asked = asked
        self.reading = reading
        self.cases = Cases(reading)
        self.hidden: dict[str, str] = {}
        self.returned: set[str] = set()

    def told(self) -> Told:
        by_key = {one.key: one for one in (*self._versions(), *self._attempts())}
        judged = [by_key[key] for key in sorted(by_key)]
        views = tuple(one.view for one in judged)
        unexecuted = tuple(ref for ref in self._candidates() if not self._at(ref))
        return Told(
            writes=views,
            decisions=tuple(self._unexecuted(unexecuted)),
            unexecuted=unexecuted,
            silent=tuple(sorted(a.ref for a in self._direct() if not (a.wrote() or self._possible(a)))),
            returned=tuple(sorted(self.returned)),
            unchecked=tuple(
                dict.fromkeys(
                    [*(item for one in judged for item in one.unchecked), *self._hidden(), *self._clipped()]
                )
            ),
            attempts=tuple(self.reading.tried),
            written=tuple(dict.fromkeys([*self._written(judged), *self.reading.find(sorted(self.hidden))])),
            related=tuple(self._related(views)),
            executes=tuple(self.reading.executes),
        )

    # Writes asked about by version or thing

    def _versions(self) -> Iterator[_Judged]:
        refs, reports = self.reading.refs, self.reading.reports
        self.reading.name(link.source for link in self.asked.made)
        for link in self.asked.made:
            ref, attempt = refs[link.source], refs[link.target]
            told = reports.get(attempt, ())
            if may_write(told):
                writes = [
                    w for w in stated(ref, attempt, told) if (w.mode == DELETE) == (link.role == DELETE)
                ]
                own = () if writes else self._own(ref)
                if not writes and found_by(ref, attempt, told, own):
                    self.returned.add(ref)
                    continue
                version = as_version(ref, own)
                for write in writes or [version or Write(ref=ref, mode="create")]:
                    yield self._judged(attempt, ref, write, link, reported=bool(writes or version))

    def _own(self, ref: str) -> list[Report]:
        """The version's own events, and those of the state that it is an occurrence of."""
        spellings = dict.fromkeys((ref, ref.partition(BY)[0]))
        self.reading.look(tuple(spellings))
        return [report for one in spellings for report in self.reading.reports.get(one, ())]

    # Writes asked about by attempt, action or run

    def _attempts(self) -> Iterator[_Judged]:
        direct = self._direct()
        of_runs = [self.cases.attempts[self.reading.refs[node]] for node in self.asked.of_runs]
        links = self._links([*direct, *of_runs])
        asked_for = {attempt.ref for attempt in direct if self._possible(attempt)}
        for attempt in {attempt.ref: attempt for attempt in (*direct, *of_runs)}.values():
            written = written_by(attempt.ref, attempt.reports)
            for ref, writes in written.items():
                if ref.startswith(SCHEME):
                    self.hidden[ref] = attempt.ref
                for write in writes:
                    if (ref, attempt.ref) in links:
                        yield self._judged(attempt.ref, ref, write, links[ref, attempt.ref])
            if attempt.ref in asked_for or (not written and "unknown" in attempt.outcomes):
                yield self._judged(attempt.ref, None, None, None)

    def _possible(self, attempt: Attempt) -> bool:
        """Whether an attempt asked about is judged though it reports no write: it ran, or may have."""
        return not attempt.wrote() and bool(_RAN & set(attempt.outcomes))

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
        key = (ref or "", attempt, write.mode if write else "", write.before or "" if write else "")
        made = link.source if link and link.role != DELETE else None
        return _Judged(key, entry(case, judgement, ref, shown, link), judgement.unchecked, made)

    def _unexecuted(self, actions: Iterable[str]) -> Iterator[DecisionView]:
        wanted = set(actions)
        for decision in self.cases.decisions:
            if decision.event.action in wanted:
                yield decision_view(decision)

    def _related(self, views: Iterable[WriteView]) -> list[int]:
        refs = {decision.decision for view in views for decision in view.decisions}
        refs |= {d.ref for d in self.cases.decisions if d.event.action in self._candidates()}
        return sorted({*self.reading.candidates, *self.reading.find(sorted(refs))})

    def _written(self, judged: Iterable[_Judged]) -> list[int]:
        return [one.written for one in judged if one.written is not None]

    def _hidden(self) -> Iterator[Unchecked]:
        """Writes that can't be judged by a reader who may not see what was written."""
        for ref in sorted(self.hidden):
            yield Unchecked(f"who authorized that {self.hidden[ref]} wrote {ref}", NOT_SEEN)

    def _clipped(self) -> Iterator[Unchecked]:
        for what in self.reading.clipped:
            yield Unchecked(what, "it has more reports than are looked at")
        if self.asked.clipped:
            yield Unchecked("further attempts of the run", f"the first {OF_RUN:,} are looked at")
