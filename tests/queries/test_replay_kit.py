"""What a re-run needs, and what of it is present, deleted, unpinned or never captured."""

from __future__ import annotations

from typing import Any

import pytest

from provmodel.errors import BadQuestion, NotFound
from queries.questions.replay_kit import ReplayKit, ReplayKitQuestion
from queries.runs import record
from queries.runs.kit import Need
from queries.runs.steps import STEPS
from tests.story import Story, instant

QUESTION = ReplayKitQuestion()


def ask(story: Story, *runs: str, **given: Any) -> ReplayKit:
    return QUESTION.answer(story.graph(), QUESTION.read({"target": list(runs or ("run:1",)), **given})).graph


def need(graph: ReplayKit, ref: str) -> Need:
    [found] = [one for one in graph.needs if one.ref == ref]
    return found


def text(ref: str, body: str, content: str = "some text of it", **more: Any) -> dict[str, Any]:
    return {"ref": ref, "body": {"id": body, "text": content}, **more}


@pytest.fixture
def story() -> Story:
    """A run with something of every state."""
    story = Story()
    members = [{"ref": "skill:s@version:1", "role": "skill"}, {"ref": "package:p", "role": "dependency"}]
    story.run("run:1", task="Do it.", environment={"ref": "environment:e@version:1", "members": members})
    story.call(
        "call:1",
        sees=[text("message:1", "body:1"), text("message:2", "body:2"), "document:d@version:1"],
        says=[text("message:answer", "body:3")],
        model="model:m@version:1",
        instructions=["prompt:p"],
    )
    story.proposes("act:1", tool="search", call="call:1", arguments={"q": "what"})
    story.tries("att:1", tool="search", action="act:1", results=[text("result:1", "body:4")])
    story.call("call:2", sees=["result:1", "message:answer"], model="model:m@version:1")
    story.ends()
    story.deletes("body:2", run=None)
    return story


