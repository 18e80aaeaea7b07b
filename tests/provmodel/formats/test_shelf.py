"""The shelf of formats: found by folder, by name, media type and file ending."""

from __future__ import annotations

from pathlib import Path

import pytest

from provmodel import formats
from provmodel.errors import BadQuestion
from provmodel.feeds import ListFeed
from tests.provmodel.formats.hostile import BASE

EMPTY = ListFeed(BASE, [], [])


def test_each_module_of_the_folder_that_is_a_format_is_on_the_shelf() -> None:
    folder = Path(formats.__file__).parent
    with_format = [path for path in folder.glob("*.py") if "\nFORMAT = " in path.read_text()]
    assert len(formats.shelf()) == len(with_format)
    assert list(formats.shelf()) == sorted(formats.shelf())


def test_no_two_formats_share_a_name_a_media_type_or_an_ending() -> None:
    shelf = formats.shelf().values()
    for given in ([one.media_types for one in shelf], [one.endings for one in shelf]):
        flat = [word for words in given for word in words]
        assert len(flat) == len(set(flat))


@pytest.mark.parametrize(
    ("file_name", "name"),
    [("run.prov.json", "prov-json"), ("run.JSON", "prov-json"), ("run.ttl", "turtle"), ("run.txt", None)],
)
def test_a_file_is_written_in_the_format_of_its_ending(file_name: str, name: str | None) -> None:
    found = formats.by_ending(file_name)
    assert (found.name if found else None) == name


def test_a_media_type_is_known_with_its_parameters() -> None:
    found = formats.by_media_type("Text/Turtle; charset=utf-8")
    assert found
    assert found.name == "turtle"
    assert formats.by_media_type("image/png") is None


@pytest.mark.parametrize(
    ("name", "assertions", "message"),
    [("docx", "all", "use one of .*prov-json, .*turtle"), ("turtle", "some", "use one of none, best, all")],
)
def test_what_is_not_offered_is_refused_before_the_first_byte(
    name: str, assertions: str, message: str
) -> None:
    with pytest.raises(BadQuestion, match=message):
        formats.write(EMPTY, name, assertions)


@pytest.mark.parametrize("name", list(formats.shelf()))
def test_an_empty_feed_is_a_document(name: str) -> None:
    assert b"".join(formats.write(EMPTY, name)).endswith(b"\n")


@pytest.mark.parametrize("name", list(formats.shelf()))
def test_a_stream_that_is_given_up_leaves_no_file_open(name: str) -> None:
    stream = formats.write(EMPTY, name)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
