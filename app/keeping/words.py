"""How a policy is written: which bodies it is about (``class=message``), and how long (``90d``)."""

from __future__ import annotations

import re

from app.ledger.reports import rfc3339
from app.ledger.retaining import ACCESS, FIELDS, Keep, Policy
from provmodel.errors import BadQuestion, Refused
from provmodel.times import check, nanoseconds, to_the_second

BODIES = "all, or class=.., kind=.., run=.. or label=.. of bodies; access for the record of access"
KEEP = (
    "a length such as 30m, 12h, 90d, 6w or 5y (s, m, h, d, w; y is 365 days); until=2027-01-01T00:00:00Z;"
    " always; never: not stored"
)
_LENGTH = re.compile(r"(\d{1,9})([smhdwy])\Z")
_SECONDS = {"y": 365 * 86400, "w": 7 * 86400, "d": 86400, "h": 3600, "m": 60, "s": 1}
_UNITS = {"y": "year", "w": "week", "d": "day", "h": "hour", "m": "minute", "s": "second"}


def read_policy(policy: str, bodies: str, keep: str, by: str) -> Policy:
    """A policy in a person's words; raises BadQuestion."""
    field, _, value = bodies.partition("=")
    found = [one for one in (*FIELDS, ACCESS) if one == field]
    if not found:
        raise BadQuestion("bodies", f"it is {bodies!r}", f"give {BODIES}")
    way, amount = _read_keep(keep)
    return Policy(policy=policy, field=found[0], value=value, keep=way, amount=amount, actor=by)


def _read_keep(keep: str) -> tuple[Keep, int | None]:
    plain: dict[str, Keep] = {"always": "always", "never": "never"}
    if keep in plain:
        return plain[keep], None
    length = _LENGTH.match(keep)
    if length:
        return "for", int(length[1]) * _SECONDS[length[2]]
    if keep.startswith("until="):
        time = keep.removeprefix("until=")
        try:
            check(time)
        except Refused as error:
            remedy = "give until= and a time such as 2027-01-01T00:00:00Z"
            raise BadQuestion("keep", error.reason, remedy) from None
        return "until", nanoseconds(time) // 1000
    raise BadQuestion("keep", f"it is {keep!r}", f"give {KEEP}")


def bodies_of(policy: Policy) -> str:
    """Which bodies it is about, as :func:`read_policy` reads it."""
    return policy.field if not policy.value else f"{policy.field}={policy.value}"


def keep_of(policy: Policy) -> str:
    """How long they are kept, as :func:`read_policy` reads it."""
    match policy.keep:
        case "for":
            count, unit = _length(policy.amount or 0)
            return f"{count}{unit}"
        case "until":
            return f"until={rfc3339(policy.amount or 0)}"
        case "always" | "never":
            return policy.keep


def told(keep: str) -> str:
    """The same in a sentence: ``for 90 days``, ``until TIME``, ``always``, ``not at all``."""
    length = _LENGTH.match(keep)
    if length:
        count, unit = int(length[1]), _UNITS[length[2]]
        return f"for {count:,} {unit}{'' if count == 1 else 's'}"
    if keep.startswith("until="):
        return f"until {to_the_second(keep.removeprefix('until='))}"
    return "not at all" if keep == "never" else keep


def _length(seconds: int) -> tuple[int, str]:
    """In the greatest unit that it is a whole number of."""
    unit = next(unit for unit, many in _SECONDS.items() if seconds % many == 0 and (seconds or many == 1))
    return seconds // _SECONDS[unit], unit
