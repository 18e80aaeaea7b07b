"""What counts as a difference between two documents, and what doesn't."""

from __future__ import annotations

import pytest

from provmodel import formats
from provmodel.comparing import Difference, difference, same
from provmodel.document import PROV, Bundle, Document, Literal, statement
from provmodel.documents.values import date_of, days_since_1970, instant, normal_time
from provmodel.relations import COMMUNICATION, DERIVATION, GENERATION, USAGE

EX = "http://example.org/"


def provn(body: str, prefixes: str = f"prefix ex <{EX}>") -> Document:
    return formats.read(f"document\n{prefixes}\n{body}\nendDocument".encode(), "prov-n")


ALIKE = {
    "another order": ("entity(ex:a) entity(ex:b)", "entity(ex:b) entity(ex:a)"),
    "said twice": ("used(ex:a, ex:e, -) used(ex:a, ex:e, -)", "used(ex:a, ex:e, -)"),
    "a marker and nothing": ("wasGeneratedBy(ex:e, -, -)", "wasGeneratedBy(ex:e)"),
    "attributes in two places": (
        "entity(ex:e, [ex:v=1]) entity(ex:e, [ex:w=2])",
        "entity(ex:e, [ex:w=2, ex:v=1])",
    ),
    "a plain text and xsd:string": ('entity(ex:e, [ex:v="a"])', 'entity(ex:e, [ex:v="a" %% xsd:string])'),
    "two forms of one number": (
        'entity(ex:e, [ex:v="1" %% xsd:float])',
        'entity(ex:e, [ex:v="1.0" %% xsd:float])',
    ),
    "two forms of one decimal": (
        'entity(ex:e, [ex:v="+01.50" %% xsd:decimal])',
        'entity(ex:e, [ex:v="1.5" %% xsd:decimal])',
    ),
    "two forms of truth": (
        'entity(ex:e, [ex:v="1" %% xsd:boolean])',
        'entity(ex:e, [ex:v="true" %% xsd:boolean])',
    ),
    "two zones of one instant": (
        "used(ex:a, ex:e, 2024-01-01T00:00:00Z)",
        "used(ex:a, ex:e, 2024-01-01T02:00:00+02:00)",
    ),
    "two spellings of a name": (
        "entity(ex:e, [prov:type='ex:T'])",
        'entity(ex:e, [prov:type="ex:T" %% xsd:QName])',
    ),
    "a language in capitals": ('entity(ex:e, [prov:label="a"@EN])', 'entity(ex:e, [prov:label="a"@en])'),
    "no number is itself": (
        'entity(ex:e, [ex:v="NaN" %% xsd:double])',
        'entity(ex:e, [ex:v="NaN" %% xsd:double])',
    ),
    "blanks between tags": (
        'entity(ex:e, [ex:v="<a> <b/></a>" %% ex:XML])'.replace("ex:XML", "rdf:XMLLiteral"),
        'entity(ex:e, [ex:v="<a><b/></a>" %% rdf:XMLLiteral])',
    ),
}
PREFIXES = f"prefix ex <{EX}>\nprefix rdf <http://www.w3.org/1999/02/22-rdf-syntax-ns#>"


@pytest.mark.parametrize("name", list(ALIKE))
def test_two_documents_that_say_the_same_are_the_same(name: str) -> None:
    one, other = (provn(body, PREFIXES) for body in ALIKE[name])
    assert same(one, other)
    assert not difference(one, other)


UNLIKE = {
    "a number and a text": ("entity(ex:e, [ex:v=1])", 'entity(ex:e, [ex:v="1"])'),
    "two datatypes": ("entity(ex:e, [ex:v=1])", 'entity(ex:e, [ex:v="1" %% xsd:integer])'),
    "two languages": ('entity(ex:e, [prov:label="a"@en])', 'entity(ex:e, [prov:label="a"@fr])'),
    "a zone and none": ("used(ex:a, ex:e, 2024-01-01T00:00:00Z)", "used(ex:a, ex:e, 2024-01-01T00:00:00)"),
    "a name and a text": ("entity(ex:e, [prov:type='ex:T'])", 'entity(ex:e, [prov:type="ex:T"])'),
    "two ids": ("used(ex:u; ex:a, ex:e, -)", "used(ex:a, ex:e, -)"),
    "a place in a relation": ("wasDerivedFrom(ex:a, ex:b)", "wasDerivedFrom(ex:b, ex:a)"),
    "main part and bundle": ("entity(ex:e)", "bundle ex:b entity(ex:e) endBundle"),
    "an empty bundle": ("entity(ex:e)", "entity(ex:e) bundle ex:b endBundle"),
    "an extension's argument": ("ex:f(ex:a)", "ex:f(ex:b)"),
}


