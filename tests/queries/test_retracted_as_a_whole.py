"""A retraction that names a thing without a version is about every version of it."""

from __future__ import annotations

from typing import Any

import pytest

from queries import shelf
from queries.answer import Mark
from tests.story import Story

STATE = "file:/limits@sha256:" + "a" * 64


def ask(story: Story, question: str, target: str) -> Any:
    asked = shelf.question(question)
    return asked.answer(story.graph(), asked.read({"target": target})).graph


def said(story: Story, question: str, target: str) -> list[str]:
    asked = shelf.question(question)
    return asked.sentences(asked.answer(story.graph(), asked.read({"target": target})))


def retracted(story: Story, target: str, ref: str) -> list[Mark]:
    nodes = ask(story, "inputs-of", target).nodes
    return [mark for node in nodes if node.ref == ref for mark in node.marks if mark.kind == "retracted"]


@pytest.fixture
def story() -> Story:
    """Two versions of a guide, each of which a note came of."""
    story = Story()
    story.run("run:1")
    story.version("guide@version:1")
    story.call("call:1", sees=["guide@version:1"], says=["note:1"])
    story.version("guide@version:2", before="guide@version:1", mode="replace")
    story.call("call:2", sees=["guide@version:2"], says=["note:2"])
    return story


@pytest.mark.parametrize("number", [1, 2])
def test_every_version_is_marked_with_the_thing_that_was_named(story: Story, number: int) -> None:
    story.retracts("guide", reason="It is wrong.")
    [mark] = retracted(story, f"note:{number}", f"guide@version:{number}")
    assert mark.reason == "It is wrong; every version of guide"
    assert mark.ref.endswith(";notice")
    assert f"Retracted: guide@version:{number} (by person:ann: It is wrong; every version of guide)." in said(
        story, "inputs-of", f"note:{number}"
    )


def test_a_retraction_of_one_version_is_about_that_one_alone(story: Story) -> None:
    story.retracts("guide@version:1")
    assert len(retracted(story, "note:1", "guide@version:1")) == 1
    assert retracted(story, "note:2", "guide@version:2") == []


def test_the_version_that_takes_its_place_is_not_retracted(story: Story) -> None:
    story.retracts("guide", replaced_by="guide@version:2")
    assert len(retracted(story, "note:1", "guide@version:1")) == 1
    assert retracted(story, "note:2", "guide@version:2") == []


def test_one_that_was_taken_back_is_withdrawn_at_every_version(story: Story) -> None:
    story.retracts("guide", id="too-much")
    story.retracts("guide", withdraws="too-much")
    assert retracted(story, "note:1", "guide@version:1") == []
    [node] = [node for node in ask(story, "inputs-of", "note:1").nodes if node.ref == "guide@version:1"]
    assert [mark.kind for mark in node.marks] == ["withdrawn"]


def test_a_version_by_another_name_is_one_when_its_event_says_so() -> None:
    story = Story()
    story.run("run:1")
    story.version("scan:77", thing="guide")
    story.call("call:1", sees=["scan:77"], says=["note:1"])
    story.retracts("guide")
    assert len(retracted(story, "note:1", "scan:77")) == 1


def test_a_content_state_is_retracted_in_each_of_its_writes() -> None:
    story = Story()
    story.run("run:1")
    story.tries("att:1", writes=[STATE])
    story.retracts(STATE)
    written = f"{STATE};by=att:1"
    assert len(retracted(story, written, written)) == 1


def test_an_answer_about_a_thing_says_that_it_is_for_the_newest_version_alone(story: Story) -> None:
    told = said(story, "impact-of", "guide")
    assert told[0] == (
        "For guide this answers the newest version alone, guide@version:2; others are guide@version:1."
    )
