"""PROV documents in the store: taken in whole, asked like everything else, given back equal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from app.service import Sent, Service
from provmodel import formats
from provmodel.comparing import difference
from provmodel.document import Document
from provmodel.errors import Ambiguous, BadQuestion, NotFound, Refused, Unreadable
from provmodel.evidence import Evidence, Principal
from tests.app.documents import EX, asked, case, changed, edges, ex, exported, provn, reached, said
from tests.app.faces import event, service_at
from tests.provmodel.formats.random_documents import documents

FORMS = ("prov-json", "prov-n", "prov-xml", "trig", "nquads", "prov-jsonld")
AGENT = Principal("writer", frozenset({"agent"}), None, vouches=False)
ANALYSER = Principal("miner", frozenset({"analyser"}), None, vouches=False)


@pytest.fixture
def store(store_url: str, tmp_path: Path) -> Iterator[Service]:
    """A service over each kind of store."""
    with service_at(store_url, tmp_path, writing=False) as made:
        yield made


# What stays, and comes back


@pytest.mark.parametrize(
    "number",
    ["012", "013", "015", "017", "019", "026", "032", "034", "036", "038", "039", "040", "042", "043", "048",
     "050", "051", "054", "056", "057", "058", "061", "066", "076", "078", "079", "080"],
)  # fmt: skip
def test_a_document_comes_back_as_it_was_sent_in_every_format(service: Service, number: str) -> None:
    sent = case(number, "input.json") if number == "019" else case(number)
    done = service.submit(sent)
    for form in FORMS:
        found, losses = changed(service, sent, done.ref, form)
        assert not found or losses, (form, found)


@given(document=documents)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_document_is_kept_whole(service: Service, document: Document) -> None:
    data = b"".join(formats.write_document(document, "prov-json")[0])
    done = service.submit(Sent(data=data, form="prov-json"))
    back = formats.read(exported(service, document=done.ref), "prov-json")
    assert not difference(formats.read(data, "prov-json"), back)


def test_the_graph_of_documents_is_made_again_from_the_log(store: Service) -> None:
    for number in ("043", "045", "051", "054", "056", "061"):
        store.submit(case(number))
    before = exported(store)
    assert store.check() == []
    assert store.ledger.rebuild("default") == 6
    assert store.check() == []
    assert exported(store) == before


def test_a_document_says_who_submitted_it_when_and_which_bytes(store: Service) -> None:
    sent = case("061")
    done = store.submit(sent)
    [entry] = store.documents.page().documents
    assert (entry.ref, entry.seq, entry.submitter, entry.format) == (done.ref, 1, "local", "prov-json")
    assert (entry.sha256, entry.size) == (done.sha256, len(sent.data))
    told = {one.name: one.value for one in store.details([done.ref]).nodes[0].attributes}
    assert told["prov:type"] == "prov:Bundle"
    assert told["clew:digest"] == done.sha256
    assert told["clew:submitter"] == "local"
    assert told["clew:reported"].endswith("Z")


def test_a_bundle_is_a_node_that_keeps_what_is_said_of_it(store: Service) -> None:
    """Case 061: who recorded ex:e is found by way of the bundle that declares it."""
    done = store.submit(case("061"))
    assert done.bundles == (f"{EX}b",)
    [e] = store.details(ex("e")).nodes
    assert [one.value for one in e.attributes if one.name == "clew:inBundle"] == ex("b")
    assert ("<http://example.org/b>", "wasAttributedTo", "<http://example.org/ag>") in [
        edge[:3] for edge in edges(store, "<http://example.org/b>", policy="who")
    ]


# The same again, and other under the same name


def test_the_same_bytes_are_a_duplicate_and_leave_no_mark(store: Service) -> None:
    """Case 045."""
    first = store.submit(case("045"))
    before = exported(store)
    again = store.submit(case("045"))
    assert (again.status, again.seq, again.document) == ("duplicate", first.seq, first.document)
    assert exported(store) == before
    assert store.lists.events().total == 1


def test_identical_relations_are_one_edge_and_the_document_keeps_how_many(store: Service) -> None:
    """Case 045."""
    done = store.submit(case("045"))
    assert done.relations == 2
    [edge] = edges(store, "<http://example.org/d>", policy="who")
    assert edge[3] == [("declared", "supports", "source:local")]
    assert len(said(Sent(data=exported(store, document=done.ref))).main.statements) == 2


def test_two_documents_that_say_the_same_are_two_assertions_of_one_edge(store: Service) -> None:
    store.submit(provn("wasDerivedFrom(ex:b, ex:a)", source="one"))
    store.submit(provn("wasDerivedFrom(ex:b, ex:a)", source="two"))
    [edge] = edges(store, *ex("b"))
    assert {who for _, _, who in edge[3]} == {"source:one", "source:two"}


def test_other_bytes_under_one_name_are_a_conflict_and_both_are_kept(store: Service) -> None:
    first = store.submit(provn("entity(ex:a)", name="report"))
    second = store.submit(provn("entity(ex:b)", name="report"))
    assert (second.status, second.seq, second.first_seq) == ("conflict", 2, 1)
    assert [entry.conflict for entry in store.documents.page().documents] == [True, True]
    with pytest.raises(Ambiguous):
        store.export("prov-n", document="report")
    for done, name in ((first, "ex:a"), (second, "ex:b")):
        assert f"entity({name})" in exported(store, "prov-n", document=done.ref).decode()
    assert reached(store, "inputs-of", *ex("a"))
    assert reached(store, "inputs-of", *ex("b"))


def test_a_document_is_found_by_name_reference_iri_and_digest(store: Service) -> None:
    done = store.submit(provn("entity(ex:a)", name="report"))
    for asked_for in ("report", done.ref, store.base + done.ref, done.sha256, f"<{store.base}{done.ref}>"):
        assert b"ex:a" in exported(store, "prov-n", document=asked_for)
    with pytest.raises(NotFound):
        store.export("prov-n", document="another")
    with pytest.raises(BadQuestion):
        store.export("prov-n", document="report", run="run:1")


# What is told apart


def test_one_prefix_for_two_namespaces_stays_two_nodes(store: Service) -> None:
    """Case 025."""
    for name in ("input-a.json", "input-b.json"):
        store.submit(case("025", name))
    found = [one.ref for one in store.lists.nodes(prefix="<").nodes]
    assert len(found) == 2
    for form in ("prov-json", "turtle", "trig"):
        whole = formats.read(exported(store, form), form)
        ids = {one.id for one in whole.main.statements if hasattr(one, "kind")}
        assert {f"<{one}>" for one in ids} >= set(found)


def test_blank_relation_ids_of_several_parts_are_no_one_relation(store: Service) -> None:
    """Case 046."""
    for name in ("input-1.json", "input-2.json"):
        store.submit(case("046", name))
    assert {edge[2] for edge in edges(store, *ex("a"))} == set(ex("e1", "e2", "e3"))


def test_blank_nodes_of_two_documents_are_two_nodes(store: Service) -> None:
    turtle = b"@prefix prov: <http://www.w3.org/ns/prov#> . @prefix ex: <http://example.org/> . %s"
    for name in (b"a", b"b"):
        store.submit(Sent(data=turtle % (b"ex:%s prov:wasDerivedFrom [ a prov:Entity ] ." % name)))
    ends = {edge[2] for name in ex("a", "b") for edge in edges(store, name)}
    assert len(ends) == 2
    assert all(end.startswith("blank:") for end in ends)


def test_one_relation_id_with_two_instances_is_two_edges(store: Service) -> None:
    """Case 043."""
    store.submit(case("043"))
    assert {edge[2] for edge in edges(store, *ex("a"))} == set(ex("e1", "e2"))


def test_an_id_tells_relations_with_the_same_ends_apart(store: Service) -> None:
    store.submit(provn("used(ex:u1; ex:a, ex:e, -)", "used(ex:u2; ex:a, ex:e, -)", "used(ex:a, ex:e, -)"))
    assert len(edges(store, *ex("a"))) == 3


# Asked like everything else


def test_what_a_relation_names_without_declaring_it_is_walked_and_marked(store: Service) -> None:
    """Case 051."""
    store.submit(case("051"))
    graph = asked(store, "inputs-of", *ex("r"))
    marks = {node.ref: [mark.kind for mark in node.marks] for node in graph.nodes}
    assert marks["<http://example.org/ghost>"] == ["placeholder"]
    assert [one.described for one in store.details(ex("r", "ghost")).nodes] == [False, False]
    assert b'"entity"' not in exported(store, document=store.documents.page().documents[0].ref)


def test_a_thing_is_found_by_its_iri_and_names_its_versions(store: Service) -> None:
    """Case 056."""
    store.submit(case("056"))
    answer = store.ask("inputs-of", {"target": [f"{EX}report"]}).answer
    assert {node.ref for node in answer.graph.nodes} >= set(ex("report-v2", "write", "src"))
    [target] = store.details([f"{EX}report"]).nodes
    assert (target.ref, target.others) == (*ex("report-v2"), tuple(ex("report-v1")))


def test_no_authorization_is_neither_a_denial_nor_an_unknown_name(store: Service) -> None:
    """Case 074."""
    store.submit(case("074"))
    [write] = asked(store, "who-authorized", f"{EX}out").writes
    assert write.outcomes == ("coverage_unknown",)
    with pytest.raises(NotFound):
        asked(store, "who-authorized", f"{EX}nothing")


def test_what_an_activity_of_a_document_used_was_read_by_no_tool(store: Service) -> None:
    store.submit(
        provn("entity(ex:a)", "activity(ex:do)", "used(ex:do, ex:a, -)", "wasGeneratedBy(ex:b, ex:do, -)")
    )
    found = store.ask("inputs-of", {"target": [f"{EX}b"]})
    assert f"Used by an activity: <{EX}a>." in found.question.sentences(found.answer)


@pytest.mark.parametrize("target", ["b", "a", "alone", "bare"])
def test_whether_a_document_is_all_that_happened_is_not_known(store: Service, target: str) -> None:
    store.submit(provn("entity(ex:alone, [ex:of=1])", "entity(ex:bare)", "wasDerivedFrom(ex:b, ex:a)"))
    graph = asked(store, "inputs-of", f"{EX}{target}")
    assert [(gap.kind, gap.count) for gap in graph.gaps if gap.kind != "never_recorded"] == [
        ("coverage_unknown", 1)
    ]
    assert not graph.complete


def test_iris_under_the_base_are_the_nodes_that_events_name(store: Service) -> None:
    call = event(1, outputs=[{"ref": "report:1"}], inputs=[{"ref": "doc:a@version:1"}])
    store.record([json.dumps(call).encode()])
    own = "prefix t <urn:x-clew:default:>"
    sent = Sent(
        data=f"document\n{own}\nprefix ex <{EX}>\nwasDerivedFrom(ex:page, t:report:1)\nendDocument".encode()
    )
    store.submit(sent)
    assert reached(store, "inputs-of", f"{EX}page") >= {"report:1", "call:1", "doc:a@version:1"}
    assert reached(store, "impact-of", "doc:a@version:1") >= set(ex("page"))
    assert reached(store, "inputs-of", "urn:x-clew:default:report:1") >= {"call:1"}


def said_of(store: Service, node: str, name: str) -> list[tuple[str, str]]:
    """The values of an attribute, each with its datatype."""
    [entry] = store.details([node]).nodes
    return [(one.value, one.datatype) for one in entry.attributes if one.name == name]


def test_several_values_languages_and_datatypes_are_kept(store: Service) -> None:
    """Cases 032, 036, 038 and 048."""
    for number in ("032", "036", "038"):
        store.submit(case(number))
    starts = {value for value, _ in said_of(store, f"{EX}a", "prov:startTime")}
    assert len(starts) == 2
    labels = said_of(store, f"{EX}e", "prov:label")
    assert {("bonjour", "@fr"), ("bonjour", "@fr-CA"), ("hello", "@en-US"), ("plain", "string")} <= set(
        labels
    )
    assert len(labels) == 6
    numbers = [one.value for one in store.details(ex("e")).nodes[0].attributes if one.name.startswith("<")]
    digits = case("036").data.decode()
    assert numbers
    assert all(number in digits for number in numbers if number.isdecimal())


def test_what_is_an_entity_and_an_agent_is_both(store: Service) -> None:
    """Case 005."""
    store.submit(case("005"))
    whole = json.loads(exported(store))
    both = set(whole["entity"]) & set(whole["agent"])
    [node] = [one for one in store.lists.nodes(prefix="<").nodes if set(one.kinds) == {"entity", "agent"}]
    assert len(both) == 1
    assert ("prov:Entity", "qname") not in said_of(store, node.ref, "prov:type")


def test_nodes_of_documents_are_found_by_their_words_and_types(store: Service) -> None:
    """Case 039."""
    store.submit(case("039"))
    store.submit(case("038"))
    found = {hit.ref for hit in store.search({"kind": ["prov:Person"]}).nodes}
    assert found >= set(ex("p1", "p2"))
    assert ex("e")[0] in {hit.ref for hit in store.search({"q": ["bonjour"]}).nodes}
    assert not store.search({"q": ["xmlschema"]}).nodes


def test_a_document_declares_its_own_prefixes_and_no_others(store: Service) -> None:
    """Cases 020 and 073."""
    for number in ("020", "073"):
        done = store.submit(case(number))
        prefixes = json.loads(exported(store, document=done.ref))["prefix"]
        assert len(set(prefixes) - {"prov", "xsd"}) <= 2
    assert set(prefixes) <= {"ex", "prov", "xsd"}
    assert store.lists.nodes(prefix="<http://www.camflow.org").total == 1


def test_a_chain_and_a_star_are_walked_within_limits(store: Service) -> None:
    """Case 075, smaller."""
    chain = [f"wasDerivedFrom(ex:e{number + 1}, ex:e{number})" for number in range(200)]
    star = [f"used(ex:a, ex:in{number}, -)" for number in range(1500)]
    store.submit(provn(*chain, *star))
    whole = reached(store, "inputs-of", *ex("e200"), depth=1000, max_nodes=10_000, deadline=20_000)
    assert len(whole) == 201
    short = asked(store, "inputs-of", *ex("e200"), depth=10)
    assert short.truncated
    assert short.frontier
    hub = store.ask("inputs-of", {"target": ex("a")}).answer.graph
    assert hub.truncated
    assert len(hub.nodes) <= 1001


def test_contradictions_are_kept(store: Service) -> None:
    """Case 054, and worse."""
    store.submit(case("054"))
    store.submit(provn("wasDerivedFrom(ex:s, ex:s)", "specializationOf(ex:s, ex:s)"))
    assert set(store.details(ex("x")).nodes[0].kinds) == {"entity", "activity"}
    assert reached(store, "inputs-of", *ex("s")) == set(ex("s"))


def test_an_empty_document_is_a_document(store: Service) -> None:
    """Case 064."""
    for name in ("input-1.json", "input-2.provn", "input-3.ttl", "input-5.xml"):
        sent = case("064", name)
        done = store.submit(sent)
        assert (done.status, done.statements) == ("recorded", 0)
        for form in FORMS:
            assert not changed(store, sent, done.ref, form)[0]


# How well it is known


def test_what_a_document_says_is_declared_by_whoever_submits_it(store: Service) -> None:
    done = store.submit(provn("wasDerivedFrom(ex:b, ex:a)", source="archive", asserter="person:ann"))
    assert done.evidence == {"declared": 1}
    assert edges(store, *ex("b"))[0][3] == [("declared", "supports", "person:ann")]


def test_a_relation_may_say_how_well_it_is_known_and_by_whom(store: Service) -> None:
    more = '[clew:evidence="verified", clew:method="hash", clew:asserter="checker"]'
    done = store.submit(provn(f"wasDerivedFrom(ex:b, ex:a, -, -, -, {more})"))
    assert done.evidence == {"verified": 1}
    assert edges(store, *ex("b"))[0][3] == [("verified", "supports", "agent:checker")]


def test_a_claim_beyond_the_credential_is_refused_and_nothing_stays(store: Service) -> None:
    sent = provn("entity(ex:a)", 'used(ex:c, ex:a, -, [clew:evidence="observed"])')
    with pytest.raises(Refused, match="evidence_cap=declared"):
        store.submit(sent, AGENT)
    assert store.lists.events().total == 0
    assert store.documents.page().total == 0


def test_a_cap_lowers_claims_and_says_so(store: Service) -> None:
    sent = provn('used(ex:c, ex:a, -, [clew:evidence="observed"])', "used(ex:c, ex:b, -)", cap="declared")
    done = store.submit(sent, AGENT)
    assert done.capped == {"observed to declared": 1}
    assert done.evidence == {"declared": 2}
    assert store.documents.page().documents[0].evidence_cap == "declared"
    assert store.ledger.rebuild("default") == 1
    assert {edge[3][0][0] for edge in edges(store, *ex("c"))} == {"declared"}


def test_an_analyser_infers_what_a_document_says(store: Service) -> None:
    assert store.submit(provn("used(ex:c, ex:a, -)"), ANALYSER).evidence == {"inferred": 1}


def test_a_word_that_is_no_evidence_is_told(store: Service) -> None:
    done = store.submit(provn('used(ex:c, ex:a, -, [clew:evidence="certain"])'))
    assert done.evidence == {"declared": 1}
    assert len(done.notes) == 1


def test_a_credential_speaks_only_for_its_sources(store: Service) -> None:
    bound = Principal("writer", frozenset({"harness"}), frozenset({"archive"}), vouches=False)
    assert store.submit(provn("entity(ex:a)"), bound).source == "archive"
    with pytest.raises(Refused, match="may not speak for"):
        store.submit(provn("entity(ex:b)", source="other"), bound)


def test_a_principals_cap_holds_too(store: Service) -> None:
    capped = Principal("importer", frozenset({"verifier"}), None, vouches=False, cap=Evidence.DECLARED)
    sent = provn('used(ex:c, ex:a, -, [clew:evidence="verified"])')
    assert store.submit(sent, capped).capped == {"verified to declared": 1}


# Bad input


@pytest.mark.parametrize(
    ("number", "name"),
    [("053", "input.json"), ("059", "input.json"), ("064", "input-4.json"), ("069", "input.xml"),
     ("022", "input.json"), ("024", "input.json"), ("029", "input.json"), ("081", "input.provn"),
     *(("063", f"input-{number}.json") for number in range(1, 8))],
)  # fmt: skip
def test_what_is_no_document_is_refused_whole(service: Service, number: str, name: str) -> None:
    with pytest.raises(Unreadable):
        service.submit(case(number, name))
    assert service.lists.events().total == 0
    assert service.lists.nodes().total == 0


def test_characters_that_a_database_has_no_place_for_stay_in_the_document(store: Service) -> None:
    data = b'{"prefix":{"ex":"http://example.org/"},"entity":{"ex:e":{"ex:v":"a\\u0000b"}}}'
    done = store.submit(Sent(data=data, form="prov-json"))
    [one] = [a for a in store.details(ex("e")).nodes[0].attributes if a.name == f"<{EX}v>"]
    assert one.value == "a\ufffdb"
    assert not changed(store, Sent(data=data, form="prov-json"), done.ref, "prov-json")[0]


def test_many_things_said_of_one_node_are_kept_and_too_many_refused(store: Service) -> None:
    values = ", ".join(f'ex:v="{number}"' for number in range(33_000))
    with pytest.raises(Refused, match="32767"):
        store.submit(provn(f"entity(ex:e, [{values}])"))
    apart = [
        f"entity(ex:e{number}, [{', '.join(f'ex:v={one}' for one in range(90))}])" for number in range(400)
    ]
    store.submit(provn(*apart))
    assert len(store.details(ex("e399")).nodes[0].attributes) == 91
    assert store.check() == []


def test_a_document_that_was_changed_in_the_store_is_found(service: Service) -> None:
    service.submit(case("061"))
    with service.ledger.store.of("default").writing() as session:
        session.run("update document set content = ?", (b"gone",))
    [finding] = service.check()
    assert (finding.kind, finding.where) == ("log", "event 1")
