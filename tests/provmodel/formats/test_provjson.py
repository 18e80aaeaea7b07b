"""PROV-JSON, as another library reads it back."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from prov.model import Literal, ProvDocument, ProvRecord

from provmodel import formats
from provmodel.feeds import ListFeed
from provmodel.lexical import about, iri, typed
from provmodel.records import relation_key
from provmodel.relations import (
    ASSOCIATION,
    MEMBERSHIP,
    REVISION,
    SPECIALIZATION,
    TERMS,
    USAGE,
    Kind,
    Term,
)
from provmodel.statements import ExportAssertion, ExportAttribute, ExportNode, ExportRelation
from tests.provmodel.formats.hostile import ABSOLUTE, BASE, LABELS, REFS, feeds, kept

CLEW = "urn:x-clew:ns#"
PROV = "http://www.w3.org/ns/prov#"
SAID: ExportAssertion = (3, 1, "source:a", "", "a", "e-1", "", "")


def told(name: str, value: str, datatype: str = "string", *, stance: int = 1) -> ExportAttribute:
    return name, value, datatype, 3, stance, "source:a", "a", "e-1"


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
    return b"".join(formats.write(feed, "prov-json", detail))


def document(feed: ListFeed, detail: str = "all") -> dict[str, Any]:
    """The document as plain JSON; a repeated key is a failure."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    found: dict[str, Any] = json.loads(written(feed, detail), object_pairs_hook=unique)
    return found


def read(data: bytes) -> ProvDocument:
    """Read by `prov`; a warning, of which it gives one for each thing that it drops, is a failure."""
    return ProvDocument.deserialize(content=data, format="json")


def values(record: ProvRecord, name: str) -> list[Any]:
    """The values of an attribute by its IRI, as text that tells types apart, in order."""
    return sorted(plain(value) for key, value in record.attributes if key.uri == name)


def plain(value: Any) -> tuple[str, str]:
    match value:
        case Literal():
            datatype = value.datatype.uri.partition("#")[2] if value.datatype else ""
            return ("int", str(int(value.value))) if datatype == "integer" else (datatype, str(value.value))
        case float():
            return "double", "NaN" if math.isnan(value) else repr(value + 0.0)  # `prov` merges 0.0 and -0.0
        case _ if hasattr(value, "uri"):
            return "iri", value.uri
        case _ if hasattr(value, "isoformat"):
            return "dateTime", value.isoformat()
        case _:
            return type(value).__name__, str(value)


def test_a_usage_reads_back_with_its_ends_role_time_and_evidence() -> None:
    said: ExportAssertion = (3, 1, "source:a", "", "a", "e-1", "2026-03-01T09:00:00Z", '{"clew:position":2}')
    feed = ListFeed(BASE, [], [link(USAGE, "call-1", "doc:a", said=(said,), role="instruction")])
    used = document(feed)["used"]
    key = relation_key("used", "call-1", ("doc:a",), "instruction")
    assert used == {
        f"about:rel/{key:016x}": {
            "prov:activity": "t:call-1",
            "prov:entity": "t:doc:a",
            "prov:time": "2026-03-01T09:00:00Z",
            "clew:evidence": "observed",
            "clew:flow": "data",
            "clew:position": {"$": "2", "type": "xsd:integer"},
            "prov:role": "instruction",
        }
    }


def test_each_assertion_is_an_entity_attributed_to_its_asserter() -> None:
    other: ExportAssertion = (1, 0, "agent:clew", "equal-value/1", "", "", "", "")
    found = document(ListFeed(BASE, [], [link(USAGE, "call-1", "doc:a", said=(SAID, other, SAID))]))
    entities = list(found["entity"].values())
    assert [(one["clew:evidence"], one["clew:stance"]) for one in entities] == [
        ("observed", "supports"),
        ("inferred", "refutes"),
    ]
    assert entities[0]["clew:event"] == "e-1"
    assert entities[0]["clew:source"] == "a"
    assert entities[1]["clew:method"] == "equal-value/1"
    assert {one["prov:agent"] for one in found["wasAttributedTo"].values()} == {"t:source:a", "t:agent:clew"}
    relation = next(iter(found["used"]))
    assert {one["clew:relation"]["$"] for one in entities} == {relation}
    assert found["used"][relation]["clew:refutingEvidence"] == "inferred"


def test_assertions_can_be_left_out_or_cut_to_the_best() -> None:
    said: tuple[ExportAssertion, ...] = (SAID, (2, 1, "model:m", "", "a", "e-2", "", ""))
    feed = ListFeed(
        BASE,
        [ExportNode("doc:a", 1, [told("prov:label", "A")])],
        [link(USAGE, "call-1", "doc:a", said=said)],
    )
    assert set(document(feed, "none")) == {"prefix", "entity", "used"}
    assert len(document(feed, "best")["wasAttributedTo"]) == 1
    assert len(document(feed, "all")["wasAttributedTo"]) == 3


