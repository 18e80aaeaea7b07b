"""What a producer may report: one Struct an event (model, section 4).

The same Structs decode the wire, are kept in the log, and give OpenAPI its JSON Schema. Unknown fields are
refused, so that nothing is dropped in silence. Lengths are in characters, times are RFC 3339 with a zone,
digests lower-case hex.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

Id = Annotated[
    str, Meta(min_length=1, max_length=2048, description="An id or reference, unique in the tenant.")
]
Word = Annotated[str, Meta(min_length=1, max_length=256)]
Text = Annotated[str, Meta(max_length=65536)]
TIME_PATTERN = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$"
Time = Annotated[
    str, Meta(pattern=TIME_PATTERN, description="RFC 3339 with zone.", examples=["2026-03-01T09:00:00Z"])
]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Evidence = Literal["verified", "observed", "declared", "inferred"]
AttributeValue = str | bool | Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | float
Attributes = dict[Word, AttributeValue | list[AttributeValue]]


class _Part(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """Base of what stands inside events."""


class Part(_Part, frozen=True):
    """A passage of a body: from ``start`` to before ``end`` in ``unit``; for a JSON pointer, ``start`` is the
    pointer.
    """

    start: Count | str
    end: Count | str | None = None
    unit: Literal["char", "byte", "line", "json-pointer"] = "char"


class Body(_Part, frozen=True):
    """Content carried by an event. It is taken out before the event is logged; the log keeps id, type and
    size.
    """

    id: Id | None = None
    media_type: Word | None = None
    text: str | UnsetType = UNSET
    base64: str | UnsetType = UNSET
    json: Any | UnsetType = UNSET
    size: Count | None = None


class Ref(_Part, frozen=True):
    """Something named with its version, and how it stood there."""

    ref: Id
    role: Word | None = None
    position: Count | None = None
    part: Part | None = None
    body: Body | None = None
    state: Literal["present", "partial", "never_captured"] | None = None


class Result(Ref, frozen=True):
    """What a tool returned; ``members`` are the records or documents in it."""

    members: tuple[Ref, ...] = ()


class Args(_Part, frozen=True):
    """Arguments: a body, or the keyed tags of a producer that must not send them (RFC 8785 form, one tag a
    JSON pointer).
    """

    body: Body | None = None
    alg: Word | None = None
    whole: Word | None = None
    by_pointer: dict[str, str] | None = None


class Write(_Part, frozen=True):
    """One thing that an attempt wrote. For a delete, ``ref`` names the version deleted."""

    ref: Id
    mode: Literal["create", "edit", "append", "replace", "delete", "send"]
    before: Id | None = None
    part: Part | None = None


class ContextOf(_Part, frozen=True):
    """A model call's context as a snapshot: its own id, the one it extends, what came in and what was left
    out.
    """

    id: Id
    extends: Id | None = None
    adds: tuple[Ref, ...] = ()
    omits: tuple[Id, ...] = ()


class Citation(_Part, frozen=True):
    """The model's own word that ``output`` rests on ``source``."""

    output: Id
    source: Id
    output_part: Part | None = None
    source_part: Part | None = None


class ArgumentSource(_Part, frozen=True):
    """Where one argument (by JSON pointer) came from, as the producer has it."""

    pointer: Annotated[str, Meta(max_length=2048)]
    kind: Literal["sourced", "assumed", "invented"]
    ref: Id | None = None
    source_pointer: str | None = None
    projection: Word | None = None


class Decider(_Part, frozen=True):
    """Who took a decision. ``authenticated_by`` names what checked the identity, when something did."""

    id: Id
    kind: Literal["person", "agent", "policy", "ledger", "default"]
    authenticated_by: Word | None = None


class PolicyRef(_Part, frozen=True):
    """The policy a decision stands on."""

    ref: Id
    rule: Word | None = None
    revision: Word | None = None


class Scope(_Part, frozen=True):
    """How far a grant reaches: this action once, listed calls, the same tool and object (sticky), or the run
    (session).
    """

    kind: Literal["once", "calls", "sticky", "session"]
    limit: Annotated[int, Meta(ge=1, le=2**63 - 1)] | None = None
    calls: tuple[Id, ...] = ()


class Valid(_Part, frozen=True):
    """When a grant holds; an absent end is open."""

    start: Time | None = msgspec.field(default=None, name="from")
    until: Time | None = None


class Hook(_Part, frozen=True):
    """One recording hook of a source and the event types that it covers."""

    name: Word
    covers: tuple[Word, ...]


class Member(_Part, frozen=True):
    """One thing in a run's environment: a skill, dependency, tool binding, policy profile, model or
    configuration.
    """

    ref: Id
    role: Word | None = None


