"""Questions: an answer of some 500 nodes, in stores of 100,000, 1,000,000 and 10,000,000 edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from app.service import Service
from benchmarks import studies
from benchmarks.frame import Figure, Side, cpu, ratio, take_turns
from benchmarks.stores import copy_ledger, record_studies, service_at, warm
from provmodel.unhindered import search_seldom
from queries.answer import encode

ASKED = 8
"""Reports that are asked about in each turn, one after the other."""

_CLOSURE = "a recursive query of the driver that counts 500 nodes back from each report"
_RECURSIVE = (
    "with recursive reach (node) as (select node from node where tenant = 1 and ref = ? union"
    " select a.target from reach r cross join assertion a where a.tenant = 1 and a.source = r.node"
    " and a.code between 0 and 511 and a.target <> 0 limit 500) select count(*) from reach"
)

_TRIED_IN_FULL = (
    "the walk by the index; nodes, rows and finished edges remembered until more is said of them, so that "
    "an answer asked for again makes ten small queries; what is loose in a run remembered likewise. What is "
    "left is Python over 500 nodes and 800 edges, spread evenly, and a sixteenth of it is JSON"
)
_TRIED_BY_IDS = (
    "the walk by the index in plain integers, and references remembered. A recursive query gives the closure "
    "in less, but knows no depth, and no evidence, refutation or hub by which a node is left out"
)


def figures(quick: bool) -> Iterable[Figure]:
    """``inputs-of`` asked of the service, and its answer encoded."""
    sizes, turns = ((20, 60), 5) if quick else ((100, 1_000, 10_000), 15)
    small = sizes[0]
    with TemporaryDirectory() as folder:
        stores = list(_stores(Path(folder), sizes))
        search_seldom()  # as `clew serve` does
        rows = [_by_rows(stores[-1], small) for _ in range(min(turns, 5))]
        for store in stores:
            warm(store)
        fresh = _Fresh(stores[0])
        sides: dict[str, Side] = {"first": fresh.ask, "closure": lambda: _close(stores[0], small)}
        for place, store in enumerate(stores):
            sides |= {f"{view} {place}": partial(_ask, store, small, view) for view in ("full", "ids")}
        seconds = take_turns(turns, sides)
        told = _told(stores[0], small)
        closure = f"{_CLOSURE}: {median(seconds['closure']) * 1000:.3g} ms in the same turns"
        edges = [_edges(store) for store in stores]
        for store in stores:
            store.close()
    yield _milliseconds(
        "inputs-of with JSON",
        seconds["full 0"],
        6,
        f"{told}; {edges[0]:,} edges in the store",
        _TRIED_IN_FULL,
    )
    yield _milliseconds(
        "inputs-of with JSON, of a report that was not asked about before",
        seconds["first"],
        None,
        "another report each time; the documents that it read may be known from others",
        "",
    )
    yield _milliseconds(
        "inputs-of, view=ids, with JSON", seconds["ids 0"], 1.5, f"the same reports; {closure}", _TRIED_BY_IDS
    )
    yield _milliseconds(
        "inputs-of with JSON, before the index is loaded",
        rows,
        None,
        f"{edges[-1]:,} edges; the first question after a start, of several reports",
        "",
    )
    for place in range(1, len(sizes)):
        for view, told in (("full", "inputs-of"), ("ids", "the same, view=ids,")):
            name = f"{told} in a store {sizes[place] // small} times as large"
            yield _growth(name, seconds[f"{view} {place}"], seconds[f"{view} 0"], edges[0], edges[place])


def _milliseconds(name: str, seconds: list[float], goal: float | None, note: str, tried: str) -> Figure:
    return Figure(
        name=name,
        measured=median(seconds) * 1000,
        goal=goal,
        unit="ms",
        peer="none",
        note=f"{note}; the quietest turn {min(seconds) * 1000:.3g} ms",
        tried=tried,
    )


def _growth(name: str, large: list[float], small: list[float], few: int, many: int) -> Figure:
    return Figure(
        name=name,
        measured=ratio(large, small),
        goal=1.5,
        unit="x",
        peer=f"Clew on {few:,} edges",
        note=f"{many:,} edges; the same {ASKED} reports; {median(large) * 1000:.3g} ms",
    )


def _ask(service: Service, among: int, view: str) -> float:
    """CPU seconds of one question, over several reports in the midst of the store."""
    first = among // 2

    def ask() -> None:
        for study in range(first, first + ASKED):
            encode(service.ask("inputs-of", _asked(study, view)).answer)

    return cpu(ask) / ASKED


def _by_rows(service: Service, among: int) -> float:
    """CPU seconds of one question in a process that has just begun."""

    def ask() -> None:
        for study in range(among // 2, among // 2 + ASKED):
            service.ledger.indexes.forget(1)
            encode(service.ask("inputs-of", _asked(study, "full")).answer)

    return cpu(ask) / ASKED


class _Fresh:
    """Asks about another report in each turn, from the first on; the others ask in the midst of the store."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._next = 1

    def ask(self) -> float:
        """CPU seconds of one question."""
        study, self._next = self._next, self._next + 1
        return cpu(lambda: encode(self._service.ask("inputs-of", _asked(study, "full")).answer))


def _close(service: Service, among: int) -> float:
    """CPU seconds of a closure, over the same reports: 500 nodes of nothing but SQL."""
    first = among // 2
    fetch = service.ledger.store.fetch

    def close() -> None:
        for study in range(first, first + ASKED):
            assert fetch(_RECURSIVE, (studies.report_of(study),)) == [(500,)]

    return cpu(close) / ASKED


def _asked(study: int, view: str) -> dict[str, object]:
    return {"target": [studies.report_of(study)], "view": view, "depth": studies.DEPTH}


def _told(service: Service, among: int) -> str:
    """What one of the answers holds."""
    answer = service.ask("inputs-of", _asked(among // 2, "full")).answer
    graph = answer.graph
    assertions = sum(len(edge.assertions) for edge in graph.edges)
    gaps = sum(gap.count for gap in graph.gaps)
    parts = [f"{len(graph.nodes)} nodes, {len(graph.edges)} edges, {assertions} assertions, {gaps} gaps"]
    parts += [f"{len(graph.conditions)} conditions, {len(graph.frontier)} in the frontier"]
    return f"{', '.join(parts)}; {len(encode(answer)):,} bytes"


def _edges(service: Service) -> int:
    [(count,)] = service.ledger.store.fetch("select sum(edges) from blob")
    return int(count)


def _stores(folder: Path, sizes: Sequence[int]) -> Iterator[Service]:
    """So many studies in each, the largest last: each holds what the one before it does, and more."""
    growing, recorded = folder / "growing.db", 0
    for size in sizes:
        service = service_at(growing)
        record_studies(service, recorded, size)
        service.close()
        recorded = size
        copy_ledger(growing, folder / f"{size}.db")
        yield service_at(folder / f"{size}.db")
