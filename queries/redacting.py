"""Events as a reader sees them who may not see all that they name.

An event about a hidden node is withheld. Of one that only names it the name is replaced, and of the object
that carries the name no more is left than its place.
"""

from __future__ import annotations

from typing import Any

import msgspec

from provmodel.errors import ClewError
from provmodel.events import (
    ActionProposed,
    AdoptionDecided,
    ArtifactVersion,
    AuthorizationDecided,
    ContentCaptured,
    Delegated,
    Derived,
    Envelope,
    ModelCall,
    Retracted,
    RunEnded,
    RunStarted,
    Span,
    ToolCall,
    Verification,
)
from queries.graph import Report
from queries.hiding import Hiding

_SUBJECTS: dict[type[Envelope], str] = {
    ActionProposed: "action",
    AdoptionDecided: "decision",
    ArtifactVersion: "ref",
    AuthorizationDecided: "decision",
    Delegated: "delegation",
    Derived: "to",
    ModelCall: "call",
    Retracted: "what",
    RunEnded: "run",
    RunStarted: "run",
    Span: "span",
    ToolCall: "attempt",
    Verification: "verification",
}
"""The field of an event that names what it is about."""

_LEFT = frozenset({"pointer", "kind", "mode", "position", "output", "source", "id"})
"""What is left of an object that names a hidden node: where it stands, and what it can't be without."""


def redacted(report: Report, hiding: Hiding) -> Report | None:
    """The report without what is hidden; None when nothing of it is left."""
    cover = _Cover(hiding)
    plain = cover.value(msgspec.to_builtins(report.event), "")
    if not cover.found:
        return report
    subject = _subject(report.event)
    event = None if subject and hiding.hides(subject) else _event(plain, type(report.event))
    if event is None:
        return None
    computed = tuple(
        one for one in report.computed if not any(one.where.startswith(place) for place in cover.stripped)
    )
    return report._replace(event=event, computed=computed)


def names_hidden(value: Any, hiding: Hiding) -> bool:
    """Whether plain values (JSON) name a hidden node."""
    cover = _Cover(hiding)
    cover.value(value, "")
    return cover.found


def covered(value: Any, hiding: Hiding) -> Any:
    """Plain values with the names of hidden nodes replaced, and the objects stripped that carry them."""
    return _Cover(hiding).value(value, "")


def _subject(event: Envelope) -> str | None:
    """What an event is about."""
    if isinstance(event, ContentCaptured):
        return event.content.ref
    field = _SUBJECTS.get(type(event))
    subject = getattr(event, field) if field else None
    return subject if isinstance(subject, str) else None


def _event(plain: Any, kind: type[Envelope]) -> Envelope | None:
    try:
        return msgspec.convert(plain, kind)
    except (msgspec.ValidationError, ClewError):  # it can't be without what was taken out
        return None


class _Cover:
    """Goes through plain values; ``stripped`` are the JSON pointers of objects of which parts were taken."""

    def __init__(self, hiding: Hiding) -> None:
        self._hiding = hiding
        self.found = False
        self.stripped: list[str] = []

    def value(self, value: Any, where: str) -> Any:
        if isinstance(value, str):
            shown = self._hiding.covered(value)
            self.found = self.found or shown != value
            return shown
        if isinstance(value, list | tuple):
            return [self.value(item, f"{where}/{index}") for index, item in enumerate(value)]
        if isinstance(value, dict):
            return self._object(value, where)
        return value

    def _object(self, value: dict[str, Any], where: str) -> dict[str, Any]:
        inside = {
            self.value(name, where): self.value(item, f"{where}/{name}") for name, item in value.items()
        }
        named = {name for name, item in inside.items() if isinstance(item, str) and item != value.get(name)}
        if not where or not named:
            return inside
        self.stripped.append(where)
        return {name: item for name, item in inside.items() if name in named or name in _LEFT}