class Environment(_Part, frozen=True):
    """What a run was set up with."""

    ref: Id
    members: tuple[Member, ...] = ()


class Read(_Part, frozen=True):
    """What a verifier read back, with the consistency it had and how long it waited (free text, e.g.
    ``PT2S``).
    """

    ref: Id
    consistency: Word | None = None
    waited: Word | None = None


class Envelope(
    msgspec.Struct,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="type",
    frozen=True,
):
    """What every event has. ``evidence`` may only lower what the event would earn by itself."""

    id: Id
    source: Id
    time: Time
    run: Id | None = None
    epoch: Word | None = None
    source_number: Annotated[int, Meta(ge=1, le=2**63 - 1)] | None = None
    evidence: Evidence | None = None
    asserter: Id | None = None


class SourceReported(Envelope, tag="source_reported", frozen=True):
    """A source of events says that it lives, how far it has numbered, what it dropped and what its hooks
    cover.
    """

    state: Literal["opened", "alive", "closed"]
    last_number: Count | None = None
    dropped: Count | None = None
    hooks: tuple[Hook, ...] | None = None


class RunStarted(Envelope, tag="run_started", frozen=True):
    """An agent's run began."""

    run: Id
    agent: Id
    task: Text | None = None
    task_version: Word | None = None
    round: Whole | None = None
    parent_run: Id | None = None
    delegation: Id | None = None
    on_behalf_of: Id | None = None
    trigger: Id | None = None
    environment: Environment | None = None
    mode: Literal["live", "fixed", "dry"] = "live"
    replay_of: Id | None = None


class RunEnded(Envelope, tag="run_ended", frozen=True):
    """A run ended, with what it gave."""

    run: Id
    status: Literal["completed", "failed", "stopped"]
    outputs: tuple[Ref, ...] = ()


class RunCancelled(Envelope, tag="run_cancelled", frozen=True):
    """Someone cancelled a run, or its task in an older version; grants may be withdrawn with it."""

    run: Id
    by: Id
    task_version: Word | None = None
    decisions: tuple[Id, ...] = ()


class ModelCall(Envelope, tag="model_call", frozen=True):
    """One call of a model: what entered the request, what came back."""

    call: Id
    model: Id
    agent: Id | None = None
    on_behalf_of: Id | None = None
    parent: Id | None = None
    started: Time | None = None
    ended: Time | None = None
    inputs: tuple[Ref, ...] = ()
    context: ContextOf | None = None
    instructions: tuple[Ref, ...] = ()
    tools: tuple[Id, ...] = ()
    outputs: tuple[Ref, ...] = ()
    citations: tuple[Citation, ...] = ()
    status: Word | None = None
    finish: Word | None = None


class ActionProposed(Envelope, tag="action_proposed", frozen=True):
    """An agent asks for an action: the candidate, with its arguments and where each came from."""

    action: Id
    tool: Id
    arguments: Args
    call: Id | None = None
    tool_binding: Id | None = None
    stake: Word | None = None
    key: Word | None = None
    target: Id | None = None
    target_before: Id | None = None
    sources: tuple[ArgumentSource, ...] = ()


class AuthorizationDecided(Envelope, tag="authorization_decided", frozen=True):
    """Someone, or a policy, decided about an action or a scope."""

    decision: Id
    verdict: Literal["allow", "deny", "modify", "ask", "expired", "revoked"]
    decider: Decider
    action: Id | None = None
    scope: Scope | None = None
    policy: PolicyRef | None = None
    capability: Id | None = None
    shown: Args | None = None
    authorized: Args | None = None
    object: Id | None = None
    valid: Valid | None = None
    replaces: Id | None = None
    reason: Text | None = None


class ToolCall(Envelope, tag="tool_call", frozen=True):
    """An attempt: the execution of a tool, not the request for it."""

    attempt: Id
    tool: Id
    outcome: Literal["accepted", "completed", "failed", "unknown"]
    action: Id | None = None
    parent: Id | None = None
    tool_binding: Id | None = None
    decision: Id | None = None
    key: Word | None = None
    attempt_number: Annotated[int, Meta(ge=1, le=2**63 - 1)] | None = None
    retry_of: Id | None = None
    task_version: Word | None = None
    arguments: Args | None = None
    started: Time | None = None
    ended: Time | None = None
    error: Text | None = None
    http_status: Annotated[int, Meta(ge=100, le=599)] | None = None
    handle: Word | None = None
    reads: tuple[Ref, ...] = ()
    results: tuple[Result, ...] = ()
    writes: tuple[Write, ...] = ()


class Verification(Envelope, tag="verification", frozen=True):
    """Someone looked whether an action, attempt, write or version really took effect."""

    verification: Id
    subject: Id
    method: Word
    verdict: Literal["confirmed", "confirmed_failed", "unconfirmed"]
    read: Read | None = None
    expected: Args | None = None
    observed: Args | None = None
    attempt: Id | None = None


