"""Folding: a node for each run or agent, with counts that add up to what it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from docs.generate.questions import story
from provmodel.errors import BadQuestion
from queries import shelf
from queries.answer import Edge, Graphed, Node
from queries.lineage import LINEAGE
from queries.question import Question
from tests.story import Story

REPORT = "report:late-fees-february@version:1"
QUESTIONS = [*shelf.questions().values(), LINEAGE]


def asked(question: Question[Any, Any], **more: Any) -> Graphed:
    graph: Graphed = question.answer(story(), question.read({**question.example, **more})).graph
    return graph


def nodes(graph: Graphed) -> dict[str, Node]:
    return {node.ref: node for node in graph.nodes if isinstance(node, Node)}


def edges(graph: Graphed) -> list[Edge]:
    return [*graph.edges, *graph.conditions, *graph.responsible]


def alone(graph: Graphed) -> Mapping[str, Any]:
    """What of an answer folding has nothing to do with."""
    fields = msgspec.to_builtins(graph)
    return {k: v for k, v in fields.items() if k not in ("nodes", "edges", "conditions", "responsible")}


@pytest.mark.parametrize("fold", ["run", "agent"])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_counts_of_a_folded_answer_add_up_to_the_unfolded_one(
    question: Question[Any, Any], fold: str
) -> None:
    plain, folded = asked(question), asked(question, fold=fold)
    assert sum(node.members or 1 for node in nodes(folded).values()) == len(plain.nodes)
    inside = sum(node.inner for node in nodes(folded).values())
    assert sum(edge.count for edge in folded.edges) + inside == len(plain.edges)
    listed = sum(node.inner_listed for node in nodes(folded).values())
    beside = sum(edge.count for edge in (*folded.conditions, *folded.responsible))
    assert beside + listed == len(plain.conditions) + len(plain.responsible)
    assert len({edge.refuted for edge in edges(plain)}) >= len({edge.refuted for edge in edges(folded)})
    assert alone(folded) == alone(plain)
    assert asked(question, fold=fold) == folded


@pytest.mark.parametrize("fold", ["run", "agent"])
@pytest.mark.parametrize("target", [REPORT, "run:late-fees", "call:write", "file:/ledger/february.csv"])
def test_ties_are_told_in_the_same_words_folded_or_not(target: str, fold: str) -> None:
    question = shelf.question("inputs-of")

    def told(**more: Any) -> list[str]:
        answer = question.answer(story(), question.read({"target": [target], **more}))
        return [line for line in question.sentences(answer) if not line.startswith("Folded")]

    assert told(fold=fold) == told()


def test_each_run_stands_for_what_it_did_and_made() -> None:
    graph = asked(LINEAGE, target=REPORT, direction="backward", fold="run")
    run = nodes(graph)["run:late-fees"]
    assert (run.type, run.kinds) == ("clew:Run", ("activity",))
    assert run.members > 5
    assert "call:write" not in nodes(graph)
    assert REPORT in nodes(graph)
    assert "document:court-ruling-88" in nodes(graph)
    between = [edge for edge in graph.edges if "run:late-fees" in (edge.source, edge.target)]
    assert between
    assert all(edge.assertions or edge.count > 1 for edge in between)


def test_each_agent_stands_for_what_it_did_a_person_or_agent_before_tools_and_models() -> None:
    graph = asked(LINEAGE, target=REPORT, direction="backward", fold="agent")
    assert nodes(graph)["agent:bookkeeper"].members > 0
    assert "tool:files" in nodes(graph)
    assert "model:atlas@version:2026-02" not in nodes(graph)


def test_a_run_that_is_named_in_expand_is_seen_whole() -> None:
    plain = asked(LINEAGE, target=REPORT, direction="backward")
    seen = asked(LINEAGE, target=REPORT, direction="backward", fold="run", expand=["run:late-fees"])
    assert nodes(seen).keys() == nodes(plain).keys()
    part = asked(LINEAGE, target=REPORT, direction="backward", fold="run", expand=["call:write"])
    assert {"call:write", "run:late-fees"} <= nodes(part).keys()


def test_merged_edges_are_as_well_known_as_the_best_of_them() -> None:
    told = Story()
    told.run("run:1", agent="agent:a")
    told.call("call:1", sees=["document:in"], says=["message:1"], cites={"message:1": ["document:in"]})
    told.run("run:2", agent="agent:a")
    told.call("call:2", sees=["message:1"], says=["message:2"], cites={"message:2": ["message:1"]})
    told.call("call:3", sees=["message:1", "message:2"], says=["message:3"])
    graph = LINEAGE.answer(told.graph(), LINEAGE.read({"target": ["message:3"], "fold": "run"})).graph
    assert not [edge for edge in graph.edges if "message:1" in (edge.source, edge.target)]
    used = [e for e in graph.edges if (e.source, e.target, e.term) == ("run:2", "run:1", "used")]
    assert [(edge.count, edge.evidence, edge.assertions) for edge in used] == [(2, "observed", ())]
    derived = [e for e in graph.edges if e.term == "wasDerivedFrom" and e.source == "run:2"]
    assert [(edge.count, edge.evidence) for edge in derived] == [(1, "declared")]


def test_marks_of_what_is_folded_are_not_lost() -> None:
    plain, folded = (
        asked(LINEAGE, target=REPORT, direction="backward", **more) for more in ({}, {"fold": "run"})
    )
    kinds = {mark.kind for node in nodes(plain).values() for mark in node.marks}
    assert kinds == {mark.kind for node in nodes(folded).values() for mark in node.marks}


def test_sentences_say_what_is_folded_and_how_to_see_it() -> None:
    answer = LINEAGE.answer(story(), LINEAGE.read({"target": [REPORT], "fold": "run"}))
    assert any(line.startswith("Folded: ") and "expand" in line for line in LINEAGE.sentences(answer))
    assert not any("of this page" in line for line in LINEAGE.sentences(answer))


def test_a_node_that_stands_for_others_on_several_pages_says_so_of_each() -> None:
    asked_for = {"target": [REPORT], "fold": "run", "max_nodes": 7}
    answer = LINEAGE.answer(story(), LINEAGE.read(asked_for))
    assert any("nodes of this page stand as" in line for line in LINEAGE.sentences(answer))


@pytest.mark.parametrize("given", [{"fold": "colour"}, {"fold": "run", "view": "ids"}])
def test_folding_that_can_not_be_done_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadQuestion, match="fold"):
        asked(LINEAGE, **given)
