"""Export, end to end: from a store on disk to the bytes of the document."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from app.ledger.sqlite import CACHE_KIB
from app.service import Service
from benchmarks import export_peers as peers
from benchmarks.frame import Figure, cpu, micros, ratio, take_turns
from benchmarks.stores import in_batches, record, service_at
from benchmarks.workload import raw, steps

STATEMENTS_OF_AN_EVENT = 18
"""About what an event becomes in PROV-JSON: nodes, relations, assertions and who made them."""


def figures(quick: bool) -> Iterable[Figure]:
    """``Service.export`` beside `prov` building and serialising the document of the same records."""
    events = (10_000 if quick else 100_000) // STATEMENTS_OF_AN_EVENT
    with TemporaryDirectory() as folder:
        service = service_at(Path(folder) / "export.db")
        for batch in in_batches(raw(steps(), events)):
            record(service, batch)
        built = peers.Records.of(b"".join(_exported(service)))
        seconds = take_turns(
            3 if quick else 5,
            {
                "clew": lambda: cpu(lambda: sum(map(len, _exported(service)))),
                "prov": lambda: cpu(built.write),
            },
        )
        service.close()
        peaks = [_peak(Path(folder) / f"{size}.db", size) for size in (events, 10 * events)]
    count = len(built.records)
    each = {name: micros(median(took), count) for name, took in seconds.items()}
    yield Figure(
        name="PROV-JSON from the store, faster than `prov`",
        measured=ratio(seconds["prov"], seconds["clew"]),
        goal=6,
        unit="x",
        peer="`prov`: build the document of the same records in memory, and serialise it",
        least=True,
        note=f"{events:,} events, {count:,} statements; a statement by Clew {each['clew']}, "
        f"by `prov` {each['prov']}",
        tried="kinds and descriptions of all nodes read once, nodes and their attributes in pieces of 512, "
        "names of nodes and events remembered; of what is left, writing is a third and SQLite a quarter",
    )
    yield Figure(
        name="PROV-JSON from the store, peak memory at ten times the events",
        measured=peaks[1] / peaks[0],
        goal=1.2,
        unit="x",
        peer="itself",
        note=f"{events:,} events {peaks[0]:.1f} MB, {10 * events:,} events {peaks[1]:.1f} MB; whole "
        f"processes that write and forget; the page cache of SQLite is up to {CACHE_KIB / 1024:.0f} MB of it",
    )


def _peak(path: Path, events: int) -> float:
    """Megabytes at most resident in a process that exports a store of so many events."""
    service = service_at(path)
    for batch in in_batches(raw(steps(), events)):
        record(service, batch)
    service.close()
    command = [sys.executable, "-m", "benchmarks.export_peak", str(path)]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)
    return int(done.stdout) / 1024


def _exported(service: Service) -> Iterable[bytes]:
    return service.export("prov-json")[1]
