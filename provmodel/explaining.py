"""A decoder's complaint in the words of whoever sent the event: the field as a JSON pointer, the reason, the
remedy.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from provmodel.errors import Refused, one_of
from provmodel.events import TIME_PATTERN, TYPES
from provmodel.plainness import token

_PLACE = re.compile(r" - at (?:`key` in )?`\$(.*)`$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_FIELD = re.compile(r"^Object (missing required|contains unknown) field `(.*)`$", re.DOTALL)
_ENUM = re.compile(r"^Invalid enum value (.*)$", re.DOTALL)
_EXPECTED = re.compile(r"^Expected `([^`]+)`, got `([^`]+)`$")
_BOUND = re.compile(r"^Expected `\w+`( of length)? ([<>])=? ?(-?\d+)$")
_WORDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "None": "null",
    "array": "a list",
    "object": "an object",
}
_SHOWN = 12  # names listed in a remedy


class _Kind(msgspec.Struct):
    type: str = ""


_kind = msgspec.json.Decoder(_Kind)


def refusal(raw: bytes, message: str, kind: type | None = None) -> Refused:
    """What msgspec says of ``raw`` (an event, or a ``kind``), as a refusal."""
    steps, said = _parted(message)
    pointer = "".join(f"/{token(str(step))}" for step in steps)
    known = kind or TYPES.get(_type_of(raw))
    expected = _descend(known, steps)
    field = _FIELD.match(said)
    if field and field[1] == "missing required":
        return Refused(f"{pointer}/{token(field[2])}", "it is required and missing", _add(field[2]))
    if field:
        return Refused(
            f"{pointer}/{token(field[2])}", "there is no such field here", _near(field[2], expected)
        )
    if pointer == "/type":
        return Refused(pointer, "this is no type of event", f"use one of {', '.join(TYPES)}")
    return Refused(pointer, _reason(said), _remedy(said, expected))


def explained(message: str) -> tuple[str, str]:
    """The field that msgspec complains of ("": all that was given), and the reason in plain words."""
    steps, said = _parted(message)
    field = _FIELD.match(said)
    if field:
        missing = field[1] == "missing required"
        return str(field[2]), "it is required and missing" if missing else "there is no such field"
    return str(steps[0]) if steps else "", _reason(said)


def _parted(message: str) -> tuple[list[str | int], str]:
    """Where msgspec complains of something, step by step, and of what."""
    place = _PLACE.search(message)
    steps: list[str | int] = [name or int(index) for name, index in _STEP.findall(place[1])] if place else []
    return steps, message[: place.start()] if place else message


def _type_of(raw: bytes) -> str:
    try:
        return _kind.decode(raw).type
    except (msgspec.DecodeError, RecursionError):
        return ""


def _add(field: str) -> str:
    return f"add it: one of {', '.join(TYPES)}" if field == "type" else "add it"


def _near(field: str, expected: Any) -> str:
    names = (
        [known.encode_name for known in expected.fields] if isinstance(expected, inspect.StructType) else []
    )
    near = get_close_matches(field, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"leave it out; the fields are {_some(names)}" if names else "leave it out"


def _some(names: list[str]) -> str:
    rest = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + rest


def _reason(said: str) -> str:
    if TIME_PATTERN in said.replace("\\\\", "\\"):
        return "this is no time with a zone"
    if found := _ENUM.match(said):
        return f"{found[1]} is not offered"
    if found := _EXPECTED.match(said):
        kinds = " or ".join(_WORDS.get(word, word) for word in found[1].split(" | "))
        return f"{kinds} is expected, not {_WORDS.get(found[2], found[2])}"
    if found := _BOUND.match(said):
        return _beyond(bool(found[1]), found[2] == "<", found[3])
    said = said.replace("`", "")
    return said[:1].lower() + said[1:]


def _beyond(letters: bool, above: bool, bound: str) -> str:
    if not letters:
        return f"it is {'more' if above else 'less'} than {bound}"
    if bound == "1" and not above:
        return "it is empty"
    return f"it has {'more' if above else 'fewer'} than {bound} characters"


def _remedy(said: str, expected: Any) -> str:
    if TIME_PATTERN in said.replace("\\\\", "\\"):
        return "write it as in 2026-03-01T09:00:00Z"
    if "out of range" in said:
        return "send it as a string"
    for one in _alternatives(expected):
        if isinstance(one, inspect.LiteralType):
            return one_of(one.values)
        if isinstance(one, inspect.StructType):
            return f"send an object with {_some([field.encode_name for field in one.fields])}"
    return "send it as the event reference says"


def _alternatives(expected: Any) -> tuple[Any, ...]:
    return expected.types if isinstance(expected, inspect.UnionType) else (expected,)


def _descend(kind: type | None, steps: list[str | int]) -> Any:
    """The described type at the end of a path into ``kind``; ``None`` where the path leads out of what is
    described.
    """
    here: Any = _described(kind) if kind else None
    for step in steps:
        here = next((found for one in _alternatives(here) if (found := _inner(one, step))), None)
    return next((one for one in _alternatives(here) if isinstance(one, inspect.StructType)), here)


@cache
def _described(kind: type) -> Any:
    return inspect.type_info(kind)


def _inner(described: Any, step: str | int) -> Any:
    if isinstance(described, inspect.StructType):
        return next((field.type for field in described.fields if field.encode_name == step), None)
    if isinstance(described, inspect.VarTupleType | inspect.ListType) and isinstance(step, int):
        return described.item_type
    return described.value_type if isinstance(described, inspect.DictType) else None
