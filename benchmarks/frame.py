"""What all subjects share: a figure beside its goal, and sides that take turns on the same work.

Times are CPU seconds of a whole process, user and system, all its threads: what a machine shared with others
says of the work, where a clock on the wall says of the others too. Sides take turns, so that a machine that
gets slower gets slower for all of them, and a ratio is the median over the turns.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Mapping
from statistics import median
from typing import Protocol

import msgspec

Side = Callable[[], float]
"""Does its work once, from scratch, and returns the CPU seconds of what is to be compared."""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One measured value beside its goal.

    ``unit`` is "x" for a ratio to (or over) the ``peer``, else ms, s, ...; ``least`` turns the goal from
    "at most" into "at least"; a figure without goal is there to be read. ``note`` says what was done;
    ``tried`` is told where the goal is missed.
    """

    name: str
    measured: float
    goal: float | None
    unit: str
    peer: str
    least: bool = False
    note: str = ""
    tried: str = ""

    @property
    def met(self) -> bool:
        if self.goal is None:
            return True
        return self.measured >= self.goal if self.least else self.measured <= self.goal


class Subject(Protocol):
    """A file of this folder. The first line of its docstring is its title."""

    __doc__: str | None

    def figures(self, quick: bool) -> Iterable[Figure]:
        """Measure; ``quick`` is for developing, on less work and with fewer turns."""
        ...


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process while ``work`` runs."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def cpu_of(process: int) -> float:
    """CPU seconds of another process since it began (Linux: the clock that clock_getcpuclockid(3) names)."""
    return time.clock_gettime(~process << 3 | 2)


def take_turns(turns: int, sides: Mapping[str, Side]) -> dict[str, list[float]]:
    """Let each side do its work ``turns`` times, a different one first in each turn."""
    names = list(sides)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(turns):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            seconds[name].append(sides[name]())
    return seconds


def ratio(one: Iterable[float], other: Iterable[float]) -> float:
    """How many times the other's cost one has: the median over the turns."""
    return median(a / b for a, b in zip(one, other, strict=True))


def micros(seconds: float, events: int) -> str:
    """Microseconds an event, as notes give them."""
    return f"{seconds / events * 1e6:,.0f} us"
