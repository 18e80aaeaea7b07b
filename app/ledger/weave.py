"""Records of a batch of events to rows of the graph: nodes, attributes, assertions (stated and joined), facts
and the blob.

Both an append and a rebuild weave, so that a replay of the log makes the same rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

from app import tables
from app.ledger import blobs
from app.ledger.intern import Head, Nodes, Words
from app.ledger.joins import Change, Joiner
from app.ledger.memory import SHIFT, Memory
from app.ledger.store import Session, Tuple
from provmodel.mapping.documents import IN_BUNDLE
from provmodel.records import Assertion, Attribute, Datatype, Records, Relation
from provmodel.relations import TERMS, Flow, Kind

DATATYPES: tuple[Datatype, ...] = (
    "string", "qname", "dateTime", "integer", "double", "boolean", "json", "iri", "other", "body",
)  # fmt: skip
"""Their order is part of the store's format: append only. A value of another datatype stands after it and a
blank.
"""

OTHER = DATATYPES.index("other")
_DATATYPE = {name: number for number, name in enumerate(DATATYPES)}
_DESCRIBES = frozenset({"prov:type", IN_BUNDLE})
_MOST = 2**15 - 1  # that the number of an attribute within its event holds
_AGENT = int(Kind.AGENT)
# For each term, under its own flow class and then under each other one of the first argument: its row codes.
_CODES = [
    [tuple(term.code(n, None if n else flow) for n in range(len(term.arguments))) for flow in (None, *Flow)]
    for term in TERMS
]

# Places of columns in a row of assertion.
SOURCE, TARGET, ASSERTION, UNTIL = 1, 3, 4, 13


class Weaver:
    """One batch on its way into one tenant, in one transaction."""

    def __init__(
        self, session: Session, head: Head, memory: Memory, numbers: Mapping[str, int] | None = None
    ) -> None:
        self._session = session
        self._head = head
        self.words = Words(session, head, memory.words)
        self.nodes = Nodes(session, head, memory.nodes, numbers)
        self.rows: list[Tuple] = []
        self.retired: list[blobs.Retired] = []

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
            self._state(seq, records.assertions)
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
        described = {attribute.node for attribute in records.attributes if attribute.name in _DESCRIBES}
        described.add(records.subject)
        self.nodes.state_all(seq, records.nodes, described)

    def _attributes(self, seq: int, attributes: Sequence[Attribute]) -> list[Tuple]:
        """Rows for what an event says of nodes, each thing once."""
        tenant, nodes, words = self._head.tenant, self.nodes, self.words
        rows = [
            (
                tenant,
                nodes[a.node] >> SHIFT,
                seq,
                n,
                words[a.name],
                a.value if a.datatype in _DATATYPE else f"{a.datatype} {a.value}",
                _DATATYPE.get(a.datatype, OTHER),
                a.evidence._value_,
                a.stance._value_,
                nodes[a.asserter] >> SHIFT,
                None,
            )
            for n, a in (enumerate(attributes) if len(attributes) < _MOST else _by_node(attributes))
        ]
        if len({(row[1], row[4], row[5]) for row in rows}) == len(rows):
            return rows
        distinct = {(row[1], *row[4:]): row for row in reversed(rows)}
        return sorted(distinct.values(), key=itemgetter(3))

    # Assertions

    def _state(self, seq: int, assertions: Sequence[Assertion]) -> None:
        """Rows for what the event ``seq`` itself says, each thing once."""
        nodes, words, rows = self.nodes, self.words, self.rows
        tenant, number = self._head.tenant, self._head.assertion
        for assertion, key in _keyed(assertions):
            relation = assertion.relation
            try:
                source = nodes[relation.subject] >> SHIFT
                asserter = nodes[assertion.asserter] >> SHIFT
                targets = [nodes[argument] >> SHIFT for argument in relation.arguments if argument]
            except KeyError:
                source, targets, asserter = self._ends(assertion, seq, nodes.state)
            more = (
                key,
                words[relation.role],
                assertion.evidence._value_,
                assertion.stance._value_,
                asserter,
                words[assertion.method],
                seq,
                seq,
                None,
                None,
                assertion.time,
                assertion.attributes,
            )
            for code, target in zip(codes_of(relation), targets or (0,)):  # noqa: B905 (hot, and as long)
                number += 1
                rows.append((tenant, source, code, target, number, *more))
        self._head.assertion = number

    def _join(self, change: Change) -> None:
        """Rows for what was joined; nodes that only a join names are kept apart."""
        assertion, head = change.assertion, self._head
        source, targets, asserter = self._ends(assertion, change.seq, self.nodes.joined)
        more = self._more(assertion, asserter, change.event, change.seq)
        for code, target in zip(codes_of(assertion.relation), targets or (0,), strict=True):
            head.assertion += 1
            self.rows.append((head.tenant, source, code, target, head.assertion, *more))

    def _ends(
        self, assertion: Assertion, seq: int, number: Callable[[int, str, int], int]
    ) -> tuple[int, list[int], int]:
        """Subject, arguments that are there, and asserter, as nodes of the kinds that they stand as."""
        relation = assertion.relation
        term = relation.term
        source = number(seq, relation.subject, term.subject_kind)
        ends = zip(relation.arguments, term.arguments, strict=False)
        targets = [number(seq, ref, argument.kind) for ref, argument in ends if ref]
        return source, targets, number(seq, assertion.asserter, _AGENT)

    def _more(self, assertion: Assertion, asserter: int, event: int, since: int) -> Tuple:
        """What all rows of an assertion share: the columns from ``relation`` on."""
        relation, words = assertion.relation, self.words
        return (
            relation.key,
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

    def _retire(self, changes: Sequence[Change]) -> None:
        """Give ``until`` to the rows of joined assertions that no longer hold: the oldest equal row that is
        still open.
        """
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
                    self.retired.append((row[ASSERTION], change.seq, row[SOURCE], row[TARGET]))
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
        self.retired.append((row[ASSERTION], until, row[SOURCE], row[TARGET]))

    def _keys(self, change: Change) -> list[Tuple]:
        """What the rows of a joined assertion of this need's event are known by."""
        relation = change.assertion.relation
        source, targets, asserter = self._ends(change.assertion, change.seq, self.nodes.joined)
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
        found = self._session.match(
            f"select {', '.join(f'a.{column.name}' for column in tables.assertion.columns)}"
            " from triples(?) t cross join assertion a where a.tenant = ? and a.source = t.a and a.code = t.b"
            " and a.relation = t.c and a.until is null order by a.assertion",
            wanted,
            (self._head.tenant,),
        )
        stored: dict[Tuple, list[Tuple]] = {}
        for row in found:
            stored.setdefault(_same(row), []).append(row)
        return stored

    def _keep_blob(self, first_seq: int, last_seq: int) -> None:
        data = blobs.pack_rows(self.rows, self.retired, self.words)
        self._session.insert(tables.blob, [(self._head.tenant, first_seq, last_seq, 0, len(self.rows), data)])


