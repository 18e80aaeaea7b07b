"""A reported deletion carried out: the key and the bytes of the body go in the transaction that logs the
report.

What stays is a tombstone. A body that comes afterwards under the same id is not stored: a re-delivery, late
or not, never brings it back. Its event can then be compared by source and id alone, since the salt goes too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from app import tables
from app.ledger.intern import Head
from app.ledger.items import Prepared
from app.ledger.store import Session
from provmodel.events import ContentDeleted
from provmodel.times import nanoseconds

DELETED = "deleted"

# bodies, tenant
_GONE = "select t.body from texts(?) i cross join tombstone t where t.tenant = ? and same(t.body, i.value)"


def gone(session: Session, head: Head, bodies: Collection[str]) -> set[str]:
    """Those of these bodies that were deleted before."""
    if not bodies:
        return set()
    found = session.fetch(_GONE, (session.store.texts(sorted(bodies)), head.tenant))
    return {body for (body,) in found}


def erase(session: Session, head: Head, fresh: Iterable[tuple[int, Prepared]]) -> None:
    """Carry out the deletions that these events report as done."""
    reported: dict[str, tuple[int, ContentDeleted]] = {}
    for seq, item in fresh:
        if isinstance(item.event, ContentDeleted) and item.event.done:
            reported.setdefault(item.event.body, (seq, item.event))
    known = gone(session, head, reported.keys())
    for body, (seq, event) in reported.items():
        if body not in known:
            session.insert(tables.tombstone, [_tombstone(head, seq, event)])
            _destroy(session, head, body)


def _tombstone(head: Head, seq: int, event: ContentDeleted) -> tuple[object, ...]:
    return (
        head.tenant,
        event.body,
        _microseconds(event.requested or event.time),
        _microseconds(event.done or event.time),
        event.policy or "",
        event.actor or "",
        event.reason_class or "",
        msgspec.json.encode(event.places).decode(),
        seq,
    )


def _microseconds(time: str) -> int:
    return nanoseconds(time) // 1000


def _destroy(session: Session, head: Head, body: str) -> None:
    session.run(
        "delete from event_salt where tenant = ?"
        " and event in (select event from body where tenant = ? and body = ?)",
        (head.tenant, head.tenant, body),
    )
    session.run("delete from body_key where tenant = ? and body = ?", (head.tenant, body))
    session.run(
        "update body set sealed = null, state = ? where tenant = ? and body = ?",
        (DELETED, head.tenant, body),
    )
