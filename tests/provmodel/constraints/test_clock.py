"""What clocks say against the order: told, and never a reason against a document."""

from __future__ import annotations

import pytest

from provmodel.constraints import Untimely, instants
from tests.provmodel.constraints.said import judged

LATE, EARLY = "2024-01-02T00:00:00Z", "2024-01-01T00:00:00Z"

# For each rule that orders two events, statements with the time of the first one and that of the second.
ORDERED = {
    "30": "activity(a, {0}, {1})",
    "33": "used(a, e, {1}) & wasStartedBy(a, -, -, {0})",
    "34": "wasGeneratedBy(e, a, {0}) & wasEndedBy(a, -, -, {1})",
    "35": "wasInformedBy(b, a) & activity(a, {0}, -) & activity(b, -, {1})",
    "36": "wasGeneratedBy(e, -, {0}) & wasInvalidatedBy(e, -, {1})",
    "37": "wasGeneratedBy(e, -, {0}) & used(a, e, {1})",
    "38": "used(a, e, {0}) & wasInvalidatedBy(e, -, {1})",
    "41": "wasDerivedFrom(f, e, a, g, u) & used(u; a, e, {0}) & wasGeneratedBy(g; f, a, {1})",
    "42": "wasDerivedFrom(f, e) & wasGeneratedBy(e, -, {0}) & wasGeneratedBy(f, -, {1})",
    "43": "wasStartedBy(a, e, -, {1}) & wasGeneratedBy(e, -, {0})",
    "44": "wasEndedBy(a, e, -, {0}) & wasInvalidatedBy(e, -, {1})",
    "45": "specializationOf(f, e) & wasGeneratedBy(e, -, {0}) & wasGeneratedBy(f, -, {1})",
    "46": "specializationOf(f, e) & wasInvalidatedBy(f, -, {0}) & wasInvalidatedBy(e, -, {1})",
    "47": "wasAssociatedWith(a, g, -) & wasGeneratedBy(g, -, {0}) & wasEndedBy(a, -, -, {1})",
    "48": "wasAttributedTo(e, g) & activity(g, {0}, -) & wasGeneratedBy(e, -, {1})",
    "49": "actedOnBehalfOf(h, g, -) & wasGeneratedBy(g, -, {0}) & wasInvalidatedBy(h, -, {1})",
    "9": "wasStartedBy(b, -, a, {1}) & activity(a, {0}, -)",
    "10": "wasEndedBy(b, -, a, {1}) & activity(a, {0}, -)",
}

SAME_MOMENT = {
    "31": "wasStartedBy(a, -, -, {0}) & wasStartedBy(a, -, -, {1})",
    "32": "wasEndedBy(a, -, -, {0}) & wasEndedBy(a, -, -, {1})",
    "39": "wasGeneratedBy(e, -, {0}) & wasGeneratedBy(e, -, {1})",
    "40": "wasInvalidatedBy(e, -, {0}) & wasInvalidatedBy(e, -, {1})",
}


def found(text: str) -> dict[str, Untimely]:
    verdict = judged(text)
    assert verdict.valid, "clocks make nothing invalid"
    return {one.constraint: one for one in verdict.clock}


@pytest.mark.parametrize("rule", ORDERED)
def test_times_in_the_order_of_events_are_no_finding(rule: str) -> None:
    assert found(ORDERED[rule].format(EARLY, LATE)) == {}
    assert found(ORDERED[rule].format(EARLY, EARLY)) == {}


@pytest.mark.parametrize("rule", ORDERED)
def test_times_against_the_order_of_events_are_a_finding_with_both_times(rule: str) -> None:
    one = found(ORDERED[rule].format(LATE, EARLY))[rule]
    assert (one.earlier, one.later) == (LATE, EARLY)
    assert LATE in one.message
    assert EARLY in one.message
    assert one.statements
    assert [step.rule for step in one.chain][-1] == rule


@pytest.mark.parametrize("rule", SAME_MOMENT)
def test_one_moment_with_two_times_is_a_finding(rule: str) -> None:
    one = found(SAME_MOMENT[rule].format(LATE, EARLY))[rule]
    assert (one.kind, one.earlier, one.later) == ("one-moment-two-times", EARLY, LATE)
    assert found(SAME_MOMENT[rule].format(LATE, LATE)) == {}


def test_what_investigators_look_for_has_a_name() -> None:
    for rule, kind in {
        "30": "end-before-start",
        "36": "invalidation-before-generation",
        "37": "use-before-generation",
        "38": "use-after-invalidation",
        "41": "effect-before-cause",
        "42": "effect-before-cause",
    }.items():
        assert found(ORDERED[rule].format(LATE, EARLY))[rule].kind == kind


