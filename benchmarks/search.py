"""Search: words taken after the commit, and nodes found by them, beside what FTS5 alone takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from app.ledger import Ledger
from app.service import Service
from benchmarks import rows
from benchmarks.frame import Figure, cpu, micros, ratio, take_turns
from benchmarks.stores import TENANT, Files, in_batches, prepared, service_at, spent
from benchmarks.workload import BATCH, raw, steps

ASKED = 20
"""Searches in each turn."""

_RARE = {"q": "support desk worker 0042*"}
_COMMON = {"q": "search orders"}
_FILTERED = {"q": "search orders", "kind": "activity", "evidence": "observed"}
_MATCHED = "select count(*) from search_index where search_index match ?"


def figures(quick: bool) -> Iterable[Figure]:
    """The index over fresh ledgers, then searches in one of them."""
    count, turns = (2_000, 3) if quick else (10_000, 7)
    batches = in_batches(raw(steps(), count))
    with TemporaryDirectory() as folder:
        yield from _taking(Path(folder), batches, count, turns)
        yield from _finding(Path(folder), batches, count, turns)


def _taking(folder: Path, batches: list[Any], count: int, turns: int) -> Iterable[Figure]:
    files = Files(folder)
    seconds = take_turns(
        turns, {"store": lambda: files.ledger(batches), "words": lambda: _words(files.path, batches)}
    )
    each = {name: micros(median(took), count) for name, took in seconds.items()}
    yield Figure(
        name="taking the words, beside the store step",
        measured=ratio(seconds["words"], seconds["store"]),
        goal=None,
        unit="x",
        peer="`Ledger.append` of the same events",
        note=f"{count:,} events of 1 kB, {BATCH} a commit; words {each['words']} an event, the store step "
        f"{each['store']}. Nobody who writes waits for it",
    )


def _words(path: Path, batches: list[Any]) -> float:
    """CPU seconds of taking the words of a ledger that was just written."""
    rows.empty(path)
    with Ledger.open(str(path)) as ledger:
        spent(batches, prepared, lambda items: ledger.append(TENANT, items))
        seconds = cpu(lambda: _take_all(ledger))
    rows.drop(path)
    return seconds


def _take_all(ledger: Ledger) -> None:
    while not ledger.take_words(TENANT):
        pass


def _finding(folder: Path, batches: list[Any], count: int, turns: int) -> Iterable[Figure]:
    service = service_at(folder / "searched.db")
    for batch in batches:
        service.record(batch)
    _take_all(service.ledger)
    total = service.search(_COMMON).total
    seconds = take_turns(
        turns,
        {
            "rare": lambda: _search(service, _RARE),
            "common": lambda: _search(service, _COMMON),
            "filtered": lambda: _search(service, _FILTERED),
            "fts5": lambda: _match(service),
        },
    )
    alone = median(seconds["fts5"]) / ASKED * 1000
    service.close()
    for name, what in (
        ("rare", "words that few nodes have"),
        ("common", f"words that {total:,} nodes have, counted and ordered"),
        ("filtered", "the same, of one kind and known with some evidence"),
    ):
        yield Figure(
            name=f"a page of 100, {name}",
            measured=median(seconds[name]) / ASKED * 1000,
            goal=None,
            unit="ms",
            peer="FTS5 alone",
            note=f"{what}; a store of {count:,} events. FTS5 alone counts the common in {alone:.2g} ms",
        )


def _search(service: Service, asked: Mapping[str, Any]) -> float:
    return cpu(lambda: [service.search(asked) for _ in range(ASKED)])


def _match(service: Service) -> float:
    store = service.ledger.store
    return cpu(lambda: [store.fetch(_MATCHED, ('"1.search" AND "1.orders"',)) for _ in range(ASKED)])
