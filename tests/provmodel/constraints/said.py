"""Documents for these tests, in PROV-N; and documents made at random."""

from __future__ import annotations

from random import Random

from provmodel import formats
from provmodel.constraints import Verdict, validate
from provmodel.document import (
    PROV,
    PROV_QUALIFIED_NAME,
    PROV_TYPE,
    AnyStatement,
    Bundle,
    Document,
    Element,
    Literal,
    Statement,
)
from provmodel.relations import DELEGATION, TERMS, Kind, Term

EX = "http://example.org/"
PREFIXES = {"ex": EX}


def document(text: str) -> Document:
    """The document of these PROV-N statements, one a line or after ``&``; names have ``ex:`` or no prefix."""
    space = f"prefix ex <{EX}>" if "ex:" in text else f"default <{EX}>"
    return formats.read(
        f"document\n{space}\n{text.replace(' & ', chr(10))}\nendDocument\n".encode(), "prov-n"
    )


def judged(text: str) -> Verdict:
    """The verdict on them."""
    return validate(document(text))


def of(statements: list[AnyStatement]) -> Document:
    """A document of statements, without bundles."""
    return Document(Bundle(None, PREFIXES, tuple(statements)))


TIMES = ("2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z")
_WITH_ID = 11  # terms, from the first, that have an id
_IN_DOCUMENTS = 15  # terms, from the first, that stand in documents


class Chance:
    """A document made at random of few names, so that its statements have to do with each other."""

    def __init__(self, seed: int) -> None:
        self.random = chance = Random(seed)
        entities = [f"{EX}e{number}" for number in range(chance.choice((2, 3)))]
        activities = [f"{EX}a{number}" for number in range(chance.choice((1, 2, 3)))]
        agents = [f"{EX}g0", f"{EX}g1"]
        self.ids = [f"{EX}i{number}" for number in range(4)]
        if chance.random() < 0.4:
            entities.append("_:e")
            activities.append("_:a")
            self.ids += ["_:i", "_:j"]
        if chance.random() < 0.3:
            agents += [entities[0], activities[0]]
        self.names = {
            Kind.ENTITY: entities,
            Kind.ACTIVITY: activities,
            Kind.AGENT: agents,
            Kind.UNKNOWN: entities + activities + agents,
        }
        self.terms = chance.sample(TERMS[:_IN_DOCUMENTS], chance.choice((2, 3, 4, _IN_DOCUMENTS)))
        self.with_id, self.with_time = chance.choice((0, 0.3, 0.8)), chance.choice((0, 0, 0.5))
        self.without, self.anything = chance.choice((0.1, 0.5)), chance.choice((0, 0, 0.05))

    def statements(self) -> list[AnyStatement]:
        """From two to eight statements."""
        return [
            self.element() if self.random.random() < 0.3 else self.relation()
            for _ in range(self.random.choice((2, 3, 4, 5, 6, 8)))
        ]

    def element(self) -> Element:
        kind = self.random.choice((Kind.ENTITY, Kind.ENTITY, Kind.ACTIVITY, Kind.AGENT))
        name = self.random.choice(self.names[kind])
        if kind is Kind.ACTIVITY:
            return Element(kind, name, (), self.time(), self.time())
        empty = (PROV_TYPE, Literal(PROV + "EmptyCollection", PROV_QUALIFIED_NAME))
        return Element(kind, name, (empty,) if kind is Kind.ENTITY and self.random.random() < 0.1 else ())

    def time(self) -> str | None:
        return self.random.choice(TIMES) if self.random.random() < self.with_time else None

    def relation(self) -> Statement:
        chance, term = self.random, self.random.choice(self.terms)
        kinds = (term.subject_kind, *(argument.kind for argument in term.arguments))
        arguments = [self.argument(term, position, kind) for position, kind in enumerate(kinds)]
        for _ in term.references:
            known = arguments[2] not in (None, "-") or chance.random() < 0.1
            arguments.append(chance.choice(self.ids) if known and chance.random() < 0.4 else None)
        named = term.index < _WITH_ID and chance.random() < self.with_id
        return Statement(
            term,
            chance.choice(self.ids) if named else None,
            tuple(arguments),
            self.time() if term.timed else None,
        )

    def argument(self, term: Term, position: int, kind: Kind) -> str | None:
        optional = position and (
            term.arguments[position - 1].optional or (term is DELEGATION and position == 1)
        )
        if optional and self.random.random() < self.without:
            return self.random.choice((None, "-"))
        if self.random.random() < self.anything:
            return self.random.choice((None, *self.names[Kind.UNKNOWN]))
        return self.random.choice(self.names[kind])
