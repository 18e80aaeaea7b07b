"""What came from it, and what of that is still there?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import msgspec

from provmodel.names import split
from queries import building
from queries.adoption import rejected_but_sent, sent_to
from queries.answer import Answer, Edge, Graphed
from queries.claims.judging import judged_of
from queries.edges import EVIDENCE_WORD, edges_of
from queries.forward import prepare
from queries.graph import Graph, Unchecked, Way
from queries.impact import CARRIED, Reached
from queries.limits import at_least, is_whole, narrows, nothing
from queries.marks import GENERATED
from queries.question import Asked, Question, Scope
from queries.skills import Tier
from queries.survivors import survivors_of
from queries.telling import by_reference_told, counted, listed, missing_told, targets_told, unmade_told
from queries.ties import SILENT_TYPES, TIES, UNTOLD

RETURNED = "what tools only found on the way"
ELSEWHERE = "what only other runs made, with what a tool found"


class Affected(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One thing that came of a target.

    ``links`` say how the target stands to it: transformed, cited, sent, adopted, read; the role of a
    condition (instruction, policy, tool); or carried, for what an agent, a model, a source, a run or a step
    of one made.
    ``nearest`` is the target that the fewest steps lead from. ``evidence``, ``steps`` and ``path`` are those
    of the best path from any of them; ``path`` holds its last 16 references, from cause to effect. ``kind``
    is that of an artifact (report, document), else the scheme of its reference. ``tier`` is set for what only
    a skill's presence leads to, ``standing`` for what was written: survivor, superseded, deleted, refuted or
    contradicted.
    """

    ref: str
    depth: int
    evidence: str
    links: tuple[str, ...]
    steps: int
    path: tuple[str, ...]
    type: str = ""
    kind: str = ""
    tier: str = ""
    nearest: str = ""
    standing: str = ""


class Impact(Graphed, frozen=True, kw_only=True):
    """What came of the targets.

    ``links`` groups the affected by link; ``in_context``, ``loaded`` and ``possibly`` are the tiers of a
    skill. ``survivors`` are written occurrences that are the newest of their thing and not deleted,
    ``superseded`` those that are not. ``returned`` is what tools only found on the way: it was there before,
    and is not affected; ``elsewhere`` what other runs made with it. Both are told where the answer ends.
    ``alone`` are relations that nobody but a retracted source asserts. ``sent_not_cited`` are calls that were
    sent a target and cite it in no output, ``cited_not_sent`` outputs that cite it although their call was
    not sent it, ``cited_unclear`` outputs of which that can't be told.
    """

    affected: tuple[Affected, ...] = ()
    links: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    in_context: tuple[str, ...] = ()
    loaded: tuple[str, ...] = ()
    possibly: tuple[str, ...] = ()
    survivors: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    cited_not_sent: tuple[str, ...] = ()
    cited_unclear: tuple[str, ...] = ()
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
    of_subjects: ClassVar[bool] = True
    example: ClassVar[dict[str, Any]] = {"target": ["document:tariff-2025"]}

    def answer(self, graph: Graph, params: Asked) -> Answer[Impact]:
        scope = self.scope(graph, params)
        trip, seeds, alone = prepared = prepare(graph, scope, building.trip_of(scope, params))
        if params.view == "ids":
            ids = building.by_reference(graph, scope, trip, seeds.unchecked)
            return Answer(self.name, Impact(**ids), building.nothing_now())
        reached = prepared.go(graph)
        found = reached.found
        fields = building.common(graph, scope, params, found)
        fields |= _own(graph, scope, reached)
        named = [x for x in alone if {x.source, x.target} <= found.infos.keys()]
        fields["alone"] = edges_of(found.depths, found.refs, named)
        unchecked = (*fields["unchecked"], *seeds.unchecked, *fields.pop("left"), *_later(reached))
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
    written = survivors_of(graph, scope.as_of, found, affected)
    never, unclear = _unsupported(graph, scope, reached)
    entries = _entries(reached, affected, _kinds(graph, scope, found, affected), written.standing())
    return {
        "affected": entries,
        "links": _by_link(reached),
        **{tier: _of_tier(entries, tier) for tier in ("in_context", "loaded", "possibly")},
        "survivors": written.survivors,
        "superseded": written.superseded,
        "deleted": written.deleted,
        "left": (*written.unchecked, *unclear.values()),
        "returned": _refs(found, reached.returned()),
        "elsewhere": tuple(sorted(found.ref(node) for node in reached.elsewhere())),
        "cited_not_sent": never,
        "cited_unclear": tuple(unclear),
        "sent_not_cited": () if narrows(scope.unchecked) else _refs(found, reached.sent_not_cited()),
        "rejected_but_sent": _rejected(graph, scope, reached),
    }


