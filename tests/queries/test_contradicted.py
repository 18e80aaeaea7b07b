"""Verifiers who contradict each other: neither wins, and every question that speaks of the effect says so."""

from __future__ import annotations

from typing import Any

import pytest

from provmodel.events import ToolCall, Verification
from queries import shelf
from queries.effect import effect_of_action, effect_of_attempt
from queries.memory import MemoryGraph
from tests.queries.test_effect import call, check
from tests.story import Story

WRITE = "file:/vv@version:1"


def disputed() -> MemoryGraph:
    """A write that was read back as done, and as not done."""
    story = Story()
    story.run("run:r")
    story.tries("att:1", reads=["doc:1"], writes=[WRITE])
    story.checks("check:1", WRITE, attempt="att:1")
    story.checks("check:2", WRITE, "confirmed_failed", attempt="att:1")
    return story.graph()


def ask(name: str, *targets: str, graph: MemoryGraph | None = None, **given: Any) -> tuple[Any, str]:
    question = shelf.question(name)
    asked = question.read({"target": list(targets), **given})
    answer = question.answer(graph or disputed(), asked)
    return answer.graph, " ".join(question.sentences(answer))


def of(calls: list[ToolCall], *checks: Verification) -> tuple[str, str]:
    """The effect of the first attempt, and of the action."""
    attempts = {each.attempt: [each] for each in calls}
    first = calls[0].attempt
    return effect_of_attempt(first, attempts, checks, "act"), effect_of_action(attempts, checks, "act")


NO: Any = "confirmed_failed"


def test_one_attempt_verified_both_ways_is_contradicted() -> None:
    one = [call("a1", "completed", "order:1")]
    assert of(one, check("a1"), check("a1", NO)) == ("contradicted", "contradicted")
    assert of(one, check("order:1"), check("a1", NO)) == ("contradicted", "contradicted")
    assert of(one, check("act"), check("a1", NO)) == ("contradicted", "contradicted")


def test_another_attempt_that_is_confirmed_confirms_the_action_all_the_same() -> None:
    two = [call("a1"), call("a2")]
    assert of(two, check("a1"), check("a1", NO), check("a2")) == ("contradicted", "confirmed")
    assert of(two, check("a1"), check("a1", NO), check("a2", NO)) == ("contradicted", "contradicted")


def test_two_writes_of_one_attempt_may_differ_without_contradiction() -> None:
    both = [call("a1", "completed", "order:1", "order:2")]
    assert of(both, check("order:1"), check("order:2", NO)) == ("confirmed", "confirmed")
    assert of(both, check("order:1"), check("order:1", NO)) == ("contradicted", "contradicted")


def test_what_is_known_better_wins() -> None:
    lowered = Verification(
        id="v", source="s", time="2026-01-01T00:00:00Z", method="read", verification="v", subject="a1",
        verdict=NO, evidence="declared",
    )  # fmt: skip
    assert of([call("a1")], check("a1"), lowered) == ("confirmed", "confirmed")


def test_attempts_of_tells_the_contradiction() -> None:
    graph, told = ask("attempts-of", "run:r")
    assert graph.effect == graph.operations[0].effect == "contradicted"
    assert "contradicted" in told


def test_who_authorized_takes_it_for_reported_and_contradicted() -> None:
    graph, told = ask("who-authorized", WRITE)
    assert graph.effect == graph.writes[0].attempt_effect == "contradicted"
    assert f"{WRITE} is reported as written" in told
    assert "took effect is contradicted" in told


@pytest.mark.parametrize("crossed", ["false", "true"])
def test_survivors_of_does_not_say_that_it_was_never_written(crossed: str) -> None:
    graph, told = ask("survivors-of", "doc:1", include_refuted=crossed)
    assert (graph.contradicted, graph.refuted, graph.survivors) == ((WRITE,), (), ())
    assert "Never written" not in told
    assert "contradicted" in told


