"""gaps-of: what was received of each source, what was not, and what of it contradicts itself?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from provmodel import names
from provmodel.errors import BadQuestion
from queries import building, gaps
from queries.answer import Answer, Graphed
from queries.gathered import gathered, with_gaps, with_unchecked
from queries.graph import Gap, Graph, Unchecked
from queries.logged.asking import ReportedAsked, reported
from queries.question import Asked, Question, Scope
from queries.received import runs, sources
from queries.received.contradictions import ALL, Around, Contradiction, contradictions
from queries.received.runs import RunView
from queries.received.sources import SourceView
from queries.telling import counted, listed, missing_told, targets_told

JUDGED = 5000
"""Things of one answer whose statements are judged."""

_ALL = "there is too much to judge it here; `clew validate --db` judges all"

STATED = 5000
"""Relations that a source states whose surroundings are looked at for contradictions."""


class GapsOf(Graphed, frozen=True, kw_only=True):
    """Sources by epoch, runs, and contradictions.

    A contradiction that only clocks say (``clock``) makes nothing invalid. ``coverage`` is the least that
    holds of any source: contiguous, open, gaps or unknown.
    """

    sources: tuple[SourceView, ...] = ()
    run_states: tuple[RunView, ...] = ()
    coverage: str = ""
    contradictions: tuple[Contradiction, ...] = ()


class GapsOfQuestion(Question[ReportedAsked, GapsOf]):
    """Of some sources, or of the sources of some runs; of every source without any."""

    name: ClassVar[str] = "gaps-of"
    sentence: ClassVar[str] = (
        "What was received of each source, what is missing, and what contradicts itself?"
    )
    params: ClassVar[type[Asked]] = ReportedAsked
    graphed: ClassVar[type[Graphed]] = GapsOf
    policy: ClassVar[str] = "who"
    needs: ClassVar[int] = 0
    example: ClassVar[dict[str, Any]] = {"target": ["run:late-fees"]}

    def answer(self, graph: Graph, params: ReportedAsked) -> Answer[GapsOf]:
        if params.part:
            raise BadQuestion("part", "gaps are of sources and runs", "leave it out")
        scope = self.scope(graph, params)
        asked = _asked(graph, params, scope)
        seen = sources.views(graph, scope.as_of, asked.sources)
        told = runs.views(graph, scope.as_of, asked.runs)
        depths = _nodes(graph, scope, asked, seen)
        found = gathered(graph, scope, params, depths)
        fields = building.common(graph, scope, params, found)
        fields = with_gaps(fields, _gaps(graph, scope, asked))
        around, more = _around(graph, scope, params, asked, depths)
        more += asked.unchecked
        fields |= {
            "sources": tuple(seen),
            "run_states": tuple(told),
            "coverage": min((one.state for one in seen), key=runs.WORST.index, default=""),
            "contradictions": tuple(sorted([*contradictions(around), *_of_numbers(seen)])),
        }
        fields = with_unchecked(fields, more)
        fields["complete"] = (
            fields["complete"] and not fields["contradictions"] and fields["coverage"] == "contiguous"
        )
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, GapsOf(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[GapsOf]) -> list[str]:
        graph = answer.graph
        return [
            *targets_told(graph),
            *_sources_told(graph),
            *_runs_told(graph),
            *_odd(graph),
            *missing_told(graph),
        ]


class _Asked(NamedTuple):
    """Which sources (None: all), which runs, and what else was named; and what was not looked at for it."""

    sources: list[str] | None
    runs: tuple[str, ...]
    others: tuple[int, ...]
    unchecked: tuple[Unchecked, ...] = ()


def _asked(graph: Graph, params: ReportedAsked, scope: Scope) -> _Asked:
    asked = reported(graph, params, scope.starts, scope.as_of)
    if asked.agents:
        raise BadQuestion("target", f"{asked.agents[0]} is no source and no run", "name sources or runs")
    if not (asked.where.runs or asked.where.sources or asked.others):
        return _Asked(None, (), ())
    telling, clipped = sources.telling_of(graph, scope.as_of, [start.id for start in asked.others])
    reporting = graph.run_sources(asked.where.runs, scope.as_of) if asked.where.runs else {}
    named = {*asked.where.sources, *telling, *(one for found in reporting.values() for one in found)}
    of = listed([start.ref for start in asked.others])
    more = (Unchecked(f"further sources that tell of {of}", sources.TOO_MANY),) if clipped else ()
    return _Asked(sorted(named), asked.where.runs, tuple(start.id for start in asked.others), more)


def _nodes(graph: Graph, scope: Scope, asked: _Asked, seen: Sequence[SourceView]) -> dict[int, int]:
    """The runs, the things named, and the sources as agents."""
    agents = [names.source_agent(one.source) for one in seen]
    ids = graph.ids([*asked.runs, *agents], scope.as_of)
    depths = {node: int(ref not in asked.runs) for ref, node in ids.items()}
    return {**depths, **dict.fromkeys(asked.others, 0)}


def _gaps(graph: Graph, scope: Scope, asked: _Asked) -> tuple[Gap, ...]:
    """The numbers that are missing of these sources, and those that number nothing."""
    tally = gaps.Tally()
    gaps.of_sources(graph.sources(asked.sources, scope.as_of), tally)
    return tally.gaps()


def _around(
    graph: Graph, scope: Scope, params: ReportedAsked, asked: _Asked, depths: dict[int, int]
) -> tuple[Around, list[Unchecked]]:
    """The statements to judge: around the runs and things named, else around what the sources state."""
    refs = {info.ref: node for node, info in graph.infos(list(depths), scope.as_of).items()}
    starts = {node for ref, node in refs.items() if not ref.startswith(names.SOURCE)}
    more = []
    if not starts:
        for ref in sorted(refs):
            if len(starts) > JUDGED:
                more.append(Unchecked(f"contradictions in what {ref} and further sources state", _ALL))
                break
            stated = graph.stated_by(ref, ALL, scope.as_of, STATED)
            starts |= {node for row in stated for node in (row.source, row.target)}
            if len(stated) >= STATED:
                more.append(Unchecked(f"contradictions among further statements of {ref}", _ALL))
    around = Around(graph, scope.as_of, starts, min(params.max_nodes, JUDGED), scope.evidence)
    if around.clipped:
        more.append(Unchecked("contradictions among all that is recorded", _ALL))
    return around, more


def _of_numbers(seen: Sequence[SourceView]) -> Iterator[Contradiction]:
    """What the numbers of a source contradict: each stands for one event, and the last is the last."""
    for one in seen:
        refs = (names.source_agent(one.source),)
        if one.repeated:
            told = f"{counted(one.repeated, 'event')} of {one.name} came under a number that another has"
            yield Contradiction("number_twice", told, refs)
        if one.beyond:
            told = f"{one.name} closed with {one.last_number} as its last number, and sent {one.highest}"
            yield Contradiction("after_last", told, refs)


def _sources_told(graph: GapsOf) -> list[str]:
    if not graph.sources:
        named = graph.targets or graph.run_states
        return [f"Nothing was received from any source{' about what was asked for' if named else ''}."]
    return [_source_told(one) for one in graph.sources]


def _source_told(one: SourceView) -> str:
    words = {
        "unknown": f"{one.name} {_untold(one)}: what of it is missing can't be told",
        "gaps": f"{one.name} has gaps",
        "open": f"{one.name} is open: nothing up to number {one.highest} is missing, and it may send more",
        "contiguous": f"{one.name} is contiguous: it has closed, and {_all(one)}",
    }
    told = words[one.state]
    if one.missing:
        ranges = ", ".join(f"{low}" if low == high else f"{low} to {high}" for low, high in one.ranges[:5])
        told += f"; {counted(one.missing, 'number')} did not come ({ranges})"
    if one.dropped:
        told += f"; it says that it dropped {counted(one.dropped, 'event')}"
    if one.late_count:
        ids = listed([late.id for late in one.late])
        told += f"; {counted(one.late_count, 'event')} came late ({ids})"
    if one.beyond:
        told += f"; it had closed with {one.last_number} as its last number, and sent {one.highest}"
    if one.state == "gaps" and (one.repeated or one.unnumbered):
        told += f"; it {_untold(one)}, so that more may be missing"
    return told + "."


def _all(one: SourceView) -> str:
    return f"every number came, 1 to {one.highest}" if one.highest else "says that it numbered nothing"


def _untold(one: SourceView) -> str:
    """Why the numbers of a source do not tell what is missing."""
    if not one.highest:
        return "does not number its events"
    again = f"gave {counted(one.repeated, 'event')} a number that another has" if one.repeated else ""
    some = "sends events without a number beside numbered ones" if one.unnumbered else ""
    return " and ".join(part for part in (again, some) if part)


def _runs_told(graph: GapsOf) -> list[str]:
    words = {
        "ended": "ended",
        "open": "has no reported end",
        "incomplete": "has no reported end, and its sources have closed",
    }
    states: dict[str, str] = {}
    for view in graph.sources:
        states[view.source] = min(states.get(view.source, view.state), view.state, key=runs.WORST.index)
    return [f"{one.run} {words[one.state]}; {_covered(one.sources, states)}." for one in graph.run_states]


def _covered(sources: Sequence[str], states: Mapping[str, str]) -> str:
    """What is known of each source of a run, those of one state together, the least that is known first."""
    words = {
        "gaps": ("has gaps", "have gaps"),
        "unknown": ("does not number its events one by one", "do not number their events one by one"),
        "open": ("is open", "are open"),
        "contiguous": ("is contiguous", "are contiguous"),
    }
    told = []
    for state in runs.WORST:
        alike = [source for source in sources if states.get(source, "unknown") == state]
        if alike:
            told.append(f"{listed(alike)} {words[state][len(alike) > 1]}")
    if not told:
        return "which source reported it is not known"
    return f"{'of its sources' if len(sources) > 1 else 'its source'} {', and '.join(told)}"


def _odd(graph: GapsOf) -> list[str]:
    told = []
    invalid = [one for one in graph.contradictions if not one.clock]
    clock = [one for one in graph.contradictions if one.clock]
    if invalid:
        told.append(f"{counted(len(invalid), 'contradiction')}: {_messages(invalid)}.")
    if clock:
        told.append(
            f"By the clock alone, {counted(len(clock), 'thing')} happened in another order than it can have: "
            f"{_messages(clock, 'By the clock ')}."
        )
    if not graph.contradictions:
        told.append("Nothing that was looked at contradicts itself.")
    return told


def _messages(found: Sequence[Contradiction], said: str = "") -> str:
    """The first few; what each begins with goes where it was ``said`` before."""
    told = "; ".join(one.message.removeprefix(said).rstrip(".") for one in found[:3])
    return f"{told}; and {len(found) - 3:,} more" if len(found) > 3 else told
