"""What of an answer is shown, when its reader hides some of it."""

from __future__ import annotations

from queries.answer import Edge, EvidenceUsed, Graphed, Mark, Node
from queries.picture import draw
from queries.policy import POLICIES
from queries.shown import without

REPORT = Node("report:r@version:1", ("entity",), 0)
CALL = Node("call:1", ("activity",), 1, "clew:ModelCall")
INPUT = Node("document:d@version:1", ("entity",), 1, "", (Mark("retracted"),))
SECRET = Node("restricted:5f3a", ("restricted",), 2)


def edge(
    source: Node, target: Node, term: str, argument: str, evidence: str, *, refuted: bool = False
) -> Edge:
    return Edge("0" * 16, term, argument, source.ref, target.ref, "", "data", evidence, refuted, ())


GRAPH = Graphed(
    as_of=1,
    policy=POLICIES["why"],
    evidence=EvidenceUsed(("observed",)),
    targets=(),
    nodes=(REPORT, CALL, INPUT, SECRET),
    edges=(
        edge(REPORT, CALL, "wasGeneratedBy", "activity", "observed"),
        edge(CALL, INPUT, "used", "entity", "declared"),
        edge(REPORT, INPUT, "wasDerivedFrom", "usedEntity", "declared", refuted=True),
        edge(CALL, SECRET, "", "", ""),
    ),
    responsible=(edge(CALL, Node("agent:a", ("agent",), 2), "wasAssociatedWith", "agent", "observed"),),
)


def refs(graph: Graphed) -> set[str]:
    return {node.ref for node in graph.nodes if isinstance(node, Node)}


def test_a_hidden_mark_takes_the_node_and_its_edges_along() -> None:
    left = without(GRAPH, ["retracted"])
    assert refs(left) == refs(GRAPH) - {INPUT.ref}
    assert [one.term for one in left.edges] == ["wasGeneratedBy", ""]


def test_hidden_evidence_takes_edges_and_a_refuted_edge_counts_as_refuted() -> None:
    assert [one.term for one in without(GRAPH, ["declared"]).edges] == [
        "wasGeneratedBy",
        "wasDerivedFrom",
        "",
    ]
    assert [one.term for one in without(GRAPH, ["refuted"]).edges] == ["wasGeneratedBy", "used", ""]


def test_a_hidden_kind_takes_nodes_that_only_edges_name_and_nothing_hidden_changes_nothing() -> None:
    assert without(GRAPH, ["agent"]).responsible == ()
    assert without(GRAPH, []) is GRAPH


def test_a_picture_tells_what_may_not_be_known_from_what_was_refuted() -> None:
    lines = {(line.cause, line.effect): line for line in draw(GRAPH).lines}
    assert not lines[SECRET.ref, CALL.ref].refuted
    assert lines[SECRET.ref, CALL.ref].evidence == ""
    assert lines[INPUT.ref, REPORT.ref].refuted
