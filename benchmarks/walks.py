"""Walks: the compact index on up to ten million edges of realistic runs, beside libraries and databases."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from app.ledger import Ledger, blobs
from benchmarks import edges
from benchmarks.frame import Figure, Side, cpu, ratio, take_turns
from benchmarks.stores import TENANT
from benchmarks.walk_peers import Graph, Peer, peers
from provmodel.evidence import ALL_EVIDENCE, Evidence
from queries.adjacency import Adjacency, Crossing, Part, Reach, Statement, View
from queries.adjacency.marks import Nodes
from queries.adjacency.segments import FAR
from queries.graph import Way
from queries.policy import COSTS, POLICIES

START = edges.HANDBOOK
"""A document that a third of all runs reads."""

UNCOMPACTED = 50_000
AT_ONCE = 5_000
"""Commits of one event between two rounds of merging blobs; one transaction holds them."""
SMALL, MEDIUM, LARGE = 100_000, 1_000_000, 10_000_000
_GOALS = {"SQLite": 20, "networkx": 15, "rustworkx": 4, "igraph, sub": 3, "ladybug": 15, "pyoxigraph": 60}
_SOME = frozenset({Evidence.OBSERVED, Evidence.VERIFIED, Evidence.DECLARED})
_TRIED = (
    "one table for policy, flow, evidence, stance and cost; number and neighbour of an edge in one word; one "
    "pass of compiled code over each frontier in place of a dozen of NumPy (record 46), which asks for "
    "memory ahead of its use and crosses rows without branches; frontiers in order, which gave nothing"
)


class Stand(NamedTuple):
    """A graph in a ledger file, and what its index is."""

    made: edges.Made
    ledger: Ledger

    def view(self) -> View:
        view = self.ledger.indexes.view(1, 0, self.made.head, 10**12)
        assert view is not None
        return view


def figures(quick: bool) -> Iterable[Figure]:
    """The peers on two sizes, then what only the largest can tell."""
    turns = 3 if quick else 9
    with TemporaryDirectory() as folder:
        for count in (SMALL,) if quick else (SMALL, MEDIUM):
            yield from _beside_peers(Path(folder) / f"{count}", count, turns)
        yield from _alone(Path(folder) / "large", MEDIUM if quick else LARGE, turns)


# Beside the peers


def _beside_peers(folder: Path, count: int, turns: int) -> Iterator[Figure]:
    folder.mkdir()
    made = edges.make(count)
    with _stand(folder, made) as stand:
        view, whole, tailed = stand.view(), [0], _tailed(made)
        sides: dict[str, Side] = {
            "clew": _closure(view, made.head, whole),
            "uncompacted": _closure(tailed, made.head, [0]),
        }
        sides["clew"]()
        with peers(_open_edges(view, made.size), START, whole[0], folder) as others:
            sides |= {peer.name: peer.side for peer in others}
            gc.freeze()
            seconds = take_turns(turns, sides)
            gc.unfreeze()
    yield from _compared(seconds, others, made, whole[0])


def _compared(
    seconds: dict[str, list[float]], others: list[Peer], made: edges.Made, reached: int
) -> Iterator[Figure]:
    rows, clew = len(made.part.source), median(seconds["clew"]) * 1000
    what = f"{rows:,} edges, {reached:,} of {made.size:,} nodes reached; Clew {clew:.3g} ms"
    large = rows > MEDIUM // 2
    for peer in others:
        goal = next((value for name, value in _GOALS.items() if peer.name.startswith(name)), None)
        yield Figure(
            name=f"forward closure of {rows:,} edges, faster than {peer.name}",
            measured=ratio(seconds[peer.name], seconds["clew"]),
            goal=goal if large else None,
            unit="x",
            peer=peer.name,
            least=True,
            note=f"{what}, the peer {median(seconds[peer.name]) * 1000:.3g} ms",
            tried=_TRIED,
        )
    yield Figure(
        name=f"the same with {UNCOMPACTED:,} edges that are not compacted",
        measured=ratio(seconds["uncompacted"], seconds["clew"]),
        goal=None,
        unit="x",
        peer="Clew, all compacted",
        note="committed one event at a time after the index was loaded",
    )


def _tailed(made: edges.Made) -> View:
    """An index that took in its last edges as commits of one event each."""
    part, first = made.part, len(made.part.source) - UNCOMPACTED
    index = Adjacency()
    feed = _Feed(made, first)
    index.catch_up(feed, int(part.since[first - 1]))
    feed.shown = len(part.source)
    return index.catch_up(feed, made.head)


class _Feed:
    """The rows up to ``shown`` in one part, and those after in parts of one event each."""

    def __init__(self, made: edges.Made, shown: int) -> None:
        self.made, self.first, self.shown = made, shown, shown

    def parts(self, after: int) -> tuple[int, Iterable[Part]]:
        part = self.made.part
        if not after:
            return int(part.since[self.first - 1]), [_rows(part, 0, self.first)]
        ends = np.flatnonzero(np.diff(part.since[self.first :])) + self.first + 1
        bounds = [self.first, *ends.tolist(), self.shown]
        some = [_rows(part, begin, end) for begin, end in pairwise(bounds)]
        return self.made.head, some

    def statements(self, source: int, code: int, target: int) -> list[Statement]:
        del source, code, target
        return []


def _rows(part: Part, begin: int, end: int) -> Part:
    """Some rows, and what retired later than those before; ``until`` never falls."""
    before = part.since[begin - 1] if begin else 0
    gone = slice(*np.searchsorted(part.until, [before, part.since[end - 1]], "right"))
    columns = {name: getattr(part, name)[begin:end] for name in Part._fields[1:7]}
    columns |= {name: getattr(part, name)[gone] for name in Part._fields[7:]}
    return part._replace(first=part.first + begin, **columns)


def _closure(
    view: View, as_of: int, reached: list[int], evidence: frozenset[Evidence] = ALL_EVIDENCE
) -> Side:
    """Everything forward of the start over data, by depth; ``reached`` gets the count."""

    def side() -> float:
        levels: list[Nodes] = []
        seconds = cpu(lambda: levels.extend(_walked(view, as_of, ALL_EVIDENCE)[1]))
        reached[0] = sum(len(level) for level in levels)
        return seconds

    return side


def _walked(view: View, as_of: int, evidence: frozenset[Evidence]) -> tuple[Reach, list[Nodes]]:
    policy = POLICIES["impact"]
    crossing = Crossing(view, Way.IN, policy.codes, as_of, evidence, False, COSTS[Way.IN])
    reach = Reach(crossing)
    levels = list(reach.levels([START]))
    reach.marks.give_back()
    return reach, levels


def _open_edges(view: View, size: int) -> Graph:
    """The edges of all flows, without those that Clew would not cross."""
    side = view.segments[0].sides[Way.OUT]
    crossing = Crossing(view, Way.OUT, edges.CODES, view.seq, ALL_EVIDENCE)
    shorts = side.shorts(slice(None))
    crossed = crossing.table.take(shorts) > 0
    code = edges.codes_at(shorts[crossed])
    return Graph(side.near()[crossed], (side.word[crossed] & FAR).astype(np.uint32), code, size)


# The largest alone


def _alone(folder: Path, count: int, turns: int) -> Iterator[Figure]:
    folder.mkdir()
    made = edges.make(count)
    rows = len(made.part.source)
    with _stand(folder, made) as stand:
        loads = [_load(stand) for _ in range(3)]
        view = stand.view()
        index = stand.ledger.indexes.held(1)
        assert index is not None
        note = f"{rows:,} edges, {made.size:,} nodes"
        yield Figure(
            name=f"cold load of {rows:,} edges",
            measured=median(loads),
            goal=1.0,
            unit="s",
            peer="none",
            note=f"{note}; packed blobs in an SQLite file, half of the edges committed one event at a time "
            "and merged since; CPU",
            tried="rows counted and written to their places by compiled code, in place of a sort each way "
            "(record 46); room that grows by sixteen, as moving rows costs as much as taking them in. A "
            "quarter of what is left is reading the blobs",
        )
        yield Figure(
            name="bytes an edge in the index",
            measured=index.nbytes / index.rows,
            goal=30,
            unit="bytes",
            peer="none",
            note=f"{note}, all arrays of the index",
        )
        yield from _filtered(view, made, turns)


def _load(stand: Stand) -> float:
    stand.ledger.indexes.forget(1)
    return cpu(stand.view)


def _filtered(view: View, made: edges.Made, turns: int) -> Iterator[Figure]:
    """What filters cost for each edge that is looked at."""
    head = made.head
    asked = {
        "none": (head, ALL_EVIDENCE),
        "evidence": (head, _SOME),
        "as_of": (head - head // 50, ALL_EVIDENCE),
        "both": (head - head // 50, _SOME),
    }
    touched = {name: _walked(view, *given)[0].touched for name, given in asked.items()}
    gc.freeze()
    sides = {name: partial(_timed, view, *given) for name, given in asked.items()}
    took = take_turns(max(turns // 2, 3), sides)
    gc.unfreeze()
    each = {name: [seconds / touched[name] for seconds in took[name]] for name in asked}
    yield Figure(
        name="edges a CPU-second, with evidence, as_of, stance and flow",
        measured=1 / median(each["both"]) / 1e6,
        goal=12,
        unit="M",
        peer="none",
        least=True,
        note=f"{touched['both']:,} edges looked at, {1e9 * median(each['both']):.3g} ns each; "
        f"without a filter {1e9 * median(each['none']):.3g} ns",
        tried=_TRIED,
    )
    for name, told in (("evidence", "by evidence"), ("as_of", "by as_of, two percent before the head")):
        yield Figure(
            name=f"an edge looked at with a filter {told}",
            measured=ratio(each[name], each["none"]),
            goal=1.2,
            unit="x",
            peer="the same walk without it",
            note=f"{touched[name]:,} edges looked at",
            tried=_TRIED,
        )


def _timed(view: View, as_of: int, evidence: frozenset[Evidence]) -> float:
    return cpu(lambda: _walked(view, as_of, evidence))


def _stand(folder: Path, made: edges.Made) -> _Standing:
    return _Standing(folder / "clew.db", made)


class _Standing:
    """A ledger that has the packed blobs of a graph and nothing else: half of the edges in those of large
    commits, half in those of single events, merged as the ledger merges them.
    """

    def __init__(self, path: Path, made: edges.Made) -> None:
        self._path, self._made = path, made

    def __enter__(self) -> Stand:
        made, part = self._made, self._made.part
        self._ledger = Ledger.open(str(self._path), create=True)
        rows = len(part.source)
        ends = np.flatnonzero(np.diff(part.since)) + 1
        large = list(range(0, rows // 2, blobs.LARGEST))
        self._keep([*large, *ends[ends > rows // 2].tolist(), rows], len(large))
        return Stand(made, self._ledger)

    def _keep(self, bounds: list[int], large: int) -> None:
        """A blob for the rows between each two bounds, the first few as large as blobs become; small ones are
        merged as they come.
        """
        made, part = self._made, self._made.part
        with self._ledger.store.writing() as session:
            head = (1, TENANT, made.head, made.size, 1, len(part.source), 0, 0, 0)
            session.run(f"insert into tenant values ({', '.join('?' * len(head))})", head)
        spans = list(pairwise(bounds))
        for first in range(0, len(spans), AT_ONCE):
            with self._ledger.store.writing() as session:
                for place, (begin, end) in enumerate(spans[first : first + AT_ONCE], first):
                    some, level = _rows(part, begin, end), 5 if place < large else 0
                    row = (1, int(some.since[0]), int(some.since[-1]), level, end - begin, blobs.packed(some))
                    session.run("insert into blob values (?, ?, ?, ?, ?, ?)", row)
            self._ledger.compact(TENANT)

    def __exit__(self, *error: object) -> None:
        self._ledger.close()
        self._path.unlink()
