"""Edges of realistic runs by the million, made as columns: what ``assertion`` holds of as many events.

A run goes on for ten rounds. In each, a model call is sent what the round before returned and two documents,
and proposes actions; attempts carry them out, read documents and return results; at the end stands a report.
Documents are shared by all runs, a few of them by most: those are hubs, as are prompts, tools and agents.
Every eighth run edits its team's file, so that there are chains of versions; one handbook is read by a third
of all runs. Some rows were declared, inferred or verified, some edges are asserted twice, some refuted, some
rows retired again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from provmodel.relations import (
    ASSOCIATION,
    DERIVATION,
    GENERATION,
    INFLUENCE,
    REVISION,
    USAGE,
    Flow,
)
from queries.adjacency import Part
from queries.adjacency.arrays import Ints
from queries.adjacency.columns import CODE_BITS, CODES

__all__ = ["CODES", "HANDBOOK", "Made", "codes_at", "make"]

ROUNDS, LANES = 10, 4
SHARED = 5_000
"""Documents, prompts, tools and agents: nodes that all runs share."""
HANDBOOK = 1
READERS = 3
"""One run of so many reads the handbook."""
EDITORS = 8
"""One run of so many edits its team's file."""
CHAIN = 250
"""Versions of one file, each an edit of the one before."""
EVENTS = 100
"""Events of a run, for ``since``."""
_PROMPT, _AGENT, _TOOL, _FIRST_DOCUMENT = 2, 3, 4, 10

_MADE = GENERATION.code(0, Flow.DATA)
_USED = USAGE.code(0, Flow.DATA)
_INSTRUCTED = USAGE.code(0, Flow.CONTROL)
_DERIVED = DERIVATION.code(0, Flow.DATA)
_REVISED = REVISION.code(0, Flow.DATA)
_BY = ASSOCIATION.code(0, Flow.RESPONSIBILITY)
_PART_OF = INFLUENCE.code(0, Flow.STRUCTURE)


class _Rows:
    """Rows of all runs, a template row at a time: column ``r`` of each array belongs to run ``r``."""

    def __init__(self, runs: int) -> None:
        self.runs = runs
        self.sources: list[Ints] = []
        self.targets: list[Ints] = []
        self.codes: list[int] = []

    def add(self, source: Ints, code: int, target: Ints) -> None:
        """A row for each run; 0 as source leaves the run out."""
        self.sources.append(source.astype(np.uint32))
        self.targets.append(target.astype(np.uint32))
        self.codes.append(code)


class Made(NamedTuple):
    """``part`` holds the rows, ``size`` is beyond every node, ``head`` the last seq. ``reports`` are the
    nodes of the reports, by run."""

    part: Part
    size: int
    head: int
    reports: Ints


