"""The events of a document and the order that the rules give them (inferences 5 to 14, constraints 30 to 49).

All generations of an entity are one moment (39), and so are its invalidations (40), the starts (31) and the
ends (32) of an activity: each is one event here. So a rule draws one edge a statement, never one for each
pair of generation and usage. An event is there only when it is stated or inferred: a thing that is just named
in a statement has no known beginning. What passes through something that is there but unknown (the trigger of
a start, inferences 9 and 10; the entity between two activities, inference 5) is drawn as one edge. So is what
passes through a usage without a time: what comes before a usage is the start of its activity and the
generation of its entity, which come before what is derived by it anyhow (34 and 42).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from provmodel.constraints.facts import Facts
from provmodel.constraints.merging import Merging
from provmodel.constraints.specializing import Specializing
from provmodel.relations import (
    ASSOCIATION,
    ATTRIBUTION,
    COMMUNICATION,
    DELEGATION,
    DERIVATION,
    END,
    GENERATION,
    INVALIDATION,
    START,
    USAGE,
    Kind,
)

Edge = tuple[int, int, int, int]
"""An event that comes no later than another, the other, the rule, and the statement. Rule 42 is strict."""

STRICT = 42
WORDS = ("generation", "invalidation", "start", "end", "usage")
VERBS = ("was made", "ceased to be", "started", "ended", "was used")
"""What happens to the thing of an event, by its sort."""
_GENERATION, _INVALIDATION, _START, _END, _USAGE = range(5)


class Events:
    """Numbered events: ``sort`` is an index of :data:`WORDS`, ``thing`` the name of what it happens to (the
    used entity of a usage), ``reason`` the rule by which it is there ("" where it is stated) and the
    statement.

    With ``ends`` False the events of ending, invalidation and end, are left out: nothing but such an event
    comes after one by any rule, so they matter to clocks alone.
    """

    def __init__(self, facts: Facts, merging: Merging, specializing: Specializing, *, ends: bool) -> None:
        self._facts, self._arguments, self._merging = facts, merging.arguments, merging
        self._specializing, self._with_ends = specializing, ends
        self.sort: list[int] = []
        self.thing: list[str] = []
        self.reason: list[tuple[str, int]] = []
        self.generations: dict[str, int] = {}
        self.invalidations: dict[str, int] = {}
        self.starts: dict[str, int] = {}
        self.ends: dict[str, int] = {}
        self.usages: dict[int, int] = {}
        self._relays: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._find_generations()
        self._find_starts()
        if ends:
            self._find_ends()
            self._find_usages()
        self._find_relays()

    # --- which events there are ---

    def _all(
        self, known: dict[str, int], sort: int, rule: str, names: Iterable[tuple[str | None, int]]
    ) -> None:
        fresh = {name: number for name, number in names if name is not None and name not in known}
        first = len(self.sort)
        known.update(zip(fresh, range(first, first + len(fresh)), strict=True))
        self.sort.extend([sort] * len(fresh))
        self.thing.extend(fresh)
        self.reason.extend((rule, number) for number in fresh.values())

    def _new(self, sort: int, name: str, rule: str, number: int) -> int:
        self.sort.append(sort)
        self.thing.append(name)
        self.reason.append((rule, number))
        return len(self.sort) - 1

    def _at(self, index: int, position: int) -> Iterator[tuple[str | None, int]]:
        arguments = self._arguments
        return ((arguments[number][position], number) for number in self._facts.of[index])

    def _find_generations(self) -> None:
        known = self.generations
        self._all(known, _GENERATION, "", self._at(GENERATION.index, 0))
        self._all(known, _GENERATION, "7", self._specializing.entities.items())
        self._all(known, _GENERATION, "9", self._at(START.index, 1))
        self._all(known, _GENERATION, "10", self._at(END.index, 1))
        self._all(known, _GENERATION, "13", self._at(ATTRIBUTION.index, 0))

    def _find_starts(self) -> None:
        self._all(self.starts, _START, "", self._at(START.index, 0))
        self._all(self.starts, _START, "8", self._activities())

    def _find_ends(self) -> None:
        self._all(self.invalidations, _INVALIDATION, "", self._at(INVALIDATION.index, 0))
        self._all(self.invalidations, _INVALIDATION, "7", self._specializing.entities.items())
        self._all(self.ends, _END, "", self._at(END.index, 0))
        self._all(self.ends, _END, "8", self._activities())

    def _activities(self) -> Iterator[tuple[str, int]]:
        name = self._merging.name
        return ((name(one), number) for one, number in self._facts.declared(Kind.ACTIVITY))

    def _find_usages(self) -> None:
        arguments, root = self._arguments, self._merging.root
        for number in self._facts.of[USAGE.index]:
            if self._facts.relations[number].time is not None and root(number) not in self.usages:
                used = arguments[number][1] or ""
                self.usages[root(number)] = self._new(_USAGE, used, "", number)

    def _find_relays(self) -> None:
        for specific, general, number in self._specializing.pairs:
            for name in (specific, general):
                for known, relays in self._relayed():
                    if name not in known and name not in relays:
                        relays[name] = self._new(_GENERATION, name, "19", number)

    def _relayed(self) -> tuple[tuple[dict[str, int], dict[str, int]], ...]:
        """Generations, and invalidations if asked for, each with what stands for those not known."""
        both = ((self.generations, self._relays[0]), (self.invalidations, self._relays[1]))
        return both if self._with_ends else both[:1]

    # --- in which order they are ---

    def edges(self) -> Iterator[Edge]:
        """Every edge that a rule draws, each rule's after the other's."""
        return chain(
            self._lives(),
            self._generations(),
            self._usages(),
            self._triggers(START.index, self.starts, 43, 9),
            self._triggers(END.index, self.ends, 44, 10),
            self._communications(),
            self._derivations(),
            self._specializations(),
            self._associations(),
            self._attributions(),
            self._delegations(),
        )

    def _lives(self) -> Iterator[Edge]:
        for began, ended, rule in ((self.starts, self.ends, 30), (self.generations, self.invalidations, 36)):
            for name, end in ended.items():
                start = began.get(name)
                if start is not None:
                    yield start, end, rule, self.reason[end][1]

    def _generations(self) -> Iterator[Edge]:
        starts, ends, generations = self.starts, self.ends, self.generations
        for number in self._facts.of[GENERATION.index]:
            entity, activity = self._arguments[number][:2]
            if activity is not None and entity is not None:
                made = generations[entity]
                if activity in starts:
                    yield starts[activity], made, 34, number
                if activity in ends:
                    yield made, ends[activity], 34, number

    def _usages(self) -> Iterator[Edge]:
        starts, ends = self.starts, self.ends
        generations, invalidations = self.generations, self.invalidations
        usages, root = self.usages, self._merging.root
        for number in self._facts.of[USAGE.index] if self._with_ends else ():
            activity, entity = self._arguments[number][:2]
            start, end = starts.get(activity or ""), ends.get(activity or "")
            made, gone = generations.get(entity or ""), invalidations.get(entity or "")
            used = usages.get(root(number)) if usages else None
            if used is not None:
                if start is not None:
                    yield start, used, 33, number
                if made is not None:
                    yield made, used, 37, number
                if end is not None:
                    yield used, end, 33, number
                if gone is not None:
                    yield used, gone, 38, number
            else:
                if start is not None and gone is not None:
                    yield start, gone, 38, number
                if made is not None and end is not None:
                    yield made, end, 37, number

    def _triggers(self, index: int, known: dict[str, int], within: int, inferred: int) -> Iterator[Edge]:
        """Of starts, or ends: the trigger is there at that moment, and its giver made it."""
        starts, ends = self.starts, self.ends
        for number in self._facts.of[index]:
            activity, trigger, giver = self._arguments[number][:3]
            moment = known.get(activity or "")
            start = starts.get(giver or "")
            if trigger is None:
                if start is not None and moment is not None:
                    yield start, moment, inferred, number
                continue
            made, gone = self.generations[trigger], self.invalidations.get(trigger)
            if moment is not None:
                yield made, moment, within, number
                if gone is not None:
                    yield moment, gone, within, number
            if start is not None:
                yield start, made, inferred, number
            if giver is not None and giver in ends:
                yield made, ends[giver], inferred, number

    def _communications(self) -> Iterator[Edge]:
        for number in self._facts.of[COMMUNICATION.index]:
            informed, informant = self._arguments[number][:2]
            if informant in self.starts and informed in self.ends:
                yield self.starts[informant], self.ends[informed], 35, number

    def _derivations(self) -> Iterator[Edge]:
        generations, usages = self.generations, self.usages
        used_in, root = self._facts.used_in, self._merging.root
        for number in self._facts.of[DERIVATION.index]:
            derived, source = self._arguments[number][:2]
            made = generations.get(derived or "")
            if made is None:
                continue
            before = generations.get(source or "")
            if before is not None:
                yield before, made, STRICT, number
            used = usages.get(root(used_in[number])) if usages and number in used_in else None
            if used is not None:
                yield used, made, 41, number

    def _specializations(self) -> Iterator[Edge]:
        """Also through entities of which no event is known, as specialization is transitive (19)."""
        whole = [known | relays for known, relays in self._relayed()]
        made, gone = whole[0], whole[-1] if self._with_ends else {}
        for specific, general, number in self._specializing.pairs:
            yield made[general], made[specific], 45, number
            if gone:
                yield gone[specific], gone[general], 46, number

    def _associations(self) -> Iterator[Edge]:
        for number in self._facts.of[ASSOCIATION.index]:
            activity, agent = self._arguments[number][:2]
            if activity is not None and agent is not None:
                yield from self._takes_part(activity, agent, number)

    def _takes_part(self, activity: str, agent: str, number: int) -> Iterator[Edge]:
        start, end = self.starts.get(activity), self.ends.get(activity)
        if start is not None:
            if agent in self.invalidations:
                yield start, self.invalidations[agent], 47, number
            if agent in self.ends:
                yield start, self.ends[agent], 47, number
        if end is not None:
            if agent in self.generations:
                yield self.generations[agent], end, 47, number
            if agent in self.starts:
                yield self.starts[agent], end, 47, number

    def _attributions(self) -> Iterator[Edge]:
        for number in self._facts.of[ATTRIBUTION.index]:
            entity, agent = self._arguments[number][:2]
            made = self.generations[entity or ""]
            if agent in self.generations:
                yield self.generations[agent], made, 48, number
            if agent in self.starts:
                yield self.starts[agent], made, 48, number

    def _delegations(self) -> Iterator[Edge]:
        for number in self._facts.of[DELEGATION.index]:
            delegate, responsible, activity = self._arguments[number][:3]
            if responsible in self.generations and delegate in self.invalidations:
                yield self.generations[responsible], self.invalidations[delegate], 49, number
            if responsible in self.starts and delegate in self.ends:
                yield self.starts[responsible], self.ends[delegate], 49, number
            if activity is not None:
                for agent in (delegate, responsible):
                    if agent is not None:
                        yield from self._takes_part(activity, agent, number)
