"""attempts-of: what was tried, how often, to what effect, and what of that was doubled, blind or too late."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import msgspec

from provmodel.errors import BadQuestion
from queries import building
from queries.answer import Answer, Graphed
from queries.attempts.entries import Late, Operation, Retried, Twice
from queries.attempts.gathering import Gathered
from queries.attempts.judging import Judged
from queries.attempts.operations import operations_of
from queries.attempts.words import on_few, on_late, on_nothing, on_operation, on_retried, on_twice
from queries.effect import EFFECTS, Effect
from queries.gaps import KINDS
from queries.graph import Gap, Graph, Unchecked
from queries.hiding import SCHEME
from queries.limits import is_whole, nothing
from queries.question import Asked, Question
from queries.telling import counted, listed, missing_told, targets_told
from queries.walk import Trip, walk

TOLD = 12
"""Actions that the sentences spell out."""


class Attempts(Graphed, frozen=True, kw_only=True):
    """What was tried.

    ``operations`` are the actions with their attempts; ``effect`` is the least certain of theirs. ``retries``
    are attempts after the first at one action, or that name the one they retry; ``unknown`` those of unknown
    outcome; ``unexecuted`` actions with no recorded attempt. ``duplicates`` are attempts at one thing of
    which several took effect, or may have; ``unverified_retries`` were made before the earlier attempt was
    verified to have failed; ``after_cancellation`` may have committed after a cancellation.
    """

    effect: Effect = "unknown"
    operations: tuple[Operation, ...] = ()
    retries: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    unexecuted: tuple[str, ...] = ()
    duplicates: tuple[Twice, ...] = ()
    unverified_retries: tuple[Retried, ...] = ()
    after_cancellation: tuple[Late, ...] = ()


class AttemptsOf(Question[Asked, Attempts]):
    """The attempts of a run, at an action, behind a version or a thing's newest write, or one attempt with
    those that it retries or that retry it."""

    name: ClassVar[str] = "attempts-of"
    sentence: ClassVar[str] = "What was tried, how often, with which outcome, and did it take effect once?"
    params: ClassVar[type[Asked]] = Asked
    graphed: ClassVar[type[Graphed]] = Attempts
    policy: ClassVar[str] = "who"
    example: ClassVar[Mapping[str, Any]] = {"target": ["run:late-fees"]}

    def answer(self, graph: Graph, params: Asked) -> Answer[Attempts]:
        if params.part:
            raise BadQuestion("part", "an attempt is made as a whole", "leave it out")
        scope = self.scope(graph, params)
        gathered = Gathered(graph, scope.as_of, scope.evidence, scope.starts)
        operations = operations_of(gathered)
        trip = building.trip_of(scope, params)
        tried = (*gathered.reading.find(gathered.attempts), *gathered.reading.find(gathered.actions))
        trip = msgspec.structs.replace(trip, starts=tuple(dict.fromkeys((*scope.ids, *tried))))
        found = building.find(graph, trip, walk(graph, trip))
        found.links = building.with_links(found, gathered.reading.executes)
        fields = _own(building.common(graph, scope, params, found), gathered, operations, trip)
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, Attempts(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[Attempts]) -> list[str]:
        graph = answer.graph
        return [*targets_told(graph), *_told(graph), *missing_told(graph)]


def _own(
    common: dict[str, Any], gathered: Gathered, operations: tuple[Operation, ...], trip: Trip
) -> dict[str, Any]:
    judged = Judged(gathered, operations)
    late, unchecked = judged.late()
    cut = [Unchecked(what, "there are more than are looked at") for what in gathered.clipped]
    unexecuted = tuple(sorted(each.action for each in operations if not each.attempts))
    gaps = _with_unexecuted(common["gaps"], unexecuted)
    unchecked = (*common["unchecked"], *unchecked, *cut, *_veiled(operations))
    return {
        **common,
        "gaps": gaps,
        "unchecked": unchecked,
        "complete": common["complete"] and not (gaps or unchecked),
        "effect": min((each.effect for each in operations), key=EFFECTS.index, default="unknown"),
        "operations": operations,
        "retries": tuple(sorted(_retries(operations))),
        "unknown": tuple(
            sorted({a.attempt for o in operations for a in o.attempts if "unknown" in a.outcome})
        ),
        "unexecuted": unexecuted,
        "duplicates": judged.twice(),
        "unverified_retries": judged.retried(),
        "after_cancellation": late,
    }


def _veiled(operations: tuple[Operation, ...]) -> Iterator[Unchecked]:
    """Attempts of which something that they wrote is hidden, and with it who verified that."""
    tried = [each for operation in operations for each in operation.attempts]
    veiled = {one.attempt for one in tried if any(write.ref.startswith(SCHEME) for write in one.writes)}
    for attempt in sorted(veiled):
        yield Unchecked(f"who read back all that {attempt} wrote", "some of it is hidden from you")


def _retries(operations: tuple[Operation, ...]) -> set[str]:
    later = {each.attempt for operation in operations for each in operation.attempts[1:]}
    return later | {each.attempt for op in operations for each in op.attempts if each.retry_of}


def _with_unexecuted(gaps: tuple[Gap, ...], unexecuted: tuple[str, ...]) -> tuple[Gap, ...]:
    """The gaps, with the actions that nothing executed where the runs did not tell of them."""
    known = {gap.kind: gap for gap in gaps}
    kind = "execution_not_recorded"
    if unexecuted and kind not in known:
        known[kind] = Gap(kind, len(unexecuted), unexecuted[0])
    return tuple(known[kind] for kind in KINDS if kind in known)


def _told(graph: Attempts) -> list[str]:
    if not graph.operations and not is_whole(graph):
        return [nothing(graph, f"No attempt and no action of {listed([t.ref for t in graph.targets])}")]
    if not graph.operations:
        calls = [edge.target for edge in graph.edges if edge.term == "wasGeneratedBy"]
        return list(on_nothing([target.ref for target in graph.targets], calls))
    told = [on_few(graph.operations)] if len(graph.operations) > 1 else []
    told += [on_operation(operation) for operation in graph.operations[:TOLD]]
    if len(graph.operations) > TOLD:
        told.append(f"{counted(len(graph.operations) - TOLD, 'more action')} in the answer.")
    told += [on_twice(twice) for twice in graph.duplicates]
    told += [on_retried(retried) for retried in graph.unverified_retries]
    told += [on_late(late) for late in graph.after_cancellation]
    if graph.unknown:
        told.append(f"The outcome is not known of {listed(graph.unknown)}.")
    return told
