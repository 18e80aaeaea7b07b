"""Best paths: by the weakest edge, then by length, then by reference."""

from __future__ import annotations

import itertools
import random

from queries.graph import Way
from queries.paths import Paths, Steps, origins

VERIFIED, OBSERVED, DECLARED, INFERRED = 4, 3, 2, 1
NAMES = {number: chr(ord("a") + number) for number in range(9)}


def shown(steps: Steps, node: int, root: int = 0) -> str:
    return "".join(Paths({root: VERIFIED}, steps, NAMES).shown(node, Way.IN))


def test_the_weakest_edge_counts_before_the_length() -> None:
    steps = {0: [(3, INFERRED), (1, OBSERVED)], 1: [(2, OBSERVED)], 2: [(3, OBSERVED)]}
    assert shown(steps, 3) == "abcd"


def test_a_short_way_is_not_lengthened_by_better_edges_that_do_not_count() -> None:
    """The best way to c leads over b, but the best way to d, inferred at its end, need not."""
    steps = {0: [(1, VERIFIED), (2, DECLARED)], 1: [(2, VERIFIED)], 2: [(3, INFERRED)]}
    assert shown(steps, 2) == "abc"
    assert shown(steps, 3) == "acd"


def test_of_two_as_short_the_first_by_reference_is_told() -> None:
    steps = {0: [(2, OBSERVED), (1, OBSERVED)], 1: [(3, OBSERVED)], 2: [(3, OBSERVED)]}
    assert shown(steps, 3) == "abd"


def test_it_is_the_best_of_all_paths() -> None:
    for seed in range(40):
        steps = _random(seed)
        found = Paths({0: VERIFIED}, steps, NAMES)
        for node in range(1, 7):
            ways = list(_ways(steps, node))
            assert (node in found.best) == bool(ways)
            if ways:
                weakest, length = max((min(known), -len(known)) for known in ways)
                assert (found.best[node], found.steps(node)) == (weakest, -length)
                assert len(found.to(node)) == found.steps(node) + 1


def _random(seed: int) -> Steps:
    chance = random.Random(seed)
    pairs = [(a, b) for a, b in itertools.permutations(range(7), 2) if chance.random() < 0.35]
    return {a: [(b, chance.randint(1, 4)) for one, b in pairs if one == a] for a in range(7)}


def _ways(steps: Steps, node: int, at: int = 0, seen: tuple[int, ...] = (0,)) -> list[list[int]]:
    """The evidence along every path without a cycle."""
    found = []
    for far, known in steps.get(at, ()):
        if far == node:
            found.append([known])
        elif far not in seen:
            found += [[known, *rest] for rest in _ways(steps, node, far, (*seen, far))]
    return found


def test_the_nearest_root_is_the_one_with_the_fewest_steps_then_the_first_by_reference() -> None:
    steps = {0: [(2, INFERRED)], 1: [(3, VERIFIED), (2, VERIFIED)], 2: [(4, OBSERVED)], 3: [(4, OBSERVED)]}
    nearest = origins([1, 0], steps, NAMES)
    assert {NAMES[node]: NAMES[root] for node, root in nearest.items()} == {
        "a": "a",
        "b": "b",
        "c": "a",
        "d": "b",
        "e": "a",
    }
