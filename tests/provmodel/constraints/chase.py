"""PROV-CONSTRAINTS word by word, for small documents: every inference drawn, every pair of events compared.

It shares nothing with the product but the shape of documents, so that the two can be held to each other. It
takes time and room without measure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, count, product

from provmodel.document import PROV, PROV_TYPE, AnyStatement, Element, Statement

Term = str | int
"""A constant, or a number for something that exists and isn't known."""
Fact = tuple[Term, ...]
"""A name, then what it is said of; of a relation its id comes first, of a timed one the time last."""

TIMED = ("wasGeneratedBy", "used", "wasStartedBy", "wasEndedBy", "wasInvalidatedBy")
NEEDED = {
    "wasGeneratedBy": 1,
    "used": 1,
    "wasInformedBy": 2,
    "wasStartedBy": 1,
    "wasEndedBy": 1,
    "wasInvalidatedBy": 1,
    "wasDerivedFrom": 2,
    "wasAttributedTo": 2,
    "wasAssociatedWith": 1,
    "actedOnBehalfOf": 1,
    "wasInfluencedBy": 2,
    "specializationOf": 2,
    "alternateOf": 2,
    "hadMember": 2,
    "mentionOf": 3,
}
WITH_ID = tuple(NEEDED)[:11]
THINGS = ("entity", "activity", "agent")
# The fields of a fact (its name is field 0) that tell it from others, and the field that then is the same.
KEYS = {"wasGeneratedBy": (2, 3), "wasInvalidatedBy": (2, 3), "wasStartedBy": (2, 4), "wasEndedBy": (2, 4)}


class Invalid(Exception):
    """The document is not valid; says by which rule."""


