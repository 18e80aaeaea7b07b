"""Arguments compared by their tags."""

from __future__ import annotations

from collections.abc import Mapping

from queries.authority.arguments import SAME, Comparison, Tags, compare, compare_all, letters


def tags(
    whole: str,
    values: Mapping[str, str] | None = None,
    alg: str = "x",
    run: str | None = None,
    partial: bool = False,
) -> Tags:
    return Tags(alg, run, whole, values or {}, partial)


def test_tags_of_a_run_compare_with_tags_without_a_run_by_those_of_the_tenant() -> None:
    decided = Tags("tenant", "", "T1", {"/a": "t1"})
    executed = Tags("run", "r1", "R2", {"/a": "r2"}, also=Tags("tenant", "", "T2", {"/a": "t2"}))
    assert compare(decided, executed).pointers == ("/a",)
    assert compare(executed, executed).equal
    assert letters("/a", [[decided], [executed]]) == ("A", "B")


def test_equal_wholes_are_the_same_arguments() -> None:
    assert compare(tags("w", {"/a": "1"}), tags("w")) == SAME


def test_pointers_that_differ_or_stand_on_one_side_are_named() -> None:
    one, other = tags("w", {"/a": "1", "/b": "2"}), tags("v", {"/a": "1", "/b": "3", "/c": "4"})
    assert compare(one, other) == Comparison(False, ("/b", "/c"))


def test_what_a_partial_side_lacks_is_no_difference_there() -> None:
    one, other = tags("w", {"/a": "1"}, partial=True), tags("v", {"/a": "1", "/c": "4"})
    assert compare(one, other) == Comparison(False, ("",))


def test_wholes_alone_differ_as_a_whole() -> None:
    assert compare(tags("w"), tags("v")) == Comparison(False, ("",))


def test_values_alone_are_the_same_when_all_are() -> None:
    assert compare(tags("", {"/a": "1"}), tags("", {"/a": "1"})) == SAME
    assert compare(tags("", {"/a": "1"}), tags("", {"/a": "1"}, partial=True)).equal is None


def test_the_same_values_under_two_wholes_are_not_told_apart() -> None:
    assert compare(tags("w", {"/a": "1"}), tags("v", {"/a": "1"})).equal is None


def test_tags_of_two_algorithms_or_two_runs_are_not_comparable() -> None:
    assert compare(tags("w"), tags("v", alg="y")) == Comparison(None, (), "tags by x and by y")
    assert compare(tags("w", run="1"), tags("v", run="2")) == Comparison(
        None, (), "tags under the keys of two runs"
    )
    assert compare(tags("w", run="1"), tags("w")) == SAME


def test_every_pair_must_be_the_same() -> None:
    assert compare_all([tags("w"), tags("w")], [tags("w")]).equal is True
    assert compare_all([tags("w"), tags("v")], [tags("w")]).equal is False
    assert compare_all([tags("w"), tags("v", alg="y")], [tags("w")]).equal is None
    assert compare_all([], [tags("w")]).equal is None


def test_letters_stand_for_values_and_never_show_a_tag() -> None:
    one, other = tags("secret", {"/a": "1"}), tags("hidden", {"/a": "2"})
    assert letters("/a", [[one], [], [one, other], [other]]) == ("A", "", "AB", "B")
    assert letters("", [[one], [other]]) == ("A", "B")
