"""What every answer holds: the completeness contract (design, section 4), as frozen structs with one JSON
form.

An :class:`Answer` has two parts. ``graph`` is fixed by as_of, parameters and version, ordered by depth and
reference, and reproduced byte for byte. ``availability`` is of now, and stamped. A question adds its own
keys by a subclass of :class:`Graphed`::

    class Who(Graphed, frozen=True, kw_only=True):
        writes: tuple[Write, ...] = ()

    Answer(question="who-authorized", graph=Who(as_of=.., ...), availability=...)

and gets the common ones from :func:`queries.building.common` (after a walk) or fills them by itself.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from provmodel.evidence import ORDER
from queries.graph import Frontier, Gap, Unchecked
from queries.links import Edge as Edge  # noqa: PLC0414 - part of every answer
from queries.links import Stated as Stated  # noqa: PLC0414
from queries.policy import Policy


class Mark(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Something recorded *about* a node, and the event that says so.

    ``kind`` is retracted, withdrawn, verified, deleted, notice, conflict, placeholder, unpinned or hub;
    ``verdict`` qualifies it (confirmed_failed, cancelled, ...); ``by`` is the asserter; ``event`` the seq (0
    when no single event says it). On a folded node ``of`` is the member that it stands on.
    """

    kind: str
    verdict: str = ""
    by: str = ""
    time: str = ""
    reason: str = ""
    event: int = 0
    evidence: str = ""
    ref: str = ""
    of: str = ""


class Node(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A node reached: its reference, PROV kinds, type (``clew:ModelCall``), and depth in activities from
    the start. One that is folded stands for ``members`` nodes of this page, between which ``inner`` edges
    run, and ``inner_listed`` conditions and responsibilities.
    """

    ref: str
    kinds: tuple[str, ...]
    depth: int
    type: str = ""
    marks: tuple[Mark, ...] = ()
    members: int = 0
    inner: int = 0
    inner_listed: int = 0


class Target(msgspec.Struct, frozen=True):
    """What was asked, the node it stands for, how it was found (exact, newest, suffix, about), and the other
    versions. One found by what a ``record`` is about, such as a retraction, names that.
    """

    asked: str
    ref: str
    found: str
    others: tuple[str, ...] = ()
    record: str = ""


class EvidenceUsed(msgspec.Struct, frozen=True):
    """The set of evidence that edges had to have, and the published order by which a path is summed up."""

    set: tuple[str, ...]
    order: tuple[str, ...] = ORDER


class Path(msgspec.Struct, frozen=True):
    """The best path between a target and what was found: refs from cause to effect, and its weakest edge's
    evidence.
    """

    refs: tuple[str, ...]
    evidence: str


class Graphed(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an answer that is reproduced byte for byte; questions subclass it to add their keys.

    ``complete`` is True only when nothing is known to be missing: not truncated, no gap, nothing unchecked,
    no frontier. ``frontier`` names where the walk stopped and why; ``cursor`` goes on from there ("" when
    there is no more). A page that goes on from another, and an answer narrowed by evidence, policy, agent or
    time, is never complete: ``unchecked`` says so. ``conditions`` are control edges one step off (prompts,
    policies, grants); ``responsible`` those to agents.
    """

    as_of: int
    policy: Policy
    evidence: EvidenceUsed
    targets: tuple[Target, ...]
    runs: tuple[str, ...] = ()
    nodes: tuple[Node | str, ...] = ()
    edges: tuple[Edge, ...] = ()
    conditions: tuple[Edge, ...] = ()
    responsible: tuple[Edge, ...] = ()
    complete: bool = False
    truncated: bool = False
    frontier: tuple[Frontier, ...] = ()
    gaps: tuple[Gap, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
    cursor: str = ""


class BodyNow(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A body as it is now: present, partial, never_captured or deleted. ``size`` in bytes.

    ``expires`` is when retention lets it go, ``hold`` why it is kept all the same.
    """

    ref: str
    body: str
    state: str
    media_type: str
    size: int
    expires: str = ""
    hold: str = ""


class Availability(msgspec.Struct, frozen=True):
    """What can be read now; ``at`` is the RFC 3339 time of looking."""

    at: str
    bodies: tuple[BodyNow, ...] = ()


G = TypeVar("G", bound=Graphed)


class Answer(msgspec.Struct, Generic[G], frozen=True):
    """An answer to one question."""

    question: str
    graph: G
    availability: Availability


_encoder = msgspec.json.Encoder()


def encode(answer: Answer[Any]) -> bytes:
    """The answer as JSON; fields in the order of the structs."""
    return _encoder.encode(answer)


def contract(answer: Answer[Any]) -> dict[str, Any]:
    """How far an answer goes and what can be read now, without what it found: as plain values."""
    graph = answer.graph
    kept = {name: getattr(graph, name) for name in ("complete", "truncated", "gaps", "unchecked")}
    now = msgspec.to_builtins(answer.availability)
    return {"question": answer.question, "graph": msgspec.to_builtins(kept), "availability": now}
