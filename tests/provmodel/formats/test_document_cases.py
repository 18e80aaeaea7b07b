"""Documents as they come in the field: read rightly, or refused with a reason, and given back."""

from __future__ import annotations

import re

import pytest

from provmodel import formats
from provmodel.comparing import difference, same
from provmodel.document import ABSENT_MARK, PROV_QUALIFIED_NAME, PROV_TYPE, Document, Literal
from provmodel.errors import Unreadable
from provmodel.relations import (
    ALTERNATE,
    ASSOCIATION,
    GENERATION,
    MEMBERSHIP,
    MENTION,
    SPECIALIZATION,
    Kind,
)
from tests.provmodel.formats.documents import (
    EX,
    OWN,
    PROV,
    XSD,
    case_bytes,
    elements,
    extensions,
    noticed,
    read_case,
    statements,
    through,
    values,
    written,
)

READABLE = [
    ("012", "input.json"),
    ("013", "input.json"),
    ("015", "input.json"),
    ("017", "input.json"),
    ("019", "input.json"),
    ("020", "input.json"),
    ("026", "input.json"),
    ("028", "input.json"),
    ("031", "input.json"),
    ("032", "input.json"),
    ("033", "input.provn"),
    ("034", "input.json"),
    ("036", "input.json"),
    ("038", "input.json"),
    ("039", "input.json"),
    ("042", "input.xml"),
    ("043", "input.json"),
    ("048", "input.json"),
    ("050", "input.xml"),
    ("051", "input.json"),
    ("054", "input.json"),
    ("056", "input.provn"),
    ("057", "input.provn"),
    ("058", "input.provn"),
    ("061", "input.json"),
    ("064", "input-1.json"),
    ("064", "input-2.provn"),
    ("064", "input-5.xml"),
    ("065", "input.json"),
    ("065", "input.provn"),
    ("066", "input.provn"),
    ("078", "input.json"),
    ("080", "input.provn"),
]


NOT_XML_NAMES = ("019", "020", "066")
"""They have names that are no xsd:QName, which is told; Clew reads them all the same."""


@pytest.mark.parametrize("target", OWN)
@pytest.mark.parametrize(("case", "name"), READABLE)
def test_a_case_comes_back_the_same_from_each_format(case: str, name: str, target: str) -> None:
    document = read_case(case, name)
    back, losses = through(document, target)
    assert not difference(document, back)
    assert [loss.what for loss in losses if "xsd:QName" not in loss.what] == []
    assert losses == [] or (case in NOT_XML_NAMES and target == "prov-xml")


@pytest.mark.parametrize("second", OWN)
@pytest.mark.parametrize("first", OWN)
@pytest.mark.parametrize(("case", "name"), READABLE)
def test_a_case_comes_back_the_same_from_two_formats_in_turn(
    case: str, name: str, first: str, second: str
) -> None:
    document = read_case(case, name)
    assert same(document, through(through(document, first)[0], second)[0])


REFUSED = [
    ("019", "input-illegal.json", [r"/entity/ex:a b", r"'ex:a b'", "'ex:e\"q'", "'ex:<x>'"]),
    ("022", "input.json", ["/entity/zz:e", "'zz'"]),
    ("024", "input.json", ["/entity/ex:e", "'foo'"]),
    ("029", "input.json", ["/activity/ex:b", "2016-12-31", "/activity/ex:e", "/activity/ex:f"]),
    ("053", "input.json", ["/used/_:u", "prov:activity"]),
    ("059", "input.json", ["nested bundle ex:b2 in ex:b"]),
    ("063", "input-1.json", ["/: the document is an array"]),
    ("063", "input-2.json", ["/: the document is the text 'x'"]),
    ("063", "input-3.json", ["/prefix: "]),
    ("063", "input-4.json", ["/entity: "]),
    ("063", "input-5.json", ["/entity/ex:e/ex:v: "]),
    ("063", "input-6.json", ["/entity/ex:e/ex:v/0: "]),
    ("063", "input-7.json", ["/entity: the key 'entity' stands twice"]),
    ("064", "input-4.json", ["there is nothing in it"]),
    ("069", "input.xml", ["line 2", "DOCTYPE"]),
    ("081", "input.provn", ["line 3 column 1", "agent takes one id, this one has 2: 01_v0, 02_v0"]),
]


@pytest.mark.parametrize(("case", "name", "parts"), REFUSED)
def test_what_cannot_be_taken_is_refused_with_its_place_and_a_reason(
    case: str, name: str, parts: list[str]
) -> None:
    with pytest.raises(Unreadable) as caught:
        read_case(case, name)
    assert [part for part in parts if part not in str(caught.value)] == []
    assert caught.value.remedy


