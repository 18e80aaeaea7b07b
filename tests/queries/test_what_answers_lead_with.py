"""What every answer says of the things in it that were taken back, deleted, refuted or never described."""

from __future__ import annotations

from typing import Any

import pytest

from queries import shelf
from tests.story import Story

WALKS = ("inputs-of", "impact-of", "survivors-of", "expired-inputs")


def ask(story: Story, question: str, target: str, **more: Any) -> Any:
    asked = shelf.question(question)
    return asked.answer(story.graph(), asked.read({"target": target, **more})).graph


def said(story: Story, question: str, target: str, **more: Any) -> list[str]:
    asked = shelf.question(question)
    return asked.sentences(asked.answer(story.graph(), asked.read({"target": target, **more})))


@pytest.fixture
def story() -> Story:
    """A rate was read, a note was written of it and deleted again, and a bill came of the note."""
    story = Story()
    story.run("run:1")
    story.version("rate@version:1")
    story.tries("att:note", reads=["rate@version:1"], writes=["file:/note@version:1"])
    story.call("call:1", sees=["file:/note@version:1"], says=["text:1"])
    story.tries("att:bill", reads=["text:1"], writes=["bill:9@version:1"])
    return story


@pytest.mark.parametrize(("question", "target"), [("inputs-of", "bill:9"), ("impact-of", "rate@version:1")])
def test_what_was_retracted_on_the_way_is_said_before_anything_else(
    story: Story, question: str, target: str
) -> None:
    story.retracts("rate@version:1", reason="It ended.")
    told = [line for line in said(story, question, target) if not line.startswith("For ")]
    assert told[0] == "Retracted: rate@version:1 (by person:ann: It ended)."


def test_of_several_retractions_it_is_said_how_many(story: Story) -> None:
    story.retracts("rate@version:1")
    story.retracts("text:1", by="bo")
    told = said(story, "inputs-of", "bill:9")
    assert "Retracted (2 things): rate@version:1 (by person:ann), text:1 (by person:bo)." in told


def test_a_retraction_that_was_taken_back_is_none(story: Story) -> None:
    story.retracts("rate@version:1", id="taking-back")
    story.retracts("rate@version:1", withdraws="taking-back")
    told = [line for line in said(story, "inputs-of", "bill:9") if line.startswith("Retracted")]
    assert told == ["Retracted once, and the retraction taken back since: rate@version:1 (by person:ann)."]


@pytest.mark.parametrize(
    ("question", "target"), [("inputs-of", "bill:9"), ("impact-of", "rate"), ("survivors-of", "rate")]
)
def test_what_was_deleted_on_the_way_is_named(story: Story, question: str, target: str) -> None:
    story.tries("att:tidy", writes=[{"ref": "file:/note@version:1", "mode": "delete"}])
    [line] = [line for line in said(story, question, target) if line.startswith("Deleted")]
    assert line.startswith("Deleted: file:/note@version:1 at 2026-")


@pytest.mark.parametrize("question", WALKS)
@pytest.mark.parametrize("subject", ["retracted", "verified"])
def test_what_nothing_describes_is_never_recorded(question: str, subject: str) -> None:
    story = Story()
    story.run("run:1")
    if subject == "retracted":
        story.retracts("doc:ghost@version:4")
    else:
        story.checks("check:1", "doc:ghost@version:4")
    answer = ask(story, question, "doc:ghost@version:4")
    assert [(gap.kind, gap.example) for gap in answer.gaps] == [("never_recorded", "doc:ghost@version:4")]
    assert "placeholder" in {mark.kind for mark in answer.nodes[0].marks}
    assert not answer.complete


class TestRefuted:
    """The note was read back, and was not there; it was read all the same."""

    @pytest.fixture
    def story(self, story: Story) -> Story:
        story.checks("check:1", "file:/note@version:1", "confirmed_failed", attempt="att:note")
        return story

    @pytest.mark.parametrize(
        ("question", "target", "stopped"),
        [
            ("impact-of", "rate", "from att:note to file:/note@version:1"),
            ("survivors-of", "rate", "from att:note to file:/note@version:1"),
            ("inputs-of", "bill:9", "from file:/note@version:1 to att:note"),
            ("expired-inputs", "bill:9", "from file:/note@version:1 to att:note"),
        ],
    )
    def test_a_walk_that_stops_there_says_so_and_is_not_complete(
        self, story: Story, question: str, target: str, stopped: str
    ) -> None:
        answer = ask(story, question, target)
        [unchecked] = [one for one in answer.unchecked if "refuted" in one.what]
        assert "1 refuted edge" in unchecked.why
        assert stopped in unchecked.why
        assert not answer.complete
        assert any("include_refuted crosses it" in line for line in said(story, question, target))

    @pytest.mark.parametrize(("question", "target"), [("impact-of", "rate"), ("inputs-of", "bill:9")])
    def test_one_that_crosses_it_has_nothing_to_say_of_it(
        self, story: Story, question: str, target: str
    ) -> None:
        answer = ask(story, question, target, include_refuted=True)
        assert answer.unchecked == ()
        assert {"rate@version:1", "bill:9@version:1"} <= {node.ref for node in answer.nodes}
