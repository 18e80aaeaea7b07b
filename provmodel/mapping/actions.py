"""Asked, allowed, tried and done: candidate action, decision, attempt, what it read, returned and wrote."""

from __future__ import annotations

from provmodel import names
from provmodel.events import (
    ActionProposed,
    Args,
    ArgumentSource,
    AuthorizationDecided,
    Decider,
    Ref,
    Result,
    ToolCall,
    Write,
)
from provmodel.evidence import Evidence
from provmodel.joining import Argument, Deletes, Executes, Made, Proposed, Revises, Tried, encode
from provmodel.mapping.calls import produced, reads
from provmodel.mapping.draft import ACTIVITY, ENTITY, Draft, passage
from provmodel.records import Records
from provmodel.relations import COMMUNICATION, DERIVATION, INVALIDATION, MEMBERSHIP, REVISION, Flow

GRANTS = frozenset({"allow", "modify"})
KEEPS_CONTENT = frozenset({"edit", "append"})


def action_proposed(draft: Draft, event: ActionProposed) -> Records:
    action = draft.node(event.action, ENTITY, "action")
    draft.describe(action, "clew:CandidateAction")
    tool = names.under("tool", event.tool)
    draft.attribute(action, "clew:tool", tool)
    draft.attribute(action, "clew:toolBinding", event.tool_binding)
    draft.attribute(action, "clew:stake", event.stake)
    draft.attribute(action, "clew:key", event.key)
    draft.attribute(action, "clew:target", event.target)
    draft.attribute(action, "clew:targetBefore", event.target_before)
    if event.call:
        draft.node(event.call, ACTIVITY, "call")
        draft.generated(action, event.call, "action")
    for source in event.sources:
        _source(draft, action, source)
    draft.attribute(action, "clew:tagAlg", event.arguments.alg)
    draft.body_at(action, "/arguments")
    _argument_values(draft, event)
    _offer_to_attempts(draft, event, tool)
    if event.run:
        draft.fact(f"run:{event.run}", "listed", action, "candidate")
    return draft.records(action)


def _source(draft: Draft, action: str, source: ArgumentSource) -> None:
    if source.kind != "sourced" or not source.ref:
        draft.attribute(action, f"clew:{source.kind}", source.pointer)
        return
    draft.node(source.ref, ENTITY, "sources/ref")
    more = [
        ("clew:pointer", source.pointer),
        ("clew:sourcePointer", source.source_pointer),
        ("clew:projection", source.projection),
    ]
    draft.relate(
        DERIVATION,
        action,
        source.ref,
        None,
        evidence=draft.best(Evidence.OBSERVED),
        role="argument",
        attributes=passage(None, more),
    )


def _argument_values(draft: Draft, event: ActionProposed) -> None:
    """Each argument looks for what held its value: in the call's own context, else earlier in the run."""
    run, moment = event.run or "", draft.moment()
    for pointer, tag, strong in _tags(draft, event.arguments, "/arguments"):
        need = Argument(event.action, pointer, strong, event.call or "", moment)
        draft.fact(f"value:{run}:{tag}", "need", event.action, encode(need))


def _tags(draft: Draft, arguments: Args, where: str) -> list[tuple[str, str, bool]]:
    """(pointer, tag, not guessable) of each argument; of tags that a producer sends, nothing is known but
    that they are equal.
    """
    computed = draft.computed.get(where)
    if computed:
        return [(pointer, value.tag, value.strong) for pointer, value in sorted(computed.values.items())]
    return [(pointer, tag, False) for pointer, tag in sorted((arguments.by_pointer or {}).items())]


def _whole(draft: Draft, arguments: Args | None, where: str) -> str:
    computed = draft.computed.get(where)
    return computed.whole if computed else (arguments.whole or "" if arguments else "")


def _offer_to_attempts(draft: Draft, event: ActionProposed, tool: str) -> None:
    offer = encode(Proposed(event.action, draft.moment()))
    for identifier in (event.key, _whole(draft, event.arguments, "/arguments")):
        if identifier:
            draft.fact(f"call:{event.run or ''}:{tool}:{identifier}", "offer", event.action, offer)


def authorization_decided(draft: Draft, event: AuthorizationDecided) -> Records:
    decision = draft.node(event.decision, ENTITY, "decision")
    authorization = draft.node(f"{decision};authorization", ACTIVITY, "decision")
    draft.describe(decision, "clew:Decision")
    draft.attribute(authorization, "prov:type", "clew:Authorization", "qname")
    draft.generated(decision, authorization, "decision", flow=Flow.CONTROL, time=event.time)
    calls = event.scope.calls if event.scope else ()
    for candidate in dict.fromkeys((*([event.action] if event.action else []), *calls)):
        draft.used(authorization, candidate, "action", role="candidate", flow=Flow.CONTROL)
    if event.policy:
        draft.used(authorization, event.policy.ref, "policy/ref", role="policy", flow=Flow.CONTROL)
    if event.capability:
        draft.used(authorization, event.capability, "capability", role="capability", flow=Flow.CONTROL)
    _decider(draft, event, authorization, decision)
    _terms_of(draft, event, decision)
    draft.part_of(authorization, event.run, "run")
    draft.concerns(decision, event.replaces, "replaces")
    return draft.records(decision, _lookup(event))


