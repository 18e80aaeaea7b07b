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

    def test_arguments_and_contents_of_which_reports_disagree_are_no_others(self) -> None:
        """The second source has other arguments, another definition of the tool, and another content."""
        story = Story()
        for letter, sources in (("a", ("q",)), ("b", ("q", "otel"))):
            story.run(f"run:{letter}")
            for number, source in enumerate(sources):
                said: dict[str, Any] = {"source": source, "arguments": {"body": {"json": {"n": number}}}}
                binding = f"tool:ledger@version:{number + 1}"
                story.tries(
                    f"try:{letter}", [f"ledger:1@version:{letter}"], tool_binding=binding, **said
                )  # fmt: skip
                body = {"text": f"balance {number}"}
                story.version(f"ledger:1@version:{letter}", source=source, run=None, body=body)
            story.ends()
        graph = ask(story)
        assert graph.differences == ()
        for name in ("arguments", "binding"):
            assert aspect(graph, "try:a", name).why == "the reports of a run disagree about it"
        [left] = graph.final_state
        assert (left.state, "disagree" in left.why) == ("cannot_tell", True)

    def test_what_one_of_two_variants_alone_has_is_no_difference(self) -> None:
        story = Story()
        calls(story, "a")
        calls(story, "b")
        first = story.events[-2]
        again(story, "b", id=first.id, source_number=first.source_number, sees=["doc:other@version:1"])
        graph = ask(story)
        assert graph.differences == ()
        assert "variants" in aspect(graph, "call:a", "inputs").why


def acting(letter: str, *actions: str, story: Story | None = None, **lost: Any) -> Story:
    """A run of one call and its actions, each with a decision and a write. ``lost`` says which of them
    (``action`` and ``decision``, by the name of the action) were numbered and never came."""
    told = story or Story()
    told.run(f"run:{letter}", source=letter)
    told.call(f"call:{letter}", sees=["doc:1@version:1"], says=[f"msg:{letter}"], source=letter)
    for action in actions:
        ref, decision = f"action:{letter}-{action}", f"decision:{letter}-{action}"
        if lost.get("action") == action:
            told.loses(3, letter)
            continue
        told.proposes(ref, tool="ledger", call=f"call:{letter}", source=letter, target=f"ledger:{action}")
        if lost.get("decision") == action:
            told.loses(1, letter)
        else:
            told.decides(decision, action=ref, source=letter)
        told.tries(
            f"try:{letter}-{action}", [f"ledger:{action}@version:1"], "ledger", action=ref, source=letter,
            reads=[f"msg:{letter}"],
        )  # fmt: skip
    told.call(f"last:{letter}", sees=[f"ledger:{action}@version:1" for action in actions], source=letter)
    told.ends(source=letter)
    return told


class TestReportedInPart:
    def test_a_step_of_which_the_report_may_be_lost_can_not_be_told_to_be_missing(self) -> None:
        graph = ask(acting("b", "x", "y", story=acting("a", "x", "y"), action="y"))
        assert graph.differences == ()
        [lone] = [step for step in graph.steps if step.second is None]
        assert lone.first == "action:a-y"
        assert lone.aspects[0].why.endswith("but of run:b 3 numbers of b did not come (from b#6)")
        states = {left.thing: left.state for left in graph.final_state}
        assert states == {"ledger:x": "same", "ledger:y": "cannot_tell"}

    def test_it_is_so_too_when_the_first_run_is_the_one_that_lost_it(self) -> None:
        graph = ask(acting("b", "x", "y", story=acting("a", "x", "y", action="y")))
        assert graph.differences == ()

    def test_a_lost_decision_is_no_other_authority(self) -> None:
        graph = ask(acting("b", "x", story=acting("a", "x"), decision="x"))
        assert graph.differences == ()
        assert aspect(graph, "action:a-x", "authority").state == "cannot_tell"

    def test_a_step_that_a_whole_record_lacks_is_missing(self) -> None:
        graph = ask(acting("b", "x", story=acting("a", "x", "y")))
        assert graph.first_difference is not None
        assert graph.first_difference.aspect == "presence"

    def test_what_a_source_lost_before_the_run_was_no_step_of_it(self) -> None:
        story = acting("a", "x", "y")
        story.loses(2, "b")
        first = ask(acting("b", "x", story=story)).first_difference
        assert first is not None
        assert first.aspect == "presence"

    def test_what_a_source_says_that_it_dropped_may_have_been_of_the_run(self) -> None:
        story = acting("b", "x", story=acting("a", "x", "y"))
        story.reports("b", dropped=3)
        assert "presence" not in {one.aspect for one in ask(story).differences}

    def test_a_call_that_reports_nothing_sent_was_not_sent_less(self) -> None:
        story = Story()
        calls(story, "a")
        calls(story, "b", sees=[], instructions=[])
        graph = ask(story)
        assert graph.differences == ()
        assert aspect(graph, "call:a", "inputs").why == "call:b reports nothing that went in"
        assert aspect(graph, "call:a", "instructions").state == "cannot_tell"

    def test_of_two_calls_that_report_nothing_sent_nothing_is_known_to_be_the_same(self) -> None:
        story = Story()
        calls(story, "a", sees=[])
        calls(story, "b", sees=[])
        assert aspect(ask(story), "call:a", "inputs").state == "cannot_tell"

    def test_a_tool_call_that_reports_no_reads_did_not_read_less(self) -> None:
        story = Story()
        for letter, reads in (("a", ["doc:1@version:1"]), ("b", [])):
            story.run(f"run:{letter}")
            story.tries(f"try:{letter}", ["ledger:1@version:1"], reads=reads)
            story.ends()
        assert ask(story).differences == ()

    def test_a_run_whose_start_is_not_reported_was_not_run_by_another(self) -> None:
        story = Story()
        calls(story, "a")
        again(story, "b")
        story.ends("run:b")
        graph = ask(story)
        assert graph.differences == ()
        assert aspect(graph, "run:a", "agent").state == "cannot_tell"
