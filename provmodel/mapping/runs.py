"""Sources and runs."""

from __future__ import annotations

from provmodel import names
from provmodel.events import Environment, RunCancelled, RunEnded, RunStarted, SourceReported
from provmodel.evidence import Evidence
from provmodel.mapping.draft import ACTIVITY, AGENT, ENTITY, Draft
from provmodel.records import Records
from provmodel.relations import DELEGATION, MEMBERSHIP, START, Flow


def source_reported(draft: Draft, event: SourceReported) -> Records:
    source = draft.node(names.source_agent(event.source), AGENT, "source")
    draft.attribute(source, "prov:type", "clew:Source", "qname")
    for hook in event.hooks or ():
        for covered in hook.covers:
            draft.attribute(source, "clew:covers", covered)
    return draft.records(source)


def run_started(draft: Draft, event: RunStarted) -> Records:
    run = draft.node(event.run, ACTIVITY, "run")
    draft.describe(run, "clew:Run", started=event.time)
    agent = names.agent(event.agent)
    draft.associated(run, agent, "agent")
    if event.on_behalf_of:
        responsible = draft.node(names.agent(event.on_behalf_of), AGENT, "on_behalf_of")
        draft.relate(DELEGATION, agent, responsible, run, evidence=Evidence.OBSERVED)
    if event.environment:
        _environment(draft, event.environment, run)
    if event.trigger:
        draft.node(event.trigger, ENTITY, "trigger")
        draft.relate(START, run, event.trigger, None, evidence=Evidence.OBSERVED)
    draft.part_of(run, event.parent_run, "parent_run", role="parent")
    draft.part_of(run, event.replay_of, "replay_of", role="replay-of")
    draft.attribute(run, "clew:mode", event.mode)
    draft.attribute(run, "clew:task", event.task)
    draft.attribute(run, "clew:taskVersion", event.task_version)
    draft.attribute(run, "clew:delegation", event.delegation)
    draft.attribute(run, "clew:round", None if event.round is None else str(event.round), "integer")
    return draft.records(run)


def _environment(draft: Draft, environment: Environment, run: str) -> None:
    draft.used(run, environment.ref, "environment/ref", role="environment", flow=Flow.CONTROL)
    draft.attribute(environment.ref, "prov:type", "clew:Environment", "qname")
    for member in environment.members:
        draft.node(member.ref, ENTITY, "environment/members")
        draft.relate(
            MEMBERSHIP,
            environment.ref,
            member.ref,
            evidence=Evidence.OBSERVED,
            role=member.role or "",
            flow=Flow.CONTROL,
        )


def run_ended(draft: Draft, event: RunEnded) -> Records:
    run = draft.node(event.run, ACTIVITY, "run")
    draft.attribute(run, "prov:type", "clew:Run", "qname")
    draft.attribute(run, "prov:endTime", event.time, "dateTime")
    draft.attribute(run, "clew:status", event.status, evidence=Evidence.DECLARED)
    for index, output in enumerate(event.outputs):
        draft.generated(output.ref, run, "outputs", role=output.role or "", flow=Flow.STRUCTURE)
        draft.body_of(output, f"/outputs/{index}")
    return draft.records(run)


def run_cancelled(draft: Draft, event: RunCancelled) -> Records:
    cancellation = draft.node(f"cancellation:{event.source}/{event.id}", ACTIVITY, "id")
    draft.describe(cancellation, "clew:Cancellation")
    notice = f"{cancellation};notice"
    draft.generated(notice, cancellation, "id", flow=Flow.RECORD)
    draft.attribute(notice, "prov:type", "clew:Notice", "qname")
    draft.associated(cancellation, names.agent(event.by, "person"), "by")
    draft.concerns(notice, event.run, "cancels")
    draft.attribute(notice, "clew:taskVersion", event.task_version)
    for decision in event.decisions:
        draft.concerns(notice, decision, "withdraws")
    return draft.records(cancellation)
