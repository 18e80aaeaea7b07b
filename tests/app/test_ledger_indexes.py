"""The compact indexes of a process: loaded when worth it, caught up with all writers, bounded, made anew."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.ledger import Ledger
from app.ledger.indexes import WORTH, Indexes
from queries.adjacency.index import OFFERED
from queries.graph import Graph
from queries.policy import POLICIES
from queries.walk import Trip, walk
from tests.ledgers import all_prepared
from tests.stores import empty_ledger
from tests.story import Story

ENOUGH = 10**9
"""Rows after which any index is worth loading."""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(empty_ledger(tmp_path / "clew.db")) as ledger:
        yield ledger


def chain(first: int, last: int) -> Story:
    """Calls, each of which is sent what the one before said."""
    story = Story()
    for number in range(first, last):
        story.call(f"call:{number}", id=f"e{number}", sees=[f"msg:{number}"], says=[f"msg:{number + 1}"])
    return story


def reached(graph: Graph) -> int:
    head = graph.head()
    start = graph.ids(["msg:0"], head)["msg:0"]
    trip = Trip(starts=(start,), policy=POLICIES["impact"], as_of=head, depth=10_000)
    return len(walk(graph, trip).depths)


def test_an_index_is_loaded_once_walks_have_read_what_loading_costs(ledger: Ledger) -> None:
    ledger.append("default", all_prepared(chain(0, 200).events))
    graph = ledger.graph("default")
    head = graph.head()
    assert graph.adjacency(head, 1) is None
    edges = ledger.store.of("default").fetch("select sum(edges) from blob")[0][0]
    assert graph.adjacency(head, edges // WORTH - 2) is None
    assert graph.adjacency(head, 2) is not None


def test_an_empty_tenant_has_no_index(ledger: Ledger) -> None:
    graph = ledger.graph("default")
    assert graph.adjacency(graph.head(), ENOUGH) is None


def test_a_commit_of_another_process_is_seen_by_the_next_walk(ledger: Ledger, tmp_path: Path) -> None:
    ledger.append("default", all_prepared(chain(0, 5).events))
    graph = ledger.graph("default")
    assert graph.adjacency(graph.head(), ENOUGH) is not None
    assert reached(graph) == 11
    with Ledger.open(str(tmp_path / "clew.db")) as other:
        for number in range(5, 45):
            other.append("default", all_prepared(chain(number, number + 1).events))
            assert reached(graph) == 2 * number + 3
        other.compact("default")
        other.append("default", all_prepared(chain(45, 46).events))
    assert reached(graph) == 93


def test_commits_of_this_process_and_of_another_come_in_order(ledger: Ledger, tmp_path: Path) -> None:
    ledger.append("default", all_prepared(chain(0, 5).events))
    graph = ledger.graph("default")
    view = graph.adjacency(graph.head(), ENOUGH)
    with Ledger.open(str(tmp_path / "clew.db")) as other:
        for number in range(5, 25):
            writers = (other, ledger, ledger) if number % 2 else (ledger, other, ledger)
            for place, writer in enumerate(writers):
                link = 3 * number - 10 + place
                writer.append("default", all_prepared(chain(link, link + 1).events))
            assert reached(graph) == 2 * (3 * number - 10 + 3) + 1
    again = Indexes(ledger.store).view(1, 0, graph.head(), ENOUGH)
    assert view is not None
    assert again is not None
    held = ledger.indexes.held(1)
    assert held is not None
    assert held.view.last == again.last
    assert held.rows == sum(segment.rows for segment in again.segments)


def test_commits_that_nobody_reads_are_not_kept(ledger: Ledger) -> None:
    ledger.append("default", all_prepared(chain(0, 5).events))
    graph = ledger.graph("default")
    graph.adjacency(graph.head(), ENOUGH)
    for number in range(5, 5 + OFFERED + 10):
        ledger.append("default", all_prepared(chain(number, number + 1).events))
    assert reached(graph) == 2 * (5 + OFFERED + 10) + 1


def test_an_index_is_made_anew_after_a_rebuild(ledger: Ledger) -> None:
    ledger.append("default", all_prepared(chain(0, 5).events))
    graph = ledger.graph("default")
    before = graph.adjacency(graph.head(), ENOUGH)
    ledger.rebuild("default")
    head = graph.head()
    after = graph.adjacency(head, ENOUGH)
    assert after is not None
    assert before is not None
    assert after.retired is not before.retired
    assert reached(graph) == 11


def test_the_index_used_least_lately_is_given_up_for_another(ledger: Ledger) -> None:
    for name in ("one", "two"):
        ledger.append(name, all_prepared(chain(0, 5).events))
    indexes = Indexes(ledger.store, room=1)
    tenants = [number for (number,) in ledger.store.directory("select tenant from tenant order by tenant")]
    for tenant in tenants:
        assert indexes.view(tenant, 0, 1, ENOUGH) is not None
    assert [indexes.held(tenant) is not None for tenant in tenants] == [False, True]


def test_walks_go_on_while_commits_land(ledger: Ledger) -> None:
    ledger.append("default", all_prepared(chain(0, 50).events))
    graph = ledger.graph("default")
    assert graph.adjacency(graph.head(), ENOUGH) is not None
    found: list[int] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            found.append(reached(ledger.graph("default")))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(50, 150):
        ledger.append("default", all_prepared(chain(number, number + 1).events))
    done.set()
    for reader in readers:
        reader.join()
    assert set(found) <= {2 * number + 1 for number in range(50, 151)}
    assert reached(graph) == 301
