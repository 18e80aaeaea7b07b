"""The class of a body: what kind of content it is, by which it is decided how long it is kept.

* message: what a model, an agent or a step was sent and gave
* instruction: what stood as an instruction of a model call
* arguments: arguments as proposed, shown, authorized and executed
* result: what a tool returned
* record: what a tool or verifier read, a record or document within a result, what something was made from
* profile: the name that people know a person or thing by
* reason: why something was deleted, in words
* skill, prompt, file, report, ...: content referred to under a scheme that is public by nature
* the body of an artifact version has the version's ``class``, else its ``kind``
"""

from __future__ import annotations

from provmodel.events import (
    ActionProposed,
    ArtifactVersion,
    AuthorizationDecided,
    ContentCaptured,
    ContentDeleted,
    Delegated,
    Derived,
    Envelope,
    ModelCall,
    RunEnded,
    Span,
    ToolCall,
    Verification,
)
from provmodel.names import PUBLIC_SCHEMES

PROFILE = "profile"
REASON = "reason"
_TOLD_BY_SCHEME = frozenset({"message", "result"})

BY_PLACE: dict[tuple[type[Envelope], str], str] = {
    (ModelCall, "inputs"): "message",
    (ModelCall, "context"): "message",
    (ModelCall, "instructions"): "instruction",
    (ModelCall, "outputs"): "message",
    (ActionProposed, "arguments"): "arguments",
    (AuthorizationDecided, "shown"): "arguments",
    (AuthorizationDecided, "authorized"): "arguments",
    (ToolCall, "arguments"): "arguments",
    (ToolCall, "reads"): "record",
    (ToolCall, "results"): "result",
    (Verification, "expected"): "record",
    (Verification, "observed"): "record",
    (ArtifactVersion, "members"): "record",
    (Delegated, "inputs"): "message",
    (Derived, "from"): "record",
    (RunEnded, "outputs"): "message",
    (Span, "inputs"): "message",
    (Span, "outputs"): "message",
}
"""The class of a body by the event and the field under which it stands."""


RETENTION_LABEL = "retention"
"""The attribute by which a producer labels a version or step for retention."""


def kind_of(event: Envelope, ref: str | None) -> str:
    """What kind of thing a body belongs to: an artifact version's own, else the scheme of the reference."""
    if isinstance(event, ArtifactVersion) and ref is None:
        return event.kind
    return ref.partition(":")[0].lower() if ref and ":" in ref else ""


def label_of(event: Envelope) -> str | None:
    """The label that retention may choose by."""
    label = (getattr(event, "attributes", None) or {}).get(RETENTION_LABEL)
    if isinstance(event, ContentCaptured):
        return event.label
    return label if isinstance(label, str) else None


def _captured(ref: str | None) -> str:
    """Content that came apart is of the class that its reference tells, else a record."""
    scheme = ref.partition(":")[0].lower() if ref else ""
    return scheme if scheme in PUBLIC_SCHEMES or scheme in _TOLD_BY_SCHEME else "record"


def class_of(event: Envelope, ref: str | None, where: str) -> str:
    """The class of the body at ``where`` in ``event``; ``ref`` is the reference whose content it is, if it
    is one's.
    """
    if isinstance(event, ArtifactVersion) and not where:
        return event.class_ or event.kind
    if isinstance(event, ContentDeleted):
        return REASON
    if isinstance(event, ContentCaptured):
        return PROFILE if event.as_ == "label" else _captured(ref)
    scheme = ref.partition(":")[0].lower() if ref else ""
    if scheme in PUBLIC_SCHEMES:
        return scheme
    _, field, *inside = where.split("/")
    return "record" if "members" in inside else BY_PLACE[type(event), field]
