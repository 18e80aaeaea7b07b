"""Joined assertions kept up to date, event by event, as facts arrive (see :mod:`provmodel.joining`)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from provmodel.joining import join
from provmodel.records import Assertion, Fact


class Change(NamedTuple):
    """What one event changed: assertions that hold from now on, and those that no longer do."""

    begun: list[Assertion]
    ended: list[Assertion]


class Joins:
    """All needs and offers so far, by key, and what was joined for each need.

    An assertion that several needs earn holds as long as one of them earns it.
    """

    def __init__(self) -> None:
        self._needs: defaultdict[str, dict[str, frozenset[Assertion]]] = defaultdict(dict)
        self._offers: defaultdict[str, set[str]] = defaultdict(set)
        self._held: Counter[Assertion] = Counter()

    def add(self, facts: Iterable[Fact]) -> Change:
        """Take in the facts of one event."""
        touched: set[str] = set()
        for fact in facts:
            if fact.side == "need" and fact.data not in self._needs[fact.key]:
                self._needs[fact.key][fact.data] = frozenset()
                touched.add(fact.key)
            elif fact.side == "offer" and fact.data not in self._offers[fact.key]:
                self._offers[fact.key].add(fact.data)
                touched.add(fact.key)
        return self._again(sorted(touched))

    def _again(self, keys: list[str]) -> Change:
        before: dict[Assertion, bool] = {}
        for key in keys:
            offers = self._offers.get(key, set())
            for need, old in self._needs.get(key, {}).items():
                new = frozenset(join(need, offers))
                for assertion in old ^ new:
                    before.setdefault(assertion, self._held[assertion] > 0)
                    self._held[assertion] += 1 if assertion in new else -1
                self._needs[key][need] = new
        begun = [assertion for assertion, held in before.items() if not held and self._held[assertion] > 0]
        ended = [assertion for assertion, held in before.items() if held and self._held[assertion] <= 0]
        return Change(sorted(begun, key=_order), sorted(ended, key=_order))


def _order(assertion: Assertion) -> tuple[str, ...]:
    relation = assertion.relation
    arguments = (argument or "" for argument in relation.arguments)
    return (
        relation.term.name,
        relation.subject,
        *arguments,
        relation.role,
        assertion.method,
        assertion.attributes,
    )
