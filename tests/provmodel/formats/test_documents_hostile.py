"""Texts that want to do harm: refused soon, in little memory, with a place and a reason."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from provmodel import formats
from provmodel.errors import Unreadable
from tests.provmodel.formats.hostile_texts import HOSTILE

SECONDS = 10  # of this process's own time: a reader that grows faster than its text would take minutes
BYTES = 50_000_000


@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_text_is_refused_soon_with_a_reason(name: str) -> None:
    format_name, text, reason = HOSTILE[name]
    data = text if isinstance(text, bytes) else text.encode()
    began = time.process_time()
    with pytest.raises(Unreadable, match=reason) as caught:
        formats.read(data, format_name)
    assert time.process_time() - began < SECONDS
    assert len(str(caught.value)) < 10_000


@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_text_takes_little_memory(name: str) -> None:
    format_name, text, _ = HOSTILE[name]
    data = text if isinstance(text, bytes) else text.encode()
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable):
            formats.read(data, format_name)
        assert tracemalloc.get_traced_memory()[1] < BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_text_is_refused_too_when_its_format_is_not_named(name: str) -> None:
    _, text, _ = HOSTILE[name]
    with pytest.raises(Unreadable):
        formats.read(text if isinstance(text, bytes) else text.encode())
