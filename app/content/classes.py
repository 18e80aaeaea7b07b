"""The class of a body: what kind of content it is, which later decides how long it is kept.

=============  =========================================================================================
class          bodies =============
========================================================================================= message
what a model, an agent or a step was sent and gave instruction    what stood as an instruction of a model
call arguments      arguments as proposed, shown, authorized and executed result         what a tool
returned record         what a tool or verifier read, a record or document within a result, what something
was made from *scheme*       content referred to under a scheme that is public by nature: skill, prompt,
file, report, ... *kind*         the body of an artifact version: its ``class``, else its ``kind``
=============  =========================================================================================
"""

from __future__ import annotations

from provmodel.events import (
    ActionProposed,
    ArtifactVersion,
    AuthorizationDecided,
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


def class_of(event: Envelope, ref: str | None, where: str) -> str:
    """The class of the body at ``where`` in ``event``; ``ref`` is the reference whose content it is, if it
    is one's.
    """
    if isinstance(event, ArtifactVersion) and not where:
        return event.class_ or event.kind
    scheme = ref.partition(":")[0].lower() if ref else ""
    if scheme in PUBLIC_SCHEMES:
        return scheme
    _, field, *inside = where.split("/")
    return "record" if "members" in inside else BY_PLACE[type(event), field]