def test_impact_of_gives_it_a_standing_of_its_own() -> None:
    graph, told = ask("impact-of", "doc:1", include_refuted="true")
    assert [one.standing for one in graph.affected] == ["contradicted"]
    assert (
        f"Contradicted by verifiers, confirmed and confirmed to have failed: that att:1 made {WRITE}" in told
    )


def test_unverified_writes_counts_it_neither_as_verified_nor_as_failed() -> None:
    graph, told = ask("unverified-writes", "run:r")
    assert [(one.write, one.why) for one in graph.writes] == [(WRITE, "contradicted")]
    assert (graph.verified, graph.confirmed_failed, graph.complete) == (0, 0, False)
    assert f"Verifiers contradict each other, read back as done and as not done: {WRITE} (by att:1)" in told


def test_inputs_of_says_that_its_making_is_contradicted_or_refuted() -> None:
    assert f"that att:1 made {WRITE}" in ask("inputs-of", WRITE)[1]
    story = Story()
    story.tries("att:1", reads=["doc:1"], writes=[WRITE])
    story.checks("check:1", WRITE, "confirmed_failed", attempt="att:1")
    graph, told = ask("inputs-of", WRITE, graph=story.graph())
    assert f"Refuted: that att:1 made {WRITE}." in told
    assert not graph.complete


@pytest.mark.parametrize("target", ["run:r", WRITE, "att:1"])
def test_gaps_of_lists_it_as_a_contradiction(target: str) -> None:
    graph, told = ask("gaps-of", target)
    [one] = graph.contradictions
    assert (one.kind, one.refs, one.events) == ("two_verdicts", (WRITE,), (3, 4))
    assert "verifiers contradict each other" in told
    assert not graph.complete


def test_gaps_of_finds_it_where_verifiers_named_the_attempt_and_the_write() -> None:
    story = Story()
    story.run("run:r")
    story.tries("att:1", writes=[WRITE])
    story.checks("check:1", WRITE)
    story.checks("check:2", "att:1", "confirmed_failed")
    graph, _ = ask("gaps-of", "run:r", graph=story.graph())
    assert ask("attempts-of", "run:r", graph=story.graph())[0].effect == "contradicted"
    assert [one.kind for one in graph.contradictions] == ["two_verdicts"]


def test_compare_runs_can_not_tell_what_is_contradicted() -> None:
    story = Story()
    for number in ("1", "2"):
        story.run(f"run:{number}")
        story.proposes(f"act:{number}")
        story.tries(f"att:{number}", action=f"act:{number}", writes=[f"file:/w@version:{number}"])
        story.checks(f"check:{number}", f"att:{number}")
    story.checks("check:3", "att:2", "confirmed_failed")
    graph, _ = ask("compare-runs", "run:1", "run:2", graph=story.graph())
    [effect] = [one for step in graph.steps for one in step.aspects if one.name == "effect"]
    assert (effect.state, effect.second) == ("cannot_tell", ("contradicted",))


def test_each_write_of_an_attempt_is_judged_by_what_was_said_of_it() -> None:
    """One was read back as done and as not done, then the attempt as not done: of the other nobody said that
    it was."""
    story = Story()
    story.run("run:r")
    story.tries("att:1", reads=["doc:1"], writes=[WRITE, "file:/ww@version:1"])
    story.checks("check:1", WRITE)
    looked, _ = ask("unverified-writes", run="run:r", graph=story.graph())
    assert (looked.verified, [one.why for one in looked.writes]) == (1, ["nobody_looked"])
    story.checks("check:2", WRITE, NO)
    story.checks("check:3", "att:1", NO)
    looked, _ = ask("unverified-writes", run="run:r", graph=story.graph())
    still, _ = ask("survivors-of", "doc:1", graph=story.graph())
    assert [(one.write, one.why) for one in looked.writes] == [(WRITE, "contradicted")]
    assert (looked.confirmed_failed, still.refuted) == (1, ("file:/ww@version:1",))
    assert still.contradicted == (WRITE,)
    _, told = ask("who-authorized", "file:/ww", graph=story.graph())
    assert "The write of file:/ww@version:1 was read back: it did not take effect." in told
