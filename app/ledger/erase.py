"""A reported deletion carried out: the content goes from its body in the transaction that logs the report.

What stays is a tombstone. A body that comes afterwards under the same id is not stored: a re-delivery, late
or not, never brings it back. Its event can then be compared by source and id alone, since the salt goes too.
A legal hold is stronger: what it holds stays, and the tombstone says that the deletion was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from app import tables
from app.ledger.bodies import DELETED, gone, let_go
from app.ledger.holds import held
from app.ledger.intern import Head
from app.ledger.items import Prepared
from app.ledger.store import Session
from provmodel.events import ContentDeleted
from provmodel.times import nanoseconds

__all__ = ["DELETED", "erase", "gone"]


def erase(session: Session, head: Head, fresh: Iterable[tuple[int, Prepared]]) -> None:
    """Carry out the deletions that these events report as done."""
    reported: dict[str, tuple[int, ContentDeleted]] = {}
    for seq, item in fresh:
        if isinstance(item.event, ContentDeleted) and item.event.done:
            reported.setdefault(item.event.body, (seq, item.event))
    if not reported:
        return
    known = gone(session, head, reported.keys())
    kept = held(session, head.tenant, list(reported))
    session.many(
        "update tombstone set done = ?, places = ?, event = ? where tenant = ? and body = ? and done is null",
        [
            (_microseconds(event.done or event.time), _places(event), seq, head.tenant, body)
            for body, (seq, event) in reported.items()
            if body in known and body not in kept
        ],
    )
    new = {body: told for body, told in reported.items() if body not in known}
    session.insert(
        tables.tombstone, [_tombstone(head, *told, done=body not in kept) for body, told in new.items()]
    )
    let_go(session, head.tenant, [body for body in reported if body not in kept])


def _tombstone(head: Head, seq: int, event: ContentDeleted, done: bool) -> tuple[object, ...]:
    return (
        head.tenant,
        event.body,
        _microseconds(event.requested or event.time),
        _microseconds(event.done or event.time) if done else None,
        event.policy or "",
        event.actor or "",
        event.reason_class or "",
        event.reason.id if event.reason else None,
        _places(event),
        seq,
    )


def _places(event: ContentDeleted) -> str:
    return msgspec.json.encode(event.places).decode()


def _microseconds(time: str) -> int:
    return nanoseconds(time) // 1000
