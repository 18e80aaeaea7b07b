"""The shelf of foreign traces: one file (or folder) a source, bytes -> events.

A source is found by looking into this folder: a module that defines one subclass of :class:`Source` is on the
shelf, and there is no list to keep. What a source could not read is never dropped in silence: it stands in
:class:`Reading`, beside the events.
"""

from __future__ import annotations

import inspect
import pkgutil
from abc import ABC, abstractmethod
from functools import cache
from importlib import import_module
from typing import ClassVar

from msgspec import Struct

from provmodel.errors import BadQuestion, Unreadable
from provmodel.events import Event

MOST_REMARKS = 1000
"""Unlike remarks that one reading keeps; what comes after is counted under one more."""
_EVEN_MORE = "more names than can be listed here"

Remarks = dict[str, tuple[str, int]]
"""What was met -> where first, and how often."""


class Remark(Struct, frozen=True):
    """What was met ``count`` times, and ``where`` for the first time (a span, a line, a path)."""

    where: str
    what: str
    count: int = 1


class Rejection(Struct, frozen=True):
    """One item that could not be taken; the others stand."""

    where: str
    reason: str


class Reading(Struct, frozen=True):
    """What became of one delivery.

    ``events`` are in the order of the text, each made from its own item alone. ``items`` counts the items
    (spans, messages) that were taken. ``not_understood`` lists what was left aside, ``notes`` what was read
    but looks odd.
    """

    events: list[Event]
    not_understood: list[Remark]
    rejected: list[Rejection]
    notes: list[Remark]
    items: int


class Source(ABC):
    """A shape of foreign trace. ``version`` goes up when the same bytes become other events."""

    name: ClassVar[str]
    title: ClassVar[str]
    version: ClassVar[int]

    @abstractmethod
    def detect(self, data: bytes) -> bool:
        """Whether ``data`` looks like this shape. Never raises."""

    @abstractmethod
    def read(self, data: bytes) -> Reading:
        """All of ``data`` as events; raises :class:`Unreadable` when there is nothing of this shape in it."""


class Margin:
    """What a source writes beside the text while it reads: the same remark twice is one with a count."""

    def __init__(self) -> None:
        self._unread: Remarks = {}
        self._notes: Remarks = {}
        self.rejected: list[Rejection] = []

    def unread(self, where: str, what: str, count: int = 1) -> None:
        """``what`` was not understood, or is kept nowhere."""
        _remark(self._unread, where, what, count)

    def note(self, where: str, what: str, count: int = 1) -> None:
        """``what`` was read and kept, and looks odd."""
        _remark(self._notes, where, what, count)

    def reject(self, where: str, reason: str) -> None:
        self.rejected.append(Rejection(where, reason))

    def reading(self, events: list[Event], items: int) -> Reading:
        return Reading(events, _listed(self._unread), self.rejected, _listed(self._notes), items)


def _remark(remarks: Remarks, where: str, what: str, count: int) -> None:
    if what not in remarks and len(remarks) >= MOST_REMARKS:
        what = _EVEN_MORE
    first, before = remarks.get(what, (where, 0))
    remarks[what] = (first, before + count)


def _listed(remarks: Remarks) -> list[Remark]:
    return [Remark(where, what, count) for what, (where, count) in sorted(remarks.items())]


@cache
def sources() -> dict[str, Source]:
    """Every source in this folder, by name."""
    modules = sorted(entry.name for entry in pkgutil.iter_modules(__path__))
    offered = [_offered(f"{__name__}.{module}") for module in modules]
    return {source.name: source for source in offered}


def _offered(module: str) -> Source:
    classes = inspect.getmembers(import_module(module), inspect.isclass)
    [offer] = [kind for _, kind in classes if issubclass(kind, Source) and kind.__module__ == module]
    return offer()


def named(name: str) -> Source:
    """The source of that name; raises :class:`BadQuestion` that lists those there are."""
    offered = sources()
    if name not in offered:
        raise BadQuestion("source", f"there is no source {name!r}", f"use one of {', '.join(offered)}")
    return offered[name]


def detect(data: bytes) -> Source:
    """The one source that ``data`` looks like; raises :class:`Unreadable` when none does, or several do."""
    fits = [source for source in sources().values() if source.detect(data)]
    if len(fits) == 1:
        return fits[0]
    names = ", ".join(source.name for source in fits or sources().values())
    reason = (
        f"this looks like several sources: {names}" if fits else "no source that Clew reads looks like this"
    )
    raise Unreadable("document", reason, f"name the source that it is, of {names}")
