"""Compare the log with its digests, and the graph with what the log makes of it.

The log is woven once more into a scratch ledger with the same integers for nodes and words, and each table is
compared row by row in the order of its key. What follows from a damaged event can't be told, so rows of such
events are left out and only the damage is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from app import tables
from app.ledger import blobs, schema
from app.ledger.append import take_head
from app.ledger.documents import Damage, content_of
from app.ledger.intern import Head
from app.ledger.memory import Memory
from app.ledger.read import Reveal
from app.ledger.rebuild import BATCH, read_log, weave_batch
from app.ledger.reports import decode_log
from app.ledger.search import index
from app.ledger.sqlite import Sqlite
from app.ledger.store import Session, Store, Tuple
from provmodel.errors import StoreTrouble
from provmodel.relations import term_of
from provmodel.submission import DOCUMENT, DocumentSubmitted

if TYPE_CHECKING:
    from sqlalchemy import Table

MOST = 100
"""Findings of one kind; more are the same trouble."""

Progress = Callable[[int, int], None]
REBUILD = "run `clew db rebuild`"
RESTORE = "bring the log back from a backup, then run `clew db rebuild`"


class Finding(msgspec.Struct, frozen=True):
    """One thing that is not as it should be: its kind, where it is, what is wrong, and what to do."""

    kind: str
    where: str
    what: str
    remedy: str


class _Checked(msgspec.Struct, frozen=True):
    """A table that the log makes, what its rows are called, and the columns that hold seqs of events."""

    table: Table
    name: str
    seqs: tuple[str, ...]


def _checked() -> tuple[_Checked, ...]:
    return (
        _Checked(tables.node, "node", ("event", "joined", "described")),
        _Checked(tables.node_kind, "kind of a node", ("event",)),
        _Checked(tables.assertion, "edge", ("event", "since", "until")),
        _Checked(tables.attribute, "attribute", ("event",)),
        _Checked(tables.fact, "fact for joining", ("event",)),
        _Checked(tables.run_source, "source of a run", ("seq",)),
        _Checked(tables.source_epoch, "source and epoch", ("first_seq", "last_seq")),
        _Checked(tables.missing, "range of missing numbers", ("since", "until")),
        _Checked(tables.source_report, "report of a source", ("seq",)),
    )


def fsck(
    store: Store,
    name: str,
    progress: Progress = lambda done, total: None,
    reveal: Reveal | None = None,
) -> list[Finding]:
    """What is wrong with a tenant; empty when nothing is. Writers wait meanwhile. ``reveal`` opens labels, so
    that their words can be compared, too.
    """
    with store.writing() as session, TemporaryDirectory(prefix="clew-fsck-") as folder:
        head = take_head(session, name, Memory())
        findings = list(islice(_log(session, head), MOST))
        findings += list(islice(_documents(session, head), MOST))
        damaged = {int(finding.where.removeprefix("event ")) for finding in findings if finding.kind == "log"}
        scratch = Sqlite(Path(folder) / "scratch.db")
        try:
            schema.make(scratch)
            with scratch.writing() as made:
                _weave(session, made, head, damaged, progress)
                for checked in _checked():
                    findings += islice(_compare(session, made, head, checked, damaged), MOST)
        finally:
            scratch.close()
        findings += islice(_blobs(session, head), MOST)
        findings += islice(_words(session, head, name, reveal), MOST)
        return findings


def _log(session: Session, head: Head) -> Iterator[Finding]:
    """Seqs without a gap, and events that match their digests."""
    expected = 0
    for found in _pages(session, tables.event, head, ("seq", "log", "digest", "computed", "computed_digest")):
        seq, log, digest, tags, tags_digest = found
        expected += 1
        if seq != expected:
            what = f"events {expected} to {seq - 1} are not there"
            yield Finding("seq", f"event {expected}", what, RESTORE)
            expected = seq
        if sha256(log).digest() != digest:
            yield Finding("log", f"event {seq}", "the event does not match its digest", RESTORE)
        elif (None if tags is None else sha256(tags).digest()) != tags_digest:
            what = "what was computed from its bodies does not match its digest"
            yield Finding("log", f"event {seq}", what, RESTORE)
    if expected != head.seq:
        what = f"the head says {head.seq} events, the log ends at {expected}"
        yield Finding("seq", f"event {expected + 1}", what, RESTORE)


def _documents(session: Session, head: Head) -> Iterator[Finding]:
    """Submitted documents that are what the log says of them."""
    for seq, log, digest in session.fetch(
        "select e.seq, e.log, e.digest from event e join word t on t.tenant = e.tenant and t.word = e.type"
        " where e.tenant = ? and t.text = ? order by e.seq",
        (head.tenant, DOCUMENT),
    ):
        event = decode_log(log) if sha256(log).digest() == digest else None
        if isinstance(event, DocumentSubmitted):
            try:
                content_of(session.fetch, head.tenant, seq, event)
            except Damage as damage:
                yield Finding("log", f"event {seq}", f"the event {damage}", RESTORE)


def _weave(session: Session, made: Session, head: Head, damaged: set[int], progress: Progress) -> None:
    """The graph again, in the scratch ledger, with the same integers."""
    numbers: dict[str, int] = dict(
        session.fetch("select ref, node from node where tenant = ?", (head.tenant,))
    )
    words: dict[str, int] = dict(
        session.fetch("select text, word from word where tenant = ?", (head.tenant,))
    )
    again = Head((head.tenant, 0, head.node, head.word, 0, 0, head.generation))
    memory = Memory()
    memory.forget(head.generation)
    memory.learn(words, {}, set())
    for batch in read_log(session, head, damaged):
        weave_batch(made, again, memory, numbers, batch)
        memory.words.update(words)
        progress(batch[-1].seq if batch else head.seq, head.seq)


def _compare(
    session: Session, made: Session, head: Head, checked: _Checked, damaged: set[int]
) -> Iterator[Finding]:
    """Rows that only one side has, or that differ, by a merge of both in the order of the key."""
    columns = checked.table.columns.keys()
    keys = len(checked.table.primary_key.columns)
    order = [column.name for column in checked.table.primary_key.columns]
    order += [column for column in columns if column not in order]
    seqs = [order.index(column) for column in checked.seqs]

    def rows(of: Session) -> Iterator[Tuple]:
        found = _pages(of, checked.table, head, order)
        return (row for row in found if not any(row[place] in damaged for place in seqs))

    there, wanted = rows(session), rows(made)
    one, other = next(there, None), next(wanted, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one[:keys] < other[:keys]):
            assert one is not None  # noqa: S101 (for the type checker: the loop's condition)
            yield _finding(session, checked, order, one, "is there, and no event makes it")
            one = next(there, None)
        elif one is None or other[:keys] < one[:keys]:
            yield _finding(session, checked, order, other, "is missing, and an event makes it")
            other = next(wanted, None)
        else:
            if one != other:
                changed = [name for name, a, b in zip(order, one, other, strict=True) if a != b]
                yield _finding(session, checked, order, one, f"differs in {', '.join(changed)}")
            one, other = next(there, None), next(wanted, None)


def _finding(session: Session, checked: _Checked, order: Sequence[str], row: Tuple, what: str) -> Finding:
    values = dict(zip(order, row, strict=True))
    if checked.table is tables.assertion:
        where = _edge(session, values)
    else:
        where = ", ".join(f"{name} {value}" for name, value in values.items() if name != "tenant")[:200]
    return Finding(checked.name, where, f"the {checked.name} {what}", REBUILD)


def _edge(session: Session, values: dict[str, int]) -> str:
    """An edge as a person reads it."""
    ends = [values["source"], values["target"]]
    found = session.fetch(
        "select n.node, n.ref from ints(?) i cross join node n where n.tenant = ? and n.node = i.value",
        (session.store.ints(ends), values["tenant"]),
    )
    refs: dict[int, str] = dict(found)
    source, target = (refs.get(node, f"node {node}") for node in ends)
    return f"{source} {term_of(values['code']).name} {target} (event {values['event']})"


def _pages(session: Session, table: Table, head: Head, columns: Sequence[str]) -> Iterator[Tuple]:
    """All rows of a tenant in the order of the table's key, a page at a time."""
    keys = [column.name for column in table.primary_key.columns if column.name != "tenant"]
    places = [list(columns).index(key) for key in keys]
    after: Tuple | None = None
    listed, ordered = ", ".join(columns), ", ".join(keys)
    marks = ", ".join("?" * len(keys))
    while True:
        where = "tenant = ?" + (f" and ({ordered}) > ({marks})" if after is not None else "")
        page = session.fetch(
            f"select {listed} from {table.name} where {where} order by {ordered} limit {BATCH * 4}",
            (head.tenant, *(after or ())),
        )
        yield from page
        if len(page) < BATCH * 4:
            return
        after = tuple(page[-1][place] for place in places)


