"""attempts-of: what was tried, to what effect, and what was doubled, blind or too late."""

from __future__ import annotations

from typing import Any

import pytest

from queries import shelf
from queries.attempts.entries import Operation
from queries.questions.attempts_of import Attempts
from tests.story import Story, instant

QUESTION = shelf.question("attempts-of")


def ask(story: Story, *targets: str, **more: Any) -> Attempts:
    asked = QUESTION.read({"target": list(targets), **more})
    attempts: Attempts = QUESTION.answer(story.graph(), asked).graph
    return attempts


def told(story: Story, *targets: str) -> str:
    answer = QUESTION.answer(story.graph(), QUESTION.read({"target": list(targets)}))
    return "\n".join(QUESTION.sentences(answer))


def operation(story: Story, target: str, **more: Any) -> Operation:
    [found] = ask(story, target, **more).operations
    return found


def charge(story: Story, attempt: str, outcome: str = "completed", **more: Any) -> None:
    """An attempt at ``act:1`` of the tool ``pay``."""
    story.tries(attempt, tool="pay", outcome=outcome, **{"action": "act:1", **more})


def asked_to_pay() -> Story:
    story = Story()
    story.run("run:1")
    story.call("call:1")
    story.proposes("act:1", tool="pay", call="call:1", target="account:7", stake="high", key="k-1")
    return story


class TestATimeoutThenARetry:
    """Case 135: both landed, and the first is unknown, not failed."""

    @pytest.fixture
    def story(self) -> Story:
        story = Story()
        story.run("run:1")
        story.proposes("op1", tool="create_issue")
        story.decides("az1", action="op1", decider={"id": "policy:v3", "kind": "policy"})
        fields = {"action": "op1", "decision": "az1", "tool": "create_issue"}
        story.tries("at1", outcome="unknown", started=instant(0), ended=instant(30), **fields)
        story.tries("at2", ["issue:8@version:1"], started=instant(31), ended=instant(32), **fields)
        story.checks("ob1", "op1", read="issue:8@version:1", method="list_issues")
        story.checks("ob2", "op1", read="issue:7@version:1", method="list_issues")
        return story

    def test_one_action_was_tried_twice_and_the_first_outcome_is_unknown(self, story: Story) -> None:
        found = operation(story, "op1")
        assert [(each.attempt, each.outcome) for each in found.attempts] == [
            ("at1", ("unknown",)),
            ("at2", ("completed",)),
        ]
        answer = ask(story, "op1")
        assert (answer.unknown, answer.retries, found.effect) == (("at1",), ("at2",), "confirmed")

    def test_what_nobody_reported_to_have_made_is_only_inferred_to_come_from_the_first(
        self, story: Story
    ) -> None:
        first, second = operation(story, "op1").attempts
        assert [(w.ref, w.evidence, w.reported) for w in first.writes] == [
            ("issue:7@version:1", "inferred", False)
        ]
        assert [(w.ref, w.evidence, w.reported) for w in second.writes] == [
            ("issue:8@version:1", "verified", True)
        ]

    def test_it_may_have_been_done_twice_and_the_retry_was_blind(self, story: Story) -> None:
        answer = ask(story, "op1")
        [twice] = answer.duplicates
        assert (twice.attempts, twice.certain, twice.why) == (("at1", "at2"), False, "action")
        assert twice.writes == ("issue:7@version:1", "issue:8@version:1")
        [blind] = answer.unverified_retries
        assert (blind.first, blind.again, blind.effect, blind.basis) == (
            "at1",
            "at2",
            "unknown",
            "clock_same_source",
        )

    def test_it_is_found_from_the_run_the_action_an_attempt_and_what_was_written(self, story: Story) -> None:
        wanted = operation(story, "op1")
        for target in ("run:1", "at1", "at2", "issue:8", "issue:8@version:1"):
            assert operation(story, target) == wanted

    def test_the_words_say_what_is_not_known(self, story: Story) -> None:
        words = told(story, "op1")
        assert "op1 was tried 2 times (at1 has no known outcome; at2 completed)" in words
        assert "it may have been done twice (issue:7@version:1, issue:8@version:1)" in words
        assert "at2 retried at1 (unknown), although nothing had verified that it failed." in words


