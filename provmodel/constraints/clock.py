"""What clocks say against the order of events. Clocks differ and drift, so this makes no document invalid.

For any two events with a time that the rules put in order, directly or through events without one, their
times are compared. Times with a zone are compared as instants, times without one with each other, and never
one sort with the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

from provmodel.constraints import instants
from provmodel.constraints.facts import Facts
from provmodel.constraints.merging import Merging
from provmodel.constraints.ordering import Order, Why
from provmodel.constraints.telling import Teller, capital
from provmodel.constraints.verdict import MOST_TOLD, Untimely
from provmodel.relations import END, GENERATION, INVALIDATION, START, USAGE, Kind

EFFECT_BEFORE_CAUSE = "effect-before-cause"

# What a contradiction of clocks is called, by the rule that is contradicted.
_KINDS = {
    42: EFFECT_BEFORE_CAUSE,
    41: EFFECT_BEFORE_CAUSE,
    38: "use-after-invalidation",
    37: "use-before-generation",
    36: "invalidation-before-generation",
    30: "end-before-start",
    33: "use-outside-activity",
    34: "generation-outside-activity",
    48: EFFECT_BEFORE_CAUSE,
    45: "specialization-before-general",
    46: "specialization-outlasts-general",
    43: "trigger-not-there",
    44: "trigger-not-there",
    9: "trigger-not-there",
    10: "trigger-not-there",
}
_RANK = {rule: rank for rank, rule in enumerate(_KINDS)}
_OTHER = "out-of-order"
_SAME_MOMENT = {0: 39, 1: 40, 2: 31, 3: 32}  # by the sort of an event


Said = tuple[instants.Instant, str, int]
"""A time: what it compares as, as it was written, and the statement."""


class Clock:
    """Times of one part. ``seen`` has each event's earliest and latest time, by zone (True: with one)."""

    def __init__(self, facts: Facts, merging: Merging, order: Order, teller: Teller) -> None:
        self._facts, self._merging, self._order, self._teller = facts, merging, order, teller
        self.seen: dict[bool, dict[int, tuple[Said, Said]]] = {True: {}, False: {}}
        self.untold = 0
        for event, text, number in self._times():
            reading = instants.read(text)
            if reading is not None:
                seen = self.seen[reading[0]]
                said = reading[1], text, number
                known = seen.get(event)
                seen[event] = (min(known[0], said), max(known[1], said)) if known else (said, said)

    def _times(self) -> Iterator[tuple[int, str, int]]:
        """Each event with a time that is stated of it."""
        events, name = self._order.events, self._merging.name
        for term, known in (
            (GENERATION, events.generations),
            (INVALIDATION, events.invalidations),
            (START, events.starts),
            (END, events.ends),
        ):
            for number in self._facts.of[term.index]:
                time = self._facts.relations[number].time
                if time is not None:
                    yield known[self._merging.arguments[number][0] or ""], time, number
        for number in self._facts.of[USAGE.index]:
            time = self._facts.relations[number].time
            if time is not None:
                yield events.usages[self._merging.root(number)], time, number
        for number in self._facts.elements[Kind.ACTIVITY]:
            one = self._facts.things[number]
            if one.start is not None:
                yield events.starts[name(one.id)], one.start, number
            if one.end is not None:
                yield events.ends[name(one.id)], one.end, number

    def findings(self) -> Iterator[Untimely]:
        """Each contradiction, at most :data:`MOST_TOLD`; ``untold`` counts the rest when all are drawn."""
        for seen in self.seen.values():
            if seen:
                moments = self._moments(seen)
                yield from islice(moments, MOST_TOLD)
                self.untold += sum(1 for _ in moments)
                ways = list(self._ways(seen))
                self.untold += max(0, len(ways) - MOST_TOLD)
                told = [self._way(*one) for one in ways[:MOST_TOLD]]
                why = self._order.why(pair for way in told for pair in pairwise(way))
                yield from (self._finding(way, why, seen) for way in told)

    # --- one moment, several times ---

    def _moments(self, seen: dict[int, tuple[Said, Said]]) -> Iterator[Untimely]:
        for event, (first, last) in seen.items():
            rule = _SAME_MOMENT.get(self._order.events.sort[event])
            if first[0] != last[0] and rule and not self._judged(first[2], last[2]):
                what = capital(self._order.event(event))
                yield Untimely(
                    "one-moment-two-times",
                    str(rule),
                    f"{what} is one moment, but clocks say {first[1]} and {last[1]}.",
                    first[1],
                    last[1],
                    self._teller.statements(first[2], last[2]),
                )

    def _judged(self, one: int, other: int) -> bool:
        """True when the two times are a violation already: of one relation, or of one activity."""
        of_activities = self._facts.elements[Kind.ACTIVITY]
        return bool(self._merging.root(one) == self._merging.root(other) or one in of_activities)

    # --- two moments, out of order ---

    def _ways(self, seen: dict[int, tuple[Said, Said]]) -> Iterator[tuple[int, int, dict[int, int]]]:
        """The last event before a timed one, that one, and the way back to the timed one before it."""
        out = self._order.out
        carried: dict[int, Said] = {}
        back: dict[int, int] = {}
        found: set[tuple[int, int]] = set()
        for node in self._order.order:
            said = seen[node][1] if node in seen else carried.get(node)
            if said is None:
                continue
            for target in out[node]:
                timed = seen.get(target)
                if timed is None:
                    known = carried.get(target)
                    if known is None or known < said:
                        carried[target] = said
                        back[target] = node
                elif timed[0][0] < said[0] and (node, target) not in found:
                    found.add((node, target))
                    yield node, target, back
        for node in self._order.left:
            for target in dict.fromkeys(out[node]) if node in seen else ():
                if target in seen and seen[target][0][0] < seen[node][1][0] and node != target:
                    yield node, target, {}

    def _way(self, last: int, target: int, back: dict[int, int]) -> list[int]:
        """The events on the way, from the timed one that comes first to the other."""
        way = [target, last]
        while way[-1] in back and len(way) < MOST_TOLD:
            way.append(back[way[-1]])
        return way[::-1]

    def _finding(self, way: list[int], why: Why, seen: dict[int, tuple[Said, Said]]) -> Untimely:
        pairs = list(pairwise(way))
        rule = min((why[pair][0] for pair in pairs), key=lambda one: _RANK.get(one, len(_RANK)))
        earlier, later = seen[way[0]][1], seen[way[-1]][0]
        order = self._order
        return Untimely(
            _KINDS.get(rule, _OTHER),
            str(rule),
            f"By the clock {order.happening(way[-1])} at {later[1]}, and only later, at {earlier[1]},"
            f" {order.happening(way[0])}, which comes first.",
            earlier[1],
            later[1],
            self._teller.statements(earlier[2], later[2], *(why[pair][1] for pair in pairs)),
            tuple(order.steps(pairs, why)),
        )
