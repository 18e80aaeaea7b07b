"""Constraints 22 to 29 as verdicts: what one relation, or one activity, is said to be in two ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from provmodel.constraints import instants
from provmodel.constraints.facts import Facts, is_blank
from provmodel.constraints.merging import ID, Conflict, Merging
from provmodel.constraints.rules import RULES
from provmodel.constraints.telling import NOUN_OF, Teller
from provmodel.constraints.verdict import Reason, Step, Violation
from provmodel.document import Element, named
from provmodel.relations import END, START, Kind, Term

_MOST_VALUES = 8  # of those that differ, in one sentence

Times = list[tuple[str, int]]
"""Times as written, each with the number of the statement that gives it."""


def disagreements(facts: Facts, merging: Merging, teller: Teller) -> Iterator[Reason]:
    """A violation for each relation and activity whose statements can't be told as one."""
    told = Disagreements(facts, merging, teller)
    yield from told.of_arguments()
    yield from told.of_times()
    yield from told.of_activities(START, "28")
    yield from told.of_activities(END, "29")


class Disagreements:
    """Makes the violations of one part of a document; its methods are those of the module."""

    def __init__(self, facts: Facts, merging: Merging, teller: Teller) -> None:
        self._facts, self._merging, self._teller = facts, merging, teller

    def of_arguments(self) -> Iterator[Reason]:
        """One for each relation and rule, over all places in which it has several values."""
        groups: dict[tuple[int, str], list[Conflict]] = {}
        for one in self._merging.conflicts:
            groups.setdefault((self._merging.root(one.one), one.rule), []).append(one)
        for (_, rule), conflicts in groups.items():
            yield partial(self._of_arguments, rule, conflicts)

    def _of_arguments(self, rule: str, conflicts: list[Conflict]) -> Violation:
        conflicts.sort(key=lambda one: (one.position, one.one, one.other))
        term = self._facts.relations[conflicts[0].one].term
        places = dict.fromkeys(one.position for one in conflicts)
        parts = [
            f"{_place(term, place)} is {self._values(one for one in conflicts if one.position == place)}"
            for place in places
        ]
        numbers = [number for one in conflicts for number in (one.one, one.other)]
        subject = self._relation(conflicts[0].one, rule)
        return Violation(
            rule,
            f"{subject}, and yet {'; '.join(parts)}.",
            self._teller.statements(*numbers),
            self._chain(conflicts[0].one, conflicts[0].other, conflicts[0].position),
        )

    def _values(self, conflicts: Iterable[Conflict]) -> str:
        seen: dict[str, None] = {}
        for one in conflicts:
            for number in (one.one, one.other):
                seen[self._value(number, one.position)] = None
        return _some(sorted(seen))

    def _value(self, number: int, position: int) -> str:
        one = self._facts.relations[number]
        value = named(one.id) if position == ID else self._facts.given[number][position]
        return "none (-)" if value is None else self._teller.name(self._merging.name(value))

    def _relation(self, number: int, rule: str) -> str:
        """What is one, and why: "ex:gen1 is one generation"."""
        one = self._facts.relations[number]
        noun = NOUN_OF[one.term.index]
        identity = named(one.id)
        if rule == "23" and identity:
            return f"{self._teller.name(identity)} is one {noun}"
        subject = one.arguments[0]
        of = f" of {self._teller.name(self._merging.name(subject))}" if subject else ""
        return f"This is one {noun}{of}"

    def of_times(self) -> Iterator[Reason]:
        """One for each relation whose statements give several times."""
        for numbers in self._merging.groups():
            given = ((self._facts.relations[number].time, number) for number in numbers)
            parted = several([(time, number) for time, number in given if time is not None])
            if parted:
                yield partial(self._of_times, parted)

    def _of_times(self, times: Times) -> Violation:
        (_, one), (_, other) = times[:2]
        return Violation(
            "23",
            f"{self._relation(one, '23')}, and yet its time is {_listed(times)}.",
            self._teller.statements(*(number for _, number in times)),
            self._chain(one, other, None),
        )

    def of_activities(self, term: Term, rule: str) -> Iterator[Reason]:
        """One for each activity that is stated to be one and has several times of its start, or end."""
        times: dict[str, Times] = {}
        side = "start" if term is START else "end"
        for name, time, number in self._given(term):
            known = times.get(name)
            if known is None:
                times[name] = [(time, number)]
            elif known[-1][0] != time:
                known.append((time, number))
        for name, given in times.items():
            parted = several(given) if len(given) > 1 else []
            if parted:
                yield partial(self._of_activity, name, side, rule, parted)

    def _given(self, term: Term) -> Iterator[tuple[str, str, int]]:
        """Each time of a start (or end) of an activity that is stated to be one, with the statement.

        Of what is one start by its id only one: that its times agree is told apart.
        """
        activities: set[str] = set()
        for written, number in self._facts.declared(Kind.ACTIVITY):
            one, name = self._facts.things[number], self._merging.name(written)
            activities.add(name)
            time = one.start if term is START else one.end
            if time is not None:
                yield name, time, number
        known: set[int] = set()
        for number in self._facts.of[term.index]:
            time = self._facts.relations[number].time
            subject = self._merging.arguments[number][0]
            root = self._merging.root(number)
            if time is not None and subject in activities and root not in known:
                known.add(root)
                yield subject or "", time, number

    def _of_activity(self, name: str, side: str, rule: str, times: Times) -> Violation:
        of = self._teller.name(name)
        steps = [
            Step(f"so there is a {side} of {of} at {time}", "8", self._teller.statements(number))
            if isinstance(self._facts.all[number], Element)
            else Step(f"a {side} of {of} is stated at {time}", "", self._teller.statements(number))
            for time, number in times[:_MOST_VALUES]
        ]
        return Violation(
            rule,
            f"{of} has one {side} time, and yet it is {_listed(times)}.",
            self._teller.statements(*(number for _, number in times)),
            (*steps, Step(f"so the {side} times of {of} are the same", rule)),
        )

    # --- chains ---

    def _chain(self, one: int, other: int, position: int | None) -> tuple[Step, ...]:
        """How two statements came to be one relation, and what blank names in them stand for."""
        steps = [*self._implied(one), *self._implied(other)]
        steps.extend(self._joined(a, b, rule) for a, b, rule in self._merging.path(one, other))
        if not self._merging.path(one, other):
            steps.append(Step(RULES["15"].sentence, "15", self._teller.statements(one, other)))
        if position is not None:
            steps.extend(self._blanks((one, other), position))
        return tuple(steps)

    def _implied(self, number: int) -> Iterator[Step]:
        source = self._facts.source(number)
        if source != number:
            noun = NOUN_OF[self._facts.relations[number].term.index]
            given = " and ".join(map(self._teller.name, filter(None, self._facts.given[number])))
            yield Step(f"so there is a {noun} of {given}", "11", self._teller.statements(source))

    def _joined(self, one: int, other: int, rule: str) -> Step:
        noun = NOUN_OF[self._facts.relations[one].term.index]
        return Step(f"so both are one {noun}", rule, self._teller.statements(one, other))

    def _blanks(self, numbers: tuple[int, ...], position: int) -> Iterator[Step]:
        for number in numbers:
            one = self._facts.relations[number]
            value = one.id if position == ID else one.arguments[position]
            by = self._merging.bound_by(value) if value and is_blank(value) else None
            if value and by:
                stands_for = self._teller.name(self._merging.name(value))
                yield Step(f"so {value} stands for {stands_for}", "23", self._teller.statements(*by))


