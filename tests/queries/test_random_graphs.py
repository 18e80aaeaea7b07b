"""Walks over random graphs reach in memory, in SQL, by the index and in networkx the same nodes and depths.

Each graph has over 200 nodes and 2,000 relations with three assertions each, a third of them from joins of
which most are retired again; some are refuted; there are cycles.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any

import msgspec
import networkx as nx
import pytest

from app.ledger import Ledger
from app.ledger.items import Prepared
from provmodel.events import Event
from provmodel.evidence import ALL_EVIDENCE, LOCAL, Evidence, Stance
from provmodel.joining import Made, Moment, Reads, encode
from provmodel.records import Assertion, Fact, Records, Relation
from provmodel.relations import DERIVATION, GENERATION, MEMBERSHIP, REVISION, USAGE, Flow, Kind, Term
from queries.graph import Graph, Way
from queries.links import Link, ends, links_of
from queries.memory import Arrived, MemoryGraph
from queries.policy import COSTS, POLICIES
from queries.walk import Trip, walk
from tests.ledgers import prepared
from tests.queries.walks_compared import without_index
from tests.stores import empty_ledger

ENTITIES = [f"e:{number}" for number in range(150)]
ACTIVITIES = [f"a:{number}" for number in range(70)]
STATED = 1900
JOINED = 400
TENANTS = 5
ENOUGH = 10**9
"""Rows after which any index is worth loading."""
ASSERTERS = ("source:one", "source:two", "model:m")
SHAPES: tuple[tuple[Term, list[str], list[str]], ...] = (
    (GENERATION, ENTITIES, ACTIVITIES),
    (USAGE, ACTIVITIES, ENTITIES),
    (DERIVATION, ENTITIES, ENTITIES),
    (REVISION, ENTITIES, ENTITIES),
    (MEMBERSHIP, ENTITIES, ENTITIES),
)


class RandomGraph:
    """Events that state random relations, three assertions each, spread over the log."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.records: list[Records] = []
        assertions = [assertion for _ in range(STATED) for assertion in self._relation()]
        self.random.shuffle(assertions)
        for start in range(0, len(assertions), 50):
            self._event(assertions[start : start + 50], [])
        for number in range(JOINED):
            self._joined(number)

    def _relation(self) -> list[Assertion]:
        term, subjects, objects = self.random.choice(SHAPES)
        subject = self.random.choice(subjects)
        target = self.random.choice([ref for ref in objects if ref != subject])
        arguments = (target, None) if term is DERIVATION else (target,)
        flow = Flow.DATA if self.random.random() < 0.9 else Flow.CONTROL
        relation = Relation(term, subject, arguments, self.random.choice(("", "r")), flow)
        refuted = self.random.random() < 0.15
        return [
            Assertion(
                relation,
                self.random.choice(tuple(Evidence)),
                asserter,
                Stance.REFUTES if refuted and index == 0 else Stance.SUPPORTS,
            )
            for index, asserter in enumerate(ASSERTERS)
        ]

    def _joined(self, number: int) -> None:
        """A read that fits one occurrence, and mostly later a second: what was verified is retired and
        inferred again.
        """
        key, activity = f"ref:s:{number}@sha256:aa", self.random.choice(ACTIVITIES)
        need = Fact(key, "need", activity, encode(Reads(activity, Moment(10))))
        for turn in range(2 if self.random.random() < 0.8 else 1):
            made = Made(f"other:{turn}", self.random.choice(ENTITIES), Moment(turn))
            offer = Fact(key, "offer", made.occurrence, encode(made))
            self._event([], [need, offer] if turn == 0 else [offer])

    def _event(self, assertions: list[Assertion], facts: list[Fact]) -> None:
        nodes = {ref: int(kind) for a in assertions for ref, kind in a.relation.nodes()}
        nodes |= {ref: int(Kind.AGENT) for ref in ASSERTERS}
        nodes |= {fact.node: int(Kind.ENTITY if fact.node in ENTITIES else Kind.ACTIVITY) for fact in facts}
        self.records.append(Records("source:one", nodes, assertions, [], facts))

    def events(self) -> Iterator[tuple[Event, Records]]:
        for number, records in enumerate(self.records):
            fields = {
                "type": "source_reported",
                "id": str(number),
                "source": "one",
                "time": "2026-03-01T09:00:00Z",
                "state": "alive",
            }
            yield msgspec.convert(fields, type=Event), records

    def in_memory(self) -> MemoryGraph:
        graph = MemoryGraph()
        for event, records in self.events():
            graph.take(Arrived(event, (), LOCAL), records)
        return graph

    def in_ledger(self, ledger: Ledger, tenant: str) -> Graph:
        items: list[Prepared] = [
            msgspec.structs.replace(prepared(event), records=records) for event, records in self.events()
        ]
        ledger.append(tenant, items)
        return ledger.graph(tenant)


