"""The shelf itself: what stands on it, and how the right source is found."""

import json
import sys
from pathlib import Path

import pytest

from provmodel import sources
from provmodel.errors import BadQuestion, Unreadable
from provmodel.sources import MOST_REMARKS, Margin, Source, detect, named
from tests.provmodel.sources.otlp_story import document, span

ANOTHER = """
from provmodel.sources import Margin, Reading, Source

class Another(Source):
    name = "another"
    title = "Another"
    version = 1

    def detect(self, data: bytes) -> bool:
        return data.startswith(b"another") or b"resourceSpans" in data

    def read(self, data: bytes) -> Reading:
        return Margin().reading([], 0)
"""


@pytest.fixture
def another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with one more source in it."""
    (tmp_path / "another.py").write_text(ANOTHER)
    monkeypatch.setattr(sources, "__path__", [*sources.__path__, str(tmp_path)])
    monkeypatch.setattr(sources, "sources", sources.sources.__wrapped__)
    monkeypatch.delitem(sys.modules, "provmodel.sources.another", raising=False)


def test_each_source_says_what_it_is() -> None:
    for name, source in sources.sources().items():
        assert source.name == name
        assert source.title
        assert source.version >= 1


@pytest.mark.usefixtures("another")
def test_a_source_is_one_new_file_in_the_folder() -> None:
    assert set(sources.sources()) == {"another", "otlp"}
    assert detect(b"another shape").name == "another"


@pytest.mark.usefixtures("another")
def test_what_looks_like_two_sources_must_be_named() -> None:
    with pytest.raises(Unreadable, match="several sources: another, otlp"):
        detect(json.dumps(document(span())).encode())


def test_a_trace_is_known_by_looking_at_it() -> None:
    assert detect(json.dumps(document(span())).encode()) is named("otlp")


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b"null", b"resourceSpans", b'{"a": "resourceSpans"}', b"\xff\xfe{"]
)
def test_what_looks_like_no_source_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable, match="no source that Clew reads"):
        detect(data)


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(BadQuestion, match=r"use one of .*otlp"):
        named("carrier-pigeon")


def test_a_source_without_its_words_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Source()  # type: ignore[abstract]


def test_the_same_remark_twice_is_one_with_a_count() -> None:
    margin = Margin()
    margin.unread("span 1", "attribute x")
    margin.unread("span 2", "attribute x", 2)
    [remark] = margin.reading([], 2).not_understood
    assert (remark.where, remark.what, remark.count) == ("span 1", "attribute x", 3)


def test_remarks_without_end_are_counted_under_one() -> None:
    margin = Margin()
    for number in range(MOST_REMARKS + 50):
        margin.unread("span 1", f"attribute {number}")
    remarks = margin.reading([], 1).not_understood
    assert len(remarks) == MOST_REMARKS + 1
    assert sum(remark.count for remark in remarks) == MOST_REMARKS + 50