def test_native_json_values_keep_their_kind_and_their_characters() -> None:
    """Case 012."""
    found = dict(elements(read_case("012"))[EX + "e1"].attributes)
    assert found == {
        EX + "name": Literal("hello"),
        EX + "count": Literal("42", XSD + "int", native=True),
        EX + "flag": Literal("true", XSD + "boolean", native=True),
        EX + "off": Literal("-100", XSD + "int", native=True),
        EX + "f": Literal("1.5", XSD + "double", native=True),
    }
    assert '"ex:count":42,"ex:flag":true' in written(read_case("012"), "prov-json")


def test_a_bundle_has_the_prefixes_of_its_document() -> None:
    """Case 013."""
    [bundle] = read_case("013").bundles
    assert (bundle.id, bundle.statements[0].id) == (EX + "b", EX + "e")


@pytest.mark.parametrize("target", OWN)
def test_document_and_bundle_have_each_their_default_namespace(target: str) -> None:
    """Case 015."""
    document, _ = through(read_case("015"), target)
    [bundle] = document.bundles
    found = [*elements(document), bundle.id, bundle.statements[0].id]
    assert found == ["http://a.org/e", "http://a.org/b", "http://b.org/e"]


def test_two_prefixes_of_one_namespace_name_one_entity() -> None:
    """Case 017."""
    document = read_case("017")
    assert set(elements(document)) == {EX + "e"}
    assert [value.value for value in values(document, EX + "v")] == ["1", "2"]


@pytest.mark.parametrize("target", OWN)
def test_odd_local_names_keep_every_character(target: str) -> None:
    """Case 019."""
    locals_ = ["2024/report-(final).pdf", "a:b#c?d=e&f", "naïve-café", "报告", "100%25", "", "-x."]
    document, _ = through(read_case("019"), target)
    assert list(elements(document)) == [EX + one for one in locals_]


def test_a_reserved_prefix_keeps_its_meaning() -> None:
    """Case 020."""
    document = read_case("020")
    assert list(elements(document)) == ["http://www.camflow.orgEAAAAAAAABQFFQAAAA+KXBJAQ="]
    assert values(document, PROV_TYPE) == [Literal("machine")]
    [told] = noticed(document)
    assert told.startswith("/prefix/prov: the prefix prov is reserved for <http://www.w3.org/ns/prov#>")
    assert r"cf:EAAAAAAAABQFFQAAAA+KXBJAQ\=" in written(document, "prov-n")


def test_a_time_without_a_zone_is_not_one_in_utc() -> None:
    """Case 026."""
    found = elements(read_case("026"))
    assert (found[EX + "a"].start, found[EX + "b"].start) == ("2024-03-10T02:30:00", "2024-03-10T02:30:00Z")
    a, b = (
        f"document prefix ex <{EX}> activity(ex:a, {one}, -) endDocument"
        for one in ("2024-03-10T02:30:00", "2024-03-10T02:30:00Z")
    )
    assert not same(formats.read(a.encode()), formats.read(b.encode()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2024-03-10T24:00:00Z", "2024-03-11T00:00:00Z"),
        ("2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00"),
        ("2024-01-01T00:00:00.500Z", "2024-01-01T00:00:00.5Z"),
    ],
)
def test_one_instant_written_in_two_ways_is_one_time(one: str, other: str) -> None:
    """Cases 028 and 031."""
    first, second = (
        formats.read(f"document prefix ex <{EX}> activity(ex:a, {time}, -) endDocument".encode())
        for time in (one, other)
    )
    assert same(first, second)


@pytest.mark.parametrize(
    "time", ["2016-12-31T23:59:60Z", "-0044-03-15T12:00:00Z", "12345-01-01T00:00:00Z", "0999-01-01T00:00:00Z"]
)
@pytest.mark.parametrize("target", OWN)
def test_times_beyond_the_common_calendar_keep_their_form(time: str, target: str) -> None:
    """Case 029."""
    document = formats.read(f"document prefix ex <{EX}> activity(ex:a, {time}, -) endDocument".encode())
    assert elements(through(document, target)[0])[EX + "a"].start == time


def test_two_starts_of_one_activity_are_both_kept() -> None:
    """Cases 031 and 032."""
    starts = [one.start for one in read_case("032").main.statements if hasattr(one, "start")]
    assert starts == ["2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z"]


