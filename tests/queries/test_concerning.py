"""A record about something stands for that, where it is asked what came of it or what went into it."""

from __future__ import annotations

from typing import Any

import pytest

from queries import shelf
from queries.graph import Graph
from tests.story import Story

NOTICE = "retraction:harness/back"


def ask(graph: Graph, name: str, *targets: str) -> tuple[Any, list[str]]:
    question = shelf.question(name)
    answer = question.answer(graph, question.read({"target": list(targets)}))
    return answer.graph, question.sentences(answer)


def story() -> Story:
    told = Story()
    told.call("c:1", sees=["doc:a@version:1"], says=["t:1"])
    told.call("c:2", sees=["doc:a@version:2"], says=["t:2"])
    told.tries("at:1", reads=["t:1"], writes=["file:/x@version:1"])
    told.checks("check:1", "file:/x@version:1")
    told.call("c:3", sees=["file:/x@version:1"], says=["t:3"])
    told.retracts("doc:a", id="back", replaced_by="doc:a@version:2")
    return told


@pytest.mark.parametrize("name", ["impact-of", "survivors-of", "inputs-of", "expired-inputs"])
@pytest.mark.parametrize("target", [NOTICE, f"{NOTICE};notice", "back"])
def test_a_retraction_stands_for_the_versions_it_takes_back(name: str, target: str) -> None:
    graph = story().graph()
    asked, words = ask(graph, name, target)
    by_thing, _ = ask(graph, name, "doc:a@version:1")
    assert asked.nodes == by_thing.nodes
    [resolved] = asked.targets
    assert (resolved.asked, resolved.ref, resolved.found) == (target, "doc:a@version:1", "about")
    assert resolved.record in (NOTICE, f"{NOTICE};notice")
    assert any(line.startswith(f"For {target} this answers what ") for line in words)


def test_without_one_in_its_place_it_stands_for_every_version() -> None:
    told = Story()
    told.call("c:1", sees=["doc:a@version:1"], says=["t:1"])
    told.call("c:2", sees=["doc:a@version:2"], says=["t:2"])
    told.retracts("doc:a", id="back")
    asked, _ = ask(told.graph(), "impact-of", NOTICE)
    assert {target.ref for target in asked.targets} == {"doc:a@version:1", "doc:a@version:2"}
    assert {each.ref for each in asked.affected} == {"t:1", "t:2"}


def test_what_takes_a_retraction_back_is_about_the_same() -> None:
    told = story()
    told.retracts("doc:a", id="again", withdraws="back")
    asked, _ = ask(told.graph(), "impact-of", "retraction:harness/again")
    assert [target.ref for target in asked.targets] == ["doc:a@version:1"]


def test_a_verification_stands_for_what_it_checked() -> None:
    asked, words = ask(story().graph(), "impact-of", "check:1")
    assert [each.ref for each in asked.affected] == ["t:3"]
    assert "For check:1 this answers what it is about, file:/x@version:1." in words


def test_a_decision_that_things_came_of_stands_for_itself() -> None:
    told = Story()
    told.call("c:1", says=["t:1"])
    told.adopts("ad:1", "t:1", accepted="rep:1")
    asked, _ = ask(told.graph(), "impact-of", "ad:1")
    assert [each.ref for each in asked.affected] == ["rep:1"]
    assert asked.targets[0].found == "exact"
