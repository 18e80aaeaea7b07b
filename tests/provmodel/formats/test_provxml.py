"""PROV-XML: its elements, its errors with line and statement, and what is written."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from provmodel import formats
from provmodel.comparing import same
from provmodel.document import PROV_QUALIFIED_NAME, PROV_TYPE, Document, Element, Extension, Literal
from provmodel.errors import Unreadable
from provmodel.relations import DERIVATION, Kind
from tests.provmodel.formats.documents import (
    EX,
    PROV,
    XSD,
    elements,
    extensions,
    noticed,
    statements,
    through,
    values,
    written,
)

HEAD = (
    '<prov:document xmlns:prov="http://www.w3.org/ns/prov#" xmlns:ex="http://example.org/"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">'
)


def read(body: str, head: str = HEAD) -> Document:
    return formats.read(f"{head}\n{body}\n</prov:document>".encode(), "prov-xml")


WRONG = {
    "<prov:used><prov:activity/></prov:used>": ("line 2, used", "activity has no prov:ref"),
    '<prov:used prov:id="ex:u"><prov:activity prov:ref="zz:a"/></prov:used>': ("line 2, used ex:u", "'zz'"),
    '<prov:used><prov:entity prov:ref="ex:e"/></prov:used>': ("line 2, used", "used lacks prov:activity"),
    '<prov:activity prov:id="ex:a"><prov:startTime>now</prov:startTime></prov:activity>': (
        "line 2, activity ex:a",
        "'now' is no xsd:dateTime",
    ),
    '<prov:entity prov:id="ex:e"><tag>x</tag></prov:entity>': (
        "line 2, entity ex:e",
        "'tag' has no namespace",
    ),
    '<prov:entity prov:id="ex:e">text</prov:entity>': ("line 2 column 33", "'text' stands between elements"),
    '<prov:entity prov:id="ex:e"><ex:v xsi:type="yy:t">1</ex:v></prov:entity>': (
        "line 2, entity ex:e",
        "'yy'",
    ),
    '<prov:used><prov:activity prov:ref="ex:a">why</prov:activity></prov:used>': (
        "line 2 column 46",
        "the text 'why' stands between elements",
    ),
    "<prov:bundleContent/>": ("line 2 column 1", "a bundleContent has no prov:id"),
    '<prov:bundleContent prov:id="ex:b"><prov:bundleContent prov:id="ex:c"/></prov:bundleContent>': (
        "line 2 column 36",
        "nested bundle ex:c in http://example.org/b",
    ),
    "<prov:eaten/>": ("line 2, eaten", "PROV-XML has no such statement"),
    "<prov:entity>": ("line 3 column 3", "this is not XML: mismatched tag"),
    '<prov:specializationOf><prov:specificEntity prov:ref="ex:a"/><prov:specificEntity prov:ref="ex:b"/>'
    "</prov:specializationOf>": ("line 2, specializationOf", "specificEntity stands twice"),
}


@pytest.mark.parametrize("body", list(WRONG))
def test_an_error_says_the_line_the_statement_and_why(body: str) -> None:
    where, reason = WRONG[body]
    with pytest.raises(Unreadable, match=reason) as caught:
        read(body)
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("element", "kind", "type_"),
    [
        ("plan", Kind.ENTITY, "Plan"),
        ("collection", Kind.ENTITY, "Collection"),
        ("emptyCollection", Kind.ENTITY, "EmptyCollection"),
        ("bundle", Kind.ENTITY, "Bundle"),
        ("person", Kind.AGENT, "Person"),
        ("organization", Kind.AGENT, "Organization"),
        ("softwareAgent", Kind.AGENT, "SoftwareAgent"),
    ],
)
def test_an_element_named_by_its_type_has_that_type(element: str, kind: Kind, type_: str) -> None:
    typed = ((PROV_TYPE, Literal(PROV + type_, PROV_QUALIFIED_NAME)),)
    assert read(f'<prov:{element} prov:id="ex:e"/>').main.statements == (Element(kind, EX + "e", typed),)
    given = f'<prov:type xsi:type="xsd:QName">prov:{type_}</prov:type>'
    assert len(values(read(f'<prov:{element} prov:id="ex:e">{given}</prov:{element}>'), PROV_TYPE)) == 1


@pytest.mark.parametrize(
    ("element", "type_"),
    [("wasRevisionOf", "Revision"), ("wasQuotedFrom", "Quotation"), ("hadPrimarySource", "PrimarySource")],
)
def test_a_subtype_of_derivation_is_a_derivation_of_that_type(element: str, type_: str) -> None:
    ends = '<prov:generatedEntity prov:ref="ex:b"/><prov:usedEntity prov:ref="ex:a"/>'
    [found] = statements(read(f"<prov:{element}>{ends}</prov:{element}>"))
    assert found.term is DERIVATION
    assert found.attributes == ((PROV_TYPE, Literal(PROV + type_, PROV_QUALIFIED_NAME)),)


def test_prefixes_hold_where_they_are_declared() -> None:
    found = read(
        '<prov:entity xmlns:in="http://in.org/" prov:id="in:e"><prov:type xmlns:t="http://t.org/"'
        ' xsi:type="xsd:QName">t:T</prov:type></prov:entity>'
    )
    assert found.main.prefixes == {"ex": EX}
    assert [(one.id, one.attributes[0][1].value) for one in elements(found).values()] == [
        ("http://in.org/e", "http://t.org/T")
    ]


def test_a_name_without_a_prefix_is_in_the_default_namespace() -> None:
    found = read('<prov:entity prov:id="e"/>', HEAD.replace("xmlns:ex", 'xmlns="http://d.org/" xmlns:ex'))
    assert list(elements(found)) == ["http://d.org/e"]


def test_values_have_their_datatypes_and_languages() -> None:
    found = read(
        '<prov:entity prov:id="ex:e"><prov:label xml:lang="fr">un</prov:label>'
        '<ex:v xsi:type="prov:InternationalizedString" xml:lang="en">one</ex:v>'
        '<ex:v xsi:type="xsd:string"> a </ex:v><ex:v> b </ex:v><ex:v xsi:type="xsd:token"> c  d </ex:v>'
        '<ex:v xsi:type="xsd:QName"> ex:T </ex:v></prov:entity>'
    )
    assert values(found, PROV + "label") == [Literal("un", language="fr")]
    assert values(found, EX + "v") == [
        Literal("one", language="en"),
        Literal(" a ", XSD + "string"),
        Literal(" b "),
        Literal("c d", XSD + "token"),
        Literal(EX + "T", PROV_QUALIFIED_NAME, spelling=XSD + "QName"),
    ]


def test_xml_in_a_value_is_kept_with_the_prefixes_that_it_needs() -> None:
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    inner = '<ex:a b="1 &amp; 2"> x <ex:c/>&lt;</ex:a>'
    value = f'<ex:v xmlns:rdf="{rdf}" xsi:type="rdf:XMLLiteral">{inner}</ex:v>'
    found = read(f'<prov:entity prov:id="ex:e">{value}</prov:entity>')
    [kept] = values(found, EX + "v")
    assert kept.value == '<ex:a xmlns:ex="http://example.org/" b="1 &amp; 2"> x <ex:c/>&lt;</ex:a>'
    assert kept.datatype == rdf + "XMLLiteral"
    assert values(through(found, "prov-xml")[0], EX + "v") == [kept]
    assert "<ex:a " in written(found, "prov-xml")


def test_a_statement_of_another_vocabulary_is_carried_as_it_stands() -> None:
    found = read('<ex:note to="all">see <ex:b/></ex:note>')
    raw = '<ex:note xmlns:ex="http://example.org/" to="all">see <ex:b/></ex:note>'
    assert extensions(found) == [Extension(EX + "note", raw=raw, format="prov-xml")]
    assert "is carried, not interpreted" in noticed(found)[0]
    back, losses = through(found, "prov-xml")
    assert (extensions(back), losses) == (extensions(found), [])
    assert not same(found, read('<ex:note to="none"/>'))
    assert [loss.what for loss in through(found, "prov-n")[1]] == [f"the statement <{EX}note>"]


def test_an_xml_attribute_that_says_nothing_is_left_out_with_a_remark() -> None:
    found = read('<prov:entity prov:id="ex:e" ex:colour="red"/>')
    assert noticed(found) == [
        "line 2, entity ex:e: the XML attribute colour says nothing in PROV; it was left out"
    ]


def test_an_element_without_an_id_has_a_blank_name() -> None:
    found = read("<prov:entity/><prov:entity/>")
    assert list(elements(found)) == ["_:unnamed1", "_:unnamed2"]


def test_a_bundle_of_the_drafts_is_read_as_a_bundle() -> None:
    found = read(
        '<prov:bundle prov:id="ex:b"><prov:entity prov:id="ex:e"/></prov:bundle><prov:agent prov:id="ex:g"/>'
    )
    assert [(bundle.id, bundle.statements[0].id) for bundle in found.bundles] == [(EX + "b", EX + "e")]
    assert list(elements(found)) == [EX + "g"]


def test_what_is_written_stands_in_the_order_of_the_schema() -> None:
    attributes = 'ex:z=1, prov:value=2, prov:type=\'ex:T\', prov:location="l", prov:label="a"'
    text = f"document\nprefix ex <{EX}>\nentity(ex:e, [{attributes}])\nendDocument"
    [entity] = ElementTree.fromstring(written(formats.read(text.encode()), "prov-xml"))
    names = [child.tag.partition("}")[2] for child in entity]
    assert names == ["label", "location", "type", "value", "z"]


def test_names_that_xml_cannot_spell_get_a_prefix_where_they_stand() -> None:
    text = f"document\nprefix ex <{EX}>\nentity(ex:2024/a, [ex:1/b=1, prov:type='ex:2/c'])\nendDocument"
    document = formats.read(text.encode())
    assert 'xmlns:n1="http://example.org/2024/" prov:id="n1:a"' in written(document, "prov-xml")
    back, losses = through(document, "prov-xml")
    assert same(document, back)
    assert losses == []


def test_an_attribute_that_no_element_can_be_named_after_is_told_as_lost() -> None:
    text = f"document\nprefix ex <{EX}>\nentity(ex:e, [ex:1=1, ex:v=2])\nendDocument"
    document = formats.read(text.encode())
    back, losses = through(document, "prov-xml")
    assert [loss.what for loss in losses] == [f"the attribute <{EX}1>"]
    assert [name for name, _ in elements(back)[EX + "e"].attributes] == [EX + "v"]


def test_characters_that_xml_does_not_have_are_told_as_lost() -> None:
    document = formats.read(b'{"prefix":{"ex":"http://example.org/"},"entity":{"ex:e":{"ex:v":"a\\u0000b"}}}')
    back, losses = through(document, "prov-xml")
    assert [loss.what for loss in losses] == ["control characters"]
    assert values(back, EX + "v") == [Literal("a\ufffdb")]


def test_utf_16_is_read() -> None:
    text = f'<?xml version="1.0" encoding="utf-16"?>{HEAD}<prov:entity prov:id="ex:é"/></prov:document>'
    assert list(elements(formats.read(text.encode("utf-16")))) == [EX + "é"]
