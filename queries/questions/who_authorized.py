"""who-authorized: for each write, who allowed it, and whether what was allowed is what was done.

The judgement is made by :mod:`queries.authority` from the events themselves; the walk around it shows the
write, the attempt, the decision, the decider, the policy, the capability and the principal (policy ``who``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from provmodel.errors import BadQuestion
from queries import building
from queries.answer import Answer, Graphed
from queries.authority.entries import DecisionView, WriteView
from queries.authority.findings import rank
from queries.authority.telling import NOT_SEEN, Told, tell
from queries.authority.words import sentences_on, untold
from queries.effect import EFFECTS, Effect
from queries.gaps import KINDS
from queries.graph import Gap, Graph
from queries.limits import evidence_asked
from queries.question import Asked, Question, Scope
from queries.telling import missing_told, targets_told
from queries.walk import Trip, walk


class Who(Graphed, frozen=True, kw_only=True):
    """What was written, and who authorized it.

    ``outcomes`` are those of all writes together, ``effect`` the least certain of theirs. ``decisions`` are
    those about actions asked about that nothing executed (``unexecuted``); ``silent`` are attempts asked
    about that wrote nothing, ``returned`` are things asked about that a tool only found: they were there
    before, and that is no write.
    """

    outcomes: tuple[str, ...] = ()
    effect: Effect = "unknown"
    writes: tuple[WriteView, ...] = ()
    decisions: tuple[DecisionView, ...] = ()
    unexecuted: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()


class WhoAuthorized(Question[Asked, Who]):
    """Judges the writes of a version, a thing (its newest write), an attempt, an action or a run."""

    name = "who-authorized"
    sentence = "Who authorized what was written, and is what was allowed what was done?"
    params = Asked
    graphed = Who
    policy = "who"
    example: ClassVar[Mapping[str, Any]] = {"target": ["ledger:account-4711"]}

    def answer(self, graph: Graph, params: Asked) -> Answer[Who]:
        if params.part:
            raise BadQuestion("part", "an authorization is for a whole write", "leave it out")
        scope = self.scope(graph, params)
        told = tell(graph, scope.as_of, scope.evidence, scope.starts)
        trip = _trip(scope, params, told)
        found = building.find(graph, trip, walk(graph, trip))
        found.links = building.with_links(found, told.executes)
        fields = _fields(building.common(graph, scope, params, found), told)
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, Who(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[Who]) -> list[str]:
        graph = answer.graph
        return [
            *targets_told(graph),
            *(sentence for entry in graph.writes for sentence in sentences_on(entry)),
            *self._untold(graph),
            *missing_told(graph),
        ]

    def _untold(self, graph: Who) -> list[str]:
        if any(one.why == NOT_SEEN for one in graph.unchecked):
            return []
        by = evidence_asked(graph)
        refs = [target.ref for target in graph.targets if target.ref not in graph.returned]
        found = [
            f"Nothing recorded{by} says that {ref} was written: a tool only found it."
            for ref in graph.returned
        ]
        return found + list(untold(refs, graph.writes, graph.unexecuted, graph.decisions, graph.silent, by))


def _trip(scope: Scope, params: Asked, told: Told) -> Trip:
    """From the targets, and from the writes, attempts, actions and decisions that the judgement is about."""
    return Trip(
        starts=tuple(dict.fromkeys((*scope.ids, *told.written, *told.attempts, *told.related))),
        policy=scope.policy,
        as_of=scope.as_of,
        evidence=scope.evidence,
        depth=params.depth,
        max_nodes=params.max_nodes,
        expand=scope.expand,
        include_refuted=params.include_refuted,
        position=scope.position,
        near=scope.policy.name == "who",
    )


def _fields(common: dict[str, Any], told: Told) -> dict[str, Any]:
    gaps = _with(common["gaps"], told)
    unchecked = (*common["unchecked"], *told.unchecked)
    return {
        **common,
        "gaps": gaps,
        "unchecked": unchecked,
        "complete": common["complete"] and not (gaps or unchecked),
        "outcomes": tuple(sorted({o for entry in told.writes for o in entry.outcomes}, key=rank)),
        "effect": min((entry.effect for entry in told.writes), key=EFFECTS.index, default="unknown"),
        "writes": told.writes,
        "decisions": told.decisions,
        "unexecuted": told.unexecuted,
        "silent": told.silent,
        "returned": told.returned,
    }


def _with(gaps: Iterable[Gap], told: Told) -> tuple[Gap, ...]:
    """The gaps, with the actions asked about that nothing executed where the runs did not tell of them."""
    known = {gap.kind: gap for gap in gaps}
    kind = "execution_not_recorded"
    if told.unexecuted and kind not in known:
        known[kind] = Gap(kind, len(told.unexecuted), told.unexecuted[0])
    return tuple(known[kind] for kind in KINDS if kind in known)
