"""Whether content can still be read, as the log has it, and what can still be proved when it can't.

Ways not to be readable are told apart: deleted on request, expired, asked to be deleted (and perhaps still
there), never captured, never recorded at all, and hidden from the reader. A part is readable, and is not the
whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from provmodel import names
from provmodel.events import ContentDeleted
from queries.building import Found
from queries.graph import RESTRICTED, Graph

State = Literal[
    "present",
    "partial",
    "deletion_requested",
    "deleted",
    "expired",
    "never_captured",
    "not_recorded",
    "hidden",
]
STATES: tuple[State, ...] = (
    "present",
    "partial",
    "deletion_requested",
    "deleted",
    "expired",
    "never_captured",
    "not_recorded",
    "hidden",
)
"""The most that can be read first."""
UNREADABLE = frozenset({"deleted", "expired", "never_captured", "not_recorded", "hidden"})
EXPIRED = "expired"
"""The reason class of a deletion whose time had come."""

Proof = Literal["use", "digest", "tag", "values", "size"]
PROOFS: Mapping[Proof, str] = {
    "use": "that it was there, and what used it",
    "digest": "by its SHA-256, that a copy is the same",
    "tag": "by its keyed tag, that a copy is the same, while the tenant's key is kept",
    "values": "by keyed tags, that values in it are those that stand elsewhere in the run",
    "size": "how long it was",
}
"""What stays provable of content that can't be read, in words."""


class Deletion(msgspec.Struct, frozen=True, omit_defaults=True):
    """One deletion of a body: when, under which policy, by whom, for which class of reason, from where.
    ``done`` is "" while it is only requested; it is what is said, whether or not a hold kept the body."""

    event: int
    requested: str = ""
    done: str = ""
    policy: str = ""
    by: str = ""
    reason_class: str = ""
    places: tuple[str, ...] = ()


class BodyThen(msgspec.Struct, frozen=True, omit_defaults=True):
    """A body as the log has it."""

    body: str
    state: State
    deletion: Deletion | None = None


class Content(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of one node: the best ``state`` of its bodies, and what can still be ``proved`` of it."""

    ref: str
    state: State
    bodies: tuple[BodyThen, ...] = ()
    proved: tuple[Proof, ...] = ()


def contents_of(graph: Graph, as_of: int, found: Found, nodes: Sequence[int]) -> dict[int, Content]:
    """The content of these nodes, which the walk found."""
    gone = _deletions(found)
    then = {node: _bodies(found, node, gone) for node in nodes}
    states = {node: _state(found, node, bodies) for node, bodies in then.items()}
    tags = _tags(graph, as_of, [node for node in nodes if states[node] in UNREADABLE and then[node]])
    return {
        node: Content(found.ref(node), states[node], bodies, _proved(found.ref(node), tags.get(node, set())))
        if states[node] != "hidden"
        else Content(found.ref(node), "hidden")
        for node, bodies in then.items()
    }


def _deletions(found: Found) -> dict[str, Deletion]:
    """By body: the deletion that is done, else the first that is requested."""
    by_body: defaultdict[str, list[Deletion]] = defaultdict(list)
    for row in found.around.bodies:
        report = found.around.reports.get(row.source)
        event = report.event if report else None
        if report and isinstance(event, ContentDeleted):
            by_body[event.body].append(
                Deletion(
                    event=report.seq,
                    requested=event.requested or "",
                    done=event.done or "",
                    policy=event.policy or "",
                    by=names.agent(event.actor) if event.actor else "",
                    reason_class=event.reason_class or "",
                    places=event.places,
                )
            )
    return {body: min(each, key=lambda one: (not one.done, one.event)) for body, each in by_body.items()}


def _bodies(found: Found, node: int, gone: Mapping[str, Deletion]) -> tuple[BodyThen, ...]:
    rows = found.told.get(node, ())
    captured: State = "partial" if _said(found, node, "partial") else "present"
    bodies = sorted({row.value for row in rows if row.name == "clew:body"})
    kept = found.around.kept
    return tuple([_body(body, captured, gone.get(body), body in kept) for body in bodies])


def _body(body: str, captured: State, deletion: Deletion | None, kept: bool) -> BodyThen:
    if deletion is None:
        return BodyThen(body, captured)
    if kept or not deletion.done:
        return BodyThen(body, "deletion_requested", deletion)
    return BodyThen(body, "expired" if deletion.reason_class == EXPIRED else "deleted", deletion)


def _state(found: Found, node: int, bodies: Iterable[BodyThen]) -> State:
    known = [body.state for body in bodies]
    if found.infos[node].kind == RESTRICTED:
        return "hidden"
    if known:
        return min(known, key=STATES.index)
    if _said(found, node, "partial"):
        return "partial"
    return "never_captured" if _said(found, node, "never_captured") else "not_recorded"


def _said(found: Found, node: int, state: str) -> bool:
    return any(row.name == "clew:bodyState" and row.value == state for row in found.told.get(node, ()))


def _tags(graph: Graph, as_of: int, nodes: Sequence[int]) -> dict[int, set[str]]:
    """What was computed of the bodies of these nodes when they arrived, and outlives them."""
    found: defaultdict[int, set[str]] = defaultdict(set)
    said = graph.attributes(nodes, as_of, ("clew:body",)) if nodes else {}
    events = sorted({row.event for rows in said.values() for row in rows})
    reports = graph.events(events, as_of) if events else {}
    for node, rows in said.items():
        for row in rows:
            report = reports.get(row.event)
            for item in report.computed if report else ():
                if item.body == row.value:
                    found[node].add("size")
                    if item.values or item.tokens:
                        found[node].add("values")
    return found


def _proved(ref: str, computed: set[str]) -> tuple[Proof, ...]:
    """What can be proved, in a fixed order; that it was used always can."""
    pin = names.split(ref).pin
    by_pin = {"sha256": "digest", "tag": "tag"}.get(pin, "")
    return tuple([proof for proof in PROOFS if proof == "use" or proof == by_pin or proof in computed])
