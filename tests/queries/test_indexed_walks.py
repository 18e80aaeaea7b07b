"""A walk by the compact index comes to what a walk by rows does, in SQL and in memory, whatever is asked."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.ledger import Ledger
from provmodel.events import Event
from provmodel.evidence import ALL_EVIDENCE, Evidence
from queries import indexed, starting
from queries.adjacency import index, reach
from queries.cursor import Position
from queries.graph import Graph
from queries.policy import POLICIES
from queries.walk import Trip, walk
from tests.ledgers import all_prepared
from tests.queries.conftest import by
from tests.queries.graph_contract import memory_of
from tests.queries.test_random_graphs import ENTITIES, RandomGraph
from tests.queries.walks_compared import spelled, without_index
from tests.scramble import Scramble, scrambled
from tests.stores import empty_ledger
from tests.story import Story

PAGES = 5
ENOUGH = 10**9
"""Rows after which any index is worth loading."""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(empty_ledger(tmp_path / "clew.db")) as ledger:
        yield ledger


def warm(ledger: Ledger, tenant: str = "default") -> Graph:
    """The tenant's graph, its index loaded."""
    graph = ledger.graph(tenant)
    assert graph.adjacency(graph.head(), ENOUGH) is not None
    return graph


def told_events(seed: int, count: int) -> list[Event]:
    return [msgspec.convert(item, type=Event) for item in scrambled(Scramble(seed).build(count), seed)]


def asked(graph: Graph, chosen: random.Random) -> dict[str, Any]:
    """One walk, by all but its start nodes."""
    kinds = chosen.sample(sorted(Evidence), chosen.randint(1, 4))
    return {
        "policy": POLICIES[chosen.choice(("why", "impact", "why", "impact", "derivation", "who"))],
        "as_of": chosen.choice((graph.head(), graph.head(), max(1, graph.head() // 2))),
        "evidence": frozenset(kinds) if chosen.random() < 0.4 else ALL_EVIDENCE,
        "include_refuted": chosen.random() < 0.3,
        "depth": chosen.choice((0, 1, 2, 3, 50)),
        "max_nodes": chosen.choice((3, 10, 40, 20_000)),
        "siblings": chosen.random() < 0.6,
        "wide": chosen.random() < 0.5,
        "stop_at": frozenset(chosen.choice(((), (), ("clew:Attempt",), ("activity",)))),
    }


def compare(graph: Graph, memory: Graph, refs: Sequence[str], seed: int, walks: int) -> None:
    """Page by page, by the index, with and without edges, by rows, and in memory."""
    chosen = random.Random(seed)
    for _ in range(walks):
        fields, starts = asked(graph, chosen), chosen.sample(list(refs), chosen.randint(1, 3))
        position = elsewhere = Position()
        for _ in range(PAGES):
            trip = trip_on(graph, starts, fields, position)
            other = trip_on(memory, starts, fields, elsewhere)
            by_index, in_memory = walk(graph, trip), walk(memory, other)
            told = spelled(graph, by_index, trip)
            assert told == spelled(graph, walk(without_index(graph), trip), trip), (starts, fields)
            assert told == spelled(memory, in_memory, other), (starts, fields)
            bare = spelled(graph, walk(graph, msgspec.structs.replace(trip, bare=True)), trip)
            for part in ("depths", "before", "frontier", "next", "truncated"):
                assert told[part] == bare[part], (starts, fields)
            if by_index.next is None or in_memory.next is None:
                break
            position, elsewhere = by_index.next, in_memory.next


def trip_on(graph: Graph, starts: Sequence[str], fields: dict[str, Any], position: Position) -> Trip:
    ids = graph.ids(starts, fields["as_of"])
    return Trip(starts=tuple(ids[ref] for ref in starts if ref in ids), position=position, **fields)


@pytest.fixture(
    params=[
        ("compiled", 64, 1000, 4096),
        ("compiled", 0, 5, 60),
        ("numpy", 64, 1000, 4096),
        ("numpy", 0, 5, 60),
        ("numpy", 64, 5, 60),
    ],
    ids=["compiled", "much handed back", "as it is without", "arrays", "plain"],
)
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one way of working gives way to the other: compiled code, wide frontiers, hubs, segments."""
    code, narrow, hub, freeze = request.param
    by(code, request, monkeypatch)
    monkeypatch.setattr(reach, "NARROW", narrow)
    monkeypatch.setattr(starting, "HUB", hub)
    monkeypatch.setattr(indexed, "HUB", hub)
    monkeypatch.setattr(index, "FREEZE", freeze)


@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("seed", [0, 1])
def test_walks_over_what_agents_report_agree_while_commits_land(seed: int, ledger: Ledger) -> None:
    told = told_events(seed, 120)
    items = all_prepared(told)
    ledger.append("default", items[: len(items) // 3])
    graph = warm(ledger)
    for start in range(len(items) // 3, len(items), 3):
        ledger.append("default", items[start : start + 3])
        if start % 2:
            graph.adjacency(graph.head(), 0)
    memory = memory_of(told)
    compare(graph, memory, memory.all_refs(), seed, 10)


@pytest.mark.usefixtures("sizes")
def test_walks_over_tangled_graphs_agree(ledger: Ledger) -> None:
    made = RandomGraph(5)
    made.in_ledger(ledger, "default")
    compare(warm(ledger), made.in_memory(), ENTITIES, 5, 6)


def test_walks_by_the_index_agree_on_postgresql(postgres_ledger: str) -> None:
    told = told_events(3, 80)
    items = all_prepared(told)
    with Ledger.open(postgres_ledger) as ledger:
        ledger.append("default", items[:40])
        graph = warm(ledger)
        for start in range(40, len(items), 10):
            ledger.append("default", items[start : start + 10])
        memory = memory_of(told)
        compare(graph, memory, memory.all_refs(), 3, 8)


def test_a_walk_that_reads_much_goes_over_to_the_index_and_comes_to_the_same(ledger: Ledger) -> None:
    made = RandomGraph(2)
    graph = made.in_ledger(ledger, "default")
    fields = {"policy": POLICIES["impact"], "as_of": graph.head(), "depth": 50}
    trip = trip_on(graph, ENTITIES[:1], fields, Position())
    expected = spelled(graph, walk(without_index(graph), trip), trip)
    assert graph.adjacency(graph.head(), 0) is None
    assert spelled(graph, walk(graph, trip), trip) == expected
    assert graph.adjacency(graph.head(), 0) is not None
    assert spelled(graph, walk(graph, trip), trip) == expected


def test_a_walk_that_is_out_of_time_is_cut_at_a_whole_level_and_goes_on(ledger: Ledger) -> None:
    story = Story()
    for number in range(6):
        story.call(f"call:{number}", sees=[f"msg:{number}"], says=[f"msg:{number + 1}"])
    ledger.append("default", all_prepared(story.events))
    for graph in (without_index(ledger.graph("default")), warm(ledger), story.graph()):
        whole = trip_on(graph, ["msg:0"], {"policy": POLICIES["impact"], "as_of": graph.head()}, Position())
        found: dict[int, int] = {}
        trip = msgspec.structs.replace(whole, seconds=0.0)
        while True:
            page = walk(graph, trip)
            found |= page.depths
            assert len(set(page.depths.values())) == 1
            if page.next is None:
                break
            assert {edge.reason for edge in page.frontier.values()} == {"deadline"}
            trip = msgspec.structs.replace(trip, position=page.next)
        assert found == walk(graph, whole).depths
