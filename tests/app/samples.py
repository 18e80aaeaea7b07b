"""An event of each type with every field filled, made from the Structs themselves."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import inspect

from provmodel.events import TYPES
from tests.app.faces import TIME

LEFT_OUT = frozenset({"epoch", "source_number", "base64", "json", "alg", "whole", "by_pointer", "withdraws"})
"""Fields that stand beside others that say the same, or number what a test does not count."""


def samples() -> dict[str, dict[str, Any]]:
    """By type, without what the envelope needs: id, source and time are the sender's."""
    return {tag: _struct(kind, tag) for tag, kind in TYPES.items()}


def _struct(kind: type, tag: str) -> dict[str, Any]:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    made = {
        field.encode_name: _value(field.type, field.encode_name, tag)
        for field in info.fields
        if field.encode_name not in LEFT_OUT
    }
    return {**made, "time": TIME}


def _value(kind: inspect.Type, name: str, tag: str) -> Any:
    match kind:
        case inspect.Metadata(type=inner):
            return _value(inner, name, tag)
        case inspect.UnionType(types=types):
            return _value(next(one for one in types if not isinstance(one, inspect.NoneType)), name, tag)
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.StrType(pattern=pattern):
            return TIME if pattern else f"{name.replace('_', '-')}:{tag}"
        case inspect.IntType(ge=least):
            return least or 1
        case inspect.FloatType():
            return 1.5
        case inspect.BoolType():
            return True
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner):
            return [_value(inner, name, tag)]
        case inspect.DictType(value_type=inner):
            return {"key": _value(inner, name, tag)}
        case inspect.StructType(cls=cls):
            return {name: value for name, value in _struct(cls, tag).items() if name in _names(cls)}
        case _:
            return "x"


def _names(cls: type) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(cls)}
