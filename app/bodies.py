"""Reading a body back: by its own id, or by the reference whose content it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from app.content import SealedBody, Vault
from app.ledger import Ledger
from app.ledger.reports import rfc3339
from provmodel.errors import ClewError
from provmodel.records import Tombstone
from queries.targets import choose

# bodies, tenant
_SEALED = (
    "select b.body, b.event, b.class, b.media_type, b.size, b.state, b.sealed, k.wrapped"
    " from texts(?) i cross join body b"
    " left join body_key k on k.tenant = b.tenant and k.body = b.body and k.event = b.event"
    " where b.tenant = ? and same(b.body, i.value) order by b.event, b.body"
)
_TOMBSTONES = (
    "select t.body, t.done, t.requested, t.policy, t.actor, t.reason_class, t.places"
    " from texts(?) i cross join tombstone t where t.tenant = ? and same(t.body, i.value) order by t.body"
)


class Gone(ClewError):
    """The reader must accept: the content was deleted. The tombstone says when, by whom and under which
    policy.
    """

    def __init__(self, ref: str, tombstones: Sequence[Tombstone]) -> None:
        super().__init__(f"the content of {ref} was deleted; its place in the graph stays")
        self.tombstones = tuple(tombstones)


class NotCaptured(ClewError):
    """The reader must accept: the thing is known, and its content was never recorded."""

    def __init__(self, ref: str) -> None:
        super().__init__(f"the content of {ref} was never captured")


class Opened(msgspec.Struct, frozen=True):
    """A body in the clear. ``of`` counts the bodies that were delivered for the reference; this is the first
    of them.
    """

    body: str
    media_type: str
    state: str
    content: bytes
    of: int


class Bodies:
    """The bodies of one tenant."""

    def __init__(self, ledger: Ledger, vault: Vault, tenant: str) -> None:
        self._store = ledger.store
        self._graph = ledger.graph(tenant)
        self._vault = vault
        self._name = tenant

    def open(self, ref: str) -> Opened:
        """The content of a reference, or of a body by its id.

        Raises NotFound, Ambiguous, NotCaptured, or Gone with the tombstones. Of several bodies that events
        brought for one reference the one of the earliest event is opened.
        """
        found = self._rows(_SEALED, [ref])
        names = [ref] if found else self._bodies_of(ref)
        rows = found or self._rows(_SEALED, names)
        for body, _, kind, media_type, size, state, sealed, wrapped in rows:
            if sealed is None or wrapped is None:
                continue
            row = SealedBody(
                id=body,
                cls=kind,
                media_type=media_type,
                size=size,
                state=state,
                wrapped_key=bytes(wrapped),
                data=bytes(sealed),
            )
            return Opened(body, media_type, state, self._vault.open_body(self._name, row), len(rows))
        if rows:
            raise Gone(ref, self._tombstones(names))
        raise NotCaptured(ref)

    def _bodies_of(self, ref: str) -> list[str]:
        head = self._graph.head()
        [chosen] = choose(self._graph, [ref], head)
        said = self._graph.attributes([chosen.id], head, ("clew:body",)).get(chosen.id, [])
        return sorted({row.value for row in said})

    def _tombstones(self, names: Sequence[str]) -> list[Tombstone]:
        return [
            Tombstone(
                body,
                "" if done is None else rfc3339(done),
                rfc3339(requested),
                policy,
                actor,
                reason,
                tuple(msgspec.json.decode(places, type=list[str])),
            )
            for body, done, requested, policy, actor, reason, places in self._rows(_TOMBSTONES, names)
        ]

    def _rows(self, statement: str, names: Sequence[str]) -> list[Any]:
        tenant = self._store.fetch("select tenant from tenant where name = ?", (self._name,))
        return self._store.fetch(statement, (self._store.texts(names), tenant[0][0])) if tenant else []
