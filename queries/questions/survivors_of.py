"""survivors-of: what is still there of what came from a retracted skill or input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from provmodel.names import split
from queries import building
from queries.answer import Answer, Graphed
from queries.edges import EVIDENCE_WORD
from queries.forward import prepare
from queries.graph import Graph, Way
from queries.impact import Reached
from queries.limits import at_least, is_whole, nothing
from queries.question import Asked, Question, Scope
from queries.survivors import disputed, survivors_of
from queries.telling import counted, listed, missing_told, targets_told

SENT = "send"


class Survivor(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One written occurrence that is still there.

    ``links`` say how the target stands to it, ``tier`` is set for what only a skill's presence leads to.
    ``evidence`` is that of the best path from the targets, ``nearest`` the target that the fewest steps lead
    from, ``path`` the last 16 references of the best path, from cause to effect. ``exists`` is how well it is
    known that it was written at all. ``sent`` says that it went out: no new version takes it back.
    """

    ref: str
    thing: str
    evidence: str
    exists: str
    links: tuple[str, ...]
    steps: int
    path: tuple[str, ...]
    nearest: str = ""
    tier: str = ""
    sent: bool = False


class Still(Graphed, frozen=True, kw_only=True):
    """What is still there.

    ``survivors`` are written occurrences that are the newest of their thing and not deleted, and all that
    was sent: ``in_context``, ``loaded`` and ``possibly`` are those of each tier of a skill, ``by_data`` those
    that data leads to. None of them is among ``superseded``, which have a newer version, ``deleted`` in the
    world, ``refuted``, which never took place, or ``contradicted``, of which verifiers say both. ``other``
    counts messages, results and drafts that were reached and are no writes.
    """

    survivors: tuple[Survivor, ...] = ()
    by_data: tuple[str, ...] = ()
    in_context: tuple[str, ...] = ()
    loaded: tuple[str, ...] = ()
    possibly: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    other: int = 0


class SurvivorsOf(Question[Asked, Still]):
    """Forward over data from the targets, a skill in tiers and through what depends on it; of what was
    written there, what is the newest of its thing and not deleted."""

    name: ClassVar[str] = "survivors-of"
    sentence: ClassVar[str] = "What that came from it still exists?"
    params: ClassVar[type[Asked]] = Asked
    graphed: ClassVar[type[Graphed]] = Still
    policy: ClassVar[str] = "impact"
    of_subjects: ClassVar[bool] = True
    example: ClassVar[Mapping[str, Any]] = {"target": ["skill:late-fee-rules"]}

    def answer(self, graph: Graph, params: Asked) -> Answer[Still]:
        scope = self.scope(graph, params)
        prepared = prepare(graph, scope, building.trip_of(scope, params))
        reached = prepared.go(graph)
        fields = building.common(graph, scope, params, reached.found)
        own = _own(graph, scope, reached)
        unchecked = (*fields["unchecked"], *prepared.seeds.unchecked, *own.pop("left"))
        fields |= {**own, "unchecked": unchecked, "complete": fields["complete"] and not unchecked}
        if params.view == "ids":
            fields = building.ids_only(fields, reached.found)
        return Answer(self.name, Still(**fields), building.availability(graph, reached.found))

    def sentences(self, answer: Answer[Still]) -> list[str]:
        graph = answer.graph
        return [*targets_told(graph), *_told(graph), *missing_told(graph)]


def _own(graph: Graph, scope: Scope, reached: Reached) -> dict[str, Any]:
    found = reached.found
    affected = reached.affected()
    written = survivors_of(graph, scope.as_of, found, affected)
    alive = set(written.survivors)
    survivors = _survivors(reached, [node for node in affected if found.ref(node) in alive], written.exists)
    contradicted, refuted = disputed(found.links)
    kept = {
        *written.survivors,
        *written.superseded,
        *written.deleted,
        *written.refuted,
        *written.contradicted,
    }
    return {
        "left": written.unchecked,
        "survivors": survivors,
        "by_data": tuple([each.ref for each in survivors if not each.tier]),
        **{
            tier: tuple([each.ref for each in survivors if each.tier == tier])
            for tier in ("in_context", "loaded", "possibly")
        },
        "sent": tuple([each.ref for each in survivors if each.sent]),
        "superseded": written.superseded,
        "deleted": written.deleted,
        "refuted": tuple(sorted({*written.refuted, *(found.ref(node) for node in refuted)})),
        "contradicted": tuple(sorted({*written.contradicted, *(found.ref(node) for node in contradicted)})),
        "other": sum(1 for node in affected if found.ref(node) not in kept),
    }


