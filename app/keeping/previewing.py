"""What would be deleted, and what could then no longer be checked: its impact on the graph, not rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from app.ledger.retaining import Kept
from app.service import Service
from queries.graph import Unchecked

LOOKED_AT = 500
"""References whose effects are looked for at most; the rest is told as unchecked."""

AT_A_TIME = 50

Going = list[tuple[Kept, str]]
"""Bodies, each with the name of the policy that lets it go; "" when it is asked for."""


class Due(msgspec.Struct, frozen=True):
    """Bodies of one class that one policy lets go, or ("") that would be deleted on request."""

    policy: str
    cls: str = msgspec.field(name="class")
    bodies: int
    bytes: int


class Unproved(msgspec.Struct, frozen=True):
    """A written version that could no longer be re-checked against the ``input`` that it came from."""

    ref: str
    kind: str
    input: str


class Preview(msgspec.Struct, frozen=True):
    """What would go now: bodies by policy and class, and how many a hold keeps.

    ``inputs`` are the references that would lose their content, ``names`` those that would lose the name that
    they are known by, and ``reports`` what came from the inputs and could no longer be re-checked against
    them. ``backups`` are copies that would go on holding it. ``unchecked`` says what was not looked at.
    """

    due: list[Due]
    held: int
    inputs: list[str]
    names: list[str]
    reports: list[Unproved]
    backups: list[str]
    unchecked: list[Unchecked]


def preview(service: Service, ref: str = "") -> Preview:
    """Look at what a sweep, or the deletion of a reference, would take; nothing is changed.

    Raises what :meth:`app.service.Service.there` does.
    """
    counts: dict[tuple[str, str], list[int]] = {}
    held = 0
    inputs: set[str] = set()
    named: set[str] = set()
    for page in _pages(service, ref):
        holding = service.retention.held([body.body for body, _ in page])
        held += len(holding)
        going = [(body, policy) for body, policy in page if body.body not in holding]
        for body, policy in going:
            count = counts.setdefault((policy, body.cls), [0, 0])
            count[0] += 1
            count[1] += body.size
        bodies = [body.body for body, _ in going]
        inputs.update(service.retention.holders(bodies))
        named.update(service.retention.labelled(bodies))
    listed = sorted(inputs)
    reports, unchecked = _reports(service, listed)
    due = [Due(policy, cls, *count) for (policy, cls), count in sorted(counts.items())]
    backups = [copy.told() for copy in service.ledger.backups()] if due else []
    return Preview(due, held, listed, sorted(named), reports, backups, unchecked)


def _pages(service: Service, ref: str) -> Iterable[Going]:
    if ref:
        yield [(body, "") for body in service.there(ref)]
        return
    for page in service.retention.due():
        yield [(body, policy.policy) for body, policy in page]


def _reports(service: Service, inputs: Sequence[str]) -> tuple[list[Unproved], list[Unchecked]]:
    """The written versions that came from these inputs, and are not deleted themselves."""
    found: dict[str, Unproved] = {}
    unchecked = []
    for start in range(0, min(len(inputs), LOOKED_AT), AT_A_TIME):
        some = inputs[start : start + AT_A_TIME]
        graph = service.ask("impact-of", {"target": list(some)}).answer.graph
        for one in graph.affected:
            if one.standing in ("survivor", "superseded"):
                found.setdefault(one.ref, Unproved(one.ref, one.kind, one.nearest or some[0]))
        if graph.truncated:
            why = "the walk was cut; ask impact-of with a greater max_nodes"
            unchecked.append(Unchecked(f"all that came from {some[0]} and those after it", why))
    if len(inputs) > LOOKED_AT:
        left = f"what came from {len(inputs) - LOOKED_AT} more references"
        unchecked.append(Unchecked(left, f"only the first {LOOKED_AT} are looked at"))
    return [found[ref] for ref in sorted(found)], unchecked