def test_a_refuted_relation_is_no_relation_and_still_said() -> None:
    said: tuple[ExportAssertion, ...] = (SAID, (4, 0, "agent:verifier", "read-back", "v", "e-9", "", ""))
    found = document(ListFeed(BASE, [], [link(ASSOCIATION, "call-1", "agent:a", "skill:s", said=said)]))
    assert "wasAssociatedWith" not in found
    refuted = next(iter(found["entity"].values()))
    assert refuted["prov:type"]["$"] == "clew:RefutedRelation"
    assert refuted["clew:term"]["$"] == "prov:wasAssociatedWith"
    assert refuted["clew:subject"]["$"] == "t:call-1"
    assert refuted["clew:argument"]["$"] == "t:agent:a"
    assert refuted["clew:plan"]["$"] == "t:skill:s"
    assert refuted["clew:refuted"] is True
    assert [refuted["clew:evidence"], refuted["clew:refutingEvidence"]] == ["observed", "verified"]
    stances = [one.get("clew:stance") for one in found["entity"].values()]
    assert stances == [None, "refutes", "supports"]


def test_a_relation_that_carries_no_attributes_is_written_plainly_and_qualified() -> None:
    links = [link(MEMBERSHIP, "ctx", "msg", role=role) for role in ("", "x")]
    links.append(link(SPECIALIZATION, "doc:a@sha256:1", "doc:a"))
    found = document(ListFeed(BASE, [], links), "none")
    assert list(found["hadMember"].values()) == [{"prov:collection": "t:ctx", "prov:entity": "t:msg"}]
    assert [one["prov:type"]["$"] for one in found["entity"].values()] == [
        "provext:Specialization",
        "provext:Membership",
        "provext:Membership",
    ]
    assert found["prefix"]["provext"] == "https://openprovenance.org/ns/provext#"


def test_a_revision_is_a_derivation_of_its_type() -> None:
    found = document(ListFeed(BASE, [], [link(REVISION, "b", "a")]))
    assert next(iter(found["wasDerivedFrom"].values()))["prov:type"]["$"] == "prov:Revision"


def test_only_the_prefixes_that_are_needed_are_declared() -> None:
    assert document(ListFeed(BASE, [ExportNode("a", 1)], [])) == {
        "prefix": {
            "prov": PROV,
            "xsd": "http://www.w3.org/2001/XMLSchema#",
            "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
            "clew": CLEW,
            "t": BASE,
            "about": "urn:x-clew:default;about:",
        },
        "entity": {"t:a": {}},
    }


def test_nothing_that_a_producer_can_name_is_in_the_space_of_what_is_said_about_it() -> None:
    forged = names_of("rel/0123456789abcdef", ";about:rel/0")
    assert not any(name.startswith(about(BASE)) for name in forged)


def names_of(*refs: str) -> list[str]:
    return [iri(kept(ref), BASE) for ref in refs]


@pytest.mark.parametrize(
    ("given_times", "kind", "expected"),
    [
        (["2026-03-01T09:00:00Z"], Kind.ACTIVITY, {"prov:startTime": "2026-03-01T09:00:00Z"}),
        (["2016-12-31T23:59:60Z"], Kind.ACTIVITY, {"clew:startTime": "2016-12-31T23:59:60Z"}),
        (
            ["2026-03-01T09:00:00Z", "2026-03-01T09:00:01Z"],
            Kind.ACTIVITY,
            {
                "clew:startTime": [
                    {"$": "2026-03-01T09:00:00Z", "type": "xsd:dateTime"},
                    {"$": "2026-03-01T09:00:01Z", "type": "xsd:dateTime"},
                ]
            },
        ),
        (
            ["2026-03-01T09:00:00Z"],
            Kind.ENTITY,
            {"clew:startTime": {"$": "2026-03-01T09:00:00Z", "type": "xsd:dateTime"}},
        ),
    ],
)
def test_an_activity_has_a_start_when_exactly_one_is_known(
    given_times: list[str], kind: Kind, expected: dict[str, Any]
) -> None:
    said = [told("prov:startTime", time, "dateTime") for time in given_times]
    assert document(ListFeed(BASE, [ExportNode("a", kind, said)], []), "none")[kind.word]["t:a"] == expected


