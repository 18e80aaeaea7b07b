"""expired-inputs: which inputs can no longer be read, why, and what can still be proved of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import msgspec

from queries import building
from queries.answer import Answer, BodyNow, Graphed
from queries.edges import EVIDENCE_WORD
from queries.gathered import with_unchecked
from queries.graph import Graph
from queries.inputs import Grouped
from queries.limits import as_a_whole, at_least, nothing
from queries.parts import PartUsed, part_filter, part_told
from queries.question import Asked, Question, Scope
from queries.readable import PROOFS, STATES, UNREADABLE, BodyThen, Content, Proof, State, contents_of
from queries.silence import of_steps
from queries.telling import counted, held_told, listed, missing_told, targets_told
from queries.ties import TIES, UNTOLD
from queries.walk import walk

_HERE = ("present", "partial")
TOLD = 12
"""Inputs that the sentences spell out."""


class Held(msgspec.Struct, frozen=True, omit_defaults=True):
    """One input, and what the log says of its content.

    ``links`` say how it is tied to what it went into, ``evidence`` how well the best of them is known.
    ``proved`` is what can still be proved when the content can't be read: its use, that a copy is the same
    (digest or tag), that values in it stand elsewhere, its size.
    """

    ref: str
    state: State
    links: tuple[str, ...]
    evidence: str
    depth: int
    bodies: tuple[BodyThen, ...] = ()
    proved: tuple[Proof, ...] = ()


class Expired(Graphed, frozen=True, kw_only=True):
    """The inputs by what can be read of them, as the log had it at as_of.

    ``inputs`` are all of them, what can't be read first. ``deleted``, ``expired``, ``never_captured``,
    ``not_recorded`` and ``hidden`` (from the reader) can't be read; ``partial`` in part; of
    ``deletion_requested`` it is only asked, or said to be done while a legal hold keeps it. What can be read
    *now*, and what a legal hold keeps although its time is up, stands in ``availability``.
    """

    inputs: tuple[Held, ...] = ()
    unreadable: int = 0
    deleted: tuple[str, ...] = ()
    expired: tuple[str, ...] = ()
    deletion_requested: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    never_captured: tuple[str, ...] = ()
    not_recorded: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    part: PartUsed | None = None


class ExpiredInputs(Question[Asked, Expired]):
    """Backward over data from the target, as inputs-of walks; each input with the state of its content."""

    name: ClassVar[str] = "expired-inputs"
    sentence: ClassVar[str] = (
        "Which of its inputs can no longer be read, and what can still be proved of them?"
    )
    params: ClassVar[type[Asked]] = Asked
    graphed: ClassVar[type[Graphed]] = Expired
    policy: ClassVar[str] = "why"
    of_subjects: ClassVar[bool] = True
    example: ClassVar[Mapping[str, Any]] = {"target": ["report:late-fees-february"]}

    def answer(self, graph: Graph, params: Asked) -> Answer[Expired]:
        scope = self.scope(graph, params)
        part = part_filter(params.part)
        trip = building.trip_of(scope, params, part.keeps if part else None)
        found = building.find(graph, trip, walk(graph, trip))
        fields = building.common(graph, scope, params, found)
        fields |= _own(graph, scope, Grouped(trip, found))
        fields = with_unchecked(fields, of_steps(graph, scope.as_of, found, scope.ids))
        if part:
            fields["part"] = part.used()
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, Expired(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[Expired]) -> list[str]:
        graph = answer.graph
        return [*targets_told(graph), *_told(graph), *_now_told(answer), *missing_told(graph)]


def _own(graph: Graph, scope: Scope, grouped: Grouped) -> dict[str, Any]:
    found = grouped.found
    nodes = grouped.told()
    contents = contents_of(graph, scope.as_of, found, nodes)
    order = {node: number for number, node in enumerate(nodes)}
    nodes.sort(key=lambda node: (contents[node].state not in UNREADABLE, order[node]))
    depths = found.everywhere()
    inputs = tuple([_held(grouped, node, depths[node], contents[node]) for node in nodes])
    return {
        "inputs": inputs,
        "unreadable": sum(1 for each in inputs if each.state in UNREADABLE),
        **{
            state: tuple([each.ref for each in inputs if each.state == state])
            for state in STATES
            if state != "present"
        },
    }


def _held(grouped: Grouped, node: int, depth: int, content: Content) -> Held:
    known = {tie: grouped.ties[tie][node] for tie in (*TIES, UNTOLD) if node in grouped.ties[tie]}
    best = max(each.evidence for each in known.values())
    return Held(
        ref=content.ref,
        state=content.state,
        links=tuple(known),
        evidence=EVIDENCE_WORD[best],
        depth=depth,
        bodies=content.bodies,
        proved=content.proved if content.state in UNREADABLE else (),
    )


def _told(graph: Expired) -> Iterator[str]:
    refs = listed([target.ref for target in graph.targets])
    if not graph.inputs:
        none = f"No input of {refs}{as_a_whole(graph)}"
        yield nothing(graph, none, ", so there is none to be read; inputs-of says why")
        return
    left = len(graph.inputs) - graph.unreadable
    inputs = at_least(graph) + counted(len(graph.inputs), "input")
    yield f"Of {inputs} of {refs} the log has content of {left:,}."
    gone = [each for each in graph.inputs if each.state in ("deleted", "expired", "deletion_requested")]
    yield from (_gone(each) for each in gone[:TOLD])
    if len(gone) > TOLD:
        yield f"{counted(len(gone) - TOLD, 'more deletion')} in the answer."
    if graph.partial:
        yield f"Captured in part only: {listed(graph.partial)}."
    if graph.never_captured:
        yield f"Never captured, though it was there: {listed(graph.never_captured)}."
    if graph.not_recorded:
        yield f"Named, and no content of it was ever sent to Clew: {listed(graph.not_recorded)}."
    yield from part_told(graph.part)


def _gone(each: Held) -> str:
    """When, by whom, under which policy, why; and what still stands."""
    deletion = next((body.deletion for body in each.bodies if body.deletion), None)
    by = f" by {deletion.by}" if deletion and deletion.by else ""
    under = f" under {deletion.policy}" if deletion and deletion.policy else ""
    when = (deletion.done or deletion.requested) if deletion else ""
    on = f" on {when}" if when else ""
    why = f" ({deletion.reason_class})" if deletion and deletion.reason_class else ""
    if each.state == "deletion_requested" and deletion and deletion.done:
        return f"{each.ref} is said to be deleted{on}{by}{under}{why}; it is still here."
    if each.state == "deletion_requested":
        return f"The deletion of {each.ref} was asked for{on}{by}{under}{why}, and is not reported as done."
    proved = "; ".join(PROOFS[proof] for proof in each.proved)
    return f"{each.ref} was deleted{on}{by}{under}{why}. Still provable: {proved}. No longer: what it said."


def _now_told(answer: Answer[Expired]) -> Iterator[str]:
    """What differs now from what the log had then, and what a hold keeps."""
    inputs = {each.ref: each for each in answer.graph.inputs}
    bodies = [body for body in answer.availability.bodies if body.ref in inputs]
    yield from held_told(msgspec.structs.replace(answer.availability, bodies=tuple(bodies)))
    here = {body.ref for body in bodies if body.state in _HERE}
    gone = sorted({body.ref for body in bodies if _gone_since(body, inputs[body.ref])} - here)
    if gone:
        yield f"Deleted since then, so that it can't be read now: {listed(gone)}."
    back = sorted(ref for ref in here if inputs[ref].state in UNREADABLE)
    if back:
        yield f"Brought again since then, so that it can be read now: {listed(back)}."
    ending = sorted(
        {f"{body.ref} (from {body.expires})" for body in bodies if body.expires and not body.hold}
    )
    if ending:
        yield f"Readable for a time only: {listed(ending)}."


def _gone_since(body: BodyNow, held: Held) -> bool:
    return body.state == "deleted" and held.state not in UNREADABLE
