"""Values as documents give them: which times are times, which languages are languages."""

from __future__ import annotations

import re

from provmodel.document import PROV_LANG_STRING, RDF_LANG_STRING, XSD_STRING
from provmodel.documents.faults import Trouble, shown

# XSD 1.1 part 2, 3.3.7; a second 60 (a leap second) is tolerated, as calendars have them.
_DATETIME = re.compile(
    r"(-?(?:[1-9][0-9]{3,}|0[0-9]{3}))-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T(?:([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(\.[0-9]+)?|(24):00:00(?:\.0+)?)"
    r"(Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
).fullmatch
_DATE = re.compile(r"(-?[0-9]{4,}-[0-9]{2}-[0-9]{2})(Z|[+-][0-9]{2}:[0-9]{2})?").fullmatch
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*").fullmatch
_LONGEST_TIME = 64  # characters
MINUTES_A_DAY = 1440

TEXT_TYPES = frozenset({"", XSD_STRING, PROV_LANG_STRING, RDF_LANG_STRING})
"""The datatypes that a text with a language may have been given."""


class Times(dict[str, str]):
    """Lexical forms of xsd:dateTime that were found right. A look-up gives the form as it is, or raises
    :class:`Trouble`.
    """

    def __missing__(self, text: str) -> str:
        if not is_datetime(text):
            raise Trouble(
                f"{shown(text)} is no xsd:dateTime",
                "write year, month, day, T, hour, minute, second, and best a zone: 2024-03-10T02:30:00Z",
            )
        if len(self) < 1 << 16:
            self[text] = text
        return text


def is_datetime(text: str) -> bool:
    """True for a lexical form of xsd:dateTime (XSD 1.1) that is in the calendar; leap seconds count too."""
    found = len(text) <= _LONGEST_TIME and _DATETIME(text)
    if not found:
        return False
    year, month, day = int(found[1]), int(found[2]), int(found[3])
    return day <= _DAYS[month - 1] and (month != 2 or day < 29 or _is_leap(year))


def is_date(text: str) -> bool:
    """True for a lexical form of xsd:date that is in the calendar."""
    day = _DATE(text)
    return day is not None and is_datetime(f"{day[1]}T00:00:00{day[2] or ''}")


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def instant(text: str) -> tuple[int, int, str, bool] | None:
    """When a dateTime is: minutes since 1 January 1970 (in its own zone when it names none), seconds, digits
    of the fraction, and whether it names a zone. Of two with a zone the lesser tuple is the earlier. None for
    what is no dateTime.
    """
    found = _DATETIME(text) if is_datetime(text) else None
    if found is None:
        return None
    days = days_since_1970(int(found[1]), int(found[2]), int(found[3])) + bool(found[8])
    minutes = days * MINUTES_A_DAY + int(found[4] or 0) * 60 + int(found[5] or 0) - _offset(found[9] or "Z")
    return minutes, int(found[6] or 0), (found[7] or "").lstrip(".").rstrip("0"), found[9] is not None


def normal_time(text: str) -> str:
    """One text for all lexical forms of a moment: in UTC, or without a zone when none is named. What is no
    dateTime stays as it is.
    """
    when = instant(text)
    if when is None:
        return text
    minutes, seconds, fraction, zoned = when
    days, minute = divmod(minutes, MINUTES_A_DAY)
    year, month, day = date_of(days)
    clock = f"{minute // 60:02}:{minute % 60:02}:{seconds:02}{'.' if fraction else ''}{fraction}"
    return f"{'-' if year < 0 else ''}{abs(year):04}-{month:02}-{day:02}T{clock}{'Z' if zoned else ''}"


def _offset(zone: str) -> int:
    if zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[4:6])
    return -minutes if zone[0] == "-" else minutes


def days_since_1970(year: int, month: int, day: int) -> int:
    """Days from 1 January 1970 in the proleptic Gregorian calendar, for any year."""
    shifted = year - (month <= 2)  # a year that ends in February keeps the leap day last
    era, in_era = divmod(shifted, 400)
    in_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + in_era * 365 + in_era // 4 - in_era // 100 + in_year - 719468


def date_of(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days since 1 January 1970."""
    era, in_era = divmod(days + 719468, 146097)
    year = (in_era - in_era // 1460 + in_era // 36524 - in_era // 146096) // 365
    in_year = in_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * in_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + year + (month <= 2), month, in_year - (153 * shifted + 2) // 5 + 1


def language(tag: str) -> str:
    """A language tag in the form of BCP 47 (``en_US`` becomes ``en-US``); raises :class:`Trouble`."""
    kept = tag.strip().replace("_", "-")
    if kept and not _LANGUAGE(kept):
        raise Trouble(f"{shown(tag)} is no language tag", "use one of BCP 47, such as en-GB")
    return kept
