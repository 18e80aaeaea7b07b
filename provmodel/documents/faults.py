"""What is wrong with a text, and what is odd but kept: gathered while reading, told at its end."""

from __future__ import annotations

from collections.abc import Callable

from provmodel.document import Loss, Remark
from provmodel.errors import Unreadable

MOST_FAULTS = 20  # told of one document; more say nothing new, and a bomb has millions
MOST_ALIKE = 10  # remarks of one kind that are told one by one
SHOWN = 80  # characters of a text that are quoted
MOST_PLACES = 5  # at which one thing was lost, named in its report


def shown(text: str) -> str:
    """``text`` in quotes for a message, cut when it is long."""
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")


class Trouble(Exception):
    """Something in a text can't be taken: why, and what to do. Who reads the text adds where it stands."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}; {remedy}")
        self.reason = reason
        self.remedy = remedy

    def at(self, where: str) -> Unreadable:
        """The error that says where."""
        return Unreadable(where, self.reason, self.remedy)


class Faults:
    """Troubles that don't hinder the reading of the rest, so that all of them are named at once."""

    def __init__(self) -> None:
        self._found: list[tuple[str, Trouble]] = []

    def add(self, where: str, trouble: Trouble) -> None:
        """Keep one; raises :class:`Unreadable` when there are many."""
        self._found.append((where, trouble))
        if len(self._found) >= MOST_FAULTS:
            self.settle()

    def settle(self) -> None:
        """Raise :class:`Unreadable` that tells all, when there is one."""
        if not self._found:
            return
        (where, first), *others = self._found
        more = "".join(f"; also {place}: {trouble.reason}" for place, trouble in others)
        raise Unreadable(where, first.reason + more, first.remedy)


class Remarks:
    """What a reader noticed and kept. After ten of a kind the others are only counted."""

    def __init__(self) -> None:
        self._told: list[Remark] = []
        self._counts: dict[str, int] = {}

    def add(self, kind: str, where: str, what: str) -> None:
        """Keep one. ``kind`` is a few words in the plural that say what was noticed."""
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count <= MOST_ALIKE:
            self._told.append(Remark(where, what))

    def all(self) -> tuple[Remark, ...]:
        """The remarks, and how many more there are of each kind."""
        more = [
            Remark("", f"{count - MOST_ALIKE} more {kind}")
            for kind, count in self._counts.items()
            if count > MOST_ALIKE
        ]
        return (*self._told, *more)


class Losses:
    """What a format can't hold, gathered while writing; the same thing at many places is told once."""

    def __init__(self, told: list[Loss]) -> None:
        self._told = told
        self._places: dict[tuple[str, str], list[str]] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def add(self, where: str, what: str, why: str) -> None:
        """``where`` names the statement, ``what`` is lost of it; ``why`` is a property of the format."""
        key = (what, why)
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if count <= MOST_PLACES:
            self._places.setdefault(key, []).append(where)

    def tell(self) -> None:
        """Put what was gathered into the list that the caller holds."""
        for (what, why), places in self._places.items():
            more = self._counts[what, why] - len(places)
            self._told.append(Loss(", ".join(places) + (f" and {more} more" if more else ""), what, why))


Where = Callable[[], str]
"""Says where the reader stands; asked for only when there is something to tell."""
