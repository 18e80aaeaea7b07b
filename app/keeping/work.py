"""The verbs of retention, as every face has them: forms in, what came of it out."""

from __future__ import annotations

import msgspec

from app.access import Act
from app.credentials.identity import actor
from app.keeping.forms import (
    Deleting,
    DeletionList,
    Ending,
    Erasing,
    Forgotten,
    Holding,
    HoldList,
    InForce,
    Lifting,
    Listing,
    Looking,
    Placing,
    PolicyList,
    Putting,
)
from app.keeping.previewing import Preview, preview
from app.keeping.words import bodies_of, keep_of, read_policy
from app.ledger.reports import rfc3339
from app.paging import open_sheet
from app.retention import Deleted, Hold, Progress, Request, Swept
from app.service import Service
from provmodel import names
from provmodel.errors import NotFound
from provmodel.evidence import LOCAL, Principal
from queries.hiding import Hiding
from queries.restricted import hiding_of
from queries.targets import choose


class Keeping:
    """What the keepers of one tenant's content may do, over its service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._retention = service.retention

    # Policies

    def policies(self) -> PolicyList:
        """Those in force."""
        return PolicyList(
            [
                InForce(
                    policy=one.policy,
                    bodies=bodies_of(one),
                    keep=keep_of(one),
                    by=one.actor,
                    since=rfc3339(one.since),
                )
                for one in self._retention.policies()
            ]
        )

    def put(self, form: Putting, principal: Principal = LOCAL) -> PolicyList:
        """Put one in force; those that then are. Raises BadQuestion or Refused."""
        policy = read_policy(form.policy, form.bodies, form.keep, actor(form.by, principal.name))
        self._retention.put(policy, principal.name)
        return self.policies()

    def end(self, form: Ending, principal: Principal = LOCAL) -> PolicyList:
        """End one; those that are still in force. Raises NotFound."""
        self._retention.end(form.policy, actor(form.by, principal.name), principal.name)
        return self.policies()

    # Holds

    def holds(self, form: Holding = Holding()) -> HoldList:  # noqa: B008 (frozen)
        """Those that stand, or all that ever did."""
        hiding = self._hiding()
        found = [_withheld(one, hiding) for one in self._retention.holds(form.lifted)]
        unknown = [one.hold for one in found if not (one.lifted or self._is_there(one.target))]
        return HoldList(found, unknown)

    def place(self, form: Placing, principal: Principal = LOCAL) -> HoldList:
        """Place one; those that then stand. Raises Refused for a name that is taken, or no reason, and
        Ambiguous for an end of several.
        """
        who = actor(form.by, principal.name)
        self._retention.place_hold(form.hold, self._meant(form.target), form.reason, who, principal.name)
        return self.holds()

    def _meant(self, named: str) -> str:
        """What is to be held: as named, where that is there, or may come later; else what alone ends so, with
        all its versions where the end names none. Raises Ambiguous.
        """
        graph = self._service.ledger.graph(self._service.tenant)
        if self._is_there(named):
            return named
        try:
            [chosen] = choose(graph, [named], graph.head())
        except NotFound:
            return named
        return chosen.ref if names.split(named).pin else names.split(chosen.ref).thing

    def _is_there(self, named: str) -> bool:
        """Whether a body, a node or a version of a thing has this very name."""
        graph = self._service.ledger.graph(self._service.tenant)
        head = graph.head()
        return bool(
            self._hiding().real(named)
            or graph.ids([named], head)
            or graph.versions([named], head)[named]
            or self._service.bodies.has(named)
        )

    def lift(self, form: Lifting, principal: Principal = LOCAL) -> HoldList:
        """Lift one; those that still stand. Raises NotFound."""
        self._retention.lift_hold(form.hold, actor(form.by, principal.name), principal.name)
        return self.holds()

    # Deletion

    def preview(self, form: Looking = Looking()) -> Preview:  # noqa: B008 (frozen)
        """What a sweep, or the deletion of one thing, would take, and what it would leave unprovable.

        Raises NotFound, Ambiguous, NotCaptured, or Gone when it went before.
        """
        return preview(self._service, form.ref)

    def sweep(self, principal: Principal = LOCAL, progress: Progress = lambda done, total: None) -> Swept:
        """Delete what is due and not held, and finish what was begun."""
        self._service.accesses.note(principal, [Act("delete", "", "a sweep was asked for", "done")])
        return self._retention.sweep(progress)

    def delete(self, form: Deleting, principal: Principal = LOCAL) -> Forgotten:
        """Delete content before its time. Raises NotFound, Ambiguous, NotCaptured, Gone when all of it went
        before, Refused when it is held.
        """
        request = Request(
            actor=actor(form.by, principal.name),
            reason_class=form.reason_class,
            reason=form.reason,
            principal=principal.name,
        )
        return self._forgotten(self._service.forget(form.ref, request))

    def erase(self, form: Erasing, principal: Principal = LOCAL) -> Forgotten:
        """Erase the names of a person or thing. Raises NotFound, or Refused when one is held."""
        request = Request(
            actor=actor(form.by, principal.name),
            reason_class="subject_request",
            reason=form.reason,
            principal=principal.name,
        )
        return self._forgotten(self._retention.person(form.ref, request))

    def _forgotten(self, deleted: list[Deleted]) -> Forgotten:
        copies = self._service.ledger.backups() if deleted else []
        return Forgotten(deleted, [copy.told() for copy in copies])

    def deletions(self, form: Listing = Listing()) -> DeletionList:  # noqa: B008 (frozen)
        """Tombstones, page by page. Raises BadQuestion for a cursor of another list."""
        graph = self._service.ledger.graph(self._service.tenant)
        sheet = open_sheet(graph, "deletions", "", form.cursor, {"state": form.state})
        total, found = self._service.bodies.deletions(form.state, sheet.place, form.limit + 1)
        hiding = self._hiding()
        page = [msgspec.structs.replace(one, body=hiding.named(one.body)) for one in found[: form.limit]]
        cursor = sheet.cursor(found[form.limit - 1].body) if len(found) > form.limit else ""
        return DeletionList(total=total, cursor=cursor, deletions=page)

    def _hiding(self) -> Hiding:
        """What is hidden from those whom the service serves."""
        return hiding_of(self._service.ledger.graph(self._service.tenant))


def _withheld(hold: Hold, hiding: Hiding) -> Hold:
    """The hold; of one on what is hidden, neither that nor why."""
    target = hiding.named(hold.target)
    reason = hiding.told(hold.reason) if target == hold.target else ""
    return msgspec.structs.replace(hold, target=target, reason=reason)
