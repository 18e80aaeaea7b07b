"""Several writers on one store, and writers that are killed: no gap, nothing lost, no past that changes."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from app.ledger import Ledger
from provmodel.errors import StoreBusy
from provmodel.relations import Flow, codes_of
from queries.graph import Way
from tests.crash import TENANT, check, event
from tests.ledgers import prepared
from tests.patience import HANGING

PROCESSES, THREADS, EVENTS = 2, 5, 12
EVERY = codes_of(frozenset(Flow))
ROOT = Path(__file__).parents[2]


def write(url: str, process: int) -> dict[str, int]:
    """Some threads of one process, each with events of its own, in commits of one to three; ids and seqs."""
    with Ledger.open(url) as ledger, ThreadPoolExecutor(THREADS) as pool:
        told = pool.map(lambda thread: write_one(ledger, process * THREADS + thread), range(THREADS))
        return {name: seq for acknowledged in told for name, seq in acknowledged.items()}


def write_one(ledger: Ledger, writer: int) -> dict[str, int]:
    items = [prepared(event(writer, number)) for number in range(EVENTS)]
    acknowledged: dict[str, int] = {}
    while len(acknowledged) < EVENTS:
        part = items[len(acknowledged) : len(acknowledged) + 1 + len(acknowledged) % 3]
        outcomes = ledger.append(TENANT, part)
        acknowledged |= {item.event.id: o.seq for item, o in zip(part, outcomes, strict=True)}
    return acknowledged


def seen(ledger: Ledger, as_of: int) -> tuple[object, ...]:
    """What a reader sees of the states that all writers share."""
    graph = ledger.graph(TENANT)
    ids = list(graph.ids([f"file:/{n}@sha256:{'0' * 64}" for n in range(5)], as_of).values())
    rows = [row for way in Way for row in graph.rows(ids, way, EVERY, as_of)]
    return sorted(rows), graph.sources(None, as_of), graph.degrees(ids, Way.IN, EVERY, as_of, 50)


def test_ten_writers_in_two_processes_leave_no_gap_and_change_no_past(store_url: str) -> None:
    with Ledger.open(store_url) as ledger:
        spawn = multiprocessing.get_context("spawn")
        then: dict[int, tuple[object, ...]] = {}
        with ProcessPoolExecutor(PROCESSES, mp_context=spawn) as pool:
            written = [pool.submit(write, store_url, process) for process in range(PROCESSES)]
            while not all(future.done() for future in written):
                as_of = ledger.graph(TENANT).head()
                then[as_of] = seen(ledger, as_of)
        acknowledged = {name: seq for future in written for name, seq in future.result().items()}
        assert len(acknowledged) == PROCESSES * THREADS * EVENTS
        check(ledger, acknowledged)
        assert len(then) > 2, "the reader looked while the others wrote"
        for as_of, answer in then.items():
            assert seen(ledger, as_of) == answer, f"as of {as_of}"
        assert ledger.fsck(TENANT) == []


def test_a_writer_that_waits_too_long_is_told_to_come_again(store_url: str) -> None:
    with Ledger.open(store_url) as ledger, Ledger.open(store_url) as other:
        ledger.append(TENANT, [prepared(event(0, 0))])
        for statement in ("pragma busy_timeout = 100", "set lock_timeout = 100"):
            if store_url.startswith("sqlite") == statement.startswith("pragma"):
                with other.store.connection() as connection:
                    connection.execute(statement)
        with ledger.store.of("default").writing() as session:
            session.run("update tenant set seq = seq")
            with pytest.raises(StoreBusy, match="try again"):
                other.append(TENANT, [prepared(event(0, 1))])
        assert other.append(TENANT, [prepared(event(0, 1))])[0].seq == 2


def test_a_failed_commit_leaves_nothing_and_the_next_one_works(store_url: str) -> None:
    class Broken(Exception):
        pass

    def break_off() -> None:
        with ledger.store.of("default").writing() as session:
            session.run("update tenant set seq = 99")
            raise Broken

    with Ledger.open(store_url) as ledger:
        ledger.append(TENANT, [prepared(event(0, 0))])
        with pytest.raises(Broken):
            break_off()
        assert ledger.append(TENANT, [prepared(event(0, 1))])[0].seq == 2


def test_readers_never_wait_for_a_writer(store_url: str) -> None:
    with Ledger.open(store_url) as ledger:
        ledger.append(TENANT, [prepared(event(0, 0))])
        heads: list[int] = []
        with ledger.store.of("default").writing() as session:
            session.run("update tenant set seq = 99")
            reader = threading.Thread(target=lambda: heads.append(ledger.graph(TENANT).head()))
            reader.start()
            reader.join(HANGING)
        assert heads == [1]


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_fifty_killed_writers_lose_nothing_on_sqlite(store_url: str) -> None:
    killed(store_url, 50)


@pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
def test_five_killed_writers_lose_nothing_on_postgresql(store_url: str) -> None:
    killed(store_url, 5)


def killed(url: str, rounds: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash", url, str(rounds)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
