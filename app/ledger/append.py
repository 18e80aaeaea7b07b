"""Events into the log, with all they become, in one transaction under the tenant's lock.

Same source and id with the same content is a duplicate, and nothing is stored. With other content it is a
conflict: both variants are in the log and in the graph, and neither wins.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence, Set
from typing import NamedTuple

from app import tables
from app.ledger import blobs
from app.ledger.bodies import keep
from app.ledger.bodykeys import BodyKeys
from app.ledger.erase import erase
from app.ledger.indexes import FEW, Indexes
from app.ledger.intern import Head, recall
from app.ledger.items import Mark, Outcome, Prepared, grant_of
from app.ledger.memory import SHIFT, Memory
from app.ledger.places import Place, Places
from app.ledger.store import Session, Tuple
from app.ledger.weave import Weaver
from provmodel import mapping
from provmodel.submission import DocumentSubmitted
from queries.adjacency import Fresh

Name = tuple[str, str]
"""An event's source and id."""


class Variant(NamedTuple):
    """An event of some source and id that is there: in the log, or earlier in the batch."""

    seq: int
    digest: bytes
    had_content: bool
    salt: bytes | None
    redelivery: bytes | None

    def equals(self, item: Prepared) -> bool | None:
        """Whether ``item`` is this event again; ``None`` when the content that would tell is gone or was not
        sent.
        """
        if self.salt is not None and self.redelivery is not None and item.same is not None:
            return item.same(self.salt, self.redelivery)
        if self.had_content and (item.same is not None or item.digest == self.digest):
            return None
        return item.digest == self.digest


class Appended(NamedTuple):
    """What an append did, to be told and remembered once it is committed; ``spare`` can go then."""

    head: Head
    outcomes: list[Outcome]
    weaver: Weaver
    places: Places
    spare: list[tuple[str, str]]

    def remember(self, memory: Memory) -> None:
        memory.tenant = self.head.tenant
        if memory.generation == self.head.generation:
            memory.learn(self.weaver.words, self.weaver.nodes, self.places.run_sources)

    def offer(self, indexes: Indexes) -> None:
        """Give an index that is there the rows, if they are few, so that it need not read them back."""
        weaver, head = self.weaver, self.head
        stored = sum(outcome.status in {"recorded", "conflict"} for outcome in self.outcomes)
        if stored and len(weaver.rows) <= FEW and indexes.held(head.tenant):
            few = blobs.few_in(weaver.rows, weaver.retired, weaver.words)
            indexes.offer(head.tenant, head.generation, Fresh(head.seq - stored, head.seq, few))


def append(
    session: Session, head: Head, memory: Memory, keys: BodyKeys, items: Sequence[Prepared]
) -> Appended:
    """Store what is new of ``items``; one outcome for each, in their order. The caller commits."""
    weaver = Weaver(session, head, memory)
    places = Places(session, head, weaver.words, memory)
    stored = _variants(session, head, weaver, items)
    earlier: dict[Name, list[tuple[int, Prepared]]] = {}
    fresh: list[tuple[int, Prepared, Place]] = []
    variants: set[int] = set()
    outcomes = []
    used: set[str] = set()
    for item in items:
        name = (item.event.source, item.event.id)
        before = earlier.setdefault(name, [])
        known = [*stored.get(name, ()), *map(_variant, before)] if stored or before else ()
        outcome = _again(item, known) if known else None
        if outcome is None:
            head.seq += 1
            place = places.note(head.seq, item.event, bool(known))
            fresh.append((head.seq, item, place))
            before.append((head.seq, item))
            outcome = _recorded(head.seq, item, place, known)
            if known:
                variants.add(head.seq)
        outcomes.append(outcome)
    if fresh:
        weaver.weave([(seq, item.records) for seq, item, _ in fresh])
        _log(session, head, weaver, fresh, variants)
        used = keep(session, head, keys, [(seq, item) for seq, item, _ in fresh])
        _keep_documents(session, head, fresh)
        erase(session, head, ((seq, item) for seq, item, _ in fresh))
        places.save()
        weaver.save()
        head.save(session)
    return Appended(head, outcomes, weaver, places, _spare(items, used))


def _spare(items: Sequence[Prepared], used: Set[str]) -> list[tuple[str, str]]:
    """(content, place) of what was put elsewhere for nothing: it was there already, or its event was."""
    bodies = [body for item in items for body in item.bodies]
    return [(b.content, b.place) for b in bodies if b.data is None and b.content not in used]


def _variant(placed: tuple[int, Prepared]) -> Variant:
    seq, item = placed
    return Variant(seq, item.digest, item.computed is not None, item.salt, item.redelivery)


