"""Validation: judging a document beside reading it, and how both grow, on chains, stars and diamonds.

A chain is a run of steps that use, make and derive one thing from the last, with all their times; a star is
one activity that uses and makes everything; diamonds derive two things from one and one thing from two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import log
from statistics import median

from benchmarks.frame import Figure, Side, cpu, micros, ratio, take_turns
from provmodel import formats
from provmodel.constraints import validate
from provmodel.document import AnyStatement, Bundle, Document, Element, Statement, statement
from provmodel.relations import DERIVATION, GENERATION, USAGE, Kind

EX = "http://example.org/"
FORMATS = ("prov-n", "prov-json", "prov-xml")
MOST_TIMES_THE_READING = 3.0
GROWTH = 4
TIME = "2026-03-01T09:00:00Z"


def chain(size: int) -> list[AnyStatement]:
    said: list[AnyStatement] = []
    for step in range(size // 5):
        time = f"2026-03-{step // 86_400 + 1:02}T{step // 3600 % 24:02}:{step // 60 % 60:02}:{step % 60:02}Z"
        made, last, activity = f"{EX}e{step}", f"{EX}e{step - 1}", f"{EX}a{step}"
        said += [
            Element(Kind.ENTITY, made),
            Element(Kind.ACTIVITY, activity, (), time, time),
            statement(USAGE, activity, last, time=time),
            statement(GENERATION, made, activity, time=time),
            statement(DERIVATION, made, last, activity),
        ]
    return said


def star(size: int) -> list[AnyStatement]:
    said: list[AnyStatement] = [Element(Kind.ACTIVITY, f"{EX}a", (), TIME, TIME)]
    for number in range(size // 2):
        said += [
            statement(USAGE, f"{EX}a", f"{EX}e{number}", time=TIME),
            statement(GENERATION, f"{EX}f{number}", f"{EX}a", time=TIME),
        ]
    return said


def diamonds(size: int) -> list[AnyStatement]:
    said: list[AnyStatement] = []
    for number in range(size // 5):
        joint, after = f"{EX}j{number}", f"{EX}j{number + 1}"
        said.append(Element(Kind.ENTITY, joint))
        for side in (f"{EX}l{number}", f"{EX}r{number}"):
            said += [statement(DERIVATION, side, joint), statement(DERIVATION, after, side)]
    return said


SHAPES: tuple[Callable[[int], list[AnyStatement]], ...] = (chain, star, diamonds)


def figures(quick: bool) -> Iterable[Figure]:
    """Each shape in each format, then the growth of each shape."""
    size, turns = (10_000, 3) if quick else (100_000, 5)
    for make in SHAPES:
        document = said(make(size))
        for name in FORMATS:
            yield _beside_reading(make.__name__, name, document, size, turns)
    for make in SHAPES:
        yield from _growth(make, size, turns)


def said(statements: list[AnyStatement]) -> Document:
    return Document(Bundle(None, {"ex": EX}, tuple(statements)))


def _beside_reading(shape: str, name: str, document: Document, size: int, turns: int) -> Figure:
    chunks, _ = formats.write_document(document, name)
    data = b"".join(chunks)
    read = formats.read(data, name)
    seconds = take_turns(
        turns,
        {
            "read": lambda: cpu(lambda: formats.read(data, name)),
            "validate": lambda: cpu(lambda: validate(read)),
        },
    )
    each = {side: micros(median(took), size) for side, took in seconds.items()}
    return Figure(
        name=f"{shape}: {size:,} statements, against reading them in {name}",
        measured=ratio(seconds["validate"], seconds["read"]),
        goal=MOST_TIMES_THE_READING,
        unit="x",
        peer="Clew's own reading of the same bytes",
        note=f"{each['validate']} a statement, reading {each['read']}",
    )


def _growth(make: Callable[[int], list[AnyStatement]], size: int, turns: int) -> Iterable[Figure]:
    small, large = make(size), make(size * GROWTH)
    sides: dict[str, Side] = {
        "small": judging(said(small)),
        "large": judging(said(large)),
        "few names": keeping(small),
        "many names": keeping(large),
    }
    seconds = take_turns(turns, sides)
    grown = ratio(seconds["large"], seconds["small"])
    known = ratio(seconds["many names"], seconds["few names"])
    each = {
        side: micros(median(seconds[side]), count)
        for side, count in (("small", size), ("large", size * GROWTH))
    }
    yield Figure(
        name=f"{make.__name__}: {size * GROWTH:,} statements, against n log n from {size:,}",
        measured=grown / (GROWTH * log(size * GROWTH) / log(size)),
        goal=1.0,
        unit="x",
        peer="what n log n makes of the time for the smaller document",
        note=f"{each['small']} a statement, then {each['large']}",
    )
    yield Figure(
        name=f"{make.__name__}: the same, against how a dictionary of its names grows",
        measured=grown / known,
        goal=1.25,
        unit="x",
        peer="a `dict` of the names in both documents",
        note=f"the dictionary grows {known:.3g}x: memory that is further away",
    )


def judging(document: Document) -> Side:
    return lambda: cpu(lambda: validate(document))


def keeping(statements: list[AnyStatement]) -> Side:
    """Look each name up, and keep it the first time."""
    names = [name for one in statements if isinstance(one, Statement) for name in one.arguments if name]

    def keep() -> None:
        known: dict[str, int] = {}
        for name in names:
            if name not in known:
                known[name] = len(known)

    return lambda: cpu(keep)
