"""Reading one tenant: the Graph protocol over SQL.

Every read sees what is committed when it begins, and rows bounded by ``as_of`` never change once committed,
so the reads of one question need no transaction to agree. Nodes and words are read as integers; their texts
are remembered, since an integer never gets another meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from app.ledger import statements as sql
from app.ledger.cards import AllCards
from app.ledger.coverage import numbers_at, sources_at
from app.ledger.dictionary import Dictionary
from app.ledger.indexes import Indexes
from app.ledger.loose import LooseEnds
from app.ledger.memory import Memory
from app.ledger.nodes import NOW, Nodes, attribute_order
from app.ledger.once import Once
from app.ledger.ranges import ranges_of
from app.ledger.reports import to_report
from app.ledger.retaining import outlook
from app.ledger.store import Store, Tuple
from provmodel import names as model_names
from provmodel.relations import Flow, codes_of
from provmodel.times import nanoseconds
from queries.adjacency import View
from queries.adjacency.present import with_rows
from queries.graph import (
    BODY,
    COMMON,
    AttributeRow,
    BodyState,
    Loose,
    NodeInfo,
    Numbers,
    Report,
    Row,
    SourceState,
    Way,
    opened,
)
from queries.links import Link

SPECIALIZATION = codes_of(frozenset(Flow), ("specializationOf",))
_OF_A_THING = (("@", "A"), (";by=", ";by>"))
"""How names of its versions and occurrences go on after its own, from and to."""
Reveal = Callable[[str, Sequence[str]], Mapping[str, str]]
"""Opens short bodies of text of a tenant, by their ids; those that are gone are left out."""

_COMMON = frozenset(COMMON)
_NANOSECONDS = 1000


class Reader:
    """The graph of one tenant, as committed at each read. ``reveal`` opens labels, which are bodies."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        memory: Memory,
        indexes: Indexes,
        cards: AllCards,
        reveal: Reveal | None = None,
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._name = tenant
        self._memory = memory
        self._reveal = reveal
        self._cards = cards
        self._read: Nodes | None = None
        self._asked = Once(-1)

    @property
    def tenant(self) -> str:
        return self._name

    @property
    def _dictionary(self) -> Dictionary:
        return Dictionary(self._store, self._tenant, self._memory)

    @property
    def _nodes(self) -> Nodes:
        generation = self._memory.seen
        if self._read is None or self._read.generation != generation:
            cards = self._cards.of(self._tenant, generation)
            self._read = Nodes(self._store, self._tenant, self._dictionary, cards)
        return self._read

    @property
    def _tenant(self) -> int:
        """The tenant's integer; 0, which no row has, while it has no events."""
        if not self._memory.tenant:
            self._memory.tenant = self._store.tenant
        return self._memory.tenant

    def _once(self, as_of: int) -> Once:
        if self._asked.as_of != as_of or self._asked.full:
            self._asked = self._cards.of(self._tenant, self._memory.seen).once(as_of)
        return self._asked

    # The log's head

    def head(self) -> int:
        found = self._store.fetch("select seq, generation from tenant where tenant = ?", (self._tenant,))
        if not found:
            return 0
        self._memory.seen = found[0][1]
        return int(found[0][0])

    def seq_at(self, time: str) -> int:
        """By halving: ``received`` never runs backwards in a log."""
        wanted = nanoseconds(time) // _NANOSECONDS
        first, last = 0, self.head()
        while first < last:
            middle = (first + last + 1) // 2
            [(received,)] = self._store.fetch(sql.RECEIVED, (self._tenant, middle))
            first, last = (middle, last) if received <= wanted else (first, middle - 1)
        return first

    # Nodes

    def ids(self, refs: Sequence[str], as_of: int) -> dict[str, int]:
        def read(missing: list[str]) -> dict[str, int]:
            return dict(self._store.fetch(sql.IDS, (self._store.texts(missing), self._tenant, as_of)))

        return self._once(as_of).of("ids", refs, read)

    def infos(self, ids: Sequence[int], as_of: int) -> dict[int, NodeInfo]:
        return self._nodes.infos(ids, as_of)

    def refs(self, ids: Sequence[int]) -> Mapping[int, str]:
        return self._dictionary.refs(set(ids))

    def versions(self, things: Sequence[str], as_of: int) -> dict[str, list[tuple[int, str]]]:
        named: dict[str, dict[int, str]] = {thing: {} for thing in things}
        spans = [(thing + one, thing + after) for thing in named for one, after in _OF_A_THING]
        for node, ref in self._store.fetch(sql.WITHIN, (self._store.spans(spans), self._tenant, as_of)):
            thing = model_names.split(ref).thing
            if thing in named:
                named[thing][node] = ref
        wholes = {node: thing for thing, node in self.ids(things, as_of).items()}
        rows = self.rows(list(wholes), Way.IN, SPECIALIZATION, as_of) if wholes else []
        infos = self.infos([row.source for row in rows if row.stance], as_of)
        for row in rows:
            if row.stance:
                named[wholes[row.target]][row.source] = infos[row.source].ref
        return {thing: _by_ref(found.items()) for thing, found in named.items()}

    def by_tail(self, tail: str, as_of: int, limit: int) -> list[tuple[int, str]]:
        texts = self._store.texts([tail])
        found = self._store.fetch(sql.BY_TAIL, (texts, self._tenant, as_of, limit))
        whole = self.ids([tail], as_of)
        if tail in whole and model_names.tail(tail) == tail:
            found.append((whole[tail], tail))
        return _by_ref(found)[:limit]

    # Rows

    def rows(
        self,
        ids: Sequence[int],
        way: Way,
        codes: Sequence[int],
        as_of: int,
        limit: int | None = None,
        lean: bool = False,
    ) -> list[Row]:
        if not lean:
            view = self._indexes.at_hand(self._tenant, self._memory.seen, as_of)
            return self._nodes.rows(ids, way, codes, as_of, limit, view)
        there = self._with_rows(ids, way, codes, as_of)
        return self._nodes.lean_rows(there, way, codes, as_of, limit) if there else []

    def links(
        self, ids: Sequence[int], way: Way, codes: Sequence[int], as_of: int, limit: int | None = None
    ) -> list[Link]:
        view = self._indexes.at_hand(self._tenant, self._memory.seen, as_of)
        return self._nodes.links(ids, way, codes, as_of, limit, view)

    def _with_rows(self, ids: Sequence[int], way: Way, codes: Sequence[int], as_of: int) -> list[int]:
        """Those of some nodes that may have rows of these codes: all, but when the index knows better."""
        distinct = _distinct(ids)
        view = self._indexes.at_hand(self._tenant, self._memory.seen, as_of)
        return distinct if view is None else with_rows(view, distinct, way, codes)

    def adjacency(self, as_of: int, read: int) -> View | None:
        return self._indexes.view(self._tenant, self._memory.seen, as_of, read)

    def page(
        self, node: int, way: Way, codes: Sequence[int], as_of: int, after: tuple[int, int], limit: int
    ) -> list[Row]:
        """Pairs first, by index, then all rows of them."""
        pairs: list[Tuple] = []
        for first, last in ranges_of(tuple(codes)):
            if last >= after[0] and len(pairs) < limit:
                begin = max(after, (first, -1))
                parameters = (self._tenant, node, *begin, last, as_of, as_of, limit - len(pairs))
                pairs += self._store.fetch(sql.PAIRS[way], parameters)
        wanted = [(node, code, other) for code, other in pairs]
        found = self._store.match(sql.OF_PAIRS[way], wanted, (self._tenant, as_of, as_of))
        far = attrgetter("code", "target" if way is Way.OUT else "source")
        return sorted(self._nodes.to_rows(found), key=far)

    def stated_by(self, asserter: str, codes: Sequence[int], as_of: int, limit: int) -> list[Row]:
        node = self.ids([asserter], as_of).get(asserter)
        if node is None:
            return []
        wanted = self._store.ints(list(codes))
        found = self._store.fetch(sql.STATED_BY, (self._tenant, node, wanted, as_of, as_of, as_of, limit))
        return self._nodes.to_rows(found)

    def degrees(
        self, ids: Sequence[int], way: Way, codes: Sequence[int], as_of: int, cap: int
    ) -> dict[int, int]:
        there = self._with_rows(ids, way, codes, as_of)
        ranges = ranges_of(tuple(codes)) if there else ()
        bounds = [bound for pair in ranges for bound in (self._tenant, *pair, as_of, as_of)]
        parameters = (*bounds, cap, self._store.ints(there))
        found = self._store.fetch(sql.degrees(way, len(ranges)), parameters) if ranges else []
        return {node: count for node, count in found if count}

    # What is said of nodes

    def attributes(
        self, ids: Sequence[int], as_of: int, names: Sequence[str] | None = None
    ) -> dict[int, list[AttributeRow]]:
        grouped = self._nodes.attributes(ids, as_of, names)
        if names is not None and _COMMON.issuperset(names):
            return grouped
        if self._reveal and any(row.datatype == BODY for rows in grouped.values() for row in rows):
            return self._opened(grouped, self._reveal)
        return grouped

    def _opened(
        self, grouped: Mapping[int, list[AttributeRow]], reveal: Reveal
    ) -> dict[int, list[AttributeRow]]:
        """With what labels say in the place of the bodies that hold it."""
        wanted = [row.value for rows in grouped.values() for row in rows if row.datatype == BODY]
        texts = reveal(self._name, wanted)
        return {
            node: sorted([opened(row, texts) for row in rows], key=attribute_order)
            for node, rows in grouped.items()
        }

    def kept(self, bodies: Sequence[str], as_of: int) -> frozenset[str]:
        parameters = (self._store.texts(bodies), self._tenant, as_of)
        return frozenset(body for (body,) in self._store.fetch(sql.KEPT, parameters))

    def bodies(self, ids: Sequence[int]) -> Mapping[int, list[BodyState]]:
        said = self._nodes.named(ids, NOW, ("clew:body", "clew:bodyState"))
        names = {row.value for rows in said.values() for row in rows if row.name == "clew:body"}
        found = self._store.fetch(sql.BODIES, (self._store.texts(sorted(names)), self._tenant))
        told = outlook(self._store, self._tenant, sorted(names)) if names else {}
        stored = {
            body: BodyState(body, state, kind, size, *told.get(body, ())) for body, state, kind, size in found
        }
        states = {node: _body_states(rows, stored) for node, rows in said.items()}
        return {node: bodies for node, bodies in states.items() if bodies}

    # Reports

    def conflicts(self, as_of: int) -> frozenset[int]:
        def read(_: list[str]) -> dict[str, frozenset[int]]:
            found = self._store.fetch(sql.CONFLICTS, (self._tenant, as_of, as_of))
            return {"": frozenset(seq for (seq,) in found)}

        return self._once(as_of).of("conflicts", [""], read)[""]

    def reports(self, ids: Sequence[int], as_of: int) -> dict[int, list[Report]]:
        def read(missing: list[int]) -> dict[int, list[Report]]:
            parameters = (as_of, self._store.ints(missing), self._tenant, as_of)
            return _by_key(self._store.fetch(sql.REPORTS_OF_NODES, parameters))

        return self._once(as_of).of("reports", ids, read)

    def events(self, seqs: Sequence[int], as_of: int) -> dict[int, Report]:
        def read(missing: list[int]) -> dict[int, Report]:
            parameters = (as_of, self._store.ints(missing), self._tenant, as_of)
            return {row[0]: to_report(row) for row in self._store.fetch(sql.REPORTS_AT, parameters)}

        return self._once(as_of).of("events", seqs, read)

    def run_reports(self, run: str, types: Sequence[str], as_of: int, limit: int) -> list[Report]:
        def read(_: list[str]) -> dict[str, list[Report]]:
            words = self._dictionary.words([run])
            kinds = self._store.ints(self._dictionary.words(types)) if words else ""
            parameters = (as_of, kinds, self._tenant, *words, as_of, limit)
            found = self._store.fetch(sql.REPORTS_OF_RUN, parameters) if words else []
            return {run: [to_report(row[1:]) for row in found]}

        return list(self._once(as_of).of((*types, limit), [run], read)[run])

    def log(
        self, types: Sequence[str], as_of: int, after: int, last: int, limit: int, source: str = ""
    ) -> list[Report]:
        kinds, words = (
            self._store.ints(self._dictionary.words(types)),
            self._dictionary.words([source]) if source else [],
        )
        if source and not words:
            return []
        statement = sql.LOG_OF_SOURCE if source else sql.LOG
        span = (as_of, self._tenant, after, min(last, as_of))
        return [to_report(row) for row in self._store.fetch(statement, (*span, *words, kinds, limit))]

    def filed_reports(self, keys: Sequence[str], as_of: int, limit: int) -> dict[str, list[Report]]:
        def read(missing: list[str]) -> dict[str, list[Report]]:
            parameters = (as_of, self._store.texts(missing), self._tenant, as_of, limit)
            found = self._store.fetch(sql.REPORTS_BY_LOOKUP, parameters)
            if len(found) < limit or len(missing) == 1:
                return _by_key(found)
            return {key: reports for one in missing for key, reports in read([one]).items()}

        return self._once(as_of).of(("filed", limit), keys, read)

    def loose(self, runs: Sequence[str], as_of: int) -> Loose:
        asked = tuple(runs)

        def read(_: list[tuple[str, ...]]) -> dict[tuple[str, ...], Loose]:
            cards = self._cards.of(self._tenant, self._memory.seen)
            view = self._indexes.at_hand(self._tenant, self._memory.seen, as_of)
            ends = LooseEnds(self._store, self._tenant, self._dictionary, self._nodes, cards, view)
            return {asked: ends.of(runs, as_of)}

        return self._once(as_of).of("loose", [asked], read)[asked]

    # Sources

    def sources(self, sources: Sequence[str] | None, as_of: int) -> list[SourceState]:
        asked = None if sources is None else tuple(sources)

        def read(_: list[tuple[str, ...] | None]) -> dict[tuple[str, ...] | None, list[SourceState]]:
            wanted = None if asked is None else self._dictionary.words(asked)
            return {asked: sources_at(self._store, self._tenant, wanted, as_of)}

        return list(self._once(as_of).of("sources", [asked], read)[asked])

    def numbers(self, sources: Sequence[str] | None, as_of: int, limit: int) -> list[Numbers]:
        wanted = None if sources is None else self._dictionary.words(sources)
        return numbers_at(self._store, self._tenant, wanted, as_of, limit)

    def run_sources(self, runs: Sequence[str], as_of: int) -> dict[str, list[str]]:
        def read(missing: list[str]) -> dict[str, list[str]]:
            given = self._store.ints(self._dictionary.words(missing))
            found: dict[str, list[str]] = {}
            for run, source in sorted(self._store.fetch(sql.RUN_SOURCES, (given, self._tenant, as_of))):
                found.setdefault(run, []).append(source)
            return found

        return self._once(as_of).of("run sources", runs, read)


def _by_key(rows: Iterable[Tuple]) -> dict[Any, list[Report]]:
    """Reports by what stands before them."""
    found: dict[Any, list[Report]] = {}
    for key, *row in rows:
        found.setdefault(key, []).append(to_report(row))
    return found


def _by_ref(nodes: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    return sorted(nodes, key=lambda pair: pair[1])


def _distinct(ids: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(ids))


def _body_states(rows: Sequence[AttributeRow], stored: Mapping[str, BodyState]) -> list[BodyState]:
    names = dict.fromkeys(row.value for row in rows if row.name == "clew:body")
    # A deleted body keeps its row: one without any belongs to the store that a document came from.
    return [stored.get(name, BodyState(name, "never_captured", "", 0)) for name in names]
