"""PROV-N: its words, its errors with line and column, and what is written."""

from __future__ import annotations

import pytest

from provmodel import formats
from provmodel.comparing import same
from provmodel.document import ABSENT_MARK, Document, Extension, Literal, Statement
from provmodel.errors import Unreadable
from provmodel.relations import ASSOCIATION, DERIVATION, START
from tests.provmodel.formats.documents import (
    EX,
    XSD,
    elements,
    extensions,
    noticed,
    statements,
    values,
    written,
)

HEAD = f"document\n prefix ex <{EX}>\n"


def read(body: str) -> Document:
    return formats.read(f"{HEAD}{body}\nendDocument\n".encode(), "prov-n")


WRONG = {
    "entity(ex:a, ex:b)": ("line 3 column 1", "entity takes one id, this one has 2: ex:a, ex:b"),
    "agent(ex:a, [ex:v=1.5])": ("line 3 column 19", r"the value of 'ex:v' is '1.5\]\)', without quotes"),
    "agent(ex:a, [ex:v=b])": ("line 3 column 19", "without quotes"),
    "agent(ex:a [ex:v=1])": ("line 3 column 12", "a comma is missing before \\["),
    "agent(ex:a, [ex:v=1)": ("line 3 column 20", "after a value stands '\\)'"),
    'agent(ex:a, [ex:v="b)': ("line 3 column 19", "the quotation isn't closed on its line"),
    r'agent(ex:a, [ex:v="\q"])': ("line 3 column 1", r"\\q stands for nothing"),
    "agent(ex:a, [ex:v=1]": ("line 4 column 1", "after the attributes stands 'endDocument'"),
    "agent(ex:a, [ex:v 1])": ("line 3 column 19", "after the attribute 'ex:v' stands '1\\]\\)'"),
    "agent(ex:a) agent(zz:b)": ("line 3 column 13", "the prefix 'zz' of 'zz:b' is not declared"),
    "agent(b)": ("line 3 column 1", "'b' has no prefix, and there is no default namespace"),
    "agent('ex:a')": ("line 3 column 7", "names stand without quotes|where an argument of agent"),
    "agent(-)": ("line 3 column 1", "agent has no id"),
    "wasGeneratedby(ex:a, ex:b, -)": (
        "line 3 column 1",
        "there is no statement 'wasGeneratedby'; did you mean",
    ),
    "used(ex:a, ex:e, yesterday)": ("line 3 column 1", "'yesterday' is no xsd:dateTime"),
    "used(ex:a, ex:e, -, -, -)": ("line 3 column 1", "used takes 1 to 3 arguments, this one has 5"),
    "used(-, ex:e, -)": ("line 3 column 1", "used lacks activity, which PROV-DM requires"),
    "wasInformedBy(ex:a)": ("line 3 column 1", "wasInformedBy takes 2 arguments, this one has 1"),
    "activity(ex:a, -)": ("line 3 column 1", "activity takes 1 or 3 arguments, this one has 2"),
    "entity(ex:u; ex:e)": ("line 3 column 1", "entity takes one id, this one has 1: ex:u; ex:e"),
    "used(ex:a; ex:b; ex:c)": ("line 3 column 1", "'ex:b; ex:c' is no qualified name"),
    "ex:f(ex:a": ("line 4 column 1", "after an argument stands 'endDocument'"),
    "ex:f({ex:a)": ("line 3 column 11", "within a set stands '\\)'"),
    "prefix ey <http://e/>\nentity(ex:a) prefix ez <http://e/>": (
        "line 4 column 14",
        "a statement should be",
    ),
    "bundle ex:b bundle ex:c endBundle endBundle": ("line 3 column 13", "nested bundle in ex:b"),
    "bundle ex:b entity(ex:e)": ("line 4 column 1", "end it with endBundle"),
    "bundle ex:b endBundle entity(ex:e)": ("line 3 column 23", "statements stand before bundles"),
    "endDocument entity(ex:e)": ("line 3 column 13", "after endDocument stands 'entity"),
    "/* entity(ex:e)": ("line 3 column 1", "a comment that isn't closed"),
}


@pytest.mark.parametrize("body", list(WRONG))
def test_an_error_says_line_column_and_why(body: str) -> None:
    where, reason = WRONG[body]
    with pytest.raises(Unreadable, match=reason) as caught:
        read(body)
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("entity(ex:e)", "a PROV-N text begins with the word document"),
        ("document\nprefix ex http://e/\nendDocument", "where a namespace should be stands 'http://e/'"),
        ("document\nprefix ex <e>\nendDocument", "is no absolute IRI"),
        ("document\nprefix ex <http://e/>\nprefix ex <http://f/>\nendDocument", "ex is declared twice"),
        ("document\nprefix : <http://e/>\nendDocument", "where a prefix should be stands"),
        ("document\n", "the end of the text; end the document with endDocument"),
        ("document entity(", "where an argument of entity should be stands the end of the text"),
    ],
)
def test_a_text_that_is_framed_wrongly_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        formats.read(text.encode(), "prov-n")


def test_all_faults_of_names_and_times_are_told_at_once() -> None:
    with pytest.raises(Unreadable) as caught:
        read("entity(zz:a)\nused(ex:a, ex:e, soon)\nentity(yy:b)")
    assert str(caught.value).count("; also line ") == 2


