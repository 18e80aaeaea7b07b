"""What was read of a tenant as of one seq: reads that a committed seq bounds say the same for good, so to ask
again as of it, in one answer or in the next, costs no query.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

REMEMBERED = 4_000
"""What is kept of events and the like at most, some 3 kB each; beyond it the memory starts afresh."""


class Once:
    """Whatever was read, by what was asked for; ``size`` is how much of it there is."""

    def __init__(self, as_of: int) -> None:
        self.as_of = as_of
        self.size = 0
        self._known: dict[Hashable, dict[Any, Any]] = {}

    @property
    def full(self) -> bool:
        return self.size > REMEMBERED

    def of(self, what: Hashable, keys: Sequence[K], read: Callable[[list[K]], Mapping[K, V]]) -> dict[K, V]:
        """What there is under each key; ``read`` gives it for those that nobody asked about yet."""
        known: dict[K, V | None] = self._known.setdefault(what, {})
        missing = [key for key in keys if key not in known]
        if missing:
            missing = list(dict.fromkeys(missing))
            found = read(missing)
            known.update({key: found.get(key) for key in missing})
            self.size += len(missing) + sum([len(each) for each in found.values() if isinstance(each, list)])
        return {key: value for key in keys if (value := known[key]) is not None}
