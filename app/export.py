"""What a format writes: the graph of a tenant or a selection of it, read from the ledger in pieces.

A feed gives nodes and relations in the order of their references, as they stand at one seq of the log, and
holds no more of them at a time than a piece: beside it some 13 bytes a node, for their order, their kinds
and which relations they are subjects of.

What was joined has no event of its own: which of several equal events the ledger kept for it depends on
arrival, and an export must not. A joined assertion is one that Clew makes, or a generation that a
verification speaks of.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from app.bundles import Bundles
from app.ledger import Ledger
from app.ledger.memory import DESCRIBED, KINDS
from app.ledger.sqlite import Sqlite
from app.ledger.store import Store
from app.ledger.weave import DATATYPES, datatype_of
from provmodel.document import Bundle
from provmodel.events import Verification
from provmodel.evidence import Evidence, Stance
from provmodel.mapping.documents import ORIGIN
from provmodel.mapping.saying import encoded
from provmodel.names import CLEW
from provmodel.relations import (
    GENERATION,
    Kind,
    Term,
    term_of,
)
from provmodel.statements import ExportAssertion, ExportAttribute, ExportNode, ExportRelation
from queries.graph import BODY, ERASED

_BODY = DATATYPES.index(BODY)
PIECE = 512  # nodes read at a time
FETCHED = 4096  # rows taken from a cursor at a time
CACHE_KIB = 8192  # of SQLite's pages
REMEMBERED = 20_000  # names of nodes, and of events, kept in memory
MOST_EVENTS = 1_000_000  # of one run

_AT = "a.since <= ? and (a.until is null or a.until > ?)"
# The plus keeps SQLite from choosing the key and then sorting all nodes in memory.
# tenant, last node, as_of, then as_of twice for each end
_ORDER = (
    "select n.node from node n where n.tenant = ? and +n.node <= ? and (n.event <= ? or n.event is null and ("
    + " or ".join(
        f"exists (select 1 from assertion a where a.tenant = n.tenant and a.{end} = n.node and {_AT})"
        for end in ("source", "target", "asserter")
    )
    + ")) order by n.ref"
)
# tenant, as_of, as_of
_SUBJECTS = f"select distinct a.source, a.code from assertion a where a.tenant = ? and {_AT}"
# tenant, last node
_KINDS = "select n.node, n.kind, n.described from node n where n.tenant = ? and n.node <= ?"
# tenant, as_of
_MORE_KINDS = "select k.node, k.kind, null from node_kind k where k.tenant = ? and k.event <= ?"
# nodes, tenant, term, as_of, as_of; 504 masks the term in a code
_ROWS = (
    "select a.source, a.code, a.target, a.relation, a.role, a.evidence, a.stance, a.asserter, a.method,"
    " a.event, a.time, a.attributes from ints(?) i cross join assertion a"
    f" where a.tenant = ? and a.source = i.value and a.code & 504 = ? and {_AT}"
)
# nodes, tenant, as_of
_ATTRIBUTES = (
    "select t.node, t.name, t.value, t.datatype, t.evidence, t.stance, t.asserter, t.event"
    " from ints(?) i cross join attribute t where t.tenant = ? and t.node = i.value and t.event <= ?"
)
# integers, tenant
_REFS = "select n.node, n.ref from ints(?) i cross join node n where n.tenant = ? and n.node = i.value"
_WORDS = "select w.word, w.text from ints(?) i cross join word w where w.tenant = ? and w.word = i.value"
# as_of, integers, tenant
_EVENTS = (
    "select e.seq, s.text, e.id, t.text, exists (select 1 from event o by(event_id) where o.tenant = e.tenant"
    " and o.source = e.source and same(o.id, e.id) and o.seq <> e.seq and o.seq <= ?)"
    " from ints(?) i cross join event e"
    " join word s on s.tenant = e.tenant and s.word = e.source"
    " join word t on t.tenant = e.tenant and t.word = e.type"
    " where e.tenant = ? and e.seq = i.value"
)


Row = tuple[Any, ...]
"""One argument of one assertion, in the ledger's integers; the columns of ``_ROWS`` by their places."""

