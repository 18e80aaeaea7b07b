"""Submitted PROV documents: which there are, and what each says, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

import msgspec

from app.ledger import Ledger
from app.ledger.documents import Damage, content_of
from app.ledger.reports import decode_log, rfc3339
from app.ledger.store import Store
from app.listing import Lists, Page
from provmodel import names
from provmodel.document import Document
from provmodel.errors import Ambiguous, NotFound, StoreTrouble
from provmodel.mapping.documents import Reading
from provmodel.submission import SCHEME, DocumentSubmitted, ref_of
from queries.hiding import NOTHING
from queries.redacting import names_hidden
from queries.restricted import hiding_of

NEAR = 8  # names that an error tells of
_EVERY = 256  # documents read at a time


class About(Reading, frozen=True, kw_only=True):
    """What is told of a document without unpacking it; it is kept beside it.

    ``bundles`` are the IRIs of those in it, ``namespaces`` those of the IRIs that its attributes name,
    ``remarks`` how many things its reader noticed.
    """

    format: str
    size: int
    statements: int
    remarks: int = 0
    bundles: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()


class DocumentEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One document that was submitted. ``document`` is its name, ``ref`` the node that it is: a bundle.
    ``conflict`` is True when another document was submitted under this name by the same source.
    """

    document: str
    ref: str
    source: str
    submitter: str
    received: str
    seq: int
    conflict: bool
    sha256: str
    size: int
    format: str
    evidence_cap: str | None
    statements: int
    entities: int
    activities: int
    agents: int
    relations: int
    bundles: tuple[str, ...]
    evidence: dict[str, int]
    capped: dict[str, int]
    not_interpreted: dict[str, int]


class DocumentList(Page, frozen=True, kw_only=True):
    """Documents in the order in which they were submitted."""

    documents: list[DocumentEntry]


_ENTRY = (
    "select d.event, d.about, e.received, p.text, e.log, exists (select 1 from event o by(event_id)"
    " where o.tenant = e.tenant and o.source = e.source and same(o.id, e.id) and o.seq <> e.seq"
    " and o.seq <= ?) from document d join event e on e.tenant = d.tenant and e.seq = d.event"
    " join word p on p.tenant = e.tenant and p.word = e.reporter"
)
# as_of, tenant, after, as_of, what to leave out, limit
_PAGE = f"{_ENTRY} where d.tenant = ? and d.event > ? and d.event <= ?{{but}} order by d.event limit ?"
# tenant, as_of, what to leave out
_COUNT = "select count(*) from document d where d.tenant = ? and d.event <= ?{but}"
_BUT = " and d.event not in (select i.value from ints(?) i)"
# tenant, after
_SEQS = "select d.event from document d where d.tenant = ? and d.event > ? order by d.event"
# names, tenant
_BY_NAME = (
    "select d.event, d.name, d.digest from texts(?) i cross join document d"
    " where d.tenant = ? and same(d.name, i.value) order by d.event"
)
# tenant, digest
_BY_DIGEST = "select d.event, d.name, d.digest from document d where d.tenant = ? and d.digest = ?"
# tenant, seq
_LOG = "select e.log from event e where e.tenant = ? and e.seq = ?"
# tenant, what to leave out, limit
_SOME = "select distinct d.name from document d where d.tenant = ?{but} order by d.name limit ?"
_about = msgspec.json.Decoder(About)


