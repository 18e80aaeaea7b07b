"""Joined assertions kept up to date, event by event, as facts arrive (see :mod:`provmodel.joining`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from provmodel.joining import join
from provmodel.records import Assertion, Fact


class Joined(NamedTuple):
    """One assertion that one need earned. ``event`` is the seq of the event that has the need."""

    key: str
    need: str
    event: int
    assertion: Assertion


class Change(NamedTuple):
    """What one event changed: what holds from now on, and what no longer does."""

    begun: list[Joined]
    ended: list[Joined]


class _Need:
    """One need: the event it came with, and what it earns now."""

    __slots__ = ("earned", "event")

    def __init__(self, event: int) -> None:
        self.event = event
        self.earned: frozenset[Assertion] = frozenset()


class Joins:
    """All needs and offers so far, by key. Facts are a set: an equal one of a later event adds nothing."""

    def __init__(self) -> None:
        self._needs: defaultdict[str, dict[str, _Need]] = defaultdict(dict)
        self._offers: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, event: int, facts: Iterable[Fact]) -> Change:
        """Take in the facts of one event, by its seq."""
        fresh: dict[str, set[str] | None] = {}
        for fact in facts:
            if fact.side == "offer" and fact.data not in self._offers[fact.key]:
                self._offers[fact.key].add(fact.data)
                fresh[fact.key] = None
            elif fact.side == "need" and fact.data not in self._needs[fact.key]:
                self._needs[fact.key][fact.data] = _Need(event)
                waiting = fresh.setdefault(fact.key, set())
                if waiting is not None:
                    waiting.add(fact.data)
        change = Change([], [])
        for key, only in fresh.items():
            self._again(key, only, change)
        return change

    def _again(self, key: str, only: set[str] | None, change: Change) -> None:
        """Join the needs of a key anew: all when an offer came (``only`` is None), else those that came."""
        offers = self._offers.get(key, set())
        for data, need in self._needs.get(key, {}).items():
            if only is not None and data not in only:
                continue
            earned = frozenset(join(data, offers))
            change.begun.extend(Joined(key, data, need.event, a) for a in earned - need.earned)
            change.ended.extend(Joined(key, data, need.event, a) for a in need.earned - earned)
            need.earned = earned
