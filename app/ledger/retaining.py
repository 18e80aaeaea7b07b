"""What retention reads and writes: policies, holds, and which bodies are due.

A policy keeps bodies whose class, kind, run or label has a value, or all of them: for a time after they
came, until a moment, always, or never (then their content is not stored at all). Of the policies that fit a
body the narrowest decides: its label, then its run, its kind, its class, all. A hold is stronger than any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from app import tables
from app.ledger.holds import held, open_holds
from app.ledger.joins import OFFER, number_of, place_of
from app.ledger.reports import rfc3339
from app.ledger.store import Session, Store, Tuple
from app.ledger.weave import DATATYPES
from queries.graph import BODY

Field = Literal["label", "run", "kind", "class", "all", "access"]
FIELDS: tuple[Field, ...] = ("label", "run", "kind", "class", "all")
"""What bodies are chosen by, the narrowest first; a policy on ``access`` is about the record of access."""

ACCESS: Field = "access"
Keep = Literal["for", "until", "always", "never"]
SECOND = 1_000_000  # microseconds
PAGE = 2000  # bodies looked at in one read


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """How long bodies are kept whose ``field`` has ``value``. ``amount`` is in seconds for ``for``, in
    microseconds since 1970 for ``until``; ``since`` is when it was set, likewise.
    """

    policy: str
    field: Field
    value: str
    keep: Keep
    amount: int | None = None
    actor: str = ""
    since: int = 0

    def ends(self, received: int) -> int | None:
        """From when on a body that came at ``received`` may go; None: never."""
        if self.keep == "for":
            return received + (self.amount or 0) * SECOND
        return self.amount if self.keep == "until" else None


class Kept(msgspec.Struct, frozen=True, gc=False):
    """A body that is there, and what policies choose by. ``received`` is in microseconds since 1970."""

    body: str
    event: int
    cls: str
    kind: str
    label: str | None
    run: str | None
    received: int
    size: int

    def value(self, field: Field) -> str:
        """What a policy on this field is compared with."""
        match field:
            case "label":
                return self.label or ""
            case "run":
                return self.run or ""
            case "kind":
                return self.kind
            case "class":
                return self.cls
            case "all" | "access":
                return ""


class Policies:
    """The policies in force of one tenant: ``every`` one, ``all`` of bodies, and that of ``access``."""

    def __init__(self, policies: Sequence[Policy]) -> None:
        self.every = tuple(policies)
        self.all = tuple(one for one in policies if one.field != ACCESS)
        self.access = next((one for one in policies if one.field == ACCESS), None)
        self._by_value = {(one.field, one.value): one for one in policies}
        self._fields = [field for field in FIELDS if any(one.field == field for one in policies)]

    def of(self, body: Kept) -> Policy | None:
        """The one that decides about a body."""
        for field in self._fields:
            found = self._by_value.get((field, body.value(field)))
            if found:
                return found
        return None

    def latest(self, now: int) -> int:
        """Bodies that came after this may not go yet, whatever decides; in microseconds since 1970."""
        shortest = [one.amount or 0 for one in self.all if one.keep == "for"]
        if any(one.keep == "until" and (one.amount or 0) <= now for one in self.all):
            return now
        return now - min(shortest) * SECOND if shortest else 0

    @property
    def never(self) -> bool:
        """Whether any lets content not be stored at all."""
        return any(one.keep == "never" for one in self.all)


_POLICIES = (
    "select policy, field, value, keep, amount, actor, since from retention_policy"
    " where tenant = ? and ended is null order by since, policy"
)
# tenant, event, event, body, received, limit
_KEPT = (
    "select b.body, b.event, b.class, b.kind, b.label, r.text, e.received, b.size"
    " from body b join event e on e.tenant = b.tenant and e.seq = b.event"
    " left join word r on r.tenant = e.tenant and r.word = e.run"
    " where b.tenant = ? and b.content is not null and (b.event > ? or b.event = ? and b.body > ?)"
    " and e.received <= ? order by b.event, b.body limit ?"
)
# bodies, tenant
_NAMED = (
    "select b.body, b.event, b.class, b.kind, b.label, r.text, coalesce(e.received, 0), b.size"
    " from texts(?) i cross join body b left join event e on e.tenant = b.tenant and e.seq = b.event"
    " left join word r on r.tenant = e.tenant and r.word = e.run"
    " where b.tenant = ? and b.body = i.value and b.content is not null order by b.event, b.body"
)
# keys, side, tenant
_HOLDERS = (
    "select distinct f.node, f.data from triples(?) t cross join fact f where f.tenant = ? and f.place = t.a"
    " and f.key = t.b and f.side = ?"
)
# bodies, tenant
_SUBJECTS = (
    "select distinct e.node from texts(?) i cross join body b cross join event e"
    " where e.tenant = b.tenant and e.seq = b.event and b.tenant = ? and b.body = i.value"
    " and b.class = 'profile'"
)


def policies_of(store: Store, tenant: int) -> Policies:
    """The policies in force."""
    return Policies(
        [Policy(**dict(zip(_COLUMNS, row, strict=True))) for row in store.fetch(_POLICIES, (tenant,))]
    )


_COLUMNS = ("policy", "field", "value", "keep", "amount", "actor", "since")


def set_policy(session: Session, tenant: int, policy: Policy, now: int) -> None:
    """Put a policy in force; one of the same name, or about the same, ends."""
    session.run(
        "update retention_policy set ended = ?, ended_by = ? where tenant = ? and ended is null"
        " and (policy = ? or field = ? and value = ?)",
        (now, policy.actor, tenant, policy.policy, policy.field, policy.value),
    )
    row = (tenant, policy.policy, now, policy.field, policy.value, policy.keep, policy.amount, policy.actor)
    session.insert(tables.retention_policy, [(*row, None, None)])


def end_policy(session: Session, tenant: int, name: str, actor: str, now: int) -> int:
    """End a policy; how many there were of that name."""
    return session.run(
        "update retention_policy set ended = ?, ended_by = ?"
        " where tenant = ? and policy = ? and ended is null",
        (now, actor, tenant, name),
    )


def kept(store: Store, tenant: int, latest: int, after: tuple[int, str]) -> list[Kept]:
    """Bodies that are there and came no later than ``latest``, after (event, body); at most ``PAGE``."""
    event, body = after
    return [Kept(*row) for row in store.fetch(_KEPT, (tenant, event, event, body, latest, PAGE))]


def named(store: Store, tenant: int, bodies: Sequence[str]) -> list[Kept]:
    """Those of these bodies that are there."""
    return [Kept(*row) for row in store.fetch(_NAMED, (store.texts(bodies), tenant))]


# node, tenant
_LABELS_OF = (
    "select distinct b.body from ints(?) i cross join event e by(event_node)"
    " join body b on b.tenant = e.tenant and b.event = e.seq"
    " where e.tenant = ? and e.node = i.value and b.class = 'profile' and b.content is not null"
    " order by b.body"
)
# bodies, tenant
_PROFILES = (
    "select distinct b.body from texts(?) i cross join body b"
    " where b.tenant = ? and b.body = i.value and b.class = 'profile'"
)
_HOLDS = (
    "select hold, target, reason, placed, placed_by, lifted, lifted_by from hold where tenant = ?"
    " order by hold"
)


def labels_of(store: Store, tenant: int, node: int) -> list[str]:
    """The bodies that are labels of a node, and are there."""
    return [body for (body,) in store.fetch(_LABELS_OF, (store.ints([node]), tenant))]


def profiles(store: Store, tenant: int, bodies: Sequence[str]) -> set[str]:
    """Those of these bodies that are labels, gone or not."""
    return {body for (body,) in store.fetch(_PROFILES, (store.texts(bodies), tenant))}


def all_holds(store: Store, tenant: int) -> list[Tuple]:
    """Every hold there ever was, by name: hold, target, reason, placed, by whom, lifted, by whom."""
    return store.fetch(_HOLDS, (tenant,))


# tenant, node, label, label
_CONTENTS = (
    "select distinct t.value from attribute t join word w on w.tenant = t.tenant and w.word = t.name"
    " where t.tenant = ? and t.node = ?"
    f" and (? = 0 and w.text = 'clew:body' or ? = 1 and t.datatype = {DATATYPES.index(BODY)})"
    " order by t.value"
)


def contents_of(store: Store, tenant: int, node: int, label: bool) -> list[str]:
    """The bodies that were brought as content of a node, or as its labels; those that are gone, too."""
    found = store.fetch(_CONTENTS, (tenant, node, int(label), int(label)))
    return [body for (body,) in found]


_STANDS = {"": "", "requested": " and t.done is null", "done": " and t.done is not null"}


def tombstones_after(
    store: Store, tenant: int, state: str, after: str, limit: int
) -> tuple[int, list[Tuple]]:
    """How many tombstones are in a state (requested, done, "" for either), and those after a body: body,
    done, requested, policy, actor, reason class, reason, places.
    """
    where = f"from tombstone t where t.tenant = ?{_STANDS[state]}"
    [(total,)] = store.fetch(f"select count(*) {where}", (tenant,))
    rows = store.fetch(
        "select t.body, t.done, t.requested, t.policy, t.actor, t.reason_class, t.reason, t.places"
        f" {where} and t.body > ? order by t.body limit ?",
        (tenant, after, limit),
    )
    return int(total), rows


def holders(store: Store, tenant: int, bodies: Sequence[str]) -> list[int]:
    """The nodes whose content these bodies are."""
    keys = [(place_of(key), number_of(key), 0) for key in (f"body:{body}" for body in bodies)]
    return sorted({node for node, _ in store.match(_HOLDERS, keys, (tenant, OFFER))})


def labelled(store: Store, tenant: int, bodies: Sequence[str]) -> list[int]:
    """The nodes whose label one of these bodies is."""
    return sorted({node for (node,) in store.fetch(_SUBJECTS, (store.texts(bodies), tenant))})


def outlook(store: Store, tenant: int, bodies: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    """When each of these bodies may go (RFC 3339), and why it is held; "" where there is neither."""
    policies, holds = policies_of(store, tenant), open_holds(store, tenant)
    if not policies.all and not holds:
        return {}
    keeps = held(store, tenant, bodies) if holds else {}
    told: dict[str, tuple[str, str]] = {}
    for body in named(store, tenant, bodies) if policies.all else ():
        policy = policies.of(body)
        ends = policy.ends(body.received) if policy else None
        told[body.body] = (rfc3339(ends) if ends is not None else "", "")
    for name, (_, reason) in keeps.items():
        told[name] = (told.get(name, ("", ""))[0], reason)
    return told