(
    SUBJECT,
    CODE,
    TARGET,
    RELATION,
    ROLE,
    EVIDENCE,
    STANCE,
    ASSERTER,
    METHOD,
    EVENT,
    TIME,
    ATTRIBUTES,
) = range(12)

Origin = tuple[str, str, str, bool]
"""The event that states something: source, id and type, and whether the log has other variants of it."""

CONFLICT = "clew:conflict"
"""Names, on a node that variants of one event speak of, the source and id that they share."""


class Selection(NamedTuple):
    """Part of a graph: nodes in the order of their references, and the keys of relations."""

    nodes: Sequence[int]
    keys: Collection[int]


VERIFICATION = str(Verification.__struct_config__.tag)


class LedgerFeed:
    """A feed (:class:`provmodel.statements.Feed`) over one tenant of the ledger, or a selection of it, as of
    one seq.
    """

    def __init__(self, tables: Tables, base: str, selection: Selection | None = None) -> None:
        self.base = base
        self._tables = tables
        self._order = selection.nodes if selection else tables.all_nodes()
        self._keys = selection.keys if selection else None
        self._terms = None if selection else tables.terms_of_subjects()
        self._bundles = tables.bundles(base)
        self._whole = selection is None
        self._states = tables.states()

    def close(self) -> None:
        """Let go of what was opened to read."""
        self._tables.close()

    def refs(self) -> Iterator[str]:
        """Every reference; asserters are nodes, too."""
        for piece in pieces(self._order):
            refs = self._tables.refs.learn(piece)
            yield from [refs[node] for node in piece]

    def nodes(self, kind: Kind | None = None) -> Iterator[ExportNode]:
        """Nodes and what is said of them, by reference."""
        states = self._states
        order: Iterable[int] = self._order
        if kind is not None:
            order = (node for node in order if (states[node] & kind if kind else not states[node] & KINDS))
        for piece in pieces(order):
            said = self._tables.attributes(piece)
            refs = self._tables.refs.learn(piece)
            for node in piece:
                state = states[node]
                yield ExportNode(refs[node], state & KINDS, said.get(node, ()), not state & DESCRIBED)

    def relations(self, term: Term) -> Iterator[ExportRelation]:
        """Relations of one term, by subject, arguments and role."""
        gather = _Gather(self._tables, term)
        for piece in pieces(self._subjects(term)):
            rows = self._tables.rows(piece, term)
            if self._keys is not None:
                rows = [row for row in rows if row[RELATION] in self._keys]
            yield from gather.in_order(piece, rows)

    def namespaces(self) -> list[str]:
        """Those that attributes of documents name."""
        return self._bundles.namespaces()

    def bundles(self) -> Iterator[Bundle]:
        """What documents say, in an export of all."""
        return self._bundles.all() if self._whole else iter(())

    def _subjects(self, term: Term) -> Iterable[int]:
        terms = self._terms
        if terms is None:
            return self._order
        bit = 1 << term.index
        return (node for node in self._order if terms[node] & bit)


