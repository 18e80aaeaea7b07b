"""adopted-results: what became of the drafts that sub-agents gave."""

from __future__ import annotations

from typing import Any

import pytest

from queries import shelf
from queries.questions.adopted_results import Adopted
from tests.story import Story, instant

QUESTION = shelf.question("adopted-results")


def ask(story: Story, *targets: str, **more: Any) -> Adopted:
    asked = QUESTION.read({"target": list(targets), **more})
    adopted: Adopted = QUESTION.answer(story.graph(), asked).graph
    return adopted


def told(story: Story, *targets: str) -> str:
    answer = QUESTION.answer(story.graph(), QUESTION.read({"target": list(targets)}))
    return "\n".join(QUESTION.sentences(answer))


def delegated() -> Story:
    """A run that hands a task to three helpers, each of which gives a draft."""
    story = Story()
    story.run("run:main", agent="editor")
    for number in (1, 2, 3):
        sub = f"run:sub-{number}"
        story.delegates(f"del:{number}", sub, agent=f"helper-{number}", from_run="run:main")
        story.run(sub, agent=f"helper-{number}", parent_run="run:main", delegation=f"del:{number}")
        story.call(f"call:sub-{number}", says=[f"draft:{number}"])
        story.ends(sub, outputs=[f"draft:{number}"])
    story.current = "run:main"
    return story


class TestAdoptedRejectedSuperseded:
    @pytest.fixture
    def story(self) -> Story:
        story = delegated()
        story.adopts("dec:1", "draft:1", accepted="taken:1", decided_by="editor", reason="It is right.")
        story.adopts("dec:2", "draft:2", "rejected", decided_by="ann", reason="It is wrong.")
        story.adopts("dec:3", "draft:3", "superseded", decided_by="editor")
        story.call("call:final", sees=["taken:1"], says=["report"])
        return story

    def test_each_draft_stands_where_its_decision_puts_it(self, story: Story) -> None:
        answer = ask(story, "run:main")
        assert (answer.adopted, answer.rejected, answer.superseded, answer.undecided) == (
            ("draft:1",),
            ("draft:2",),
            ("draft:3",),
            (),
        )

    def test_by_whom_is_told_with_the_event(self, story: Story) -> None:
        first, *_ = ask(story, "run:main").drafts
        assert (first.run, first.agents) == ("run:sub-1", ("agent:helper-1",))
        [decision] = first.decisions
        assert (decision.decision, decision.by, decision.accepted) == ("dec:1", "agent:editor", "taken:1")
        assert (decision.reason, decision.asserter, decision.run) == (
            "It is right.",
            "source:harness",
            "run:main",
        )
        assert getattr(story.events[decision.event - 1], "decision", "") == "dec:1"

    def test_it_is_found_from_draft_delegation_decision_sub_run_and_what_was_adopted(
        self, story: Story
    ) -> None:
        for target in ("draft:1", "del:1", "dec:1", "run:sub-1", "taken:1"):
            assert [draft.ref for draft in ask(story, target).drafts] == ["draft:1"], target

    def test_of_a_report_it_is_asked_in_the_run_that_made_it(self, story: Story) -> None:
        assert ask(story, "report").drafts == ask(story, "run:main").drafts

    def test_the_words_name_the_decider_and_the_reason(self, story: Story) -> None:
        words = told(story, "run:main")
        assert (
            "draft:1, given by agent:helper-1 in run:sub-1, was adopted as taken:1 by agent:editor in dec:1 "
            '("It is right.").' in words
        )
        assert "draft:2, given by agent:helper-2 in run:sub-2, was rejected by agent:ann in dec:2" in words


