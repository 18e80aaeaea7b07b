"""Which inputs did it really have?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

import msgspec

from provmodel.relations import Kind
from queries import building
from queries.adoption import Rejected, rejected_but_sent
from queries.answer import Answer, Graphed
from queries.building import Found
from queries.claims.judging import Claim, Judged, judged_of
from queries.edges import EVIDENCE_WORD
from queries.gathered import with_unchecked
from queries.graph import Graph, Unchecked
from queries.inputs import Citation, Grouped
from queries.limits import as_a_whole, at_least, is_later, narrows, nothing
from queries.parts import PartUsed, part_filter, part_told
from queries.question import Asked, Question, Scope
from queries.silence import Silence, in_runs, of_steps, on_the_way
from queries.telling import (
    by_reference_told,
    counted,
    held_told,
    listed,
    missing_told,
    targets_told,
    unmade_told,
)
from queries.ties import ATTEMPT, TIES, UNTOLD, Tie
from queries.walk import walk

Via = Literal["", "tool", "activity", "collection"]
NOWHERE_CITED = "which of what was sent is cited nowhere"
_ACTIVITY = int(Kind.ACTIVITY)
_READ: dict[Via, str] = {
    "tool": "Read or returned by a tool",
    "activity": "Used by an activity",
    "collection": "Held by it",
}
_WORDS: dict[Tie, str] = {
    "transformed": "Made from",
    "cited": "Cited by the model",
    "sent": "Sent to the model",
    "adopted": "Adopted from a draft",
    UNTOLD: "Hidden from you, or behind what is",
}


class Input(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One thing that went in, under one tie.

    ``direct`` is True when nothing else stands between it and the target but steps, candidates and contexts.
    ``evidence`` is that of the best path, ``path`` the references on it from cause to effect (the last 16),
    ``steps`` its length in edges. ``method`` says how the tie was concluded, when not by the event itself
    (``sibling``: cited by a text of the call that proposed the write). ``via`` says of what was read by which
    way: a tool, another activity, or a collection that holds it.
    """

    ref: str
    depth: int
    evidence: str
    steps: int
    path: tuple[str, ...]
    direct: bool = False
    method: str = ""
    via: Via = ""


class Links(msgspec.Struct, frozen=True):
    """The inputs by tie; one input may stand under several. ``restricted`` are those hidden from the reader
    and those behind what is, if there are any.
    """

    transformed: tuple[Input, ...] = ()
    cited: tuple[Input, ...] = ()
    sent: tuple[Input, ...] = ()
    adopted: tuple[Input, ...] = ()
    read: tuple[Input, ...] = ()
    restricted: tuple[Input, ...] | msgspec.UnsetType = msgspec.UNSET


class Cited(msgspec.Struct, frozen=True):
    """A source cited by ``output`` of ``call`` that the call was not sent; ``why`` that is not known."""

    ref: str
    output: str
    call: str
    why: str = ""


class Inputs(Graphed, frozen=True, kw_only=True):
    """What went in. Of ``cited_unclear`` it can't be told whether the call that cites it was sent it: what
    that was sent is not recorded, or versions can't be compared. ``sent_not_cited`` is told where the answer
    ends, of the inputs of all its pages. ``silent`` are steps on the way that report
    nothing they read or were sent; ``silences`` counts them by kind or, where nothing went in and none is on
    the way, those of the target's runs."""

    links: Links = Links()
    inputs: int = 0
    direct: tuple[str, ...] = ()
    cited_not_sent: tuple[Cited, ...] = ()
    cited_unclear: tuple[Cited, ...] = ()
    sent_not_cited: tuple[str, ...] = ()
    rejected_but_sent: tuple[Rejected, ...] = ()
    silent: tuple[str, ...] = ()
    silences: tuple[Silence, ...] = ()
    part: PartUsed | None = None


