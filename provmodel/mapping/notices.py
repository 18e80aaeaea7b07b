"""Verification, retraction and deletion: records about nodes, shown as marks and never crossed."""

from __future__ import annotations

from provmodel import names
from provmodel.events import ContentDeleted, Retracted, Verification
from provmodel.evidence import Evidence
from provmodel.joining import Deleted, Verifies, encode
from provmodel.mapping.draft import ACTIVITY, ENTITY, Draft, passage
from provmodel.records import Records
from provmodel.relations import INVALIDATION, Flow


def verification(draft: Draft, event: Verification) -> Records:
    check = draft.node(event.verification, ACTIVITY, "verification")
    draft.describe(check, "clew:Verification")
    draft.attribute(check, "clew:method", event.method)
    draft.attribute(check, "clew:verdict", event.verdict, evidence=Evidence.VERIFIED)
    draft.concerns(check, event.subject, "verifies")
    draft.associated(check, draft.asserter, "asserter")
    draft.part_of(check, event.run, "run")
    read = event.read
    if read:
        draft.used(check, read.ref, "read/ref", role="observed", flow=Flow.RECORD)
        draft.attribute(check, "clew:consistency", read.consistency)
        draft.attribute(check, "clew:waited", read.waited)
    draft.body_at(check, "/expected")
    draft.body_at(check, "/observed")
    if event.verdict != "unconfirmed":
        _verdict(draft, event, read.ref if read else "")
    return draft.records(check)


def _verdict(draft: Draft, event: Verification, read: str) -> None:
    """The verdict looks for the generation that it is about, under the subject's name without its occurrence
    mark.
    """
    state = event.subject.partition(names.BY)[0]
    need = Verifies(
        event.subject,
        draft.asserter,
        event.method,
        event.verdict == "confirmed",
        int(draft.claim(Evidence.VERIFIED)),
        read,
        event.attempt or "",
    )
    draft.fact(f"ref:{state}", "need", event.verification, encode(need))


def notice_of(source: str, retraction: str) -> str:
    """The notice that a retraction makes; ``retraction`` is its envelope id, of the same source."""
    return f"retraction:{source}/{retraction};notice"


def retracted(draft: Draft, event: Retracted) -> Records:
    retraction = draft.node(f"retraction:{event.source}/{event.id}", ACTIVITY, "id")
    draft.describe(retraction, "clew:Retraction")
    notice = notice_of(event.source, event.id)
    draft.generated(notice, retraction, "id", flow=Flow.RECORD)
    draft.attribute(notice, "prov:type", "clew:Notice", "qname")
    draft.attribute(notice, "clew:reason", event.reason, evidence=Evidence.DECLARED)
    draft.attribute(notice, "clew:effectiveFrom", event.effective_from, "dateTime")
    draft.associated(retraction, names.agent(event.by, "person"), "by")
    if event.withdraws:
        draft.concerns(notice, notice_of(event.source, event.withdraws), "withdraws")
    else:
        draft.concerns(notice, event.what, "retracts")
    draft.concerns(notice, event.replaced_by, "replaced-by")
    return draft.records(retraction)


def content_deleted(draft: Draft, event: ContentDeleted) -> Records:
    deletion = draft.node(f"deletion:{event.source}/{event.id}", ACTIVITY, "id")
    draft.describe(deletion, "clew:Deletion")
    body = draft.node(event.body, ENTITY, "body")
    draft.attribute(body, "prov:type", "clew:Body", "qname")
    places = ", ".join(event.places)
    more = passage(None, [("clew:reasonClass", event.reason_class), ("clew:places", places or None)])
    draft.relate(
        INVALIDATION,
        body,
        deletion,
        evidence=Evidence.OBSERVED,
        time=event.done or event.requested or event.time,
        attributes=more,
    )
    if event.policy:
        draft.used(deletion, event.policy, "policy", role="policy", flow=Flow.CONTROL)
    if event.actor:
        draft.associated(deletion, names.agent(event.actor), "actor")
    draft.attribute(deletion, "clew:reasonClass", event.reason_class)
    draft.attribute(deletion, "clew:requested", event.requested, "dateTime")
    draft.attribute(deletion, "clew:done", event.done, "dateTime")
    draft.body_at(deletion, "")
    for place in event.places:
        draft.attribute(deletion, "clew:place", place)
    draft.fact(f"body:{event.body}", "need", body, encode(Deleted(event.body)))
    return draft.records(deletion)
