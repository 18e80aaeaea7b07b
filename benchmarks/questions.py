"""Questions: an answer of some 500 nodes, in a store of 100,000 edges and in one of 1,000,000."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from app.service import Service
from benchmarks import studies
from benchmarks.frame import Figure, cpu, ratio, take_turns
from benchmarks.stores import copy_ledger, record_studies, service_at
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
    small, large, turns = (20, 60, 5) if quick else (100, 1_000, 15)
    with TemporaryDirectory() as folder:
        stores = _stores(Path(folder), small, large)
        gc.freeze()  # as `clew serve` does
        fresh = _Fresh(stores[0])
        seconds = take_turns(
            turns,
            {
                "first": fresh.ask,
                "full": lambda: _ask(stores[0], small, "full"),
                "ids": lambda: _ask(stores[0], small, "ids"),
                "large": lambda: _ask(stores[1], small, "full"),
                "large ids": lambda: _ask(stores[1], small, "ids"),
                "closure": lambda: _close(stores[0], small),
            },
        )
        told = _told(stores[0], small)
        closure = f"{_CLOSURE}: {median(seconds['closure']) * 1000:.3g} ms in the same turns"
        edges = [_edges(store) for store in stores]
        for store in stores:
            store.close()
    yield _milliseconds(
        "inputs-of with JSON", seconds["full"], 6, f"{told}; {edges[0]:,} edges in the store", _TRIED_IN_FULL
    )
    yield _milliseconds(
        "inputs-of with JSON, of a report that was not asked about before",
        seconds["first"],
        None,
        "another report each time; the documents that it read may be known from others",
        "",
    )
    yield _milliseconds(
        "inputs-of, view=ids, with JSON", seconds["ids"], 1.5, f"the same reports; {closure}", _TRIED_BY_IDS
    )
    yield _growth("inputs-of in a store ten times as large", seconds["large"], seconds["full"], edges)
    yield _growth("the same, view=ids", seconds["large ids"], seconds["ids"], edges)


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


def _growth(name: str, large: list[float], small: list[float], edges: list[int]) -> Figure:
    return Figure(
        name=name,
        measured=ratio(large, small),
        goal=1.5,
        unit="x",
        peer=f"Clew on {edges[0]:,} edges",
        note=f"{edges[1]:,} edges; the same {ASKED} reports; {median(large) * 1000:.3g} ms",
    )


def _ask(service: Service, among: int, view: str) -> float:
    """CPU seconds of one question, over several reports in the midst of the store."""
    first = among // 2

    def ask() -> None:
        for study in range(first, first + ASKED):
            encode(service.ask("inputs-of", _asked(study, view)).answer)

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


def _stores(folder: Path, small: int, large: int) -> tuple[Service, Service]:
    """So many studies; and the same with more after them."""
    growing = service_at(folder / "large.db")
    record_studies(growing, 0, small)
    growing.close()
    copy_ledger(folder / "large.db", folder / "small.db")
    growing = service_at(folder / "large.db")
    record_studies(growing, small, large)
    return service_at(folder / "small.db"), growing
