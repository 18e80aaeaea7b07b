"""What came from it, and what of that is still there?"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from provmodel.relations import Flow, codes_of
from queries import building
from queries.adoption import rejected_but_sent, sent_to
from queries.answer import Answer, Edge, Graphed
from queries.building import EVIDENCE_WORD
from queries.graph import Graph, Unchecked, Way
from queries.impact import Reached
from queries.links import Link, links_of
from queries.marks import GENERATED
from queries.question import Asked, Question, Scope
from queries.skills import Seeds, Tier, find_seeds
from queries.survivors import survivors_of
from queries.telling import counted, listed, missing_told, targets_told
from queries.ties import TIES
from queries.walk import Trip, walk

ALONE = 1000
"""Relations that only a retracted source asserts and that are followed."""

DATA = codes_of(frozenset({Flow.DATA}))


class Affected(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One thing that came of a target.

    ``links`` say how the target stands to it: transformed, cited, sent, adopted, read; the role of a
    condition (instruction, policy, tool); or carried, for what a retracted agent, model or source made.
    ``tier`` is set for what only a skill's presence leads to. ``path`` holds the last 16 references of the
    best path, from cause to effect.
    """

    ref: str
    depth: int
    evidence: str
    links: tuple[str, ...]
    steps: int
    path: tuple[str, ...]
    type: str = ""
    tier: str = ""


class Impact(Graphed, frozen=True, kw_only=True):
    """What came of the targets.

    ``links`` groups the affected by link; ``in_context``, ``loaded`` and ``possibly`` are the tiers of a
    skill. ``survivors`` are written occurrences that are the newest of their thing and not deleted,
    ``superseded`` those that are not. ``alone`` are relations that nobody but a retracted source asserts.
    ``sent_not_cited`` are calls that were sent a target and cite it in no output, ``cited_not_sent`` outputs
    that cite it although their call was not sent it.
    """

    affected: tuple[Affected, ...] = ()
    links: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    in_context: tuple[str, ...] = ()
    loaded: tuple[str, ...] = ()
    possibly: tuple[str, ...] = ()
    survivors: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    cited_not_sent: tuple[str, ...] = ()
    sent_not_cited: tuple[str, ...] = ()
    rejected_but_sent: tuple[str, ...] = ()
    alone: tuple[Edge, ...] = ()


