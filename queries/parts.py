"""Parts of a target: a JSON pointer, or a range of characters, bytes or lines.

A generation, a citation, a transformation or the source of an argument may record which part of the target it
is about. An edge that records none stands for the whole; parts of what was used, or of a draft that was taken
over, are no parts of the target.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from provmodel.errors import BadQuestion
from provmodel.relations import DERIVATION, GENERATION, term_of
from queries.links import Link

_RANGE = re.compile(r"(char|byte|line):(\d{1,18})-(\d{0,18})")
_WORDS = "a JSON pointer such as /total, or a range such as char:10-42, line:3-8 or byte:0-99"
_OPEN_END = 2**63


class Passage(msgspec.Struct, frozen=True):
    """``start`` to before ``end`` in ``unit``; for a JSON pointer both are empty but ``pointer``."""

    unit: str
    pointer: str = ""
    start: int = 0
    end: int = _OPEN_END


class PartUsed(msgspec.Struct, frozen=True):
    """How a part was answered: ``recorded`` edges of the target name a part, ``matched`` of them meet the
    one asked for.

    ``whole_only`` is True when none does: the answer is then what is recorded of the whole. ``unlike`` edges
    name a part in another unit, and are kept; what names another part is left out.
    """

    asked: str
    recorded: int
    matched: int
    unlike: int
    whole_only: bool


def read_part(text: str) -> Passage:
    """The part that a reader names; raises :class:`BadQuestion`."""
    if text.startswith("/"):
        return Passage("json-pointer", text)
    found = _RANGE.fullmatch(text)
    if not found:
        raise BadQuestion("part", f"{text!r} names no part", f"give {_WORDS}")
    part = _range(found)
    if part.end <= part.start:
        remedy = f"name an end after {part.start}, which is no longer part of it, or none for all the rest"
        raise BadQuestion("part", f"{text!r} ends before anything is in it", remedy)
    return part


def _range(found: re.Match[str]) -> Passage:
    return Passage(found[1], "", int(found[2]), int(found[3]) if found[3] else _OPEN_END)


def meets(one: Passage, other: Passage) -> bool | None:
    """Whether two parts share anything; None when their units can't be compared."""
    if one.unit != other.unit:
        return None
    if one.unit == "json-pointer":
        return _within(one.pointer, other.pointer) or _within(other.pointer, one.pointer)
    return one.start < other.end and other.start < one.end


def _within(inner: str, outer: str) -> bool:
    return inner == outer or inner.startswith(outer.rstrip("/") + "/")


class PartFilter:
    """Keeps the edges of a target that are about a part, and those that are about the whole."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.part = read_part(text)
        self.recorded = self.matched = self.unlike = 0

    def keeps(self, link: Link) -> bool:
        """Whether the edge may be about the part; counts what it saw."""
        parts = (
            [part for row in link.rows if (part := recorded_part(row.attributes))] if _of_target(link) else []
        )
        if not parts:
            return True
        self.recorded += 1
        met = [meets(self.part, part) for part in parts]
        if any(met):
            self.matched += 1
            return True
        if None in met:
            self.unlike += 1
            return True
        return False

    def used(self) -> PartUsed:
        return PartUsed(self.text, self.recorded, self.matched, self.unlike, self.matched == 0)


def _of_target(link: Link) -> bool:
    """Whether a part that the edge records is one of its subject."""
    term = term_of(link.code)
    return term is GENERATION or (term is DERIVATION and link.role != "adopted")


def part_told(part: PartUsed | None) -> list[str]:
    """That nothing is recorded of the part asked for, or that other parts can't be told from it."""
    if part is None:
        return []
    if not part.whole_only:
        if not part.unlike:
            return []
        edges = "edge names" if part.unlike == 1 else "edges name"
        return [f"{part.unlike:,} {edges} a part in another unit than {part.asked}: that stays in."]
    if not part.recorded:
        return [f"Nothing is recorded of the part {part.asked}; this is the answer for the whole."]
    other = part.recorded - part.unlike
    left = f", and {other:,} of other parts {'is' if other == 1 else 'are'} left out" if other else ""
    unlike = f"; {part.unlike:,} in another unit can't be compared, and stay" if part.unlike else ""
    return [
        f"Nothing is recorded of the part {part.asked}: this is what is recorded of the whole{left}{unlike}."
    ]


def part_filter(text: str) -> PartFilter | None:
    """The filter of a ``part`` parameter; None for the whole."""
    return PartFilter(text) if text else None


Keeps = Callable[[Link], bool]


def recorded_part(attributes: str) -> Passage | None:
    """The part that a row's attributes record (``clew:part``, or the pointer of an argument), if any."""
    if "clew:p" not in attributes:
        return None
    found = msgspec.json.decode(attributes)
    pointer = found.get("clew:pointer")
    if pointer is not None:
        return Passage("json-pointer", pointer)
    text = str(found.get("clew:part", ""))
    if text.startswith("json-pointer:"):
        return Passage("json-pointer", text.removeprefix("json-pointer:").rpartition("-")[0])
    match = _RANGE.fullmatch(text)
    return _range(match) if match else None
