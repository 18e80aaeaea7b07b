"""The words of what was committed, taken after the commit.

A row of ``search_text`` holds the words of what one event says of one node with one evidence, or of the
node's own reference; so a search as of a seq, or by evidence, reads the same rows. ``search_head`` says up to
where the log and the nodes have been taken. Cutting text costs about what storing it does, so it is left to
the first search, and to the time in which nobody writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec

from app import tables
from app.ledger.read import Reveal
from app.ledger.search.words import word_of_type, words_of
from app.ledger.store import DOC_BITS, Session, Store, Tuple
from app.ledger.weave import DATATYPES, datatype_of
from provmodel.times import nanoseconds

NAME, LABEL, OTHER, TYPE = 3, 2, 1, 0
"""What a word counts for: in the reference, in a label, in another attribute; a type is asked for by name."""

STATED_BY_NAME = 0
"""The evidence of a reference's own words: nobody needs to say them."""

EVENTS = 500  # of one transaction, so that writers get their turn
NODES = 2000
MOST_WORDS = 2000  # of one row; an index entry of PostgreSQL ends at 1 MiB

UNSEARCHED = frozenset(
    {
        "clew:asserter",
        "clew:body",
        "clew:bodyState",
        "clew:digest",
        "clew:inBundle",
        "clew:skipped",
        "clew:tagAlg",
    }
)
"""Attributes that are handles and tags, and nothing that anyone would look for by a word."""

_LABEL = "prov:label"
_TYPE = "prov:type"
_OWN_TYPE = "clew:"
_TIME = DATATYPES.index("dateTime")
_BODY = DATATYPES.index("body")

_HEADS = (
    "select t.tenant, t.seq, t.node, coalesce(s.seq, 0), coalesce(s.node, 0), coalesce(s.doc, 0)"
    " from tenant t left join search_head s on s.tenant = t.tenant where t.tenant = ?"
)
_NEW_NODES = (
    "select n.node, n.ref, coalesce(n.joined, n.event) from node n"
    " where n.tenant = ? and n.node > ? and n.node <= ? order by n.node limit ?"
)
_NODES = (
    "select n.node, n.ref, coalesce(n.joined, n.event) from ints(?) i cross join node n"
    " where n.tenant = ? and n.node = i.value order by n.node"
)
_ATTRIBUTE = "select t.node, t.event, w.text, t.value, t.datatype, t.evidence from "
_NEW_ATTRIBUTES = (
    f"{_ATTRIBUTE} attribute t by(attribute_event) cross join word w"
    " where t.tenant = ? and t.event > ? and t.event <= ? and w.tenant = t.tenant and w.word = t.name"
    " order by t.event, t.node"
)
_ATTRIBUTES = (
    f"{_ATTRIBUTE} ints(?) i cross join attribute t cross join word w"
    " where t.tenant = ? and t.node = i.value and t.event <= ? and w.tenant = t.tenant and w.word = t.name"
    " order by t.event, t.node"
)
_LOGS = "select e.seq, e.log from ints(?) i cross join event e where e.tenant = ? and e.seq = i.value"
_DOCS_OF = (
    "select s.doc, s.words from ints(?) i cross join search_text s by(search_text_node)"
    " where s.tenant = ? and s.node = i.value"
)


class _Timed(msgspec.Struct):
    time: str


_timed = msgspec.json.Decoder(_Timed)


class Text(NamedTuple):
    """What one event says of one node with one evidence, as words; ``at`` is the event's own time in
    microseconds since 1970.
    """

    node: int
    event: int
    field: int
    evidence: int
    at: int
    words: tuple[str, ...]


class Taken(NamedTuple):
    """How far a tenant's log goes, and how far its words have been taken."""

    tenant: int
    seq: int
    node: int
    taken_seq: int
    taken_node: int
    doc: int

    @property
    def behind(self) -> bool:
        return self.taken_seq < self.seq or self.taken_node < self.node


def taken(store: Store, name: str) -> Taken:
    """Where the index of a tenant stands; a tenant without events has an empty one."""
    store = store.of(name)
    found = store.fetch(_HEADS, (store.tenant,))
    return Taken(*found[0]) if found else Taken(0, 0, 0, 0, 0, 0)


