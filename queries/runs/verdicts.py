"""``same``, ``differs`` or ``cannot_tell``: how two things of two runs stand to each other, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from provmodel import names

State = Literal["same", "differs", "cannot_tell"]
SAME: State = "same"
DIFFERS: State = "differs"
CANNOT_TELL: State = "cannot_tell"
DISAGREE = "the reports of a run disagree about it"


class Aspect(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One respect in which two steps are compared.

    ``first`` and ``second`` are what each run has; ``pointers`` are the arguments that differ. ``why`` says
    what differs, or what keeps it from being told. ``basis`` stands with ``order``: causal, or the clock and
    numbers of one source.
    """

    name: str
    state: State
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    why: str = ""
    basis: str = ""


def overall(states: Iterable[State]) -> State:
    """Different if anything is, else not to be told if anything is not."""
    found = set(states)
    if DIFFERS in found:
        return DIFFERS
    return CANNOT_TELL if CANNOT_TELL in found else SAME


def plain(name: str, first: Sequence[str], second: Sequence[str], why: str = "") -> Aspect:
    """An aspect of two sets of words, which are the same or not."""
    one, other = tuple(sorted(set(first))), tuple(sorted(set(second)))
    if one == other:
        return Aspect(name=name, state=SAME, first=one, second=other)
    return Aspect(name=name, state=DIFFERS, first=one, second=other, why=why)


def doubted(aspect: Aspect, unsure: tuple[str, str]) -> Aspect:
    """What a run lacks is no difference where it may not have come: ``unsure`` says of each run why, "" where
    all did."""
    first, second = Counter(aspect.first), Counter(aspect.second)
    why = unsure[0] if first < second else unsure[1] if second < first else ""
    return in_doubt(aspect, why)


def in_doubt(aspect: Aspect, why: str) -> Aspect:
    """A difference of which, for this reason, nothing can be told; as it was, if there is no reason."""
    if aspect.state != DIFFERS or not why:
        return aspect
    return msgspec.structs.replace(aspect, state=CANNOT_TELL, why=f"{aspect.why}, but {why}")


def single(name: str, first: Iterable[str], second: Iterable[str], why: str = "") -> Aspect:
    """An aspect of which each run has one word. Reports of a run that disagree are no difference to a run
    that has one of their words, nor is it one that nothing is reported of a run."""
    one, other = tuple(sorted(set(first))), tuple(sorted(set(second)))
    if bool(one) != bool(other):
        return Aspect(name=name, state=CANNOT_TELL, first=one, second=other, why="one run reports none")
    if one != other and set(one) & set(other):
        return Aspect(name=name, state=CANNOT_TELL, first=one, second=other, why=DISAGREE)
    return plain(name, one, other, why)


def versions(one: str, other: str) -> tuple[State, str]:
    """Whether two references name one version: unlike kinds of pin are not comparable, never different."""
    first, second = names.split(one), names.split(other)
    if first.thing != second.thing:
        return DIFFERS, f"{one} in the one, {other} in the other"
    if first.unpinned or second.unpinned or (one != other and not (first.pin and second.pin)):
        return CANNOT_TELL, f"{first.thing} is named without a version"
    if one == other or (first.pin, first.value) == (second.pin, second.value):
        return SAME, ""
    if first.pin != second.pin:
        return CANNOT_TELL, f"{one} and {other} are named by unlike kinds of version"
    return DIFFERS, f"{one} in the one, {other} in the other"