def _survivors(reached: Reached, nodes: list[int], exists: Mapping[str, int]) -> tuple[Survivor, ...]:
    """By reference."""
    found, best, nearest = reached.found, reached.best, reached.nearest()
    told = [
        Survivor(
            ref=found.ref(node),
            thing=split(found.ref(node)).thing,
            evidence=EVIDENCE_WORD[best[node]],
            exists=EVIDENCE_WORD[exists.get(found.ref(node), 0)],
            links=tuple(reached.ties[node]),
            steps=reached.paths.steps(node),
            path=reached.paths.shown(node, Way.IN),
            nearest=found.ref(nearest[node]) if node in nearest else "",
            tier=reached.tiers.get(node, ""),
            sent=any(r.name == "clew:mode" and r.value == SENT for r in found.told.get(node, ())),
        )
        for node in nodes
    ]
    return tuple(sorted(told, key=lambda each: each.ref))


def _untaken(graph: Still) -> list[str]:
    """Survivors of which no tool says that they were written."""
    return [each.ref for each in graph.survivors if each.exists == "inferred"]


def _told(graph: Still) -> list[str]:
    refs = listed([target.ref for target in graph.targets])
    if not graph.survivors:
        told = [_nothing_told(graph, refs)]
    else:
        things = counted(len(graph.survivors), "thing that came from", "things that came from")
        verb = "is" if len(graph.survivors) == 1 else "are"
        if _untaken(graph):
            verb = "may be" if len(_untaken(graph)) == len(graph.survivors) else f"{verb}, or may be,"
        told = [f"{at_least(graph, 'At least ')}{things} {refs} {verb} still there."]
        told += [f"{words} {listed(found)}." for words, found in _tiers(graph) if found]
    if graph.sent:
        told.append(f"Sent out, so that no new version takes it back: {listed(graph.sent)}.")
    weak = [each.ref for each in graph.survivors if each.exists == "declared"]
    if weak:
        told.append(f"That it was written was never verified: {listed(weak)}.")
    untaken = _untaken(graph)
    if untaken:
        told.append(f"It was tried, and no tool says that it was written: {listed(untaken)}.")
    return told + _gone(graph)


def _tiers(graph: Still) -> list[tuple[str, tuple[str, ...]]]:
    return [
        ("Data leads from it to", graph.by_data),
        ("It was an instruction of the calls behind", graph.in_context),
        ("The run's environment had it loaded, without more, for", graph.loaded),
        ("Its name was used without a version while this one was current, so possibly", graph.possibly),
    ]


def _nothing_told(graph: Still, refs: str) -> str:
    if not is_whole(graph):
        return nothing(graph, f"Nothing that came from {refs} and is still there")
    if graph.contradicted:
        return f"Nothing that came from {refs} is known to be still there."
    if graph.superseded or graph.deleted or graph.refuted:
        return f"Nothing that was written and came from {refs} is still there."
    if graph.other:
        other = counted(graph.other, "message or result came", "messages or results came")
        return f"Nothing that was written came from {refs}; {other} from it."
    return f"Nothing that came from {refs} is recorded."


def _gone(graph: Still) -> list[str]:
    told = []
    if graph.superseded:
        count = counted(len(graph.superseded), "written version has", "written versions have")
        told.append(f"{count} a newer one: {listed(graph.superseded)}.")
    if graph.refuted:
        told.append(f"Never written, as was read back: {listed(graph.refuted)}.")
    if graph.contradicted:
        refs = listed(graph.contradicted)
        told.append(f"Whether it was written is contradicted, read back as done and as not done: {refs}.")
    return told
