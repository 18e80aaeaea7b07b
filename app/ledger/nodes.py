"""Nodes as they were as of a seq: names and kinds, what is said of them, and their rows; from memory where a
process has read them before (:mod:`app.ledger.cards`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from app.ledger import statements as sql
from app.ledger.cards import Cards
from app.ledger.dictionary import Dictionary
from app.ledger.ranges import ranges_of
from app.ledger.store import Store, Tuple
from app.ledger.weave import datatype_of
from provmodel.evidence import ALL_EVIDENCE
from provmodel.relations import Flow, codes_of
from queries.adjacency import View
from queries.adjacency.present import few_and_many, with_rows
from queries.graph import COMMON, AttributeRow, NodeInfo, Row, Way
from queries.links import Link, links_of

NOW = 2**63 - 1
_COMMON = frozenset(COMMON)
_ALL = codes_of(frozenset(Flow))
_NEAR = {Way.OUT: 0, Way.IN: 2}
"""The place of the node that was asked about in a row."""
_SINCE, _UNTIL = 7, 13

_LEAN = "select a.source, a.code, a.target, a.relation, a.evidence, a.stance, a.role from "
LEAN_ROWS = {way: _LEAN + statement.partition(" from ")[2] for way, statement in sql.ROWS.items()}
"""As ``ROWS``, without what is only told of a row."""


class Nodes:
    """Reads nodes of one tenant."""

    def __init__(self, store: Store, tenant: int, dictionary: Dictionary, cards: Cards) -> None:
        self._store = store
        self._tenant = tenant
        self._dictionary = dictionary
        self._cards = cards
        self.generation = cards.generation

    # Names and kinds

    def infos(self, nodes: Sequence[int], as_of: int) -> dict[int, NodeInfo]:
        known = self._cards.changes.known(as_of)
        return self._cards.infos.read(known, nodes, as_of, self._infos_ever, self._infos_then)

    def _infos_then(self, nodes: list[int], as_of: int) -> dict[int, NodeInfo]:
        parameters = (as_of, as_of, self._store.ints(nodes), self._tenant, as_of)
        return {
            node: NodeInfo(ref, kind | int(more or 0), bool(described))
            for node, ref, kind, described, more in self._store.fetch(sql.INFOS, parameters)
        }

    def _infos_ever(self, nodes: list[int], seen: int) -> dict[int, tuple[int, NodeInfo]]:
        """Nodes that only a joined row names are left out: they are stated later as if they were new."""
        found = self._store.fetch(sql.INFOS_EVER, (seen, self._store.ints(nodes), self._tenant, seen))
        self._dictionary.learn_refs([(row[0], row[1]) for row in found])
        infos = {}
        for node, ref, kind, event, described, more in found:
            told = 0 if described is None or described > seen else described
            later = int(more or 0)
            infos[node] = (max(event, told, later >> 3), NodeInfo(ref, kind | later & 7, told > 0))
        return infos

    # What is said

    def attributes(
        self, nodes: Sequence[int], as_of: int, names: Sequence[str] | None
    ) -> dict[int, list[AttributeRow]]:
        """As they are stored: where a body holds a value, it is not opened."""
        if names is None:
            given = self._store.ints(list(dict.fromkeys(nodes)))
            found = self._store.fetch(sql.ATTRIBUTES, (given, self._tenant, as_of))
            return self._grouped(found)
        if not _COMMON.issuperset(names):
            return self.named(nodes, as_of, names)
        known = self._cards.changes.known(as_of)
        told = self._cards.told.read(known, nodes, as_of, self._told_ever, self._told_then)
        if len(names) < len(COMMON):
            told = {node: [row for row in rows if row.name in names] for node, rows in told.items()}
        return {node: rows for node, rows in told.items() if rows}

    def _told_then(self, nodes: list[int], as_of: int) -> dict[int, list[AttributeRow]]:
        return self.named(nodes, as_of, COMMON)

    def _told_ever(self, nodes: list[int], seen: int) -> dict[int, tuple[int, list[AttributeRow]]]:
        told = self.named(nodes, seen, COMMON)
        return {
            node: (max([row.event for row in rows], default=0), rows)
            for node in nodes
            for rows in (told.get(node, []),)
        }

    def named(self, nodes: Sequence[int], as_of: int, names: Sequence[str]) -> dict[int, list[AttributeRow]]:
        words = self._store.ints(self._dictionary.words(names))
        given = self._store.ints(list(dict.fromkeys(nodes)))
        return self._grouped(self._store.fetch(sql.NAMED_ATTRIBUTES, (given, self._tenant, as_of, words)))

    def _grouped(self, found: Sequence[Tuple]) -> dict[int, list[AttributeRow]]:
        texts = self._dictionary.texts({row[1] for row in found})
        refs = self._dictionary.refs({row[6] for row in found})
        grouped: dict[int, list[AttributeRow]] = {}
        for node, name, stored, datatype, evidence, stance, asserter, event in found:
            value, kind = datatype_of(datatype, stored)
            row = AttributeRow(texts[name], value, kind, evidence, stance, refs[asserter], event)
            grouped.setdefault(node, []).append(row)
        for rows in grouped.values():
            if len(rows) > 1:
                rows.sort(key=attribute_order)
        return grouped

    # Rows

    def rows(
        self,
        nodes: Sequence[int],
        way: Way,
        codes: Sequence[int],
        as_of: int,
        limit: int | None,
        view: View | None,
    ) -> list[Row]:
        """Rows of nodes, each once, from memory when there is a ``view`` (:meth:`links`)."""
        if view is None:
            return self.rows_then(list(dict.fromkeys(nodes)), way, codes, as_of, limit) if nodes else []
        links, later = self._at_hand(nodes, way, codes, as_of, view)
        rows = [row for link in links for row in link.rows]
        if later:
            rows += self.rows_then(later, way, codes, as_of, limit)
        return rows if limit is None else rows[:limit]

    def links(
        self,
        nodes: Sequence[int],
        way: Way,
        codes: Sequence[int],
        as_of: int,
        limit: int | None,
        view: View | None,
    ) -> list[Link]:
        """The edges of nodes, each once. ``view`` is an index of all rows up to ``as_of``: it tells which
        nodes have none of these codes, and which have too many rows to be remembered. Without it none are.
        """
        if view is None:
            return links_of(self.rows(nodes, way, codes, as_of, limit, None), ALL_EVIDENCE)
        links, later = self._at_hand(nodes, way, codes, as_of, view)
        if later:
            links += links_of(self.rows_then(later, way, codes, as_of, limit), ALL_EVIDENCE)
        return links

    def _at_hand(
        self, nodes: Sequence[int], way: Way, codes: Sequence[int], as_of: int, view: View
    ) -> tuple[list[Link], list[int]]:
        """Edges that are remembered, or are from now on; and the nodes of which none can be."""
        shelf, known = self._cards.links[way], self._cards.changes.known(as_of)
        if way is Way.IN:  # most nodes have no rows of other codes than data
            nodes = with_rows(view, nodes, way, codes)
        if not nodes:
            return [], []
        found, missing, later = shelf.at_hand(known, nodes, as_of)
        if missing:
            missing = list(dict.fromkeys(missing))
            few, many = few_and_many(view, missing, way, codes)
            fresh = self._links_ever(few, way, min(known.seen, view.seq)) if few else {}
            later += many + shelf.take(fresh, min(known.seen, view.seq), as_of, found)
        links = list(chain.from_iterable(found.values()))
        if links and len(codes) < len(_ALL):
            wanted = frozenset(codes)
            links = [link for link in links if link.code in wanted]
        return links, list(dict.fromkeys(later)) if later else later

    def rows_then(
        self, nodes: Sequence[int], way: Way, codes: Sequence[int], as_of: int, limit: int | None
    ) -> list[Row]:
        """Rows as the store has them."""
        return self.to_rows(self._fetched(sql.ROWS[way], nodes, codes, as_of, limit))

    def lean_rows(
        self, nodes: Sequence[int], way: Way, codes: Sequence[int], as_of: int, limit: int | None
    ) -> list[Row]:
        """The same without what is only told of them."""
        found = self._fetched(LEAN_ROWS[way], nodes, codes, as_of, limit)
        texts = self._dictionary.texts({row[6] for row in found})
        return [
            Row(s, c, t, r, e, st, 0, 0, texts[role], "", "", "", "") for s, c, t, r, e, st, role in found
        ]

    def _fetched(
        self, statement: str, nodes: Sequence[int], codes: Sequence[int], as_of: int, limit: int | None
    ) -> list[Tuple]:
        given, found = self._store.ints(nodes), list[Tuple]()
        for first, last in ranges_of(tuple(codes)):
            left = NOW if limit is None else limit - len(found)
            found += self._store.fetch(statement, (given, self._tenant, first, last, as_of, as_of, left))
        return found

    def _links_ever(self, nodes: list[int], way: Way, seen: int) -> dict[int, tuple[int, list[Link]]]:
        found = self._store.fetch(sql.ROWS_EVER[way], (self._store.ints(nodes), self._tenant, seen))
        near = _NEAR[way]
        newest, held = dict.fromkeys(nodes, 0), list[Tuple]()
        for row in found:
            node, until = row[near], row[_UNTIL]
            retired = until is not None and until <= seen
            newest[node] = max(newest[node], until if retired else row[_SINCE])
            if not retired:
                held.append(row[:_UNTIL])
        links: dict[int, list[Link]] = {node: [] for node in nodes}
        for link in links_of(self.to_rows(held), ALL_EVIDENCE):
            links[link.source if way is Way.OUT else link.target].append(link)
        return {node: (newest[node], its) for node, its in links.items()}

    def to_rows(self, found: Sequence[Tuple]) -> list[Row]:
        """Rows of the columns that all statements of rows begin with."""
        texts = self._dictionary.texts({word for row in found for word in (row[8], row[10])})
        refs = self._dictionary.refs({row[9] for row in found})
        return [
            Row(s, c, t, r, e, st, ev, si, texts[role], refs[who], texts[how], time, more)
            for s, c, t, r, e, st, ev, si, role, who, how, time, more in found
        ]


def attribute_order(row: AttributeRow) -> tuple[str, str, int]:
    """As graphs order the attributes of a node."""
    return row.name, row.value, row.event