def _later(reached: Reached) -> list[Unchecked]:
    """That a page can't tell yet what tools only found, nor what only other runs made with that."""
    if not reached.found.walked.cut:
        return []
    of = ((reached.followed.returned, RETURNED), (reached.followed.elsewhere, ELSEWHERE))
    return [Unchecked(what, "the last page of the answer tells") for nodes, what in of if nodes]


def _refs(found: building.Found, nodes: Iterable[int]) -> tuple[str, ...]:
    return tuple([found.ref(node) for node in nodes])


def _kinds(graph: Graph, scope: Scope, found: building.Found, nodes: list[int]) -> dict[int, str]:
    """What kind of thing each is: as its own event says, else by its scheme."""
    said = graph.attributes(nodes, scope.as_of, ("clew:kind",)) if nodes else {}
    return {node: said[node][0].value if node in said else split(found.ref(node)).scheme for node in nodes}


def _entries(
    reached: Reached, affected: list[int], kinds: Mapping[int, str], standing: Mapping[str, str]
) -> tuple[Affected, ...]:
    found, best, paths = reached.found, reached.best, reached.paths
    nearest, depths = reached.nearest(), found.everywhere()
    return tuple(
        [
            Affected(
                ref=found.ref(node),
                depth=depths[node],
                evidence=EVIDENCE_WORD[best[node]],
                links=tuple(reached.ties[node]),
                steps=paths.steps(node),
                path=paths.shown(node, Way.IN),
                type=found.types.get(node, ""),
                kind=kinds[node],
                tier=reached.tiers.get(node, ""),
                nearest=found.ref(nearest[node]) if node in nearest else "",
                standing=standing.get(found.ref(node), ""),
            )
            for node in affected
        ]
    )


def _by_link(reached: Reached) -> dict[str, tuple[str, ...]]:
    """References by link: the five ties first, then others by name."""
    tied = reached.by_tie()
    others = sorted(link for link in tied.keys() - set(TIES) if tied[link])
    return {link: _refs(reached.found, tied.get(link, ())) for link in (*TIES, *others)}


def _of_tier(entries: tuple[Affected, ...], tier: Tier) -> tuple[str, ...]:
    return tuple([entry.ref for entry in entries if entry.tier == tier])


def _unsupported(
    graph: Graph, scope: Scope, reached: Reached
) -> tuple[tuple[str, ...], dict[str, Unchecked]]:
    """The outputs that cite a target which their call was not sent, and those of which that can't be told: as
    the citations of a call are judged wherever they are asked about."""
    wanting = reached.cited_not_sent()
    if not wanting:
        return (), {}
    outputs, targets = {reached.found.ref(node) for node in wanting}, {start.ref for start in scope.starts}
    made = [row for row in graph.rows(wanting, Way.OUT, (GENERATED,), scope.as_of) if row.stance]
    judged = judged_of(graph, scope.as_of, scope.evidence, [row.target for row in made])
    never = {claim.output for claim in judged.cited_not_sent if claim.ref in targets}
    unclear = {
        claim.output: Unchecked(f"whether {claim.call} was sent {claim.ref}", claim.why)
        for claim in judged.unclear
        if claim.ref in targets
    }
    for node in set(wanting) - {row.source for row in made}:
        output = reached.found.ref(node)
        unclear[output] = Unchecked(f"whether what gave {output} was sent it", "what gave it is not recorded")
    return tuple(sorted(never & outputs)), {each: unclear[each] for each in sorted(outputs & unclear.keys())}


