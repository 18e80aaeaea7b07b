"""Types of Structs in plain words, as a reader of a reference wants them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec import inspect


def fields(struct: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    """The fields of a Struct, those of its bases last."""
    info = inspect.type_info(struct)
    if not isinstance(info, inspect.StructType):
        raise TypeError(f"{struct} is no Struct")
    return info.fields


def spell(kind: inspect.Type, names: dict[type, str] | None = None) -> str:
    """A type in words: ``text``, ``list of Ref``, ``one of allow, deny``. ``names`` are of Structs."""
    return " or ".join(dict.fromkeys(_spell(kind, names or {})))


def _spell(kind: inspect.Type, names: dict[type, str]) -> Iterator[str]:
    match kind:
        case inspect.Metadata():
            described = str((kind.extra_json_schema or {}).get("description", ""))
            yield from ("id",) if described.startswith("An id") else _spell(kind.type, names)
        case inspect.UnionType():
            for one in kind.types:
                if not isinstance(one, inspect.NoneType):
                    yield from _spell(one, names)
        case inspect.LiteralType():
            yield f"one of {', '.join(f'`{value}`' for value in kind.values)}"
        case inspect.StructType():
            yield names.get(kind.cls, kind.cls.__name__)
        case inspect.VarTupleType() | inspect.ListType():
            yield f"list of {spell(kind.item_type, names)}"
        case inspect.DictType():
            plain = isinstance(kind.value_type, inspect.UnionType)
            yield "object" if plain else f"object of {spell(kind.value_type, names)}"
        case inspect.StrType():
            yield "time" if kind.pattern and "T" in kind.pattern else "text"
        case inspect.IntType():
            yield _whole(kind)
        case inspect.AnyType():
            yield "any JSON value"
        case _:
            yield re.sub(r"Type$", "", type(kind).__name__).lower().replace("bool", "true or false")


def structs(kind: inspect.Type) -> Iterator[type[msgspec.Struct]]:
    """The Structs that a type is made of, not those inside them."""
    match kind:
        case inspect.StructType():
            yield kind.cls
        case inspect.Metadata():
            yield from structs(kind.type)
        case inspect.UnionType():
            for one in kind.types:
                yield from structs(one)
        case inspect.VarTupleType() | inspect.ListType():
            yield from structs(kind.item_type)
        case inspect.DictType():
            yield from structs(kind.value_type)
        case _:
            return


def _whole(kind: inspect.IntType) -> str:
    return "number" if kind.ge is None or kind.ge < 0 else f"number from {kind.ge}"


def default(field: inspect.Field) -> str:
    """What stands when a field is left out; nothing for none."""
    if field.required or field.default in (None, (), "", False, msgspec.NODEFAULT, msgspec.UNSET):
        return ""
    return f"`{field.default}`"