def _by_node(attributes: Sequence[Attribute]) -> Iterator[tuple[int, Attribute]]:
    """Attributes counted within their nodes, as a document's are: an event has no more than a few."""
    counts: Counter[str] = Counter()
    for attribute in attributes:
        yield counts[attribute.node], attribute
        counts[attribute.node] += 1


def datatype_of(number: int, value: str) -> tuple[str, Datatype]:
    """A value and its datatype, as they were before they were stored."""
    if number != OTHER:
        return value, DATATYPES[number]
    datatype, _, rest = value.partition(" ")
    return rest, datatype


def _keyed(assertions: Sequence[Assertion]) -> Iterable[tuple[Assertion, int]]:
    """Assertions, each once, with the keys of their relations."""
    keys = [assertion.relation.key for assertion in assertions]
    if len(set(keys)) < len(keys):  # several of one relation: are some the same?
        return dict(zip(assertions, keys, strict=True)).items()
    return zip(assertions, keys)  # noqa: B905 (hot, and as long)


def codes_of(relation: Relation) -> Sequence[int]:
    """The row codes of the arguments that are there; that of the first when none is."""
    flow = relation.flow
    codes = _CODES[relation.term.index][0 if flow is None else flow._value_ + 1]
    if len(codes) == 1:
        return codes
    there = [code for code, argument in zip(codes, relation.arguments, strict=False) if argument]
    return there or codes[:1]


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