class TestStates:
    @pytest.mark.parametrize(
        ("ref", "part", "state", "pinned"),
        [
            ("environment:e@version:1", "setting", "present", True),
            ("skill:s@version:1", "setting", "never_captured", True),
            ("package:p", "setting", "unpinned", False),
            ("model:m@version:1", "setting", "never_captured", True),
            ("prompt:p", "setting", "unpinned", False),
            ("tool:search", "setting", "unpinned", False),
            ("message:1", "input", "present", False),
            ("message:2", "input", "deleted", False),
            ("document:d@version:1", "input", "never_captured", True),
            ("message:answer", "recording", "present", False),
            ("act:1", "recording", "present", False),
            ("result:1", "recording", "present", False),
        ],
    )
    def test_of_each_need(self, story: Story, ref: str, part: str, state: str, pinned: bool) -> None:
        found = need(ask(story), ref)
        assert (found.part, found.state, found.pinned) == (part, state, pinned)

    def test_they_are_counted_and_stand_among_the_gaps(self, story: Story) -> None:
        graph = ask(story)
        assert (graph.present, graph.deleted, graph.unpinned, graph.never_captured) == (5, 1, 3, 3)
        assert len(graph.needs) == 12
        assert [one.ref for one in graph.needs if one.holds] == ["environment:e@version:1"]
        counted = {gap.kind: gap.count for gap in graph.gaps}
        assert {kind: counted[kind] for kind in ("deleted", "unpinned", "never_captured")} == {
            "deleted": 1, "unpinned": 3, "never_captured": 3
        }  # fmt: skip
        assert (graph.tasks, graph.modes, graph.complete) == (("Do it.",), ("live",), False)

    def test_as_of_then_a_deletion_that_came_later_has_not_been(self, story: Story) -> None:
        graph = ask(story, as_of=len(story.events) - 1)
        assert need(graph, "message:2").state == "present"

    def test_a_prompt_without_a_version_is_there_when_the_run_brought_its_text(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("call:1", instructions=[text("prompt:p", "body:1")])
        story.run("run:2")
        story.call("call:2", instructions=["prompt:p"])
        assert need(ask(story), "prompt:p").state == "present"
        assert need(ask(story, "run:2"), "prompt:p").state == "unpinned"

    @pytest.mark.parametrize("state", ["never_captured", "partial"])
    def test_what_the_producer_captured_in_part_or_not_at_all_is_told_apart(self, state: str) -> None:
        story = Story()
        story.run("run:1")
        body = {"body": {"text": "some of it"}} if state == "partial" else {}
        story.call("call:1", sees=[{"ref": "message:1", "state": state, **body}], model="model:m@version:1")
        graph = ask(story)
        assert need(graph, "message:1").state == state
        assert (graph.partial, graph.never_captured) == ((1, 1) if state == "partial" else (0, 2))
        assert {gap.kind: gap.count for gap in graph.gaps}.get("partial", 0) == graph.partial

    def test_a_result_that_holds_documents_is_what_it_holds(self) -> None:
        story = Story()
        story.run("run:1")
        story.tries(
            "att:1", results=[{"ref": "result:1", "members": [text("document:d@version:1", "body:1")]}]
        )
        graph = ask(story)
        assert need(graph, "result:1").state == need(graph, "document:d@version:1").state == "present"

    def test_what_another_run_made_comes_from_outside(self, story: Story) -> None:
        story.run("run:2")
        story.call("call:3", sees=["message:answer"], model="model:m@version:1")
        assert need(ask(story, "run:2"), "message:answer").part == "input"
        assert ask(story, "run:1", "run:2").present == 5


class TestOfALongRun:
    def story(self, steps: int) -> Story:
        """A run that derives one document from the other, of which only the first is from outside."""
        story = Story()
        story.run("run:1")
        for number in range(steps):
            story.derives(f"doc:{number + 1}@version:1", f"doc:{number}@version:1", time=instant(1))
        story.ends()
        return story

    def test_what_its_own_steps_made_is_not_from_outside_however_many_there_are(self) -> None:
        """More than ``compare-runs`` puts side by side."""
        assert [one.ref for one in ask(self.story(STEPS + 50)).needs] == ["doc:0@version:1"]

    def test_what_events_made_that_were_not_read_is_not_either_and_that_there_are_more_is_said(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Events are told in the opposite order, so that what the first use the last made."""
        monkeypatch.setattr(record, "EVENTS", 5)
        story = self.story(8)
        story.events = [story.events[0], *reversed(story.events[1:-1]), story.events[-1]]
        answer = QUESTION.answer(story.graph(), QUESTION.read({"target": "run:1"}))
        assert answer.graph.needs == ()
        assert [one.what for one in answer.graph.unchecked] == ["further events of run:1"]
        assert not answer.graph.complete
        assert QUESTION.sentences(answer)[0].startswith(
            "Nothing is recorded that a re-run of run:1 needs, by"
        )


class TestWords:
    def test_they_say_what_is_not_at_hand(self, story: Story) -> None:
        told = QUESTION.sentences(QUESTION.answer(story.graph(), QUESTION.read({"target": "run:1"})))
        assert (
            "A re-run of run:1 needs 12 things: the content of 4 is present, and 1 more is what it holds."
            in told
        )
        assert any("message:2 (deleted)" in sentence for sentence in told)
        assert "What models and tools answered: all 3 are at hand." in told

    def test_a_run_that_needs_nothing_is_said(self) -> None:
        story = Story()
        story.run("run:1")
        told = QUESTION.sentences(QUESTION.answer(story.graph(), QUESTION.read({"target": "run:1"})))
        assert told[0] == "Nothing is recorded that a re-run of run:1 needs."

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            ({"target": "call:1"}, BadQuestion),
            ({"target": "run:x"}, NotFound),
            ({"part": "/a", "target": "run:1"}, BadQuestion),
        ],
    )
    def test_it_is_asked_of_runs(self, story: Story, given: dict[str, Any], error: type[Exception]) -> None:
        with pytest.raises(error):
            QUESTION.answer(story.graph(), QUESTION.read(given))
