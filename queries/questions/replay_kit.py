"""replay-kit: what does a re-run need, and what of that is there?"""

from __future__ import annotations

from typing import Any, ClassVar

from provmodel.errors import BadQuestion
from queries import building
from queries.answer import Answer, Graphed
from queries.authority.views import unique
from queries.gathered import gathered, with_gaps, with_unchecked
from queries.graph import Gap, Graph, Unchecked
from queries.question import Asked, Question
from queries.runs.kit import Kit, Need, Part, State, Wanted, counts, wanted_by
from queries.runs.record import EVENTS, RunRecord, runs_of
from queries.runs.steps import RunSteps
from queries.telling import counted, listed, missing_told, targets_told

_PARTS: dict[Part, str] = {
    "setting": "What it was set up with and ran under",
    "input": "What came from outside",
    "recording": "What models and tools answered",
}
_GAPS: tuple[State, ...] = ("partial", "deleted", "unpinned", "never_captured")
FURTHER = "further events of "
"""Begins what is not checked of a run that is too long to be read whole."""
_WORDS: dict[State, str] = {"partial": "captured in part"}
"""Where the name of a state is no word for it."""


class ReplayKit(Graphed, frozen=True, kw_only=True):
    """The needs of a re-run, by part and reference.

    ``present``, ``partial``, ``deleted``, ``unpinned``, ``never_captured`` and ``hidden`` (from the reader)
    count them; ``holders`` of those present have no content but that of others among them. ``tasks`` and
    ``modes`` are those of the runs. How contents stand now is told under ``availability``.
    """

    needs: tuple[Need, ...] = ()
    present: int = 0
    holders: int = 0
    partial: int = 0
    deleted: int = 0
    unpinned: int = 0
    never_captured: int = 0
    hidden: int = 0
    tasks: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()


class ReplayKitQuestion(Question[Asked, ReplayKit]):
    """The kit of one or more runs; ``clew export --replay`` writes it with the contents."""

    name: ClassVar[str] = "replay-kit"
    sentence: ClassVar[str] = (
        "What does a re-run need, and what of it is present, deleted, unpinned or never captured?"
    )
    params: ClassVar[type[Asked]] = Asked
    graphed: ClassVar[type[Graphed]] = ReplayKit
    policy: ClassVar[str] = "why"
    of_runs: ClassVar[bool] = True
    example: ClassVar[dict[str, Any]] = {"target": ["run:late-fees"]}

    def answer(self, graph: Graph, params: Asked) -> Answer[ReplayKit]:
        if params.part:
            raise BadQuestion("part", "a run is replayed whole", "leave it out")
        scope = self.scope(graph, params)
        refs = runs_of(graph, scope.as_of, scope.starts)
        records = [RunRecord(graph, scope.as_of, ref) for ref in refs]
        runs = [RunSteps(graph, scope.as_of, record, scope.evidence) for record in records]
        wanted = _together([wanted_by(graph, scope.as_of, run) for run in runs])
        ids = graph.ids([*refs, *wanted.parts], scope.as_of)
        found = gathered(graph, scope, params, {node: int(ref not in refs) for ref, node in ids.items()})
        kit = Kit(runs, wanted, found, ids)
        fields = building.common(graph, scope, params, found)
        fields |= {"needs": kit.needs, **{str(state): count for state, count in counts(kit.needs).items()}}
        fields["holders"] = sum(1 for need in kit.needs if need.holds)
        starts = [start for record in records for start in record.starts]
        fields |= {
            "tasks": unique(start.task for start in starts),
            "modes": unique(start.mode for start in starts),
        }
        fields = with_gaps(fields, [_gap(kit, state) for state in _GAPS])
        fields = with_unchecked(fields, _clipped(records))
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, ReplayKit(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[ReplayKit]) -> list[str]:
        graph = answer.graph
        return [*targets_told(graph), *_told(graph), *missing_told(graph)]


def _together(several: list[Wanted]) -> Wanted:
    """What one run made and another had from outside is an input still: it was, to that run."""
    whole = several[0]
    for wanted in several[1:]:
        whole.holders |= wanted.holders
        for ref, part in wanted.parts.items():
            for step in wanted.steps[ref]:
                whole.add(ref, part, "", step)
            whole.roles[ref] |= wanted.roles[ref]
    return whole


def _gap(kit: Kit, state: State) -> Gap:
    refs = [need.ref for need in kit.needs if need.state == state]
    return Gap(state, len(refs), refs[0] if refs else "")


def _clipped(records: list[RunRecord]) -> list[Unchecked]:
    why = f"only the first {EVENTS:,} are read"
    return [Unchecked(f"{FURTHER}{record.ref}", why) for record in records if record.clipped]


def _wanting(count: int, missing: int) -> str:
    """How many of some things something is said of: "of 5 things this one is"."""
    if count == 1:
        return "the one thing is"
    return f"of {count:,} things {'this one is' if missing == 1 else 'these are'}"


def _present(graph: ReplayKit) -> str:
    """Of how many things there is content, and how many have none but that of what they hold."""
    content = f"the content of {graph.present - graph.holders:,} is present"
    if not graph.holders:
        return content
    more = "more is what it holds" if graph.holders == 1 else "more are what they hold"
    return f"{content}, and {graph.holders:,} {more}"


def _told(graph: ReplayKit) -> list[str]:
    refs = ", ".join(target.ref for target in graph.targets)
    total = len(graph.needs)
    cut = any(one.what.startswith(FURTHER) for one in graph.unchecked)
    least, read = ("at least ", f", by the first {EVENTS:,} events of a run") if cut else ("", "")
    if not total:
        return [f"Nothing is recorded that a re-run of {refs} needs{read}."]
    told = [f"A re-run of {refs} needs {least}{counted(total, 'thing')}{read}: {_present(graph)}."]
    for part, words in _PARTS.items():
        needs = [need for need in graph.needs if need.part == part]
        missing = [
            f"{need.ref} ({_WORDS.get(need.state, need.state.replace('_', ' '))})"
            for need in needs
            if need.state != "present"
        ]
        if missing:
            told.append(f"{words}: {_wanting(len(needs), len(missing))} not at hand: {listed(missing)}.")
        elif needs:
            told.append(f"{words}: {'it is' if len(needs) == 1 else f'all {len(needs):,} are'} at hand.")
    elsewhere = [need.ref for need in graph.needs if need.state == "never_captured" and need.pinned]
    if elsewhere:
        told.append(f"Known by version, and to be had elsewhere if it is still there: {listed(elsewhere)}.")
    return told