def catch_up(store: Store, name: str, reveal: Reveal | None = None) -> bool:
    """Take the words of the next events, in one transaction; whether that was all there were."""
    if not taken(store, name).behind:
        return True
    with store.of(name).writing() as session:
        head = _lock(session, name)
        seq = min(head.seq, head.taken_seq + EVENTS)
        named = session.fetch(_NEW_NODES, (head.tenant, head.taken_node, head.node, NODES))
        said = _opened(session.fetch(_NEW_ATTRIBUTES, (head.tenant, head.taken_seq, seq)), name, reveal)
        doc = _write(session, head.tenant, head.doc, _texts(session, head.tenant, named, said))
        node = named[-1][0] if named else head.node
        _move(session, head.tenant, seq, node, doc)
        return seq == head.seq and node == head.node


def take_again(session: Session, name: str, nodes: Sequence[int], reveal: Reveal | None = None) -> None:
    """Forget every word of these nodes, and take anew those of what the tables say of them now.

    For erasure: once a label or an attribute is gone from ``attribute``, this removes its words from
    ``search_text`` and from the index over it, in the same transaction. On SQLite the index is merged to one
    piece, so that none of its older pieces holds the words; give all nodes at once. What pages that were
    freed still hold is the database's to overwrite.
    """
    head = _lock(session, name)
    given = session.store.ints(nodes)
    rows = session.fetch(_DOCS_OF, (given, head.tenant))
    session.unindex(rows)
    docs = [(head.tenant, doc) for doc, _ in rows]
    session.many("delete from search_text where tenant = ? and doc = ?", docs)
    named = [row for row in session.fetch(_NODES, (given, head.tenant)) if row[0] <= head.taken_node]
    said = _opened(session.fetch(_ATTRIBUTES, (given, head.tenant, head.taken_seq)), name, reveal)
    doc = _write(session, head.tenant, head.doc, _texts(session, head.tenant, named, said))
    _move(session, head.tenant, head.taken_seq, head.taken_node, doc)


def _opened(said: Sequence[Tuple], name: str, reveal: Reveal | None) -> list[Tuple]:
    """Labels are held by bodies: what these say, and nothing where they are gone."""
    bodies = [row[3] for row in said if row[4] == _BODY]
    if not bodies:
        return list(said)
    texts = reveal(name, bodies) if reveal else {}
    return [
        (*row[:3], texts[row[3]], 0, *row[5:]) if row[4] == _BODY else row
        for row in said
        if row[4] != _BODY or row[3] in texts
    ]


def forget_all(session: Session, tenant: int) -> None:
    """Drop the words of a tenant; the next :func:`catch_up` begins at the start of the log."""
    session.run("delete from search_text where tenant = ?", (tenant,))
    session.run("delete from search_head where tenant = ?", (tenant,))
    session.index_anew()


def differences(session: Session, tenant: int, name: str, reveal: Reveal | None) -> Iterator[int]:
    """Nodes of which the index holds other words than the tables say; for ``clew db fsck``.

    Where labels can't be opened, nodes that have one are left out.
    """
    found = session.fetch("select s.seq, s.node from search_head s where s.tenant = ?", (tenant,))
    seq, last = found[0] if found else (0, 0)
    after = 0
    while named := session.fetch(_NEW_NODES, (tenant, after, last, NODES)):
        after = named[-1][0]
        given = session.store.ints([row[0] for row in named])
        raw = session.fetch(_ATTRIBUTES, (given, tenant, seq))
        said = _opened(raw, name, reveal)
        closed = {row[0] for row in raw if row[4] == _BODY} if reveal is None else set()
        wanted = sorted(_row(tenant, text) for text in _texts(session, tenant, named, said))
        there = sorted(session.fetch(_STORED, (given, tenant)))
        if wanted != there:
            yield from sorted({row[0] for row in set(wanted) ^ set(there)} - closed)
    extra = "select distinct s.node from search_text s where s.tenant = ? and s.node > ?"
    yield from (node for (node,) in session.fetch(extra, (tenant, last)))


