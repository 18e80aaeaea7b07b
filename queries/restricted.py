"""A graph as a reader sees it who may not see all of it.

A hidden node is there, of kind ``restricted``, under a name that stands for its own. Of its edges there are
their ends and their flow class: each is a ``wasInfluencedBy`` of that class, of which nobody says how it is
known. So walks that cross a whole flow class pass through, and whatever is asked of this graph, what is not
in it can't be told. An edge that is refuted, which no walk crosses, is not there at all.

What is hidden is looked up again whenever the head of the log is, which every answer begins with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from operator import attrgetter
from typing import Any

import msgspec

from provmodel.evidence import ALL_EVIDENCE, UNTOLD, Stance, weigh
from provmodel.relations import INFLUENCE, Flow, codes_of, flow_of, term_of
from queries.adjacency import View
from queries.graph import (
    RESTRICTED,
    AttributeRow,
    BodyState,
    Graph,
    Loose,
    NodeInfo,
    Numbers,
    Report,
    Row,
    SourceState,
    Way,
)
from queries.hiding import NOTHING, Hiding, Sight
from queries.links import Link, links_of
from queries.redacting import covered, redacted

GENERIC = {flow: INFLUENCE.code(0, flow) for flow in Flow}
"""The code of an edge of which no more is told than its flow class."""

_WHOLE = {flow: frozenset(codes_of(frozenset({flow}))) for flow in Flow}
_PAGE = 1000


class RestrictedGraph:
    """``graph`` without what ``sight`` says is hidden; with nothing hidden, that graph itself.

    ``passed_over`` are hidden nodes at which edges were asked for by their names, and not told.
    """

    def __init__(self, graph: Graph, sight: Sight) -> None:
        self._graph = graph
        self._sight = sight
        self._hiding = NOTHING
        self._looked = False
        self.passed_over: set[int] = set()

    @property
    def hiding(self) -> Hiding:
        """What is hidden, as it was last looked up."""
        if not self._looked:
            self.look()
        return self._hiding

    def look(self) -> Hiding:
        """Look again what is hidden."""
        self._hiding, self._looked = self._sight(), True
        return self._hiding

    @property
    def tenant(self) -> str:
        return self._graph.tenant

    def head(self) -> int:
        seq = self.look().seq
        return min(self._graph.head(), seq)

    def seq_at(self, time: str) -> int:
        return min(self._graph.seq_at(time), self.hiding.seq)

    # Nodes

    def ids(self, refs: Sequence[str], as_of: int) -> dict[str, int]:
        hiding = self.hiding
        if not hiding:
            return self._graph.ids(refs, as_of)
        asked = {ref: hiding.asked(ref) for ref in refs}
        found = self._graph.ids(list(asked.values()), as_of)
        return {ref: found[name] for ref, name in asked.items() if name in found and not hiding.hides(ref)}

    def infos(self, ids: Sequence[int], as_of: int) -> dict[int, NodeInfo]:
        found, hiding = self._graph.infos(ids, as_of), self.hiding
        hidden = hiding.nodes.keys() & found.keys() if hiding else ()
        named = {node: NodeInfo(hiding.alias(found[node].ref), RESTRICTED, True) for node in hidden}
        return {**found, **named}

    def refs(self, ids: Sequence[int]) -> Mapping[int, str]:
        found, hiding = self._graph.refs(ids), self.hiding
        if not hiding:
            return found
        return {node: hiding.shown(found[node]) for node in ids if node in found}

    def versions(self, things: Sequence[str], as_of: int) -> dict[str, list[tuple[int, str]]]:
        hiding = self.hiding
        if not hiding:
            return self._graph.versions(things, as_of)
        asked = {thing: hiding.asked(thing) for thing in things}
        found = self._graph.versions(list(asked.values()), as_of)
        return {
            thing: sorted([(node, hiding.shown(ref)) for node, ref in found[name]], key=lambda pair: pair[1])
            if not hiding.hides(thing)
            else []
            for thing, name in asked.items()
        }

    def by_tail(self, tail: str, as_of: int, limit: int) -> list[tuple[int, str]]:
        hiding = self.hiding
        if not hiding:
            return self._graph.by_tail(tail, as_of, limit)
        found = self._graph.by_tail(tail, as_of, limit + hiding.ending(tail))
        return [(node, ref) for node, ref in found if not hiding.hides(ref)][:limit]

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
        found = self._graph.rows(ids, way, codes, as_of, limit, lean)
        if not self.hiding:
            return found
        kept = list(self._masked(found, codes))
        if limit is not None and len(found) == limit and len(kept) < limit:  # hidden ones took their places
            every = self._graph.rows(ids, way, codes, as_of, None, lean)
            kept = list(self._masked(every, codes))[:limit]
        return kept

    def links(
        self, ids: Sequence[int], way: Way, codes: Sequence[int], as_of: int, limit: int | None = None
    ) -> list[Link]:
        if not self.hiding:
            return self._graph.links(ids, way, codes, as_of, limit)
        return links_of(self.rows(ids, way, codes, as_of, limit), ALL_EVIDENCE)

    def page(
        self, node: int, way: Way, codes: Sequence[int], as_of: int, after: tuple[int, int], limit: int
    ) -> list[Row]:
        if not self.hiding:
            return self._graph.page(node, way, codes, as_of, after, limit)
        place = attrgetter("code", "target" if way is Way.OUT else "source")
        pairs: dict[tuple[int, int], list[Row]] = {}
        for rows in self._pages(node, way, codes, as_of):
            for row in rows:
                if place(row) > after:
                    pairs.setdefault(place(row), []).append(row)
        return [row for pair in sorted(pairs)[:limit] for row in pairs[pair]]

    def _pages(self, node: int, way: Way, codes: Sequence[int], as_of: int) -> Iterator[list[Row]]:
        """All rows of one node, as the reader sees them, in pieces."""
        place = attrgetter("code", "target" if way is Way.OUT else "source")
        after = (-1, -1)
        while rows := self._graph.page(node, way, codes, as_of, after, _PAGE):
            after = place(rows[-1])
            yield list(self._masked(rows, codes))

    def stated_by(self, asserter: str, codes: Sequence[int], as_of: int, limit: int) -> list[Row]:
        hiding = self.hiding
        if not hiding:
            return self._graph.stated_by(asserter, codes, as_of, limit)
        found = self._graph.stated_by(hiding.asked(asserter), codes, as_of, limit)
        return [row for row in self._masked(found, codes) if row.evidence != UNTOLD]

    def adjacency(self, as_of: int, read: int) -> View | None:
        """None when something is hidden: the index knows how the edges of hidden nodes are known."""
        return None if self.hiding else self._graph.adjacency(as_of, read)

    def degrees(
        self, ids: Sequence[int], way: Way, codes: Sequence[int], as_of: int, cap: int
    ) -> dict[int, int]:
        if not self.hiding or set(codes) == self._whole(codes):
            return self._graph.degrees(ids, way, codes, as_of, cap)
        counted = {node: self._degree(node, way, codes, as_of, cap) for node in dict.fromkeys(ids)}
        return {node: count for node, count in counted.items() if count}

    def _degree(self, node: int, way: Way, codes: Sequence[int], as_of: int, cap: int) -> int:
        far = attrgetter("target" if way is Way.OUT else "source")
        found: set[int] = set()
        for rows in self._pages(node, way, codes, as_of):
            found.update(map(far, rows))
            if len(found) >= cap:
                break
        return min(len(found), cap)

    def _whole(self, codes: Iterable[int]) -> Set[int]:
        """The codes of the flow classes that are asked for as a whole."""
        wanted = frozenset(codes)
        return frozenset(code for whole in _WHOLE.values() if whole <= wanted for code in whole)

    def _masked(self, rows: Iterable[Row], codes: Sequence[int]) -> Iterator[Row]:
        """Rows as the reader sees them: those of hidden nodes only where a whole flow class is asked for,
        since another asks for edges by their names.
        """
        hidden, whole = self.hiding.nodes, self._whole(codes)
        edges: defaultdict[tuple[int, int, int, int], list[Row]] = defaultdict(list)
        for row in rows:
            if row.source in hidden or row.target in hidden:
                if row.code in whole:
                    edges[row.relation, row.code, row.source, row.target].append(row)
                else:
                    self.passed_over.update(hidden.keys() & {row.source, row.target})
            else:
                yield self._covered(row)
        for (relation, code, source, target), stated in edges.items():
            if not weigh((row.evidence, row.stance) for row in stated).refuted:
                key = self.hiding.relation(relation, code, source, target)
                yield _influence(source, flow_of(code), target, key)

    def _covered(self, row: Row) -> Row:
        """A row between nodes that are seen: what else it names may be hidden."""
        hiding = self.hiding
        changed: dict[str, Any] = {}
        if len(term_of(row.code).arguments) > 1:  # its key is made of all its arguments
            changed["relation"] = hiding.relation(row.relation)
        if row.asserter and hiding.hides(row.asserter):
            changed["asserter"] = hiding.alias(row.asserter)
        if row.attributes:
            said = msgspec.json.decode(row.attributes)
            shown = {name: covered(value, hiding) for name, value in said.items()}
            if shown != said:
                changed["attributes"] = msgspec.json.encode(shown, order="deterministic").decode()
        return msgspec.structs.replace(row, **changed) if changed else row

    # What is said of nodes

    def attributes(
        self, ids: Sequence[int], as_of: int, names: Sequence[str] | None = None
    ) -> dict[int, list[AttributeRow]]:
        hiding = self.hiding
        found = self._graph.attributes(ids, as_of, names)
        if not hiding:
            return found
        return {
            node: [_attribute(row, hiding) for row in rows]
            for node, rows in found.items()
            if node not in hiding.nodes
        }

    def kept(self, bodies: Sequence[str], as_of: int) -> frozenset[str]:
        return self._graph.kept(bodies, as_of)

    def bodies(self, ids: Sequence[int]) -> Mapping[int, list[BodyState]]:
        found, hidden = self._graph.bodies(ids), self.hiding.nodes
        return {node: bodies for node, bodies in found.items() if node not in hidden} if hidden else found

    # Reports

    def conflicts(self, as_of: int) -> frozenset[int]:
        return self._graph.conflicts(as_of)

    def reports(self, ids: Sequence[int], as_of: int) -> dict[int, list[Report]]:
        found, hiding = self._graph.reports(ids, as_of), self.hiding
        if not hiding:
            return found
        seen = {node: self._redacted(reports) for node, reports in found.items() if node not in hiding.nodes}
        return {node: reports for node, reports in seen.items() if reports}

    def events(self, seqs: Sequence[int], as_of: int) -> dict[int, Report]:
        found = self._graph.events(seqs, as_of)
        return {report.seq: report for report in self._redacted(found.values())} if self.hiding else found

    def run_reports(self, run: str, types: Sequence[str], as_of: int, limit: int) -> list[Report]:
        return self._redacted(self._graph.run_reports(self._asked(run), types, as_of, limit))

    def log(
        self, types: Sequence[str], as_of: int, after: int, last: int, limit: int, source: str = ""
    ) -> list[Report]:
        """Others follow in the places of events that are withheld: a short list says that it is the last."""
        seen: list[Report] = []
        while len(seen) < limit:
            found = self._graph.log(types, as_of, after, last, limit - len(seen), source)
            full = len(found) == limit - len(seen)
            seen += self._redacted(found)
            if not full:
                break
            after = found[-1].seq
        return seen

    def filed_reports(self, keys: Sequence[str], as_of: int, limit: int) -> dict[str, list[Report]]:
        asked = {key: self._asked_key(key) for key in keys}
        found = self._graph.filed_reports(list(asked.values()), as_of, limit)
        return {key: self._redacted(found[name]) for key, name in asked.items() if name in found}

    def _asked_key(self, key: str) -> str:
        kind, mark, name = key.partition(":")
        return kind + mark + self._asked(name)

    def _redacted(self, reports: Iterable[Report]) -> list[Report]:
        hiding = self.hiding
        if not hiding:
            return list(reports)
        seen = (redacted(report, hiding) for report in reports)
        return [report for report in seen if report]

    def _asked(self, ref: str) -> str:
        return self.hiding.asked(ref) if self.hiding else ref

    def loose(self, runs: Sequence[str], as_of: int) -> Loose:
        found = self._graph.loose([self._asked(run) for run in runs], as_of)
        if not self.hiding:
            return found
        shown = self.hiding.shown
        return found._replace(
            result_example=shown(found.result_example), candidate_example=shown(found.candidate_example)
        )

    # Sources

    def sources(self, sources: Sequence[str] | None, as_of: int) -> list[SourceState]:
        return self._graph.sources(sources, as_of)

    def numbers(self, sources: Sequence[str] | None, as_of: int, limit: int) -> list[Numbers]:
        return self._graph.numbers(sources, as_of, limit)

    def run_sources(self, runs: Sequence[str], as_of: int) -> dict[str, list[str]]:
        asked = {self._asked(run): run for run in runs}
        found = self._graph.run_sources(list(asked), as_of)
        return {asked[run]: sources for run, sources in found.items()}


def _influence(source: int, flow: Flow, target: int, relation: int) -> Row:
    return Row(
        source, GENERIC[flow], target, relation, UNTOLD, int(Stance.SUPPORTS), 0, 0, "", "", "", "", ""
    )


def _attribute(row: AttributeRow, hiding: Hiding) -> AttributeRow:
    value, asserter = hiding.covered(row.value), hiding.shown(row.asserter) if row.asserter else ""
    if value == row.value and asserter == row.asserter:
        return row
    return msgspec.structs.replace(row, value=value, asserter=asserter)


def hiding_of(graph: Graph) -> Hiding:
    """What is hidden in a graph by now."""
    return graph.look() if isinstance(graph, RestrictedGraph) else NOTHING
