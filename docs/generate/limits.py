"""``reference/limits.md``: how much is taken, and how fast."""

from __future__ import annotations

from collections.abc import Iterator

from app.limits import LIMITS, Limits
from docs.generate.markdown import document, made, table


def page() -> str:
    """The page."""
    return document(_lines())


def _lines() -> Iterator[str]:
    yield made("app/limits.py")
    yield from ("", "# Limits", "", *_BEFORE, "")
    usual = Limits()
    rows = [
        (one.what, f"`{one.variable}`", f"{getattr(usual, one.field):,}", str(one.status), one.remedy)
        for one in LIMITS
    ]
    yield from table(("limit", "variable", "left out", "answer", "what to do"), rows)
    yield from (*_AFTER, "")


_BEFORE = (
    "Each is set in the environment of the server, and read when it starts. A rate of 0 is no limit. What",
    "the model itself allows can be made less, not more.",
)
_AFTER = (
    "Rates are counted for each key or token by each server process, over two seconds: a burst passes. What",
    "is too fast answers 429 with `Retry-After`. A server that asks nobody for a key counts no rates. When",
    "the time for a walk is over, that is no error: the answer says that it was cut, and where it goes on.",
)
