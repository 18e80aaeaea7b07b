"""Two runs that did the same are not told apart by how often, or how wholly, they were reported."""

from __future__ import annotations

from typing import Any

from queries.questions.compare_runs import Compared, CompareRuns
from queries.runs.verdicts import Aspect
from tests.story import Story

QUESTION = CompareRuns()


def ask(story: Story) -> Compared:
    return QUESTION.answer(story.graph(), QUESTION.read({"target": ["run:a", "run:b"]})).graph


def aspect(graph: Compared, first: str, name: str) -> Aspect:
    [found] = [one for step in graph.steps if step.first == first for one in step.aspects if one.name == name]
    return found


def calls(story: Story, letter: str, **more: Any) -> None:
    """A run of one call."""
    story.run(f"run:{letter}")
    again(story, letter, **more)
    story.ends()


def again(story: Story, letter: str, **more: Any) -> None:
    """The call of that run, told by whoever ``more`` says."""
    fields = {"model": "model:m@version:1", "instructions": ["prompt:p@version:1"], **more}
    sees = fields.pop("sees", ["doc:1@version:1"])
    story.call(f"call:{letter}", sees=sees, says=[f"msg:{letter}"], run=f"run:{letter}", **fields)


class TestReportedTwice:
    def test_a_call_that_two_sources_report_is_one_call_with_one_prompt(self) -> None:
        story = Story()
        calls(story, "a")
        calls(story, "b")
        again(story, "b", source="otel", source_number=1)
        graph = ask(story)
        assert graph.differences == ()
        assert aspect(graph, "call:a", "instructions").second == ("prompt:p@version:1",)

    def test_a_prompt_that_one_source_gives_a_role_is_the_same_prompt(self) -> None:
        story = Story()
        calls(story, "a")
        calls(story, "b")
        prompt = {"ref": "prompt:p@version:1", "role": "system"}
        again(story, "b", source="otel", source_number=1, instructions=[prompt])
        assert ask(story).differences == ()

    def test_a_prompt_that_only_the_second_report_names_is_a_difference_still(self) -> None:
        story = Story()
        calls(story, "a")
        calls(story, "b")
        again(story, "b", source="otel", source_number=1, instructions=["prompt:q@version:1"])
        [difference] = ask(story).differences
        assert difference.why == "prompt:q@version:1 in the second alone"

    def test_a_model_of_which_reports_disagree_can_not_be_told_to_be_another(self) -> None:
        story = Story()
        calls(story, "a")
        calls(story, "b")
        again(story, "b", source="otel", source_number=1, model="model:m@version:2")
        graph = ask(story)
        assert graph.differences == ()
        assert aspect(graph, "call:a", "model").state == "cannot_tell"

    def test_a_model_that_no_report_of_the_other_run_names_is_another(self) -> None:
        story = Story()
        calls(story, "a", model="model:m@version:3")
        calls(story, "b")
        again(story, "b", source="otel", source_number=1, model="model:m@version:2")
        assert [one.aspect for one in ask(story).differences] == ["model"]
