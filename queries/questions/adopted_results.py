"""adopted-results: what became of the drafts that sub-agents gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from provmodel.errors import BadQuestion
from queries import building
from queries.adoption import NOT_ADOPTED, OR, UNDECIDED, Decided, Draft, Drafts, Rejected
from queries.answer import Answer, Graphed
from queries.chosen import chosen
from queries.graph import Graph
from queries.question import Asked, Question
from queries.telling import counted, listed, missing_told, targets_told
from queries.walk import walk

ADOPTED = "adopted"
TOLD = 12
"""Drafts that the sentences spell out."""


class Adopted(Graphed, frozen=True, kw_only=True):
    """The drafts, and what was decided about each.

    A draft stands under ``adopted``, ``rejected`` (rejected, expired or cancelled) or ``superseded`` as its
    last decision has it, or under ``undecided``; one whose last decision can't be told, under each that may
    be. ``rejected_but_sent`` are drafts that were not adopted and went into a call's context all the same;
    ``sent_undecided`` those that went there without any decision. ``instead`` are the runs that are answered
    for, where a target is neither a run nor of a draft: they made it. ``silent`` are sub-runs that report no
    output.
    """

    drafts: tuple[Draft, ...] = ()
    adopted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    rejected_but_sent: tuple[Rejected, ...] = ()
    sent_undecided: tuple[Rejected, ...] = ()
    instead: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()


class AdoptedResults(Question[Asked, Adopted]):
    """Of a run: what its sub-runs gave, at every depth, and what was decided in it. Of a draft, a delegation,
    a decision, or what was adopted: that one. Of anything else: the run that made it."""

    name: ClassVar[str] = "adopted-results"
    sentence: ClassVar[str] = (
        "Which results of sub-agents were adopted, which were not, and by whose decision?"
    )
    params: ClassVar[type[Asked]] = Asked
    graphed: ClassVar[type[Graphed]] = Adopted
    policy: ClassVar[str] = "impact"
    example: ClassVar[Mapping[str, Any]] = {"target": ["run:late-fees"]}

    def answer(self, graph: Graph, params: Asked) -> Answer[Adopted]:
        if params.part:
            raise BadQuestion(
                "part", "a decision is about a whole draft", "leave it out; `parts` tells of passages"
            )
        scope = self.scope(graph, params)
        drafts = Drafts(graph, scope.as_of, scope.starts)
        trip = building.trip_of(scope, params)
        if drafts.drafts:
            trip = msgspec.structs.replace(trip, starts=tuple(sorted(drafts.drafts)))
        walked = walk(graph, trip) if drafts.drafts else chosen(dict.fromkeys(scope.ids, 0), [])
        found = building.find(graph, trip, walked)
        found.runs = drafts.all_runs(found.runs)
        fields = building.common(graph, scope, params, found)
        fields |= _own(drafts, drafts.told(found))
        unchecked = (*fields["unchecked"], *dict.fromkeys(drafts.unchecked))
        fields |= {"unchecked": unchecked, "complete": fields["complete"] and not unchecked}
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, Adopted(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[Adopted]) -> list[str]:
        graph = answer.graph
        return [*targets_told(graph), *_instead_told(graph), *_told(graph), *missing_told(graph)]


def _own(drafts: Drafts, told: tuple[Draft, ...]) -> dict[str, Any]:
    refs = drafts.graph.refs(sorted(drafts.runs))
    return {
        "drafts": told,
        "adopted": _standing(told, ADOPTED),
        "rejected": _standing(told, *sorted(NOT_ADOPTED - {"superseded"})),
        "superseded": _standing(told, "superseded"),
        "undecided": _standing(told, UNDECIDED),
        "rejected_but_sent": tuple(
            [Rejected(d.ref, d.standing, call) for d in told for call in d.sent_after]
        ),
        "sent_undecided": tuple(
            [Rejected(d.ref, d.standing, call) for d in told if d.standing == UNDECIDED for call in d.sent_to]
        ),
        "instead": tuple(sorted(drafts.refs[run] for run in drafts.instead)),
        "silent": tuple(sorted(refs[run] for run, outputs in drafts.runs.items() if not outputs)),
    }


def _standing(drafts: tuple[Draft, ...], *verdicts: str) -> tuple[str, ...]:
    return tuple([draft.ref for draft in drafts if set(draft.standing.split(OR)) & set(verdicts)])


def _told(graph: Adopted) -> list[str]:
    refs = listed([target.ref for target in graph.targets])
    if not graph.drafts:
        return [_nothing_told(graph, refs)]
    told = [_on(draft) for draft in graph.drafts[:TOLD]]
    if len(graph.drafts) > TOLD:
        told.append(f"{counted(len(graph.drafts) - TOLD, 'more draft')} in the answer.")
    if graph.sent_undecided:
        refs = listed(sorted({each.ref for each in graph.sent_undecided}))
        told.append(f"Used without a decision that adopts it: {refs}.")
    if graph.silent:
        told.append(f"No output is reported of {listed(graph.silent)}.")
    return told


def _instead_told(graph: Adopted) -> list[str]:
    if not graph.instead:
        return []
    refs, runs = listed([target.ref for target in graph.targets]), listed(graph.instead)
    return [f"Neither a run nor of a draft is {refs}: this answers for {runs}, where it was made."]


def _nothing_told(graph: Adopted, refs: str) -> str:
    if graph.silent:
        runs = counted(len(graph.silent), "sub-run reports", "sub-runs report")
        return f"No draft of {refs} is recorded: {runs} no output ({listed(graph.silent)})."
    return f"No draft of {refs} is recorded: nothing was delegated there, and nothing decided about a draft."


def _on(draft: Draft) -> str:
    by = f" by {' and '.join(draft.agents)}" if draft.agents else ""
    given = f"{draft.ref}, given{by} in {draft.run}," if draft.run else draft.ref
    decided = "; then ".join(_decided(each) for each in draft.decisions)
    words = (
        f"{given} was {decided}."
        if decided
        else f"{given} was neither adopted nor rejected: no decision is recorded."
    )
    if draft.sent_after:
        words += f" It was sent all the same to {listed(draft.sent_after)}."
    elif draft.sent_to:
        words += f" It was sent to {listed(draft.sent_to)}."
    return words


def _decided(each: Decided) -> str:
    by = f" by {each.by}" if each.by else ", by whom is not recorded,"
    reason = f' ("{each.reason}")' if each.reason else ""
    became = f" as {each.accepted}" if each.accepted else ""
    parts = f", only {listed(each.parts)} of it" if each.parts else ""
    return f"{each.verdict}{became}{parts}{by} in {each.decision}{reason}"
