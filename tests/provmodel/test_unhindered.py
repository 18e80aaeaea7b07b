"""Garbage is looked for again when the work is done, whatever its end."""

from __future__ import annotations

import gc

import pytest

from provmodel import formats
from provmodel.constraints import validate
from provmodel.errors import Unreadable
from provmodel.unhindered import no_collections


def test_garbage_is_looked_for_after_a_document_was_read_and_judged() -> None:
    assert validate(formats.read(b"<http://a/b> a <http://www.w3.org/ns/prov#Entity> .", "turtle")).valid
    assert gc.isenabled()


def test_garbage_is_looked_for_after_a_document_was_refused() -> None:
    with pytest.raises(Unreadable):
        formats.read(b"<a> a <b> .", "turtle")
    assert gc.isenabled()


def test_a_pause_within_a_pause_does_not_end_it() -> None:
    with no_collections():
        with no_collections():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
