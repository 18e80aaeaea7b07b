"""Export, end to end: from a store on disk to the bytes of the document."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

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


def _exported(service: Service) -> Iterable[bytes]:
    return service.export("prov-json")[1]
