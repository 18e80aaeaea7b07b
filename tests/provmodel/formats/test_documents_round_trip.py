"""Any document comes back from any format, or it was said what the format can't hold of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from provmodel import formats
from provmodel.comparing import difference
from provmodel.document import Document
from tests.provmodel.formats.documents import OWN, through
from tests.provmodel.formats.random_documents import documents

TARGETS = tuple(one.name for one in formats.documents().values() if one.read and one.write)


@pytest.mark.parametrize("target", TARGETS)
@given(document=documents)
@settings(max_examples=60, deadline=None)
def test_any_document_comes_back_or_its_losses_are_told(target: str, document: Document) -> None:
    back, losses = through(document, target)
    changed = difference(document, back)
    assert not changed or losses


@pytest.mark.parametrize("target", OWN)
@given(document=documents)
@settings(max_examples=30, deadline=None)
def test_what_was_written_once_is_written_the_same_again(target: str, document: Document) -> None:
    once = b"".join(formats.write_document(document, target)[0])
    again = formats.write_document(formats.read(once, target), target)
    twice = b"".join(again[0])
    assert b"".join(formats.write_document(formats.read(twice, target), target)[0]) == twice


@given(document=documents)
@settings(max_examples=30, deadline=None)
def test_nothing_is_lost_in_prov_json(document: Document) -> None:
    assert through(document, "prov-json")[1] == []
