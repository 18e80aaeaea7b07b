"""The shelf of wire formats: each module of this folder that has a ``FORMAT`` is one, found by name, media
type or file ending.

A format is one new file. Formats never import each other; what they share is in :mod:`provmodel.statements`
and :mod:`provmodel.lexical`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import msgspec

from provmodel.errors import BadQuestion
from provmodel.statements import DETAILS, Detail, Feed


class Format(msgspec.Struct, frozen=True):
    """One format. ``media_types`` and ``endings`` (with their dot) have the preferred one first; ``write``
    gives the bytes chunk by chunk, in constant memory.
    """

    name: str
    title: str
    media_types: tuple[str, ...]
    endings: tuple[str, ...]
    write: Callable[[Feed, Detail], Iterator[bytes]]


@cache
def shelf() -> dict[str, Format]:
    """Every format of this folder by its name, ordered by name."""
    modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
    formats: list[Format] = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    return {one.name: one for one in sorted(formats, key=lambda one: one.name)}


def by_name(name: str) -> Format:
    """The format of that name; raises :class:`BadQuestion` that lists the names."""
    found = shelf().get(name.lower())
    if found is None:
        raise BadQuestion("format", f"{name!r} is no format", f"use one of {', '.join(shelf())}")
    return found


def by_media_type(media_type: str) -> Format | None:
    """The format that writes a media type (its parameters are ignored), or None."""
    wanted = media_type.partition(";")[0].strip().lower()
    return next((one for one in shelf().values() if wanted in one.media_types), None)


def by_ending(file_name: str) -> Format | None:
    """The format that a file's name asks for, by the longest ending that fits, or None."""
    fits = [
        (len(end), one) for one in shelf().values() for end in one.endings if file_name.lower().endswith(end)
    ]
    return max(fits, key=lambda fit: fit[0])[1] if fits else None


def write(feed: Feed, name: str, assertions: str = "all") -> Iterator[bytes]:
    """Write what ``feed`` gives, in the format of that name.

    Raises :class:`BadQuestion` before the first chunk.
    """
    detail = next((one for one in DETAILS if one == assertions), None)
    if detail is None:
        raise BadQuestion("assertions", f"{assertions!r} is not offered", f"use one of {', '.join(DETAILS)}")
    return by_name(name).write(feed, detail)