class _Gather:
    """Rows of one term put together to relations."""

    def __init__(self, tables: Tables, term: Term) -> None:
        self._tables = tables
        self._term = term
        self._blank: tuple[str | None, ...] = (None,) * len(term.arguments)
        self._flow = int(term.arguments[0].flow)

    def in_order(self, subjects: Iterable[int], rows: Sequence[Row]) -> Iterator[ExportRelation]:
        """The relations of these subjects, in their order, then by arguments and role."""
        tables = self._tables
        tables.words.learn({word for row in rows for word in (row[ROLE], row[METHOD])})
        tables.origins.learn({row[EVENT] for row in rows})
        refs = tables.refs.learn(
            {node for row in rows for node in (row[SUBJECT], row[TARGET], row[ASSERTER]) if node}
        )
        gathered: dict[int, dict[int, list[Row]]] = {}
        for row in rows:
            gathered.setdefault(row[SUBJECT], {}).setdefault(row[RELATION], []).append(row)
        for subject in subjects:
            same = gathered.get(subject)
            if same:
                found = [self._relation(refs[subject], stated) for stated in same.values()]
                yield from sorted(found, key=_place) if len(found) > 1 else found

    def _relation(self, subject: str, rows: list[Row]) -> ExportRelation:
        first, refs = rows[0], self._tables.refs
        if len(rows) == 1 and len(self._blank) == 1:
            _, code, target, key, role, *_ = first
            argument = refs[target] if target else None
            said = [self._assertion(first)]
            return ExportRelation(
                self._term, subject, (argument,), self._tables.words[role], code >> 9, key, said
            )
        arguments = list(self._blank)
        flow = self._flow
        for row in rows:
            if row[TARGET]:
                arguments[row[CODE] & 7] = refs[row[TARGET]]
            if not row[CODE] & 7:
                flow = row[CODE] >> 9
        stated = rows if len(rows) == 1 else [row for row in rows if row[CODE] & 7 == first[CODE] & 7]
        return ExportRelation(
            self._term,
            subject,
            tuple(arguments),
            self._tables.words[first[ROLE]],
            flow,
            first[RELATION],
            [self._assertion(row) for row in stated],
        )

    def _assertion(self, row: Row) -> ExportAssertion:
        tables = self._tables
        _, _, _, _, _, evidence, stance, who, how, seq, time, attributes = row
        asserter = tables.refs[who]
        source, event, kind, _ = tables.origins[seq]
        if asserter == CLEW or (kind == VERIFICATION and self._term is GENERATION):
            source = event = ""
        if ORIGIN in attributes:
            source, event, attributes = _of_origin(attributes)
        return evidence, stance, asserter, tables.words[how], source, event, time, attributes


def _of_origin(attributes: str) -> tuple[str, str, str]:
    """The event that stated something in the store it came from, and the attributes without that."""
    said = msgspec.json.decode(attributes)
    source, event = said.pop(ORIGIN)
    return source, event, encoded(said)


def _place(relation: ExportRelation) -> tuple[tuple[str, ...], str]:
    return tuple([argument or "" for argument in relation.arguments]), relation.role


class _Names(dict[int, Any]):
    """What integers of the ledger stand for, looked up in pieces and forgotten when it gets too much."""

    def __init__(self, fetch: Callable[[list[int]], Iterable[tuple[int, Any]]]) -> None:
        super().__init__()
        self._fetch = fetch

    def learn(self, wanted: Collection[int]) -> _Names:
        if len(self) > REMEMBERED:
            self.clear()
        unknown = [number for number in wanted if number not in self]
        if unknown:
            self.update(self._fetch(unknown))
        return self


