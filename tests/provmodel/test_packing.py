"""Documents as canonical bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from provmodel.document import Bundle, Document, Element, Literal, Remark
from provmodel.documents.packing import pack, unpack
from provmodel.relations import Kind
from tests.provmodel.formats.random_documents import documents


@given(document=documents)
@settings(max_examples=60, deadline=None)
def test_any_document_comes_back_from_its_bytes_as_it_was(document: Document) -> None:
    assert unpack(pack(document)) == document
    assert pack(unpack(pack(document))) == pack(document)


def test_remarks_and_spellings_are_kept() -> None:
    value = Literal("en-US", "http://www.w3.org/ns/prov#QUALIFIED_NAME", spelling="xsd:QName", native=False)
    element = Element(Kind.ENTITY, "http://example.org/e", (("http://example.org/a", value),))
    document = Document(
        Bundle(None, {"ex": "http://example.org/"}, (element,)), (), (Remark("line 1", "odd"),)
    )
    assert unpack(pack(document)) == document


def test_half_a_character_has_no_bytes() -> None:
    element = Element(Kind.ENTITY, "http://example.org/e", (("http://example.org/a", Literal("\ud800")),))
    with pytest.raises(UnicodeEncodeError):
        pack(Document(Bundle(None, {}, (element,))))
