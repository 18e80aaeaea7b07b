"""What a case is to its readers, and what they may ask of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.actors import RULE
from queries.answer import Target
from queries.question import EvidenceWord

State = Literal["open", "acknowledged", "cleared"]
Verb = Literal["open", "rerun", "ack", "clear", "reopen", "note"]
Decision = Literal["ack", "clear", "reopen", "note"]
MOST = 1000  # entries of one page
MOST_LETTERS = 10_000  # of a note
MOST_TITLE = 200

By = Annotated[
    str,
    Meta(description=f"Who does it. {RULE} Left out: the key or token under which it is asked."),
]
AsOf = Annotated[
    str | int,
    Meta(description="Ask as it was known then: a seq of the log, or an RFC 3339 time; empty: now."),
]


class Opening(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a case is about: inputs that are retracted, or retractions that were recorded; or both."""

    target: Annotated[
        tuple[str, ...],
        Meta(description="What was retracted: versions, things, skills, agents, models, sources."),
    ] = ()
    retraction: Annotated[
        tuple[str, ...],
        Meta(
            description="Retractions or their notices, by reference; what they retract is the target, "
            "every version of it where they name none."
        ),
    ] = ()
    title: Annotated[
        str,
        Meta(
            max_length=MOST_TITLE,
            description="What the case is called; left out, it is made from the targets.",
        ),
    ] = ""
    evidence: Annotated[
        tuple[EvidenceWord, ...],
        Meta(description="Cross only edges that one of these kinds of evidence supports."),
    ] = ()
    expand: Annotated[
        tuple[str, ...], Meta(description="Nodes to expand although they have over 1,000 edges one way.")
    ] = ()
    include_refuted: Annotated[bool, Meta(description="Also cross refuted edges.")] = False
    as_of: AsOf = ""
    by: By = ""


class Deciding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is done about items: acknowledged (someone sees to it), cleared (nothing is left to do), reopened,
    or noted. A note may be personal: it is kept encrypted, and can be erased.
    """

    verb: Annotated[Decision, Meta(description="ack, clear, reopen or note.")]
    ref: Annotated[
        tuple[str, ...], Meta(description="Items, by reference or an unambiguous end of one.")
    ] = ()
    all: Annotated[bool, Meta(description="Every item that is still to be seen to.")] = False
    note: Annotated[str, Meta(max_length=MOST_LETTERS, description="Why, in a person's own words.")] = ""
    by: By = ""


class Rerunning(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask again, now or as of a later seq than before."""

    as_of: AsOf = ""
    by: By = ""


class Listing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which page of the cases, newest first."""

    limit: Annotated[int, Meta(ge=1, le=MOST, description="How many cases a page has.")] = 100
    cursor: Annotated[str, Meta(description="Go on after the page that gave this cursor.")] = ""


class Showing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which items of a case."""

    state: Annotated[
        Literal["", "todo", "open", "acknowledged", "cleared", "gone"],
        Meta(
            description="Only items in this state; todo: open, or changed since it was decided, "
            "and then neither acknowledged nor cleared."
        ),
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=MOST, description="How many items a page has.")] = 100
    cursor: Annotated[str, Meta(description="Go on after the page that gave this cursor.")] = ""


class Found(msgspec.Struct, frozen=True, omit_defaults=True):
    """How an item is affected: by the nearest input, over the best path (the last 16 references, from cause
    to effect), with the evidence of that path's weakest edge.
    """

    kind: str
    standing: str
    nearest: str
    evidence: str
    steps: int
    path: tuple[str, ...]
    links: tuple[str, ...]
    tier: str = ""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One report or write of a case. ``changed`` says that it was affected otherwise when it was last asked
    than when it was decided; ``gone`` that the last answer does not have it, and ``why`` what of the way to
    it no longer holds, or that this is not known.
    """

    ref: str
    found: Found
    state: State
    changed: bool
    gone: bool
    first_run: int
    decided: str = ""
    decided_by: str = ""
    why: str = ""


class Changed(msgspec.Struct, frozen=True):
    """An item that is affected otherwise: what was and what is, by field of ``Found``."""

    ref: str
    fields: dict[str, tuple[Any, Any]]


class Delta(msgspec.Struct, frozen=True):
    """How an answer differs from the one before it; ``why`` says of each that is gone what it is no longer
    led to by.
    """

    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    changed: tuple[Changed, ...] = ()
    why: dict[str, str] = {}


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One asking: as of which seq, how many things are affected in all, and what that answer lacks."""

    run: int
    as_of: int
    at: str
    by: str
    affected: int
    complete: bool
    missing: tuple[str, ...]
    delta: Delta


class Action(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was done, when and by whom. ``note`` is its text while it is there; ``note_state`` says deleted
    afterwards. ``body`` names the note for a deletion.
    """

    action: int
    verb: Verb
    at: str
    by: str
    ref: str = ""
    note: str = ""
    note_state: str = ""
    body: str = ""


class Counts(msgspec.Struct, frozen=True):
    """Items of a case: each is among ``todo`` (``open``, or changed since it was decided), ``acknowledged``,
    ``cleared`` or ``gone``, and among one of them alone.
    """

    items: int
    todo: int
    open: int
    acknowledged: int
    cleared: int
    gone: int


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One case in a list; ``as_of`` is that of its last run."""

    case: int
    title: str
    targets: tuple[str, ...]
    opened: str
    opened_by: str
    as_of: int
    complete: bool
    counts: Counts


class CaseList(msgspec.Struct, frozen=True, kw_only=True):
    """Cases, newest first; ``total`` counts all, an empty ``cursor`` says that nothing follows."""

    total: int
    cases: list[Line]
    cursor: str = ""


class Case(Line, frozen=True, kw_only=True):
    """A case with a page of its items in the order in which they were found, its runs, and what was done.

    ``total`` counts the items that fit, on whatever page; ``actions`` holds the last hundred of
    ``action_count``. ``hidden`` counts the items that the reader may not see: ``counts`` has them, ``items``
    does not. ``resolved`` says what names were taken for when it was opened, where they are not those of the
    very things.
    """

    asked: dict[str, Any]
    resolved: list[Target]
    total: int
    items: list[Item]
    runs: list[Run]
    actions: list[Action]
    action_count: int
    cursor: str = ""
    hidden: int = 0
