"""Counts in the text format of Prometheus (version 0.0.4)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds
Labels = tuple[tuple[str, str], ...]
Sample = tuple[Labels, float]


class Metrics:
    """What this process has served. Counted in the event loop's thread alone."""

    def __init__(self) -> None:
        self._requests: Counter[Labels] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}
        self._items: Counter[str] = Counter()

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request is answered; ``route`` is its pattern, "" when none fits."""
        self._requests[("method", method), ("route", route), ("status", str(status))] += 1
        buckets = self._buckets.setdefault(route, [0] * (len(BOUNDS) + 1))
        buckets[bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] = self._seconds.get(route, 0.0) + seconds

    def items(self, statuses: Iterable[str]) -> None:
        """Items of a delivery have become this."""
        self._items.update(statuses)

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Everything, with what the caller measured just now: name -> (help, value)."""
        parts = [
            _family("clew_http_requests_total", "counter", "Requests answered.", self._requests.items()),
            _family(
                "clew_items_total", "counter", "Items delivered, by what became of them.", self._by_status()
            ),
            _family("clew_http_request_seconds", "histogram", "Time from request to answer.", ()),
            self._histogram(),
        ]
        for name, (text, value) in gauges.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            parts.append(_family(name, kind, text, [((), value)]))
        return "".join(line + "\n" for part in parts for line in part)

    def _by_status(self) -> Iterator[Sample]:
        return (((("status", status),), count) for status, count in self._items.items())

    def _histogram(self) -> Iterator[str]:
        name = "clew_http_request_seconds"
        for route, buckets in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip([*map(str, BOUNDS), "+Inf"], buckets, strict=True):
                total += count
                yield _line(f"{name}_bucket", (("route", route), ("le", bound)), total)
            yield _line(f"{name}_sum", (("route", route),), self._seconds[route])
            yield _line(f"{name}_count", (("route", route),), total)


def _family(name: str, kind: str, text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"
    for labels, value in sorted(samples):
        yield _line(name, labels, value)


def _line(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
    return f"{name}{{{inside}}} {value:.15g}" if inside else f"{name} {value:.15g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
