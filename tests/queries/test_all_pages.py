"""The pages of an answer are the whole answer, and none of them says more than it can know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

import msgspec
import pytest

from provmodel import events
from queries import shelf
from queries.answer import Graphed
from queries.lineage import LINEAGE
from queries.memory import MemoryGraph
from queries.question import Question
from tests.queries.graph_contract import memory_of
from tests.scramble import Scramble, scrambled

SKILL = {"target": "skill:late-fee-rules"}
RUN = {"target": "run:late-fees"}
ASKED: list[tuple[str, Mapping[str, Any]]] = [
    *((question.name, question.example) for question in shelf.questions().values()),
    (LINEAGE.name, LINEAGE.example),
    ("impact-of", SKILL),
    ("impact-of", {**SKILL, "view": "ids"}),
    ("survivors-of", {**SKILL, "view": "ids"}),
    ("impact-of", {"target": "person:duty-manager"}),
    ("survivors-of", {"target": "source:gateway"}),
    ("survivors-of", {"target": ["skill:late-fee-rules", "document:tariff-2025"]}),
    ("who-authorized", RUN),
    ("who-authorized", {"target": ["run:late-fees", "ledger:account-4711"]}),
    ("unsupported-claims", RUN),
    ("unverified-writes", RUN),
]
SHARING = ("unsupported-claims", "unverified-writes")
"""Pages of these are events of the log: what two of them name stands on both pages."""

WITHOUT_PAGES = ("how-known", "compare-runs", "gaps-of", "replay-kit")


@pytest.fixture(scope="module")
def story() -> MemoryGraph:
    told = json.loads(resources.files("app").joinpath("data/story.json").read_text())
    return memory_of([msgspec.convert(item, type=events.Event) for item in told])


def question(name: str) -> Question[Any, Any]:
    return LINEAGE if name == LINEAGE.name else shelf.question(name)


def ask(story: MemoryGraph, name: str, given: Mapping[str, Any]) -> tuple[Graphed, str]:
    """What an answer holds, and its sentences."""
    one = question(name)
    answer = one.answer(story, one.read(given))
    return answer.graph, " ".join(one.sentences(answer))


def pages(story: MemoryGraph, name: str, given: Mapping[str, Any]) -> list[tuple[Graphed, str]]:
    found = [ask(story, name, given)]
    while found[-1][0].cursor:
        found.append(ask(story, name, {**given, "cursor": found[-1][0].cursor}))
        assert len(found) < 200
    return found


def refs(graph: Graphed) -> list[str]:
    return [node if isinstance(node, str) else node.ref for node in graph.nodes]


@pytest.mark.parametrize("room", [1, 2, 3, 7])
@pytest.mark.parametrize(("name", "given"), ASKED)
def test_all_pages_together_are_the_whole_answer(
    story: MemoryGraph, name: str, given: Mapping[str, Any], room: int
) -> None:
    whole = refs(ask(story, name, given)[0])
    found = pages(story, name, {**given, "max_nodes": room})
    told = [ref for graph, _ in found for ref in refs(graph)]
    for graph, said in found[:-1]:
        assert graph.truncated
        assert not graph.complete
        assert "Nothing is known to be missing" not in said
    for graph, said in found[1:]:
        assert not graph.complete
        assert "Nothing is known to be missing" not in said
    if name == "how-known":
        assert found[-1][0].truncated == (set(told) != set(whole))
        return
    assert not found[-1][0].truncated
    assert set(told) == set(whole)
    if name not in SHARING:
        assert len(told) == len(whole)


@pytest.mark.parametrize("room", [1, 2, 5, 17])
@pytest.mark.parametrize(("name", "given"), [each for each in ASKED if each[0] not in WITHOUT_PAGES])
def test_every_edge_of_an_answer_stands_on_one_of_its_pages(
    story: MemoryGraph, name: str, given: Mapping[str, Any], room: int
) -> None:
    found = [graph for graph, _ in pages(story, name, {**given, "max_nodes": room})]
    assert edges(*found) == edges(ask(story, name, given)[0])


def edges(*graphs: Graphed) -> set[tuple[str, str]]:
    return {
        (edge.relation, edge.argument)
        for graph in graphs
        for edge in (*graph.edges, *graph.conditions, *graph.responsible)
    }


@pytest.mark.parametrize("limit", [{"depth": 0}, {"deadline": 0}, {"max_nodes": 1}])
@pytest.mark.parametrize(("name", "given"), [each for each in ASKED if each[0] not in WITHOUT_PAGES])
def test_a_limit_that_cuts_an_answer_gives_a_cursor_to_all_of_it(
    story: MemoryGraph, name: str, given: Mapping[str, Any], limit: Mapping[str, int]
) -> None:
    whole = refs(ask(story, name, given)[0])
    found = pages(story, name, {**given, **limit})
    assert all(graph.truncated for graph, _ in found[:-1])
    if name == "unsupported-claims" and "max_nodes" not in limit and "target" in given:
        assert found[-1][0].truncated == (set(refs(found[-1][0])) != set(whole))
    else:
        assert {ref for graph, _ in found for ref in refs(graph)} == set(whole)


@pytest.mark.parametrize(
    ("seed", "name", "target"),
    [
        (140891, "expired-inputs", ["ad53", "answer:34"]),
        (885829, "inputs-of", ["db@etag:7;by=at38"]),
        (940363, "inputs-of", ["result:21"]),
    ],
)
def test_a_path_may_lead_over_what_only_the_next_page_shows(seed: int, name: str, target: list[str]) -> None:
    told = [msgspec.convert(item, type=events.Event) for item in scrambled(Scramble(seed).build(60), seed)]
    tangled = memory_of(told)
    whole = refs(ask(tangled, name, {"target": target})[0])
    found = pages(tangled, name, {"target": target, "max_nodes": 1})
    assert sorted(ref for graph, _ in found for ref in refs(graph)) == sorted(whole)


COMMON = {field.name for field in msgspec.structs.fields(Graphed)}


def lists(graph: Graphed) -> dict[str, set[str]]:
    """What each list of an answer names, but for those that every answer has."""
    told: dict[str, set[str]] = {}
    for field in msgspec.structs.fields(graph):
        value = msgspec.to_builtins(getattr(graph, field.name)) if field.name not in COMMON else None
        for name, items in (value if isinstance(value, dict) else {"": value}).items():
            if isinstance(items, list | tuple):
                told[f"{field.name}.{name}"] = {named(item) for item in items}
    return told


def named(item: Any) -> str:
    """A reference, or that of which an entry tells."""
    return item if isinstance(item, str) else " ".join(item.get(key, "") for key in ("ref", "output", "call"))


class Finding(Scramble):
    """The same, but that most tools return documents of which there may be others, and what holds some."""

    def ref(self, prefix: str, number: int, **more: Any) -> dict[str, Any]:
        made = super().ref(prefix, number, **more)
        if prefix == "result" and number % 3:
            made["ref"] = f"found:{number % 7}@version:1"
        if prefix == "result" and number % 2:
            made["members"] = [{"ref": self.state()}]
        return made


@pytest.mark.parametrize(
    ("name", "seed", "size", "target", "room"),
    [
        ("expired-inputs", 95, 60, ["c6", "file:/a@sha256:0a;by=at22"], 2),
        ("inputs-of", 11, 40, ["result:18", "c2"], 1),
        ("inputs-of", 12, 40, ["result:6"], 3),
        ("inputs-of", 30, 60, ["answer:26"], 2),
        ("inputs-of", 69, 60, ["op2"], 3),
        ("impact-of", 6, 60, ["file:/a@sha256:0b"], 5),
        ("impact-of", 7, 40, ["file:/a@sha256:0a;by=at18"], 1),
        ("impact-of", 41, 40, ["file:/a@sha256:0b", "c2"], 3),
        ("impact-of", 74, 60, ["tool:pay"], 3),
        ("survivors-of", 38, 60, ["db@etag:7;by=at10", "answer:14"], 5),
    ],
)
def test_every_list_of_all_pages_together_is_that_of_the_whole(
    name: str, seed: int, size: int, target: list[str], room: int
) -> None:
    """Where a graph has cycles, what ties a thing may be met only after it, and what refutes a write."""
    assert_alike(Scramble(seed), name, seed, size, target, room)


@pytest.mark.parametrize(
    ("name", "seed", "size", "target", "room"),
    [
        ("impact-of", 2, 20, ["op4"], 2),
        ("impact-of", 48, 60, ["at5", "op2"], 5),
        ("impact-of", 1000, 40, ["at12", "db@etag:7;by=at24"], 3),
        ("impact-of", 1008, 60, ["at8", "message:11"], 1),
        ("survivors-of", 1069, 40, ["at4"], 5),
    ],
)
def test_what_tools_found_is_told_apart_on_whichever_page_it_stands(
    name: str, seed: int, size: int, target: list[str], room: int
) -> None:
    assert_alike(Finding(seed), name, seed, size, target, room)


def assert_alike(made: Scramble, name: str, seed: int, size: int, target: list[str], room: int) -> None:
    told = [msgspec.convert(item, type=events.Event) for item in scrambled(made.build(size), seed)]
    tangled = memory_of(told)
    whole = lists(ask(tangled, name, {"target": target})[0])
    found = [lists(graph) for graph, _ in pages(tangled, name, {"target": target, "max_nodes": room})]
    together = {key: set().union(*(page.get(key, set()) for page in found)) for page in found for key in page}
    assert {key: refs for key, refs in together.items() if refs} == {
        key: refs for key, refs in whole.items() if refs
    }
