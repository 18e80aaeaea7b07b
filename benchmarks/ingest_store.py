"""Ingest, the store step: ``Ledger.append``, and peers that insert the very rows which it wrote."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import rows
from benchmarks.frame import Figure, micros, ratio, take_turns
from benchmarks.stores import Files, in_batches
from benchmarks.workload import BATCH, raw, steps

_TRIED = (
    "many rows in one statement (a sixth off), keys of relations made before the lock, no garbage collection "
    "in a commit, no look-up where nothing can be. Two thirds of what is left is SQLite's own work on "
    "the same rows. Making rows ready outside the lock took 8 us off and put 20 us on what comes before"
)


def figures(quick: bool) -> Iterable[Figure]:
    """The driver, Core and the ORM, each on fresh files with the ledger's tables, indexes and settings."""
    with TemporaryDirectory() as folder:
        files = Files(Path(folder))
        yield from _driver_and_core(files, 2_000 if quick else 10_000, 5 if quick else 9)
        yield _orm(files, 1_000 if quick else 6_000, 3)


def _driver_and_core(files: Files, count: int, turns: int) -> Iterable[Figure]:
    batches = in_batches(raw(steps(), count))
    commits = files.written_by(batches)
    seconds = take_turns(
        turns,
        {
            "clew": lambda: files.ledger(batches),
            "raw": lambda: files.raw(commits),
            "core": lambda: files.engine(commits, rows.insert_core),
        },
    )
    each = {name: micros(median(took), count) for name, took in seconds.items()}
    wrote = sum(commit.rows for commit in commits) / count
    work = f"{count:,} events of 1 kB and 5 relations, {BATCH} a commit, {wrote:.1f} rows each"
    yield Figure(
        name="store step, against the driver",
        measured=ratio(seconds["clew"], seconds["raw"]),
        goal=1.6,
        unit="x",
        peer="`sqlite3` executemany of the same rows",
        note=f"{work}; Clew {each['clew']} an event, the driver {each['raw']}",
    )
    yield Figure(
        name="store step, faster than Core",
        measured=ratio(seconds["core"], seconds["clew"]),
        goal=1.5,
        unit="x",
        peer="SQLAlchemy Core executemany of the same rows",
        least=True,
        note=f"the same run; Core {each['core']} an event",
        tried=_TRIED,
    )


def _orm(files: Files, count: int, turns: int) -> Figure:
    batches = in_batches(raw(steps(), count))
    commits = files.written_by(batches)
    seconds = take_turns(
        turns,
        {
            "clew": lambda: files.ledger(batches),
            "orm": lambda: files.engine(commits, rows.insert_orm),
        },
    )
    each = {name: micros(median(took), count) for name, took in seconds.items()}
    return Figure(
        name="store step, faster than the ORM",
        measured=ratio(seconds["orm"], seconds["clew"]),
        goal=12,
        unit="x",
        peer="SQLAlchemy ORM, an object a row in a session",
        least=True,
        note=f"{count:,} events; Clew {each['clew']} an event, the ORM {each['orm']}",
        tried=f"{_TRIED}. The ORM costs some 15 drivers on these rows: 12 times Clew would be 1.25 drivers",
    )
