"""Records of a batch of events to rows of the graph: nodes, attributes, assertions (stated and joined), facts and the blob.

Both an append and a rebuild weave, so that a replay of the log makes the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app import tables
from app.ledger import blobs
from app.ledger.intern import Head, Nodes, Words
from app.ledger.joins import Change, Joiner
from app.ledger.memory import SHIFT, Memory
from app.ledger.store import Session, Tuple
from provmodel.records import Assertion, Attribute, Datatype, Records, Relation, relation_key
from provmodel.relations import Kind

DATATYPES: tuple[Datatype, ...] = ("string", "qname", "dateTime", "integer", "double", "boolean", "json")
"""Their order is part of the store's format: append only."""

_DATATYPE = {name: number for number, name in enumerate(DATATYPES)}
_TYPE = "prov:type"
_AGENT = int(Kind.AGENT)
_COLUMNS = tables.assertion.columns.keys()
_codes: dict[tuple[int, int, int | None], int] = {}

# Places of columns in a row of assertion.
ASSERTION, UNTIL = 4, 13


class Weaver:
    """One batch on its way into one tenant, in one transaction."""

    def __init__(self, session: Session, head: Head, memory: Memory) -> None:
        self._session = session
        self._head = head
        self.words = Words(session, head, memory.words)
        self.nodes = Nodes(session, head, memory.nodes)
        self.rows: list[Tuple] = []
        self.retired: list[tuple[int, int]] = []

    def weave(self, events: Sequence[tuple[int, Records]]) -> None:
        """Store what (seq, records) in the order of the log amount to."""
        joiner = Joiner(self._session, self._head)
        joiner.run(events)
        self._load_nodes(events, (*joiner.added, *joiner.retired))
        attributes: list[Tuple] = []
        added = _by_seq(joiner.added)
        for seq, records in events:
            self._name(seq, records)
            attributes += self._attributes(seq, records.attributes)
            stated: set[Tuple] = set()
            for assertion in records.assertions:
                self._state(seq, assertion, stated)
            for change in added.get(seq, ()):
                self._join(change)
        self._retire(joiner.retired)
        self._session.insert(tables.assertion, self.rows)
        self._session.insert(tables.attribute, attributes)
        joiner.save(self.nodes)
        if events and (self.rows or self.retired):
            self._keep_blob(events[0][0], events[-1][0])

    def save(self) -> None:
        """Store what is new in the dictionaries."""
        self.nodes.save()
        self.words.save()

    # Nodes and attributes

    def _load_nodes(self, events: Iterable[tuple[int, Records]], changes: Iterable[Change]) -> None:
        refs: dict[str, int] = {}
        for _, records in events:
            refs.update(records.nodes)
        for change in changes:
            relation = change.assertion.relation
            refs[relation.subject] = 0
            refs[change.assertion.asserter] = 0
            refs.update((argument, 0) for argument in relation.arguments if argument is not None)
        self.nodes.load(refs)

    def _name(self, seq: int, records: Records) -> None:
        described = {attribute.node for attribute in records.attributes if attribute.name == _TYPE}
        described.add(records.subject)
        state, nodes = self.nodes.state, records.nodes
        for ref, kind in nodes.items():
            state(seq, ref, kind, ref in described)
        for ref in described:
            if ref not in nodes:
                state(seq, ref, 0, True)

    def _attributes(self, seq: int, attributes: Sequence[Attribute]) -> Iterable[Tuple]:
        tenant, nodes, words = self._head.tenant, self.nodes, self.words
        distinct = {
            (
                nodes[a.node] >> SHIFT,
                words[a.name],
                a.value,
                _DATATYPE[a.datatype],
                int(a.evidence),
                int(a.stance),
                nodes[a.asserter] >> SHIFT,
            ): None
            for a in attributes
        }
        return [(tenant, node, seq, n, *more, None) for n, (node, *more) in enumerate(distinct)]

    # Assertions

    def _state(self, seq: int, assertion: Assertion, stated: set[Tuple]) -> None:
        """Rows for what the event ``seq`` itself says; ``stated`` is what it has said already."""
        relation, state = assertion.relation, self.nodes.state
        term = relation.term
        source = state(seq, relation.subject, term.subject_kind, False)
        asserter = state(seq, assertion.asserter, _AGENT, False)
        targets = [
            state(seq, ref, term.arguments[n].kind, False) for n, ref in enumerate(relation.arguments) if ref
        ]
        more = self._more(assertion, asserter, seq, seq)
        if more not in stated:
            stated.add(more)
            self._add(relation, source, targets, more)

    def _join(self, change: Change) -> None:
        """Rows for what was joined; nodes that only a join names are kept apart."""
        source, targets, asserter = self._joined_ends(change)
        self._add(
            change.assertion.relation,
            source,
            targets,
            self._more(change.assertion, asserter, change.event, change.seq),
        )

    def _joined_ends(self, change: Change) -> tuple[int, list[int], int]:
        relation, seq, joined = change.assertion.relation, change.seq, self.nodes.joined
        term = relation.term
        source = joined(seq, relation.subject, term.subject_kind)
        targets = [
            joined(seq, ref, term.arguments[n].kind) for n, ref in enumerate(relation.arguments) if ref
        ]
        return source, targets, joined(seq, change.assertion.asserter, _AGENT)

    def _more(self, assertion: Assertion, asserter: int, event: int, since: int) -> Tuple:
        """What all rows of an assertion share: the columns from ``relation`` on."""
        relation, words = assertion.relation, self.words
        return (
            relation_key(relation.term.name, relation.subject, relation.arguments, relation.role),
            words[relation.role],
            int(assertion.evidence),
            int(assertion.stance),
            asserter,
            words[assertion.method],
            event,
            since,
            None,
            None,
            assertion.time,
            assertion.attributes,
        )

    def _add(self, relation: Relation, source: int, targets: Sequence[int], more: Tuple) -> None:
        """One row for each argument that is there; one with target 0 for a relation without any."""
        head = self._head
        for code, target in zip(codes_of(relation), targets or (0,), strict=True):
            head.assertion += 1
            self.rows.append((head.tenant, source, code, target, head.assertion, *more))

    def _retire(self, changes: Sequence[Change]) -> None:
        """Give ``until`` to the rows of joined assertions that no longer hold: the oldest equal row that is still open."""
        if not changes:
            return
        wanted = [key for change in changes for key in self._keys(change)]
        stored = self._stored(wanted)
        pending: dict[Tuple, list[int]] = {}
        for index, row in enumerate(self.rows):
            pending.setdefault(_same(row), []).append(index)
        updates = []
        for change in changes:
            for key in self._keys(change):
                if stored.get(key):
                    row = stored[key].pop(0)
                    updates.append((change.seq, *row[: ASSERTION + 1]))
                    self.retired.append((row[ASSERTION], change.seq))
                else:
                    self._retire_pending(pending[key].pop(0), change.seq)
        self._session.many(
            "update assertion set until = ?"
            " where tenant = ? and source = ? and code = ? and target = ? and assertion = ?",
            updates,
        )

    def _retire_pending(self, index: int, until: int) -> None:
        row = self.rows[index]
        self.rows[index] = (*row[:UNTIL], until, *row[UNTIL + 1 :])
        self.retired.append((row[ASSERTION], until))

    def _keys(self, change: Change) -> list[Tuple]:
        """What the rows of a joined assertion of this need's event are known by."""
        relation = change.assertion.relation
        source, targets, asserter = self._joined_ends(change)
        number, _, *more = self._more(change.assertion, asserter, change.event, change.seq)
        evidence, stance, asserter, method, event, *_, time, attributes = more
        shared = (number, evidence, stance, asserter, method, event, time, attributes)
        return [
            (source, code, target, *shared)
            for code, target in zip(codes_of(relation), targets or (0,), strict=True)
        ]

    def _stored(self, keys: Sequence[Tuple]) -> dict[Tuple, list[Tuple]]:
        """The open rows in the table that have one of these keys, oldest first."""
        wanted = list({(source, code, relation) for source, code, _, relation, *_ in keys})
        found = self._session.fetch(
            f"select {', '.join(f'a.{name}' for name in _COLUMNS)}"
            " from triples(?) t cross join assertion a where a.tenant = ? and a.source = t.a and a.code = t.b"
            " and a.relation = t.c and a.until is null order by a.assertion",
            (self._session.store.triples(wanted), self._head.tenant),
        )
        stored: dict[Tuple, list[Tuple]] = {}
        for row in found:
            stored.setdefault(_same(row), []).append(row)
        return stored

    def _keep_blob(self, first_seq: int, last_seq: int) -> None:
        data = blobs.pack(blobs.edges_of(self.rows, self.retired))
        self._session.insert(tables.blob, [(self._head.tenant, first_seq, last_seq, 0, len(self.rows), data)])


def codes_of(relation: Relation) -> list[int]:
    """The row codes of the arguments that are there; that of the first when none is."""
    positions = [n for n, argument in enumerate(relation.arguments) if argument] or [0]
    return [_code(relation, position) for position in positions]


def _code(relation: Relation, position: int) -> int:
    key = (relation.term.index, position, relation.flow)
    code = _codes.get(key)
    if code is None:
        code = _codes[key] = relation.code(position)
    return code


def _same(row: Tuple) -> Tuple:
    """What two rows of one assertion share: all but when they hold."""
    (
        _,
        source,
        code,
        target,
        _,
        relation,
        _,
        evidence,
        stance,
        asserter,
        method,
        event,
        *_,
        time,
        attributes,
    ) = row
    return source, code, target, relation, evidence, stance, asserter, method, event, time, attributes


def _by_seq(changes: Sequence[Change]) -> dict[int, list[Change]]:
    grouped: dict[int, list[Change]] = {}
    for change in changes:
        grouped.setdefault(change.seq, []).append(change)
    return grouped
