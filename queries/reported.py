"""What events of a run tell without a step of their own: what was derived in it, and versions that exist."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from provmodel.events import ArtifactVersion, Derived, Envelope
from queries.graph import Graph

TYPES = ("artifact_version", "derived")
MOST = 20_000
"""Reports of one run that are looked at."""
RUNS = 1000
"""Runs of which they are looked at."""

E = TypeVar("E", bound=Envelope)


class Reported(msgspec.Struct):
    """By run: ``derived`` is what was made from something, ``sources`` what it was made from, ``versions``
    what is only said to exist, by no step that made it; node ids. ``clipped`` says that there is more than
    was looked at."""

    derived: dict[int, set[int]] = {}
    sources: dict[int, set[int]] = {}
    versions: dict[int, set[int]] = {}
    clipped: bool = False


def reported_in(graph: Graph, as_of: int, runs: Iterable[int], most: int = MOST) -> Reported:
    """What the first ``most`` events of some runs report so; of the first ``RUNS`` runs by id."""
    wanted = sorted(runs)
    found = Reported(clipped=len(wanted) > RUNS)
    refs = graph.refs(wanted[:RUNS]) if wanted else {}
    for run in wanted[:RUNS]:
        told = graph.run_reports(refs[run], TYPES, as_of, most + 1)
        found.clipped = found.clipped or len(told) > most
        events = [report.event for report in told[:most]]
        found.derived[run] = _ids(graph, as_of, (e.to for e in _of(Derived, events)))
        found.sources[run] = _ids(graph, as_of, (s.ref for e in _of(Derived, events) for s in e.from_))
        unmade = (e.ref for e in _of(ArtifactVersion, events) if not e.made_by)
        found.versions[run] = _ids(graph, as_of, unmade)
    return found


def _of(kind: type[E], events: Iterable[Envelope]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def _ids(graph: Graph, as_of: int, refs: Iterable[str]) -> set[int]:
    wanted = list(dict.fromkeys(refs))
    return set(graph.ids(wanted, as_of).values()) if wanted else set()
