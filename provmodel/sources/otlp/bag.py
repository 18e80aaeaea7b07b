"""A span's attributes while they are read: what is taken is understood, and what is left is reported.

OpenInference writes lists of objects as flat keys, ``llm.input_messages.0.message.role``; :meth:`Bag.items`
puts them together again, in the order of their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from provmodel.sources.otlp.wire import Value

_INDEX = re.compile(r"(0|[1-9]\d{0,8})\.(.+)", re.ASCII | re.DOTALL)  # more digits number no list
_NUMBERS = re.compile(r"\.\d+(?=\.|$)")
_LONGEST_KEY = 200  # characters of a key that a report shows
_MOST_LEVELS = 16  # dots of a key that make levels; what follows stays one name


class Item(Struct, frozen=True):
    """One element of a flattened list: its number, and its fields by the rest of their keys."""

    index: int
    fields: dict[str, Value]

    def pop_text(self, key: str) -> str | None:
        """The field, taken, when it is a string with something in it."""
        return _pop_text(self.fields, key)


def _pop_text(fields: dict[str, Value], key: str) -> str | None:
    value = fields.get(key)
    if not isinstance(value, str) or not value:
        return None
    del fields[key]
    return value


class Bag:
    """The attributes of one span."""

    def __init__(self, attributes: dict[str, Value]) -> None:
        self._left = dict(attributes)
        self._lists: dict[str, list[Item]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def pop(self, key: str) -> Value:
        """The attribute, taken; ``None`` when it is absent or null."""
        return self._left.pop(key, None)

    def peek(self, key: str) -> Value:
        """The attribute, left where it is: more of it than was used is still to be reported."""
        return self._left.get(key)

    def flat(self) -> Iterator[tuple[str, Value]]:
        """The attributes that are no list elements taken by :meth:`items`, as they stand."""
        return iter(self._left.items())

    def pop_text(self, *keys: str) -> str | None:
        """The first of ``keys`` that is a string with something in it, taken."""
        for key in keys:
            value = _pop_text(self._left, key)
            if value is not None:
                return value
        return None

    def items(self, prefix: str) -> list[Item]:
        """The elements of the list under ``prefix``, by number. A field is understood once it is popped."""
        if prefix not in self._lists:
            self._lists[prefix] = indexed(self._left, prefix)
        return self._lists[prefix]

    def left(self) -> Iterator[tuple[str, Value]]:
        """What nobody took; numbers in keys are written ``*``."""
        for key, value in self._left.items():
            yield shape(key), value
        for prefix, items in self._lists.items():
            for item in items:
                for key, value in item.fields.items():
                    yield shape(f"{prefix}.{item.index}.{key}"), value


def indexed(fields: dict[str, Value], prefix: str) -> list[Item]:
    """Take the elements of the list under ``prefix`` out of ``fields``."""
    found: dict[int, dict[str, Value]] = {}
    start = f"{prefix}."
    for key in [key for key in fields if key.startswith(start)]:
        match = _INDEX.fullmatch(key, len(start))
        if match:
            found.setdefault(int(match[1]), {})[match[2]] = fields.pop(key)
    return [Item(index, found[index]) for index in sorted(found)]


def missing(indexes: Iterable[int]) -> str:
    """The numbers that ascending ``indexes`` leave out, such as ``3 to 8``; empty when there are none."""
    gaps = []
    expected = 0
    for index in indexes:
        if index > expected:
            gaps.append(str(expected) if index - 1 == expected else f"{expected} to {index - 1}")
        expected = index + 1
    return ", ".join(gaps)


def shape(key: str) -> str:
    """``key`` with its numbers as ``*``, so that all elements of a list count as one."""
    return _NUMBERS.sub(".*", key[:_LONGEST_KEY])


def nested(fields: dict[str, Value]) -> dict[str, Value]:
    """Dotted keys as objects within objects.

    A name that repeats the one before it, as in ``image.image.url``, stands once.
    """
    root: dict[str, Value] = {}
    for key in sorted(fields):
        _put(root, key, fields[key])
    return root


def _put(place: dict[str, Value], key: str, value: Value) -> None:
    names = key.split(".", _MOST_LEVELS)
    *path, last = [name for index, name in enumerate(names) if index == 0 or name != names[index - 1]]
    for depth, name in enumerate(path):
        inner = place.setdefault(name, {})
        if not isinstance(inner, dict):  # a value stands where an object would
            last = ".".join((*path[depth:], last))
            break
        place = inner
    place[key if last in place else last] = value
