"""Which policies a question takes, how a refused one is told, and that an own one is what it crosses."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from provmodel.errors import BadQuestion
from queries import shelf
from queries.lineage import LINEAGE
from queries.memory import MemoryGraph
from queries.policy import POLICIES
from queries.question import Question
from tests.story import Story

ALL: list[Question[Any, Any]] = [*shelf.questions().values(), LINEAGE]
NAMED = sorted(POLICIES)


def told() -> MemoryGraph:
    """A run with a prompt, two calls, a citation beside a proposed write, and the write."""
    story = Story()
    story.run("run:r2")
    story.run("run:r", environment={"ref": "environment:e", "members": [{"ref": "prompt:p@version:1"}]})
    story.call("c:1", sees=["doc:1"], says=["msg:1"], instructions=["prompt:p@version:1"])
    story.call("c:2", sees=["msg:1"], says=["msg:2"], cites={"msg:2": ["doc:2"]})
    story.proposes("act:1", call="c:2")
    story.tries("att:1", action="act:1", writes=["file:/r@version:1"], reads=["doc:1"])
    return story.graph()


def ask(question: Question[Any, Any], graph: MemoryGraph, target: str, **given: Any) -> Any:
    if question.of_runs:
        target = "run:r"
    wanted = [target, "run:r2" if question.of_runs else "doc:1"][: question.needs or 1]
    return question.answer(graph, question.read({"target": wanted, **given})).graph


@pytest.mark.parametrize("question", ALL, ids=lambda question: question.name)
def test_a_question_takes_the_policies_of_its_direction_and_names_them_when_given_another(
    question: Question[Any, Any],
) -> None:
    graph, own = told(), POLICIES[question.policy].direction
    for name, policy in POLICIES.items():
        if question.both_ways or policy.direction == own:
            assert ask(question, graph, "msg:2", policy=name).as_of
            continue
        with pytest.raises(BadQuestion, match=question.policy) as refused:
            ask(question, graph, "msg:2", policy=name)
        assert own in str(refused.value)
    assert question.both_ways == (question.name in {"how-known", "lineage"})


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"direction": "sideways", "flows": ["data"]}, ("backward", "forward")),
        ({"direction": "backward", "flows": ["dta"]}, ("data", "responsibility", "record")),
        ({"direction": "backward", "flows": ["data"], "conditions": ["x"]}, ("structure",)),
        ({"direction": "backward", "flows": ["data"], "terms": ["usd"]}, ("used", "/control")),
        (
            {"direction": "backward", "flows": ["data"], "terms": ["used/control"]},
            ("control", "among the flows"),
        ),
        ({"direction": "backward"}, ("flows", '"terms"')),
        ({"direction": "backward", "flows": 3}, ("a list is expected, not a whole number", "record")),
    ],
)
def test_what_is_wrong_with_a_policy_is_told_with_what_may_stand_there(
    given: dict[str, Any], names: tuple[str, ...]
) -> None:
    for spelled in (json.dumps(given), given):
        with pytest.raises(BadQuestion, match=r"^policy: ") as refused:
            ask(LINEAGE, told(), "msg:2", policy=spelled)
        assert all(name in str(refused.value) for name in names)


@pytest.mark.parametrize("name", ["why", "impact", "mine"])
def test_the_name_of_an_own_policy_changes_nothing(name: str) -> None:
    own = {"direction": "backward", "flows": ["data"]}
    inputs = shelf.question("inputs-of")
    answer = ask(inputs, told(), "file:/r", policy={**own, "name": name})
    assert answer == ask(inputs, told(), "file:/r", policy=own)
    assert answer.policy.name == "own"
    assert "doc:2" in [one.ref for one in answer.links.cited]  # by a sibling text, as with `why`


def test_a_policy_that_is_one_of_the_shelf_has_its_name() -> None:
    own = {"direction": "backward", "flows": ["data"], "conditions": ["control", "responsibility"]}
    assert ask(LINEAGE, told(), "msg:2", policy=own).policy is POLICIES["why"]
    assert ask(LINEAGE, told(), "msg:2", policy="impact", direction="backward").policy is POLICIES["why"]
    assert ask(LINEAGE, told(), "msg:2", policy="who", direction="forward").policy.name == "own"


@pytest.mark.parametrize("question", ALL, ids=lambda question: question.name)
def test_no_edge_stands_twice_in_an_answer_whatever_was_asked_before(question: Question[Any, Any]) -> None:
    graph = told()
    forward = {"direction": "forward", "flows": ["data", "control"]}
    for policy, target in itertools.product(
        (*NAMED, forward), ("prompt:p", "environment:e", "run:r", "doc:1")
    ):
        try:
            answer = ask(question, graph, target, policy=policy)
        except BadQuestion:
            continue
        for edges in (answer.edges, answer.conditions, answer.responsible):
            assert len({(edge.relation, edge.argument) for edge in edges}) == len(edges)


def test_a_target_that_is_no_text_is_refused() -> None:
    for parameter in ("target", "expand", "policy", "as_of"):
        with pytest.raises(BadQuestion, match=f"^{parameter}: .*UTF-8"):
            LINEAGE.read({parameter: "\udcff\udcfe"})
