"""The rows of single nodes, one way, as a filter sees them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from queries.adjacency.arrays import np
from queries.adjacency.columns import RETIRED, view_of
from queries.adjacency.crossing import LOOK, Crossing
from queries.adjacency.index import Entry
from queries.adjacency.segments import FAR, Side, Step, shorts_in

_AT_ONCE = 4096
"""Rows of one node that are looked at together."""

ANY = 2**62
"""No limit."""

FEW = 64
"""Rows of a node up to which it is remembered where they lead."""


class Single:
    """Reads node by node: what is asked of a few nodes beside a walk, or of a hub."""

    def __init__(self, crossing: Crossing) -> None:
        self.crossing = crossing
        view = crossing.view
        self.sides = [segment.sides[crossing.way] for segment in view.segments]
        self.tail = view.tails[crossing.way]
        self._dense = self.sides[0] if self.sides and self.sides[0].nodes is None else None
        self._later = view_of(view.later[crossing.way])

    def entries(self, node: int) -> Iterator[Entry]:
        """(other end, sixteen bits, number) of each row."""
        for side in self.sides:
            yield from side.entries(*side.span(node, self.crossing.beyond))
        yield from self.tail.get(node, ())

    def reached(
        self, nodes: Iterable[int], evidence: int, each: int = ANY, together: int = ANY
    ) -> list[int] | None:
        """The other end of each row from some nodes that makes its edge at least as well known; None when one
        of them has more than ``each``, or all have more than ``together`` rows of whatever code.
        """
        later, size, known = self._later, len(self._later), self._remembered(evidence)
        found: list[int] = []
        for node in nodes:
            step = known.get(node) if node < size and not later[node] else None
            rows, fars = step or self._step(node, evidence, each, known)
            together -= rows
            if rows > each or together < 0:
                return None
            found += fars
        return found

    def _remembered(self, evidence: int) -> dict[int, Step]:
        """The steps that are remembered: of the present, until bits of any row change."""
        crossing = self.crossing
        if self._dense is None or crossing.past:
            return {}
        return self._dense.remembered((crossing.looking, evidence), crossing.view.changes[0])

    def _step(self, node: int, evidence: int, each: int, known: dict[int, Step]) -> Step:
        """How many rows a node has, and where those lead that count. It is remembered of a node that has few,
        none of them later than the first segment, and none to be looked at closer.
        """
        rows = self.rows(node)
        if rows > each:
            return rows, []
        looking, counts = self.crossing.looking, self.crossing.counts
        entries = [entry for entry in self.entries(node) if looking[entry[1]]]
        step = rows, [far for far, short, number in entries if counts(short, number, evidence)]
        plain = node < len(self._later) and not self._later[node] and rows <= FEW
        if plain and not any(looking[short] & LOOK for _, short, _ in entries):
            known[node] = step
        return step

    def rows(self, node: int) -> int:
        """How many rows a node has, of whatever code."""
        spans = [side.span(node, True) for side in self.sides]
        return sum([end - begin for begin, end in spans]) + len(self.tail.get(node, ()))

    def gathered(self, nodes: Iterable[int], most: int) -> list[tuple[int, int, int]] | None:
        """(node, other end, sixteen bits) of each row that may be crossed from some nodes; None when more
        than ``most`` rows that the policy names were there.
        """
        crossing, named = self.crossing, self.crossing.named
        found: list[tuple[int, int, int]] = []
        rows = 0
        for node in nodes:
            for far, short, number in self.entries(node):
                if named[short] and crossing.visible(short, number):
                    rows += 1
                    if rows > most:
                        return None
                    if crossing.crossed(short, number):
                        found.append((node, far, short))
        return found

    def count(self, node: int) -> int:
        """How many rows a node has at most."""
        spans = [side.span(node, self.crossing.beyond) for side in self.sides]
        return sum(end - begin for begin, end in spans) + len(self.tail.get(node, ()))

    def neighbours(self, node: int, most: int) -> set[int]:
        """The nodes at the other ends of rows of the policy's codes that were there then, at most about so
        many.
        """
        crossing = self.crossing
        found: set[int] = set()
        for side in self.sides:
            begin, end = side.span(node, crossing.beyond)
            for first in range(begin, end, _AT_ONCE):
                if len(found) >= most:
                    return found
                found.update(self._named(side, first, min(first + _AT_ONCE, end)))
        for far, short, number in self.tail.get(node, ()):
            if crossing.named[short] and crossing.visible(short, number):
                found.add(far)
        return found

    def _named(self, side: Side, begin: int, end: int) -> list[int]:
        crossing = self.crossing
        words, number = side.word[begin:end], side.numbers(slice(begin, end))
        short = shorts_in(words)
        named = np.frombuffer(crossing.named, bool).take(short) & (number <= crossing.limit)
        for place in np.flatnonzero(named & ((short & RETIRED) > 0)).tolist():
            named[place] = crossing.visible(int(short[place]), int(number[place]))
        fars: list[int] = (words[named] & FAR).tolist()
        return fars

    def beyond(self, node: int, known: Set[int], most: int) -> int:
        """How many nodes not in ``known`` can be crossed to from a node, counted up to ``most``."""
        found: set[int] = set()
        crossing = self.crossing
        for far, short, number in self.entries(node):
            if far not in known and crossing.crossed(short, number):
                found.add(far)
                if len(found) >= most:
                    break
        return len(found)
