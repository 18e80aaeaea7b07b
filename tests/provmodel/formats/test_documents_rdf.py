"""What RDF says in the terms of PROV-O, and what comes of it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from provmodel import formats
from provmodel.comparing import difference, same
from provmodel.document import Document, Element, Literal, Statement
from provmodel.errors import Unreadable
from provmodel.relations import Kind
from tests.provmodel.formats.documents import PROV, statements

CASES = Path(__file__).parents[2] / "cases"
SYNTAXES = ("turtle", "trig", "n-quads", "prov-jsonld")
EX = "http://example.org/"
_HEAD = f"@prefix prov: <http://www.w3.org/ns/prov#> . @prefix ex: <{EX}> .\n"


def case(number: str, name: str = "input.ttl") -> Document:
    [folder] = CASES.glob(f"{number}-*")
    return formats.read((folder / name).read_bytes(), None, name)


def turtle(text: str) -> Document:
    return formats.read((_HEAD + text).encode(), "turtle")


def provn(text: str) -> Document:
    return formats.read(f"document prefix ex <{EX}> {text} endDocument".encode(), "prov-n")


def says(document: Document, text: str) -> None:
    found = difference(document, provn(text))
    assert (found.only_first, found.only_second) == ((), ())


def through(document: Document, name: str) -> Document:
    return formats.read(b"".join(formats.write_document(document, name)[0]), name)


MIXED = """activity(ex:write1) agent(ex:alice) agent(ex:bot)
wasAssociatedWith(ex:write1, ex:alice, -, [prov:role='ex:approver'])
wasAssociatedWith(ex:write1, ex:bot, -)"""


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_a_role_stays_with_its_agent(syntax: str) -> None:
    says(case("001"), MIXED)
    says(through(case("001"), syntax), MIXED)


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_a_hash_seed_changes_nothing(seed: str) -> None:
    [path] = CASES.glob("001-*/input.ttl")
    program = (
        "import sys; from pathlib import Path; from provmodel import formats;"
        "d = formats.read(Path(sys.argv[1]).read_bytes(), 'turtle');"
        "sys.stdout.buffer.write(b''.join(formats.write_document(d, 'prov-n')[0]))"
    )
    here = {**os.environ, "PYTHONHASHSEED": seed}
    ran = subprocess.run([sys.executable, "-c", program, path], env=here, capture_output=True, check=True)
    says(formats.read(ran.stdout, "prov-n"), MIXED)
    assert ran.stdout == b"".join(formats.write_document(case("001"), "prov-n")[0])


def test_a_delegation_with_an_activity_stands_beside_one_without() -> None:
    says(case("003"), "actedOnBehalfOf(ex:svc, ex:ann, ex:a) actedOnBehalfOf(ex:svc, ex:bob, -)")


def test_one_name_is_an_entity_and_an_agent() -> None:
    found = [one for one in case("005").main.statements if isinstance(one, Element)]
    assert [one.kind for one in found] == [Kind.ENTITY, Kind.AGENT]
    assert [name for one in found for name, _ in one.attributes] == [f"{EX}v"]


def test_shortcuts_are_relations() -> None:
    says(
        case("007"),
        """wasDerivedFrom(ex:r, ex:r0, [prov:type='prov:Revision'])
        wasDerivedFrom(ex:r, ex:s, [prov:type='prov:PrimarySource'])
        wasDerivedFrom(ex:r, ex:q, [prov:type='prov:Quotation'])
        wasGeneratedBy(ex:r, ex:a, 2024-01-01T10:00:05Z) used(ex:a, ex:s, -)
        activity(ex:a, 2024-01-01T10:00:00Z, -)""",
    )


def test_lexical_forms_are_kept_and_a_wrong_one_is_remarked_on() -> None:
    document = case("040")
    [entity] = [one for one in document.main.statements if isinstance(one, Element)]
    forms = ["2015-09-24Z", "2011-01-25T00:00:00Z", "1.10", "007", "2026-08-16T12:05:34Z"]
    assert [value.value for _, value in entity.attributes] == forms
    assert [remark.what for remark in document.remarks if forms[-1] in remark.what]
    for syntax in SYNTAXES:
        text = b"".join(formats.write_document(document, syntax)[0]).decode()
        assert all(f'"{form}"' in text for form in forms)


def test_prefixes_are_those_of_the_text() -> None:
    text = b"".join(formats.write_document(case("073"), "prov-json")[0]).decode()
    assert formats.read(text.encode(), "prov-json").main.prefixes.keys() <= {"ex", "prov", "xsd"}


def test_absolute_iris_need_no_prefix() -> None:
    document = case("076")
    used = [one.nodes[0] for one in document.main.statements if isinstance(one, Statement)]
    assert used[:5] == [
        "http://ns.example.org/run/1/in",
        "urn:hash::sha1:da39",
        "mailto:?subject=run",
        "file:///data/a%20b.txt",
        "http://ns.example.org/data/ref?x=1&y=2",
    ]
    for syntax in (*SYNTAXES, "prov-json"):
        assert same(document, through(document, syntax))


def test_a_float_keeps_its_form() -> None:
    document = case("079", "input.provn")
    text = b"".join(formats.write_document(document, "turtle")[0]).decode()
    assert '"1"^^xsd:float' in text
    assert same(document, formats.read(text.encode(), "turtle"))


def test_expanded_json_ld_is_read() -> None:
    says(case("009", "input.jsonld"), "activity(ex:a) entity(ex:e) used(ex:a, ex:e, -)")


def test_no_context_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    says(case("010", "input.jsonld"), "entity(ex:e) wasGeneratedBy(ex:e, ex:a, 2024-01-01T00:00:00Z)")
    with pytest.raises(Unreadable, match="unknown remote context"):
        case("010", "input2.jsonld")


def test_several_nodes_of_one_pair_stay_several() -> None:
    document = turtle(
        """ex:a prov:used ex:e ; prov:qualifiedUsage [ a prov:Usage ; prov:entity ex:e ; prov:hadRole ex:r ] ,
        [ a prov:Usage ; prov:entity ex:e ; prov:hadRole ex:s ] ."""
    )
    roles = "used(ex:a, ex:e, -, [prov:role='ex:r']) used(ex:a, ex:e, -, [prov:role='ex:s'])"
    for syntax in SYNTAXES:
        says(through(document, syntax), roles)


def test_a_relation_without_a_node_is_not_lost_beside_one_that_has_one() -> None:
    document = provn("used(ex:a, ex:e, -) used(ex:a, ex:e, -, [prov:role='ex:r'])")
    for syntax in SYNTAXES:
        assert same(document, through(document, syntax))


def test_languages_keep_their_spelling() -> None:
    document = turtle('ex:e a prov:Entity ; ex:t "colour"@en-GB .')
    [entity] = document.main.statements
    assert entity.attributes == ((f"{EX}t", Literal("colour", language="en-GB")),)


def test_what_is_nothing_in_prov_is_carried() -> None:
    document = turtle("ex:e a prov:Entity ; ex:by [ ex:name 'Ann' ] .")
    assert document.remarks
    for syntax in (*SYNTAXES, "prov-n"):
        assert same(document, through(document, syntax))


def test_turtle_tells_that_it_has_no_bundles() -> None:
    document = provn("bundle ex:b entity(ex:e) endBundle")
    chunks, losses = formats.write_document(document, "turtle")
    assert b"ex:e" not in b"".join(chunks)
    assert [loss.what for loss in losses] == ["the bundle"]
    assert same(document, through(document, "trig"))


def test_a_fault_says_its_line() -> None:
    with pytest.raises(Unreadable, match="zz") as caught:
        turtle("ex:a ex:b zz:c .")
    assert caught.value.where == "line 2"


@pytest.mark.parametrize("name", ["turtle", "trig", "n-quads", "prov-jsonld"])
def test_an_element_of_a_type_that_makes_relations_is_told(name: str) -> None:
    text = "document prefix ex <http://example.org/> entity(ex:u, [prov:type='prov:Usage']) endDocument"
    document = formats.read(text.encode(), "prov-n")
    chunks, losses = formats.write_document(document, name)
    back = formats.read(b"".join(chunks), name)
    assert [loss.what for loss in losses] == [f"that it is of type <{PROV}Usage>, and no relation"]
    assert "used" in {one.term.name for one in statements(back)}