class Documents:
    """The documents of one tenant."""

    def __init__(self, ledger: Ledger, lists: Lists, tenant: str, base: str) -> None:
        self._store: Store = ledger.store.of(tenant)
        self._lists = lists
        self._graph = ledger.graph(tenant)
        self._name = tenant
        self._base = base
        self._looked_at = NOTHING
        self._held_back: set[int] = set()
        self._last = 0
        self._looking = Lock()

    def page(self, as_of: str = "", cursor: str = "", limit: int = 100) -> DocumentList:
        """Documents, the oldest first."""
        sheet = self._lists.sheet("documents", as_of, cursor)
        at, start = sheet.as_of, int(sheet.place or 0)
        but, hidden = self._but()
        rows = self._store.fetch(_PAGE.format(but=but), (at, self._tenant, start, at, *hidden, limit + 1))
        total = self._store.fetch(_COUNT.format(but=but), (self._tenant, at, *hidden))[0][0]
        more = sheet.cursor(str(rows[limit - 1][0])) if len(rows) > limit else ""
        entries = [_entry(row) for row in rows[:limit]]
        return DocumentList(as_of=at, total=total, cursor=more, documents=entries)

    def find(self, asked: str) -> int:
        """The seq of the document of that name, reference, IRI or digest.

        Raises :class:`NotFound`, or :class:`Ambiguous` when several were submitted under the name.
        """
        text = names.bare(asked)
        text = text.removeprefix(self._base)
        name = names.split(text)
        digest = name.value if name.pin == "sha256" else text.removeprefix("sha256:")
        if _is_digest(digest):
            found = self._store.fetch(_BY_DIGEST, (self._tenant, bytes.fromhex(digest)))
            whole = [row for row in found if text == ref_of(row[1], digest)]
            found = whole or found
        else:
            wanted = name.thing.removeprefix(f"{SCHEME}:")
            found = self._store.fetch(_BY_NAME, (self._store.texts([text, wanted]), self._tenant))
        but, hidden = self._but()
        left_out = self._hidden() if hidden else frozenset()
        found = [row for row in found if row[0] not in left_out]
        refs = {ref_of(row[1], bytes(row[2]).hex()): row[0] for row in found}
        if len(refs) > 1:
            raise Ambiguous(asked, tuple(sorted(refs)[:NEAR]), "document")
        if not refs:
            known = self._store.fetch(_SOME.format(but=but), (self._tenant, *hidden, NEAR))
            raise NotFound(asked, tuple(one for (one,) in known))
        return int(max(refs.values()))

    def known_as(self, sha256: str, source: str) -> str | None:
        """The name of the first document of this digest that this source submitted."""
        for seq, name, _ in sorted(self._store.fetch(_BY_DIGEST, (self._tenant, bytes.fromhex(sha256)))):
            if self._event(seq).source == source:
                return str(name)
        return None

    def content(self, seq: int) -> Document:
        """What the document that was submitted at ``seq`` says; raises :class:`StoreTrouble` for damage."""
        try:
            return content_of(self._store.fetch, self._tenant, seq, self._event(seq))
        except Damage as damage:
            remedy = "bring the log back from a backup, then run `clew db fsck`"
            raise StoreTrouble(f"event {seq} of the log {damage}; {remedy}") from None

    def all(self) -> list[DocumentEntry]:
        """Every document, the oldest first."""
        found: list[DocumentEntry] = []
        page = self.page(limit=_EVERY)
        while True:
            found += page.documents
            if not page.cursor:
                return found
            page = self.page(cursor=page.cursor, limit=_EVERY)

    def _but(self) -> tuple[str, tuple[Any, ...]]:
        """The condition that leaves out what is not for the reader, if anything is hidden from him."""
        hidden = sorted(self._hidden())
        return (_BUT, (self._store.ints(hidden),)) if hidden else ("", ())

    def _hidden(self) -> frozenset[int]:
        """The documents that name what is hidden from the reader: they are given whole or not at all."""
        hiding = hiding_of(self._graph)
        if not hiding:
            return frozenset()
        with self._looking:
            if self._looked_at is not hiding:
                self._looked_at, self._held_back, self._last = hiding, set(), 0
            for (seq,) in self._store.fetch(_SEQS, (self._tenant, self._last)):
                if names_hidden(msgspec.to_builtins(self.content(seq)), hiding):
                    self._held_back.add(seq)
                self._last = seq
            return frozenset(self._held_back)

    @property
    def _tenant(self) -> int:
        return self._store.tenant

    def _event(self, seq: int) -> DocumentSubmitted:
        [(log,)] = self._store.fetch(_LOG, (self._tenant, seq))
        return _submitted(log)


def read_about(text: str) -> About:
    """What is kept about a document."""
    return _about.decode(text)


def _submitted(log: bytes) -> DocumentSubmitted:
    event = decode_log(log)
    if not isinstance(event, DocumentSubmitted):
        raise StoreTrouble("a document belongs to an event that is none; run `clew db fsck`")
    return event


def _is_digest(text: str) -> bool:
    return len(text) == 64 and all(one in "0123456789abcdef" for one in text)


def _entry(row: Sequence[Any]) -> DocumentEntry:
    seq, text, received, submitter, log, conflict = row
    about, event = read_about(text), _submitted(log)
    return DocumentEntry(
        document=event.id,
        ref=event.ref,
        source=event.source,
        submitter=submitter,
        received=rfc3339(received),
        seq=seq,
        conflict=bool(conflict),
        sha256=event.sha256,
        size=event.size,
        format=event.format,
        evidence_cap=event.evidence,
        statements=about.statements,
        entities=about.entities,
        activities=about.activities,
        agents=about.agents,
        relations=about.relations,
        bundles=about.bundles,
        evidence=about.evidence,
        capped=about.capped,
        not_interpreted=about.not_interpreted,
    )