@pytest.mark.parametrize("target", OWN)
def test_infinities_and_what_is_no_number_are_kept_in_strings(target: str) -> None:
    """Case 034."""
    document, _ = through(read_case("034"), target)
    assert [value.value for value in values(document, EX + "v")] == ["INF", "-INF", "NaN", "-0.0"]
    assert not re.search(r"[:\[,](NaN|-?Infinity|-?INF)", written(document, "prov-json"))
    assert same(document, read_case("034"))


@pytest.mark.parametrize("target", OWN)
def test_the_digits_of_big_integers_stay(target: str) -> None:
    """Case 036."""
    document, _ = through(read_case("036"), target)
    found = [(value.value, value.datatype.removeprefix(XSD)) for value in values(document, EX + "v")]
    assert found == [
        ("9007199254740993", "integer"),
        ("18446744073709551616", "integer"),
        ("99999999999", "int"),
    ]


@pytest.mark.parametrize("target", OWN)
def test_six_labels_stay_six_and_odd_languages_are_put_right_once(target: str) -> None:
    """Case 038."""
    document = read_case("038")
    back, _ = through(document, target)
    expected = [
        ("bonjour", "fr"),
        ("hello", "en-US"),
        ("bonjour", "fr-CA"),
        ("你好", "zh-Hans"),
        ("x", ""),
        ("plain", ""),
    ]
    assert [(value.value, value.language) for value in values(back, PROV + "label")] == expected
    assert len(noticed(document)) == 2
    assert noticed(back) == []


def test_a_type_is_a_name_in_either_spelling_and_a_string_stays_one() -> None:
    """Case 039."""
    document = read_case("039")
    first, second, third, fourth = values(document, PROV_TYPE)
    assert (
        (first.value, first.datatype)
        == (second.value, second.datatype)
        == (PROV + "Person", PROV_QUALIFIED_NAME)
    )
    assert third == Literal("prov:Person")
    assert (fourth.value, fourth.is_name) == ("zz:T", False)
    assert noticed(document) == [
        "/agent/ex:p4/prov:type: the prefix of the name 'zz:T' is not declared; it was kept as it is"
    ]


@pytest.mark.parametrize("target", OWN)
def test_blanks_around_a_typed_value_do_not_count_and_an_empty_element_is_empty(target: str) -> None:
    """Case 042."""
    document, _ = through(read_case("042", "input.xml"), target)
    assert values(document, EX + "n") == [Literal("12", XSD + "integer")]
    assert values(document, EX + "empty") == [Literal("")]


@pytest.mark.parametrize("target", OWN)
def test_two_usages_of_one_id_are_both_kept(target: str) -> None:
    """Case 043."""
    document, _ = through(read_case("043"), target)
    assert [(one.id, one.arguments) for one in statements(document)] == [
        (EX + "u", (EX + "a", EX + "e1")),
        (EX + "u", (EX + "a", EX + "e2")),
    ]


def test_what_is_said_in_two_places_of_one_entity_is_said_of_one() -> None:
    """Case 048."""
    together = f'document prefix ex <{EX}> entity(ex:e, [ex:v=1, ex:v=2, prov:label="a"]) endDocument'
    assert same(read_case("048"), formats.read(together.encode()))


@pytest.mark.parametrize("target", OWN)
def test_every_member_of_a_collection_is_kept(target: str) -> None:
    """Case 050."""
    document, _ = through(read_case("050", "input.xml"), target)
    assert {one.term for one in statements(document)} == {MEMBERSHIP}
    assert [one.arguments for one in statements(document)] == [(EX + "c", EX + f"e{n}") for n in (1, 2, 3)]


@pytest.mark.parametrize("target", OWN)
def test_what_is_only_referred_to_is_not_declared(target: str) -> None:
    """Case 051."""
    document, _ = through(read_case("051"), target)
    assert elements(document) == {}
    assert [one.arguments[:2] for one in statements(document)] == [
        (EX + "a", EX + "ghost"),
        (EX + "r", EX + "ghost"),
    ]


def test_a_relation_without_an_optional_end_is_legal() -> None:
    """Case 053, without the usage."""
    text = case_bytes("053").replace(b'"used"', b'"wasInvalidatedBy"').replace(b'"_:u"', b'"_:i"')
    found = statements(formats.read(text))
    assert [one.term for one in found][1:] == [GENERATION, ASSOCIATION]


