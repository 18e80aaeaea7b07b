"""Growth: the store step on top of 1,000,000 events, and how the driver itself grows.

A store is filled to each size and copied: one copy for the driver, one from which the rows are read that
Clew adds next. Then the stores of both sizes and both sides take turns, commit by commit. The first commits
are not counted, so that none of them begins on a cold cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from app.ledger import Ledger
from benchmarks import rows
from benchmarks.frame import Figure, Side, micros, ratio, take_turns
from benchmarks.stores import TENANT, copy_ledger, head_of, prepared, spent
from benchmarks.workload import BATCH, raw, steps

SMALL, LARGE, LARGE_IF_QUICK = 10_000, 1_000_000, 50_000
WARM, COUNTED = 4, 16
"""Commits before a measure, and in it."""
FILLED_BY = 5_000
"""Events of a commit while a store is filled."""


class Stand(NamedTuple):
    """A store of some size for each side, and what is added to it."""

    clew: Path
    driver: Path
    batches: list[list[bytes]]
    commits: list[rows.Commit]


def figures(quick: bool) -> Iterable[Figure]:
    """Clew and the driver, on a store of each size."""
    size = LARGE_IF_QUICK if quick else LARGE
    with TemporaryDirectory() as folder, ExitStack() as open_stores:
        growing = rows.empty(Path(folder) / "growing.db")
        sides: dict[str, Side] = {}
        filled = 0
        for name, events in (("small", SMALL), ("large", size)):
            _fill(growing, filled, events)
            filled = events
            stand = _stand(growing, name, events)
            ledger = open_stores.enter_context(Ledger.open(str(stand.clew)))
            connection = open_stores.enter_context(closing(rows.open_raw(stand.driver)))
            sides[f"clew {name}"] = _clew(ledger, iter(stand.batches))
            sides[f"driver {name}"] = _driver(connection, iter(stand.commits))
        take_turns(WARM, sides)
        seconds = take_turns(COUNTED, sides)
    yield from _told(seconds, size)


def _told(seconds: dict[str, list[float]], size: int) -> Iterator[Figure]:
    grown = ratio(seconds["clew large"], seconds["clew small"])
    driver = ratio(seconds["driver large"], seconds["driver small"])
    each = {name: micros(median(took), BATCH) for name, took in seconds.items()}
    yield Figure(
        name=f"an event after {size:,}, against one after {SMALL:,}",
        measured=grown,
        goal=2.2,
        unit="x",
        peer="Clew's own store step on the small store",
        note=f"{each['clew small']} an event, then {each['clew large']}",
    )
    yield Figure(
        name="the same, against how the driver grows",
        measured=grown / driver,
        goal=1.15,
        unit="x",
        peer="`sqlite3` executemany of the same rows into copies of both stores",
        note=f"the driver: {each['driver small']} an event, then {each['driver large']}: {driver:.3g}x",
    )


def _fill(path: Path, first: int, end: int) -> None:
    """Append the events of the workload from ``first`` to before ``end``."""
    events = steps(first)
    with Ledger.open(str(path)) as ledger:
        for start in range(first, end, FILLED_BY):
            ledger.append(TENANT, prepared(raw(events, min(FILLED_BY, end - start))))


def _stand(filled: Path, name: str, events: int) -> Stand:
    """Copies of a filled store, and the commits that come next."""
    clew, driver, read = (filled.with_name(f"{name}-{side}.db") for side in ("clew", "driver", "read"))
    for copy in (clew, driver, read):
        copy_ledger(filled, copy)
    coming = steps(events)
    batches = [raw(coming, BATCH) for _ in range(WARM + COUNTED)]
    with Ledger.open(str(read)) as ledger:
        heads = [head_of(ledger)]
        for batch in batches:
            ledger.append(TENANT, prepared(batch))
            heads.append(head_of(ledger))
    commits = rows.written(read, heads[1:], first=heads[0])
    rows.drop(read)
    return Stand(clew, driver, batches, commits)


def _clew(ledger: Ledger, batches: Iterator[Sequence[bytes]]) -> Side:
    def append() -> float:
        return spent([next(batches)], prepared, partial(ledger.append, TENANT))

    return append


def _driver(connection: rows.Raw, commits: Iterator[rows.Commit]) -> Side:
    def insert() -> float:
        return spent([next(commits)], rows.Commit.inserts, partial(rows.insert_raw, connection))

    return insert
