"""What holds of verdicts whatever the document: against the standard drawn word by word, and each other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import product
from random import Random

import pytest

from provmodel.constraints import validate
from provmodel.document import (
    PROV,
    PROV_QUALIFIED_NAME,
    PROV_TYPE,
    AnyStatement,
    Element,
    Literal,
    Statement,
    statement,
)
from provmodel.relations import (
    ALTERNATE,
    COMMUNICATION,
    DERIVATION,
    GENERATION,
    INFLUENCE,
    REVISION,
    SPECIALIZATION,
    START,
    USAGE,
    Kind,
)
from tests.provmodel.constraints import chase
from tests.provmodel.constraints.said import EX, Chance, of

SEEDS = range(40)


def verdict(statements: list[AnyStatement]) -> bool:
    return validate(of(statements)).valid


@pytest.mark.parametrize("seed", SEEDS)
def test_a_verdict_is_that_of_the_standard_drawn_word_by_word(seed: int) -> None:
    for part in range(6):
        statements = Chance(seed * 6 + part).statements()
        broken = chase.valid(statements)
        found = validate(of(statements))
        assert found.valid == (not broken), f"{broken or 'valid'}: {found}\n{statements}"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_statements_changes_nothing(seed: int) -> None:
    for part in range(8):
        statements = Chance(seed * 8 + part).statements()
        shuffled = statements.copy()
        Random(seed).shuffle(shuffled)
        one, other = validate(of(statements)), validate(of(shuffled))
        assert one.valid == other.valid
        assert bool(one.clock) == bool(other.clock)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_redundant_statement_changes_nothing(seed: int) -> None:
    for part in range(8):
        statements = Chance(seed * 8 + part).statements()
        valid = verdict(statements)
        for redundant in (*statements, *implied(statements)):
            assert verdict([*statements, redundant]) == valid, redundant
        assert verdict([*statements, *implied(statements), *statements]) == valid


def implied(statements: list[AnyStatement]) -> Iterator[Statement]:
    """What follows from statements by inferences 6, 15, 16, 18 and 20."""
    relations = [one for one in statements if isinstance(one, Statement)]
    for one in relations:
        subject, other = one.subject, one.nodes[0]
        if subject and other:
            if one.term.attributes:
                yield statement(INFLUENCE, subject, other, name=one.id)
            if one.term in (SPECIALIZATION, ALTERNATE):
                yield statement(ALTERNATE, other, subject)
    for made, used in product(relations, relations):
        both = made.term is GENERATION and used.term is USAGE and made.subject == used.nodes[0]
        if both and made.subject and used.subject and made.nodes[0]:
            yield statement(COMMUNICATION, used.subject, made.nodes[0])
    for thing in statements:
        if isinstance(thing, Element) and thing.kind is Kind.ENTITY:
            yield statement(ALTERNATE, thing.id, thing.id)


def test_a_subtype_of_derivation_is_judged_as_the_derivation_it_is() -> None:
    things: list[AnyStatement] = [Element(Kind.ENTITY, EX + name) for name in "ab"]
    revision = (PROV_TYPE, Literal(PROV + "Revision", PROV_QUALIFIED_NAME))
    there = statement(DERIVATION, EX + "a", EX + "b", attributes=(revision,))
    back = statement(REVISION, EX + "b", EX + "a")
    assert verdict([*things, there])
    assert not verdict([*things, there, back])


# --- large and hostile documents ---


def chain(size: int) -> list[AnyStatement]:
    said: list[AnyStatement] = []
    for number in range(size // 4):
        made, before, activity = f"{EX}e{number}", f"{EX}e{number - 1}", f"{EX}a{number}"
        said += [
            Element(Kind.ENTITY, made),
            statement(GENERATION, made, activity),
            statement(USAGE, activity, before),
            statement(DERIVATION, made, before, activity),
        ]
    return said


def star(size: int) -> list[AnyStatement]:
    """One activity that uses and generates everything: all pairs of these are size squared."""
    uses = [statement(USAGE, EX + "a", f"{EX}e{number}") for number in range(size // 2)]
    return [*uses, *(statement(GENERATION, f"{EX}f{number}", EX + "a") for number in range(size // 2))]


def diamonds(size: int) -> list[AnyStatement]:
    said: list[AnyStatement] = [Element(Kind.ENTITY, EX + "j0")]
    for number in range(size // 4):
        joint, after = f"{EX}j{number}", f"{EX}j{number + 1}"
        for side in (f"{EX}l{number}", f"{EX}r{number}"):
            said += [statement(DERIVATION, side, joint), statement(DERIVATION, after, side)]
    return said


def specializations(size: int) -> list[AnyStatement]:
    first: list[AnyStatement] = [Element(Kind.ENTITY, EX + "e0")]
    return first + [statement(SPECIALIZATION, f"{EX}e{n + 1}", f"{EX}e{n}") for n in range(size)]


def one_id(size: int) -> list[AnyStatement]:
    return [statement(USAGE, EX + "a", EX + "e", name=EX + "u") for _ in range(size)]


def unknowns(size: int) -> list[AnyStatement]:
    """Blank names that turn out to be others, one after the other."""
    said: list[AnyStatement] = []
    for number in range(size // 2):
        said += [
            statement(GENERATION, "_:e", f"_:a{number}", name=f"_:g{number // 2}"),
            statement(START, f"_:a{number}", f"_:e{number}", f"_:a{number + 1}", name=f"_:s{number // 3}"),
        ]
    return said


MAKERS = (chain, star, diamonds, specializations, one_id, unknowns)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_a_large_document_is_judged_without_recursion(make: Callable[[int], list[AnyStatement]]) -> None:
    assert verdict(make(10_000))


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_the_work_does_not_grow_with_the_square(make: Callable[[int], list[AnyStatement]]) -> None:
    """Sixteen times the statements are at most 64 times the work, caches and all; a square would be 256."""
    small, great = (of(make(size)) for size in (500, 8_000))
    assert least(lambda: validate(great)) < 64 * least(lambda: validate(small))


def least(work: Callable[[], object]) -> float:
    """Seconds of this process that the quickest of five runs takes."""
    spent = []
    for _ in range(5):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return max(min(spent), 0.001)


def test_a_knot_of_very_many_derivations_is_one_reason() -> None:
    names = [f"{EX}e{number}" for number in range(80)]
    said: list[AnyStatement] = [Element(Kind.ENTITY, name) for name in names]
    said += [statement(DERIVATION, one, other) for one in names for other in names]
    [one] = validate(of(said)).violations
    assert one.constraint == "42"


def test_contradictions_everywhere_are_still_judged() -> None:
    """Every statement under one id, each with another entity, time and activity."""
    said: list[AnyStatement] = [
        statement(
            USAGE,
            f"{EX}a{n}",
            f"{EX}e{n}",
            name=EX + "u",
            time=f"2024-01-01T00:{n // 60 % 60:02}:{n % 60:02}Z",
        )
        for n in range(3_000)
    ]
    verdict_ = validate(of(said))
    assert {one.constraint for one in verdict_.violations} == {"23"}
    assert all(len(one.message) < 500 for one in verdict_.violations)