class InputsOf(Question[Asked, Inputs]):
    """Backward over data from the target, grouped by how each input is tied to what it went into."""

    name: ClassVar[str] = "inputs-of"
    sentence: ClassVar[str] = "Which inputs did it really have, and how is each tied to it?"
    params: ClassVar[type[Asked]] = Asked
    graphed: ClassVar[type[Graphed]] = Inputs
    policy: ClassVar[str] = "why"
    of_subjects: ClassVar[bool] = True
    example: ClassVar[dict[str, Any]] = {"target": ["report:late-fees-february"]}

    def answer(self, graph: Graph, params: Asked) -> Answer[Inputs]:
        scope = self.scope(graph, params)
        part = part_filter(params.part)
        trip = building.trip_of(scope, params, part.keeps if part else None)
        if params.view == "ids" and not part:
            ids = building.by_reference(graph, scope, trip)
            return Answer(self.name, Inputs(**ids), building.nothing_now())
        found = building.find(graph, trip, walk(graph, trip))
        grouped = Grouped(trip, found)
        fields = building.common(graph, scope, params, found)
        fields |= _own(graph, scope, grouped)
        fields = with_unchecked(
            fields,
            [
                *_unclear(fields["cited_unclear"]),
                *_later(grouped),
                *of_steps(graph, scope.as_of, found, scope.ids),
            ],
        )
        if part:
            fields["part"] = part.used()
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, Inputs(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[Inputs]) -> list[str]:
        graph = answer.graph
        told = [*targets_told(graph), *_inputs_told(graph), *_doubts_told(graph)]
        return [*told, *held_told(answer.availability), *missing_told(graph)]


def _own(graph: Graph, scope: Scope, grouped: Grouped) -> dict[str, Any]:
    found, refs = grouped.found, grouped.found.refs
    narrowed = narrows(scope.unchecked)  # what a step read, or cites, may be among the edges left out
    direct, silent = grouped.direct(), [] if narrowed else grouped.silent()
    inputs = grouped.told()
    uncited = [] if narrowed else grouped.uncited()
    untold = inputs or narrowed or found.walked.truncated or not scope.position.first
    return {
        "links": _links(grouped, direct),
        "inputs": len(inputs),
        "direct": tuple([refs[node] for node in found.newly(direct, grouped.direct_before())]),
        **_unsupported(graph, scope, grouped, uncited),
        "rejected_but_sent": rejected_but_sent(graph, scope.as_of, found, grouped.sent()),
        "silent": tuple([refs[node] for node in silent]),
        "silences": on_the_way(found, silent)
        or (() if untold else in_runs(graph, scope.as_of, found, scope.ids)),
    }


def _links(grouped: Grouped, direct: set[int]) -> Links:
    refs, depths = grouped.found.refs, grouped.found.everywhere()
    lists: dict[Tie, tuple[Input, ...]] = {}
    ways = _Ways(grouped.found)
    for tie, tied in grouped.ties.items():
        entries = []
        for node in grouped.told_as(tie) if tied else ():
            known = tied[node]
            steps, toward = grouped.way_of(known)
            via = ways.of(known.near, toward) if tie == "read" else ""
            ref, evidence = refs[node], EVIDENCE_WORD[known.evidence]
            near, path = node in direct, (ref, *toward)
            entries.append(Input(ref, depths[node], evidence, steps, path, near, known.method, via))
        if entries or tie != UNTOLD:
            lists[tie] = tuple(entries)
    return Links(**lists)


class _Ways:
    """By which way a thing was read: the nearest activity on its path, or a tool that returned what holds
    it."""

    def __init__(self, found: Found) -> None:
        self.found = found

    def of(self, near: int, toward: Sequence[str]) -> Via:
        """``near`` is the node next to the thing on its path, ``toward`` the references from there on."""
        found = self.found
        if found.infos[near].kind & _ACTIVITY:
            return "tool" if found.types.get(near) == ATTEMPT else "activity"
        activities = self.activities
        for ref in toward:
            if ref in activities:
                return "tool" if ref in self.tools else "activity"
        return "collection" if self.returned.isdisjoint(toward) else "tool"

    @cached_property
    def activities(self) -> set[str]:
        return {info.ref for info in self.found.infos.values() if info.kind & _ACTIVITY}

    @cached_property
    def tools(self) -> set[str]:
        refs = self.found.refs
        return {refs[node] for node, type_ in self.found.types.items() if type_ == ATTEMPT}

    @cached_property
    def returned(self) -> set[str]:
        """What tools returned."""
        refs = self.found.refs
        return {refs[link.source] for link in self.found.links if refs[link.target] in self.tools}