def several(times: Times) -> Times:
    """Of each time that certainly differs from the others one, when there are at least two."""
    distinct: dict[str, int] = {}
    for time, number in times:
        distinct.setdefault(time, number)
    if len(distinct) == 1:
        return []
    seen: dict[instants.Reading, tuple[str, int]] = {}
    for time, number in sorted(distinct.items()):
        reading = instants.read(time)
        if reading is not None:
            seen.setdefault(reading, (time, number))
    zoned = {one: said for one, said in seen.items() if one[0]}
    local = {one: said for one, said in seen.items() if not one[0]}
    if len(zoned) > 1 or len(local) > 1:
        return [*zoned.values(), *local.values()] if seen else []
    if zoned and local and _apart(next(iter(zoned)), next(iter(local))):
        return [*zoned.values(), *local.values()]
    return []


def _apart(one: instants.Reading, other: instants.Reading) -> bool:
    return instants.before(one, other) or instants.before(other, one)


def _listed(times: Times) -> str:
    return _some([time for time, _ in times])


def _some(words: list[str]) -> str:
    more = len(words) - _MOST_VALUES
    return " and ".join(words if more <= 0 else [*words[:_MOST_VALUES], f"{more} more"])


def _place(term: Term, position: int) -> str:
    if position == ID:
        return "its id"
    names = (term.subject, *(argument.name for argument in term.arguments), *term.references)
    return f"its {names[position]}"