def _again(item: Prepared, known: Sequence[Variant]) -> Outcome | None:
    """The outcome for an event that is there already."""
    answers = [(variant, variant.equals(item)) for variant in known]
    for compared in (True, None):
        for variant, equal in answers:
            if equal is compared:
                return Outcome("duplicate", variant.seq, known[0].seq, content_compared=bool(compared))
    return None


def _marks(item: Prepared, place: Place) -> Mark:
    return item.marks | Mark.LATE if place.late else item.marks


def _recorded(seq: int, item: Prepared, place: Place, known: Sequence[Variant]) -> Outcome:
    marks = _marks(item, place)
    warnings = marks.words if marks else ()
    if known:
        return Outcome("conflict", seq, known[0].seq, warnings=warnings)
    return Outcome("recorded", seq, seq, warnings=warnings)


def _variants(
    session: Session, head: Head, weaver: Weaver, items: Sequence[Prepared]
) -> dict[Name, list[Variant]]:
    """What the log has of the sources and ids of these items."""
    ids: dict[str, set[str]] = {}
    for item in items:
        ids.setdefault(item.event.source, set()).add(item.event.id)
    variants: dict[Name, list[Variant]] = {}
    for source, wanted in ids.items():
        found = session.fetch(
            "select e.id, e.seq, e.digest, e.computed_digest is not null, s.salt, s.digest"
            " from texts(?) i cross join event e by(event_id)"
            " left join event_salt s on s.tenant = e.tenant and s.event = e.seq"
            " where e.tenant = ? and e.source = ? and same(e.id, i.value) order by e.seq",
            (session.store.texts(list(wanted)), head.tenant, weaver.words[source]),
        )
        for name, *rest in found:
            variants.setdefault((source, name), []).append(Variant(*rest))
    return variants


def _log(
    session: Session,
    head: Head,
    weaver: Weaver,
    fresh: Sequence[tuple[int, Prepared, Place]],
    variants: Set[int],
) -> None:
    words, nodes = weaver.words, weaver.nodes
    rows: list[Tuple] = []
    grants: dict[int, int] = {}
    for seq, item, place in fresh:
        event, principal = item.event, item.principal
        if id(principal) not in grants:
            grants[id(principal)] = words[grant_of(principal)]
        # A clock that was set back must not make a later event seem received earlier (see Reader.seq_at).
        head.received = max(head.received, item.received)
        rows.append(
            (
                head.tenant,
                seq,
                place.source,
                event.id,
                place.type,
                place.run,
                place.epoch,
                event.source_number,
                place.highest,
                head.received,
                words[principal.name],
                grants[id(principal)],
                int(principal.vouches),
                mapping.VERSION,
                int(_marks(item, place) | (Mark.VARIANT if seq in variants else Mark.NONE)),
                nodes[item.records.subject] >> SHIFT,
                item.records.lookup or None,
                item.digest,
                None if item.computed is None else hashlib.sha256(item.computed).digest(),
                item.log,
                item.computed,
            )
        )
    session.insert(tables.event, rows)


def _keep_documents(session: Session, head: Head, fresh: Sequence[tuple[int, Prepared, Place]]) -> None:
    """What submitted documents say, beside the events that tell of them."""
    rows: list[Tuple] = []
    for seq, item, _ in fresh:
        event, content = item.event, item.content
        if isinstance(event, DocumentSubmitted) and content:
            digest = bytes.fromhex(event.sha256)
            rows.append((head.tenant, seq, event.id, digest, content.about, content.packed))
    session.insert(tables.document, rows)


def take_head(session: Session, name: str, memory: Memory) -> Head:
    """The tenant's head row under its lock, made when absent; what a rebuild made stale is forgotten."""
    while True:
        number = memory.tenant or _number_of(session, name)
        if number:
            session.enter(number)
            found = session.fetch(
                "select tenant, seq, node, word, assertion, received, generation from tenant where tenant = ?"
                + session.store.for_update,
                (number,),
            )
            head = Head(found[0])
            recall(memory, head)
            return head
        _add_tenant(session, name)


def _number_of(session: Session, name: str) -> int:
    found = session.directory("select tenant from tenant where name = ?", (name,))
    return int(found[0][0]) if found else 0


def _add_tenant(session: Session, name: str) -> None:
    """Give a name the next number, unless another one does so meanwhile."""
    [(last,)] = session.directory("select coalesce(max(tenant), 0) from tenant")
    session.enter(last + 1)
    session.run(
        "insert into tenant (tenant, name, seq, node, word, assertion, received, generation, created)"
        " values (?, ?, 0, 0, 0, 0, 0, 0, ?) on conflict do nothing",
        (last + 1, name, time.time_ns() // 1000),
    )
