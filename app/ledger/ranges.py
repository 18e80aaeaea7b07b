"""Sets of row codes as ranges: a flow class is one, so most walks seek once for each node."""

from __future__ import annotations

from functools import lru_cache

from provmodel.relations import Flow, codes_of

Range = tuple[int, int]
"""First and last code, both included."""

_PLACES = {code: place for place, code in enumerate(codes_of(frozenset(Flow)))}


@lru_cache(256)
def ranges_of(codes: tuple[int, ...]) -> tuple[Range, ...]:
    """The fewest ranges that hold these codes and no other one, ascending."""
    ranges: list[Range] = []
    for code in sorted(set(codes)):
        if ranges and _PLACES.get(code, -1) == _PLACES.get(ranges[-1][1], -1) + 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return tuple(ranges)
