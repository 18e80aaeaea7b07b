"""What the keepers of content may ask for, and what they are told."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.actors import RULE
from app.keeping.words import BODIES, KEEP
from app.retention import Deleted, Hold, Reason
from provmodel.records import Tombstone

MOST = 1000  # entries of one page
MOST_LETTERS = 10_000  # of a reason
MOST_NAME = 400

By = Annotated[
    str,
    Meta(description=f"Who says so. {RULE} Left out: the key or token under which it is asked."),
]
Name = Annotated[str, Meta(min_length=1, max_length=MOST_NAME)]
Why = Annotated[str, Meta(max_length=MOST_LETTERS, description="Why, in words; kept as a body of its own.")]


class Putting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Put a policy in force. The narrowest that fits a body decides: label, run, kind, class, all. One of the
    same name, or about the same bodies, ends.
    """

    policy: Annotated[Name, Meta(description="Its name, such as policy:thirty-days.")]
    bodies: Annotated[str, Meta(description=f"Which bodies: {BODIES}.")]
    keep: Annotated[str, Meta(description=f"How long: {KEEP}.")]
    by: By = ""


class Everything(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All there is."""


class Ending(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End a policy; what it alone let go is kept from now on."""

    policy: Annotated[Name, Meta(description="Its name.")]
    by: By = ""


class Placing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hold what must not be deleted, whatever a policy or a request says."""

    hold: Annotated[Name, Meta(description="A name for the hold.")]
    target: Annotated[
        Name,
        Meta(
            description="A body, a run, or a reference with all its versions; or an unambiguous end of one."
        ),
    ]
    reason: Annotated[
        str,
        Meta(min_length=1, max_length=MOST_LETTERS, description="Why, such as the number of a case."),
    ]
    by: By = ""


class Lifting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lift a hold; what is due goes with the next sweep."""

    hold: Annotated[Name, Meta(description="The name of the hold.")]
    by: By = ""


class Holding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which holds."""

    lifted: Annotated[bool, Meta(description="Those that were lifted, too.")] = False


class Looking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What would go: with the next sweep, or by deleting one thing."""

    ref: Annotated[
        str,
        Meta(description="A reference, or the id of a body: what its deletion would take; else a sweep."),
    ] = ""


class Sweeping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Delete what is due and not held, and finish what an earlier sweep left undone."""


class Deleting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Delete content before its time. The graph keeps its place, and a tombstone tells of it."""

    ref: Annotated[Name, Meta(description="A reference, or the id of a body.")]
    reason_class: Annotated[Reason, Meta(description="Why, in one word.")]
    reason: Why = ""
    by: By = ""


class Erasing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Erase the names that a person or thing is known by; the pseudonym and the graph stay."""

    ref: Annotated[Name, Meta(description="The person, such as person:p-17.")]
    reason: Why = ""
    by: By = ""


class Listing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which deletions."""

    state: Annotated[
        Literal["", "requested", "done"],
        Meta(description="Only those that are asked for and not done yet, or that are done."),
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=MOST, description="How many deletions a page has.")] = 100
    cursor: Annotated[str, Meta(description="Go on after the page that gave this cursor.")] = ""


class InForce(msgspec.Struct, frozen=True, kw_only=True):
    """A policy in force. ``bodies`` and ``keep`` are written as they are put; ``since`` is RFC 3339."""

    policy: str
    bodies: str
    keep: str
    by: str
    since: str


class PolicyList(msgspec.Struct, frozen=True):
    """The policies in force, the oldest first."""

    policies: list[InForce]


class HoldList(msgspec.Struct, frozen=True):
    """Holds, by name. ``unknown`` are those that hold a name under which nothing is recorded yet: they hold
    what comes later.
    """

    holds: list[Hold]
    unknown: list[str] = []


class Forgotten(msgspec.Struct, frozen=True):
    """The bodies that were deleted, and from where. ``backups`` are copies that Clew made while they were
    there, with the day until which each is kept: until then they hold them.
    """

    deleted: list[Deleted]
    backups: list[str]


class DeletionList(msgspec.Struct, frozen=True, kw_only=True):
    """Tombstones by the ids of their bodies; ``total`` counts all that fit now, an empty ``cursor`` ends the
    list.
    """

    total: int
    cursor: str
    deletions: list[Tombstone]
