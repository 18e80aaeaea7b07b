"""Answers and documents in other libraries."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import networkx
import pytest
import rdflib
from hypothesis import HealthCheck, given, settings

from provmodel import formats
from provmodel.document import Document, Element, Loss
from provmodel.feeds import ListFeed, feed_of_answer
from provmodel.formats.libraries import to_networkx, to_prov, to_rdflib
from provmodel.records import relation_key
from provmodel.relations import ASSOCIATION, TERMS, USAGE
from provmodel.statements import ExportNode, ExportRelation
from tests.provmodel.formats.hostile import BASE, feeds
from tests.provmodel.formats.random_documents import documents

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


# --- documents ---

TEXT = """document
prefix ex <http://example.org/>
prefix clew <urn:x-clew:ns#>
entity(ex:report, [prov:label="The report", ex:size="12" %% xsd:int, ex:size="13" %% xsd:int])
activity(ex:write, 2024-01-01T00:00:00Z, -)
used(ex:u; ex:write, ex:fees, -, [prov:role="input", clew:evidence="observed"])
wasGeneratedBy(ex:report, ex:write, 2024-01-01T00:00:01Z)
wasAssociatedWith(ex:write, ex:bob, ex:plan)
{}endDocument
"""
BUNDLE = "bundle ex:b\nentity(ex:report)\nwasDerivedFrom(ex:report, ex:fees)\nendBundle\n"
EX = "http://example.org/"


def document(more: str = "") -> Document:
    return formats.read(TEXT.format(more).encode(), "prov-n")


def test_a_document_becomes_one_of_prov() -> None:
    found = to_prov(document(BUNDLE))
    assert {record.get_type().localpart for record in found.get_records()} == {
        "Entity",
        "Activity",
        "Usage",
        "Generation",
        "Association",
    }
    assert [str(bundle.identifier) for bundle in found.bundles] == ["ex:b"]


def test_what_prov_leaves_out_of_a_document_is_told() -> None:
    odd = document("hadMember(ex:c, ex:e)\nactivity(ex:late, 2016-12-31T23:59:60Z, -)\n")
    losses: list[Loss] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of `prov` itself
        to_prov(odd, losses=losses)
    assert any("2017-01-01T00:00:00Z" in loss.what or "23:59:60" in loss.what for loss in losses)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        to_prov(odd)
    assert any(str(one.message).startswith("lost: ") for one in seen)


def test_a_document_becomes_a_graph_of_rdflib_and_with_bundles_a_dataset() -> None:
    plain = to_rdflib(document())
    prov = rdflib.Namespace("http://www.w3.org/ns/prov#")
    assert (rdflib.URIRef(f"{EX}report"), prov.wasGeneratedBy, rdflib.URIRef(f"{EX}write")) in plain
    assert not isinstance(plain, rdflib.Dataset)
    both = to_rdflib(document(BUNDLE))
    assert isinstance(both, rdflib.Dataset)
    inner = both.graph(rdflib.URIRef(f"{EX}b"))
    assert (rdflib.URIRef(f"{EX}report"), prov.wasDerivedFrom, rdflib.URIRef(f"{EX}fees")) in inner


def test_what_rdf_can_not_hold_of_a_document_is_told() -> None:
    losses: list[Loss] = []
    to_rdflib(document("ex:guessed(ex:report, ex:fees)\n" + BUNDLE), losses=losses)
    assert [loss.why for loss in losses] == ["PROV-O has no form of it"]


def test_a_document_becomes_a_graph_of_networkx() -> None:
    graph = to_networkx(document(BUNDLE))
    assert graph.nodes[f"{EX}report"]["kinds"] == ("entity",)
    assert graph.nodes[f"{EX}report"]["attributes"] == {"prov:label": ["The report"], "ex:size": ["12", "13"]}
    assert graph.nodes[f"{EX}fees"]["kinds"] == ()
    assert graph.nodes[f"{EX}write"]["times"] == {"startTime": "2024-01-01T00:00:00Z"}
    [used] = graph.get_edge_data(f"{EX}write", f"{EX}fees").values()
    assert (used["term"], used["evidence"], used["id"]) == ("used", "observed", f"{EX}u")
    assert {data["argument"] for *_, data in graph.out_edges(f"{EX}write", data=True)} == {
        "entity",
        "agent",
        "plan",
    }
    assert graph.has_edge((f"{EX}b", f"{EX}report"), (f"{EX}b", f"{EX}fees"))


def test_a_relation_of_one_end_is_told() -> None:
    losses: list[Loss] = []
    to_networkx(document("wasGeneratedBy(ex:report, -, 2024-01-01T00:00:00Z)\n"), losses=losses)
    assert [loss.why for loss in losses] == ["an edge has two ends"]


@settings(max_examples=30, deadline=None)
@given(found=documents)
def test_any_document_becomes_a_graph(found: Document) -> None:
    graph = to_networkx(found, losses=[])
    named = {one.id for one in found.main.statements if isinstance(one, Element)}
    assert named <= set(graph.nodes)


def test_the_verbs_are_in_the_package_of_formats() -> None:
    for verb in (to_prov, to_rdflib, to_networkx):
        assert getattr(formats, verb.__name__) is verb
    with pytest.raises(AttributeError, match="to_word"):
        getattr(formats, "to_word")  # noqa: B009


def test_an_answer_tells_in_each_library_how_far_it_goes() -> None:
    told = {**ANSWER, "graph": {**ANSWER["graph"], "complete": False, "truncated": True}}
    told["graph"]["gaps"] = [{"kind": "unpinned", "count": 2, "example": "tool:x"}]
    assert to_networkx(told).graph["gaps"] == told["graph"]["gaps"]
    graph = to_rdflib(told, BASE)
    clew = rdflib.Namespace("urn:x-clew:ns#")
    [gap] = graph.subjects(rdflib.RDF.type, clew.Gap)
    assert str(graph.value(gap, clew.gapKind)) == "unpinned"
    assert "clew:Gap" in {
        str(kind) for record in to_prov(told).get_records() for kind in record.get_asserted_types()
    }