def test_a_node_of_several_kinds_stands_in_each_section_and_one_of_none_says_so() -> None:
    clash = ExportNode(
        "a", Kind.ENTITY | Kind.ACTIVITY, [told("prov:startTime", "2026-03-01T09:00:00Z", "dateTime")]
    )
    found = document(ListFeed(BASE, [clash, ExportNode("b", Kind.UNKNOWN, placeholder=True)], []), "none")
    assert found["activity"] == {"t:a": {"prov:startTime": "2026-03-01T09:00:00Z"}}
    assert found["entity"]["t:a"] == {}
    assert found["entity"]["t:b"] == {
        "clew:placeholder": True,
        "prov:type": {"$": "clew:UnknownKind", "type": "xsd:QName"},
    }


def test_a_refuted_attribute_does_not_stand_and_is_told_by_whom() -> None:
    said = [
        told("clew:outcome", "completed"),
        (*told("clew:outcome", "completed")[:3], 4, 0, "agent:verifier", "v", "e-2"),
    ]
    found = document(ListFeed(BASE, [ExportNode("a", Kind.ACTIVITY, said)], []))
    assert found["activity"]["t:a"] == {}
    assert [(one["clew:stance"], one["clew:stated"]["$"]) for one in found["entity"].values()] == [
        ("refutes", '{"clew:outcome":"completed"}'),
        ("supports", '{"clew:outcome":"completed"}'),
    ]


@pytest.mark.parametrize(
    ("value", "datatype", "expected"),
    [
        ("-0.0", "double", {"$": "-0.0", "type": "xsd:double"}),
        ("inf", "double", {"$": "INF", "type": "xsd:double"}),
        ("NaN", "double", {"$": "NaN", "type": "xsd:double"}),
        ("1,5", "double", "1,5"),
        ("+007", "integer", {"$": "+007", "type": "xsd:integer"}),
        ("9" * 40, "integer", {"$": "9" * 40, "type": "xsd:integer"}),
        ("1", "boolean", True),
        ("yes", "boolean", "yes"),
        ("2026-02-30T00:00:00Z", "dateTime", "2026-02-30T00:00:00Z"),
        ("2024-02-29T23:59:59.123456789+05:30", "dateTime", None),
        ("clew:ModelCall", "qname", {"$": "clew:ModelCall", "type": "xsd:QName"}),
        ("ex:thing", "qname", "ex:thing"),
        ("2026-03-01T09:00:00Z", "string", "2026-03-01T09:00:00Z"),
        ('{"a":1}', "json", {"$": '{"a":1}', "type": "rdf:JSON"}),
    ],
)
def test_a_value_keeps_its_lexical_form_and_without_one_is_a_string(
    value: str, datatype: str, expected: object
) -> None:
    found = document(ListFeed(BASE, [ExportNode("a", 1, [told("clew:x", value, datatype)])], []), "none")
    assert found["entity"]["t:a"]["clew:x"] == (expected or {"$": value, "type": "xsd:dateTime"})


def test_a_long_export_waits_in_a_file_and_is_the_same() -> None:
    links = [link(USAGE, "call-1", f"doc:{number:05d}") for number in range(30_000)]
    data = written(ListFeed(BASE, [], links), "none")
    assert len(json.loads(data)["used"]) == 30_000


def test_every_byte_is_the_same_whatever_the_order_of_the_records() -> None:
    nodes = [ExportNode(f"n{number}", 1, [told("b", "2"), told("a", "1")]) for number in range(20)]
    links = [link(USAGE, f"c{number % 3}", f"n{number}") for number in range(20)]
    turned = [ExportNode(node.ref, node.kind, node.attributes[::-1]) for node in nodes[::-1]]
    assert written(ListFeed(BASE, nodes, links)) == written(ListFeed(BASE, turned, links[::-1] + links[:3]))


@pytest.mark.parametrize("ref", [*REFS, *ABSOLUTE])
def test_every_reference_reads_back_to_its_iri(ref: str) -> None:
    ref = ref if ref.startswith("<") else kept(ref)
    data = written(ListFeed(BASE, [ExportNode(ref, Kind.ENTITY)], []))
    (record,) = read(data).get_records()
    assert record.identifier
    assert record.identifier.uri == (ref[1:-1] if ref.startswith("<") else BASE + ref)


@pytest.mark.parametrize("label", LABELS)
def test_every_label_reads_back_as_it_was_and_shows_what_it_holds(label: str) -> None:
    data = written(ListFeed(BASE, [ExportNode("a", 1, [told("prov:label", label)])], []), "none")
    assert values(next(iter(read(data).get_records())), PROV + "label") == [("str", label)]
    assert not set(data.decode()) & set("\u202e\u2066\u2028\u2029\ufeff\x7f\x85\U000e0041")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(feeds())
