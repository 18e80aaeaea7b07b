"""Bodies in the ledger: kept with their events, once for equal contents, and taken out again.

A content goes in three steps, each of which may be the last before a crash: no body refers to it any more and
its bytes are gone from the database (in one transaction with the tombstones); its key is destroyed; its bytes
are gone from the other place, and its row too. ``unwanted`` finds what is on the way.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from app import tables
from app.ledger.bodykeys import BodyKeys
from app.ledger.intern import Head
from app.ledger.items import Prepared, Sealed
from app.ledger.store import Session, Store
from app.ledger.tagkeys import end

DELETED = "deleted"
KEY_STORE = "key store"
AT_A_TIME = 2000

# bodies, tenant
_GONE = "select t.body from texts(?) i cross join tombstone t where t.tenant = ? and t.body = i.value"
_ROWS = (
    "select b.body, b.event, b.content from texts(?) i cross join body b"
    " where b.tenant = ? and b.body = i.value and b.content is not null"
)


def gone(session: Session, head: Head, bodies: Collection[str]) -> set[str]:
    """Those of these bodies that were deleted before, or are to be."""
    if not bodies:
        return set()
    found = session.fetch(_GONE, (session.store.texts(sorted(bodies)), head.tenant))
    return {body for (body,) in found}


def keep(session: Session, head: Head, keys: BodyKeys, fresh: Sequence[tuple[int, Prepared]]) -> set[str]:
    """Store the bodies of new events; what was deleted before never comes back. Returns the contents that
    they now have.
    """
    bodies = [(seq, body) for seq, item in fresh for body in item.bodies]
    if not bodies and all(item.salt is None for _, item in fresh):
        return set()
    tenant = head.tenant
    deleted = gone(session, head, {body.id for _, body in bodies})
    kept = [body for _, body in bodies if body.id not in deleted]
    contents = _keep_contents(session, tenant, keys, kept)
    session.insert(
        tables.body,
        [
            (tenant, b.id, seq, b.cls, b.kind, b.label, DELETED, b.media_type, b.size, None)
            if b.id in deleted
            else (
                tenant,
                b.id,
                seq,
                b.cls,
                b.kind,
                b.label,
                b.state,
                b.media_type,
                b.size,
                contents[b.content],
            )
            for seq, b in bodies
        ],
    )
    session.insert(
        tables.event_salt,
        [
            (tenant, seq, item.salt, item.redelivery)
            for seq, item in fresh
            if item.salt is not None and not any(body.id in deleted for body in item.bodies)
        ],
    )
    return set(contents.values())


def keep_apart(session: Session, tenant: int, keys: BodyKeys, b: Sealed, event: int) -> None:
    """Store a body that no event brought, under a number that no event has."""
    content = _keep_contents(session, tenant, keys, [b])[b.content]
    row = (tenant, b.id, event, b.cls, b.kind, b.label, b.state, b.media_type, b.size, content)
    session.insert(tables.body, [row])


def _keep_contents(session: Session, tenant: int, keys: BodyKeys, kept: Sequence[Sealed]) -> dict[str, str]:
    """Store what is not there yet; for each content the one that stands for it."""
    if not kept:
        return {}
    there = _there(session, tenant, [body.digest for body in kept if body.digest])
    stands: dict[str, str] = {}
    counts: dict[str, int] = {}
    fresh: dict[str, Sealed] = {}
    for body in kept:
        known = there.get(body.digest) if body.digest else None
        if known is None:
            known = body.content
            fresh[known] = body
            if body.digest:
                there[body.digest] = known
        stands[body.content] = known
        counts[known] = counts.get(known, 0) + 1
    keys.keep(session, [(tenant, content, body.wrapped_key) for content, body in fresh.items()])
    session.insert(
        tables.content,
        [
            (tenant, content, body.digest, counts[content], body.place, body.size, body.segments, body.data)
            for content, body in fresh.items()
        ],
    )
    session.many(
        "update content set bodies = bodies + ? where tenant = ? and content = ?",
        [(count, tenant, content) for content, count in counts.items() if content not in fresh],
    )
    return stands


def _there(session: Session, tenant: int, digests: Sequence[bytes]) -> dict[bytes, str]:
    """Contents of these digests that are in the store."""
    found: dict[bytes, str] = {}
    for start in range(0, len(digests), AT_A_TIME // 4):
        some = digests[start : start + AT_A_TIME // 4]
        marks = ", ".join("?" * len(some))
        rows = session.fetch(
            f"select digest, content from content where tenant = ? and digest in ({marks})", (tenant, *some)
        )
        found.update((bytes(digest), content) for digest, content in rows)
    return found


Went = dict[str, set[str]]
"""For each body, the places from which its content went with it: none when another body shares it."""


def let_go(session: Session, tenant: int, bodies: Sequence[str]) -> Went:
    """Take these bodies' contents away from them; a content that no other body shares loses its bytes and
    its digest here, and is unwanted from then on. Salts of their events go as well.
    """
    went: Went = {}
    for start in range(0, len(bodies), AT_A_TIME):
        some = session.store.texts(bodies[start : start + AT_A_TIME])
        rows = session.fetch(_ROWS, (some, tenant))
        if not rows:
            continue
        counts: dict[str, int] = {}
        for _, _, content in rows:
            counts[content] = counts.get(content, 0) + 1
        places = _release(session, tenant, counts)
        for body, _, content in rows:
            went.setdefault(body, set()).update(places.get(content, ()))
        session.many(
            "delete from event_salt where tenant = ? and event = ?",
            sorted({(tenant, event) for _, event, _ in rows}),
        )
        end(session, tenant, max(event for _, event, _ in rows))
        session.many(
            f"update body set content = null, state = '{DELETED}'"
            " where tenant = ? and body = ? and event = ?",
            [(tenant, body, event) for body, event, _ in rows],
        )
    return went


def _release(session: Session, tenant: int, counts: dict[str, int]) -> dict[str, tuple[str, ...]]:
    """Count these bodies out; for each content that none has any more, the places where it is."""
    session.many(
        "update content set bodies = bodies - ? where tenant = ? and content = ?",
        [(count, tenant, content) for content, count in counts.items()],
    )
    some = session.store.texts(list(counts))
    rows = session.fetch(
        "select c.content, c.place from texts(?) i cross join content c"
        " where c.tenant = ? and c.content = i.value and c.bodies = 0",
        (some, tenant),
    )
    session.many(
        "update content set data = null, digest = null where tenant = ? and content = ?",
        [(tenant, content) for content, _ in rows],
    )
    return {content: (place, KEY_STORE) for content, place in rows}


def unwanted(store: Store, tenant: int, limit: int = AT_A_TIME) -> list[tuple[str, str]]:
    """(content, place) of contents whose key, or bytes elsewhere, are still to be destroyed."""
    found = store.fetch(
        "select c.content, c.place from content c by(content_unwanted)"
        " where c.tenant = ? and c.bodies = 0 limit ?",
        (tenant, limit),
    )
    return [(content, place) for content, place in found]


def known(store: Store, tenant: int, contents: Sequence[str]) -> set[str]:
    """Those of these contents that have a row."""
    rows = store.fetch(
        "select c.content from texts(?) i cross join content c where c.tenant = ? and c.content = i.value",
        (store.texts(contents), tenant),
    )
    return {content for (content,) in rows}


def forget(session: Session, tenant: int, contents: Sequence[str]) -> None:
    """Delete the rows of unwanted contents, once their keys and bytes are gone."""
    session.run(
        "delete from content where tenant = ? and bodies = 0 and content in (select i.value from texts(?) i)",
        (tenant, session.store.texts(contents)),
    )
