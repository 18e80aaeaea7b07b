"""Errors of the model, grouped by who must act. Each says what was wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable


class ClewError(Exception):
    """Base of every error that Clew raises on purpose."""


def _sentence(where: str, reason: str, remedy: str) -> str:
    """Where it is wrong (when that isn't the whole), why, and what to do."""
    return f"{where}: {reason}; {remedy}" if where else f"{reason}; {remedy}"


def one_of(allowed: Iterable[object]) -> str:
    """A remedy that names what may be given; an empty text among it may be left out."""
    words = [str(one) for one in allowed]
    more = ", or leave it out" if "" in words else ""
    return f"use one of {', '.join(word for word in words if word)}{more}"


class Refused(ClewError):
    """The producer must act: one item can't be taken. Names the field, the reason and the remedy."""

    def __init__(self, field: str, reason: str, remedy: str) -> None:
        super().__init__(_sentence(field, reason, remedy))
        self.field = field
        self.reason = reason
        self.remedy = remedy


class Unreadable(ClewError):
    """The producer must act: the bytes are not what they claim to be (line or path, and why)."""

    def __init__(self, where: str, reason: str, remedy: str) -> None:
        super().__init__(_sentence(where, reason, remedy))
        self.where = where
        self.reason = reason
        self.remedy = remedy


class TooLarge(ClewError):
    """The producer must act: a delivery is greater than what is taken at once."""

    def __init__(self, size: str, limit: str, remedy: str) -> None:
        super().__init__(f"{size} are more than the limit of {limit}; {remedy}")
        self.size = size
        self.limit = limit
        self.remedy = remedy


class NotFound(ClewError):
    """The reader must act: no node of that name. ``near`` lists refs that look like it.

    ``as_of`` is the seq of the log that was asked about when it is an earlier one; ``later`` says that there
    is such a node now.
    """

    def __init__(
        self, target: str, near: tuple[str, ...] = (), as_of: int | None = None, later: bool = False
    ) -> None:
        then = "" if as_of is None else f" at log entry {as_of}"
        if later:
            remedy = "ask as of a later one, or of a time by which it had arrived"
            told = f"{target!r} is not yet recorded{then}; {remedy}"
        elif near:
            told = f"no node {target!r}{then}; did you mean {', '.join(near)}?"
        else:
            told = f"no node {target!r}; nothing recorded{then} has a name like it"
        super().__init__(told)
        self.target = target
        self.near = near
        self.as_of = as_of
        self.later = later


class Ambiguous(ClewError):
    """The reader must act: several things end in that name, which ``parameter`` gave."""

    def __init__(self, target: str, candidates: tuple[str, ...], parameter: str = "target") -> None:
        super().__init__(f"{target!r} fits several: {', '.join(candidates)}; give one of them in full")
        self.target = target
        self.candidates = candidates
        self.parameter = parameter


class BadQuestion(ClewError):
    """The reader must act: a parameter is out of its range. Names the parameter and what is allowed."""

    def __init__(self, parameter: str, reason: str, remedy: str) -> None:
        super().__init__(_sentence(parameter, reason, remedy))
        self.parameter = parameter
        self.reason = reason
        self.remedy = remedy


class Absent(ClewError):
    """The operator must act: a program that this needs isn't there, or doesn't do its work."""


class StoreTrouble(ClewError):
    """The operator must act: the store can't be used as it is (missing key, wrong version, locked)."""


class StoreBusy(StoreTrouble):
    """The caller must wait: others held the store for longer than an append may wait. Nothing was written."""
