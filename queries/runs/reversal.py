"""Steps that two runs have in opposite order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from queries.runs.order import Order
from queries.runs.verdicts import DIFFERS, Aspect


class Reversal:
    """Pairs of steps that the two runs have in opposite order."""

    def __init__(self, orders: Sequence[Order], pairs: dict[int, int]) -> None:
        self._orders, self._pairs = orders, pairs
        back = {other: one for one, other in pairs.items()}
        self._causes = [_mapped(bits, back) for bits in orders[1].causes]
        self._earlier = [_mapped(bits, back) for bits in orders[1].earlier]
        self._later = _turned(orders[0].causes)
        self._after = _turned(orders[0].earlier)

    def of(self, number: int) -> list[Aspect]:
        """The steps that come after this one in the first run, and before it in the second."""
        other = self._pairs[number]
        causal = self._later[number] & self._causes[other]
        told = (
            (self._later[number] | self._after[number])
            & (self._causes[other] | self._earlier[other])
            & ~causal
        )
        steps = self._orders[0].steps
        found = [steps[n].ref for n in _bits(causal | told)]
        if not found:
            return []
        basis = "causal" if causal else "source_order"
        why = f"{steps[number].ref} came before {', '.join(found)} in the first, after in the second"
        return [Aspect(name="order", state=DIFFERS, first=tuple(found), why=why, basis=basis)]


def _mapped(bits: int, numbers: dict[int, int]) -> int:
    return sum(1 << numbers[n] for n in _bits(bits) if n in numbers)


def _turned(sets: Sequence[int]) -> list[int]:
    turned = [0] * len(sets)
    for number, bits in enumerate(sets):
        for other in _bits(bits):
            turned[other] |= 1 << number
    return turned


def _bits(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
