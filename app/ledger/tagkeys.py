"""Which secret a tenant's contents are tagged under, and its end with the first of them that goes.

Of a tenant one secret is in use at a time. It lies in the key store like the key of a content, under a name
at random; the ledger knows its number, its name, and from which event on it has been used. Where a body goes
that may have been tagged under it, the secret ends in the same transaction, and is destroyed like the keys of
contents are: all tags made under it, in the tables, in the database's own logs and in every copy, are names
at random from then on.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import NamedTuple

from app import tables
from app.ledger.bodykeys import BodyKeys
from app.ledger.intern import Head
from app.ledger.store import Session, Store

FIRST = 1

Wrap = Callable[[str], bytes]
"""Makes a secret that can be kept under a name."""


class TagKey(NamedTuple):
    """A secret's number, and its name in the key store."""

    number: int
    name: str


# tenant's name
_CURRENT = (
    "select k.number, k.name from tenant t join tag_key k on k.tenant = t.tenant"
    " where t.name = ? and k.ended is null"
)


def current(of: Session | Store, tenant: str) -> TagKey | None:
    """The secret that is in use."""
    found = of.fetch(_CURRENT, (tenant,))
    return TagKey(*found[0]) if found else None


def begin(session: Session, head: Head, keys: BodyKeys, wrap: Wrap) -> TagKey:
    """Begin the next secret."""
    [(last,)] = session.fetch("select max(number) from tag_key where tenant = ?", (head.tenant,))
    made = TagKey((last or FIRST - 1) + 1, f"tags-{secrets.token_hex(8)}")
    keys.keep(session, [(head.tenant, made.name, wrap(made.name))])
    session.insert(tables.tag_key, [(head.tenant, made.number, made.name, head.seq + 1, None)])
    return made


def end(session: Session, tenant: int, last: int) -> None:
    """End the secret in use, when the event ``last`` came under it."""
    session.run(
        "update tag_key set ended = ? where tenant = ? and ended is null and since <= ?",
        (time.time_ns() // 1000, tenant, last),
    )


def ended(store: Store, tenant: int) -> list[str]:
    """The names of secrets that are still to be destroyed."""
    rows = store.fetch(
        "select name from tag_key where tenant = ? and ended is not null and name is not null", (tenant,)
    )
    return [name for (name,) in rows]


def forget(session: Session, tenant: int, names: list[str]) -> None:
    """Note that these are destroyed; their numbers are never used again."""
    session.many(
        "update tag_key set name = null where tenant = ? and name = ?", [(tenant, name) for name in names]
    )