class TestRejectedButSent:
    """Produced is not adopted; and what was rejected may have been used all the same."""

    def test_a_call_after_the_rejection_is_told_and_one_before_it_is_not(self) -> None:
        story = delegated()
        story.call("call:review", sees=["draft:2"], started=instant(20), ended=instant(21))
        story.adopts("dec:2", "draft:2", "rejected", time=instant(30))
        story.call("call:final", sees=["draft:2"], says=["report"], started=instant(40), ended=instant(41))
        answer = ask(story, "run:main")
        assert [(each.ref, each.verdict, each.call) for each in answer.rejected_but_sent] == [
            ("draft:2", "rejected", "call:final")
        ]
        assert answer.drafts[1].sent_to == ("call:final", "call:review")
        assert "It was sent all the same to call:final." in told(story, "run:main")

    def test_one_that_a_context_held_is_told_too(self) -> None:
        story = delegated()
        story.adopts("dec:2", "draft:2", "rejected")
        story.call("call:final", context={"id": "ctx:1", "adds": [{"ref": "draft:2"}]}, says=["report"])
        assert [each.call for each in ask(story, "draft:2").rejected_but_sent] == ["call:final"]

    def test_impact_of_and_inputs_of_tell_the_same(self) -> None:
        story = delegated()
        story.call("call:review", sees=["draft:2"], started=instant(20), ended=instant(21))
        story.adopts("dec:2", "draft:2", "rejected", time=instant(30))
        story.call("call:final", sees=["draft:2"], says=["report"], started=instant(40), ended=instant(41))
        graph = story.graph()
        impact, inputs = shelf.question("impact-of"), shelf.question("inputs-of")
        reached = impact.answer(graph, impact.read({"target": "draft:2"})).graph
        assert reached.rejected_but_sent == ("call:final",)
        went_in = inputs.answer(graph, inputs.read({"target": "report"})).graph
        assert went_in.rejected_but_sent == ask(story, "draft:2").rejected_but_sent


class TestDecisionsThatChange:
    def test_the_last_one_by_one_sources_numbers_stands(self) -> None:
        story = delegated()
        story.adopts("dec:1", "draft:1", "rejected")
        story.adopts("dec:2", "draft:1", "adopted")
        answer = ask(story, "draft:1")
        assert answer.adopted == ("draft:1",)
        assert answer.rejected == ()
        assert [each.verdict for each in answer.drafts[0].decisions] == ["rejected", "adopted"]

    def test_two_clocks_leave_it_open_and_it_is_said(self) -> None:
        story = delegated()
        story.adopts("dec:1", "draft:1", "rejected")
        story.adopts("dec:2", "draft:1", "adopted", source="console")
        answer = ask(story, "draft:1")
        assert answer.drafts[0].standing == "adopted or rejected"
        assert answer.adopted == answer.rejected == ("draft:1",)
        assert "how draft:1 stands" in [item.what for item in answer.unchecked]


class TestWhatIsNotThere:
    def test_a_draft_without_a_decision_is_undecided_and_its_use_is_told(self) -> None:
        story = delegated()
        story.call("call:final", sees=["draft:3"], says=["report"])
        answer = ask(story, "run:main")
        assert answer.undecided == ("draft:1", "draft:2", "draft:3")
        assert [(each.ref, each.call) for each in answer.sent_undecided] == [("draft:3", "call:final")]
        assert "Used without a decision that adopts it: draft:3." in told(story, "run:main")

    def test_a_sub_run_that_reports_no_output_is_told(self) -> None:
        story = Story()
        story.run("run:main")
        story.delegates("del:1", "run:sub")
        answer = ask(story, "run:main")
        assert answer.silent == ("run:sub",)
        assert "No draft of run:main is recorded: 1 sub-run reports no output (run:sub)." in told(
            story, "run:main"
        )

    def test_a_run_that_delegated_nothing_says_so(self) -> None:
        story = Story()
        story.run("run:main")
        assert "nothing was delegated there" in told(story, "run:main")

    def test_what_is_missing_of_the_runs_is_a_gap(self) -> None:
        story = delegated()
        story.loses(2)
        story.adopts("dec:1", "draft:1")
        kinds = {gap.kind: gap.count for gap in ask(story, "run:main").gaps}
        assert kinds["never_recorded"] >= 2
        assert kinds["open_run"] == 1

    def test_drafts_of_drafts_are_found_at_every_depth(self) -> None:
        story = delegated()
        story.current = "run:sub-1"
        story.delegates("del:deep", "run:deep", agent="deep")
        story.ends("run:deep", outputs=["draft:deep"])
        assert "draft:deep" in ask(story, "run:main").undecided

    def test_nesting_alone_makes_no_draft(self) -> None:
        """Case 118: a step within a step is no sub-agent."""
        story = Story()
        story.run("run:main")
        story.span("span:outer", kind="AGENT")
        story.span("span:inner", kind="AGENT", parent="span:outer", outputs=["text"])
        assert ask(story, "run:main").drafts == ()