class Chase:
    """Draws everything that follows; raises :class:`Invalid`."""

    def __init__(self, statements: Iterable[AnyStatement]) -> None:
        self.fresh = count()
        self.blank: dict[str, int] = {}
        self.facts: set[Fact] = set()
        for one in statements:
            if isinstance(one, Element):
                self.add_element(one)
            elif isinstance(one, Statement):
                self.add_statement(one)

    def term(self, given: str | None) -> Term:
        if given is None or given == "-":
            return next(self.fresh)
        return self.blank.setdefault(given, next(self.fresh)) if given.startswith("_:") else given

    def add_element(self, one: Element) -> None:
        name, kind = self.term(one.id), one.kind.word
        if kind == "activity":
            self.facts.add((kind, name, self.time(one.start), self.time(one.end)))
        else:
            self.facts.add((kind, name))
        if any(key == PROV_TYPE and value.value == PROV + "EmptyCollection" for key, value in one.attributes):
            self.facts.add(("empty", name))

    def time(self, given: str | None) -> Term:
        return next(self.fresh) if given is None else f"time {given}"

    def add_statement(self, one: Statement) -> None:
        name = one.term.name
        arguments = [None if value == "-" else value for value in one.arguments]
        if None in arguments[: NEEDED[name]]:
            raise Invalid("required")
        terms = [self.term(value) for value in arguments]
        if name == "wasDerivedFrom" and arguments[2] is None:
            terms[2:] = ["-" if value is None else self.term(value) for value in arguments[2:]]
        if name == "wasAssociatedWith" and arguments[2] is None:
            terms[2] = "-"
        if name in WITH_ID:
            terms.insert(0, self.term(one.id))
        if name in TIMED:
            terms.append(self.time(one.time))
        self.facts.add((name, *terms))

    # --- drawing what follows ---

    def run(self) -> None:
        while True:
            self.unify()
            before = len(self.facts)
            self.infer()
            if len(self.facts) == before:
                break
        self.judge()

    def of(self, name: str) -> list[Fact]:
        return [fact for fact in self.facts if fact[0] == name]

    def unify(self) -> None:
        while True:
            pair = next(self.equal(), None)
            if pair is None:
                return
            one, other, rule = pair
            if isinstance(one, str) and isinstance(other, str):
                raise Invalid(rule)
            gone, kept = (one, other) if isinstance(one, int) else (other, one)
            self.facts = {tuple(kept if term == gone else term for term in fact) for fact in self.facts}

    def equal(self) -> Iterator[tuple[Term, Term, str]]:
        """Pairs of terms that have to be one and are not."""
        for one, other in combinations(self.facts, 2):
            if one[0] == other[0]:
                yield from self.equal_of(str(one[0]), one, other)
        for activity, time in product(self.of("activity"), self.of("wasStartedBy")):
            if activity[1] == time[2] and activity[2] != time[5]:
                yield activity[2], time[5], "28"
        for activity, time in product(self.of("activity"), self.of("wasEndedBy")):
            if activity[1] == time[2] and activity[3] != time[5]:
                yield activity[3], time[5], "29"

    def equal_of(self, name: str, one: Fact, other: Fact) -> Iterator[tuple[Term, Term, str]]:
        if name in (*WITH_ID, "activity", "mentionOf") and one[1] == other[1]:
            rule = {"activity": "22", "mentionOf": "mention"}.get(name, "23")
            yield from ((a, b, rule) for a, b in zip(one, other, strict=True) if a != b)
        if name in KEYS and one[1] != other[1] and all(one[field] == other[field] for field in KEYS[name]):
            yield one[1], other[1], "24 to 27"

    def need(self, name: str, *pattern: Term | None) -> None:
        """Add a fact of this pattern with new unknowns for None, unless there is one."""
        for fact in self.of(name):
            if all(want is None or want == have for want, have in zip(pattern, fact[1:], strict=True)):
                return
        self.facts.add((name, *(next(self.fresh) if want is None else want for want in pattern)))

    def infer(self) -> None:
        for fact in tuple(self.facts):
            rule: Callable[..., None] | None = getattr(self, f"infer_{fact[0]}", None)
            if rule:
                rule(*fact[1:])
            if fact[0] in WITH_ID:
                self.facts.add(("wasInfluencedBy", *fact[1:4]))
        for made, used in product(self.of("wasGeneratedBy"), self.of("used")):
            if made[2] == used[3]:
                self.need("wasInformedBy", None, used[2], made[3])

    def infer_wasInformedBy(self, _: Term, informed: Term, informant: Term) -> None:
        for made, used in product(self.of("wasGeneratedBy"), self.of("used")):
            if made[3] == informant and used[2] == informed and made[2] == used[3]:
                return
        entity = next(self.fresh)
        self.need("wasGeneratedBy", None, entity, informant, None)
        self.need("used", None, informed, entity, None)

    def infer_entity(self, entity: Term) -> None:
        self.need("wasGeneratedBy", None, entity, None, None)
        self.need("wasInvalidatedBy", None, entity, None, None)
        for _, specific, general in self.of("specializationOf"):
            if general == entity:
                self.facts.add(("entity", specific))

    def infer_empty(self, entity: Term) -> None:
        for _, specific, general in self.of("specializationOf"):
            if general == entity:
                self.facts.add(("empty", specific))

    def infer_activity(self, activity: Term, start: Term, end: Term) -> None:
        self.need("wasStartedBy", None, activity, None, None, start)
        self.need("wasEndedBy", None, activity, None, None, end)

    def infer_wasStartedBy(self, _: Term, __: Term, trigger: Term, starter: Term, ___: Term) -> None:
        self.need("wasGeneratedBy", None, trigger, starter, None)

    infer_wasEndedBy = infer_wasStartedBy

    def infer_wasDerivedFrom(
        self, _: Term, derived: Term, source: Term, activity: Term, made: Term, used: Term
    ) -> None:
        if "-" not in (activity, made, used):
            self.need("used", used, activity, source, None)
            self.need("wasGeneratedBy", made, derived, activity, None)

    def infer_wasAttributedTo(self, _: Term, entity: Term, agent: Term) -> None:
        for made, part in product(self.of("wasGeneratedBy"), self.of("wasAssociatedWith")):
            if made[2] == entity and made[3] == part[2] and part[3] == agent:
                return
        activity = next(self.fresh)
        self.need("wasGeneratedBy", None, entity, activity, None)
        self.need("wasAssociatedWith", None, activity, agent, None)

    def infer_actedOnBehalfOf(self, _: Term, delegate: Term, responsible: Term, activity: Term) -> None:
        self.need("wasAssociatedWith", None, activity, delegate, None)
        self.need("wasAssociatedWith", None, activity, responsible, None)

    def infer_mentionOf(self, specific: Term, general: Term, _: Term) -> None:
        self.facts.add(("specializationOf", specific, general))

    def infer_specializationOf(self, specific: Term, general: Term) -> None:
        for _, one, other in self.of("specializationOf"):
            if one == general:
                self.facts.add(("specializationOf", specific, other))

    # --- judging what is there then ---

    def judge(self) -> None:
        self.judge_kinds()
        self.judge_ids()
        for _, specific, general in self.of("specializationOf"):
            if specific == general:
                raise Invalid("52")
        for fact in self.of("wasDerivedFrom"):
            if fact[4] == "-" and fact[5:7] != ("-", "-"):
                raise Invalid("51")
        for fact in self.of("hadMember"):
            if ("empty", fact[1]) in self.facts:
                raise Invalid("56")
        if self.goes_round():
            raise Invalid("42")

    def judge_kinds(self) -> None:
        entities: set[Term] = set()
        activities: set[Term] = set()
        for fact in self.facts:
            for field, kind in PLACES.get(str(fact[0]), {}).items():
                if fact[field] != "-":
                    (entities if kind == "e" else activities).add(fact[field])
        if entities & activities:
            raise Invalid("55")

    def judge_ids(self) -> None:
        for one, other in combinations(self.facts, 2):
            names = {one[0], other[0]}
            if one[1] == other[1] and len(names) == 2:
                if names <= set(WITH_ID) - {"wasInfluencedBy"}:
                    raise Invalid("53")
                if names & set(THINGS) and names & set(WITH_ID):
                    raise Invalid("54")

    def goes_round(self) -> bool:
        """True when an event comes before itself, strictly somewhere on the way."""
        after: dict[Term, dict[Term, bool]] = {}
        for one, other, strict in self.ordered():
            known = after.setdefault(one, {})
            known[other] = known.get(other, False) or strict
        grown = True
        while grown:
            grown = False
            for known in after.values():
                for middle, strict in tuple(known.items()):
                    for last, strictly in tuple(after.get(middle, {}).items()):
                        found = strict or strictly
                        if last not in known or (found and not known[last]):
                            known[last] = found
                            grown = True
        return any(known.get(event, False) for event, known in after.items())

    def pairs(self, one: str, field: int, other: str, place: int) -> Iterator[tuple[Term, Term, bool]]:
        """The ids of facts of two names that have the same in these fields."""
        for first, second in product(self.of(one), self.of(other)):
            if first[field] == second[place]:
                yield first[1], second[1], False

    def over(
        self, name: str, fields: tuple[int, int], *rules: tuple[str, str]
    ) -> Iterator[tuple[Term, Term, bool]]:
        """The ids of events of the things in two fields of each fact: the one's before the other's."""
        for fact in self.of(name):
            for one, other in rules:
                for first, second in product(self.of(one), self.of(other)):
                    if first[2] == fact[fields[0]] and second[2] == fact[fields[1]]:
                        yield first[1], second[1], name == "wasDerivedFrom"

    def ordered(self) -> Iterator[tuple[Term, Term, bool]]:
        made, gone, start, end = "wasGeneratedBy", "wasInvalidatedBy", "wasStartedBy", "wasEndedBy"
        yield from self.pairs(start, 2, end, 2)  # 30
        yield from self.pairs(start, 2, start, 2)  # 31
        yield from self.pairs(end, 2, end, 2)  # 32
        yield from self.pairs(start, 2, "used", 2)  # 33
        yield from self.pairs("used", 2, end, 2)
        yield from self.pairs(start, 2, made, 3)  # 34
        yield from self.pairs(made, 3, end, 2)
        yield from self.over("wasInformedBy", (3, 2), (start, end))  # 35
        yield from self.pairs(made, 2, gone, 2)  # 36
        yield from self.pairs(made, 2, "used", 3)  # 37
        yield from self.pairs("used", 3, gone, 2)  # 38
        yield from self.pairs(made, 2, made, 2)  # 39
        yield from self.pairs(gone, 2, gone, 2)  # 40
        yield from ((f[6], f[5], False) for f in self.of("wasDerivedFrom") if "-" not in f)  # 41
        yield from self.over("wasDerivedFrom", (3, 2), (made, made))  # 42
        for event in (start, end):  # 43, 44
            yield from self.pairs(made, 2, event, 3)
            yield from self.pairs(event, 3, gone, 2)
        for _, specific, general in self.of("specializationOf"):  # 45, 46
            for one, other in product(self.of(made), self.of(made)):
                if one[2] == general and other[2] == specific:
                    yield one[1], other[1], False
            for one, other in product(self.of(gone), self.of(gone)):
                if one[2] == specific and other[2] == general:
                    yield one[1], other[1], False
        yield from self.over("wasAssociatedWith", (2, 3), (start, gone), (start, end))  # 47
        yield from self.over("wasAssociatedWith", (3, 2), (made, end), (start, end))
        yield from self.over("wasAttributedTo", (3, 2), (made, made), (start, made))  # 48
        yield from self.over("actedOnBehalfOf", (3, 2), (made, gone), (start, end))  # 49


PLACES: dict[str, dict[int, str]] = {
    "entity": {1: "e"},
    "activity": {1: "a"},
    "wasGeneratedBy": {2: "e", 3: "a"},
    "used": {2: "a", 3: "e"},
    "wasInformedBy": {2: "a", 3: "a"},
    "wasStartedBy": {2: "a", 3: "e", 4: "a"},
    "wasEndedBy": {2: "a", 3: "e", 4: "a"},
    "wasInvalidatedBy": {2: "e", 3: "a"},
    "wasDerivedFrom": {2: "e", 3: "e", 4: "a"},
    "wasAttributedTo": {2: "e"},
    "wasAssociatedWith": {2: "a", 4: "e"},
    "actedOnBehalfOf": {4: "a"},
    "specializationOf": {1: "e", 2: "e"},
    "alternateOf": {1: "e", 2: "e"},
    "hadMember": {1: "e", 2: "e"},
    "mentionOf": {1: "e", 2: "e", 3: "e"},
}


def valid(statements: Iterable[AnyStatement]) -> str:
    """The rule by which they are invalid, or ""."""
    try:
        Chase(statements).run()
    except Invalid as error:
        return str(error)
    return ""
