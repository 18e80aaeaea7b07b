"""What a validation finds: whether a document is valid, and each reason with all that led to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from provmodel.constraints.rules import RULES


class Step(msgspec.Struct, frozen=True):
    """One step of a chain: ``rule`` is the key of the rule by which it holds ("" where it is stated)."""

    text: str
    rule: str = ""
    statements: tuple[str, ...] = ()

    def __str__(self) -> str:
        because = f" [{RULES[self.rule].short}]" if self.rule else ""
        return self.text + because


class Violation(msgspec.Struct, frozen=True):
    """One reason why a document is not valid.

    ``constraint`` is the key of the violated rule (see :data:`~provmodel.constraints.rules.RULES`);
    ``message`` says in a sentence what is wrong here. ``statements`` are those involved, as PROV-N without
    attributes, and how well each is known where it says so; ``chain`` is what follows from them, step by
    step. ``bundle`` is the bundle's IRI, None for the main part.
    """

    constraint: str
    message: str
    statements: tuple[str, ...]
    chain: tuple[Step, ...] = ()
    bundle: str | None = None

    @property
    def name(self) -> str:
        """The name that the standard gives the constraint."""
        return RULES[self.constraint].name

    @property
    def rule(self) -> str:
        """The constraint in plain words."""
        return RULES[self.constraint].sentence

    def __str__(self) -> str:
        return "\n".join(_lines(self.message, RULES[self.constraint].title, self))


Reason = Callable[[], Violation]
"""A violation that was found, and isn't put in words yet."""


class Untimely(msgspec.Struct, frozen=True):
    """Two clock readings that contradict an order. It never makes a document invalid: clocks differ.

    ``kind`` is a word such as ``use-after-invalidation``; ``constraint`` the rule that orders the two events
    (the last one, where several do). ``earlier`` is the time of the event that comes first by rule and
    ``later`` that of the other, as written; by the clock it is the other way round.
    """

    kind: str
    constraint: str
    message: str
    earlier: str
    later: str
    statements: tuple[str, ...]
    chain: tuple[Step, ...] = ()
    bundle: str | None = None

    @property
    def rule(self) -> str:
        """The rule that orders the two events, in plain words."""
        return RULES[self.constraint].sentence

    def __str__(self) -> str:
        return "\n".join(_lines(self.message, f"clock: {self.kind}", self))


class Verdict(msgspec.Struct, frozen=True):
    """Whether a document is valid under PROV-CONSTRAINTS, and why not.

    ``violations`` are ordered by bundle, rule and message, and so is ``clock``, which holds what clocks say
    against the order of events. Of each at most :data:`MOST_TOLD` are told; ``untold`` counts the rest of
    both.
    """

    valid: bool
    violations: tuple[Violation, ...] = ()
    clock: tuple[Untimely, ...] = ()
    untold: int = 0

    def __str__(self) -> str:
        return "\n\n".join(str(one) for one in (*self.violations, *self.clock)) or "valid"

    def plain(self) -> dict[str, Any]:
        """The verdict as values of JSON; each violation has its ``name`` and ``rule`` besides its fields."""
        return {
            "valid": self.valid,
            "violations": [
                {"constraint": one.constraint, "name": one.name, "rule": one.rule, **_rest(one)}
                for one in self.violations
            ],
            "clock": [{"rule": one.rule, **_rest(one)} for one in self.clock],
            "untold": self.untold,
        }


MOST_TOLD = 1000
"""A document of a hundred thousand faults is told by its first thousand."""


def _rest(one: Violation | Untimely) -> dict[str, Any]:
    built: dict[str, Any] = msgspec.to_builtins(one)
    return built


def _lines(message: str, title: str, one: Violation | Untimely) -> Iterator[str]:
    yield message + (f" [in bundle {one.bundle}]" if one.bundle else "")
    yield f"  Rule: {one.rule} [{title}]"
    yield from _listed("Stated:", one.statements)
    yield from _listed("From which it follows that:", one.chain)


def _listed(head: str, items: Iterable[object]) -> Iterator[str]:
    listed = [str(item) for item in items]
    if listed:
        yield f"  {head}"
        yield from (f"    {number}. {item}" for number, item in enumerate(listed, 1))
