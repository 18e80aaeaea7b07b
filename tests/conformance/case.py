"""What a suite gives: named checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, Protocol


class Case(NamedTuple):
    """One check; it passes when it raises nothing."""

    name: str
    check: Callable[[], None]


class Suite(Protocol):
    """A module in ``suites``. ``FOLDER`` is where its input lies, relative to the folder of all suites."""

    FOLDER: str

    @staticmethod
    def cases(folder: Path) -> Iterable[Case]:
        """The checks on the input in ``folder``."""
        ...


def expect(found: object, wanted: object, what: str) -> None:
    """Raise AssertionError that says both, when they differ."""
    if found != wanted:
        raise AssertionError(f"{what}: {found!r}, not {wanted!r}")
