"""Where bodies can stand in an event, and how they are replaced there.

Which fields lead to a body is read from the Structs' own annotations, once a class. Most events carry no
body, so that one question, :func:`carries_body`, is made to cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.inspect import Field, StructType, Type, UnionType, VarTupleType, type_info

from provmodel.events import Body, Ref

Holder = msgspec.Struct
"""What carries a body in a field of its own: a Ref, Args, or an artifact version."""

Replace = Callable[[Body, Holder, str], Body]
"""Given a body, its holder and the holder's JSON pointer in the event, the body to put there instead."""

Finder = Callable[[Any], bool]
S = TypeVar("S", bound=msgspec.Struct)


class Step(NamedTuple):
    """A field that leads to bodies: it holds a Struct of class ``into``, or a tuple of them (``many``)."""

    field: str
    wire_name: str
    many: bool
    into: type[msgspec.Struct]


@cache
def steps(kind: type[msgspec.Struct]) -> tuple[Step, ...]:
    """The fields of a Struct through which a body can be reached."""
    info = type_info(kind)
    return _steps(info) if isinstance(info, StructType) else ()


def carries_body(value: msgspec.Struct) -> bool:
    """Whether there is a body anywhere in an event, be it by id alone."""
    return _finder(type(value))(value)


@cache
def _finder(kind: type[msgspec.Struct]) -> Finder:
    """Looks for a body below a Struct of one class. Structs are true, so ``bool`` says that one is there."""
    if kind is Body:
        return bool
    found = [
        _many(step) if step.many else (attrgetter(step.field), _finder(step.into)) for step in steps(kind)
    ]

    def find(value: Any) -> bool:
        for get, inner_finder in found:
            inner = get(value)
            if inner and inner_finder(inner):
                return True
        return False

    return find


def _many(step: Step) -> tuple[Callable[[Any], Any], Finder]:
    """As a pair of getter and finder; where the items hold nothing but a body, C alone runs over them."""
    inner = steps(step.into)
    only_body = len(inner) == 1 and inner[0].into is Body
    look = attrgetter(inner[0].field) if only_body else _finder(step.into)
    return attrgetter(step.field), lambda items: any(map(look, items))


def replace_bodies(value: S, replace: Replace, where: str = "") -> S:
    """The same Struct with each body in it replaced, in the order of the fields."""
    changes: dict[str, Any] = {}
    for field, wire_name, many, into in steps(type(value)):
        old = getattr(value, field)
        if not old:
            continue
        if into is Body:
            changes[field] = replace(old, value, where)
        elif many:
            inside = f"{where}/{wire_name}"
            changes[field] = tuple(
                replace_bodies(item, replace, f"{inside}/{n}") for n, item in enumerate(old)
            )
        else:
            changes[field] = replace_bodies(old, replace, f"{where}/{wire_name}")
    return msgspec.structs.replace(value, **changes) if changes else value


Unwanted = Callable[[str | None, str], bool]
"""Given the reference whose content it is, if any, and the holder's pointer: whether content is not kept."""


def drop_bodies(value: S, unwanted: Unwanted, where: str = "") -> S:
    """The same Struct without the content that is not kept: its reference says that it was not captured."""
    changes: dict[str, Any] = {}
    for field, wire_name, many, into in steps(type(value)):
        old = getattr(value, field)
        if not old:
            continue
        if into is Body:
            ref = getattr(value, "ref", None) if isinstance(value, Ref) else None
            if unwanted(ref, where):
                changes[field] = None
                changes |= {"state": "never_captured"} if isinstance(value, Ref) else {}
        elif many:
            inside = f"{where}/{wire_name}"
            changes[field] = tuple(drop_bodies(item, unwanted, f"{inside}/{n}") for n, item in enumerate(old))
        else:
            changes[field] = drop_bodies(old, unwanted, f"{where}/{wire_name}")
    return msgspec.structs.replace(value, **changes) if changes else value


def _steps(info: StructType) -> tuple[Step, ...]:
    return tuple(step for step in map(_step, info.fields) if step)


def _step(field: Field) -> Step | None:
    found = _struct_in(field.type)
    if not found:
        return None
    many, info = found
    leads = info.cls is Body or _steps(info)
    return Step(field.name, field.encode_name, many, info.cls) if leads else None


def _struct_in(annotation: Type) -> tuple[bool, StructType] | None:
    """The Struct that a field holds, and whether it holds a tuple of them."""
    match annotation:
        case StructType():
            return False, annotation
        case VarTupleType(item_type=StructType() as item):
            return True, item
        case UnionType():
            return next((found for found in map(_struct_in, annotation.types) if found), None)
        case _:
            return None
