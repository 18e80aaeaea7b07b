"""One question has one answer, byte for byte: from memory, SQLite and PostgreSQL, by rows and by index."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.ledger import Ledger, indexes
from provmodel import events
from queries import shelf
from queries.graph import Graph
from queries.lineage import LINEAGE
from queries.walk import walk
from tests.ledgers import all_prepared
from tests.queries.graph_contract import memory_of
from tests.queries.test_random_graphs import RandomGraph, named, trip_on, trips
from tests.scramble import Scramble, scrambled
from tests.stores import empty_ledger

QUESTIONS = [*shelf.questions().values(), LINEAGE]
TARGETS = 12
RUNS = ["r0", "r1"]
PAGES = 5


ENOUGH = 10**9
"""Rows after which any index is worth loading."""


@pytest.fixture(params=["sqlite", "sqlite by its index", "postgresql"])
def ledger(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Ledger]:
    sqlite = request.param.startswith("sqlite")
    if request.param == "sqlite by its index":
        monkeypatch.setattr(indexes, "WORTH", ENOUGH)  # so that the first rows read make it worth loading
    url = empty_ledger(tmp_path / "clew.db") if sqlite else request.getfixturevalue("postgres_ledger")
    with Ledger.open(url) as opened:
        yield opened


def recorded(ledger: Ledger, told: list[events.Event]) -> Graph:
    items = all_prepared(told)
    for start in range(0, len(items), 9):
        ledger.append("default", items[start : start + 9])
    graph = ledger.graph("default")
    if indexes.WORTH == ENOUGH:
        assert graph.adjacency(graph.head(), ENOUGH) is not None
    return graph


def answers(graph: Graph, refs: list[str], **more: Any) -> list[bytes]:
    asked = [
        (question, {"target": ref, **more}) for question in QUESTIONS if not question.of_runs for ref in refs
    ]
    asked += [
        (question, {"target": RUNS[: question.needs], **more}) for question in QUESTIONS if question.of_runs
    ]
    return [
        msgspec.json.encode(question.answer(graph, question.read(given)).graph) for question, given in asked
    ]


@cache
def tangled(seed: int) -> tuple[list[events.Event], list[tuple[list[str], dict[str, Any], list[bytes]]]]:
    """Events, and what the graph in memory answers of them: about which nodes, how asked, and what."""
    told = [msgspec.convert(item, type=events.Event) for item in scrambled(Scramble(seed).build(60), seed)]
    memory = memory_of(told)
    refs = memory.all_refs()[:: len(memory.all_refs()) // TARGETS]
    early = memory.head() // 2
    asked: list[tuple[list[str], dict[str, Any]]] = [
        (refs, {}),
        (refs, {"view": "ids"}),
        (list(memory.ids(refs, early)), {"as_of": early}),
    ]
    return told, [(about, more, answers(memory, about, **more)) for about, more in asked]


@pytest.mark.parametrize("seed", range(3))
def test_about_tangled_events(ledger: Ledger, seed: int) -> None:
    told, answered = tangled(seed)
    stored = recorded(ledger, told)
    for about, more, expected in answered:
        assert answers(stored, about, **more) == expected


def test_about_the_story_that_ships(ledger: Ledger) -> None:
    story = json.loads(resources.files("app").joinpath("data/story.json").read_text())
    told = [msgspec.convert(item, type=events.Event) for item in story]
    memory, stored = memory_of(told), recorded(ledger, told)
    for question in QUESTIONS:
        for more in ({}, {"max_nodes": 3}, {"depth": 0}, {"evidence": "observed"}):
            asked = {**question.example, **more}
            for _ in range(PAGES):
                one, other = (question.answer(graph, question.read(asked)) for graph in (memory, stored))
                assert msgspec.json.encode(one.graph) == msgspec.json.encode(other.graph)
                assert question.sentences(one) == question.sentences(other)
                if not one.graph.cursor:
                    break
                asked["cursor"] = one.graph.cursor


def test_about_the_best_path_between_two_nodes(ledger: Ledger) -> None:
    made = RandomGraph(8)
    memory, stored = made.in_memory(), made.in_ledger(ledger, "random")
    if indexes.WORTH == ENOUGH:
        assert stored.adjacency(stored.head(), ENOUGH) is not None
    question, chosen = shelf.question("how-known"), random.Random(8)
    found = 0
    for _ in range(20):
        targets = chosen.sample(memory.all_refs(), 2)
        for more in ({}, {"as_of": memory.head() // 2}, {"evidence": "declared"}, {"include_refuted": True}):
            asked = question.read({"target": targets, **more})
            one, other = question.answer(memory, asked).graph, question.answer(stored, asked).graph
            assert msgspec.json.encode(one) == msgspec.json.encode(other), (targets, more)
            found += one.path is not None
    assert found > 20


def test_about_the_best_path_while_events_come(ledger: Ledger) -> None:
    told = [msgspec.convert(item, type=events.Event) for item in scrambled(Scramble(2).build(60), 2)]
    question, chosen, found = shelf.question("how-known"), random.Random(2), 0
    items = all_prepared(told)
    for start in range(0, len(items), 7):
        ledger.append("default", items[start : start + 7])
        memory, stored = memory_of(told[: start + 7]), ledger.graph("default")
        if indexes.WORTH == ENOUGH:
            assert stored.adjacency(stored.head(), ENOUGH) is not None
        refs = memory.all_refs()
        for one, other in zip(refs[:: len(refs) // 8], chosen.sample(refs, 8), strict=False):
            asked = question.read({"target": [one, other]})
            if one != other:
                answers = question.answer(memory, asked).graph, question.answer(stored, asked).graph
                assert msgspec.json.encode(answers[0]) == msgspec.json.encode(answers[1]), (one, other)
                found += answers[0].path is not None
    assert found > 5


def test_about_random_graphs(ledger: Ledger) -> None:
    made = RandomGraph(7)
    memory, stored = made.in_memory(), made.in_ledger(ledger, "random")
    for asked in trips(memory, 7):
        one, other = walk(memory, trip_on(memory, asked)), walk(stored, trip_on(stored, asked))
        as_of = asked["as_of"]
        assert named(memory, one.depths, as_of) == named(stored, other.depths, as_of)