class ImpactOf(Question[Asked, Impact]):
    """Forward over data from the targets; a skill in tiers, an agent, model or source with what it made or
    carried.
    """

    name: ClassVar[str] = "impact-of"
    sentence: ClassVar[str] = "What came from it, how is that known, and what of it is still there?"
    params: ClassVar[type[Asked]] = Asked
    graphed: ClassVar[type[Graphed]] = Impact
    policy: ClassVar[str] = "impact"
    example: ClassVar[dict[str, Any]] = {"target": ["document:tariff-2025"]}

    def answer(self, graph: Graph, params: Asked) -> Answer[Impact]:
        scope = self.scope(graph, params)
        trip = building.trip_of(scope, params)
        seeds = find_seeds(graph, trip)
        alone = _alone(graph, scope, trip, seeds)
        trip = msgspec.structs.replace(trip, seeds=seeds.depths, given=tuple(seeds.links))
        if params.view == "ids":
            ids = building.by_reference(graph, scope, trip, seeds.unchecked)
            return Answer(self.name, Impact(**ids), building.nothing_now())
        found = building.find(graph, trip, walk(graph, trip), alone)
        fields = building.common(graph, scope, params, found)
        fields |= _own(graph, scope, Reached(trip, found, seeds))
        fields["alone"] = building.edges_of(
            found, [x for x in alone if {x.source, x.target} <= found.infos.keys()]
        )
        unchecked = (*fields["unchecked"], *seeds.unchecked, *fields.pop("left"))
        fields |= {"unchecked": unchecked, "complete": fields["complete"] and not unchecked}
        return Answer(self.name, Impact(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[Impact]) -> list[str]:
        graph = answer.graph
        return [
            *targets_told(graph),
            *_affected_told(graph),
            *_tiers_told(graph),
            *_doubts_told(graph),
            *missing_told(graph),
        ]


def _own(graph: Graph, scope: Scope, reached: Reached) -> dict[str, Any]:
    found = reached.found
    affected = reached.affected()
    entries = _entries(reached, affected)
    written = survivors_of(graph, scope.as_of, found, affected)
    return {
        "affected": entries,
        "links": _by_link(entries),
        **{tier: _of_tier(entries, tier) for tier in ("in_context", "loaded", "possibly")},
        "survivors": written.survivors,
        "superseded": written.superseded,
        "deleted": written.deleted,
        "left": written.unchecked,
        "cited_not_sent": tuple([found.ref(node) for node in reached.cited_not_sent()]),
        "sent_not_cited": tuple([found.ref(node) for node in reached.sent_not_cited()]),
        "rejected_but_sent": _rejected(graph, scope, reached),
    }


def _entries(reached: Reached, affected: list[int]) -> tuple[Affected, ...]:
    found, best, paths = reached.found, reached.best, reached.paths
    return tuple(
        [
            Affected(
                ref=found.ref(node),
                depth=found.depths[node],
                evidence=EVIDENCE_WORD[best[node].evidence],
                links=tuple(reached.ties[node]),
                steps=best[node].steps,
                path=paths.shown(node, Way.IN),
                type=found.types.get(node, ""),
                tier=reached.tiers.get(node, ""),
            )
            for node in affected
        ]
    )


def _by_link(entries: tuple[Affected, ...]) -> dict[str, tuple[str, ...]]:
    """References by link: the five ties first, then others by name."""
    others = sorted({link for entry in entries for link in entry.links} - set(TIES))
    return {link: tuple([e.ref for e in entries if link in e.links]) for link in (*TIES, *others)}


def _of_tier(entries: tuple[Affected, ...], tier: Tier) -> tuple[str, ...]:
    return tuple([entry.ref for entry in entries if entry.tier == tier])


def _rejected(graph: Graph, scope: Scope, reached: Reached) -> tuple[str, ...]:
    """Calls that were sent a target after it was decided not to adopt it."""
    found = reached.found
    pairs = [(node, call) for node, calls in sent_to(found, reached.starts).items() for call in calls]
    sent = rejected_but_sent(graph, scope.as_of, found, pairs)
    return tuple(sorted({each.call for each in sent}))


def _alone(graph: Graph, scope: Scope, trip: Trip, seeds: Seeds) -> list[Link]:
    """What only a source among the targets asserts; its subjects become seeds, for the source carried
    them.
    """
    alone: list[Link] = []
    for start in scope.starts:
        if not start.ref.startswith("source:"):
            continue
        stated = graph.stated_by(start.ref, DATA, scope.as_of, ALONE + 1)
        if len(stated) > ALONE:
            seeds.unchecked.append(
                Unchecked(f"all that {start.ref} asserts", f"only the first {ALONE} relations are followed")
            )
        keys = {(row.relation, row.code) for row in stated[:ALONE]}
        rows = graph.rows(sorted({row.source for row in stated[:ALONE]}), Way.OUT, DATA, scope.as_of)
        links = links_of((row for row in rows if (row.relation, row.code) in keys), trip.evidence)
        own = [x for x in links if all(row.asserter == start.ref for row in x.rows if row.stance)]
        for x in own:
            for node in (x.source, x.target) if x.code == GENERATED else (x.source,):
                seeds.depths.setdefault(node, 0)
                seeds.carried[node] = max(x.supporting, seeds.carried.get(node, 0))
        alone += own
    return alone


def _affected_told(graph: Impact) -> list[str]:
    refs = ", ".join(target.ref for target in graph.targets)
    if not graph.affected:
        return [f"Nothing that came from {refs} is recorded."]
    told = [f"{counted(len(graph.affected), 'thing')} came from {refs}."]
    sent = graph.links.get("sent", ())
    if sent:
        told.append(f"It was sent to a model on the way to {listed(sent)}.")
    words = {
        "transformed": "By way of what was made from it",
        "cited": "By way of a citation",
        "adopted": "By way of a draft that was adopted",
        "read": "By way of what a tool read or returned",
    }
    told += [f"{word}: {listed(graph.links[tie])}." for tie, word in words.items() if graph.links.get(tie)]
    if graph.survivors:
        told.append(f"Still there: {listed(graph.survivors)}.")
    if graph.superseded:
        told.append(
            f"{counted(len(graph.superseded), 'written version')} came from it and since has a newer one."
        )
    return told


def _tiers_told(graph: Impact) -> list[str]:
    tiers = (
        (graph.in_context, "It was an instruction of the calls behind"),
        (graph.loaded, "The run's environment had it loaded, without more, for"),
        (graph.possibly, "Its name was used without a version while this one was current, so possibly for"),
    )
    return [f"{words} {listed(refs)}." for refs, words in tiers if refs]


def _doubts_told(graph: Impact) -> list[str]:
    told = []
    if graph.cited_not_sent:
        told.append(f"Cited although never sent to the model, in {listed(graph.cited_not_sent)}.")
    if graph.rejected_but_sent:
        told.append(f"Not adopted, and sent all the same to {listed(graph.rejected_but_sent)}.")
    if graph.alone:
        told.append(f"On this source alone rest {counted(len(graph.alone), 'relation')}.")
    return told