def test_one_id_may_stand_for_an_entity_and_an_activity() -> None:
    """Case 054: kept as it is said; that it can't be is for validation."""
    kinds = [one.kind for one in read_case("054").main.statements if hasattr(one, "kind")]
    assert kinds == [Kind.ENTITY, Kind.ACTIVITY]


def test_specializations_and_alternates_are_read_from_prov_n() -> None:
    """Case 056."""
    terms = [one.term for one in statements(read_case("056", "input.provn"))]
    assert terms[:3] == [SPECIALIZATION, SPECIALIZATION, ALTERNATE]


def test_mention_is_read_with_and_without_a_prefix() -> None:
    """Case 057."""
    found = statements(read_case("057", "input.provn"))
    assert [one.term for one in found] == [MENTION, MENTION]
    assert found[0].arguments == (EX + "e", EX + "g", EX + "b")


def test_a_bundle_that_stands_twice_is_one_and_that_is_remarked_on() -> None:
    """Case 058."""
    document = read_case("058", "input.provn")
    [bundle] = document.bundles
    assert [one.id for one in bundle.statements] == [EX + "e1", EX + "e2"]
    assert "stands several times" in noticed(document)[0]


def test_a_bundle_may_be_described_as_an_entity() -> None:
    """Case 061."""
    document = read_case("061")
    assert elements(document, Kind.ENTITY)[EX + "b"].attributes[0][1].value == PROV + "Bundle"
    assert document.bundles[0].id == EX + "b"


@pytest.mark.parametrize("name", ["input-1.json", "input-2.provn", "input-5.xml"])
def test_an_empty_document_is_a_document(name: str) -> None:
    """Case 064."""
    assert read_case("064", name) == Document(main=read_case("064", name).main)
    assert list(read_case("064", name).main.statements) == []


@pytest.mark.parametrize("name", ["input.json", "input.provn"])
def test_a_byte_order_mark_is_no_text(name: str) -> None:
    """Case 065."""
    assert list(elements(read_case("065", name))) == [EX + "e"]


def test_prov_n_has_comments_escapes_long_texts_and_names_of_digits() -> None:
    """Case 066."""
    document = read_case("066", "input.provn")
    assert list(elements(document, Kind.ENTITY)) == ["http://d.org/4567", EX + "a=b"]
    assert dict(elements(document)[EX + "a=b"].attributes) == {
        EX + "v": Literal('l1\nl2 "q"'),
        EX + "w": Literal('tri\nple "x" '),
        EX + "t": Literal("ex:q", XSD + "string"),
        EX + "u": Literal(EX + "00-1", PROV_QUALIFIED_NAME),
        EX + "l": Literal("hé", language="fr"),
    }
    assert elements(document, Kind.ACTIVITY)[EX + "00-1"].start == "2024-01-01T00:00:00"


def test_windows_line_ends_change_nothing() -> None:
    """Case 066."""
    text = case_bytes("066", "input.provn").replace(b"\r\n", b"\n")
    assert same(formats.read(text.replace(b"\n", b"\r\n").replace(b"tri\r\n", b"tri\n")), formats.read(text))


def test_the_location_of_prov_o_is_kept_and_means_the_location_of_prov_dm() -> None:
    """Case 078."""
    document = read_case("078")
    assert [name for name, _ in elements(document)[EX + "ag"].attributes] == [PROV + "atLocation"]
    renamed = formats.read(case_bytes("078").replace(b"prov:atLocation", b"prov:location"))
    assert same(document, renamed)


@pytest.mark.parametrize("target", OWN)
def test_statements_of_prov_dictionary_are_carried_and_told(target: str) -> None:
    """Case 080."""
    document = read_case("080", "input.provn")
    back, losses = through(document, target)
    assert losses == []
    insertion, member = extensions(back)
    key = Literal("k1")
    assert insertion.arguments == (EX + "d2", EX + "d1", ((key, EX + "e2"),))
    assert member.arguments == (EX + "d2", EX + "e2", key)
    assert list(elements(back)) == [EX + "d1", EX + "after"]
    assert len(noticed(document)) == 2


def test_a_marker_is_told_from_nothing() -> None:
    """Case 033 and the rest of PROV-N: ``-`` is kept as such, and says what nothing says."""
    marked, bare = (
        formats.read(f"document prefix ex <{EX}> {one} endDocument".encode())
        for one in ("wasGeneratedBy(ex:e, -, -)", "wasGeneratedBy(ex:e)")
    )
    assert statements(marked)[0].arguments == (EX + "e", ABSENT_MARK)
    assert statements(bare)[0].arguments == (EX + "e", None)
    assert same(marked, bare)
