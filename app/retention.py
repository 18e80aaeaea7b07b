"""The verbs of retention: policies and holds, what would go, and letting go.

A body goes in steps, each of which may be the last before a crash, and all of which may be done again:

1. In one transaction it loses its content and gets a tombstone that says *requested*. Nobody reads it now.
2. Its key is destroyed, and its bytes in other places; the words of a label go from the search index.
3. The deletion is recorded as an event, with the places; with it the tombstone says *done*.

``sweep`` first finishes what an earlier one left between these steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Literal, get_args

import msgspec

from app import tables
from app.access import Act, forget_before, record
from app.content.sealing import first_id
from app.ledger import Ledger
from app.ledger.append import take_head
from app.ledger.bodies import gone, let_go
from app.ledger.holds import held
from app.ledger.memory import Memory
from app.ledger.reports import rfc3339
from app.ledger.retaining import (
    ACCESS,
    SECOND,
    Kept,
    Policies,
    Policy,
    all_holds,
    end_policy,
    holders,
    kept,
    labelled,
    labels_of,
    named,
    policies_of,
    profiles,
    set_policy,
)
from app.ledger.search.index import take_again
from provmodel.errors import NotFound, Refused
from provmodel.events import Body, ContentDeleted, Event
from provmodel.evidence import LOCAL

SOURCE = "clew"
SWEEPER = "agent:clew"
EXPIRED = "expired"
Reason = Literal["expired", "subject_request", "court_order", "secret", "mistake", "other"]
"""Why something is deleted, in one word."""

REASONS: tuple[Reason, ...] = get_args(Reason)

BATCH = 500
EVERY = 20  # batches between which the logs of the databases are cut off
FRESH = 1.0  # seconds
A_DAY = 86_400  # seconds; no content is on its way for so long
SEARCH = "search index"
REFERENCE = "reference"
"""Where a body went from whose content another body still has."""

Record = Callable[[Sequence[Event]], object]
Progress = Callable[[int, int | None], None]


class Hold(msgspec.Struct, frozen=True):
    """A legal hold: what it holds, why, and who placed it when."""

    hold: str
    target: str
    reason: str
    placed: str
    placed_by: str
    lifted: str = ""
    lifted_by: str = ""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """By whom, under which policy and why bodies are deleted. ``reason`` is in words and kept as a body;
    ``principal`` is the credential under which ``actor`` asks, ``person`` whose names they are.
    """

    actor: str
    policy: str = ""
    reason_class: str = EXPIRED
    reason: str = ""
    principal: str = LOCAL.name
    person: str = ""


class Deleted(msgspec.Struct, frozen=True):
    """What became of one deletion: ``done`` when key and bytes are gone from all ``places``."""

    body: str
    state: str
    places: tuple[str, ...]


class Swept(msgspec.Struct, frozen=True):
    """What a sweep did: bodies deleted, by policy; those that a hold kept; what it finished of before; and
    how many entries of the record of access went.
    """

    deleted: dict[str, int]
    held: int
    finished: int
    accesses: int = 0


class Retention:
    """Policies, holds and deletions of one tenant. ``record`` records events in the name of Clew."""

    def __init__(self, ledger: Ledger, tenant: str, record: Record) -> None:
        self._ledger = ledger
        self._store = ledger.store.of(tenant)
        self._name = tenant
        self._record = record
        self._known = (-FRESH, Policies([]))
        self._cleared = ""

    # Policies

    def policies(self) -> list[Policy]:
        """The policies in force, the oldest first."""
        return list(self._policies.every)

    def in_force(self) -> Policies:
        """The same, as of a second ago at most: what arrives asks for them."""
        read_at, policies = self._known
        now = time.monotonic()
        if now - read_at > FRESH:
            policies = self._policies
            self._known = (now, policies)
        return policies

    def put(self, policy: Policy, principal: str = LOCAL.name) -> None:
        """Put a policy in force, in the name of a credential; raises :class:`Refused` for one that says
        nothing.
        """
        _check(policy)
        with self._store.writing() as session:
            head = take_head(session, self._name, Memory())
            set_policy(session, head.tenant, policy, _now())
            told = f"put in force by {policy.actor}"
            record(session, head.tenant, principal, [Act("policy", policy.policy, told, "done")])
        self._known = (-FRESH, Policies([]))

    def end(self, name: str, actor: str, principal: str = LOCAL.name) -> None:
        """End a policy; raises NotFound."""
        with self._store.writing() as session:
            head = take_head(session, self._name, Memory())
            if not end_policy(session, head.tenant, name, actor, _now()):
                raise NotFound(name, tuple(policy.policy for policy in self.policies()))
            record(session, head.tenant, principal, [Act("policy", name, f"ended by {actor}", "done")])
        self._known = (-FRESH, Policies([]))

    # Holds

    def holds(self, lifted: bool = False) -> list[Hold]:
        """The holds that stand, or all that ever did; by name."""
        rows = all_holds(self._store, self._tenant)
        return [
            Hold(hold, target, reason, rfc3339(placed), by, rfc3339(ended) if ended else "", ended_by or "")
            for hold, target, reason, placed, by, ended, ended_by in rows
            if lifted or not ended
        ]

    def place_hold(
        self, hold: str, target: str, reason: str, actor: str, principal: str = LOCAL.name
    ) -> None:
        """Hold a body, a run, or all content of a reference, also what comes later. Raises :class:`Refused`
        for a name that is taken, or no reason.
        """
        if not reason.strip():
            raise Refused("reason", "a hold needs one", "say why it is held, such as the case's number")
        with self._store.writing() as session:
            head = take_head(session, self._name, Memory())
            taken = session.fetch("select 1 from hold where tenant = ? and hold = ?", (head.tenant, hold))
            if taken:
                raise Refused("hold", f"there is a hold {hold!r} already", "give another name")
            session.insert(tables.hold, [(head.tenant, hold, target, reason, _now(), actor, None, None)])
            told = f"{hold} placed by {actor}"
            record(session, head.tenant, principal, [Act("hold", target, told, "done")])

    def lift_hold(self, hold: str, actor: str, principal: str = LOCAL.name) -> None:
        """Lift a hold; what it alone kept goes with the next sweep. Raises NotFound."""
        with self._store.writing() as session:
            head = take_head(session, self._name, Memory())
            lifted = session.run(
                "update hold set lifted = ?, lifted_by = ? where tenant = ? and hold = ? and lifted is null",
                (_now(), actor, head.tenant, hold),
            )
            if not lifted:
                raise NotFound(hold, tuple(one.hold for one in self.holds()))
            record(session, head.tenant, principal, [Act("hold", hold, f"lifted by {actor}", "done")])

    # What is due

    def due(self, now: int | None = None) -> Iterator[list[tuple[Kept, Policy]]]:
        """Bodies whose time is up, held ones too, each with the policy that lets it go; in pages."""
        at = _now() if now is None else now
        policies, after = self._policies, (0, "")
        latest = policies.latest(at)
        while page := kept(self._store, self._tenant, latest, after):
            after = page[-1].event, page[-1].body
            found = [(body, policy) for body in page if (policy := _expired(policies, body, at))]
            if found:
                yield found

    def held(self, bodies: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Those of these bodies that are held, with the hold and its reason."""
        return held(self._store, self._tenant, bodies)

    def holders(self, bodies: Sequence[str]) -> list[str]:
        """The references whose content these bodies are."""
        return self._refs(holders(self._store, self._tenant, bodies))

    # Letting go

    def sweep(self, progress: Progress = lambda done, total: None, now: int | None = None) -> Swept:
        """Delete what is due and not held, and finish what was begun."""
        finished = self.finish()
        counts: dict[str, int] = {}
        kept_back = done = 0
        for number, page in enumerate(self.due(now), 1):
            holding = self.held([body.body for body, _ in page])
            kept_back += len(holding)
            groups: dict[str, list[str]] = {}
            for body, policy in page:
                if body.body not in holding:
                    groups.setdefault(policy.policy, []).append(body.body)
            for policy_name, bodies in groups.items():
                request = Request(actor=SWEEPER, policy=policy_name, principal=SWEEPER)
                for start in range(0, len(bodies), BATCH):
                    gone_now = self._delete(bodies[start : start + BATCH], request)
                    counts[policy_name] = counts.get(policy_name, 0) + len(gone_now)
                    done += len(gone_now)
                    progress(done, None)
            if number % EVERY == 0:
                self._ledger.wipe()
        if done or finished:
            self._ledger.wipe()
        return Swept(counts, kept_back, finished, self._sweep_accesses(_now() if now is None else now))

    def _sweep_accesses(self, now: int) -> int:
        """Let go of the entries of the record of access whose time is up; how many."""
        policy = self._policies.access
        if policy is None or policy.keep == "always":
            return 0
        before = policy.amount or 0 if policy.keep == "until" else now - (policy.amount or 0) * SECOND
        if before > now:
            return 0
        with self._store.writing() as session:
            return forget_before(session, self._tenant, before, SWEEPER, policy.policy)

    def forget(self, bodies: Sequence[str], request: Request) -> list[Deleted]:
        """Delete bodies before their time. Raises :class:`Refused` when any of them is held, or the reason is
        none of ``REASONS``.
        """
        if request.reason_class not in REASONS:
            raise Refused(
                "reason_class", f"it is {request.reason_class!r}", f"give one of {', '.join(REASONS)}"
            )
        holding = self.held(bodies)
        if holding:
            body, (hold, _) = next(iter(holding.items()))
            raise Refused("ref", f"{body} is held by {hold}", "lift the hold first, or let it stay")
        deleted = self._delete(bodies, request)
        self._ledger.wipe()
        return deleted

    def person(self, ref: str, request: Request) -> list[Deleted]:
        """Erase what a person (or a thing) is known by: every body that is its label. Raises NotFound."""
        graph = self._ledger.graph(self._name)
        node = graph.ids([ref], graph.head()).get(ref)
        if node is None:
            raise NotFound(ref)
        of_person = msgspec.structs.replace(request, person=ref)
        return self.forget(labels_of(self._store, self._tenant, node), of_person)

    def finish(self) -> int:
        """Carry to its end what was begun: deletions asked for that no hold forbids; how many."""
        rows = self._store.fetch(
            "select t.body, t.policy, t.actor, t.reason_class, t.reason, t.places"
            " from tombstone t by(tombstone_open) where t.tenant = ? and t.done is null",
            (self._tenant,),
        )
        rows.sort()
        holding = self.held([row[0] for row in rows])
        open_now = [row for row in rows if row[0] not in holding]
        for start in range(0, len(open_now), BATCH):
            part = open_now[start : start + BATCH]
            with self._store.writing() as session:
                went = let_go(session, self._tenant, [row[0] for row in part])
            noted = {row[0]: set(msgspec.json.decode(row[5], type=list[str])) for row in part}
            self._complete([row[:5] for row in part], {**noted, **went})
        self._ledger.finish(self._name)
        self._clear_strays()
        return len(open_now)

    def _clear_strays(self) -> None:
        """Once for all that came to nothing until a day ago, and from then on for what is new of it."""
        until = first_id(time.time() - A_DAY)
        if self._ledger.clear_strays(self._name, self._cleared, until):
            self._ledger.wipe()
        self._cleared = until

    def _delete(self, bodies: Sequence[str], request: Request) -> list[Deleted]:
        """The three steps for some bodies that are there; those that went before are left alone."""
        words = self._words(request)
        with self._store.writing() as session:
            head = take_head(session, self._name, Memory())
            known = gone(session, head, set(bodies))
            kept_back = held(session, head.tenant, bodies)
            going = [body for body in dict.fromkeys(bodies) if body not in known and body not in kept_back]
            went = let_go(session, head.tenant, going)
            now = _now()
            session.insert(  # with the places, so that whoever has to finish it knows from where it went
                tables.tombstone,
                [
                    (head.tenant, body, now, None, request.policy, request.actor, request.reason_class,
                     words.id if words else None, _listed(went.get(body, ())), None)
                    for body in going
                ],
            )  # fmt: skip
            record(session, head.tenant, request.principal, _acts(going, request))
        rows = [(body, request.policy, request.actor, request.reason_class, words) for body in going]
        return self._complete(rows, went)

    def _complete(self, rows: Sequence[Any], went: dict[str, set[str]]) -> list[Deleted]:
        """The second and third step, for bodies that have a tombstone and no content."""
        bodies = [row[0] for row in rows]
        self._ledger.finish(self._name, wiping=False)
        searched = self._unlearn(bodies)
        events: list[Event] = []
        deleted = []
        now = rfc3339(_now())
        for body, policy, actor, reason_class, reason in rows:
            places = sorted(went.get(body, ())) or [REFERENCE]
            places += [SEARCH] if body in searched else []
            deleted.append(Deleted(body, "done", tuple(places)))
            events.append(_event(now, body, policy, actor, reason_class, reason, places))
        self._record(events)
        return deleted

    def _unlearn(self, bodies: Sequence[str]) -> set[str]:
        """Take the words of labels that went from the search index."""
        labels = profiles(self._store, self._tenant, bodies)
        nodes = labelled(self._store, self._tenant, sorted(labels)) if labels else []
        if nodes:
            with self._store.writing() as session:
                take_again(session, self._name, nodes, self._ledger.reveal)
        return labels

    def _words(self, request: Request) -> Body | None:
        """What says why: a body of its own, which the first of the events carries."""
        if not request.reason:
            return None
        return Body(id=f"body:reason-{time.time_ns():x}", media_type="text/plain", text=request.reason)

    @property
    def _policies(self) -> Policies:
        return policies_of(self._store, self._tenant)

    @property
    def _tenant(self) -> int:
        return self._store.tenant

    def labelled(self, bodies: Sequence[str]) -> list[str]:
        """The references that are known by a name which one of these bodies is."""
        return self._refs(labelled(self._store, self._tenant, bodies))

    def _refs(self, nodes: Sequence[int]) -> list[str]:
        refs = self._ledger.graph(self._name).refs(nodes)  # and perhaps of others
        return sorted(refs[node] for node in nodes)

    def there(self, bodies: Sequence[str]) -> list[Kept]:
        """Those of these bodies that are there."""
        return named(self._store, self._tenant, bodies)


