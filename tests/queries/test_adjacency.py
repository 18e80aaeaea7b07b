"""The compact index by itself: what it holds of an edge, and shapes that are hard to walk."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np
import pytest

from provmodel.evidence import ALL_EVIDENCE, Evidence
from provmodel.relations import DERIVATION, USAGE, Flow
from queries.adjacency import Adjacency, Crossing, Part, Reach, Statement, View, compiled, reach
from queries.adjacency.marks import Nodes
from queries.graph import Way
from queries.policy import COSTS, POLICIES
from queries.trip import HUB

pytestmark = pytest.mark.usefixtures("steps")

DERIVED = DERIVATION.code(0, Flow.DATA)
USED = USAGE.code(0, Flow.DATA)
CONTROLLED = USAGE.code(0, Flow.CONTROL)
OBSERVED = int(Evidence.OBSERVED)
Edge = tuple[int, int]


class Edges:
    """Rows in commits of any size, as a store would feed them."""

    def __init__(self) -> None:
        self.told: list[tuple[int, Part]] = []
        self.rows = 0

    def commit(
        self,
        edges: Sequence[Edge],
        code: int = DERIVED,
        stance: int = 1,
        relations: Sequence[int] = (),
        retired: Sequence[tuple[int, int, int]] = (),
    ) -> int:
        """Add rows, and (number, source, target) that hold no longer; the seq."""
        seq = len(self.told) + 1
        count = len(edges)
        ends = np.array(edges, np.uint32).reshape(-1, 2)
        gone = np.array(retired, np.uint32).reshape(-1, 3)
        keys = relations or range(self.rows + 1, self.rows + count + 1)
        part = Part(
            self.rows + 1,
            ends[:, 0].copy(),
            ends[:, 1].copy(),
            np.full(count, code, np.uint16),
            np.full(count, OBSERVED << 1 | stance, np.uint8),
            np.array(keys, np.uint64),
            np.full(count, seq, np.uint32),
            gone[:, 0].copy(),
            np.full(len(gone), seq, np.uint32),
            gone[:, 1].copy(),
            gone[:, 2].copy(),
        )
        self.rows += count
        self.told.append((seq, part))
        return seq

    def parts(self, after: int) -> tuple[int, Iterable[Part]]:
        return len(self.told), [part for seq, part in self.told if seq > after]

    def statements(self, source: int, code: int, target: int) -> list[Statement]:
        return [
            Statement(part.first + row, int(part.relation[row]), OBSERVED, int(part.weight[row] & 1))
            for _, part in self.told
            for row in range(len(part.source))
            if (part.source[row], part.code[row], part.target[row]) == (source, code, target)
        ]


def reached(view: View, starts: Iterable[int], as_of: int = 0, way: Way = Way.IN) -> list[list[int]]:
    """The nodes of each level, ascending."""
    policy = POLICIES["impact"]
    crossing = Crossing(view, way, policy.codes, as_of or view.seq, ALL_EVIDENCE, False, COSTS[way])
    return [sorted(ints(level)) for level in Reach(crossing).levels(starts)]


def ints(nodes: Nodes) -> list[int]:
    return [int(node) for node in nodes]


def chain(length: int) -> list[Edge]:
    return [(node + 1, node) for node in range(1, length)]


@pytest.mark.parametrize("narrow", [0, 64])
def test_a_chain_has_a_level_for_each_of_its_edges(narrow: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "NARROW", narrow)
    edges = Edges()
    edges.commit(chain(20_000 if narrow else 300))
    levels = reached(Adjacency().catch_up(edges, 1), [1])
    assert levels == [[node] for node in range(1, len(levels) + 1)]
    assert len(levels) == (20_000 if narrow else 300)


@pytest.mark.parametrize("narrow", [0, 64])
def test_a_cycle_ends(narrow: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "NARROW", narrow)
    edges = Edges()
    edges.commit([*chain(5), (1, 5), (3, 3)])
    assert reached(Adjacency().catch_up(edges, 1), [1]) == [[1], [2], [3], [4], [5]]


def test_a_hub_of_a_million_is_crossed_only_by_whoever_asks_for_it() -> None:
    edges = Edges()
    count = 1_000_000
    hub = np.stack([np.arange(3, count + 3), np.full(count, 2)], axis=1)
    edges.commit([(2, 1)])
    first = edges.told.pop()
    source = np.append(first[1].source, hub[:, 0]).astype(np.uint32)
    target = np.append(first[1].target, hub[:, 1]).astype(np.uint32)
    rows = count + 1
    part = first[1]._replace(
        source=source,
        target=target,
        code=np.full(rows, DERIVED, np.uint16),
        weight=np.full(rows, OBSERVED << 1 | 1, np.uint8),
        relation=np.arange(rows, dtype=np.uint64),
        since=np.ones(rows, np.uint32),
    )
    edges.told.append((1, part))
    index = Adjacency()
    view = index.catch_up(edges, 1)
    crossing = Crossing(view, Way.IN, POLICIES["impact"].codes, 1, ALL_EVIDENCE, False, COSTS[Way.IN])
    guarded = Reach(crossing, HUB)
    guarded.marks.enter([1, 2])
    assert guarded.step([2]).hubs == [2]
    assert [len(level) for level in Reach(crossing).levels([1])] == [1, 1, count]
    expanded = Reach(crossing, HUB, expand=[2])
    expanded.step([2])
    assert len(expanded.marks.waiting()) == count
    assert index.nbytes / index.rows <= 40, "a star has as many nodes as edges"


def test_a_commit_is_seen_by_the_next_walk_and_not_by_one_as_of_before() -> None:
    edges, index = Edges(), Adjacency()
    edges.commit(chain(3))
    assert reached(index.catch_up(edges, 1), [1]) == [[1], [2], [3]]
    seq = edges.commit([(4, 3), (900, 4)])
    view = index.catch_up(edges, seq)
    assert reached(view, [1]) == [[1], [2], [3], [4], [900]]
    assert reached(view, [1], as_of=1) == [[1], [2], [3]]


def test_a_walk_goes_on_while_nodes_beyond_all_that_it_knows_are_added() -> None:
    edges, index = Edges(), Adjacency()
    edges.commit(chain(3))
    index.catch_up(edges, 1)
    edges.commit([(4, 3)])
    before = index.catch_up(edges, 2)
    edges.commit([(1_000_000, 3)])
    assert reached(index.catch_up(edges, 3), [1]) == [[1], [2], [3], [4, 1_000_000]]
    assert reached(before, [1]) == [[1], [2], [3], [4]]


def test_a_walk_that_ends_anywhere_leaves_its_marks_clean_for_the_next() -> None:
    edges, index = Edges(), Adjacency()
    edges.commit([*chain(300), *[(number, 5) for number in range(300, 400)], (2, 300)])
    view = index.catch_up(edges, 1)
    codes = POLICIES["impact"].codes
    for levels in (1, 2, 3, 5, 6, 7, 150):
        reach = Reach(Crossing(view, Way.IN, codes, 1, ALL_EVIDENCE, False, COSTS[Way.IN]))
        for _ in islice(reach.levels([3]), levels):
            pass
        reach.marks.give_back()
        assert not reach.marks.array.any()


def test_a_node_that_is_not_of_the_graph_is_refused() -> None:
    edges = Edges()
    edges.commit(chain(3))
    view = Adjacency().catch_up(edges, 1)
    with pytest.raises(IndexError):
        reached(view, [10_000])


def test_threads_that_walk_while_commits_land_see_each_its_own_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("queries.adjacency.index.FREEZE", 32)
    edges, index = Edges(), Adjacency()
    edges.commit([*chain(2_000), *[(number, 1) for number in range(2_000, 4_000)]])
    index.catch_up(edges, 1)
    expected = reached(index.view, [1])
    done = threading.Event()

    def walks() -> bool:
        alike = True
        while not done.is_set():
            alike = alike and reached(index.view, [1], as_of=1) == expected
        return alike

    with ThreadPoolExecutor(3) as pool:
        walking = [pool.submit(walks) for _ in range(3)]
        for number in range(300):
            seq = edges.commit([(5_000 + number, number + 1)])
            assert len(index.catch_up(edges, seq).segments) > 0
        done.set()
        assert all(each.result() for each in walking)


@pytest.mark.parametrize("loaded", [True, False])
def test_a_row_that_was_retired_is_crossed_as_of_before(loaded: bool) -> None:
    edges, index = Edges(), Adjacency()
    edges.commit(chain(3))
    if not loaded:
        index.catch_up(edges, 1)
    edges.commit([], retired=[(2, 3, 2)])
    view = index.catch_up(edges, 2)
    assert reached(view, [1]) == [[1], [2]]
    assert reached(view, [1], as_of=1) == [[1], [2], [3]]


@pytest.mark.parametrize("loaded", [True, False])
def test_a_refuted_edge_is_not_crossed_since(loaded: bool) -> None:
    edges, index = Edges(), Adjacency()
    edges.commit(chain(3))
    if not loaded:
        index.catch_up(edges, 1)
    edges.commit([(3, 2)], stance=0, relations=[2])
    view = index.catch_up(edges, 2)
    assert reached(view, [1]) == [[1], [2]]
    assert reached(view, [1], as_of=1) == [[1], [2], [3]]
    edges.commit([], retired=[(3, 3, 2)])
    assert reached(index.catch_up(edges, 3), [1]) == [[1], [2], [3]]


def test_a_walk_knows_when_bits_changed_under_it() -> None:
    edges, index = Edges(), Adjacency()
    edges.commit(chain(3))
    view = index.catch_up(edges, 1)
    codes = POLICIES["impact"].codes
    filters = [
        Crossing(view, Way.IN, codes, 1, ALL_EVIDENCE, False, COSTS[Way.IN], exact=exact)
        for exact in (False, True)
    ]
    edges.commit([], retired=[(2, 3, 2)])
    index.catch_up(edges, 2)
    assert [crossing.disturbed for crossing in filters] == [True, False]
    assert [ints(level) for level in Reach(filters[1]).levels([1])] == [[1], [2], [3]]


def test_an_edge_takes_at_most_thirty_bytes() -> None:
    chosen = np.random.default_rng(1)
    edges = Edges()
    rows, nodes = 200_000, 70_000
    ends = chosen.integers(1, nodes, (rows, 2))
    edges.commit([(int(source), int(target)) for source, target in ends], code=USED)
    index = Adjacency()
    index.catch_up(edges, 1)
    assert index.rows == rows
    assert index.nbytes / rows <= 30


@pytest.mark.usefixtures("compiled_code")
def test_an_index_that_compiled_code_loads_is_the_same_as_one_by_numpy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen = np.random.default_rng(2)
    edges = Edges()
    for commit in range(20):
        ends = chosen.integers(1, 400, (chosen.integers(0, 200), 2)).tolist()
        code = DERIVED if commit % 3 else CONTROLLED
        edges.commit([(source, target % 380) for source, target in ends], code=code)
    edges.commit([(3, 2), (7, 5), (3, 2)], stance=0, relations=[2, 11, 9])
    first = edges.told[0][1]
    edges.commit(
        [], retired=[(number, first.source[number - 1], first.target[number - 1]) for number in (1, 5)]
    )
    views = [Adjacency().catch_up(edges, 22)]
    monkeypatch.setattr(compiled, "LIBRARY", None)
    views.append(Adjacency().catch_up(edges, 22))
    sides = [[view.segments[0].sides[way] for way in Way] for view in views]
    for one, other in zip(*sides, strict=True):
        for name in ("bounds", "word", "low"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert views[0].last == views[1].last


def test_segments_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("queries.adjacency.index.FREEZE", 8)
    edges, index = Edges(), Adjacency()
    for number in range(1, 400):
        edges.commit([(number + 1, number)])
        view = index.catch_up(edges, number)
    assert len(view.segments) <= 8
    assert index.rows == 399
    assert len(reached(view, [1])) == 400


def test_an_index_that_grew_by_single_rows_is_walked_as_one_that_was_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("queries.adjacency.index.FREEZE", 1)
    chosen = np.random.default_rng(3)
    edges, grown = Edges(), Adjacency()
    edges.commit([(int(a), int(b)) for a, b in chosen.integers(1, 300, (4_000, 2)) if a > b])
    grown.catch_up(edges, 1)
    for fresh in range(300, 809):
        seq = edges.commit(
            [(fresh, int(chosen.integers(1, fresh)))], code=CONTROLLED if fresh % 7 else DERIVED
        )
        grown.catch_up(edges, seq)
    refuted = [(number, int(edges.told[number][1].target[0])) for number in (290, 470)]
    for number, target in refuted:
        row = edges.told[number][1]
        pair = [(int(row.source[0]), target)]
        edges.commit(pair, code=int(row.code[0]), stance=0, relations=[int(row.relation[0])])
    gone = edges.told[400][1]
    seq = edges.commit([], retired=[(gone.first, int(gone.source[0]), int(gone.target[0]))])
    views = [grown.catch_up(edges, seq), Adjacency().catch_up(edges, seq)]
    assert [len(view.segments) for view in views] == [10, 1]
    for way, start in [(Way.IN, 1), (Way.IN, 5), (Way.OUT, 808), (Way.OUT, 700)]:
        for as_of in (seq, seq - 1, 300, 2):
            one, other = (reached(view, [start], as_of, way) for view in views)
            assert one == other, (way, start, as_of)
