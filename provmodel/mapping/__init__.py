"""Event -> records: what each event becomes, and the evidence that each statement earns (model, section 5).

The mapping is a pure function of one event (as the log keeps it), what was computed from its bodies when
they arrived, and the credential that delivered it. The rules, in the order of the files beside this one:

- ``runs``: a run is an activity; its environment is used as control; cancelling it makes a notice about it,
  never an end.
- ``calls``: inputs are used and outputs generated, observed; instructions are control and stand as plans
  too; a citation is a derivation declared by the model, whoever delivered it; a snapshot's items are its
  members.
- ``actions``: the candidate is an entity; the decision is an entity made by an authorization; an attempt
  uses the candidate and the decision; what it read and returned is observed, what it wrote is declared by
  the tool; a write makes an occurrence.
- ``artifacts``: versions, derivations, delegations and adoptions; only an adoption or a use brings a draft
  into a lineage.
  Content that comes later is content of what it names; a label is the value of a body.
- ``notices``: verification, retraction and deletion are records about nodes; they never invalidate what
  they concern, except that a deletion invalidates a body.

Never: a use turned into a derivation, a derivation computed as used x generated, an edge from time, nesting
or retrieval alone, one node for equal content.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from provmodel import events
from provmodel.computed import Computed
from provmodel.evidence import Principal
from provmodel.mapping import actions, artifacts, calls, notices, runs
from provmodel.mapping.draft import Draft
from provmodel.records import Records

VERSION = 1
"""Goes up when the same event becomes other records; kept with each event of the log."""

_WRITERS: dict[type[events.Envelope], Callable[[Draft, Any], Records]] = {
    events.SourceReported: runs.source_reported,
    events.RunStarted: runs.run_started,
    events.RunEnded: runs.run_ended,
    events.RunCancelled: runs.run_cancelled,
    events.ModelCall: calls.model_call,
    events.Span: calls.span,
    events.ActionProposed: actions.action_proposed,
    events.AuthorizationDecided: actions.authorization_decided,
    events.ToolCall: actions.tool_call,
    events.ArtifactVersion: artifacts.artifact_version,
    events.Derived: artifacts.derived,
    events.Delegated: artifacts.delegated,
    events.AdoptionDecided: artifacts.adoption_decided,
    events.Verification: notices.verification,
    events.Retracted: notices.retracted,
    events.ContentDeleted: notices.content_deleted,
    events.ContentCaptured: artifacts.content_captured,
}


def project(event: events.Envelope, computed: Sequence[Computed], principal: Principal) -> Records:
    """What ``event`` becomes.

    Raises :class:`provmodel.errors.Refused` when one event says what can't be (an id as entity and activity,
    something derived from itself) or claims more than its credential may.
    """
    return _WRITERS[type(event)](Draft(event, computed, principal), event)
