"""JSON text as it was written: numbers keep their digits, and a key that stands twice is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from provmodel.documents.faults import shown
from provmodel.errors import Unreadable

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]").search
_SURROGATE = re.compile("[\ud800-\udfff]").search
_MOST_STEPS = 32  # of a pointer that is shown
_LONGEST_STEP = 200  # characters


class Integer(str):
    """The digits of an integer."""

    __slots__ = ()


class Real(str):
    """The characters of a number with a fraction or an exponent."""

    __slots__ = ()


class _Twice(Exception):
    """A key stands twice in one object."""


class _Pairs(list[tuple[str, Any]]):
    """An object as it was written."""


def pointer(*steps: str | int) -> str:
    """A JSON pointer (RFC 6901)."""
    shown = [str(step)[:_LONGEST_STEP] for step in steps[:_MOST_STEPS]]
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in shown)


def parse(data: bytes) -> Any:
    """The value in ``data``: objects are dicts, numbers are :class:`Integer` or :class:`Real`.

    Raises :class:`Unreadable` with line and column, or a pointer to what stands twice.
    """
    text = _decoded(data)
    if not text.strip():
        raise Unreadable("line 1 column 1", "there is nothing in it", "send a JSON object, at least {}")
    try:
        found = _loaded(text, _object)
    except _Twice:
        _refuse_worst(text)
    if _SURROGATE_ESCAPE(text):
        _check(text)
    return found


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start}", "the text is not UTF-8", "send UTF-8") from None


def _loaded(text: str, hook: Any) -> Any:
    try:
        return json.loads(
            text, object_pairs_hook=hook, parse_int=Integer, parse_float=Real, parse_constant=_no_number
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise Unreadable(where, f"this is not JSON: {error.msg}", "correct it there") from None
    except RecursionError:
        raise Unreadable("the beginning", "it is nested too deep", "PROV-JSON needs six levels") from None


def _no_number(word: str) -> NoReturn:
    raise Unreadable(word, f"{word} is no JSON number", f'write {{"$": "{word}", "type": "xsd:double"}}')


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Twice
    return found


def _refuse_worst(text: str) -> NoReturn:
    """Say which key stands twice."""
    _check(text)
    raise AssertionError("no key stands twice")


def _check(text: str) -> None:
    """Raise for the first key that stands twice, or half of a surrogate pair, in the order of the text."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), _loaded(text, _Pairs))]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            if _SURROGATE(value):
                raise Unreadable(pointer(*path), "half of a surrogate pair is no character", "send the whole")
        elif isinstance(value, list):
            waiting.extend(reversed([((*path, step), one) for step, one in _parts(path, value)]))


def _parts(path: tuple[str | int, ...], value: list[Any]) -> Iterator[tuple[str | int, Any]]:
    if not isinstance(value, _Pairs):
        yield from enumerate(value)
        return
    seen: set[str] = set()
    for key, one in value:
        if key in seen:
            where, remedy = pointer(*path, key), "give both values in one array, or remove one"
            raise Unreadable(where, f"the key {shown(key)} stands twice in one object", remedy)
        if _SURROGATE(key):
            raise Unreadable(pointer(*path), "half of a surrogate pair is no character", "send the whole")
        seen.add(key)
        yield key, one
