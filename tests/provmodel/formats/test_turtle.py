"""Turtle, as two other libraries read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pyoxigraph
import pytest
import rdflib
from hypothesis import HealthCheck, given, settings

from provmodel import formats
from provmodel.feeds import ListFeed
from provmodel.lexical import about, iri, typed
from provmodel.records import relation_key
from provmodel.relations import (
    ASSOCIATION,
    ATTRIBUTION,
    DERIVATION,
    INFLUENCE,
    MEMBERSHIP,
    MENTION,
    REVISION,
    SPECIALIZATION,
    START,
    TERMS,
    USAGE,
    Flow,
    Kind,
    Term,
)
from provmodel.statements import ExportAssertion, ExportAttribute, ExportNode, ExportRelation
from tests.provmodel.formats.hostile import ABSOLUTE, BASE, LABELS, REFS, feeds, kept

PROV = "http://www.w3.org/ns/prov#"
CLEW = "urn:x-clew:ns#"
PROVEXT = "https://openprovenance.org/ns/provext#"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
SAID: ExportAssertion = (3, 1, "source:a", "", "a", "e-1", "", "")

Triple = tuple[str, str, str]


@pytest.fixture(autouse=True)
def _lexical_forms_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)


def told(name: str, value: str, datatype: str = "string") -> ExportAttribute:
    return name, value, datatype, 3, 1, "source:a", "a", "e-1"


def link(
    term: Term,
    subject: str,
    *arguments: str | None,
    said: tuple[ExportAssertion, ...] = (SAID,),
    role: str = "",
) -> ExportRelation:
    key = relation_key(term.name, subject, arguments, role)
    return ExportRelation(term, subject, arguments, role, term.arguments[0].flow, key, said)


def written(feed: ListFeed, detail: str = "all") -> bytes:
    return b"".join(formats.write(feed, "turtle", detail))


def triples(data: bytes) -> list[Triple]:
    """Every triple that pyoxigraph reads, as N-Triples terms."""
    return [
        (str(one.subject), str(one.predicate), str(one.object))
        for one in pyoxigraph.parse(data, format=pyoxigraph.RdfFormat.TURTLE)
    ]


def local(relation: ExportRelation) -> str:
    return f"<{about(BASE)}rel/{relation.key:016x}>"


def t(ref: str) -> str:
    return f"<{BASE}{ref}>"


def of(found: list[Triple], subject: str) -> set[tuple[str, str]]:
    """What is said of a subject, with the best known namespaces shortened."""
    return {(short(predicate), short(object_)) for one, predicate, object_ in found if one == subject}


def short(term: str) -> str:
    for prefix, space in (("prov", PROV), ("clew", CLEW), ("provext", PROVEXT), ("t", BASE)):
        if term.startswith(f"<{space}"):
            return f"{prefix}:{term[len(space) + 1 : -1]}"
    return "a" if term == f"<{RDF}type>" else term


def test_a_usage_has_its_plain_triple_and_its_qualified_form() -> None:
    said: ExportAssertion = (3, 1, "source:a", "", "a", "e-1", "2026-03-01T09:00:00Z", '{"clew:position":2}')
    usage = link(USAGE, "call-1", "doc:a", said=(said,), role="in put")
    found = triples(written(ListFeed(BASE, [], [usage]), "none"))
    assert of(found, t("call-1")) == {("prov:used", "t:doc:a"), ("prov:qualifiedUsage", local(usage))}
    assert of(found, local(usage)) == {
        ("a", "prov:Usage"),
        ("prov:entity", "t:doc:a"),
        ("prov:atTime", f'"2026-03-01T09:00:00Z"^^<{XSD}dateTime>'),
        ("prov:hadRole", f"<{about(BASE)}role/in%20put>"),
        ("clew:role", '"in put"'),
        ("clew:evidence", '"observed"'),
        ("clew:flow", '"data"'),
        ("clew:position", f'"2"^^<{XSD}integer>'),
    }


@pytest.mark.parametrize(
    ("relation", "plain", "qualified"),
    [
        (
            link(ASSOCIATION, "call-1", "agent:a", "skill:s"),
            {("prov:wasAssociatedWith", "t:agent:a")},
            {("a", "prov:Association"), ("prov:agent", "t:agent:a"), ("prov:hadPlan", "t:skill:s")},
        ),
        (
            link(ASSOCIATION, "call-1", None, "skill:s"),
            set(),
            {("a", "prov:Association"), ("prov:hadPlan", "t:skill:s")},
        ),
        (
            link(START, "run-1", "doc:a", "run-0"),
            {("prov:wasStartedBy", "t:doc:a")},
            {("a", "prov:Start"), ("prov:entity", "t:doc:a"), ("prov:hadActivity", "t:run-0")},
        ),
        (
            link(DERIVATION, "b", "a", "call-1"),
            {("prov:wasDerivedFrom", "t:a")},
            {("a", "prov:Derivation"), ("prov:entity", "t:a"), ("prov:hadActivity", "t:call-1")},
        ),
        (
            link(REVISION, "b", "a"),
            {("prov:wasRevisionOf", "t:a"), ("prov:wasDerivedFrom", "t:a")},
            {("a", "prov:Revision"), ("prov:entity", "t:a")},
        ),
        (
            link(INFLUENCE, "call-1", "run-1", role="part-of"),
            {("prov:wasInfluencedBy", "t:run-1")},
            {("a", "prov:Influence"), ("prov:influencer", "t:run-1"), ("clew:role", '"part-of"')},
        ),
        (
            link(SPECIALIZATION, "b", "a"),
            {("prov:specializationOf", "t:a")},
            {("a", "provext:Specialization"), ("provext:generalEntity", "t:a")},
        ),
        (
            link(MEMBERSHIP, "b", "a"),
            {("prov:hadMember", "t:a")},
            {("a", "provext:Membership"), ("provext:member", "t:a")},
        ),
        (
            link(MENTION, "b", "a", "bundle"),
            {("prov:mentionOf", "t:a"), ("prov:asInBundle", "t:bundle")},
            {("a", "clew:Mention"), ("clew:argument", "t:a"), ("clew:bundle", "t:bundle")},
        ),
    ],
    ids=lambda value: value.term.name if isinstance(value, ExportRelation) else "",
)
def test_each_argument_has_its_property(
    relation: ExportRelation, plain: set[tuple[str, str]], qualified: set[tuple[str, str]]
) -> None:
    found = triples(written(ListFeed(BASE, [], [relation]), "none"))
    own = of(found, local(relation)) - {("clew:evidence", '"observed"')}
    assert {one for one in own if one[0] != "clew:flow"} == qualified
    name = relation.term.qualified[0]
    assert of(found, t(relation.subject)) == {*plain, (name, local(relation))}


def test_a_refuted_relation_has_no_triple_from_which_a_reasoner_could_infer_it() -> None:
    said: tuple[ExportAssertion, ...] = (SAID, (4, 0, "agent:verifier", "read-back", "v", "e-9", "", ""))
    usage = link(USAGE, "call-1", "doc:a", said=said)
    found = triples(written(ListFeed(BASE, [], [usage])))
    assert of(found, t("call-1")) == set()
    assert of(found, local(usage)) >= {
        ("a", "clew:RefutedRelation"),
        ("clew:term", "prov:used"),
        ("clew:subject", "t:call-1"),
        ("clew:argument", "t:doc:a"),
        ("clew:evidence", '"observed"'),
        ("clew:refutingEvidence", '"verified"'),
    }
    assertions = {one for one, predicate, _ in found if short(predicate) == "clew:relation"}
    assert {dict(of(found, one))["clew:stance"] for one in assertions} == {'"supports"', '"refutes"'}
    assert {dict(of(found, one))["prov:wasAttributedTo"] for one in assertions} == {
        "t:source:a",
        "t:agent:verifier",
    }


def test_a_node_says_its_kinds_its_type_its_label_and_its_times() -> None:
    said = [
        told("prov:type", "clew:ModelCall", "qname"),
        told("prov:type", "odd"),
        told("prov:label", 'a "b"'),
        told("prov:startTime", "2026-03-01T09:00:00Z", "dateTime"),
        told("attr:a b", "1", "boolean"),
    ]
    node = ExportNode("call-1", Kind.ACTIVITY | Kind.AGENT, said)
    found = triples(written(ListFeed(BASE, [node, ExportNode("x", 0, placeholder=True)], []), "none"))
    assert of(found, t("call-1")) == {
        ("a", "prov:Activity"),
        ("a", "prov:Agent"),
        ("a", "clew:ModelCall"),
        ("clew:type", '"odd"'),
        ("<http://www.w3.org/2000/01/rdf-schema#label>", '"a \\"b\\""'),
        ("prov:startedAtTime", f'"2026-03-01T09:00:00Z"^^<{XSD}dateTime>'),
        (f"<{about(BASE)}attr/a%20b>", f'"true"^^<{XSD}boolean>'),
    }
    assert of(found, t("x")) == {
        ("a", "prov:Entity"),
        ("a", "clew:UnknownKind"),
        ("clew:placeholder", f'"true"^^<{XSD}boolean>'),
    }


def test_who_states_an_attribute_is_told_beside_it() -> None:
    node = ExportNode("a", 1, [told("clew:b", "2"), told("clew:b", "1"), told("clew:a", "x")])
    found = triples(written(ListFeed(BASE, [node], [])))
    (description,) = {one for one, predicate, _ in found if short(predicate) == "clew:describes"}
    assert of(found, description) == {
        ("a", "prov:Entity"),
        ("a", "clew:Description"),
        ("clew:describes", "t:a"),
        ("clew:stated", f'"{{\\"clew:a\\":\\"x\\",\\"clew:b\\":[\\"1\\",\\"2\\"]}}"^^<{RDF}JSON>'),
        ("clew:evidence", '"observed"'),
        ("clew:stance", '"supports"'),
        ("clew:source", '"a"'),
        ("clew:event", '"e-1"'),
        ("prov:wasAttributedTo", "t:source:a"),
    }


def test_every_byte_is_the_same_whatever_the_order_of_the_records() -> None:
    nodes = [ExportNode(f"n{number}", 1, [told("b", "2"), told("a", "1")]) for number in range(20)]
    links = [link(USAGE, f"c{number % 3}", f"n{number}") for number in range(20)]
    turned = [ExportNode(node.ref, node.kind, node.attributes[::-1]) for node in nodes[::-1]]
    assert written(ListFeed(BASE, nodes, links)) == written(ListFeed(BASE, turned, links[::-1] + links[:3]))


@pytest.mark.parametrize("ref", [*REFS, *ABSOLUTE])
def test_every_reference_is_the_iri_that_it_stands_for(ref: str) -> None:
    ref = ref if ref.startswith("<") else kept(ref)
    data = written(ListFeed(BASE, [ExportNode(ref, 1)], []))
    expected = ref[1:-1] if ref.startswith("<") else BASE + ref
    assert triples(data)[0][0] == f"<{expected}>"
    assert next(iter(rdflib.Graph().parse(data=data, format="turtle")))[0] == rdflib.URIRef(expected)


@pytest.mark.parametrize("label", LABELS)
def test_every_label_reads_as_it_was_and_shows_what_it_holds(label: str) -> None:
    data = written(ListFeed(BASE, [ExportNode("a", 1, [told("prov:label", label)])], []), "none")
    (read,) = rdflib.Graph().parse(data=data, format="turtle").objects(None, rdflib.RDFS.label)
    assert str(read) == label
    assert not set(data.decode()) & set("\u202e\u2066\u2028\u2029\ufeff\x7f\x85\U000e0041")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(feeds())
def test_two_libraries_read_the_same_triples(feed: ListFeed) -> None:
    data = written(feed)
    found = triples(data)
    repeated = Counter(found) - Counter(set(found))  # of a derivation and a revision of the same two
    assert {short(predicate) for _, predicate, _ in repeated} <= {"prov:wasDerivedFrom"}
    other = rdflib.Graph().parse(data=data, format="turtle").serialize(format="nt")
    again = pyoxigraph.parse(other, format=pyoxigraph.RdfFormat.N_TRIPLES)
    assert {(str(one.subject), str(one.predicate), str(one.object)) for one in again} == set(found)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(feeds())
def test_each_relation_that_stands_has_its_plain_triple_and_no_other_is_written(feed: ListFeed) -> None:
    found = triples(written(feed))
    said = {one for one, _, object_ in found if short(object_) in {"clew:Assertion", "clew:Description"}}
    properties = {f"<{PROV}{term.name}>" for term in TERMS}
    plain = {one for one in found if one[1] in properties and one[0] not in said}
    assert plain == set(expected_plain(feed))


def expected_plain(feed: ListFeed) -> Iterator[Triple]:
    for term in TERMS:
        for relation in feed.relations(term):
            best = [
                max((one[0] for one in relation.assertions if one[1] == stance), default=0)
                for stance in (0, 1)
            ]
            if relation.arguments[0] is not None and not 0 < best[1] <= best[0] and best[1]:
                subject, target = iri(relation.subject, BASE), iri(relation.arguments[0], BASE)
                yield f"<{subject}>", f"<{PROV}{term.name}>", f"<{target}>"
                if term.json_name and relation.flow == Flow.DATA:
                    yield f"<{subject}>", f"<{PROV}wasDerivedFrom>", f"<{target}>"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(feeds())
def test_every_value_that_stands_is_there_in_its_lexical_form(feed: ListFeed) -> None:
    found = set(triples(written(feed, "none")))
    for node in feed.nodes():
        for name, value, datatype, *_ in node.attributes:
            if name == f"clew:{datatype}Value" and value_stands(node, name, value, datatype):
                triple = f"<{iri(node.ref, BASE)}>", f"<{CLEW}{datatype}Value>", literal(value, datatype)
                assert triple in found


def value_stands(node: ExportNode, *value: str) -> bool:
    best = [
        max((one[3] for one in node.attributes if one[:3] == value and one[4] == stance), default=0)
        for stance in (0, 1)
    ]
    return best[1] > best[0]


def literal(value: str, datatype: str) -> str:
    value, datatype = typed(value, datatype)
    match datatype:
        case "string":
            return str(pyoxigraph.Literal(value))
        case "qname":
            return f"<{value.replace('clew:', CLEW).replace('prov:', PROV)}>"
        case "json":
            return str(pyoxigraph.Literal(value, datatype=pyoxigraph.NamedNode(RDF + "JSON")))
        case _:
            return str(pyoxigraph.Literal(value, datatype=pyoxigraph.NamedNode(XSD + datatype)))


def test_an_attribution_that_the_graph_holds_is_not_taken_for_one_of_an_assertion() -> None:
    found = triples(written(ListFeed(BASE, [], [link(ATTRIBUTION, "doc:a", "agent:a")])))
    attributed = [one for one in found if short(one[1]) == "prov:wasAttributedTo"]
    assert {(short(one[0]), short(one[2])) for one in attributed if one[0].startswith(f"<{BASE}")} == {
        ("t:doc:a", "t:agent:a")
    }
    assert len(attributed) == 2
