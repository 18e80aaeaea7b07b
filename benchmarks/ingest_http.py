"""Ingest over HTTP: a real server in a process of its own, beside ``record`` in this one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import rows
from benchmarks.frame import Figure, micros, ratio, take_turns
from benchmarks.servers import delivery, serving
from benchmarks.stores import Files, in_batches
from benchmarks.workload import raw, steps

IN_A_REQUEST = 100
SINGLES = 32
"""Connections that send events one by one."""


def figures(quick: bool) -> Iterable[Figure]:
    """The server's CPU beside that of ``record`` on the same deliveries; how many events share a commit."""
    count, turns = (2_000, 3) if quick else (10_000, 7)
    deliveries = in_batches(raw(steps(), count), IN_A_REQUEST)
    with TemporaryDirectory() as folder:
        files = Files(Path(folder))
        seconds = take_turns(
            turns,
            {
                "http": lambda: _served(files.path, deliveries),
                "record": lambda: files.service(deliveries),
            },
        )
        yield _requests(seconds, count)
        yield _singles(files.path, 640 if quick else 3_200)


def _requests(seconds: dict[str, list[float]], count: int) -> Figure:
    each = {name: micros(median(took), count) for name, took in seconds.items()}
    return Figure(
        name=f"requests of {IN_A_REQUEST} events, against record",
        measured=ratio(seconds["http"], seconds["record"]),
        goal=1.3,
        unit="x",
        peer=f"`Service.record` of the same deliveries of {IN_A_REQUEST}, in process",
        note=f"{count:,} events over one connection; the server {each['http']} an event, "
        f"record {each['record']}",
    )


def _served(path: Path, deliveries: Sequence[Sequence[bytes]]) -> float:
    """CPU seconds of the server while it takes all deliveries but the first, which is to warm it.

    One after the other, as ``record`` takes them: two threads on one core cost each other time.
    """
    warm, *requests = [delivery(events) for events in deliveries]
    with serving(path) as server:
        server.post([warm], 1)
        start = server.cpu
        server.post(requests, 1)
        seconds = server.cpu - start
    rows.drop(path)
    return seconds * len(deliveries) / len(requests)


def _singles(path: Path, count: int) -> Figure:
    events = [delivery([event]) for event in raw(steps(), count)]
    with serving(path) as server:
        before = server.counts()
        start = server.cpu
        server.post(events, SINGLES)
        seconds = server.cpu - start
        after = server.counts()
    rows.drop(path)
    commits = after["clew_commits_total"] - before["clew_commits_total"]
    return Figure(
        name=f"events a commit, {SINGLES} connections of single events",
        measured=count / commits,
        goal=2,
        unit="events",
        peer="none",
        least=True,
        note=f"{count:,} events in {commits:,.0f} commits; the server {micros(seconds, count)} an event",
    )
