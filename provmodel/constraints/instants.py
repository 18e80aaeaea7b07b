"""Times as XML Schema 1.1 has them (``xsd:dateTime``, part 2, section 3.3.7), compared as instants.

A time without a zone may be up to fourteen hours off from one with a zone, so two such times are in order
only when they are further apart than that. What isn't a time is compared with nothing.
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

_TIME = re.compile(
    r"(-?\d{4,9})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?", re.ASCII | re.IGNORECASE
)
_DAY = 86_400
_CYCLE = 400  # years after which the calendar repeats
_DAYS_IN_CYCLE = 146_097
_WIDEST_OFFSET = 14 * 3600

Instant = tuple[int, str]
"""Seconds since the beginning of year 1, and the digits of the fraction without trailing zeros: instants
compare as tuples do."""


class Reading(NamedTuple):
    """A time: whether it has a zone, and its instant (as if in UTC, where it has none)."""

    zoned: bool
    instant: Instant


def read(text: str) -> Reading | None:
    """The time that ``text`` gives, or None when it gives none (an impossible date, a date alone)."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        days = _days(int(year), int(month), int(day))
    except ValueError:
        return None
    h, m, s = int(hour), int(minute), int(second)
    digits = (fraction or "").rstrip("0")
    if not _on_the_clock(h, m, s, digits):
        return None
    seconds = days * _DAY + h * 3600 + m * 60 + s - (_offset(zone) if zone else 0)
    return Reading(zone is not None, (seconds, digits))


def _days(year: int, month: int, day: int) -> int:
    """Days since the beginning of year 1; any year, also before it."""
    cycles, year_in_cycle = divmod(year - 1, _CYCLE)
    return date(year_in_cycle + 1, month, day).toordinal() + cycles * _DAYS_IN_CYCLE


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
    if one.zoned == other.zoned:
        return one.instant < other.instant
    return (one.instant[0] + _WIDEST_OFFSET, one.instant[1]) < other.instant


def differ(one: str, other: str) -> bool:
    """True when two times as written are certainly different instants."""
    if one == other:
        return False
    first, second = read(one), read(other)
    return first is not None and second is not None and (before(first, second) or before(second, first))
