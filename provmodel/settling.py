"""Put an event's references into the form in which they are kept, and check its times against the calendar.

Which fields hold references and which hold times is read from the Structs' own annotations, once a class.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import msgspec

from provmodel import times
from provmodel.errors import Refused
from provmodel.events import Envelope, Id, Time
from provmodel.names import PUBLIC_SCHEMES, Tagger, is_plain, keep

Settler = Callable[[Any, Tagger, frozenset[str]], Any]
E = TypeVar("E", bound=Envelope)


def settle(event: E, tagger: Tagger, public: frozenset[str] = PUBLIC_SCHEMES) -> E:
    """Return ``event`` with every reference kept as :func:`provmodel.names.keep` says.

    Raises :class:`Refused` whose field is a path such as ``inputs/0/ref``.
    """
    return typing.cast(E, _settle_struct(event, tagger, public))


def _settle_struct(value: msgspec.Struct, tagger: Tagger, public: frozenset[str]) -> msgspec.Struct:
    changes: dict[str, Any] = {}
    plan = _plan(type(value))
    for old, (name, wire_name, settler) in zip(plan.values(value), plan.fields, strict=False):
        if not old and old != "":  # absent, or an empty list
            continue
        try:
            new = settler(old, tagger, public)
        except Refused as error:
            raise Refused(f"{wire_name}/{error.field}".rstrip("/"), error.reason, error.remedy) from None
        if new is not old:
            changes[name] = new
    return msgspec.structs.replace(value, **changes) if changes else value


def _settle_tuple(item: Settler) -> Settler:
    def settle_items(values: tuple[Any, ...], tagger: Tagger, public: frozenset[str]) -> tuple[Any, ...]:
        settled, changed = [], False
        for index, value in enumerate(values):
            try:
                new = item(value, tagger, public)
            except Refused as error:
                raise Refused(f"{index}/{error.field}".rstrip("/"), error.reason, error.remedy) from None
            changed = changed or new is not value
            settled.append(new)
        return tuple(settled) if changed else values

    return settle_items


def _settle_id(value: str, tagger: Tagger, public: frozenset[str]) -> str:
    if is_plain(value) and "@sha256:" not in value:
        return value
    return keep(value, "", tagger, public)


def _settle_time(value: str, _tagger: Tagger, _public: frozenset[str]) -> str:
    times.check(value)
    return value


class _Plan(NamedTuple):
    """What of a Struct is to be settled: (name, wire name, settler) a field; ``values`` reads all of them."""

    fields: tuple[tuple[str, str, Settler], ...]
    values: Callable[[Any], tuple[Any, ...]]


@cache
def _plan(struct: type[msgspec.Struct]) -> _Plan:
    hints = typing.get_type_hints(struct, include_extras=True)
    found = [
        (field.name, field.encode_name, _settler(hints[field.name]))
        for field in msgspec.structs.fields(struct)
    ]
    fields = tuple((name, wire_name, settler) for name, wire_name, settler in found if settler)
    names = [name for name, _, _ in fields] or [""]
    return _Plan(fields, attrgetter(*names, names[0]))  # of one name alone it would give no tuple


def _settler(hint: Any) -> Settler | None:
    """How values of an annotation are settled; ``None`` when there is nothing to do."""
    if hint == Id:
        return _settle_id
    if hint == Time:
        return _settle_time
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return next((found for found in map(_settler, arguments) if found), None)
    if origin is tuple:
        item = _settler(arguments[0])
        return _settle_tuple(item) if item else None
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct) and _plan(hint).fields:
        return _settle_struct
    return None