def _acts(going: Sequence[str], request: Request) -> list[Act]:
    """What there is to record: each body that was asked for, or how many a policy let go at once."""
    if request.policy:
        told = f"{len(going)} {'body' if len(going) == 1 else 'bodies'}, {request.reason_class}"
        return [Act("delete", request.policy, told, "done")] if going else []
    told = f"{request.reason_class}, by {request.actor}"
    names = [request.person] if request.person and going else []
    return [Act("delete", target, told, "done") for target in (*names, *going)]


def _event(
    now: str,
    body: str,
    policy: str,
    actor: str,
    reason_class: str,
    reason: Body | str | None,
    places: Sequence[str],
) -> ContentDeleted:
    return ContentDeleted(
        id=f"deletion:{body}",
        source=SOURCE,
        time=now,
        body=body,
        policy=policy or None,
        actor=actor or None,
        reason_class=reason_class or None,
        reason=Body(id=reason) if isinstance(reason, str) else reason,
        done=now,
        places=tuple(places),
    )


def _listed(places: Collection[str]) -> str:
    return msgspec.json.encode(sorted(places)).decode()


def _expired(policies: Policies, body: Kept, now: int) -> Policy | None:
    policy = policies.of(body)
    ends = policy.ends(body.received) if policy else None
    return policy if ends is not None and ends <= now else None


def _check(policy: Policy) -> None:
    timed = policy.keep in ("for", "until")
    if timed and (policy.amount is None or policy.amount < 0):
        raise Refused("keep", "it does not say how long", "give a time such as 30d, or a moment")
    if policy.field == ACCESS and policy.keep == "never":
        raise Refused("keep", "what is given is recorded first", "give a time such as 400d")
    if (policy.field in ("all", ACCESS)) == bool(policy.value):
        raise Refused(
            policy.field, "a value and a field go together", "give class=VALUE, run=VALUE, ..., all or access"
        )


def _now() -> int:
    return time.time_ns() // 1000
