"""What a reader is answered who may not see some nodes: the same walk, with these renamed and stripped."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from queries import shelf
from queries.answer import Answer, Edge, Graphed, Node
from queries.graph import Graph
from queries.hiding import SCHEME, Hiding
from queries.lineage import LINEAGE, LineageAsked
from queries.memory import MemoryGraph
from queries.restricted import RestrictedGraph
from queries.unseen import counted
from tests.queries.test_random_graphs import ENTITIES, graph_of
from tests.story import Story

KEY = bytes(range(32))


def hiding(graph: MemoryGraph, *things: str) -> Hiding:
    """What hides these things with all their versions."""
    every = graph.ids(graph.all_refs(), graph.head())
    shape = Hiding(KEY, things)
    nodes = {node: ref for ref, node in every.items() if shape.hides(ref)}
    return Hiding(KEY, things, nodes)


def lineage(graph: Graph, **given: Any) -> Graphed:
    answer: Answer[Graphed] = LINEAGE.answer(graph, LineageAsked(**given))
    return counted(answer, graph).graph


def restricted(memory: MemoryGraph, hidden: Hiding) -> RestrictedGraph:
    return RestrictedGraph(memory, lambda: hidden)


def nodes(graph: Graphed) -> dict[str, Node]:
    return {node.ref: node for node in graph.nodes if isinstance(node, Node)}


def before(edges: tuple[Edge, ...], start: str, hidden: Hiding, backward: bool) -> set[str]:
    """What edges lead to without going on from what is hidden."""
    reached, batch = {start}, [start]
    while batch:
        batch = [
            far
            for edge in edges
            if not edge.refuted
            for near, far in [(edge.source, edge.target) if backward else (edge.target, edge.source)]
            if near in batch and not hidden.hides(near) and far not in reached
        ]
        reached.update(batch)
    return reached


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_an_answer_is_the_full_one_with_hidden_nodes_renamed_and_stripped(seed: int, direction: str) -> None:
    memory = graph_of(seed)[1]
    chosen = random.Random(seed)
    for _ in range(2):
        start, *things = chosen.sample(ENTITIES, 1 + chosen.choice((1, 8, 60)))
        hidden = hiding(memory, *things)
        as_of = chosen.choice((memory.head(), memory.head() // 2))
        asked: dict[str, Any] = {"target": (start,), "direction": direction, "as_of": as_of}
        full = lineage(memory, **asked)
        seen = lineage(restricted(memory, hidden), **asked)

        assert nodes(seen).keys() == {hidden.shown(ref) for ref in nodes(full)}
        plain, masked = [], Counter[tuple[str, str, str]]()
        for edge in full.edges:
            if hidden.hides(edge.source) or hidden.hides(edge.target):
                if not edge.refuted:
                    masked[hidden.shown(edge.source), hidden.shown(edge.target), edge.flow] += 1
            else:
                plain.append(stripped(edge))
        assert sorted(plain) == sorted(stripped(edge) for edge in seen.edges if edge.assertions)
        bare = [edge for edge in seen.edges if not edge.assertions]
        assert Counter((edge.source, edge.target, edge.flow) for edge in bare) == masked
        assert {(e.term, e.evidence, e.role, e.refuted) for e in bare} <= {("wasInfluencedBy", "", "", False)}

        count = sum(hidden.hides(ref) for ref in nodes(full))
        assert [gap.count for gap in seen.gaps if gap.kind == "hidden"] == ([count] if count else [])
        first = before(full.edges, start, hidden, direction == "backward")
        behind = {
            ref for ref, node in nodes(seen).items() if any(m.kind == "via_restricted" for m in node.marks)
        }
        assert behind == {hidden.shown(ref) for ref in nodes(full).keys() - first}
        text = msgspec.json.encode(seen).decode()
        assert not [thing for thing in things if f'"{thing}"' in text]
        for ref, node in nodes(seen).items():
            assert (node.kinds == ("restricted",)) == ref.startswith(SCHEME)


def stripped(edge: Edge) -> tuple[Any, ...]:
    """An edge without the key of its relation, which is made of all its arguments."""
    return msgspec.structs.astuple(edge)[1:]


def test_with_a_set_of_evidence_no_edge_of_a_hidden_node_is_crossed() -> None:
    """Else who asks with each kind in turn would learn how it is known."""
    story = Story()
    story.version("doc:secret@version:1")
    story.call("call:1", sees=["doc:secret@version:1"], says=["report:1"])
    memory = story.graph()
    hidden = hiding(memory, "doc:secret")
    graph = restricted(memory, hidden)
    every = lineage(graph, target=("report:1",))
    some = lineage(graph, target=("report:1",), evidence=("verified", "observed", "declared"))
    assert any(ref.startswith(SCHEME) for ref in nodes(every))
    assert not any(ref.startswith(SCHEME) for ref in nodes(some))
    assert "the edges of what is hidden from you" in {one.what for one in some.unchecked}


def test_where_nothing_is_hidden_the_graph_itself_answers() -> None:
    memory = graph_of(0)[1]
    asked: dict[str, Any] = {"target": ("e:1",), "direction": "forward"}
    assert lineage(RestrictedGraph(memory, Hiding), **asked) == lineage(memory, **asked)


def test_of_a_call_that_cites_what_is_hidden_it_is_not_said_that_it_cites_nothing() -> None:
    story = Story()
    story.call("c:1", sees=["doc:a", "doc:hid"], says=["t:1"], cites={"t:1": ["doc:hid"]})
    story.call("c:2", sees=["doc:a"], says=["t:2"])
    story.call("c:3", sees=["context:hid"], says=["t:3"], cites={"t:3": ["doc:a"]})
    memory = story.graph()
    question = shelf.question("unsupported-claims")
    asked = question.read({"target": ["c:1", "c:2", "c:3"]})
    full = question.answer(memory, asked).graph
    assert (full.uncited, [claim.ref for claim in full.cited_not_sent]) == (("c:2",), ["doc:a"])
    seen = question.answer(restricted(memory, hiding(memory, "doc:hid", "context:hid")), asked).graph
    assert (seen.uncited, seen.cited_not_sent) == (("c:2",), ())
    assert [(claim.ref, claim.why) for claim in seen.unclear] == [
        ("doc:a", "something that c:3 was sent is hidden from you")
    ]
    assert "all that c:1 cites" in [one.what for one in seen.unchecked]
    assert not seen.complete


def test_of_a_hidden_write_it_is_not_said_that_nobody_looked() -> None:
    story = Story()
    story.run("run:1")
    story.proposes("act:1")
    story.tries("att:1", ["doc:pay@version:4", "report:pub@version:1"], action="act:1")
    story.checks("check:1", "doc:pay@version:4")
    story.ends()
    memory = story.graph()
    seen = restricted(memory, hiding(memory, "doc:pay"))

    def told(name: str, target: str) -> tuple[Any, str]:
        question = shelf.question(name)
        answer = counted(question.answer(seen, question.read({"target": target})), seen)
        return answer.graph, " ".join(question.sentences(answer))

    graph, said = told("unverified-writes", "run:1")
    assert {write.why for write in graph.writes} == {"hidden", "nobody_looked"}
    assert "Of 2 writes, 1 was verified by nobody. Nobody looked whether it took effect: report:pub" in said
    assert "Hidden from you, with who may have looked whether it took effect: restricted:" in said
    assert any(one.what.startswith("whether anybody verified restricted:") for one in graph.unchecked)
    graph, said = told("attempts-of", "att:1")
    assert "whether it was read back is hidden from you" in said
    assert "nobody read back" not in said
    assert any(one.what == "who read back all that att:1 wrote" for one in graph.unchecked)
    assert not graph.complete


def test_what_a_run_derived_from_what_is_hidden_came_of_it_all_the_same() -> None:
    story = Story()
    story.run("run:1")
    story.derives("doc:open@version:1", "doc:hid@version:1")
    memory = story.graph()
    question = shelf.question("impact-of")
    seen = question.answer(restricted(memory, hiding(memory, "doc:hid")), question.read({"target": "run:1"}))
    assert [each.ref for each in seen.graph.affected] == ["doc:open@version:1"]