def test_comments_stand_anywhere_between_words() -> None:
    found = read(
        "used // who\n (ex:u /* the id */ ; ex:a, // what\n ex:e , /* - */ - , [ // more\n ex:v = 1 ] )"
    )
    assert statements(found)[0].arguments == (EX + "a", EX + "e")
    assert values(found, EX + "v") == [Literal("1", XSD + "int")]


def test_slashes_in_a_name_are_no_comment() -> None:
    assert list(elements(read("entity(ex:a//b)\nentity(ex:c/*d*/)"))) == [EX + "a//b", EX + "c/*d*/"]


def test_arguments_stand_in_their_places() -> None:
    found = read(
        "wasStartedBy(ex:s; ex:a, -, ex:b, 2024-01-01T00:00:00)\n"
        "wasDerivedFrom(-; ex:e, ex:f, -, ex:g, ex:u)\n"
        "wasAssociatedWith(ex:a)"
    )
    assert statements(found) == [
        Statement(START, EX + "s", (EX + "a", ABSENT_MARK, EX + "b"), "2024-01-01T00:00:00"),
        Statement(DERIVATION, None, (EX + "e", EX + "f", ABSENT_MARK, EX + "g", EX + "u")),
        Statement(ASSOCIATION, None, (EX + "a", None, None)),
    ]


def test_a_relation_that_is_partly_known_is_kept_when_it_has_an_id() -> None:
    found = read("used(ex:u; -, ex:e, -)")
    assert statements(found)[0].subject is None
    assert noticed(found) == ["line 3 column 1: used lacks activity, which PROV-DM requires"]


def test_a_name_with_an_undeclared_prefix_is_kept_only_as_a_typed_text() -> None:
    found = read('entity(ex:e, [prov:type="zz:T" %% prov:QUALIFIED_NAME])')
    assert len(noticed(found)) == 1
    with pytest.raises(Unreadable, match="'zz'"):
        read("entity(ex:e, [prov:type='zz:T'])")


def test_extensions_are_carried_with_their_arguments() -> None:
    found = read(
        'ex:f(ex:i; ex:a, -, "t"@en, 5, 2024-01-01T00:00:00Z, {("k", ex:b), ()}, [ex:v="w"])\nex:g(ex:a)'
    )
    first, second = extensions(found)
    time = Literal("2024-01-01T00:00:00Z", XSD + "dateTime")
    assert first == Extension(
        EX + "f",
        EX + "i",
        (
            EX + "a",
            ABSENT_MARK,
            Literal("t", language="en"),
            Literal("5", XSD + "int"),
            time,
            ((Literal("k"), EX + "b"), ()),
        ),
        attributes=((EX + "v", Literal("w")),),
    )
    assert second.arguments == (EX + "a",)
    assert same(found, formats.read(written(found, "prov-n").encode(), "prov-n"))


def test_what_is_written_is_what_the_grammar_has() -> None:
    body = (
        'entity(ex:e, [ex:v="a\\nb", ex:w=5, ex:x="5" %% xsd:long, prov:type=\'ex:T\', ex:y="h"@en])\n'
        "activity(ex:a, 2024-01-01T00:00:00Z, -)\n"
        "wasGeneratedBy(ex:e, ex:a, -)\n"
        "used(ex:a)\n"
        "wasDerivedFrom(ex:e, ex:f)\n"
        "wasDerivedFrom(ex:d; ex:e, ex:f, -, ex:g, -)\n"
        "wasAssociatedWith(ex:a, -, ex:plan)\n"
        "hadMember(ex:c, ex:e)\n"
    )
    assert written(read(body), "prov-n") == f"document\nprefix ex <{EX}>\n{body}endDocument\n"


def test_reserved_prefixes_are_not_declared_again() -> None:
    document = formats.read(b'{"prefix":{"prov":"http://www.w3.org/ns/prov#"},"entity":{"prov:x":{}}}')
    assert written(document, "prov-n") == "document\nentity(prov:x)\nendDocument\n"


def test_a_control_character_is_written_with_digits_and_that_is_told() -> None:
    document = read('entity(ex:e, [ex:v="\\u0001\\\\u0001"])')
    assert values(document, EX + "v") == [Literal("\x01\\u0001")]
    chunks, losses = formats.write_document(document, "prov-n")
    assert same(formats.read(b"".join(chunks), "prov-n"), document)
    assert [loss.what for loss in losses] == ["control characters, for other readers"]


def test_what_a_bare_relation_cannot_hold_is_told() -> None:
    text = '{"prefix":{"ex":"http://example.org/"},"hadMember":{"ex:m":{"prov:collection":"ex:c","prov:entity":["ex:e","ex:f"],"ex:v":1}}}'
    document = formats.read(text.encode())
    chunks, losses = formats.write_document(document, "prov-n")
    assert b"hadMember(ex:c, ex:e)" in b"".join(chunks)
    assert sorted(loss.what for loss in losses) == ["its attributes", "its id"]


def test_long_documents_are_written_in_chunks() -> None:
    document = read("\n".join(f"entity(ex:e{number})" for number in range(2000)))
    chunks = list(formats.write_document(document, "prov-n")[0])
    assert len(chunks) > 4
    assert same(formats.read(b"".join(chunks), "prov-n"), document)
