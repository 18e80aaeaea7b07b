"""Ingest, the whole of ``record``: bytes decoded, checked, mapped, stored and committed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.frame import Figure, micros, ratio, take_turns
from benchmarks.stores import Files, in_batches, prepared, spent
from benchmarks.workload import BATCH, raw, steps


def figures(quick: bool) -> Iterable[Figure]:
    """``Service.record`` beside the driver inserting what it stored."""
    count, turns = (2_000, 5) if quick else (10_000, 9)
    batches = in_batches(raw(steps(), count))
    with TemporaryDirectory() as folder:
        files = Files(Path(folder))
        commits = files.written_by(batches)
        seconds = take_turns(
            turns,
            {
                "record": lambda: files.service(batches),
                "raw": lambda: files.raw(commits),
                "ready": lambda: spent(batches, list, prepared),
            },
        )
    each = {name: micros(median(took), count) for name, took in seconds.items()}
    yield Figure(
        name="record, against the driver",
        measured=ratio(seconds["record"], seconds["raw"]),
        goal=4,
        unit="x",
        peer="`sqlite3` executemany of the same rows",
        note=f"{count:,} events, {BATCH} a call; record {each['record']} an event, of which decoding, "
        f"checking and mapping {each['ready']}; the driver {each['raw']}",
    )