def _rejected(graph: Graph, scope: Scope, reached: Reached) -> tuple[str, ...]:
    """Calls that were sent a target after it was decided not to adopt it."""
    found = reached.found
    pairs = [(node, call) for node, calls in sent_to(found, reached.starts).items() for call in calls]
    sent = rejected_but_sent(graph, scope.as_of, found, pairs)
    return tuple(sorted({each.call for each in sent}))


def _affected_told(graph: Impact) -> list[str]:
    refs = listed([target.ref for target in graph.targets])
    if building.NOT_LOOKED_AT in graph.unchecked:
        return [by_reference_told(graph)]
    if not graph.affected:
        return [_nothing_told(graph, refs), *_returned_told(graph)]
    told = [f"{at_least(graph, 'At least ')}{counted(len(graph.affected), 'thing')} came from {refs}."]
    sent = graph.links.get("sent", ())
    if sent:
        told.append(f"It was sent to a model on the way to {listed(sent)}.")
    words = {
        "transformed": "By way of what was made from it",
        "cited": "By way of a citation",
        "adopted": "By way of a draft that was adopted",
        "read": "By way of what a tool read or returned",
        CARRIED: "Made there, or by way of what was",
        UNTOLD: "By way of what is hidden from you",
    }
    told += [f"{word}: {listed(graph.links[tie])}." for tie, word in words.items() if graph.links.get(tie)]
    if graph.survivors:
        told.append(f"Still there: {listed(graph.survivors)}.")
    if graph.superseded:
        told.append(
            f"{counted(len(graph.superseded), 'written version')} came from it and since has a newer one."
        )
    return told + _returned_told(graph)


def _nothing_told(graph: Impact, refs: str) -> str:
    """Why nothing is affected: nothing used it, or what used it reports no result."""
    if not is_whole(graph):
        return nothing(graph, f"Nothing that came from {refs}")
    steps = [node for node in graph.nodes if not isinstance(node, str) and node.type in SILENT_TYPES]
    if not steps and _acts(graph):
        return f"Nothing that came from {refs} is recorded, nor anything that was made there."
    if not steps:
        return f"Nothing that came from {refs} is recorded: nothing that is recorded used it."
    used = counted(len(steps), "step that used it reports", "steps that used it report")
    return f"Nothing that came from {refs} is recorded: {used} no result ({steps[0].ref})."


def _acts(graph: Impact) -> bool:
    """Whether a target is no thing that could be used, but an activity or an agent."""
    targets = {target.ref for target in graph.targets}
    nodes = [node for node in graph.nodes if not isinstance(node, str) and node.ref in targets]
    return any("entity" not in node.kinds for node in nodes if node.kinds)


def _returned_told(graph: Impact) -> list[str]:
    told = []
    if graph.returned:
        told.append(f"Only found by tools on the way, and there before: {listed(graph.returned)}.")
    if graph.elsewhere:
        count = len(graph.elsewhere)
        made = counted(count, "thing that other runs made", "things that other runs made")
        told.append(f"{made} with what was found so {'is' if count == 1 else 'are'} not counted.")
    return told


def _tiers_told(graph: Impact) -> list[str]:
    tiers = (
        (graph.in_context, "It was an instruction of the calls behind"),
        (graph.loaded, "The run's environment had it loaded, without more, for"),
        (graph.possibly, "Its name was used without a version while this one was current, so possibly for"),
    )
    return [f"{words} {listed(refs)}." for refs, words in tiers if refs]


def _doubts_told(graph: Impact) -> list[str]:
    told = list(unmade_told(graph))
    if graph.cited_not_sent:
        told.append(f"Cited although never sent to the model, in {listed(graph.cited_not_sent)}.")
    if graph.cited_unclear:
        where = listed(graph.cited_unclear)
        told.append(f"Cited, and it can't be told whether it was sent to the model, in {where}.")
    if graph.rejected_but_sent:
        told.append(f"Sent although decided against, to {listed(graph.rejected_but_sent)}.")
    if graph.alone:
        most = at_least(graph)
        told.append(f"On this source alone rest {most}{counted(len(graph.alone), 'relation')}.")
    return told