def _lookup(event: AuthorizationDecided) -> str:
    """The key under which a grant is found that reaches beyond the actions it names."""
    scope = event.scope.kind if event.scope else ""
    if scope == "sticky" and event.object:
        return f"sticky:{names.split(event.object).thing}"
    return f"session:{event.run}" if scope == "session" and event.run else ""


def decider_agent(decider: Decider) -> str:
    """The agent's reference of who decided."""
    kind = {"person": "person", "policy": "policy"}.get(decider.kind, "agent")
    return names.agent(decider.id, kind)


def authenticated(draft: Draft, decider: Decider) -> bool:
    """Whether the decider's identity was checked: his own credential delivered it, or one that may vouches
    for the check.
    """
    own = draft.principal.name in (decider.id, decider_agent(decider))
    return own or bool(decider.authenticated_by and draft.principal.vouches)


def _decider(draft: Draft, event: AuthorizationDecided, authorization: str, decision: str) -> None:
    sure = authenticated(draft, event.decider)
    evidence = draft.best(Evidence.OBSERVED) if sure else Evidence.DECLARED
    draft.associated(authorization, decider_agent(event.decider), "decider/id", evidence=evidence)
    draft.attribute(
        decision, "clew:authentication", "authenticated" if sure else "claimed", evidence=evidence
    )
    draft.attribute(decision, "clew:deciderKind", event.decider.kind, evidence=evidence)


def _terms_of(draft: Draft, event: AuthorizationDecided, decision: str) -> None:
    if event.verdict in GRANTS:
        draft.attribute(decision, "prov:type", "clew:Grant", "qname")
    draft.attribute(decision, "clew:verdict", event.verdict)
    draft.attribute(decision, "clew:object", event.object)
    draft.attribute(decision, "clew:reason", event.reason, evidence=Evidence.DECLARED)
    if event.scope:
        draft.attribute(decision, "clew:scope", event.scope.kind)
        limit = event.scope.limit
        draft.attribute(decision, "clew:limit", None if limit is None else str(limit), "integer")
    if event.policy:
        draft.attribute(decision, "clew:policyRule", event.policy.rule)
        draft.attribute(decision, "clew:policyRevision", event.policy.revision)
    if event.valid:
        draft.attribute(decision, "clew:validFrom", event.valid.start, "dateTime")
        draft.attribute(decision, "clew:validUntil", event.valid.until, "dateTime")
    draft.body_at(decision, "/shown")
    draft.body_at(decision, "/authorized")


def tool_call(draft: Draft, event: ToolCall) -> Records:
    attempt = draft.node(event.attempt, ACTIVITY, "attempt")
    tool = names.under("tool", event.tool)
    draft.describe(attempt, "clew:Attempt", event.started, event.ended)
    draft.associated(attempt, tool, "tool")
    draft.used(attempt, event.tool_binding or tool, "tool", role="tool", flow=Flow.CONTROL)
    if event.action:
        draft.used(attempt, event.action, "action", role="arguments")
    else:
        _which_action(draft, event, tool)
    if event.decision:
        draft.used(attempt, event.decision, "decision", role="authorization", flow=Flow.CONTROL)
    if event.retry_of:
        draft.node(event.retry_of, ACTIVITY, "retry_of")
        draft.relate(
            COMMUNICATION,
            attempt,
            event.retry_of,
            evidence=Evidence.OBSERVED,
            role="retry",
            flow=Flow.STRUCTURE,
        )
    draft.part_of(attempt, event.run, "run")
    draft.part_of(attempt, event.parent, "parent", role="parent")
    _read(draft, event)
    for index, result in enumerate(event.results):
        _result(draft, event, result, f"/results/{index}")
    _writes(draft, event, tool)
    _state_outcome(draft, event, attempt, tool)
    return draft.records(attempt)


def _state_outcome(draft: Draft, event: ToolCall, attempt: str, tool: str) -> None:
    declared = {"evidence": Evidence.DECLARED, "asserter": tool}
    draft.attribute(attempt, "clew:outcome", event.outcome, **declared)  # type: ignore[arg-type]
    draft.attribute(attempt, "clew:error", event.error, **declared)  # type: ignore[arg-type]
    draft.attribute(attempt, "clew:handle", event.handle, **declared)  # type: ignore[arg-type]
    status = None if event.http_status is None else str(event.http_status)
    draft.attribute(attempt, "clew:httpStatus", status, "integer")
    draft.attribute(attempt, "clew:key", event.key)
    draft.attribute(attempt, "clew:taskVersion", event.task_version)
    number = None if event.attempt_number is None else str(event.attempt_number)
    draft.attribute(attempt, "clew:attemptNumber", number, "integer")
    draft.body_at(attempt, "/arguments")


