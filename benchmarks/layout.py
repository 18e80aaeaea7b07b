"""The drawing: where the nodes of an answer stand, beside Graphviz on the same graph."""

from __future__ import annotations

import random
import resource
import shutil
import subprocess
from collections.abc import Iterable
from itertools import pairwise
from statistics import median

from benchmarks.frame import Figure, cpu
from queries.layout import Box, Drawing, Edge, lay_out

SIZES = (Box(140, 46, round=True), Box(150, 46), Box(104, 46), Box(220, 46))
GOALS = {2_000: 50.0, 10_000: 500.0}
"""Milliseconds at most, by nodes."""
SHOWN = 300
"""So many boxes the page draws at most."""
PEER = "`dot` of Graphviz, in C: lay out the same boxes and edges, splines and all"


def figures(quick: bool) -> Iterable[Figure]:
    """Runs as answers have them: calls that read what earlier calls wrote, and share a prompt."""
    turns = 3 if quick else 9
    for nodes, goal in GOALS.items():
        boxes, edges = _run(nodes)
        drawing = lay_out(boxes, edges)
        counted = f"{drawing.crossings:,} crossings, {_overlaps(boxes, drawing)} overlaps"
        yield Figure(
            name=f"layout of {nodes:,} nodes",
            measured=1000 * _own(boxes, edges, turns),
            goal=goal,
            unit="ms",
            peer="none",
            note=f"{len(edges):,} edges; {counted}",
        )
    if shutil.which("dot"):
        boxes, edges = _run(SHOWN)
        yield Figure(
            name=f"layout of {SHOWN} nodes, faster than Graphviz",
            measured=_dot(boxes, edges) / _own(boxes, edges, turns),
            goal=None,
            unit="x",
            peer=PEER,
            note="Graphviz 2.43 ends with a segmentation fault on 2,000 nodes of this kind",
        )


def _own(boxes: list[Box], edges: list[Edge], turns: int) -> float:
    return median(cpu(lambda: lay_out(boxes, edges)) for _ in range(turns))


def _run(nodes: int) -> tuple[list[Box], list[Edge]]:
    """So many nodes: half calls, half what they wrote; each reads one to three recent outputs."""
    chosen = random.Random(7)
    boxes, edges, outputs = [SIZES[0]], [], [0]
    while len(boxes) < nodes - 1:
        call = len(boxes)
        boxes += [SIZES[1], SIZES[chosen.randrange(4)]]
        sources = {chosen.choice(outputs[-12:]), chosen.choice(outputs[-3:])}
        edges += [(source, call) for source in sorted({*sources, 0} if chosen.random() < 0.3 else sources)]
        edges.append((call, call + 1))
        outputs.append(call + 1)
    return boxes, edges


def _overlaps(boxes: list[Box], drawing: Drawing) -> int:
    """How many neighbours in a column lie over each other; columns are apart by construction."""
    columns: dict[int, list[tuple[float, float]]] = {}
    for box, place in zip(boxes, drawing.places, strict=True):
        columns.setdefault(place.column, []).append((place.y, place.y + box.height))
    found = 0
    for spans in columns.values():
        spans.sort()
        found += sum(above[1] > below[0] for above, below in pairwise(spans))
    return found


def _dot(boxes: list[Box], edges: list[Edge]) -> float:
    """CPU seconds of Graphviz."""
    lines = [
        "digraph { rankdir=LR; node [shape=box, fixedsize=true];",
        *(f"{n} [width={box.width / 72:.2f}, height={box.height / 72:.2f}];" for n, box in enumerate(boxes)),
        *(f"{cause} -> {effect};" for cause, effect in edges),
        "}",
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["dot", "-Tplain"], input="\n".join(lines).encode(), stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
