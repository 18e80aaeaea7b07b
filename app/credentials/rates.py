"""How fast a key may ask and send: a token bucket for each of requests, bytes and events.

What a request brings is known when it is read, so bytes and events are taken afterwards: a bucket may be in
debt, and the next request waits until it is not. Each process counts for itself.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from app.limits import Limits
from provmodel.errors import ClewError

SECONDS_SAVED = 2.0
"""A bucket holds what comes in so many seconds: a burst."""
KEPT = 4096
"""Keys that are remembered; one that is forgotten begins with full buckets."""


class TooFast(ClewError):
    """Who asks must wait; ``seconds`` is when to come again."""

    def __init__(self, what: str, most: int, seconds: int) -> None:
        super().__init__(f"more than {most} {what} a second of this key; come again in {seconds} s")
        self.seconds = seconds


class _Bucket:
    """Holds what may be taken at once; time fills it."""

    def __init__(self, rate: int, now: float) -> None:
        self.rate = rate
        self.level = rate * SECONDS_SAVED
        self.seen = now

    def filled(self, now: float) -> float:
        self.level = min(self.rate * SECONDS_SAVED, self.level + (now - self.seen) * self.rate)
        self.seen = now
        return self.level


class Rates:
    """The buckets of every key. Any number of threads may use it; a rate of 0 is no limit."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` gives seconds."""
        self._rates = {
            "requests": limits.requests_a_second,
            "bytes": limits.bytes_a_second,
            "events": limits.events_a_second,
        }
        self._clock = clock
        self._keys: OrderedDict[str, dict[str, _Bucket]] = OrderedDict()
        self._lock = Lock()

    def enter(self, key: str) -> None:
        """Let one request in; raises :class:`TooFast`. A key of "" is nobody's, and is not counted."""
        if not key:
            return
        now = self._clock()
        with self._lock:
            buckets = self._of(key, now)
            for what, bucket in buckets.items():
                wanted = 1 if what == "requests" else 0
                lacking = wanted - bucket.filled(now)
                if lacking > 0:
                    raise TooFast(what, bucket.rate, math.ceil(lacking / bucket.rate))
            if "requests" in buckets:
                buckets["requests"].level -= 1

    def spend(self, key: str, what: str, count: int) -> None:
        """Take so many ``bytes`` or ``events`` that came, whether or not they are there."""
        if not key or not self._rates[what]:
            return
        now = self._clock()
        with self._lock:
            bucket = self._of(key, now)[what]
            bucket.filled(now)
            bucket.level -= count

    def _of(self, key: str, now: float) -> dict[str, _Bucket]:
        found = self._keys.get(key)
        if found is None:
            found = {what: _Bucket(rate, now) for what, rate in self._rates.items() if rate}
            self._keys[key] = found
        self._keys.move_to_end(key)
        while len(self._keys) > KEPT:
            self._keys.popitem(last=False)
        return found
