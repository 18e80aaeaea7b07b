"""Cases from the field: what validation says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from provmodel import formats
from provmodel.constraints import Verdict, validate

CASES = Path(__file__).parents[2] / "cases"


def judged(case: str) -> Verdict:
    [path] = CASES.glob(f"{case}-*/input.*")
    return validate(formats.read(path.read_bytes(), None, path.name))


@pytest.mark.parametrize("case", ["026", "028", "031", "051", "056", "057", "061"])
def test_what_is_odd_but_not_contradictory_is_valid(case: str) -> None:
    verdict = judged(case)
    assert (verdict.violations, verdict.clock) == ((), ())


def test_two_start_times_of_one_activity_are_one_reason_with_both() -> None:
    [one] = judged("032").violations
    assert one.constraint == "28"
    assert (
        one.message == "ex:a has one start time, and yet it is 2024-01-01T00:00:00Z and 2024-01-01T00:00:01Z."
    )
    assert len(one.statements) == 2


def test_times_against_the_order_are_told_with_both_and_leave_a_document_valid() -> None:
    verdict = judged("033")
    assert verdict.valid
    found = {one.constraint: one for one in verdict.clock}
    assert {"30", "36", "37", "38"} <= found.keys()
    assert (found["38"].earlier, found["38"].later) == ("2024-01-04T00:00:00Z", "2024-01-03T00:00:00Z")
    assert len(found["38"].statements) == 2


def test_two_usages_under_one_id_are_a_conflict_of_its_key() -> None:
    [one] = judged("043").violations
    assert one.constraint == "23"
    assert one.message == "ex:u is one usage, and yet its entity is ex:e1 and ex:e2."


def test_an_entity_that_is_an_activity_is_named() -> None:
    [one] = judged("054").violations
    assert one.constraint == "55"
    assert one.message == "ex:x is both an entity and an activity."
