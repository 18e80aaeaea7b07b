"""Pictures of answers: what is drawn stands for the whole answer, and says what it leaves out."""

from __future__ import annotations

import pytest

from queries.answer import Graphed
from queries.lineage import LINEAGE
from queries.picture import Picture, draw
from queries.picture.naming import called, shortened
from tests.story import Story


def reading(files: int, steps: int = 0) -> Story:
    """A report that one call wrote after reading so many files, and a chain of more calls behind it."""
    story = Story()
    story.run("run:r", agent="reporter")
    before = "msg:start"
    for step in range(steps):
        story.call(f"call:{step}", sees=[before], says=[f"msg:{step}"])
        before = f"msg:{step}"
    story.call(
        "call:last", sees=[before, *(f"file:/in/{n}.txt@version:1" for n in range(files))], says=["report:1"]
    )
    return story


def answer(story: Story, target: str = "report:1", **more: object) -> Graphed:
    graph = story.graph()
    return LINEAGE.answer(graph, LINEAGE.read({"target": target, **more})).graph


def total(picture: Picture) -> int:
    return len(picture.nodes) + sum(len(card.members) for card in picture.cards) + picture.left_out


def test_every_node_of_the_answer_is_drawn_or_counted() -> None:
    graph = answer(reading(3, steps=4))
    picture = draw(graph)
    assert {node.ref for node in graph.nodes if not isinstance(node, str)} <= {n.ref for n in picture.nodes}
    assert picture.left_out == 0
    assert total(picture) == picture.node_count
    assert sum(line.count for line in picture.lines) == picture.edge_count


def test_many_like_nodes_become_one_card_that_counts_them() -> None:
    picture = draw(answer(reading(40)))
    (card,) = picture.cards
    assert (card.near, card.side, card.term, len(card.members), card.shown) == (
        "call:last",
        "cause",
        "used",
        40,
        4,
    )
    assert card.evidence == (("observed", 40),)
    assert total(picture) == picture.node_count
    (line,) = [line for line in picture.lines if line.cause == card.id]
    assert (line.effect, line.count, line.evidence, line.joins) == ("call:last", 40, "observed", ())


def test_an_opened_card_is_as_tall_as_its_rows() -> None:
    graph = answer(reading(40))
    closed = draw(graph).cards[0]
    opened = draw(graph, {closed.id: 12}).cards[0]
    assert opened.shown == 12
    assert opened.height > closed.height
    assert draw(graph, {closed.id: 9999}).cards[0].shown == 40


def test_a_retracted_node_is_never_hidden_in_a_card() -> None:
    story = reading(40)
    story.retracts("file:/in/7.txt@version:1", by="person:ann")
    picture = draw(answer(story))
    marked = {node.ref: node.marks for node in picture.nodes if node.marks}
    assert "retracted" in marked["file:/in/7.txt@version:1"]
    assert len(picture.cards[0].members) == 39


def test_beyond_the_limit_the_nearest_are_drawn_and_the_rest_is_counted() -> None:
    graph = answer(reading(2, steps=60))
    picture = draw(graph, limit=20)
    assert len(picture.nodes) == 20
    assert total(picture) == picture.node_count
    assert picture.left_out > 0
    assert {"report:1", "call:last"} <= {node.ref for node in picture.nodes}
    edges = {(edge.source, edge.target) for edge in (*graph.edges, *graph.conditions, *graph.responsible)}
    drawn = {node.ref for node in picture.nodes}
    across = {pair for pair in edges if (pair[0] in drawn) != (pair[1] in drawn)}
    assert sum(node.beyond for node in picture.nodes) == len(across) > 0


def test_the_target_is_marked_and_its_causes_stand_to_its_left() -> None:
    picture = draw(answer(reading(3)))
    (target,) = [node for node in picture.nodes if node.target]
    assert target.ref == "report:1"
    assert all(node.x < target.x for node in picture.nodes if node.ref != target.ref and node.depth > 0)


def test_a_line_names_the_relations_that_it_stands_for() -> None:
    story = Story()
    story.run("run:r", agent="reporter")
    story.call("call:1", sees=["doc:a"], says=["report:1"], cites={"report:1": ["doc:a"]})
    picture = draw(answer(story))
    joins = {(line.cause, line.effect): [join.term for join in line.joins] for line in picture.lines}
    assert joins["doc:a", "report:1"] == ["wasDerivedFrom"]
    assert joins["doc:a", "call:1"] == ["used"]
    best = {(line.cause, line.effect): line.evidence for line in picture.lines}
    assert (best["doc:a", "report:1"], best["doc:a", "call:1"]) == ("declared", "observed")


def test_the_same_answer_is_always_the_same_picture() -> None:
    graph = answer(reading(40, steps=5))
    assert draw(graph) == draw(graph)


@pytest.mark.parametrize(
    ("ref", "type_", "name", "detail"),
    [
        ("file:/reports/q3%20refunds.md@version:17", "", "q3 refunds.md", "version 17"),
        ("document:a/b@sha256:8d41aaaaaaaaaaaaaaaac07e", "", "b", "sha256 8d41…c07e"),
        ("call-17", "clew:ModelCall", "call-17", "model call"),
        ("<http://example.org/data/chart1>", "", "chart1", "http://example.org/data/"),
        ("__proto__", "", "__proto__", ""),
    ],
)
def test_a_node_has_a_name_and_a_second_line(ref: str, type_: str, name: str, detail: str) -> None:
    assert called(ref, type_) == (name, detail)


def test_a_long_name_keeps_its_beginning_and_its_end() -> None:
    assert shortened("a" * 10_000) == "a" * 14 + "…" + "a" * 7
    assert shortened("short") == "short"
