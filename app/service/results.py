"""What ``record`` says of each item, in the form in which every face shows it."""

from __future__ import annotations

from typing import Literal

import msgspec

from app.ledger.items import Outcome
from provmodel.errors import Refused, Unreadable

Status = Literal["recorded", "duplicate", "conflict", "refused"]
Name = tuple[str, str, str]
"""An event's id, source and time."""


class ItemError(msgspec.Struct, frozen=True):
    """Why an item was refused, where in it (a JSON pointer, "" for the whole of it), and what to do."""

    field: str
    reason: str
    remedy: str


class ItemResult(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What became of one item.

    ``item`` counts from 0 in the delivery. ``seq`` is its place in the log: for a duplicate that of the equal
    event that was there, for a conflict its own, beside ``first_seq`` of the first with this source and id.
    ``content_compared`` is given, and False, when a duplicate could only be told by source and id.
    ``warnings`` are how it arrived (late, future, ..).
    """

    item: int
    status: Status
    id: str = ""
    source: str = ""
    time: str = ""
    seq: int | None = None
    first_seq: int | None = None
    content_compared: bool | None = None
    warnings: tuple[str, ...] = ()
    error: ItemError | None = None

    @property
    def undecodable(self) -> bool:
        """Whether it was refused because it is no JSON at all."""
        return self.error is not None and self.error.field.startswith(_NO_POINTER)


_NO_POINTER = ("line ", "byte ", "body")


def refused(item: int, name: Name, error: Refused | Unreadable) -> ItemResult:
    """The result of an item that was not taken; ``name`` is as much of its name as could be read."""
    where = pointer(error.field) if isinstance(error, Refused) else error.where
    why = ItemError(where, error.reason, error.remedy)
    return ItemResult(item=item, status="refused", id=name[0], source=name[1], time=name[2], error=why)


def stored(item: int, name: Name, outcome: Outcome) -> ItemResult:
    """The result of an item that is in the log now."""
    return ItemResult(
        item=item,
        status=outcome.status,
        id=name[0],
        source=name[1],
        time=name[2],
        seq=outcome.seq,
        first_seq=outcome.first_seq if outcome.status == "conflict" else None,
        content_compared=None if outcome.content_compared else False,
        warnings=outcome.warnings,
    )


def pointer(field: str) -> str:
    """A field of an error as a JSON pointer, whoever named it."""
    return "/" + field.strip("/") if field.strip("/") else ""