def make(edges: int, seed: int = 0) -> Made:
    """So many rows, or a few more."""
    chosen = np.random.default_rng(seed)
    per_run = _count()
    runs = max(1, -(-edges // per_run))
    rows = _Rows(runs)
    nodes = _Numbers(runs)
    reports = _run(rows, nodes, chosen)
    source = np.stack(rows.sources, axis=1).ravel()
    target = np.stack(rows.targets, axis=1).ravel()
    code = np.tile(np.array(rows.codes, np.uint16), runs)
    run = np.repeat(np.arange(runs), len(rows.codes))
    there = (source > 0) & (target > 0)
    source, target, code, run = source[there], target[there], code[there], run[there]
    return _asserted(source, target, code, run, nodes.size, reports, chosen)


def _count() -> int:
    """Rows of one run, about."""
    return ROUNDS * (6 + LANES + LANES * 9) + 12


class _Numbers:
    """New nodes of each run, numbered run after run as an append would."""

    def __init__(self, runs: int) -> None:
        self.each = ROUNDS * (2 + 4 * LANES) + 4
        self.base = SHARED + 1 + np.arange(runs) * self.each
        self.size = SHARED + 1 + runs * self.each
        self._next = 0

    def fresh(self) -> Ints:
        self._next += 1
        return self.base + self._next - 1


def _run(rows: _Rows, nodes: _Numbers, chosen: np.random.Generator) -> Ints:
    runs = rows.runs
    every = np.ones(runs, np.int64)
    run = nodes.fresh()
    rows.add(run, _BY, every * _AGENT)
    number = np.arange(runs)
    reads = np.where(number % READERS == 0, HANDBOOK, _documents(runs, chosen))
    results = [reads]
    for _ in range(ROUNDS):
        results = _round(rows, nodes, chosen, run, results)
    call, report = nodes.fresh(), nodes.fresh()
    for result in results:
        rows.add(call, _USED, result)
    rows.add(report, _MADE, call)
    rows.add(report, _DERIVED, results[0])
    rows.add(call, _PART_OF, run)
    _edit(rows, nodes, report, call)
    return report


def _edit(rows: _Rows, nodes: _Numbers, report: Ints, call: Ints) -> None:
    """Every eighth run writes the next version of its team's file, an edit of the one before."""
    version = nodes.fresh()
    number = np.arange(rows.runs)
    edits = number % EDITORS == 0
    turn = number // EDITORS
    before = np.where(edits & (turn % CHAIN > 0), version - EDITORS * nodes.each, 0)
    version = np.where(edits, version, 0)
    rows.add(version, _MADE, call)
    rows.add(version, _DERIVED, report)
    rows.add(version, _REVISED, before)


def _round(
    rows: _Rows, nodes: _Numbers, chosen: np.random.Generator, run: Ints, results: list[Ints]
) -> list[Ints]:
    runs, every = rows.runs, np.ones(rows.runs, np.int64)
    call, message = nodes.fresh(), nodes.fresh()
    for result in [*results, _documents(runs, chosen), _documents(runs, chosen)]:
        rows.add(call, _USED, result)
    rows.add(call, _INSTRUCTED, every * _PROMPT)
    rows.add(call, _BY, every * _AGENT)
    rows.add(call, _PART_OF, run)
    rows.add(message, _MADE, call)
    found = []
    for lane in range(LANES):
        action, attempt, result, member = (nodes.fresh() for _ in range(4))
        rows.add(action, _MADE, call)
        rows.add(attempt, _USED, action)
        rows.add(attempt, _USED, _documents(runs, chosen))
        rows.add(attempt, _INSTRUCTED, every * (_TOOL + lane))
        rows.add(attempt, _PART_OF, run)
        rows.add(attempt, _BY, every * _AGENT)
        rows.add(result, _MADE, attempt)
        rows.add(member, _MADE, attempt)
        rows.add(member, _DERIVED, action)
        found.append(result)
    return found


def _documents(runs: int, chosen: np.random.Generator) -> Ints:
    """A few are read by most, as the first pages of a handbook are."""
    some: Ints = _FIRST_DOCUMENT + ((SHARED - _FIRST_DOCUMENT) * chosen.random(runs) ** 3).astype(np.int64)
    return some


def _asserted(
    source: Ints, target: Ints, code: Ints, run: Ints, size: int, reports: Ints, chosen: np.random.Generator
) -> Made:
    """Give rows their evidence; assert one in twenty twice, refute one in two
    hundred, retire one in fifty.
    """
    rows = len(source)
    more = np.flatnonzero(chosen.random(rows) < 0.05)
    order = np.argsort(np.concatenate([np.arange(rows), more]), kind="stable")
    taken = np.concatenate([np.arange(rows), more])[order]
    again = np.concatenate([np.zeros(rows, bool), np.ones(len(more), bool)])[order]
    count = len(taken)
    evidence = chosen.choice(np.array([3, 3, 3, 3, 2, 4, 1], np.uint8), count)
    refuting = again & (chosen.random(count) < 0.1)
    inside = np.arange(count) - np.searchsorted(run[taken], run[taken])
    since = 1 + run[taken] * EVENTS + inside * EVENTS // (2 * _count())
    gone = np.flatnonzero(chosen.random(count) < 0.02)
    head = int(since[-1]) + 1
    part = Part(
        1,
        source[taken],
        target[taken],
        code[taken],
        ((evidence << 1) | (1 - refuting.astype(np.uint8))).astype(np.uint8),
        _keys(taken),
        since.astype(np.uint32),
        (gone + 1).astype(np.uint32),
        np.minimum(since[gone] + 50, head).astype(np.uint32),
        source[taken][gone],
        target[taken][gone],
    )
    return Made(part, size, head, reports)


def _keys(rows: Ints) -> Ints:
    """A 63-bit key for each relation, scattered as digests are."""
    return (rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(1)


def codes_at(shorts: Ints) -> Ints:
    """The row codes that the index keeps of rows."""
    codes: Ints = np.array(CODES, np.uint16)[shorts & CODE_BITS]
    return codes