class Tables:
    """One tenant's tables, as they stood at one seq."""

    def __init__(self, ledger: Ledger, tenant: str, as_of: int) -> None:
        whole = _apart(ledger.store)
        self._apart = whole is not ledger.store
        self._store = whole.of(tenant)
        self.graph = ledger.graph(tenant)
        self._reveal = ledger.reveal
        self.as_of = as_of
        self._tenant = self._store.tenant
        found = self._store.fetch("select node from tenant where tenant = ?", (self._tenant,))
        self._last_node = found[0][0] if found else 0
        self.refs = _Names(lambda numbers: self._named(_REFS, numbers))
        self.words = _Names(lambda numbers: self._named(_WORDS, numbers))
        self.origins = _Names(self._origins)

    def close(self) -> None:
        if self._apart:
            self._store.close()

    def _named(self, statement: str, numbers: list[int]) -> list[Any]:
        return self._store.fetch(statement, (self._store.ints(numbers), self._tenant))

    def _origins(self, seqs: list[int]) -> list[tuple[int, Origin]]:
        found = self._store.fetch(_EVENTS, (self.as_of, self._store.ints(seqs), self._tenant))
        return [(seq, (source, name, kind, bool(conflict))) for seq, source, name, kind, conflict in found]

    def bundles(self, base: str) -> Bundles:
        """What submitted documents say."""
        return Bundles(self._store, self._tenant, self.as_of, base)

    def states(self) -> bytearray:
        """For each node by its integer, the sum of its PROV kinds, and whether an event describes it."""
        states = bytearray(self._last_node + 1)
        for statement, given in (
            (_KINDS, (self._tenant, self._last_node)),
            (_MORE_KINDS, (self._tenant, self.as_of)),
        ):
            for rows in self._streamed(statement, given):
                for node, kind, described in rows:
                    told = described is not None and described <= self.as_of
                    states[node] |= kind | DESCRIBED if told else kind
        return states

    def attributes(self, nodes: Sequence[int]) -> dict[int, list[ExportAttribute]]:
        """What is said of nodes."""
        rows = self._store.fetch(_ATTRIBUTES, (self._store.ints(nodes), self._tenant, self.as_of))
        words = self.words.learn({row[1] for row in rows})
        refs = self.refs.learn({row[6] for row in rows})
        origins = self.origins.learn({row[7] for row in rows})
        texts = self._texts([row[2] for row in rows if row[3] == _BODY])
        said: dict[int, list[ExportAttribute]] = {}
        for node, name, stored, datatype, evidence, stance, asserter, event in rows:
            source, told, _, conflict = origins[event]
            of_node = said.setdefault(node, [])
            value, kind = datatype_of(datatype, stored)
            named = words[name]
            if kind == BODY:
                kind = "string"
                value, named = (texts[value], named) if value in texts else (named, ERASED)
            of_node.append((named, value, kind, evidence, stance, refs[asserter], source, told))
            if conflict:
                of_node.append(_conflict(source, told))
        return said

    def _texts(self, bodies: Sequence[str]) -> Mapping[str, str]:
        """What bodies of labels say, those that are not erased."""
        return self._reveal(self.graph.tenant, bodies) if bodies and self._reveal else {}

    def rows(self, subjects: Sequence[int], term: Term) -> list[Row]:
        """Visible rows of one term with these subjects."""
        places = (self._store.ints(subjects), self._tenant, term.index << 3, self.as_of, self.as_of)
        return self._store.fetch(_ROWS, places)

    def all_nodes(self) -> array[int]:
        """Every node that is visible, in the order of references."""
        at = (self.as_of, self.as_of)
        found = array("I" if self._last_node < 2**32 else "Q")
        for rows in self._streamed(_ORDER, (self._tenant, self._last_node, self.as_of, *at, *at, *at)):
            found.extend(row[0] for row in rows)
        return found

    def terms_of_subjects(self) -> array[int]:
        """For each node by its integer, which terms it is the subject of: a bit a term."""
        terms = array("I", bytes(array("I").itemsize * (self._last_node + 1)))
        for rows in self._streamed(_SUBJECTS, (self._tenant, self.as_of, self.as_of)):
            for node, code in rows:
                terms[node] |= 1 << term_of(code).index
        return terms

    def _streamed(self, statement: str, parameters: Sequence[Any]) -> Iterator[list[Any]]:
        with self._store.reading() as connection:
            cursor = connection.execute(self._store.spell(statement), parameters)
            while rows := cursor.fetchmany(FETCHED):
                yield rows


def _conflict(source: str, name: str) -> ExportAttribute:
    observed, supports = int(Evidence.OBSERVED), int(Stance.SUPPORTS)
    return CONFLICT, f"{source}/{name}", "string", observed, supports, CLEW, "", ""


def _apart(store: Store) -> Store:
    """A long read gets a connection of its own with little cache: it reads each page about once."""
    return Sqlite(store.path, CACHE_KIB) if isinstance(store, Sqlite) else store


def pieces(nodes: Iterable[int]) -> Iterator[list[int]]:
    waiting = iter(nodes)
    while piece := list(islice(waiting, PIECE)):
        yield piece