class TestDuplicates:
    def test_two_confirmed_attempts_took_effect_twice(self) -> None:
        story = asked_to_pay()
        charge(story, "att:1", writes=["account:7@version:2"])
        charge(story, "att:2", writes=["account:7@version:3"])
        story.checks("check:1", "att:1")
        story.checks("check:2", "att:2")
        [twice] = ask(story, "act:1").duplicates
        assert twice.certain
        assert twice.writes == ("account:7@version:2", "account:7@version:3")
        assert "each of them took effect (account:7@version:2, account:7@version:3)" in told(story, "act:1")

    def test_two_attempts_that_report_the_very_same_version_made_it_once(self) -> None:
        story = asked_to_pay()
        charge(story, "att:1", writes=["account:7@version:2"])
        charge(story, "att:2", writes=["account:7@version:2"])
        assert ask(story, "act:1").duplicates == ()

    def test_an_attempt_verified_to_have_failed_is_none(self) -> None:
        story = asked_to_pay()
        charge(story, "att:1", "unknown")
        story.checks("check:1", "att:1", "confirmed_failed")
        charge(story, "att:2", writes=["account:7@version:2"])
        answer = ask(story, "act:1")
        assert (answer.duplicates, answer.unverified_retries) == ((), ())

    def test_a_search_that_ran_twice_did_nothing_twice(self) -> None:
        story = Story()
        story.proposes("act:1", tool="search")
        for attempt in ("att:1", "att:2"):
            story.tries(attempt, tool="search", action="act:1", results=[f"result:{attempt}"])
        assert ask(story, "act:1").duplicates == ()

    def test_one_key_at_two_actions_may_be_one_thing_done_twice(self) -> None:
        story = asked_to_pay()
        story.proposes("act:2", tool="pay", call="call:1", key="k-1", target="account:7")
        charge(story, "att:1", key="k-1", writes=["account:7@version:2"])
        charge(story, "att:2", key="k-1", action="act:2", writes=["account:7@version:3"])
        [twice] = ask(story, "run:1").duplicates
        assert (twice.why, twice.actions) == ("key", ("act:1", "act:2"))

    def test_the_very_same_arguments_at_two_actions_may_be_one_thing_done_twice(self) -> None:
        story = asked_to_pay()
        arguments = {"body": {"json": {"account": 7, "amount": 120, "note": "for the third of the orders"}}}
        story.proposes("act:2", tool="pay", call="call:1")
        charge(story, "att:1", arguments=arguments, writes=["account:7@version:2"])
        charge(story, "att:2", arguments=arguments, action="act:2", writes=["account:7@version:3"])
        assert [twice.why for twice in ask(story, "run:1").duplicates] == ["arguments"]

    def test_a_retry_under_another_action_belongs_to_what_it_retries(self) -> None:
        story = asked_to_pay()
        story.proposes("act:2", tool="pay", call="call:1")
        charge(story, "att:1", "unknown")
        charge(story, "att:2", action="act:2", retry_of="att:1", writes=["account:7@version:2"])
        answer = ask(story, "act:2")
        assert [twice.why for twice in answer.duplicates] == ["retry"]
        assert [(each.first, each.again, each.basis) for each in answer.unverified_retries] == [
            ("att:1", "att:2", "causal")
        ]


class TestRetries:
    def test_a_tools_own_failed_is_no_verified_failure(self) -> None:
        story = asked_to_pay()
        charge(story, "att:1", "failed", error="card declined")
        charge(story, "att:2")
        [blind] = ask(story, "act:1").unverified_retries
        assert (blind.outcome, blind.effect, blind.verified_later) == (("failed",), "unknown", False)

    def test_a_failure_that_was_verified_only_after_the_retry_is_told_as_such(self) -> None:
        story = asked_to_pay()
        charge(story, "att:1", "unknown", started=instant(1), ended=instant(2))
        charge(story, "att:2", started=instant(3), ended=instant(4))
        story.checks("check:1", "att:1", "confirmed_failed", time=instant(60))
        [blind] = ask(story, "act:1").unverified_retries
        assert blind.verified_later
        assert "although its failure was verified only later" in told(story, "act:1")

    def test_one_that_retries_what_nobody_reported_names_it(self) -> None:
        story = asked_to_pay()
        charge(story, "att:2", retry_of="att:1")
        answer = ask(story, "att:2")
        outcomes = {each.attempt: each.outcome for op in answer.operations for each in op.attempts}
        assert outcomes == {"att:1": (), "att:2": ("completed",)}
        assert "att:1 names no action; is named as retried and was never reported" in told(story, "att:2")

    def test_the_same_key_is_told(self) -> None:
        story = asked_to_pay()
        charge(story, "att:1", "unknown", key="k-1")
        charge(story, "att:2", key="k-1")
        assert [each.same_key for each in ask(story, "act:1").unverified_retries] == [True]


