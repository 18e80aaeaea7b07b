"""The nodes that one page of a walk shows, and how long it may take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from queries.cursor import Position
from queries.links import Link


class Page:
    """Which nodes are shown: whole levels from the position on, as many as there is room for. ``before`` are
    those of earlier pages, by depth, and ``rest`` those of a level that is shown in parts and goes on on the
    next. ``known`` are all between which the page before could tell of edges, but for those that lead on
    from ``late`` ones: they were shown because a bridge leads over them, and only come to now.
    """

    def __init__(self, position: Position, room: int, starts: frozenset[int]) -> None:
        self.position = position
        self.room = room
        self.starts = frozenset() if position.hub == 0 and position.neighbour < 0 else starts
        self.nodes: dict[int, int] = {}
        self.before: dict[int, int] = dict.fromkeys(self.starts, 0)
        self.known: set[int] = set(self.starts)
        self.late: set[int] = set()
        self.rest: set[int] = set()
        self.next: tuple[int, int] | None = None

    def take(self, level: int, members: list[int], ordered: Callable[[Iterable[int]], list[int]]) -> None:
        if level < self.position.level:
            self.before.update(dict.fromkeys(members, level))
            self.known.update(members)
            return
        offset = self.position.offset if level == self.position.level else 0
        if offset:
            self.known.update(members)
        fresh = [node for node in members if node not in self.starts]
        room = self.room - len(self.nodes)
        if not offset and len(fresh) <= room:
            self.nodes.update(dict.fromkeys(fresh, level))
        elif level > self.position.level:
            self.next = (level, 0)
        else:
            self._cut(level, offset, room, ordered(fresh))

    def come_to(self, level: int, shown: Iterable[int]) -> None:
        """Note nodes that were shown on an earlier level, and are come to on this one."""
        stepped = self.position.level + bool(self.position.offset)  # levels that the page before went on from
        if level >= stepped:
            self.late.update(shown)

    def _cut(self, level: int, offset: int, room: int, fresh: list[int]) -> None:
        """A level that alone exceeds the limit is shown in parts, in the order of references."""
        self.before.update(dict.fromkeys(fresh[:offset], level))
        self.nodes.update(dict.fromkeys(fresh[offset : offset + room], level))
        self.rest.update(fresh[offset + room :])
        if self.rest:
            self.next = (level, offset + room)


def of_page(crossed: list[Link], page: Page) -> list[Link]:
    """Those of which an end is shown on this page for the first time."""
    if not page.before:
        return crossed
    nodes = page.nodes
    return [link for link in crossed if link.source in nodes or link.target in nodes]


clock = time.monotonic
"""What deadlines are told by, in seconds."""


class Deadline:
    """How long a walk may go on. What comes before its page is not counted, and its first level is always
    shown, so that every page goes on from the one before.
    """

    def __init__(self, seconds: float, position: Position) -> None:
        self._seconds = seconds
        self._first = position.level
        self._end = 0.0

    def passed(self, level: int) -> bool:
        """Whether it is too late to begin this level."""
        if level <= self._first:
            self._end = clock() + self._seconds
            return False
        return clock() > self._end