class ArtifactVersion(Envelope, tag="artifact_version", frozen=True):
    """A version of a thing exists: a file, document, skill, prompt, report, dataset, ..."""

    ref: Id
    kind: Word
    thing: Id | None = None
    mode: Literal["create", "edit", "append", "replace"] | None = None
    before: Id | None = None
    made_by: Id | None = None
    members: tuple[Ref, ...] = ()
    media_type: Word | None = None
    size: Count | None = None
    class_: Word | None = msgspec.field(default=None, name="class")
    label: Text | None = None
    attributes: Attributes | None = None
    body: Body | None = None


class Delegated(Envelope, tag="delegated", frozen=True):
    """One run handed a task to another, with the inputs it sent along."""

    delegation: Id
    from_run: Id
    to_run: Id
    agent: Id
    inputs: tuple[Ref, ...] = ()
    permissions: tuple[Id, ...] = ()
    task: Text | None = None
    task_version: Word | None = None
    round: Whole | None = None


class AdoptionDecided(Envelope, tag="adoption_decided", frozen=True):
    """A draft (of a sub-agent, say) was adopted or not; ``accepted`` names what it became in the parent's
    hands.
    """

    decision: Id
    draft: Id
    verdict: Literal["adopted", "rejected", "superseded", "expired", "cancelled"]
    decided_by: Id | None = None
    accepted: Id | None = None
    parts: tuple[Part, ...] = ()
    reason: Text | None = None


class Derived(Envelope, tag="derived", frozen=True):
    """Something was made from something: a transformation, an extraction, an analyst's finding."""

    to: Id
    from_: tuple[Ref, ...] = msgspec.field(name="from")
    method: Word
    tool: Id | None = None
    tool_version: Word | None = None
    rerunnable: bool = False
    parts: tuple[Part, ...] = ()


class Retracted(Envelope, tag="retracted", frozen=True):
    """Someone takes back a version, thing, agent, model or source; ``withdraws`` takes back a retraction."""

    what: Id
    by: Id
    reason: Text | None = None
    replaced_by: Id | None = None
    effective_from: Time | None = None
    withdraws: Id | None = None


class ContentDeleted(Envelope, tag="content_deleted", frozen=True):
    """A body was deleted; ``done`` only when it is gone from every place named."""

    body: Id
    policy: Id | None = None
    actor: Id | None = None
    reason_class: Word | None = None
    reason: Body | None = None
    requested: Time | None = None
    done: Time | None = None
    places: tuple[Word, ...] = ()


class ContentCaptured(Envelope, tag="content_captured", frozen=True):
    """The content of something came apart from the event that named it; ``as`` label, it is its name."""

    content: Ref
    as_: Literal["content", "label"] = msgspec.field(default="content", name="as")
    label: Word | None = None


class Span(Envelope, tag="span", frozen=True):
    """A step of a foreign trace that is neither a model call nor a tool call (a chain, a retriever's wrapper,
    a guardrail).

    ``kind`` is kept as the trace has it. ``informed_by`` are span links: communication, never data use.
    """

    span: Id
    kind: Word
    name: Text | None = None
    parent: Id | None = None
    agent: Id | None = None
    informed_by: tuple[Id, ...] = ()
    started: Time | None = None
    ended: Time | None = None
    status: Word | None = None
    inputs: tuple[Ref, ...] = ()
    outputs: tuple[Ref, ...] = ()
    attributes: Attributes | None = None


Event = (
    SourceReported
    | RunStarted
    | RunEnded
    | RunCancelled
    | ModelCall
    | ActionProposed
    | AuthorizationDecided
    | ToolCall
    | Verification
    | ArtifactVersion
    | Delegated
    | AdoptionDecided
    | Derived
    | Retracted
    | ContentDeleted
    | ContentCaptured
    | Span
)

TYPES: dict[str, type[Envelope]] = {
    str(kind.__struct_config__.tag): kind for kind in Envelope.__subclasses__()
}

_PLURALS = {
    "source_reported": "source-reports",
    "run_started": "run-starts",
    "run_ended": "run-ends",
    "run_cancelled": "run-cancellations",
    "action_proposed": "action-proposals",
    "authorization_decided": "authorization-decisions",
    "delegated": "delegations",
    "adoption_decided": "adoption-decisions",
    "derived": "derivations",
    "retracted": "retractions",
    "content_deleted": "content-deletions",
    "content_captured": "content-captures",
}


def plural(tag: str) -> str:
    """What several events of a type are called, as in ``/v1/tool-calls``."""
    return _PLURALS.get(tag, f"{tag.replace('_', '-')}s")