def test_an_order_through_events_without_a_time_is_found_and_told_step_by_step() -> None:
    verdict = judged(
        f"wasGeneratedBy(a, -, {LATE}) & entity(b) & wasDerivedFrom(b, a)"
        f" & wasDerivedFrom(c, b) & wasGeneratedBy(c, -, {EARLY})"
    )
    [one] = verdict.clock
    assert [step.text for step in one.chain] == [
        "a was made before b was made",
        "b was made before c was made",
    ]
    assert one.kind == "effect-before-cause"


def test_a_use_without_a_time_still_orders_its_activity_and_its_entity() -> None:
    text = "used(a, e, -) & activity(a, {0}, {1}) & wasGeneratedBy(e, -, {2}) & wasInvalidatedBy(e, -, {3})"
    assert (
        found(text.format("2024-01-02T00:00:00Z", "2024-01-03T00:00:00Z", EARLY, "2024-01-04T00:00:00Z"))
        == {}
    )
    after = found(text.format("2024-01-05T00:00:00Z", "2024-01-06T00:00:00Z", EARLY, "2024-01-04T00:00:00Z"))
    assert after["38"].kind == "use-after-invalidation"
    before = found(text.format(EARLY, "2024-01-02T00:00:00Z", "2024-01-03T00:00:00Z", "2024-01-04T00:00:00Z"))
    assert before["37"].kind == "use-before-generation"


def test_end_before_start_and_three_more_are_found_side_by_side() -> None:
    """The order of a, e and b of case 033: each is told with its rule, and the document is valid."""
    rules = found(
        "activity(a, 2024-01-02T00:00:00Z, 2024-01-01T00:00:00Z)"
        " & wasGeneratedBy(e, a, 2024-01-05T00:00:00Z) & used(b, e, 2024-01-04T00:00:00Z)"
        " & wasInvalidatedBy(e, c, 2024-01-03T00:00:00Z)"
    )
    assert {"30", "36", "37", "38"} <= rules.keys()


def test_a_contradiction_of_ids_is_not_told_again_as_one_of_clocks() -> None:
    verdict = judged(f"wasGeneratedBy(g; e, -, {LATE}) & wasGeneratedBy(g; e, -, {EARLY})")
    assert [one.constraint for one in verdict.violations] == ["23"]
    assert verdict.clock == ()


def test_times_with_and_without_a_zone_are_not_compared_by_the_clock() -> None:
    text = "activity(a, {0}, {1})"
    assert found(text.format("2024-01-09T00:00:00", "2024-01-01T00:00:00Z")) == {}
    assert found(text.format("2024-01-09T00:00:00Z", "2024-01-01T00:00:00")) == {}
    assert found(text.format("2024-01-09T00:00:00", "2024-01-01T00:00:00")).keys() == {"30"}


def test_times_are_compared_as_instants_and_not_as_text() -> None:
    text = "activity(a, {0}, {1})"
    for earlier, later in (
        ("2024-01-01T00:00:00+02:00", "2023-12-31T23:00:00Z"),
        ("2024-01-01T00:00:01Z", "2024-01-01T00:00:01.200Z"),
        ("2023-12-31T24:00:00Z", "2024-01-01T00:00:00Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("9999-12-31T00:00:00Z", "10000-01-01T00:00:00Z"),
        ("-0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
    ):
        assert found(text.format(earlier, later)) == {}


def test_a_text_that_is_no_time_is_compared_with_nothing() -> None:
    for text in ("2024-02-30T00:00:00Z", "2024-01-01", "2024-01-01T25:00:00Z", "now", "2024-01-01T24:00:01Z"):
        assert instants.read(text) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.1Z"),
        ("2024-01-01T00:00:00.05Z", "2024-01-01T00:00:00.1Z"),
        ("2024-01-01T00:00:00.1Z", "2024-01-01T00:00:00.10001Z"),
        ("2023-12-31T23:59:59Z", "2024-01-01T00:00:00Z"),
        ("2024-01-01T00:00:00+01:00", "2024-01-01T00:00:00Z"),
        ("2024-01-01T00:00:00", "2024-01-01T00:00:01"),
        ("2024-01-01T00:00:00", "2024-01-01T14:00:01Z"),
        ("2024-01-01T00:00:00Z", "2024-01-01T14:00:01"),
    ],
)
def test_one_instant_is_before_another(one: str, other: str) -> None:
    first, second = instants.read(one), instants.read(other)
    assert first
    assert second
    assert instants.before(first, second)
    assert not instants.before(second, first)


def test_a_time_without_a_zone_within_fourteen_hours_is_before_nothing() -> None:
    first, second = instants.read("2024-01-01T00:00:00"), instants.read("2024-01-01T14:00:00Z")
    assert first
    assert second
    assert not instants.before(first, second)
    assert not instants.before(second, first)


def test_a_time_with_and_one_without_a_zone_are_one_only_when_they_can_be() -> None:
    text = "activity(a, 2024-01-01T00:00:00, -) & activity(a, {0}, -)"
    assert judged(text.format("2024-01-01T09:00:00Z")).valid
    assert not judged(text.format("2024-01-02T09:00:00Z")).valid
