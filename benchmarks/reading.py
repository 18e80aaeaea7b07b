"""Reading beside writing: a commit seen by the next walk, questions during ingest, many targets at once."""

from __future__ import annotations

import gc
import multiprocessing
import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from multiprocessing.synchronize import Event as Flag
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import msgspec

from app.ledger import Ledger
from app.service import Service
from benchmarks import studies
from benchmarks.frame import Figure, cpu, ratio, take_turns
from benchmarks.stores import TENANT, prepared, service_at, warm
from benchmarks.workload import BATCH, raw, steps
from provmodel.unhindered import search_seldom
from queries.answer import encode

STUDIES, STUDIES_IF_QUICK = 300, 60
COMMITS, COMMITS_IF_QUICK = 400, 100
MANY = 64
"""Targets at once, as when a batch of inputs is retracted."""
_TRIED = "rows handed over by the writer, and a tail of plain tuples; half of it is reading the head"


def figures(quick: bool) -> Iterable[Figure]:
    """One store; its index loaded, as it is in a server after a few questions."""
    count = STUDIES_IF_QUICK if quick else STUDIES
    with TemporaryDirectory() as folder:
        path = Path(folder) / "reading.db"
        service = service_at(path)
        _fill(service, count)
        warm(service)
        search_seldom()  # as `clew serve` does
        yield from _visible(service, path, COMMITS_IF_QUICK if quick else COMMITS)
        yield from _named(service, count, 3 if quick else 11)
        yield _many(service, count, 3 if quick else 7)
        yield from _during_ingest(service, path, count, 6 if quick else 20)
        service.close()
        gc.unfreeze()


def _fill(service: Service, count: int) -> None:
    batch: list[bytes] = []
    for number in range(count):
        batch += map(msgspec.json.encode, studies.study(number))
        while len(batch) >= BATCH:
            service.record(batch[:BATCH])
            batch = batch[BATCH:]
    service.record(batch)


def _visible(service: Service, path: Path, commits: int) -> Iterator[Figure]:
    """CPU seconds from the head to an index that knows the newest commit, one event a commit."""
    graph, coming = service.ledger.graph(TENANT), steps()
    with Ledger.open(str(path)) as other:
        for name, ledger, goal in (
            ("a commit", service.ledger, 0.1),
            ("a commit of another process", other, None),
        ):
            took = []
            for event in prepared(raw(coming, commits)):
                ledger.append(TENANT, [event])
                began = time.thread_time()
                view = graph.adjacency(graph.head(), 0)
                took.append(time.thread_time() - began)
                assert view is not None
            yield Figure(
                name=f"{name} made visible to the next walk",
                measured=median(took) * 1000,
                goal=goal,
                unit="ms",
                peer="none",
                note=f"{commits} commits of one event; the head is read, then what the writer handed over "
                f"or its blob; the mean {sum(took) / commits * 1000:.3g} ms, new segments included",
                tried=_TRIED,
            )


def _named(service: Service, count: int, turns: int) -> Iterator[Figure]:
    """Two questions of the kind that is asked first."""
    first = count // 2
    reports = [studies.report_of(study) for study in range(first, first + 8)]
    asked: dict[str, list[dict[str, object]]] = {
        "who-authorized": [{"target": [report]} for report in reports],
        "how-known": [{"target": [_read(study), report]} for study, report in enumerate(reports, first)],
    }
    sides = {name: partial(_ask, service, name, asked[name]) for name in asked}
    took = take_turns(turns, sides)
    for name, goal in (("who-authorized", 1.0), ("how-known", 3.0)):
        yield Figure(
            name=f"{name} with JSON",
            measured=median(took[name]) * 1000,
            goal=goal,
            unit="ms",
            peer="none",
            note="reports in the midst of the store" + (", from the notes they read" if goal > 1 else ""),
            tried="the search for a path by the index, a walk that stays near by edges; nodes, edges, events "
            "and what is loose in a run remembered; what one question reads twice read once",
        )


def _read(study: int) -> str:
    """The notes that a study read first."""
    return f"file:/notes.md@version:{study}"


def _ask(service: Service, question: str, asked: Iterable[dict[str, object]]) -> float:
    given = list(asked)

    def ask() -> None:
        for fields in given:
            encode(service.ask(question, fields).answer)

    return cpu(ask) / len(given)


def _many(service: Service, count: int, turns: int) -> Figure:
    """Notes of many studies at once, and of one alone, each with the nearest target of what it affected."""
    step = max(1, count // MANY)
    many = [_read(study) for study in range(0, count, step)][:MANY]
    asked = {"many": {"target": many, "depth": 2}, "one": {"target": many[:1], "depth": studies.DEPTH + 2}}
    edges = {name: len(service.ask("impact-of", given).answer.graph.edges) for name, given in asked.items()}
    sides = {name: partial(_ask, service, "impact-of", [asked[name]]) for name in asked}
    took = take_turns(turns, sides)
    each = {name: [seconds / edges[name] for seconds in took[name]] for name in asked}
    return Figure(
        name=f"impact-of {len(many)} targets at once, an edge",
        measured=ratio(each["many"], each["one"]),
        goal=1.5,
        unit="x",
        peer="an edge of impact-of one target",
        note=f"{edges['many']:,} edges and {edges['one']:,}; the whole answer with the nearest target "
        f"of each thing affected, {median(each['many']) * 1e6:.3g} us an edge",
    )


def _during_ingest(service: Service, path: Path, count: int, turns: int) -> Iterator[Figure]:
    """The same questions in this process, alone and while another process ingests as fast as it can."""
    alone = [_reports(service, count) for _ in range(2 * turns)]
    context = multiprocessing.get_context("spawn")
    started, done = context.Event(), context.Event()
    writer = context.Process(target=_ingest, args=(str(path), started, done))
    writer.start()
    started.wait(60)
    before = service.ledger.graph(TENANT).head()
    beside: list[float] = []
    until = time.monotonic() + turns
    while time.monotonic() < until:
        beside.append(_reports(service, count))
    written = service.ledger.graph(TENANT).head() - before
    done.set()
    writer.join(60)
    yield Figure(
        name="inputs-of, view=ids, while another process ingests",
        measured=median(beside) / median(alone),
        goal=1.2,
        unit="x",
        peer="the same before",
        note=f"{written:,} events written in {turns} s, {BATCH} a commit; {median(beside) * 1000:.3g} ms",
        tried="an index that is appended to. A commit of another process makes SQLite read its pages again",
    )


def _reports(service: Service, count: int) -> float:
    first = count // 2
    asked = [
        {"target": [studies.report_of(study)], "view": "ids", "depth": studies.DEPTH}
        for study in range(first, first + 8)
    ]
    return _ask(service, "inputs-of", asked)


def _ingest(path: str, started: Flag, done: Flag) -> None:
    """Record events until told to end."""
    service, coming = service_at(Path(path)), steps(1_000_000)
    while not done.is_set():
        service.record([msgspec.json.encode(event) for event in islice(coming, BATCH)])
        started.set()
    service.close()
