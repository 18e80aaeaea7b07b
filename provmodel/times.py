"""RFC 3339 times as producers send them: kept as text, compared as instants (never as strings)."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from provmodel.errors import Refused

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 24 * 60 * 60 * 10**9


@lru_cache(4096)  # each time of an event is asked for several times while it is recorded
def nanoseconds(text: str) -> int:
    """Nanoseconds since 1970-01-01T00:00:00Z of an RFC 3339 time (up to nine digits; a leap second counts as
    the next second).

    Raises ValueError for a time that is not in the calendar.
    """
    leap = text[17:19] == "60"
    if leap:
        text = f"{text[:17]}59{text[19:]}"
    since = datetime.fromisoformat(text) - _EPOCH
    whole = since.days * _DAY + since.seconds * 1_000_000_000 + since.microseconds * 1000
    if leap:
        whole += 1_000_000_000
    if len(text) > 26 and text[19] == ".":
        digits = text[20:29].rstrip("Z").partition("+")[0].partition("-")[0]
        whole += int(digits[6:].ljust(3, "0") or 0)
    return whole


def check(text: str) -> None:
    """Raise :class:`Refused` when ``text`` has the form of a time but is none (30 February, hour 25)."""
    try:
        nanoseconds(text)
    except ValueError as error:
        raise Refused(
            "", f"{text!r} is not a time: {error}", "send RFC 3339, such as 2026-03-01T09:00:00Z"
        ) from None
