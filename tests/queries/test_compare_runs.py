"""Two runs by behaviour: what differs, what can't be told, and what is found first."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from provmodel.errors import BadQuestion, NotFound
from queries.memory import MemoryGraph
from queries.questions.compare_runs import Compared, CompareRuns
from queries.runs.comparison import StepView
from queries.runs.verdicts import Aspect
from tests.story import Story

QUESTION = CompareRuns()
MODEL = "model:m@version:1"


def ask(story: Story, *runs: str, **given: Any) -> Compared:
    asked = QUESTION.read({"target": list(runs or ("run:a", "run:b")), **given})
    return QUESTION.answer(story.graph(), asked).graph


def said(story: Story) -> list[str]:
    return QUESTION.sentences(QUESTION.answer(story.graph(), QUESTION.read({"target": ["run:a", "run:b"]})))


def step(graph: Compared, first: str | None) -> StepView:
    [found] = [view for view in graph.steps if view.first == first and view.kind not in ("run", "end")]
    return found


def aspect(graph: Compared, first: str | None, name: str) -> Aspect:
    [found] = [one for one in step(graph, first).aspects if one.name == name]
    return found


def found(graph: Compared) -> list[tuple[str | None, str]]:
    """The differences, by the step of the first run."""
    return [(one.first or one.second, one.aspect) for one in graph.differences]


class Told:
    """A run of a clerk, told under a letter: what it is asked, looks up and writes has the letter in its
    name.
    """

    def __init__(self, story: Story, letter: str, **more: Any) -> None:
        self.story, self.letter = story, letter
        setting = {"task": "Refund the fee.", "agent": "clerk", **more}
        story.run(f"run:{letter}", **setting)

    def named(self, name: str) -> str:
        return f"{name}:{self.letter}"

    def thinks(self, call: str, *sees: str, prompt: str = "prompt:p@version:5", model: str = MODEL) -> None:
        """A model call that is sent what is named."""
        self.story.call(
            self.named(call), sees=list(sees), says=[f"msg:{self.letter}/{call}"], model=model,
            agent="clerk", instructions=[prompt],
        )  # fmt: skip

    def acts(
        self,
        action: str,
        call: str,
        tool: str = "search",
        arguments: Any = None,
        decision: dict[str, Any] | None = None,
        tries: list[dict[str, Any]] | None = None,
        **more: Any,
    ) -> None:
        """An action proposed by a call, decided about, and tried; its result is named after it."""
        args = {"q": action} if arguments is None else arguments
        self.story.proposes(self.named(action), tool=tool, call=self.named(call), arguments=args, **more)
        if decision is not None:
            fields = {"action": self.named(action), **decision}
            self.story.decides(f"decision:{action}:{self.letter}", **fields)
        for number, how in enumerate(tries if tries is not None else [{}], 1):
            fields = {"results": [f"result:{action}:{self.letter}"], **how}
            self.story.tries(
                f"try:{action}:{self.letter}:{number}", tool=tool, action=self.named(action),
                arguments={"body": {"json": args}}, **fields,
            )  # fmt: skip

    def result(self, action: str) -> str:
        return f"result:{action}:{self.letter}"


DECIDED = {
    "decider": {"id": "manager", "kind": "person", "authenticated_by": "login"},
    "policy": {"ref": "policy:r@version:7", "rule": "one-person"},
}
REFUND = {"account": "4711", "amount": "38.50"}


def refunding(story: Story, letter: str, **more: Any) -> Told:
    """A clerk looks a fee up, and refunds it as a manager decides."""
    changed = dict(more)
    told = Told(story, letter, **changed.pop("setting", {}))
    told.thinks("plan", "doc:order@version:1")
    told.acts("look", "plan")
    told.thinks("write", told.result("look"), **changed.pop("write", {}))
    refund = {
        "tool": "ledger", "arguments": REFUND, "decision": DECIDED,
        "tries": [{"writes": [f"ledger:4711@version:{18 if letter == 'a' else 19}"], "results": []}],
        **changed.pop("refund", {}),
    }  # fmt: skip
    told.acts("refund", "write", **refund)
    assert not changed
    story.ends()
    return told


def pair(**second: Any) -> Story:
    """The same run twice; the second as ``second`` says."""
    story = Story()
    refunding(story, "a")
    refunding(story, "b", **second)
    return story


class TestWhatIsTheSame:
    def test_a_run_that_does_the_same_again_has_no_difference(self) -> None:
        graph = ask(pair())
        assert graph.differences == ()
        assert graph.first_difference is None
        assert [view.second for view in graph.steps] == [
            "run:b",
            "plan:b",
            "look:b",
            "write:b",
            "refund:b",
            "run:b",
        ]
        assert step(graph, "plan:a").state == "same"
        assert aspect(graph, "write:a", "inputs").state == "same"
        assert graph.modes == ("live", "live")

    def test_what_can_not_be_compared_is_no_difference(self) -> None:
        """Effects that nobody verified, and versions that name writes and no contents."""
        graph = ask(pair())
        assert aspect(graph, "refund:a", "effect").state == "cannot_tell"
        assert step(graph, "refund:a").state == "cannot_tell"
        [left] = graph.final_state
        assert (left.thing, left.state) == ("ledger:4711", "cannot_tell")

    def test_contents_under_the_keys_of_two_runs_are_not_comparable(self) -> None:
        story = Story()
        for letter in "ab":
            told = Told(story, letter)
            text = "Please refund it" if letter == "a" else "Please don't"
            seen = {"ref": f"message:{letter}", "role": "user", "body": {"text": text}}
            story.call(told.named("plan"), sees=[seen], model=MODEL)
        assert aspect(ask(story), "plan:a", "inputs").state == "cannot_tell"

    def test_a_thing_named_without_a_version_can_not_be_told_to_be_the_same(self) -> None:
        story = Story()
        for letter in "ab":
            Told(story, letter).thinks("plan", prompt="prompt:p", model="model:m")
        graph = ask(story)
        for name in ("model", "instructions"):
            assert aspect(graph, "plan:a", name).state == "cannot_tell"
            assert "without a version" in aspect(graph, "plan:a", name).why

    def test_tags_of_unlike_algorithms_are_not_comparable_never_different(self) -> None:
        story = Story()
        for letter in "ab":
            told = Told(story, letter)
            told.thinks("plan")
            tags = {"alg": f"hmac-{letter}", "whole": letter * 8, "by_pointer": {"/q": letter * 8}}
            story.tell("action_proposed", action=told.named("act"), tool="search", arguments=tags)
        compared = aspect(ask(story), "act:a", "arguments")
        assert (compared.state, compared.pointers) == ("cannot_tell", ())
        assert "hmac-a" in compared.why


class TestPlantedDivergences:
    def test_another_order_is_found_first(self) -> None:
        """The second run writes before it has looked: each step hangs on the one before."""
        story = Story()
        for letter, order in (("a", ("look", "write")), ("b", ("write", "look"))):
            told = Told(story, letter)
            told.thinks("one", "doc:order@version:1")
            told.acts(order[0], "one", tool=order[0])
            told.thinks("two", told.result(order[0]))
            told.acts(order[1], "two", tool=order[1])
            told.thinks("three", told.result(order[1]))
        graph = ask(story)
        first = graph.first_difference
        assert first is not None
        assert (first.aspect, first.first, first.second, first.basis) == (
            "order",
            "look:a",
            "look:b",
            "causal",
        )
        assert "write:a" in first.first_has

    def test_another_version_is_found_first(self) -> None:
        graph = ask(pair(write={"prompt": "prompt:p@version:6"}))
        first = graph.first_difference
        assert first is not None
        assert (first.aspect, first.first) == ("instructions", "write:a")
        assert (first.first_has, first.second_has) == (("prompt:p@version:5",), ("prompt:p@version:6",))
        assert len(graph.differences) == 1

    def test_another_authority_is_found_first(self) -> None:
        default = {"decider": {"id": "gate", "kind": "default"}}
        graph = ask(pair(refund={"decision": default}))
        first = graph.first_difference
        assert first is not None
        assert (first.aspect, first.first) == ("authority", "refund:a")
        assert "allowed_by_default" in first.why
        assert len(graph.differences) == 1

    def test_of_three_planted_the_earliest_is_first_and_all_are_told(self) -> None:
        story = pair(
            setting={"environment": {"ref": "environment:e@version:2", "members": []}},
            write={"model": "model:m@version:2"},
            refund={"decision": None},
        )
        assert [one.aspect for one in ask(story).differences] == ["environment", "model", "authority"]


class TestOrder:
    def test_the_order_of_parallel_steps_is_no_difference(self) -> None:
        """One call proposes three actions, which are tried and reported in any order."""
        story = Story()
        for letter, order in (("a", "xyz"), ("b", "zyx")):
            told = Told(story, letter)
            told.thinks("plan")
            for name in order:
                told.acts(name, "plan", arguments={"q": f"a long question about {name}"})
            told.thinks("sum", *(told.result(name) for name in order))
        graph = ask(story)
        assert graph.differences == ()
        assert [(view.first, view.second) for view in graph.steps[2:5]] == [
            ("x:a", "x:b"), ("y:a", "y:b"), ("z:a", "z:b")
        ]  # fmt: skip

    def test_parallel_calls_are_matched_by_what_they_were_sent(self) -> None:
        story = Story()
        for letter, order in (("a", "xy"), ("b", "yx")):
            told = Told(story, letter)
            for name in order:
                told.thinks(name, f"doc:{name}@version:1")
        graph = ask(story)
        assert step(graph, "x:a").second == "x:b"
        assert graph.differences == ()

    def test_steps_that_one_source_saw_one_after_the_other_are_in_order(self) -> None:
        story = Story()
        for letter, order in (("a", ("check", "pay")), ("b", ("pay", "check"))):
            Told(story, letter)
            for tool in order:
                at = story.events[-1].time
                story.tries(f"{tool}:{letter}", tool=tool, started=at, ended=at)
        graph = ask(story)
        assert graph.first_difference is not None
        assert (graph.first_difference.aspect, graph.first_difference.basis) == ("order", "source_order")

    def test_reports_alone_give_no_order(self) -> None:
        story = Story()
        for letter, order in (("a", ("check", "pay")), ("b", ("pay", "check"))):
            Told(story, letter)
            for tool in order:
                story.tries(f"{tool}:{letter}", tool=tool)
        assert ask(story).differences == ()


class TestSteps:
    def test_a_step_that_only_one_run_has_is_a_difference(self) -> None:
        story = Story()
        for letter in "ab":
            told = Told(story, letter)
            told.thinks("plan")
            if letter == "b":
                told.acts("extra", "plan", tool="mail")
        graph = ask(story)
        [one] = graph.differences
        assert (one.first, one.second, one.aspect, one.tool) == (None, "extra:b", "presence", "tool:mail")

    def test_other_arguments_are_told_by_pointer(self) -> None:
        graph = ask(pair(refund={"arguments": {**REFUND, "amount": "120.00"}}))
        [one] = graph.differences
        assert (one.aspect, one.pointers) == ("arguments", ("/amount",))

    def test_an_argument_that_went_from_sourced_to_assumed(self) -> None:
        story = Story()
        for letter, kind in (("a", "sourced"), ("b", "assumed")):
            source = {"pointer": "/amount", "kind": kind}
            if kind == "sourced":
                source["ref"] = "doc:fees@version:1"
            refunding(story, letter, refund={"sources": [source]})
        graph = ask(story)
        assert found(graph) == [("refund:a", "argument_kinds")]
        [lost] = graph.no_longer_sourced
        assert (lost.pointer, lost.first, lost.second, lost.became) == (
            "/amount",
            "refund:a",
            "refund:b",
            "assumed",
        )
        assert "No longer taken from a source, but assumed or invented: /amount of refund:b." in said(story)

    def test_a_commit_that_is_repeated(self) -> None:
        twice = [{"writes": [f"ledger:4711@version:{number}"], "results": []} for number in (19, 20)]
        graph = ask(pair(refund={"tries": twice}))
        assert ("refund:a", "commits") in found(graph)
        assert aspect(graph, "refund:a", "commits").second == ("2",)

    def test_a_retry_after_an_unknown_outcome_may_be_a_repeated_commit(self) -> None:
        """Case 135: the write timed out, and was tried again."""
        tries = [{"outcome": "unknown", "results": []}, {"writes": ["ledger:4711@version:19"], "results": []}]
        compared = aspect(ask(pair(refund={"tries": tries})), "refund:a", "commits")
        assert (compared.state, compared.first, compared.second) == ("cannot_tell", ("1",), ("1 to 2",))

    def test_that_it_was_read_back_in_one_run_alone_is_no_difference(self) -> None:
        """Both tools say that they took the write; that one had no effect was read back."""
        story = pair(refund={"tries": [{"writes": ["ledger:4711@version:19"], "results": []}]})
        story.checks("check:b", "refund:b", "confirmed_failed", run="run:b")
        graph = ask(story)
        assert aspect(graph, "refund:a", "commits").state == "cannot_tell"
        assert [each.state for each in graph.final_state] == ["cannot_tell"]
        story.checks("check:a", "refund:a", run="run:a")
        graph = ask(story)
        assert aspect(graph, "refund:a", "commits").why == "it was done once in the first, not in the second"
        assert [each.state for each in graph.final_state] == ["differs"]

    def test_effects_are_compared_where_both_were_verified(self) -> None:
        story = pair()
        story.checks("check:a", "refund:a", run="run:a")
        story.checks("check:b", "refund:b", "confirmed_failed", run="run:b")
        assert ("refund:a", "effect") in found(ask(story))

    def test_contents_left_behind_are_compared_by_digest(self) -> None:
        story = Story()
        for letter, digest in (("a", "aa"), ("b", "bb")):
            told = Told(story, letter)
            told.thinks("plan")
            told.acts("put", "plan", tries=[{"writes": [f"file:/r.md@sha256:{digest}"], "results": []}])
        [left] = ask(story).final_state
        assert (left.thing, left.state) == ("file:/r.md", "differs")

    def test_another_document_of_the_same_name_is_another_version(self) -> None:
        story = Story()
        for letter, version in (("a", 1), ("b", 2)):
            Told(story, letter).thinks("plan", f"doc:tariff@version:{version}")
        assert found(ask(story)) == [("plan:a", "inputs")]


class TestWhatItRestsOn:
    def test_the_order_of_arrival_changes_nothing(self) -> None:
        story = pair(write={"prompt": "prompt:p@version:6"}, refund={"decision": None})
        asked = QUESTION.read({"target": ["run:a", "run:b"]})
        told = []
        for seed in range(4):
            order = list(range(len(story.events)))
            random.Random(seed).shuffle(order)
            graph = QUESTION.answer(MemoryGraph.of_events(story.arrived(order)), asked).graph
            told.append((graph.steps, graph.differences, graph.final_state))
        assert told[1:] == told[:-1]

    def test_only_the_evidence_asked_for_ties_steps(self) -> None:
        story = pair()
        graph = ask(story, evidence=["inferred"])
        assert step(graph, "write:a").level == 0
        assert graph.evidence.set == ("inferred",)


class TestModes:
    def test_live_fixed_and_dry_are_told_apart_and_effects_of_dry_runs_are_not_compared(self) -> None:
        story = Story()
        refunding(story, "a")
        story.checks("check:a", "refund:a", run="run:a")
        refunding(story, "b", setting={"mode": "dry", "replay_of": "run:a"}, refund={"tries": []})
        graph = ask(story)
        assert graph.modes == ("live", "dry")
        assert aspect(graph, "refund:a", "effect").state == "cannot_tell"
        assert aspect(graph, "refund:a", "commits").state == "cannot_tell"
        assert "effects of run:b" in [item.what for item in graph.unchecked]
        assert said(story)[0].startswith("run:a was live, run:b was dry")

    def test_that_a_fixed_run_agrees_shows_nothing(self) -> None:
        story = Story()
        refunding(story, "a")
        refunding(story, "b", setting={"mode": "fixed"})
        assert "answers in run:b" in [item.what for item in ask(story).unchecked]


class TestWhatIsAskedAbout:
    def test_the_words_say_where_they_part_first(self) -> None:
        told = said(pair(refund={"arguments": {**REFUND, "amount": "120.00"}}))
        assert told[0] == (
            "run:a and run:b first part at action with tool:ledger (refund:a and refund:b), in arguments: "
            "other values at /amount."
        )
        assert said(pair())[0].startswith("No difference between run:a and run:b is known in 6 steps")

    @pytest.mark.parametrize(
        ("targets", "error"),
        [
            (["run:a"], BadQuestion),
            (["run:a", "run:a"], BadQuestion),
            (["run:a", "plan:a"], BadQuestion),
            (["run:a", "run:x"], NotFound),
        ],
    )
    def test_it_takes_two_runs(self, targets: list[str], error: type[Exception]) -> None:
        with pytest.raises(error):
            ask(pair(), *targets)

    @pytest.mark.parametrize(("targets", "given"), [(["run:a"], 1), (["run:a"] * 2, 1)])
    def test_that_two_different_runs_are_needed_is_said(self, targets: list[str], given: int) -> None:
        with pytest.raises(BadQuestion, match=f"target: 2 different runs are needed, not {given}"):
            ask(pair(), *targets)

    def test_compared_as_of_then(self) -> None:
        story = pair(refund={"arguments": {**REFUND, "amount": "120.00"}})
        graph = ask(story, as_of=len(story.events) - 4)
        assert found(graph) == [("refund:a", "presence")]


def test_as_a_table_it_lists_the_steps_with_how_they_compare() -> None:
    story = Story()
    for letter in "ab":
        one = Told(story, letter)
        one.thinks("call", model=f"model:m@version:{letter}")
        story.ends()
    answer = QUESTION.answer(story.graph(), QUESTION.read({"target": ["run:a", "run:b"]}))
    table = QUESTION.table(answer)
    assert table.columns == ("step", "first", "second", "state", "why")
    assert [row[:4] for row in table.rows] == [
        (step.kind.replace("_", " "), step.first, step.second, step.state.replace("_", " "))
        for step in answer.graph.steps
    ]
    [call] = [row for row in table.rows if row[0] == "model call"]
    assert call[3] == "differs"
    assert "model: model:m@version:a in the one, model:m@version:b in the other" in call[4]


class TestAStepThatIsInserted:
    """A chain of searches, each reading what the one before returned; one run makes one more."""

    @pytest.mark.parametrize(
        ("values", "added"), [((0, 1, 2, 3), 0), ((1, 9, 2, 3), 1), ((1, 2, 9, 3), 2), ((1, 2, 3, 4), 3)]
    )
    def test_it_is_the_first_difference_and_the_others_have_their_counterparts(
        self, values: tuple[int, ...], added: int
    ) -> None:
        story = Story()
        _searches(story, "run:one", (1, 2, 3))
        _searches(story, "run:two", values)
        runs = ask(story, "run:one", "run:two")
        pairs = {view.first: view.second for view in runs.steps if view.kind == "action" and view.first}
        places = [place for place in range(4) if place != added]
        assert pairs == {f"act:run:one/{n}": f"act:run:two/{place}" for n, place in enumerate(places)}
        first = runs.first_difference
        assert first is not None
        assert (first.second, first.aspect) == (f"act:run:two/{added}", "presence")


def _searches(story: Story, run: str, values: Sequence[int]) -> None:
    story.run(run)
    for number, value in enumerate(values):
        action = f"act:{run}/{number}"
        story.proposes(action, "search", {"x": value}, run=run)
        read, result = [f"result:{run}/{number - 1}"] if number else [], [f"result:{run}/{number}"]
        story.tries(f"att:{run}/{number}", (), "search", action=action, run=run, reads=read, results=result)
    story.ends(run)
