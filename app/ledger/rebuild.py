"""The graph made again from the log, in one transaction.

The log, the bodies and the dictionaries of words stay. Everything else is dropped and woven again in the
order of the log, event by event as an append would, so each row gets the ``since`` and ``until`` that it had;
nodes keep their integers, so what other processes remember stays right. The words for searching are dropped
with it, and taken anew when the graph is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from hashlib import sha256
from typing import NamedTuple

import msgspec

from app.ledger.append import take_head
from app.ledger.documents import Damage, content_of
from app.ledger.intern import Head
from app.ledger.items import Grant, Mark
from app.ledger.memory import SHIFT, Memory
from app.ledger.places import Places
from app.ledger.reports import decode_log
from app.ledger.search import index
from app.ledger.store import Session, Store
from app.ledger.weave import Weaver
from provmodel import computed, mapping
from provmodel.errors import StoreTrouble
from provmodel.events import Envelope
from provmodel.evidence import Principal
from provmodel.mapping.documents import project_document
from provmodel.records import Records
from provmodel.submission import DocumentSubmitted

BATCH = 500
"""Events woven at a time; it leaves no mark."""

GRAPH = (
    "attribute",
    "assertion",
    "fact",
    "blob",
    "node_kind",
    "node",
    "run_source",
    "source_epoch",
    "missing",
    "source_report",
)
"""The tables that are made from the log, and emptied before they are made again."""

Progress = Callable[[int, int], None]
"""Told (events done, events in all)."""

_LOGGED = (
    "select e.seq, e.log, e.digest, e.computed, e.computed_digest, r.text, g.text, e.marks from event e"
    " join word r on r.tenant = e.tenant and r.word = e.reporter"
    " join word g on g.tenant = e.tenant and g.word = e.principal"
    " where e.tenant = ? and e.seq > ? order by e.seq limit ?"
)
_grant = msgspec.json.Decoder(Grant)


class Logged(NamedTuple):
    """One event of the log, what the mapping makes of it now, and whether it came as a variant of another."""

    seq: int
    event: Envelope
    records: Records
    is_variant: bool


class Damaged(StoreTrouble):
    """An event of the log is not what it was when it was written."""

    def __init__(self, seq: int, what: str) -> None:
        remedy = "bring the log back from a backup, then run `clew db fsck`"
        super().__init__(f"event {seq} of the log {what}; {remedy}")


def rebuild(store: Store, name: str, progress: Progress = lambda done, total: None) -> int:
    """Make the graph of a tenant again; how many events it was made from. Others write before or after.

    Raises :class:`Damaged` for an event that was changed since it was logged; nothing is touched then.
    """
    with store.writing() as session:
        head = take_head(session, name, Memory())
        known = session.fetch("select ref, node from node where tenant = ?", (head.tenant,))
        numbers: dict[str, int] = dict(known)
        for table in GRAPH:
            session.run(f"delete from {table} where tenant = ?", (head.tenant,))
        index.forget_all(session, head.tenant)
        head.assertion = 0
        head.generation += 1
        memory = Memory()
        memory.forget(head.generation)
        for batch in read_log(session, head):
            weave_batch(session, head, memory, numbers, batch)
            progress(batch[-1].seq if batch else head.seq, head.seq)
        head.save(session)
        return head.seq


def read_log(session: Session, head: Head, without: Set[int] = frozenset()) -> Iterator[list[Logged]]:
    """The log of a tenant in its order, a batch at a time, but for the seqs that are to be left out."""
    principals: dict[tuple[str, str], Principal] = {}
    after = 0
    while found := session.fetch(_LOGGED, (head.tenant, after, BATCH)):
        after = found[-1][0]
        batch = []
        for seq, log, digest, tags, tags_digest, reporter, grant, marks in found:
            if seq in without:
                continue
            if sha256(log).digest() != digest:
                raise Damaged(seq, "does not match its digest")
            if tags is not None and sha256(tags).digest() != tags_digest:
                raise Damaged(seq, "has computed tags that do not match their digest")
            if (reporter, grant) not in principals:
                principals[reporter, grant] = _grant.decode(grant).principal(reporter)
            event, principal = decode_log(log), principals[reporter, grant]
            if isinstance(event, DocumentSubmitted):
                records = _of_document(session, head, seq, event, principal)
            else:
                records = mapping.project(event, computed.decode(tags) if tags else (), principal)
            batch.append(Logged(seq, event, records, marks >= Mark.VARIANT))
        yield batch


def _of_document(
    session: Session, head: Head, seq: int, event: DocumentSubmitted, principal: Principal
) -> Records:
    try:
        document = content_of(session.fetch, head.tenant, seq, event)
    except Damage as damage:
        raise Damaged(seq, str(damage)) from None
    return project_document(event, document, principal).records


def weave_batch(
    session: Session, head: Head, memory: Memory, numbers: dict[str, int], batch: Sequence[Logged]
) -> None:
    """Weave a batch as an append would; ``numbers`` are the integers that nodes had."""
    weaver = Weaver(session, head, memory, numbers)
    places = Places(session, head, weaver.words, memory)
    highest = [places.note(item.seq, item.event, item.is_variant).highest for item in batch]
    weaver.weave([(item.seq, item.records) for item in batch])
    session.many(
        "update event set node = ?, highest = ?, lookup = ?, mapping = ? where tenant = ? and seq = ?",
        [
            (
                weaver.nodes[item.records.subject] >> SHIFT,
                high,
                item.records.lookup or None,
                mapping.VERSION,
                head.tenant,
                item.seq,
            )
            for item, high in zip(batch, highest, strict=True)
        ],
    )
    places.save()
    weaver.save()
    memory.learn(weaver.words, weaver.nodes, places.run_sources)
