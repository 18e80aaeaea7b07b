"""What small sentences say of ones and noughts, and how a value that can't be read is told."""

from __future__ import annotations

from typing import Any

import pytest

from provmodel.errors import BadQuestion
from queries import shelf
from queries.lineage import LINEAGE
from tests.story import Story


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"depth": "x"}, "depth: it is no whole number; give 0 to"),
        ({"depth": -1}, "depth: it is less than 0; give 0 to"),
        (
            {"include_refuted": "maybe"},
            "include_refuted: it is neither true nor false; give true or false",
        ),
        ({"target": [5]}, "target: a text is expected, not a whole number; give a text"),
        ({"target": 5}, "target: a text is expected, not a whole number; give a text"),
        ({"fold": "both"}, "fold: 'both' is not offered; use one of agent, run, or leave it out"),
    ],
)
def test_a_value_that_can_not_be_read_is_told_in_words_of_the_reader(
    given: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadQuestion, match=told):
        LINEAGE.read(given)


def test_a_seq_of_many_digits_is_a_seq_beyond_the_log() -> None:
    story = Story()
    story.call("call:1")
    with pytest.raises(BadQuestion, match="the log ends at 1"):
        LINEAGE.answer(story.graph(), LINEAGE.read({"target": ["call:1"], "as_of": "9" * 22}))


def test_a_source_is_found_by_the_name_that_answers_give_it() -> None:
    story = Story("gateway")
    story.tries("att:1", writes=["file:/a@version:1"])
    question = shelf.question("unverified-writes")
    for name in ("gateway", "source:gateway"):
        answer = question.answer(story.graph(), question.read({"source": name}))
        assert [write.write for write in answer.graph.writes] == ["file:/a@version:1"]


def test_attempts_that_name_no_action_are_not_told_as_at_none() -> None:
    story = Story()
    story.run("run:r")
    story.tries("att:1")
    story.tries("att:2")
    question = shelf.question("attempts-of")
    answer = question.answer(story.graph(), question.read({"target": "run:r"}))
    assert "2 attempts; they name no action." in question.sentences(answer)


def test_equal_arguments_at_other_targets_are_no_doubles() -> None:
    def doubles(*targets: str) -> int:
        story = Story()
        story.run("run:r")
        for number, target in enumerate(targets):
            arguments = {"body": {"json": {"amount": 5}}}
            done: dict[str, Any] = {"action": f"act:{number}", "arguments": arguments}
            story.proposes(f"act:{number}", target=target, arguments=arguments)
            story.tries(f"att:{number}", writes=[f"file:/{number}@version:1"], **done)
        question = shelf.question("attempts-of")
        return len(question.answer(story.graph(), question.read({"target": "run:r"})).graph.duplicates)

    assert doubles("account:1", "account:1") == 1
    assert doubles("account:1", "account:2") == 0


def test_an_answer_for_the_run_in_place_of_what_was_asked_about_says_so() -> None:
    story = Story()
    story.run("run:r")
    story.call("call:1", says=["msg:1"])
    question = shelf.question("adopted-results")
    answer = question.answer(story.graph(), question.read({"target": "msg:1"}))
    assert answer.graph.instead == ("run:r",)
    told = "Neither a run nor of a draft is msg:1: this answers for run:r, where it was made."
    assert told in question.sentences(answer)
    assert question.answer(story.graph(), question.read({"target": "run:r"})).graph.instead == ()