def _which_action(draft: Draft, event: ToolCall, tool: str) -> None:
    """An attempt that names no action looks for the candidate of its key, or of its very arguments."""
    moment, run = draft.moment(event.started), event.run or ""
    whole = _whole(draft, event.arguments, "/arguments")
    if event.key:
        need = encode(Executes(event.attempt, "id", moment))
        draft.fact(f"call:{run}:{tool}:{event.key}", "need", event.attempt, need)
    elif whole:
        need = encode(Executes(event.attempt, "arguments", moment))
        draft.fact(f"call:{run}:{tool}:{whole}", "need", event.attempt, need)


def _read(draft: Draft, event: ToolCall) -> None:
    moment = draft.moment(event.ended)
    for index, ref in enumerate(event.reads):
        more = passage(ref.part, position=ref.position)
        draft.used(event.attempt, ref.ref, "reads", role=ref.role or "", attributes=more)
        reads(draft, event.attempt, ref.ref, moment, ref.role or "")
        produced(draft, ref.ref, draft.body_of(ref, f"/reads/{index}"), event.attempt, event.ended)


def _result(draft: Draft, event: ToolCall, result: Result, where: str) -> None:
    _returned(draft, event, result, where)
    for index, member in enumerate(result.members):
        _returned(draft, event, member, f"{where}/members/{index}")
        draft.relate(MEMBERSHIP, result.ref, member.ref, evidence=Evidence.OBSERVED, role=member.role or "")
    for ref in result.members or (result,):
        if event.run:
            draft.fact(f"run:{event.run}", "listed", ref.ref, "result")


def _returned(draft: Draft, event: ToolCall, ref: Ref, where: str) -> None:
    more, time = passage(ref.part, position=ref.position), event.ended or event.time
    draft.generated(ref.ref, event.attempt, "results", role=ref.role or "", time=time, attributes=more)
    produced(draft, ref.ref, draft.body_of(ref, where), event.attempt, event.ended)


def _writes(draft: Draft, event: ToolCall, tool: str) -> None:
    written = []
    for write in event.writes:
        if write.mode == "delete":
            _deleted(draft, event, write, tool)
        else:
            written.append((write.ref, _wrote(draft, event, write, tool)))
    tried = encode(Tried(event.attempt, event.outcome, tuple(sorted(set(written)))))
    for subject in dict.fromkeys(ref for ref in (event.attempt, event.action) if ref):
        draft.fact(f"ref:{subject}", "offer", event.attempt, tried)


def _wrote(draft: Draft, event: ToolCall, write: Write, tool: str) -> str:
    """A write makes an occurrence of the state named; the tool says so, and of an unknown outcome it is only
    inferred.
    """
    made = draft.node(names.occurrence(write.ref, event.attempt), ENTITY, "writes")
    sure = event.outcome in ("accepted", "completed")
    evidence = Evidence.DECLARED if sure else Evidence.INFERRED
    time = event.ended or event.time
    draft.generated(
        made,
        event.attempt,
        "writes",
        evidence=evidence,
        asserter=tool,
        time=time,
        attributes=passage(write.part, [("clew:mode", write.mode)]),
    )
    draft.attribute(made, "prov:type", "clew:Occurrence", "qname")
    draft.attribute(made, "clew:mode", write.mode)
    draft.specializes(made, write.ref, "writes")
    moment = draft.moment(event.ended)
    draft.fact(f"ref:{write.ref}", "offer", event.attempt, encode(Made(event.attempt, made, moment)))
    if write.before:
        revised(draft, made, write.before, write.mode, event.attempt, event.ended)
    return made


def revised(
    draft: Draft, made: str, before: str, mode: str | None, by: str, ended: str | None = None
) -> None:
    """A revision carries data only when the write kept content."""
    flow = Flow.DATA if mode in KEEPS_CONTENT else Flow.STRUCTURE
    draft.node(before, ENTITY, "before")
    draft.relate(REVISION, made, before, evidence=Evidence.OBSERVED, flow=flow)
    if names.split(before).is_state:
        need = Revises(by, made, draft.moment(ended), int(flow))
        draft.fact(f"ref:{before}", "need", made, encode(need))


def _deleted(draft: Draft, event: ToolCall, write: Write, tool: str) -> None:
    draft.node(write.ref, ENTITY, "writes")
    draft.relate(
        INVALIDATION,
        write.ref,
        event.attempt,
        evidence=Evidence.DECLARED,
        asserter=tool,
        time=event.ended or event.time,
        role="delete",
    )
    if names.split(write.ref).is_state:
        need = Deletes(event.attempt, draft.moment(event.ended))
        draft.fact(f"ref:{write.ref}", "need", event.attempt, encode(need))
