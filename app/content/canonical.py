"""The canonical form of a JSON value (RFC 8785), and its leaves.

msgspec writes almost that form some fifty times faster than the ``rfc8785`` library, and differs only in
how it writes floats and in how it orders keys outside ASCII. So msgspec writes, and the library spells the
floats. One thing goes beyond the RFC: an integer that a double can't hold is written with all its digits,
where the RFC would round it, so that two order numbers of 17 digits stay two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
import rfc8785

MAX_LEAVES = 256
MAX_POINTER = (
    2048  # characters, as in an event's own pointers; a long key would else be repeated by each leaf under it
)
_PLAIN = frozenset({str, int, bool, type(None)})  # what msgspec writes as RFC 8785 does
_CONTAINERS = frozenset({dict, list, tuple})

_sorted = msgspec.json.Encoder(order="deterministic")
_as_it_stands = msgspec.json.Encoder()


def canonical(value: Any) -> bytes:
    """The RFC 8785 form of a JSON value made of dict, list, str, int, float, bool and None.

    Raises ``ValueError`` for NaN, infinities and lone surrogates, ``RecursionError`` for bottomless nesting.
    """
    kind = type(value)
    if kind in _PLAIN:
        return _sorted.encode(value)
    return _as_it_stands.encode(_spelled(value))


def number(value: float) -> bytes:
    """The RFC 8785 form of a float; Python writes the same digits, and another exponent."""
    text = repr(value)
    if "e" in text or "n" in text or value == 0:  # 1e-07, nan, inf, -0.0
        return rfc8785.dumps(value)
    return text.removesuffix(".0").encode()


class Leaves(NamedTuple):
    """Leaves of a JSON value as (JSON pointer, value), an empty array or object being one.

    ``plain`` says that msgspec writes all floats of the value as RFC 8785 does, ``skipped`` which leaves are
    not here ("" when all are; else ``plain`` is not said).
    """

    found: list[tuple[str, Any]]
    plain: bool
    skipped: str


NO_LEAVES = Leaves([], True, "")


def leaves(root: Any) -> Leaves:
    """The leaves of a JSON value in the order of their keys; neither many nor long ones cost without bound.

    Raises ``ValueError`` for NaN and infinities.
    """
    found: list[tuple[str, Any]] = []
    plain, skipped = True, ""
    if not root or type(root) not in _CONTAINERS:
        return Leaves([("", root)], type(root) is not float or _is_plain(root), "")
    waiting = [("", _members(root))]
    while waiting:
        inside, members = waiting[-1]
        for key, value in members:
            pointer = f"{inside}/{key}"
            kind = type(value)
            if len(pointer) > MAX_POINTER:
                skipped = f"leaves whose pointer has over {MAX_POINTER} characters"
            elif value and kind in _CONTAINERS:
                waiting.append((pointer, _members(value)))
                break
            elif len(found) == MAX_LEAVES:
                return Leaves(found, False, f"leaves after the first {MAX_LEAVES}")
            else:
                found.append((pointer, value))
                plain = plain and (kind is not float or _is_plain(value))
        else:
            waiting.pop()
    return Leaves(found, plain and not skipped, skipped)


def canonical_of(value: Any, its: Leaves) -> bytes:
    """As :func:`canonical`, for a value whose leaves are known."""
    if its.plain:
        form = _sorted.encode(value)
        if form.isascii() or all(pointer.isascii() for pointer, _ in its.found):
            return form
    return canonical(value)


def _is_plain(value: float) -> bool:
    return _sorted.encode(value) == number(value)


def _members(value: Any) -> Iterator[tuple[str | int, Any]]:
    """The members of an array or object with their reference tokens (RFC 6901)."""
    if not isinstance(value, dict):
        return enumerate(value)
    names = "".join(value)
    if "~" in names or "/" in names:
        return iter([(key.replace("~", "~0").replace("/", "~1"), value[key]) for key in sorted(value)])
    return iter(sorted(value.items()))


def _spelled(value: Any) -> Any:
    """The same value with floats spelled and keys in order of their UTF-16 code units; one frame a level,
    for deep values.
    """
    if isinstance(value, dict):
        spelled = {}
        for key in sorted(value, key=_utf16):
            spelled[key] = _spelled(value[key])
        return spelled
    if isinstance(value, (list, tuple)):
        items = []
        for item in value:
            items.append(_spelled(item))  # noqa: PERF401 (a comprehension would be a second frame)
        return items
    return msgspec.Raw(number(value)) if isinstance(value, float) else value


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be")
