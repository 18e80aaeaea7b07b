"""Versions, derivations, delegations and adoptions."""

from __future__ import annotations

from provmodel import names
from provmodel.errors import Refused
from provmodel.events import AdoptionDecided, ArtifactVersion, ContentCaptured, Delegated, Derived
from provmodel.evidence import Evidence
from provmodel.joining import Made, encode
from provmodel.mapping.actions import revised
from provmodel.mapping.calls import given, inputs
from provmodel.mapping.draft import ACTIVITY, AGENT, ENTITY, Draft, passage
from provmodel.records import Records
from provmodel.relations import DERIVATION, MEMBERSHIP, START, Flow


def artifact_version(draft: Draft, event: ArtifactVersion) -> Records:
    version = draft.node(event.ref, ENTITY, "ref")
    draft.describe(version, "clew:Artifact")
    draft.attribute(version, "clew:kind", event.kind)
    label(draft, version, event.label)
    draft.attribute(version, "clew:mediaType", event.media_type)
    draft.attribute(version, "clew:class", event.class_)
    draft.attribute(version, "clew:size", None if event.size is None else str(event.size), "integer")
    given(draft, version, event.attributes)
    if event.thing == event.ref:
        raise Refused("thing", "a version can't be its own thing", "leave thing out, or name the version")
    if event.thing:
        draft.specializes(version, event.thing, "thing")
    made = _made(draft, event, event.made_by) if event.made_by else version
    if event.before:
        revised(draft, made, event.before, event.mode, event.made_by or "")
    for index, member in enumerate(event.members):
        draft.node(member.ref, ENTITY, "members")
        draft.relate(MEMBERSHIP, version, member.ref, evidence=Evidence.OBSERVED, role=member.role or "")
        draft.body_of(member, f"/members/{index}")
    draft.body_at(version, "")
    return draft.records(version)


def label(draft: Draft, node: str, text: str | None) -> None:
    """The name that people know a node by: kept as a body, or as it came where there are none."""
    kept = draft.computed.get("/label")
    if kept:
        draft.attribute(node, "prov:label", kept.body, "body")
    else:
        draft.attribute(node, "prov:label", text)


def content_captured(draft: Draft, event: ContentCaptured) -> Records:
    ref = event.content
    kind = AGENT if ref.ref.startswith(names.AGENTS) else ENTITY
    node = draft.node(ref.ref, kind, "content/ref")
    if event.as_ == "label":
        kept, body = draft.computed.get("/content"), ref.body
        if kept:
            draft.attribute(node, "prov:label", kept.body, "body")
        elif body and isinstance(body.text, str):
            draft.attribute(node, "prov:label", body.text)
    else:
        draft.body_of(ref, "/content")
    return draft.records(node)


def _made(draft: Draft, event: ArtifactVersion, made_by: str) -> str:
    """Who made a version is told of its occurrence, as with a write."""
    draft.node(made_by, ACTIVITY, "made_by")
    pinned = names.split(event.ref).is_state
    made = names.occurrence(event.ref, made_by) if pinned else event.ref
    draft.generated(made, made_by, "made_by", time=event.time)
    draft.specializes(made, event.ref, "ref")
    if pinned:
        offer = encode(Made(made_by, made, draft.moment()))
        draft.fact(f"ref:{event.ref}", "offer", made_by, offer)
    return made


def derived(draft: Draft, event: Derived) -> Records:
    target = draft.node(event.to, ENTITY, "to")
    draft.attribute(target, "clew:derivedBy", event.method)
    most = Evidence.VERIFIED if event.rerunnable else Evidence.OBSERVED
    more = [
        ("clew:tool", names.under("tool", event.tool) if event.tool else None),
        ("clew:toolVersion", event.tool_version),
        ("clew:derivedBy", event.method),
        ("clew:rerunnable", "true" if event.rerunnable else None),
    ]
    for index, source in enumerate(event.from_):
        draft.node(source.ref, ENTITY, "from")
        part = event.parts[index] if index < len(event.parts) else None
        source_part = passage(source.part)
        draft.relate(
            DERIVATION,
            target,
            source.ref,
            None,
            evidence=draft.best(most),
            role=source.role or "",
            attributes=passage(part, [*more, ("clew:sourcePart", source_part or None)]),
        )
        draft.body_of(source, f"/from/{index}")
    return draft.records(target)


def delegated(draft: Draft, event: Delegated) -> Records:
    delegation = draft.node(event.delegation, ENTITY, "delegation")
    draft.describe(delegation, "clew:Delegation")
    draft.node(event.to_run, ACTIVITY, "to_run")
    draft.node(event.from_run, ACTIVITY, "from_run")
    draft.relate(START, event.to_run, delegation, event.from_run, evidence=Evidence.OBSERVED)
    draft.part_of(event.to_run, event.from_run, "from_run", role="parent")
    draft.associated(event.to_run, names.agent(event.agent), "agent")
    inputs(draft, event.to_run, event.inputs)
    for permission in event.permissions:
        draft.used(event.to_run, permission, "permissions", role="capability", flow=Flow.CONTROL)
    draft.attribute(delegation, "clew:task", event.task)
    draft.attribute(delegation, "clew:taskVersion", event.task_version)
    draft.attribute(delegation, "clew:round", None if event.round is None else str(event.round), "integer")
    return draft.records(delegation)


def adoption_decided(draft: Draft, event: AdoptionDecided) -> Records:
    adoption = draft.node(event.decision, ACTIVITY, "decision")
    draft.describe(adoption, "clew:Adoption")
    draft.attribute(adoption, "clew:verdict", event.verdict)
    draft.attribute(adoption, "clew:reason", event.reason, evidence=Evidence.DECLARED)
    draft.used(adoption, event.draft, "draft", role="draft", flow=Flow.RECORD)
    if event.decided_by:
        draft.associated(adoption, names.agent(event.decided_by), "decided_by")
    draft.part_of(adoption, event.run, "run")
    if event.verdict == "adopted":
        _adopted(draft, event, adoption)
    return draft.records(adoption)


def _adopted(draft: Draft, event: AdoptionDecided, adoption: str) -> None:
    """What the parent took over is an entity of its own; parts say which passages it took."""
    accepted = event.accepted or f"{adoption};accepted"
    draft.generated(accepted, adoption, "accepted", time=event.time)
    if not event.accepted:
        draft.attribute(accepted, "prov:type", "clew:Accepted", "qname")
    passages = [passage(part) for part in event.parts] or [""]
    for attributes in passages:
        draft.relate(
            DERIVATION,
            accepted,
            event.draft,
            None,
            evidence=Evidence.OBSERVED,
            role="adopted",
            attributes=attributes,
        )
