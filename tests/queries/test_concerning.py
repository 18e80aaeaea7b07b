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


def test_a_decision_not_to_adopt_a_draft_stands_for_the_draft() -> None:
    told = Story()
    told.call("c:1", says=["t:1"])
    told.call("c:2", sees=["t:1"], says=["t:2"])
    told.adopts("ad:1", "t:1", verdict="rejected")
    asked, _ = ask(told.graph(), "impact-of", "ad:1")
    assert [target.ref for target in asked.targets] == ["t:1"]
    assert [each.ref for each in asked.affected] == ["t:2"]


def test_the_making_of_a_decision_stands_for_what_was_decided() -> None:
    told = Story()
    told.proposes("act:1")
    told.decides("d:1", action="act:1")
    told.tries("at:1", action="act:1", decision="d:1", writes=["file:/x@version:1"])
    by_making, _ = ask(told.graph(), "impact-of", "d:1;authorization")
    by_decision, _ = ask(told.graph(), "impact-of", "d:1")
    assert [target.ref for target in by_making.targets] == ["d:1"]
    assert by_making.affected == by_decision.affected != ()


def test_a_deletion_stands_for_what_the_body_was_the_content_of() -> None:
    told = Story()
    told.call("c:1", sees=[{"ref": "doc:a@version:1", "body": {"id": "body:a", "text": "x"}}], says=["t:1"])
    told.deletes("body:a", id="gone")
    asked, _ = ask(told.graph(), "impact-of", "deletion:harness/gone")
    assert [target.ref for target in asked.targets] == ["doc:a@version:1"]
    assert [each.ref for each in asked.affected] == ["t:1"]


def test_retractions_that_take_each_other_back_come_to_an_end() -> None:
    told = story()
    told.retracts("doc:a", id="again", withdraws="back")
    told.retracts("doc:a", id="once-more", withdraws="again")
    told.retracts("doc:a", id="round", withdraws="round-2")
    told.retracts("doc:a", id="round-2", withdraws="round")
    graph = told.graph()
    asked, _ = ask(graph, "impact-of", "retraction:harness/once-more")
    assert [target.ref for target in asked.targets] == ["doc:a@version:1"]
    assert ask(graph, "impact-of", "retraction:harness/round")[0].targets[0].found == "exact"
