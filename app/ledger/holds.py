"""Legal holds: what must not be deleted, by whose word, and why. A hold beats expiry and any request.

A hold names a body, a run, or a reference (a version, or a thing with all its versions); it holds every body
that is one of these, came with that run, or is the content or a label of that reference, also of what comes
later.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.ledger.store import Session, Store
from app.ledger.weave import DATATYPES
from provmodel import names
from queries.graph import BODY

# bodies, tenant
_OF_BODIES = (
    "select b.body, r.text from texts(?) i cross join body b"
    " join event e on e.tenant = b.tenant and e.seq = b.event"
    " left join word r on r.tenant = e.tenant and r.word = e.run"
    " where b.tenant = ? and b.body = i.value"
)


def open_holds(session: Session | Store, tenant: int) -> dict[str, list[tuple[str, str]]]:
    """Targets of holds that were not lifted, each with (hold, reason)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for target, hold, reason in session.fetch(
        "select target, hold, reason from hold where tenant = ? and lifted is null order by hold", (tenant,)
    ):
        found.setdefault(target, []).append((hold, reason))
    return found


def held(session: Session | Store, tenant: int, bodies: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Those of these bodies that are held, each with a hold and its reason."""
    holds = open_holds(session, tenant)
    if not holds or not bodies:
        return {}
    store = session.store if isinstance(session, Session) else session
    found = {body: holds[body][0] for body in bodies if body in holds}
    for body, run in session.fetch(_OF_BODIES, (store.texts(bodies), tenant)):
        if run in holds:
            found.setdefault(body, holds[run][0])
    for body, target in _held_by_reference(session, tenant, set(bodies) - found.keys(), holds).items():
        found[body] = holds[target][0]
    return found


def _held_by_reference(
    session: Session | Store, tenant: int, bodies: set[str], holds: dict[str, list[tuple[str, str]]]
) -> dict[str, str]:
    """Bodies whose reference, or the thing that it is a version of, is a target: the target of each."""
    held_by: dict[str, str] = {}
    for target in holds:
        for body in bodies_of(session, tenant, target) & bodies:
            held_by.setdefault(body, target)
    return held_by


# spans, tenant
_CONTENT_OF = (
    "select n.ref, t.value from spans(?) s cross join node n"
    " join attribute t on t.tenant = n.tenant and t.node = n.node"
    " join word w on w.tenant = t.tenant and w.word = t.name"
    " where n.tenant = ? and within(n.ref, s.a, s.b)"
    f" and (w.text = 'clew:body' or t.datatype = {DATATYPES.index(BODY)})"
)


def bodies_of(session: Session | Store, tenant: int, ref: str) -> set[str]:
    """The bodies that were brought as content or label of a reference, or of any version of a thing."""
    store = session.store if isinstance(session, Session) else session
    spans = [(ref, f"{ref}\x01"), (f"{ref}@", f"{ref}A"), (f"{ref};by=", f"{ref};by>")]
    found = session.fetch(_CONTENT_OF, (store.spans(spans), tenant))
    return {body for name, body in found if name == ref or names.split(name).thing == ref}
