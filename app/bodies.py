"""Reading a body back: by its own id, or by the reference whose content it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from app.content import SealedBody, Vault
from app.ledger import Ledger
from app.ledger.backup import Backup
from app.ledger.reports import rfc3339
from app.ledger.retaining import contents_of, tombstones_after
from provmodel.errors import ClewError, StoreTrouble
from provmodel.records import Tombstone
from queries.restricted import hiding_of
from queries.targets import choose

# bodies, tenant
_SEALED = (
    "select b.body, b.class, b.media_type, b.size, b.state, b.content, c.place, c.segments, c.data"
    " from texts(?) i cross join body b"
    " left join content c on c.tenant = b.tenant and c.content = b.content"
    " where b.tenant = ? and b.body = i.value order by b.event, b.body"
)
NEVER = 2**63 - 1
_TOMBSTONES = (
    "select t.body, t.done, t.requested, t.policy, t.actor, t.reason_class, t.reason, t.places"
    " from texts(?) i cross join tombstone t where t.tenant = ? and t.body = i.value order by t.body"
)


class Gone(ClewError):
    """The reader must accept: the content was deleted. The tombstone says when, by whom and under which
    policy.
    """

    def __init__(self, ref: str, tombstones: Sequence[Tombstone]) -> None:
        super().__init__(f"the content of {ref} was deleted; its place in the graph stays")
        self.tombstones = tuple(tombstones)


class NotCaptured(ClewError):
    """The reader must accept: the thing is known, and its content was never recorded. ``reported`` says that
    it was there, as its producer tells; else nobody spoke of content at all.
    """

    def __init__(self, ref: str, reported: bool = False) -> None:
        there = f"the content of {ref} was never captured: it was there, and its producer did not send it"
        super().__init__(
            there if reported else f"no content of {ref} was ever sent to Clew; it is only named"
        )


class Opened:
    """A body that can be read. ``of`` counts the bodies that were delivered for the reference; this is the
    first of them that is there. ``size`` is in bytes.
    """

    def __init__(self, vault: Vault, tenant: str, row: SealedBody, of: int) -> None:
        self.body = row.id
        self.media_type = row.media_type
        self.state = row.state
        self.size = row.size
        self.of = of
        self._vault = vault
        self._tenant = tenant
        self._row = row

    def read(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """The content from byte ``start`` to before ``end``, in pieces; raises ``StoreTrouble``."""
        return self._vault.open_range(self._tenant, self._row, start, end)

    @property
    def content(self) -> bytes:
        """All of it."""
        return b"".join(self.read())


class Bodies:
    """The bodies of one tenant."""

    def __init__(self, ledger: Ledger, vault: Vault, tenant: str) -> None:
        self._ledger = ledger
        self._store = ledger.store.of(tenant)
        self._vault = vault
        self._name = tenant

    def open(self, ref: str) -> Opened:
        """The content of a reference, or of a body by its id.

        Raises NotFound, Ambiguous, NotCaptured, or Gone with the tombstones. Of several bodies that events
        brought for one reference the one of the earliest event is opened.
        """
        names, rows = self._named(ref)
        for row in rows:
            sealed = self._sealed(row)
            if sealed is not None:
                return Opened(self._vault, self._name, sealed, len(rows))
        if rows:
            raise Gone(ref, self.tombstones(names))
        raise self._not_captured(ref)

    def stay_gone(self, ref: str, node: int, label: bool = False) -> None:
        """Raise Gone when the content, or the labels, of a node were deleted and none is left: whatever comes
        for it now would bring them back.
        """
        names = contents_of(self._store, self._tenant, node, label)
        if names and all(row[5] is None for row in self._rows(_SEALED, names)):
            raise Gone(ref, self.tombstones(names))

    def _not_captured(self, ref: str) -> NotCaptured:
        graph = self._ledger.graph(self._name)
        head = graph.head()
        [chosen] = choose(graph, [ref], head, "ref")
        said = graph.attributes([chosen.id], head, ("clew:bodyState",)).get(chosen.id, [])
        return NotCaptured(ref, any(row.value == "never_captured" for row in said))

    def has(self, body: str) -> bool:
        """Whether there is, or was, a body of this id."""
        return bool(self._rows(_SEALED, [body]))

    def names_of(self, ref: str) -> list[str]:
        """The ids of the bodies that a reference stands for, deleted ones too, or of that one body itself.

        Raises NotFound, Ambiguous or NotCaptured.
        """
        names, rows = self._named(ref)
        if not rows:
            raise self._not_captured(ref)
        return names

    def _named(self, ref: str) -> tuple[list[str], list[Any]]:
        found = self._rows(_SEALED, [hiding_of(self._ledger.graph(self._name)).asked(ref)])
        names = [ref] if found else self._bodies_of(ref)
        return names, found or self._rows(_SEALED, names)

    def texts(self, names: Sequence[str]) -> dict[str, str]:
        """What short bodies of text say, by their ids; those that are gone are left out."""
        found: dict[str, str] = {}
        rows = [row for row in self._rows(_SEALED, sorted(set(names))) if row[5] is not None]
        keys = self._keys([row[5] for row in rows])
        for row in rows:
            sealed = _to_sealed(row, keys)
            if sealed is not None:
                text = self._vault.open_body(self._name, sealed).decode(errors="replace")
                found.setdefault(sealed.id, text)
        return found

    def _sealed(self, row: Any) -> SealedBody | None:
        """A body with its key; None when its content is gone."""
        content = row[5]
        return None if content is None else _to_sealed(row, self._keys([content]))

    def _keys(self, contents: Sequence[str]) -> dict[str, bytes]:
        return self._ledger.keys.get(self._tenant, contents) if contents else {}

    def _bodies_of(self, ref: str) -> list[str]:
        graph = self._ledger.graph(self._name)
        head = graph.head()
        [chosen] = choose(graph, [ref], head, "ref")
        said = graph.attributes([chosen.id], head, ("clew:body",)).get(chosen.id, [])
        return sorted({row.value for row in said})

    def tombstones(self, names: Sequence[str]) -> list[Tombstone]:
        """What stays of these bodies, those that were deleted or are to be."""
        found = self._rows(_TOMBSTONES, names)
        backups = self._ledger.backups()
        return [_tombstone(row, backups) for row in found]

    def deletions(self, state: str, after: str, limit: int) -> tuple[int, list[Tombstone]]:
        """How many tombstones there are in this state (requested, done, or "" for either), and those after
        a body, by the ids of their bodies.
        """
        total, rows = tombstones_after(self._store, self._tenant, state, after, limit)
        backups = self._ledger.backups()
        return total, [_tombstone(row, backups) for row in rows]

    @property
    def _tenant(self) -> int:
        return self._store.tenant

    def _rows(self, statement: str, names: Sequence[str]) -> list[Any]:
        tenant = self._tenant
        return self._store.fetch(statement, (self._store.texts(names), tenant)) if tenant else []


def _to_sealed(row: Any, keys: Mapping[str, bytes]) -> SealedBody | None:
    body, cls, media_type, size, state, content, place, segments, data = row
    if content not in keys:
        raise StoreTrouble(
            f"the key of the body {body} is not in the key store; put the key store back from its backup, or"
            " delete the body: nothing else opens it"
        )
    return SealedBody(
        id=body,
        cls=cls,
        media_type=media_type,
        size=size,
        state=state,
        content=content,
        digest=None,
        wrapped_key=keys[content],
        data=None if data is None else bytes(data),
        segments=None if segments is None else bytes(segments),
        place=place,
    )


STILL_PROVABLE = (
    "that it was there, its size, media type and class, and when it came with which event",
    "which activities used and made it, and what was derived from it: every edge stays",
    "which of its values equalled those of other bodies of the run, as far as that was compared when it came",
)
NO_LONGER_PROVABLE = (
    "what it said",
    "whether a text that is shown now is the one that was there",
    "whether a derivation from it was right: it can't be made again",
)


def _tombstone(row: Any, backups: Sequence[Backup]) -> Tombstone:
    body, done, requested, policy, actor, why, reason, places = row
    holding = [copy for copy in backups if copy.made < (done or NEVER)]
    return Tombstone(
        body=body,
        state="requested" if done is None else "done",
        done="" if done is None else rfc3339(done),
        requested=rfc3339(requested),
        policy=policy,
        actor=actor,
        reason_class=why,
        reason=reason or "",
        places=tuple(msgspec.json.decode(places, type=list[str])),
        backups=tuple([copy.told() for copy in holding]),
        provable=STILL_PROVABLE,
        lost=NO_LONGER_PROVABLE,
    )
