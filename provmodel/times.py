"""RFC 3339 times as producers send them: kept as text, compared as instants (never as strings)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

from provmodel.errors import Refused

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 24 * 60 * 60 * 10**9


_FRACTION = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.\d+Z")


def to_the_second(text: str) -> str:
    """A time as people are told it, without what is below a second; any other text as it is."""
    found = _FRACTION.fullmatch(text)
    return f"{found[1]}Z" if found else text


@lru_cache(4096)  # each time of an event is asked for several times while it is recorded
def nanoseconds(text: str) -> int:
    """Nanoseconds since 1970-01-01T00:00:00Z of an RFC 3339 time (up to nine digits; a leap second counts as
    the next second).

    Raises ValueError, in a few words, for what is no time with a zone, or not in the calendar.
    """
    leap = text[17:19] == "60"
    if leap:
        text = f"{text[:17]}59{text[19:]}"
    since = _moment(text) - _EPOCH
    whole = since.days * _DAY + since.seconds * 1_000_000_000 + since.microseconds * 1000
    if leap:
        whole += 1_000_000_000
    if len(text) > 26 and text[19] == ".":
        digits = text[20:29].rstrip("Z").partition("+")[0].partition("-")[0]
        whole += int(digits[6:].ljust(3, "0") or 0)
    return whole


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        said = str(error)
        raise ValueError("it has not that form" if "isoformat" in said else said) from None
    if found.tzinfo is None:
        raise ValueError("it has no zone")
    return found


def check(text: str) -> None:
    """Raise :class:`Refused` when ``text`` has the form of a time but is none (30 February, hour 25)."""
    try:
        nanoseconds(text)
    except ValueError as error:
        raise Refused(
            "", f"{text!r} is not a time: {error}", "send RFC 3339, such as 2026-03-01T09:00:00Z"
        ) from None
