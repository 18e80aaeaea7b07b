"""The order of task versions, and how a distance in time is written."""

from __future__ import annotations

import pytest

from queries.authority.order import CAUSAL, ONE_CLOCK, TWO_CLOCKS, UNTIMED, Timing, best, duration, older


@pytest.mark.parametrize(
    ("version", "than", "told"),
    [
        ("1", "2", True),
        ("9", "10", True),
        ("10", "9", False),
        ("v1.9", "v1.10", True),
        ("2", "2", False),
        ("draft", "final", None),
        ("1", "v2", None),
    ],
)
def test_task_versions_of_one_form_are_compared_by_their_numbers(
    version: str, than: str, told: bool | None
) -> None:
    assert older(version, than) is told


def test_a_distance_is_written_in_seconds() -> None:
    assert duration(0) == "PT0S"
    assert duration(90_000_000_000) == "PT90S"
    assert duration(250_000_000) == "PT0.25S"
    assert duration(1) == "PT0.000000001S"


def test_the_better_basis_decides_and_of_two_as_good_the_one_that_holds() -> None:
    assert best([Timing(True, TWO_CLOCKS), Timing(False, CAUSAL)]) == Timing(False, CAUSAL)
    assert best([Timing(False, ONE_CLOCK), Timing(True, ONE_CLOCK)]) == Timing(True, ONE_CLOCK)


def test_what_nobody_reported_has_no_order() -> None:
    assert best([]) == UNTIMED


def test_only_clocks_have_a_difference() -> None:
    assert Timing(True, CAUSAL, 5).difference == ""
    assert Timing(True, ONE_CLOCK, -2_000_000_000).difference == "PT2S"