def test_every_record_reads_back_with_its_ends_and_attributes(feed: ListFeed) -> None:
    data = written(feed)
    back = read(data)
    by_name = {
        (record.get_type().localpart, record.identifier.uri): record
        for record in back.get_records()
        if record.identifier
    }
    assert Counter(record.get_type().localpart for record in back.get_records()) == counted(feed)
    for node in feed.nodes():
        for kind in Kind:
            if node.kind & kind or (kind == Kind.ENTITY and not node.kind):
                check_node(by_name[kind.word.capitalize(), iri(node.ref, BASE)], node, kind)
    for term in TERMS:
        for relation in feed.relations(term):
            if stands(relation) and term.attributes:
                check_relation(by_name, relation)


def stands(relation: ExportRelation) -> bool:
    best = [max((one[0] for one in relation.assertions if one[1] == stance), default=0) for stance in (0, 1)]
    return best[1] > best[0] or not best[0]


SECTION = {
    "wasGeneratedBy": "Generation",
    "used": "Usage",
    "wasInformedBy": "Communication",
    "wasStartedBy": "Start",
    "wasEndedBy": "End",
    "wasInvalidatedBy": "Invalidation",
    "wasDerivedFrom": "Derivation",
    "wasAttributedTo": "Attribution",
    "wasAssociatedWith": "Association",
    "actedOnBehalfOf": "Delegation",
    "wasInfluencedBy": "Influence",
    "specializationOf": "Specialization",
    "alternateOf": "Alternate",
    "hadMember": "Membership",
    "mentionOf": "Mention",
}


def counted(feed: ListFeed) -> Counter[str]:
    """How many records of each type there should be."""
    found: Counter[str] = Counter()
    for node in feed.nodes():
        found.update(kind.word.capitalize() for kind in Kind if node.kind & kind)
        found["Entity"] += not node.kind
        sayers = len({one[3:] for one in node.attributes})
        found["Entity"] += sayers
        found["Attribution"] += sayers
    for term in TERMS:
        relations = list(feed.relations(term))
        for relation in relations:
            found["Entity"] += len(set(relation.assertions)) + (not (term.attributes and stands(relation)))
            found["Attribution"] += len(set(relation.assertions))
            found[SECTION[term.json_name or term.name]] += term.attributes and stands(relation)
        if not term.attributes:
            ends = {(relation.subject, relation.arguments) for relation in relations if stands(relation)}
            found[SECTION[term.name]] += len(ends)
    return +found


def check_node(record: ProvRecord, node: ExportNode, kind: Kind) -> None:
    if kind & (node.kind & -node.kind) != kind:  # what is said stands with the first of its kinds
        return
    for name in ("string", "integer", "double", "boolean", "dateTime", "qname", "json"):
        given_values = [one for one in node.attributes if one[0] == f"clew:{name}Value"]
        standing = [one for one in given_values if value_stands(node, one)]
        expected = sorted({read_value(*typed(one[1], one[2])) for one in standing})
        assert values(record, f"{CLEW}{name}Value") == expected
    labels = {one[1] for one in node.attributes if one[0] == "prov:label" and value_stands(node, one)}
    assert values(record, PROV + "label") == sorted(("str", label) for label in labels)


def value_stands(node: ExportNode, value: ExportAttribute) -> bool:
    best = [
        max((one[3] for one in node.attributes if one[:3] == value[:3] and one[4] == stance), default=0)
        for stance in (0, 1)
    ]
    return best[1] > best[0]


def read_value(value: str, datatype: str) -> tuple[str, str]:
    """A value as `prov` holds it."""
    match datatype:
        case "string":
            return "str", value
        case "integer":
            return "int", str(int(value))
        case "double":
            return plain(float(value))
        case "boolean":
            return "bool", str(value == "true")
        case "qname":
            return "iri", value.replace("clew:", CLEW).replace("prov:", PROV)
        case "json":
            return "JSON", value
        case _:  # `prov` keeps microseconds
            return "dateTime", datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", value)).isoformat()


def check_relation(by_name: dict[tuple[str, str], ProvRecord], relation: ExportRelation) -> None:
    term = relation.term
    uri = f"{about(BASE)}rel/{relation.key:016x}"
    record = by_name[SECTION[term.json_name or term.name], uri]
    ends = dict(zip((term.subject, *(one.name for one in term.arguments)), named(relation), strict=True))
    for name, end in ends.items():
        assert values(record, PROV + name) == ([] if end is None else [("iri", iri(end, BASE))])
    best = max(one[0] for one in relation.assertions if one[1])
    assert values(record, CLEW + "evidence") == [
        ("str", ["", "inferred", "declared", "observed", "verified"][best])
    ]
    roles = [*values(record, PROV + "role"), *values(record, CLEW + "role")]
    assert roles == ([("str", relation.role)] if relation.role else [])


def named(relation: ExportRelation) -> Iterator[str | None]:
    yield relation.subject
    yield from relation.arguments
