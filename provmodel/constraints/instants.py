"""Times as XML Schema 1.1 has them (``xsd:dateTime``, part 2, section 3.3.7), compared as instants.

A time without a zone may be up to fourteen hours off from one with a zone, so two such times are in order
only when they are further apart than that. What isn't a time is compared with nothing.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

_TIME = re.compile(
    r"(-?\d{4,9}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?", re.ASCII | re.IGNORECASE
)
_DAY = 86_400
_CYCLE = 400  # years after which the calendar repeats
_DAYS_IN_CYCLE = 146_097
_DAYS_KEPT = 1024  # documents give times of few days
_WIDEST_OFFSET = 14 * 3600

Instant = tuple[int, str]
"""Seconds since the beginning of year 1, and the digits of the fraction without trailing zeros: instants
compare as tuples do."""


Reading = tuple[bool, Instant]
"""A time: whether it has a zone, and its instant (as if in UTC, where it has none)."""


def read(text: str) -> Reading | None:
    """The time that ``text`` gives, or None when it gives none (an impossible date, a date alone)."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    day, hour, minute, second, fraction, zone = found.groups()
    days = _days(day)
    h, m, s = int(hour), int(minute), int(second)
    digits = fraction.rstrip("0") if fraction else ""
    if days is None or not _on_the_clock(h, m, s, digits):
        return None
    seconds = days * _DAY + h * 3600 + m * 60 + s - (_offset(zone) if zone else 0)
    return zone is not None, (seconds, digits)


@lru_cache(maxsize=_DAYS_KEPT)
def _days(day: str) -> int | None:
    """Days since the beginning of year 1, of any year, also before it; None for no day of the calendar."""
    cycles, year_in_cycle = divmod(int(day[:-6]) - 1, _CYCLE)
    try:
        return date(year_in_cycle + 1, int(day[-5:-3]), int(day[-2:])).toordinal() + cycles * _DAYS_IN_CYCLE
    except ValueError:
        return None


def _on_the_clock(hour: int, minute: int, second: int, digits: str) -> bool:
    """24:00:00 is the end of a day; second 60 is a leap second, which counts as the next one."""
    if hour == 24:
        return not (minute or second or digits)
    return hour < 24 and minute < 60 and second <= 60


def _offset(zone: str) -> int:
    if len(zone) == 1:
        return 0
    seconds = int(zone[1:3]) * 3600 + int(zone[4:6]) * 60
    return -seconds if zone[0] == "-" else seconds


def before(one: Reading, other: Reading) -> bool:
    """True when ``one`` is certainly before ``other``."""
    (zoned, instant), (other_zoned, other_instant) = one, other
    if zoned == other_zoned:
        return instant < other_instant
    return (instant[0] + _WIDEST_OFFSET, instant[1]) < other_instant
