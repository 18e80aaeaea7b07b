"""Steps of two runs put side by side, by kind, tool and causal order.

Of the steps of one kind and tool, those are paired that agree best in what they depend on, how deep they
stand and what they do; so parallel steps find their counterparts whatever order they were told in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from queries.runs.order import Order
from queries.runs.steps import Step

PAIRS = 40_000
"""Pairs of one kind and tool that are weighed; more are paired in the order of the runs."""

ROUNDS = 3
"""Pairings, each made on the one before; what a step depends on counts from the second on."""

DEPENDS, DOES, LEVEL, PLACE = 4.0, 3.0, 1.0, 0.01
ALL = 4.0
"""What doing the very same counts beside: more than to depend on the same and do nearly the same, since one
step that is inserted moves all that depend on it.
"""


class Sides:
    """The two orders, and what each step does in words that can be compared."""

    def __init__(self, first: Order, second: Order, does: Sequence[Mapping[int, frozenset[str]]]) -> None:
        self.first, self.second = first, second
        self.does = does

    def weigh(self, one: int, other: int, pairs: Mapping[int, int] | None) -> float:
        """How well two steps agree; higher is better."""
        alike = _alike(self.does[0][one], self.does[1][other])
        weight = DOES * alike + (ALL if alike == 1 else 0)
        apart = abs(self.first.level[one] - self.second.level[other])
        weight += LEVEL / (1 + apart)
        if pairs is not None:
            mapped = {pairs.get(before, -1) for before in self.first.before[one]}
            weight += DEPENDS * _alike(mapped, self.second.before[other])
        return weight


def match(sides: Sides) -> dict[int, int]:
    """The counterpart in the second run of each step of the first that has one."""
    groups = _groups(sides.first.steps, sides.second.steps)
    pairs: dict[int, int] | None = None
    for _ in range(ROUNDS):
        again: dict[int, int] = {}
        for ours, theirs in groups:
            again.update(_pair(sides, ours, theirs, pairs))
        if again == pairs:
            break
        pairs = again
    return pairs or {}


def _groups(first: Sequence[Step], second: Sequence[Step]) -> list[tuple[list[int], list[int]]]:
    groups: defaultdict[tuple[str, str], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, steps in enumerate((first, second)):
        for number, step in enumerate(steps):
            groups[step.key][side].append(number)
    return list(groups.values())


def _pair(
    sides: Sides, ours: Sequence[int], theirs: Sequence[int], pairs: Mapping[int, int] | None
) -> dict[int, int]:
    if len(ours) * len(theirs) > PAIRS:
        return dict(zip(ours, theirs, strict=False))
    weighed = [
        (-sides.weigh(one, other, pairs) + PLACE * abs(place - opposite), place, opposite, one, other)
        for place, one in enumerate(ours)
        for opposite, other in enumerate(theirs)
    ]
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, _, one, other in sorted(weighed):
        if one not in found and other not in taken:
            found[one] = other
            taken.add(other)
    return found


def _alike(one: Iterable[object], other: Iterable[object]) -> float:
    """The share that two sets have in common; 1 for two empty ones."""
    first, second = set(one), set(other)
    return len(first & second) / len(first | second) if first | second else 1.0
