"""The rights that a credential may hold. Nothing is implied by anything else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from provmodel.errors import BadQuestion, one_of

Scope = Literal["ingest", "graph:read", "content:read", "retention:manage", "export", "access:read", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
MEANINGS: dict[Scope, str] = {
    "ingest": "report events, documents and bodies",
    "graph:read": "ask questions and look at nodes, runs, events and sources; work through cases",
    "content:read": "read bodies",
    "retention:manage": "set policies and holds, and delete content",
    "export": "take the graph away as PROV",
    "access:read": "read who read what",
    "admin": "make and revoke keys, read the server's metrics",
}


def scopes_of(words: Iterable[str]) -> frozenset[Scope]:
    """The scopes that these words name; raises :class:`BadQuestion` for another word."""
    found: set[Scope] = set()
    for word in words:
        known = [scope for scope in SCOPES if scope == word]
        if not known:
            raise BadQuestion("scope", f"{word!r} is no scope", one_of(SCOPES))
        found.update(known)
    return frozenset(found)
