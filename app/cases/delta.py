"""What of an answer goes into a case, and how it differs from what the case has: pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from app.cases.forms import Changed, Delta, Found
from provmodel.evidence import ORDER
from queries.questions.impact_of import Affected

REPORT = "report"
_ARTIFACTS = frozenset({"clew:Artifact", "clew:Occurrence"})
_RANK = {word: rank for rank, word in enumerate((*ORDER, ""))}


def worked_on(affected: Iterable[Affected]) -> dict[str, Found]:
    """The reports and writes among what is affected, each as the best of its entries has it."""
    best: dict[str, Affected] = {}
    for entry in affected:
        if entry.standing or entry.kind == REPORT or entry.type in _ARTIFACTS:
            known = best.get(entry.ref)
            best[entry.ref] = entry if known is None else min(known, entry, key=_by_evidence)
    return {ref: found(entry) for ref, entry in best.items()}


def _by_evidence(entry: Affected) -> tuple[int, int, tuple[str, ...]]:
    return _RANK[entry.evidence], entry.steps, entry.path


def found(entry: Affected) -> Found:
    return Found(
        entry.kind,
        entry.standing,
        entry.nearest,
        entry.evidence,
        entry.steps,
        entry.path,
        entry.links,
        entry.tier,
    )


def delta(before: Mapping[str, Found], now: Mapping[str, Found], why: Mapping[str, str]) -> Delta:
    """How an answer differs from the one before, and why what is gone is; in the order of references."""
    return Delta(
        new=tuple(sorted(now.keys() - before.keys())),
        gone=tuple(sorted(before.keys() - now.keys())),
        changed=tuple(
            Changed(ref, differing(before[ref], now[ref]))
            for ref in sorted(before.keys() & now.keys())
            if before[ref] != now[ref]
        ),
        why={ref: why[ref] for ref in sorted(why)},
    )


def differing(was: Found, now: Found) -> dict[str, tuple[object, object]]:
    """The fields in which two differ."""
    one, other = msgspec.structs.asdict(was), msgspec.structs.asdict(now)
    return {name: (value, other[name]) for name, value in one.items() if value != other[name]}