def _words(session: Session, head: Head, name: str, reveal: Reveal | None) -> Iterator[Finding]:
    """The words for searching against the tables that they come from, and the index against the words."""
    for node in index.differences(session, head.tenant, name, reveal):
        what = "its words for searching are not those of its reference and attributes"
        yield Finding("search", f"node {node}", what, REBUILD)
    if not index.is_whole(session, head.tenant):
        yield Finding("search", "index", "the index does not hold the words that it was given", REBUILD)


def _blobs(session: Session, head: Head) -> Iterator[Finding]:
    """The packed edges against the rows, in the order in which both came."""
    packed: dict[int, tuple[int, Tuple]] = {}
    retired: dict[int, Tuple] = {}
    for first, data in session.fetch(
        "select first_seq, data from blob where tenant = ? order by first_seq", (head.tenant,)
    ):
        try:
            edges = blobs.unpack(data)
        except StoreTrouble as error:
            yield Finding("blob", f"blob from event {first}", str(error), REBUILD)
            continue
        columns = zip(
            edges.source, edges.code, edges.target, edges.relation, edges.weight, edges.since, strict=True
        )
        for number, row in enumerate(columns, edges.first):
            packed[number] = (first, row)
        ends = zip(edges.until, edges.retired_source, edges.retired_target, strict=True)
        retired.update(zip(edges.retired, ends, strict=True))
    for number, until, source, code, target, relation, evidence, stance, since, role in session.fetch(
        "select a.assertion, a.until, a.source, a.code, a.target, a.relation, a.evidence, a.stance, a.since,"
        " w.text from assertion a join word w on w.tenant = a.tenant and w.word = a.role where a.tenant = ?",
        (head.tenant,),
    ):
        first, found = packed.pop(number, (0, ()))
        row = (source, code, target, relation, blobs.weight_of(evidence, stance, role), since)
        gone = None if until is None else (until, source, target)
        if found != row or retired.get(number) != gone:
            where = f"blob from event {first}" if first else f"assertion {number}"
            yield Finding("blob", where, f"edge {number} is not packed as it is stored", REBUILD)
    for number, (first, _) in packed.items():
        yield Finding("blob", f"blob from event {first}", f"edge {number} is packed and not stored", REBUILD)
