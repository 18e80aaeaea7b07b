"""The order of events as a graph: what would have to come before itself (constraints 30 to 49)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise

from provmodel.constraints import graphs
from provmodel.constraints.events import STRICT, VERBS, WORDS, Events
from provmodel.constraints.facts import Facts
from provmodel.constraints.merging import Merging
from provmodel.constraints.telling import Teller
from provmodel.constraints.verdict import Reason, Step, Violation

Why = dict[tuple[int, int], tuple[int, int]]
"""For an edge, its rule and statement."""

_MOST_TRIED = 16  # strict edges of a knot, to find a short contradiction
_MOST_NAMED = 3  # things, in one sentence
_LONGEST_CHAIN = 100  # events of a contradiction that are told; who reads more?


class Order:
    """Events in their order. ``order`` are those that no cycle leads to, ``left`` the others."""

    def __init__(self, facts: Facts, merging: Merging, events: Events, teller: Teller) -> None:
        self._facts, self._merging, self._teller = facts, merging, teller
        self.events = events
        self.out: graphs.Graph = [[] for _ in events.sort]
        self._strict: list[tuple[int, int]] = []
        for earlier, later, rule, _ in events.edges():
            self.out[earlier].append(later)
            if rule == STRICT:
                self._strict.append((earlier, later))
        self.order, self.left = graphs.peeled(self.out)

    # --- contradictions ---

    def contradictions(self) -> Iterator[Reason]:
        """A violation for each knot of events that holds a strict edge: what is in it comes before itself."""
        if not self.left or not self._strict:
            return
        ways = [self._shortest(knot, strict) for knot, strict in self._knots()]
        why = self.why(pair for way in ways for pair in pairwise([*way, way[0]]))
        for way in ways:
            yield partial(self._contradiction, way, why)

    def _knots(self) -> Iterator[tuple[set[int], list[tuple[int, int]]]]:
        knot_of: dict[int, int] = {}
        knots: list[set[int]] = []
        for knot in graphs.knots(self.left, self.out):
            knot_of.update(dict.fromkeys(knot, len(knots)))
            knots.append(set(knot))
        held: dict[int, list[tuple[int, int]]] = {}
        for earlier, later in self._strict:
            if earlier in knot_of and knot_of[earlier] == knot_of.get(later):
                held.setdefault(knot_of[earlier], []).append((earlier, later))
        return ((knots[number], strict) for number, strict in held.items())

    def _shortest(self, knot: set[int], strict: list[tuple[int, int]]) -> list[int]:
        """A cycle that begins with a strict edge, as short as is quickly found."""
        ways = [
            [earlier, *graphs.shortest(later, earlier, self.out, knot)[:-1]]
            for earlier, later in strict[:_MOST_TRIED]
        ]
        return min(ways, key=len)

    def _contradiction(self, way: list[int], why: Why) -> Violation:
        pairs = list(pairwise([*way, way[0]]))
        numbers = [why[pair][1] for pair in pairs]
        steps = [*self.known(way[:_LONGEST_CHAIN]), *self.steps(pairs[:_LONGEST_CHAIN], why)]
        if len(pairs) > _LONGEST_CHAIN:
            steps.append(Step(f"and so on, over {len(pairs) - _LONGEST_CHAIN} more events"))
        return Violation(
            str(STRICT),
            f"{self._thing(way[0])} would have to be made before it was made{self._circle(way)}.",
            self._teller.statements(*numbers[:_LONGEST_CHAIN]),
            tuple(steps),
        )

    def _circle(self, way: list[int]) -> str:
        others = [one for one in dict.fromkeys(map(self._thing, way)) if one != self._thing(way[0])]
        if not others:
            return ""
        told = others[:_MOST_NAMED]
        if len(others) > _MOST_NAMED:
            told.append(f"{len(others) - _MOST_NAMED} more")
        through = f"{', '.join(told[:-1])}{' and ' if told[1:] else ''}{told[-1]}"
        return f": what is stated leads in a circle, through {through}"

    # --- in words ---

    def why(self, pairs: Iterable[tuple[int, int]]) -> Why:
        """The rule and statement of each of these edges; the strict rule where it is one of several."""
        wanted = set(pairs)
        found: Why = {}
        if wanted:
            for earlier, later, rule, number in self.events.edges():
                pair = earlier, later
                if pair in wanted and (rule == STRICT or pair not in found):
                    found[pair] = rule, number
        return found

    def event(self, number: int) -> str:
        """An event in words: "the generation of ex:e1"."""
        return f"the {WORDS[self.events.sort[number]]} of {self._thing(number)}"

    def happening(self, number: int) -> str:
        """An event as what happens: "ex:e1 was made"."""
        return f"{self._thing(number)} {VERBS[self.events.sort[number]]}"

    def _thing(self, number: int) -> str:
        thing = self.events.thing[number]
        return self._teller.name(thing) if thing else "something"

    def known(self, events: Iterable[int]) -> Iterator[Step]:
        """For each event that isn't stated, the inference by which it is there."""
        for event in events:
            rule, number = self.events.reason[event]
            rule = rule or ("11" if number in self._facts.implied else "")
            if rule:
                yield Step(f"{self.happening(event)} at some time", rule, self._teller.statements(number))

    def steps(self, pairs: Iterable[tuple[int, int]], why: Why) -> Iterator[Step]:
        """Each edge of a way in words."""
        for earlier, later in pairs:
            rule, number = why[earlier, later]
            relation = "before" if rule == STRICT else "no later than"
            text = f"{self.happening(earlier)} {relation} {self.happening(later)}"
            yield Step(text, str(rule), self._teller.statements(number))