def _unsupported(
    graph: Graph, scope: Scope, grouped: Grouped, uncited: Sequence[int]
) -> dict[str, tuple[Any, ...]]:
    """The sources that were cited and not sent, and those of which that can't be told: as the citations of a
    call are judged wherever they are asked about. What may be the one that was cited is not told as uncited.
    """
    found = grouped.found
    own = _not_sent(grouped, grouped.citations_told())
    wanting = _not_sent(grouped, grouped.citations()) if uncited else own
    calls = [call for _, _, call in wanting]
    judged = judged_of(graph, scope.as_of, scope.evidence, calls) if wanting else Judged()
    named = {tuple(map(found.ref, citation)) for citation in own}
    perhaps = {version for claim in judged.unclear for version in claim.other_versions}
    return {
        "sent_not_cited": tuple([ref for ref in map(found.ref, uncited) if ref not in perhaps]),
        "cited_not_sent": _cited(judged.cited_not_sent, named),
        "cited_unclear": _cited(judged.unclear, named),
    }


def _not_sent(grouped: Grouped, citations: Iterable[Citation]) -> set[Citation]:
    """Those of a thing that their call was not sent."""
    return {(thing, output, call) for thing, output, call in citations if thing not in grouped.sent_to(call)}


def _cited(claims: Sequence[Claim], named: set[tuple[str, ...]]) -> tuple[Cited, ...]:
    kept = [claim for claim in claims if (claim.ref, claim.output, claim.call) in named]
    return tuple([Cited(claim.ref, claim.output, claim.call, claim.why) for claim in kept])


def _unclear(cited: Sequence[Cited]) -> list[Unchecked]:
    return [Unchecked(f"whether {each.call} was sent {each.ref}", each.why) for each in cited]


def _later(grouped: Grouped) -> list[Unchecked]:
    """That a page can't tell yet what is cited nowhere."""
    told = grouped.found.walked.cut and grouped.told_as("sent")
    return [Unchecked(NOWHERE_CITED, "the last page of the answer tells")] if told else []


def _inputs_told(graph: Inputs) -> list[str]:
    names = listed([target.ref for target in graph.targets])
    if building.NOT_LOOKED_AT in graph.unchecked:
        return [by_reference_told(graph)]
    if not graph.inputs:
        return [_nothing_told(graph, names)]
    told = [f"{names} had {at_least(graph)}{counted(graph.inputs, 'input')}, {_direct_told(graph)}."]
    for tie in TIES:
        entries: tuple[Input, ...] = getattr(graph.links, tie)
        told += _read_told(entries) if tie == "read" else _tied_told(_WORDS[tie], entries)
    return told + _tied_told(_WORDS[UNTOLD], graph.links.restricted or ())


def _tied_told(words: str, entries: Sequence[Input]) -> list[str]:
    return [f"{words}: {listed([entry.ref for entry in entries])}."] if entries else []


def _read_told(entries: Sequence[Input]) -> list[str]:
    """What tools read or returned, what other activities used, and what a collection asked about holds."""
    return [
        sentence
        for via, words in _READ.items()
        for sentence in _tied_told(words, [entry for entry in entries if entry.via == via])
    ]


def _direct_told(graph: Inputs) -> str:
    if graph.inputs == 1:
        return "a direct one" if graph.direct else "not a direct one"
    return f"{len(graph.direct):,} of them direct"


def _nothing_told(graph: Inputs, names: str) -> str:
    """Why the answer is empty."""
    alone = len(graph.nodes) <= len(graph.targets)
    made = ", nor what made it" if alone and not graph.runs else ""
    why = "; ".join(silence.told() for silence in graph.silences)
    return nothing(graph, f"No input of {names}{as_a_whole(graph)}", f"{made}: {why}" if why else made)


def _cites(graph: Inputs) -> bool:
    return bool(graph.links.cited or graph.cited_not_sent or graph.cited_unclear)


def _doubts_told(graph: Inputs) -> list[str]:
    told = list(unmade_told(graph))
    if graph.cited_not_sent:
        told.append(
            f"Cited but never sent to the model: {listed([each.ref for each in graph.cited_not_sent])}."
        )
    if graph.cited_unclear:
        refs = listed([each.ref for each in graph.cited_unclear])
        told.append(f"Cited, and it can't be told whether it was sent to the model: {refs}.")
    if graph.sent_not_cited and (_cites(graph) or is_later(graph)):
        told.append(f"Sent to the model but not cited: {listed(graph.sent_not_cited)}.")
    if graph.rejected_but_sent:
        refs = listed([f"{each.ref} ({each.verdict})" for each in graph.rejected_but_sent])
        told.append(f"Sent to the model although decided against: {refs}.")
    return told + part_told(graph.part)
