"""Answers in other libraries."""

from __future__ import annotations

import sys
from typing import Any

import networkx
import pytest
import rdflib
from hypothesis import HealthCheck, given, settings

from provmodel import formats
from provmodel.feeds import ListFeed, feed_of_answer
from provmodel.formats.libraries import to_networkx, to_prov, to_rdflib
from provmodel.records import relation_key
from provmodel.relations import ASSOCIATION, TERMS, USAGE
from provmodel.statements import ExportNode, ExportRelation
from tests.provmodel.formats.hostile import BASE, feeds

USED = f"{relation_key('used', 'call-1', ('doc:a',), ''):016x}"
ASSOCIATED = f"{relation_key('wasAssociatedWith', 'call-1', ('agent:a', 'skill:s'), ''):016x}"


def edge(relation: str, term: str, argument: str, target: str, flow: str, **more: Any) -> dict[str, Any]:
    stated = {
        "evidence": "observed",
        "stance": "supports",
        "asserter": "source:a",
        "method": "",
        "event": 7,
    }
    return {
        "relation": relation,
        "term": term,
        "argument": argument,
        "source": "call-1",
        "target": target,
        "role": "",
        "flow": flow,
        "evidence": "observed",
        "refuted": False,
        "assertions": [stated],
        **more,
    }


ANSWER: dict[str, Any] = {
    "question": "inputs-of",
    "graph": {
        "nodes": [
            {"ref": "call-1", "kinds": ["activity"], "depth": 0, "type": "clew:ModelCall"},
            {
                "ref": "doc:a",
                "kinds": ["entity"],
                "depth": 1,
                "marks": [{"kind": "placeholder"}, {"kind": "unpinned"}],
            },
        ],
        "edges": [edge(USED, "used", "entity", "doc:a", "data")],
        "conditions": [edge(ASSOCIATED, "wasAssociatedWith", "plan", "skill:s", "control")],
        "responsible": [edge(ASSOCIATED, "wasAssociatedWith", "agent", "agent:a", "responsibility")],
    },
}


def test_an_answer_is_a_feed_of_its_nodes_edges_conditions_and_agents() -> None:
    feed = feed_of_answer(ANSWER, BASE, {7: ("a", "e-1")})
    assert [(node.ref, node.kind, node.placeholder) for node in feed.nodes()] == [
        ("agent:a", 4, False),
        ("call-1", 2, False),
        ("doc:a", 1, True),
        ("skill:s", 1, False),
    ]
    (used,) = feed.relations(USAGE)
    assert (used.subject, used.arguments, used.key) == ("call-1", ("doc:a",), int(USED, 16))
    assert used.assertions == [(3, 1, "source:a", "", "a", "e-1", "", "")]
    (associated,) = feed.relations(ASSOCIATION)
    assert associated.arguments == ("agent:a", "skill:s")


def test_an_answer_that_has_ids_alone_is_one_of_nodes_without_kinds() -> None:
    feed = feed_of_answer({"nodes": ["call-1", "doc:a"]}, BASE)
    assert [(node.ref, node.kind) for node in feed.nodes()] == [("call-1", 0), ("doc:a", 0)]


def test_an_answer_is_exported_like_the_graph_that_it_was_taken_from() -> None:
    said = [(3, 1, "source:a", "", "", "", "", "")]
    used = ExportRelation(USAGE, "call-1", ("doc:a",), "", 0, int(USED, 16), said)
    graph = ListFeed(BASE, [ExportNode("call-1", 2), ExportNode("doc:a", 1)], [used])
    nodes = [
        {"ref": "call-1", "kinds": ["activity"], "depth": 0},
        {"ref": "doc:a", "kinds": ["entity"], "depth": 1},
    ]
    answer = feed_of_answer({"nodes": nodes, "edges": ANSWER["graph"]["edges"]}, BASE)
    for name in formats.shelf():
        assert b"".join(formats.write(answer, name)) == b"".join(formats.write(graph, name))


def test_prov_has_the_answer_as_a_document() -> None:
    document = to_prov(ANSWER, assertions="none")
    types = sorted(record.get_type().localpart for record in document.get_records())
    assert types == ["Activity", "Agent", "Association", "Entity", "Entity", "Usage"]


def test_rdflib_has_the_answer_as_a_graph_and_is_left_as_it_was() -> None:
    graph = to_rdflib(ANSWER)
    prov = rdflib.Namespace("http://www.w3.org/ns/prov#")
    assert (rdflib.URIRef(BASE + "call-1"), prov.used, rdflib.URIRef(BASE + "doc:a")) in graph
    assert rdflib.NORMALIZE_LITERALS is True


def test_rdflib_keeps_the_forms_of_literals() -> None:
    said = ("clew:x", "+007", "integer", 3, 1, "source:a", "a", "e-1")
    graph = to_rdflib(ListFeed(BASE, [ExportNode("a", 1, [said])], []), assertions="none")
    assert [str(value) for value in graph.objects(None, rdflib.URIRef("urn:x-clew:ns#x"))] == ["+007"]


def test_networkx_has_an_edge_for_each_argument_and_keeps_parallel_ones() -> None:
    other = edge(
        f"{relation_key('used', 'call-1', ('doc:a',), 'x'):016x}",
        "used",
        "entity",
        "doc:a",
        "control",
        role="x",
    )
    graph = to_networkx(
        {"edges": [*ANSWER["graph"]["edges"], other], "conditions": ANSWER["graph"]["conditions"]}
    )
    assert isinstance(graph, networkx.MultiDiGraph)
    assert graph.number_of_edges("call-1", "doc:a") == 2
    data = graph.edges["call-1", "skill:s", f"{ASSOCIATED}/plan"]
    assert (data["term"], data["argument"], data["evidence"], data["refuted"]) == (
        "wasAssociatedWith",
        "plan",
        "observed",
        False,
    )
    assert data["assertions"][0]["asserter"] == "source:a"
    assert graph.nodes["doc:a"] == {"iri": BASE + "doc:a", "kinds": ("entity",), "attributes": {}}


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(feeds())
def test_the_three_libraries_take_whatever_can_be_written(feed: ListFeed) -> None:
    arguments = [
        ref for term in TERMS for one in feed.relations(term) for ref in one.arguments if ref is not None
    ]
    assert to_networkx(feed).number_of_edges() == len(arguments)
    assert len(to_rdflib(feed, assertions="none")) > 0
    assert len(list(to_prov(feed).get_records())) > 0


@pytest.mark.parametrize(
    ("take", "library"), [(to_prov, "prov"), (to_rdflib, "rdflib"), (to_networkx, "networkx")]
)
def test_a_library_that_is_absent_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, take: Any, library: str
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ModuleNotFoundError, match=rf"library {library}.*clew-prov\[interop\]"):
        take(ANSWER)