def is_whole(session: Session, tenant: int) -> bool:
    """Whether the index over ``search_text`` holds exactly its words. Compared by sums of hashes, which take
    no memory.
    """
    indexed = session.indexed(tenant)
    if indexed is None:
        return True
    there = sum(hash(pair) for pair in indexed)
    rows = session.fetch("select s.doc, s.words from search_text s where s.tenant = ?", (tenant,))
    return there == sum(hash((word, doc)) for doc, words in rows for word in words.split())


_STORED = (
    "select s.node, s.event, s.field, s.evidence, s.at, s.words"
    " from ints(?) i cross join search_text s by(search_text_node) where s.tenant = ? and s.node = i.value"
)


def _lock(session: Session, name: str) -> Taken:
    """The heads, that of the index held until the transaction ends: words are taken by one at a time."""
    tenant = session.store.of(name).tenant
    session.run(
        "insert into search_head (tenant, seq, node, doc) values (?, 0, 0, 0) on conflict do nothing",
        (tenant,),
    )
    session.fetch("select s.seq from search_head s where s.tenant = ?" + session.store.for_update, (tenant,))
    return Taken(*session.fetch(_HEADS, (tenant,))[0])


def _move(session: Session, tenant: int, seq: int, node: int, doc: int) -> None:
    session.run(
        "update search_head set seq = ?, node = ?, doc = ? where tenant = ?", (seq, node, doc, tenant)
    )


def _write(session: Session, tenant: int, last: int, texts: Iterable[Text]) -> int:
    """Store texts under the numbers that follow ``last``; the last of them."""
    base = tenant << DOC_BITS
    rows: list[Tuple] = [(tenant, base + n, *_row(tenant, text)) for n, text in enumerate(texts, last + 1)]
    session.insert(tables.search_text, rows)
    session.index([(doc, words) for _, doc, *_, words in rows])
    return last + len(rows)


def _row(tenant: int, text: Text) -> Tuple:
    return (*text[:-1], " ".join([f"{tenant}.{word}" for word in text.words]))


def _texts(session: Session, tenant: int, named: Sequence[Tuple], said: Sequence[Tuple]) -> Iterator[Text]:
    """The words of references, then those of what events say."""
    times = _times(session, tenant, {row[2] for row in named} | {row[1] for row in said})
    for node, ref, event in named:
        yield from _split(node, event, NAME, STATED_BY_NAME, times.get(event, 0), words_of(ref))
    for (event, node), rows in groupby(said, lambda row: (row[1], row[0])):
        yield from _of_event(node, event, times.get(event, 0), rows)


def _of_event(node: int, event: int, at: int, rows: Iterable[Tuple]) -> Iterator[Text]:
    """What one event says of one node: a text for each evidence, even when it holds no word, since it says
    that something was said then.
    """
    words: dict[tuple[int, int], set[str]] = {}
    for _, _, name, value, datatype, evidence in rows:
        if name == _TYPE:
            words.setdefault((TYPE, evidence), set()).add(word_of_type(value))
        found = words.setdefault((LABEL if name == _LABEL else OTHER, evidence), set())
        if is_searched(name, value) and datatype != _TIME:
            found |= words_of(datatype_of(datatype, value)[0])
    for (field, evidence), found in sorted(words.items()):
        yield from _split(node, event, field, evidence, at, found)


def is_searched(name: str, value: str) -> bool:
    """Whether the words of an attribute are looked for; Clew's own types are asked for as kinds."""
    return name not in UNSEARCHED and not (name == _TYPE and value.startswith(_OWN_TYPE))


def _split(node: int, event: int, field: int, evidence: int, at: int, words: set[str]) -> Iterator[Text]:
    ordered = tuple(sorted(words))
    for start in range(0, len(ordered) or 1, MOST_WORDS):
        yield Text(node, event, field, evidence, at, ordered[start : start + MOST_WORDS])


def _times(session: Session, tenant: int, events: set[int]) -> dict[int, int]:
    """When each event says that it happened, in microseconds since 1970."""
    found = session.fetch(_LOGS, (session.store.ints(sorted(events)), tenant))
    return {seq: nanoseconds(_timed.decode(log).time) // 1000 for seq, log in found}
