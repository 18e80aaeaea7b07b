"""What JSON allows, or what parsers let pass, and an event may not hold.

Keys given twice, NaN and infinities, integers beyond 64 bits, lone surrogates, NUL and bottomless nesting are
read differently by different programs, or can't be kept by some store. So they are refused, with a JSON
pointer to the place. This is the slow and exact reader: it runs when a cheap sign says that something may be
there, or when a parse failed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from provmodel.errors import Refused, Unreadable

MAX_DEPTH = 512  # arrays and objects within each other, the event itself included; readers here may recurse
MIN_INTEGER, MAX_INTEGER = -(2**63), 2**64 - 1
_LONGEST_INTEGER = 21  # characters; a longer one is beyond 64 bits whatever its digits
_STEPS_SHOWN = 32  # of a pointer
_MOST_VISITED = 300_000  # values among which the place of a fault is looked for, some 0.5 s
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class _Pairs(list[tuple[str, Any]]):
    """An object as it was written, keys given twice included."""


class _Constant(str):
    """NaN, Infinity or -Infinity: words that JSON does not have."""


def check(raw: bytes) -> None:
    """Raise :class:`Refused` for the first thing in ``raw`` that an event may not hold, or
    :class:`Unreadable`.
    """
    whole = parse(raw)
    if not _is_suspicious(whole):
        return
    for pointer, value, depth in islice(_walk(whole), _MOST_VISITED):
        found = _fault(value, depth)
        if found:
            raise Refused("/".join(pointer.split("/", _STEPS_SHOWN)[:_STEPS_SHOWN]), *found)
    reason = "somewhere in it stands what not every reader reads alike: a key given twice, NUL, or a number"
    raise Refused("", f"{reason} beyond 64 bits", "send less at once, and the place is named")


def parse(raw: bytes) -> Any:
    """The JSON value in ``raw`` with objects as lists of pairs; raises :class:`Unreadable`, or
    :class:`Refused` when too deep.
    """
    try:
        return json.loads(
            raw.decode("utf-8"), object_pairs_hook=_Pairs, parse_constant=_Constant, parse_int=_integer
        )
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start}", "the text is not UTF-8", "send UTF-8") from None
    except json.JSONDecodeError as error:
        raise Unreadable(
            f"line {error.lineno} column {error.colno}",
            f"this is not JSON: {error.msg}",
            "send one JSON object an event",
        ) from None
    except RecursionError:
        raise Refused("", *too_deep()) from None


def too_deep() -> tuple[str, str]:
    """Reason and remedy for what is nested beyond the limit."""
    return f"it is nested more than {MAX_DEPTH} deep", "send the body as text, or flatten it"


def token(key: str) -> str:
    """``key`` as a reference token of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


def _integer(text: str) -> int | float:
    return int(text) if len(text) <= _LONGEST_INTEGER else MAX_INTEGER + 1


def _is_suspicious(root: Any) -> bool:
    """Whether there is any fault in a value: told level by level, without the places, so that millions of
    values take no longer than it takes to parse them.
    """
    level, depth = [root], 1
    while level:
        containers = [value for value in level if isinstance(value, list)]
        if depth > MAX_DEPTH and containers:
            return True
        if {type(value) for value in level} - _PLAIN or _has_odd_number(level):
            return True
        if _text_fault("".join([value for value in level if type(value) is str])):
            return True
        pairs = [value for value in containers if type(value) is _Pairs]
        if any(_key_fault([key for key, _ in value]) for value in pairs):
            return True
        level = [inner for value in containers if type(value) is list for inner in value]
        level += [inner for value in pairs for _, inner in value]
        depth += 1
    return False


_PLAIN = frozenset({str, int, float, bool, type(None), list, _Pairs})


def _has_odd_number(level: list[Any]) -> bool:
    numbers = [value for value in level if type(value) is int or type(value) is float]
    return bool(numbers) and any(_fault(value, 0) for value in (min(numbers), max(numbers)))


def _walk(root: Any) -> Iterator[tuple[str, Any, int]]:
    """Each value and each key with its pointer and depth, in the order of the text."""
    waiting: list[tuple[str, Any, int]] = [("", root, 1)]
    while waiting:
        pointer, value, depth = waiting.pop()
        yield pointer, value, depth
        if isinstance(value, _Pairs):
            waiting.extend((f"{pointer}/{token(key)}", inner, depth + 1) for key, inner in reversed(value))
        elif isinstance(value, list):
            waiting.extend(
                (f"{pointer}/{index}", value[index], depth + 1) for index in range(len(value) - 1, -1, -1)
            )


def _fault(value: Any, depth: int) -> tuple[str, str] | None:
    """Reason and remedy when ``value`` by itself (not what is in it) may not stand in an event."""
    match value:
        case _Constant():
            return f"{value} is no JSON number", "leave the field out, or send it as a string"
        case str():
            return _text_fault(value)
        case int() if not MIN_INTEGER <= value <= MAX_INTEGER:
            return "the integer does not fit into 64 bits", "send it as a string"
        case float() if math.isinf(value):
            return "the number is out of the range of a double", "send it as a string"
        case list() if depth > MAX_DEPTH:
            return too_deep()
        case _Pairs():
            return _key_fault([key for key, _ in value])
        case _:
            return None


def _text_fault(text: str) -> tuple[str, str] | None:
    if "\0" in text:
        return "the text holds a NUL (U+0000)", "send such content as base64"
    bad = _SURROGATE.search(text)
    if bad:
        return (
            f"the text holds half of a surrogate pair (U+{ord(bad[0]):04X})",
            "send whole characters, or base64",
        )
    return None


def _key_fault(keys: list[str]) -> tuple[str, str] | None:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            return f"the key {key!r} is given twice", "send each key once"
        fault = _text_fault(key)
        if fault:
            return fault
        seen.add(key)
    return None
