"""What an answer says of each action and of each attempt at it."""

from __future__ import annotations

import msgspec

from queries.effect import Effect


class Written(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that an attempt made or deleted.

    ``reported`` is False where no report of the attempt names it: it was seen afterwards, and this attempt
    may have made it. ``evidence`` says how well that is known, "" for not within the evidence asked for.
    """

    ref: str
    evidence: str
    mode: str = ""
    reported: bool = True
    refuted: bool = False


class Checked(msgspec.Struct, frozen=True, omit_defaults=True):
    """One verification of the attempt, of its action, or of what it wrote."""

    verification: str
    verdict: str
    method: str
    subject: str
    read: str = ""


class Tried(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One attempt. ``outcome`` is what its reports say (several may differ), "" of none; ``effect`` what is
    known of it all the same. ``started`` and ``ended`` are the first that a report gives."""

    attempt: str
    outcome: tuple[str, ...]
    effect: Effect
    number: int = 0
    retry_of: tuple[str, ...] = ()
    key: str = ""
    started: str = ""
    ended: str = ""
    error: str = ""
    http_status: int = 0
    writes: tuple[Written, ...] = ()
    checks: tuple[Checked, ...] = ()
    decisions: tuple[str, ...] = ()


class Operation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One action and the attempts at it, in the order in which they began. ``action`` is "" where an attempt
    names none and none could be joined to it."""

    action: str
    effect: Effect
    attempts: tuple[Tried, ...]
    tool: str = ""
    run: str = ""
    target: str = ""
    stake: str = ""
    asked: str = ""


class Twice(msgspec.Struct, frozen=True, omit_defaults=True):
    """Attempts at one thing of which more than one took effect (``certain``), or may have.

    ``why`` says what makes them one thing: action, retry, key or arguments. ``writes`` are what they made.
    """

    attempts: tuple[str, ...]
    actions: tuple[str, ...]
    certain: bool
    why: str
    writes: tuple[str, ...] = ()


class Retried(msgspec.Struct, frozen=True, omit_defaults=True):
    """An attempt made again although it was not verified that the earlier one failed.

    ``effect`` is what is known of the earlier one; ``verified_later`` that its failure was, but not before
    the retry. ``same_key`` says that both carry one idempotency key. ``basis`` is what the order rests on.
    """

    first: str
    again: str
    outcome: tuple[str, ...]
    effect: Effect
    basis: str
    same_key: bool = False
    verified_later: bool = False
    difference: str = ""


class Late(msgspec.Struct, frozen=True, omit_defaults=True):
    """An attempt that may have committed after a cancellation.

    ``began`` says that it even began afterwards; else it was under way and ended afterwards. ``possibly``
    that this rests on two clocks. ``difference`` is that of the two instants, an ISO 8601 duration.
    """

    attempt: str
    run: str
    by: str
    began: bool
    possibly: bool
    basis: str
    event: int
    difference: str = ""
    withdrawn: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