def expected(graph: MemoryGraph, trip: Trip) -> dict[str, int]:
    """Depths by networkx: shortest paths over the edges that may be crossed, each at the cost of its step."""
    way = trip.policy.way
    ids = list(graph.ids(graph.all_refs(), trip.as_of).values())
    model: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    model.add_nodes_from(trip.starts)
    for link in links_of(graph.rows(ids, way, trip.policy.codes, trip.as_of), trip.evidence):
        if link.supporting and (trip.include_refuted or not link.refuted):
            near, far = ends(link, way)
            model.add_edge(near, far, weight=COSTS[way][link.code])
    depths = nx.multi_source_dijkstra_path_length(model, set(trip.starts), cutoff=trip.depth)
    return named(graph, {node: round(depth) for node, depth in depths.items()}, trip.as_of)


def named(graph: Graph, depths: dict[int, int], as_of: int) -> dict[str, int]:
    infos = graph.infos(list(depths), as_of)
    return {infos[node].ref: depth for node, depth in depths.items()}


def trips(graph: Graph, seed: int) -> Iterator[dict[str, Any]]:
    """Some walks, by everything but their start nodes' integers."""
    chosen = random.Random(seed)
    for _ in range(12):
        kinds = chosen.sample(sorted(Evidence), chosen.randint(1, 4))
        yield {
            "refs": chosen.sample(ENTITIES, chosen.randint(1, 3)),
            "policy": POLICIES[chosen.choice(("why", "impact", "derivation"))],
            "as_of": chosen.choice((graph.head(), graph.head() // 2, 20)),
            "evidence": frozenset(kinds) if chosen.random() < 0.5 else ALL_EVIDENCE,
            "include_refuted": chosen.random() < 0.3,
            "depth": chosen.choice((1, 3, 50)),
        }


def trip_on(graph: Graph, asked: dict[str, Any]) -> Trip:
    fields = {name: value for name, value in asked.items() if name != "refs"}
    policy = msgspec.structs.replace(fields.pop("policy"), conditions=())
    return Trip(starts=tuple(graph.ids(asked["refs"], asked["as_of"]).values()), policy=policy, **fields)


@cache
def graph_of(seed: int) -> tuple[RandomGraph, MemoryGraph]:
    """A graph and the same in memory, made once."""
    made = RandomGraph(seed)
    return made, made.in_memory()


def agree(stored: Graph, seed: int, walks: int) -> None:
    """Memory, rows of a store, its index, and networkx come to the same."""
    memory = graph_of(seed)[1]
    assert stored.head() == memory.head()
    assert stored.adjacency(stored.head(), ENOUGH) is not None
    for asked in islice(trips(memory, seed), walks):
        trip = trip_on(memory, asked)
        walked = walk(memory, trip)
        depths = named(memory, walked.depths, trip.as_of)
        assert depths == expected(memory, trip)
        for graph in (stored, without_index(stored)):
            other = walk(graph, trip_on(graph, asked))
            assert named(graph, other.depths, trip.as_of) == depths
            assert told(other.links) == told(walked.links)


def told(links: Iterable[Link]) -> list[tuple[int, int, int, bool]]:
    return sorted((link.relation, link.code, link.supporting, link.refuted) for link in links)


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """Five tenants of one store, each with a graph of its own."""
    path = tmp_path_factory.mktemp("five") / "clew.db"
    with Ledger.open(empty_ledger(path)) as ledger:
        for seed in range(TENANTS):
            graph_of(seed)[0].in_ledger(ledger, f"tenant-{seed}")
        yield ledger


@pytest.mark.parametrize("seed", range(TENANTS))
def test_walks_agree_in_memory_in_sql_by_the_index_and_in_networkx(seed: int, five: Ledger) -> None:
    agree(five.graph(f"tenant-{seed}"), seed, walks=12)


def test_walks_of_five_tenants_agree_on_postgresql(postgres_ledger: str) -> None:
    with Ledger.open(postgres_ledger) as ledger:
        stored = [graph_of(seed)[0].in_ledger(ledger, f"tenant-{seed}") for seed in range(TENANTS)]
        for seed, graph in enumerate(stored):
            agree(graph, seed, walks=3)


@pytest.mark.parametrize("seed", range(3))
def test_the_graphs_are_as_large_and_as_tangled_as_promised(seed: int) -> None:
    graph = graph_of(seed)[1]
    ids = list(graph.ids(graph.all_refs(), graph.head()).values())
    codes = POLICIES["why"].codes
    links = links_of(graph.rows(ids, Way.OUT, codes, graph.head()), ALL_EVIDENCE)
    retired = sum(
        1
        for as_of in range(1, graph.head())
        for row in graph.rows(ids, Way.OUT, codes, as_of)
        if row.method and row.since == as_of and row.evidence == Evidence.VERIFIED
    )
    model: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    model.add_edges_from((link.source, link.target) for link in links)
    assert model.number_of_nodes() >= 200
    assert model.number_of_edges() >= 2000
    assert retired >= 300
    assert any(link.refuted for link in links)
    assert not nx.is_directed_acyclic_graph(model)