class TestACancellation:
    def test_a_commit_that_began_afterwards_is_told_with_its_basis(self) -> None:
        story = asked_to_pay()
        story.cancels(by="ann", time=instant(10))
        charge(story, "att:1", started=instant(20), ended=instant(21), writes=["account:7@version:2"])
        [late] = ask(story, "run:1").after_cancellation
        assert (late.attempt, late.run, late.by, late.began, late.possibly) == (
            "att:1",
            "run:1",
            "ann",
            True,
            False,
        )
        assert (late.basis, late.difference) == ("clock_same_source", "PT10S")
        assert late.writes == ("account:7@version:2",)

    def test_one_that_was_under_way_and_ended_afterwards_is_told_apart(self) -> None:
        story = asked_to_pay()
        story.cancels(by="ann", time=instant(10))
        charge(story, "att:1", started=instant(5), ended=instant(15), writes=["account:7@version:2"])
        [late] = ask(story, "run:1").after_cancellation
        assert (late.began, late.basis, late.difference) == (False, "clock_same_source", "PT5S")
        assert "was under way at, and ended after, the cancellation of run:1 by ann" in told(story, "run:1")

    def test_two_clocks_make_it_possible_only(self) -> None:
        story = asked_to_pay()
        story.cancels(by="ann", time=instant(10), source="console")
        charge(story, "att:1", started=instant(20), ended=instant(21), writes=["account:7@version:2"])
        [late] = ask(story, "run:1").after_cancellation
        assert (late.possibly, late.basis) == (True, "clock_two_sources")
        assert "att:1 possibly began after the cancellation" in told(story, "run:1")

    def test_what_was_reported_before_had_ended_before(self) -> None:
        story = asked_to_pay()
        charge(story, "att:1", started=instant(5), ended=instant(6), writes=["account:7@version:2"])
        story.cancels(by="ann", time=instant(6))
        assert ask(story, "run:1").after_cancellation == ()

    def test_what_carries_the_version_that_came_after_is_not_meant(self) -> None:
        story = Story()
        story.run("run:1", task_version="1")
        story.cancels(by="ann", task_version="1", time=instant(10))
        story.run("run:1", task_version="2")
        story.proposes("act:1", tool="pay")
        charge(
            story, "att:1", task_version="2", started=instant(5), ended=instant(15), writes=["a@version:2"]
        )
        assert ask(story, "run:1").after_cancellation == ()

    def test_an_attempt_verified_to_have_failed_committed_nothing(self) -> None:
        story = asked_to_pay()
        story.cancels(by="ann", time=instant(10))
        charge(story, "att:1", "unknown", started=instant(20), ended=instant(21))
        story.checks("check:1", "att:1", "confirmed_failed")
        assert ask(story, "run:1").after_cancellation == ()


class TestWhatIsNotThere:
    def test_an_action_that_nothing_executed_is_told_and_a_gap(self) -> None:
        story = asked_to_pay()
        answer = ask(story, "run:1")
        assert answer.unexecuted == ("act:1",)
        assert {gap.kind for gap in answer.gaps} >= {"execution_not_recorded", "open_run"}
        assert "act:1 was proposed; no attempt at it is recorded." in told(story, "run:1")

    def test_an_attempt_without_an_action_stands_by_itself(self) -> None:
        story = Story()
        story.tries("att:1", ["file:/r@version:1"])
        found = operation(story, "att:1")
        assert (found.action, found.effect, found.tool) == ("", "submitted_unconfirmed", "tool:write_file")

    def test_an_empty_answer_says_why(self) -> None:
        story = Story()
        story.call("call:1", sees=["doc:1"], says=["text"])
        assert "nothing says that a tool ran for it" in told(story, "doc:1")
        assert "No attempt and no action of text is recorded; it was made by call:1." in told(story, "text")

    def test_a_result_that_was_only_returned_is_no_write(self) -> None:
        story = Story()
        story.tries("att:1", results=[{"ref": "result:1", "members": [{"ref": "row:1"}]}])
        [attempt] = operation(story, "att:1").attempts
        assert attempt.writes == ()

    def test_a_run_whose_start_was_not_told_has_its_attempts(self) -> None:
        story = Story()
        story.current = "run:1"
        story.tries("attempt:1", ["file:/x@version:1"])
        story.proposes("action:1")
        lost = ask(story, "run:1")
        assert [gap.example for gap in lost.gaps if gap.kind == "never_recorded"] == ["run:1"]
        story.run("run:1")
        assert lost.operations == ask(story, "run:1").operations != ()