@pytest.mark.parametrize("name", list(UNLIKE))
def test_two_documents_that_say_different_things_differ(name: str) -> None:
    one, other = (provn(body) for body in UNLIKE[name])
    assert not same(one, other)
    assert difference(one, other)


def test_prefixes_say_nothing() -> None:
    assert same(provn("entity(ex:e)"), provn("entity(e)", f"default <{EX}>"))


def test_a_difference_is_told_in_sentences_sorted_by_bundle() -> None:
    found = difference(provn("entity(ex:e, [ex:v=1])"), provn("entity(ex:e, [ex:v=2]) bundle ex:b endBundle"))
    value = "entity <http://example.org/e> <http://example.org/v> "
    of_int = "^^<http://www.w3.org/2001/XMLSchema#int>"
    assert found == Difference(
        (("", f'{value}"1"{of_int}'),),
        (("", f'{value}"2"{of_int}'), (EX + "b", "bundle")),
    )


def blank_chain(*names: str, last: str = "ex:end") -> Document:
    """Activities that inform each other, all of them blank."""
    links = zip(names, (*names[1:], last), strict=True)
    made = tuple(statement(COMMUNICATION, one, other) for one, other in links)
    return Document(Bundle(statements=made))


def test_blank_names_are_told_apart_by_what_is_said_of_them_alone() -> None:
    assert same(blank_chain("_:a", "_:b", "_:c"), blank_chain("_:z", "_:y", "_:x"))
    assert not same(blank_chain("_:a", "_:b", "_:c"), blank_chain("_:a", "_:b"))
    assert not same(blank_chain("_:a", "_:b"), blank_chain("_:a", "_:b", last="ex:other"))
    assert not same(blank_chain("_:a", "_:b"), blank_chain("_:a", "_:a"))


def test_the_blank_id_of_a_relation_says_something_only_where_it_is_named() -> None:
    named, other, unnamed = (
        Document(
            Bundle(
                statements=(
                    statement(GENERATION, EX + "e", EX + "a", name=generation),
                    statement(USAGE, EX + "a", EX + "f", name="_:u"),
                    statement(DERIVATION, EX + "e", EX + "f", EX + "a", reference),
                )
            )
        )
        for generation, reference in (("_:g", "_:g"), ("_:x", "_:x"), ("_:g", None))
    )
    assert same(named, other)
    assert not same(named, unnamed)


def test_what_is_said_of_a_relation_by_its_blank_name_comes_together() -> None:
    role = ((PROV + "role", Literal("out")),)
    bare, told = (
        statement(GENERATION, "_:e", EX + "a", name="_:e", attributes=attributes) for attributes in ((), role)
    )
    assert same(Document(Bundle(statements=(bare, told))), Document(Bundle(statements=(told,))))
    assert not same(Document(Bundle(statements=(bare,))), Document(Bundle(statements=(told,))))


def test_many_blank_names_are_compared_in_time() -> None:
    names = [f"_:b{number}" for number in range(2000)]
    assert same(blank_chain(*names), blank_chain(*[name.replace("b", "c") for name in names]))


def test_days_are_counted_over_leap_years_and_before_year_one() -> None:
    for year in (-44, 0, 1, 1900, 1970, 2000, 2024, 12345):
        for month, day in ((1, 1), (2, 28), (3, 1), (12, 31)):
            assert date_of(days_since_1970(year, month, day)) == (year, month, day)
    assert days_since_1970(1970, 1, 1) == 0
    assert days_since_1970(2024, 2, 29) == 19782


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("2024-03-10T24:00:00Z", "2024-03-11T00:00:00Z"),
        ("2024-03-10T00:30:00.50+01:00", "2024-03-09T23:30:00.5Z"),
        ("2024-03-10T00:30:00", "2024-03-10T00:30:00"),
        ("-0044-03-15T12:00:00-14:00", "-0044-03-16T02:00:00Z"),
        ("2024-02-30T00:00:00Z", "2024-02-30T00:00:00Z"),
    ],
)
def test_a_moment_has_one_normal_form(text: str, normal: str) -> None:
    assert normal_time(text) == normal


def test_instants_are_ordered_as_tuples() -> None:
    texts = ["2016-12-31T23:59:59Z", "2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", "2017-01-01T00:00:00.5Z"]
    found = [instant(text) for text in texts]
    assert found == sorted(one for one in found if one)
    assert instant("yesterday") is None


def test_a_literal_that_names_something_says_so() -> None:
    assert Literal("a:b", "http://www.w3.org/ns/prov#QUALIFIED_NAME").is_name
    assert not Literal("a:b").is_name
