"""The graph made again from the log, in one transaction.

The log, the bodies and the dictionaries of words stay. Everything else is dropped and woven again in the order
of the log, event by event as an append would, so each row gets the ``since`` and ``until`` that it had; nodes keep
their integers, so what other processes remember stays right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from app import tables
from app.ledger.append import take_head
from app.ledger.intern import Head
from app.ledger.items import Grant
from app.ledger.memory import SHIFT, Memory
from app.ledger.places import Places
from app.ledger.store import Session, Store
from app.ledger.weave import Weaver
from provmodel import computed, mapping
from provmodel.events import Envelope, Event
from provmodel.evidence import Principal
from provmodel.records import Records

BATCH = 500
"""Events woven at a time; it leaves no mark."""

GRAPH = (
    tables.attribute,
    tables.assertion,
    tables.fact,
    tables.blob,
    tables.node_kind,
    tables.node,
    tables.run_source,
    tables.source_epoch,
    tables.missing,
    tables.source_report,
)
"""What is made from the log, and dropped before it is made again."""

Progress = Callable[[int, int], None]
"""Told (events done, events in all)."""

_LOGGED = (
    "select e.seq, e.log, e.computed, r.text, g.text from event e"
    " join word r on r.tenant = e.tenant and r.word = e.reporter"
    " join word g on g.tenant = e.tenant and g.word = e.principal"
    " where e.tenant = ? and e.seq > ? order by e.seq limit ?"
)
_event: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)  # type: ignore[arg-type]
_grant = msgspec.json.Decoder(Grant)


class Logged(NamedTuple):
    """One event of the log, and what the mapping makes of it now."""

    seq: int
    event: Envelope
    records: Records


def rebuild(store: Store, name: str, progress: Progress = lambda done, total: None) -> int:
    """Make the graph of a tenant again; how many events it was made from. Others write before or after, not between."""
    with store.writing() as session:
        head = take_head(session, name, Memory())
        numbers = dict(session.fetch("select ref, node from node where tenant = ?", (head.tenant,)))
        for table in GRAPH:
            session.run(f"delete from {table.name} where tenant = ?", (head.tenant,))
        head.assertion = 0
        head.generation += 1
        memory = Memory()
        memory.forget(head.generation)
        for batch in logged(session, head):
            _weave(session, head, memory, numbers, batch)
            progress(batch[-1].seq, head.seq)
        head.save(session)
        return head.seq


def logged(session: Session, head: Head) -> Iterator[list[Logged]]:
    """The log of a tenant in its order, a batch at a time."""
    principals: dict[tuple[str, str], Principal] = {}
    after = 0
    while found := session.fetch(_LOGGED, (head.tenant, after, BATCH)):
        batch = []
        for seq, log, tags, reporter, grant in found:
            principal = principals.get((reporter, grant))
            if principal is None:
                principal = principals[reporter, grant] = _grant.decode(grant).principal(reporter)
            event = _event.decode(log)
            known = computed.decode(tags) if tags else ()
            batch.append(Logged(seq, event, mapping.project(event, known, principal)))
        yield batch
        after = batch[-1].seq


def _weave(
    session: Session, head: Head, memory: Memory, numbers: dict[str, int], batch: Sequence[Logged]
) -> None:
    weaver = Weaver(session, head, memory, numbers)
    places = Places(session, head, weaver.words, memory)
    highest = [places.note(item.seq, item.event).highest for item in batch]
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
