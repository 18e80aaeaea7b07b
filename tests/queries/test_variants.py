"""Events that came in variants that differ: what they describe is marked wherever it is shown."""

from __future__ import annotations

from typing import Any

import pytest

from queries import shelf
from queries.answer import Graphed, Node
from queries.lineage import LINEAGE
from queries.memory import MemoryGraph
from queries.question import Question
from tests.story import Story


def told() -> MemoryGraph:
    """A call that is reported twice under one id, with other inputs, in the middle of a chain."""
    story = Story()
    story.run("run:r")
    story.call("call:1", sees=["doc:1"], says=["msg:1"])
    story.call("call:2", id="CONF", sees=["msg:1"], says=["msg:2"])
    story.call("call:2", id="CONF", sees=["doc:2"], says=["msg:2"])
    story.call("call:3", sees=["msg:2"], says=["msg:3"])
    return story.graph()


def ask(question: Question[Any, Any], *targets: str, **given: Any) -> tuple[Any, str]:
    answer = question.answer(told(), question.read({"target": list(targets), **given}))
    return answer.graph, " ".join(question.sentences(answer))


def marked(graph: Graphed) -> list[tuple[str, int]]:
    nodes = [node for node in graph.nodes if isinstance(node, Node)]
    return [(node.ref, mark.event) for node in nodes for mark in node.marks if mark.kind == "conflict"]


@pytest.mark.parametrize(
    ("question", "target"),
    [("inputs-of", "msg:3"), ("inputs-of", "msg:2"), ("impact-of", "doc:1"), ("survivors-of", "doc:2")],
)
def test_the_mark_stands_wherever_the_node_is_shown(question: str, target: str) -> None:
    graph, words = ask(shelf.question(question), target)
    assert marked(graph) == [("call:2", 3), ("call:2", 4)]
    assert "Reported in variants that differ, of which none is preferred: call:2." in words


def test_lineage_marks_it_too_and_an_earlier_answer_does_not() -> None:
    assert marked(ask(LINEAGE, "doc:1", direction="forward")[0]) == [("call:2", 3), ("call:2", 4)]
    assert marked(ask(LINEAGE, "msg:2", as_of="3")[0]) == []


def test_gaps_of_lists_it_under_what_contradicts_itself() -> None:
    graph, words = ask(shelf.question("gaps-of"), "run:r")
    [one] = [found for found in graph.contradictions if found.kind == "conflict"]
    assert (one.refs, one.events) == (("call:2",), (3, 4))
    assert "CONF of harness came 2 times, each with other content" in words


def test_how_known_says_in_words_that_an_assertion_rests_on_a_variant() -> None:
    graph, words = ask(shelf.question("how-known"), "call:2", "msg:2")
    assert all(said.conflict for claim in graph.claims for said in claim.assertions)
    assert "of which there are variants that differ" in words
