"""What a process remembers of nodes is what the store holds: whoever wrote since, and as of any seq."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from app.ledger import Ledger, cards, changes
from app.ledger.store import Store
from provmodel.relations import Flow, codes_of
from queries.graph import COMMON, Graph, Way
from tests.ledgers import all_prepared
from tests.queries.graph_contract import weighed_as
from tests.scramble import Scramble, scrambled

TENANT = "default"
ALL = codes_of(frozenset(Flow))
RECORDS = codes_of(frozenset({Flow.RECORD}))
ENOUGH = 10**9
"""Rows after which any index is worth loading."""


@pytest.fixture
def ledger(store_url: str) -> Iterator[Ledger]:
    with Ledger.open(store_url) as ledger:
        yield ledger


def told(graph: Graph, nodes: Sequence[int], as_of: int) -> dict[str, object]:
    """All that is remembered of nodes."""
    rows = {
        (way, codes): sorted(graph.rows(nodes, way, codes, as_of)) for way in Way for codes in (ALL, RECORDS)
    }
    links = {
        f"links {way.value}": sorted(map(weighed_as, graph.links(nodes, way, ALL, as_of))) for way in Way
    }
    return {
        **links,
        "infos": graph.infos(nodes, as_of),
        "said": graph.attributes(nodes, as_of, COMMON),
        "types": graph.attributes(nodes, as_of, ("prov:type",)),
        **{f"{way.value} {len(codes)}": found for (way, codes), found in rows.items()},
    }


def warm(ledger: Ledger) -> Graph:
    graph = ledger.graph(TENANT)
    assert graph.adjacency(graph.head(), ENOUGH) is not None
    return graph


def test_what_is_remembered_agrees_with_the_store_as_of_every_seq_while_others_write(
    ledger: Ledger, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "EVENTS", 25)  # now and then all is forgotten
    chosen = random.Random(7)
    events = scrambled(Scramble(3).build(60), 3)
    with Ledger.open(store_url) as other:
        while events:
            some = [events.pop() for _ in range(min(len(events), chosen.choice((1, 1, 2, 7, 30))))]
            chosen.choice((ledger, other)).append(TENANT, all_prepared(some))
            graph, head = warm(ledger), ledger.graph(TENANT).head()
            nodes = list(range(1, ledger.store.of(TENANT).fetch("select max(node) from node")[0][0] + 1))
            with Ledger.open(store_url) as fresh:
                for as_of in {head, chosen.randint(1, head), head}:
                    assert told(graph, nodes, as_of) == told(fresh.graph(TENANT), nodes, as_of), (head, as_of)


def test_nodes_are_not_read_again_until_something_is_said_of_them(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = Scramble(5).build(40)
    ledger.append(TENANT, all_prepared(events))
    graph, head = warm(ledger), ledger.graph(TENANT).head()
    stated = ledger.store.of(TENANT).fetch(
        "select node from node where event is not null order by node limit 30"
    )
    nodes = [node for (node,) in stated]
    first = told(graph, nodes, head)
    asked: list[str] = []
    fetch = type(ledger.store).fetch

    def counting(store: Store, statement: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        asked.append(statement)
        return fetch(store, statement, parameters)

    monkeypatch.setattr(type(ledger.store), "fetch", counting)
    assert told(graph, nodes, head) == first
    assert asked == []


def test_what_is_remembered_is_bounded() -> None:
    shelf = cards.Shelf[str](10)
    known = changes.Known(0, 5, {})
    for node in range(100):
        assert shelf.take({node: (1, f"node {node}")}, 5, 5, {}) == []
    found, missing, later = shelf.at_hand(known, range(100), 5)
    assert 10 <= len(found) <= 20
    assert (len(found) + len(missing), later) == (100, [])


def test_a_rebuild_makes_all_that_was_remembered_void(ledger: Ledger, store_url: str) -> None:
    ledger.append(TENANT, all_prepared(scrambled(Scramble(2).build(30), 1)))
    graph, head = warm(ledger), ledger.graph(TENANT).head()
    told(graph, list(range(1, 40)), head)
    ledger.rebuild(TENANT)
    graph = warm(ledger)
    nodes = list(range(1, ledger.store.of(TENANT).fetch("select max(node) from node")[0][0] + 1))
    with Ledger.open(store_url) as fresh:
        assert told(graph, nodes, head) == told(fresh.graph(TENANT), nodes, head)
