"""What a sweep would delete, and what could then no longer be checked: its impact on the graph, not rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from queries.graph import Unchecked

if TYPE_CHECKING:
    from app.service.service import Service

LOOKED_AT = 500
"""References whose effects are looked for at most; the rest is told as unchecked."""

AT_A_TIME = 50


class Due(msgspec.Struct, frozen=True):
    """Bodies of one class that one policy lets go."""

    policy: str
    cls: str = msgspec.field(name="class")
    bodies: int
    bytes: int


class Preview(msgspec.Struct, frozen=True):
    """What would go now: bodies by policy and class, and how many a hold keeps.

    ``inputs`` are the references that would lose their content, ``reports`` what came from them and could no
    longer be re-checked against it. ``unchecked`` says what was not looked at.
    """

    due: list[Due]
    held: int
    inputs: list[str]
    reports: list[str]
    unchecked: list[Unchecked]


def preview(service: Service) -> Preview:
    """Look at what is due; nothing is changed."""
    counts: dict[tuple[str, str], list[int]] = {}
    held = 0
    inputs: set[str] = set()
    for page in service.retention.due():
        holding = service.retention.held([body.body for body, _ in page])
        held += len(holding)
        going = [(body, policy) for body, policy in page if body.body not in holding]
        for body, policy in going:
            count = counts.setdefault((policy.policy, body.cls), [0, 0])
            count[0] += 1
            count[1] += body.size
        inputs.update(service.retention.holders([body.body for body, _ in going]))
    listed = sorted(inputs)
    reports, unchecked = _reports(service, listed)
    due = [Due(policy, cls, *count) for (policy, cls), count in sorted(counts.items())]
    return Preview(due, held, listed, reports, unchecked)


def _reports(service: Service, inputs: Sequence[str]) -> tuple[list[str], list[Unchecked]]:
    """The written versions that came from these inputs."""
    found: set[str] = set()
    unchecked = []
    for start in range(0, min(len(inputs), LOOKED_AT), AT_A_TIME):
        asked = service.ask("impact-of", {"target": list(inputs[start : start + AT_A_TIME])})
        graph = asked.answer.graph
        found.update([*graph.survivors, *graph.superseded])
        if graph.truncated:
            why = "the walk was cut; ask impact-of with a greater max_nodes"
            unchecked.append(Unchecked(f"all that came from {inputs[start]} and those after it", why))
    if len(inputs) > LOOKED_AT:
        left = f"what came from {len(inputs) - LOOKED_AT} more references"
        unchecked.append(Unchecked(left, f"only the first {LOOKED_AT} are looked at"))
    return sorted(found), unchecked
