"""Model calls and other steps of a trace: what entered, what came out, what was only said."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from provmodel import names
from provmodel.computed import Computed
from provmodel.events import Attributes, ContextOf, Id, ModelCall, Ref, Span
from provmodel.evidence import Evidence
from provmodel.joining import Holder, Message, Moment, Reads, encode
from provmodel.mapping.draft import ACTIVITY, AGENT, ENTITY, Draft, passage
from provmodel.records import Records
from provmodel.relations import COMMUNICATION, DELEGATION, DERIVATION, MEMBERSHIP, Flow


def model_call(draft: Draft, event: ModelCall) -> Records:
    call = draft.node(event.call, ACTIVITY, "call")
    draft.describe(call, "clew:ModelCall", event.started, event.ended)
    draft.attribute(call, "clew:status", event.status, evidence=Evidence.DECLARED)
    draft.attribute(call, "clew:finish", event.finish)
    _agents(draft, event, call)
    draft.part_of(call, event.run, "run")
    draft.part_of(call, event.parent, "parent", role="parent")
    inputs(draft, call, event.inputs, event.started)
    if event.context:
        _context(draft, call, event.context, event.started)
    for tool in event.tools:
        draft.used(call, names.under("tool", tool), "tools", role="tool", flow=Flow.CONTROL)
    outputs(draft, call, event.outputs, event.ended)
    _citations(draft, event)
    return draft.records(call)


def _agents(draft: Draft, event: ModelCall, call: str) -> None:
    model = names.under("model", event.model)
    for index, instruction in enumerate(event.instructions):
        draft.used(call, instruction.ref, "instructions", role="instruction", flow=Flow.CONTROL)
        draft.associated(call, model, "model", plan=instruction.ref)
        draft.body_of(instruction, f"/instructions/{index}")
    if not event.instructions:
        draft.associated(call, model, "model")
    agent = names.agent(event.agent) if event.agent else None
    if agent:
        draft.associated(call, agent, "agent", role="agent")
    if event.on_behalf_of:
        responsible = draft.node(names.agent(event.on_behalf_of), AGENT, "on_behalf_of")
        draft.relate(DELEGATION, agent or model, responsible, call, evidence=Evidence.OBSERVED)


def inputs(draft: Draft, activity: str, refs: Sequence[Ref], started: str | None = None) -> None:
    """What entered an activity when it started: used, observed; and what that may be joined to."""
    moment = draft.moment(started)
    for index, ref in enumerate(refs):
        more = passage(ref.part, position=ref.position)
        draft.used(activity, ref.ref, "inputs", role=ref.role or "", attributes=more)
        reads(draft, activity, ref.ref, moment, ref.role or "")
        computed = draft.body_of(ref, f"/inputs/{index}")
        if computed:
            _input_values(draft, activity, ref.ref, computed, moment)


def reads(
    draft: Draft, activity: str, ref: str, moment: Moment, role: str = "", flow: Flow = Flow.DATA
) -> None:
    """A state that was read may turn out to be one occurrence of it."""
    if "@" in ref and names.split(ref).is_state:
        draft.fact(f"ref:{ref}", "need", activity, encode(Reads(activity, moment, role, int(flow))))


def _input_values(draft: Draft, activity: str, ref: str, computed: Computed, moment: Moment) -> None:
    run = draft.event.run or ""
    message = Message(activity, ref, computed.strong, moment)
    draft.fact(f"value:{run}:{computed.whole}", "need", activity, encode(message))
    _held(draft, ref, computed, Holder(ref, context=activity))


def _held(draft: Draft, ref: str, computed: Computed, holder: Holder) -> None:
    """Offer the whole and each value in it to whoever needs where a value came from."""
    run = draft.event.run or ""
    whole = encode(msgspec.structs.replace(holder, whole=True))
    draft.fact(f"value:{run}:{computed.whole}", "offer", ref, whole)
    tags = {value.tag for value in computed.values.values()} | set(computed.tokens)
    if tags:
        within = encode(holder)
        for tag in sorted(tags - {computed.whole}):
            draft.fact(f"value:{run}:{tag}", "offer", ref, within)


def produced(draft: Draft, ref: str, computed: Computed | None, maker: str, ended: str | None) -> None:
    """What came out of an activity is there for others from its end on."""
    if computed:
        _held(draft, ref, computed, Holder(ref, draft.moment(ended), maker=maker))


def outputs(draft: Draft, activity: str, refs: Sequence[Ref], ended: str | None) -> None:
    """What came out of an activity: generated, observed."""
    for index, ref in enumerate(refs):
        more = passage(ref.part, position=ref.position)
        time = ended or draft.event.time
        draft.generated(ref.ref, activity, "outputs", role=ref.role or "", time=time, attributes=more)
        produced(draft, ref.ref, draft.body_of(ref, f"/outputs/{index}"), activity, ended)


def _context(draft: Draft, call: str, context: ContextOf, started: str | None) -> None:
    snapshot = context.id
    draft.used(call, snapshot, "context/id", role="context")
    draft.attribute(snapshot, "prov:type", "clew:Context", "qname")
    moment = draft.moment(started)
    for index, item in enumerate(context.adds):
        draft.node(item.ref, ENTITY, "context/adds")
        draft.relate(MEMBERSHIP, snapshot, item.ref, evidence=Evidence.OBSERVED, role=item.role or "")
        reads(draft, call, item.ref, moment, item.role or "")
        computed = draft.body_of(item, f"/context/adds/{index}")
        if computed:
            _input_values(draft, call, item.ref, computed, moment)
    _extended(draft, context)


def _extended(draft: Draft, context: ContextOf) -> None:
    """A snapshot holds the earlier one only when all of it is kept: what was omitted is not reachable."""
    if context.extends and not context.omits:
        draft.node(context.extends, ENTITY, "context/extends")
        draft.relate(MEMBERSHIP, context.id, context.extends, evidence=Evidence.OBSERVED)
    elif context.extends:
        draft.attribute(context.id, "clew:bodyState", "partial")
        draft.attribute(context.id, "clew:extendsInPart", context.extends)
        for omitted in context.omits:
            draft.attribute(context.id, "clew:omits", omitted)


def _citations(draft: Draft, event: ModelCall) -> None:
    model = names.under("model", event.model)
    for citation in event.citations:
        output = draft.node(citation.output, ENTITY, "citations/output")
        source = draft.node(citation.source, ENTITY, "citations/source")
        source_part = passage(citation.source_part)
        draft.relate(
            DERIVATION,
            output,
            source,
            None,
            evidence=Evidence.DECLARED,
            role="citation",
            asserter=model,
            attributes=passage(citation.output_part, [("clew:sourcePart", source_part or None)]),
        )


def span(draft: Draft, event: Span) -> Records:
    activity = draft.node(event.span, ACTIVITY, "span")
    draft.describe(activity, "clew:Span", event.started, event.ended)
    draft.attribute(activity, "clew:spanKind", event.kind)
    draft.attribute(activity, "prov:label", event.name)
    draft.attribute(activity, "clew:status", event.status, evidence=Evidence.DECLARED)
    if event.agent:
        draft.associated(activity, names.agent(event.agent), "agent", role="agent")
    draft.part_of(activity, event.run, "run")
    draft.part_of(activity, event.parent, "parent", role="parent")
    for informant in event.informed_by:
        _informed(draft, activity, informant)
    inputs(draft, activity, event.inputs, event.started)
    outputs(draft, activity, event.outputs, event.ended)
    given(draft, activity, event.attributes)
    return draft.records(activity)


def _informed(draft: Draft, activity: str, informant: Id) -> None:
    """A span link is communication: no data use, so not crossed."""
    draft.node(informant, ACTIVITY, "informed_by")
    draft.relate(
        COMMUNICATION, activity, informant, evidence=Evidence.OBSERVED, role="link", flow=Flow.STRUCTURE
    )


def given(draft: Draft, node: str, attributes: Attributes | None) -> None:
    """A producer's own attributes, under their own names."""
    for name, values in (attributes or {}).items():
        for value in values if isinstance(values, list) else [values]:
            match value:
                case bool():
                    draft.attribute(node, f"attr:{name}", "true" if value else "false", "boolean")
                case int():
                    draft.attribute(node, f"attr:{name}", str(value), "integer")
                case float():
                    draft.attribute(node, f"attr:{name}", repr(value), "double")
                case _:
                    draft.attribute(node, f"attr:{name}", str(value))
