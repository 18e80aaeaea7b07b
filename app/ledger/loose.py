"""Results that nothing used and candidates that nothing carried out, run by run."""

from __future__ import annotations

from collections.abc import Sequence, Set

from app.ledger import statements as sql
from app.ledger.cards import Cards, Unused
from app.ledger.dictionary import Dictionary
from app.ledger.joins import LISTED, number_of, place_of
from app.ledger.nodes import Nodes
from app.ledger.ranges import ranges_of
from app.ledger.store import Store
from provmodel.relations import Flow, codes_of
from queries.adjacency import View
from queries.adjacency.present import supported
from queries.graph import Loose, Row, Way

MEMBERSHIP = codes_of(frozenset(Flow), ("hadMember",))
USES = tuple(code for code in codes_of(frozenset({Flow.DATA})) if code not in MEMBERSHIP)
"""What counts as use of something returned, or as execution of something proposed."""


class LooseEnds:
    """Looks for them in one tenant; ``view`` is an index of all rows up to the seq asked about, if any."""

    def __init__(
        self,
        store: Store,
        tenant: int,
        dictionary: Dictionary,
        nodes: Nodes,
        cards: Cards,
        view: View | None,
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._dictionary = dictionary
        self._nodes = nodes
        self._cards = cards
        self._view = view

    def of(self, runs: Sequence[str], as_of: int) -> Loose:
        """Those of some runs, by reference."""
        words = self._dictionary.words(dict.fromkeys(runs))
        known = self._cards.changes.known(as_of)
        free: set[tuple[int, str]] = set()
        for word in words:
            unused = self._cards.unused.get(word)
            if unused is None or not unused.holds(known, word, as_of):
                unused = self._unused(word, as_of)
                self._cards.keep_unused(word, unused)
            free.update(unused.free)
        refs = self._dictionary.refs({node for node, _ in free})
        results = [refs[node] for node, what in free if what == "result"]
        candidates = [refs[node] for node, what in free if what == "candidate"]
        return Loose(len(results), min(results, default=""), len(candidates), min(candidates, default=""))

    def _unused(self, run: int, as_of: int) -> Unused:
        key = f"run:{self._dictionary.texts({run})[run]}"
        triples = [(place_of(key), number_of(key), 0)]
        listed = self._store.match(sql.LISTED, triples, (self._tenant, LISTED, as_of))
        nodes = {node for node, _ in listed}
        held = [row for row in self._rows(nodes, as_of) if row.stance]
        around = nodes.union(row.source for row in held)
        used = self._supported(around, as_of)
        used |= {row.target for row in held if row.source in used}
        free = [(node, what) for node, what in listed if node not in used]
        return Unused(as_of, frozenset(around), tuple(free))

    def _rows(self, nodes: Set[int], as_of: int) -> list[Row]:
        return self._nodes.rows(sorted(nodes), Way.IN, MEMBERSHIP, as_of, None, self._view)

    def _supported(self, nodes: Set[int], as_of: int) -> set[int]:
        """Those of which a row of use holds, whatever is said against it."""
        if self._view is not None:
            return supported(self._view, nodes, Way.IN, USES, as_of)
        given = self._store.ints(sorted(nodes))
        found: set[int] = set()
        for first, last in ranges_of(USES):
            rows = self._store.fetch(sql.USED, (given, self._tenant, first, last, as_of, as_of))
            found.update(node for (node,) in rows)
        return found
