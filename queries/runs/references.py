"""Two lists of references compared: what entered a step of one run, and of the other.

What a step of the run itself made is compared by the step, whose own match is known. Of the rest, things that
go by one name are compared by their versions. What stays, content under a name of its own run, is kept under
the tags of its run's own key: nothing can be told of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

import msgspec

from provmodel import names
from queries.runs.verdicts import CANNOT_TELL, DIFFERS, Aspect, State, overall, versions

OUTSIDE = -1
"""The maker of what no step of the run made."""


class Item(msgspec.Struct, frozen=True):
    """One reference as it stood in a step. ``maker`` is the step of its run that made it, in the numbers of
    the first run; below ``OUTSIDE`` one that has no counterpart there.
    """

    ref: str
    role: str = ""
    maker: int = OUTSIDE


Doubt = Callable[[Item], str]
"""Why it can't be told of a thing that it is a difference; "" when it is one."""


def always(why: str) -> Doubt:
    """The doubt that holds of whatever has no counterpart; none, for ""."""
    return lambda _: why


_NONE = (always(""), always(""))


class _Left:
    """What of each side still has no counterpart."""

    def __init__(self, first: Iterable[Item], second: Iterable[Item]) -> None:
        self.first, self.second = list(first), list(second)

    def pair(
        self, alike: Callable[[Item], object], keep: Callable[[Item], bool] = lambda item: True
    ) -> list[tuple[Item, Item]]:
        """Take out pairs that are alike, of those to keep."""
        waiting: defaultdict[object, list[Item]] = defaultdict(list)
        for item in self.second:
            if keep(item):
                waiting[alike(item)].append(item)
        pairs = []
        for item in list(self.first):
            if keep(item) and waiting[alike(item)]:
                other = waiting[alike(item)].pop(0)
                pairs.append((item, other))
                self.first.remove(item)
                self.second.remove(other)
        return pairs


def compare(
    name: str, first: Iterable[Item], second: Iterable[Item], doubts: tuple[Doubt, Doubt] = _NONE
) -> Aspect:
    """How two lists stand to each other; neither their order is a difference, nor how often a thing is told.

    ``doubts`` say of each list why nothing can be told of what has no counterpart in the other one.
    """
    left = _Left(_distinct(first), _distinct(second))
    found: list[tuple[State, str]] = []
    left.pair(lambda item: item.maker, lambda item: item.maker >= 0)
    found += [versions(one.ref, other.ref) for one, other in left.pair(lambda item: item.ref)]
    found += [
        versions(one.ref, other.ref) for one, other in left.pair(lambda item: names.split(item.ref).thing)
    ]
    found += [
        (CANNOT_TELL, f"the contents of {one.ref} and {other.ref} are kept under the keys of two runs")
        for one, other in left.pair(lambda item: item.role, private)
    ]
    found += [_alone(item, "first", doubts[0]) for item in left.first]
    found += [_alone(item, "second", doubts[1]) for item in left.second]
    state = overall(each for each, _ in found)
    told = [why for each, why in found if each == state and why]
    return Aspect(
        name=name,
        state=state,
        first=tuple(sorted({item.ref for item in first})),
        second=tuple(sorted({item.ref for item in second})),
        why="; ".join(dict.fromkeys(told)),
    )


def _alone(item: Item, side: str, doubt: Doubt) -> tuple[State, str]:
    why = doubt(item)
    return (CANNOT_TELL, why) if why else (DIFFERS, f"{item.ref} in the {side} alone")


def _distinct(items: Iterable[Item]) -> list[Item]:
    """Each thing once, with a role where any report says one."""
    return sorted({item.ref: item for item in sorted(items, key=_order)}.values(), key=_order)


def _order(item: Item) -> tuple[str, str]:
    return item.role, item.ref


def private(item: Item) -> bool:
    """Named in its own run, and by no version: another name says nothing of another content."""
    name = names.split(item.ref)
    return item.maker == OUTSIDE and not name.pin and name.scheme not in names.PUBLIC_SCHEMES
