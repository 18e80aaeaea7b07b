"""How the format of a document is found: by its name, a media type, a file name, or by looking."""

from __future__ import annotations

import pytest

from provmodel import formats
from provmodel.document import Document
from provmodel.errors import BadQuestion, Unreadable

XML = b'<prov:document xmlns:prov="http://www.w3.org/ns/prov#"/>'
JSON = b'{"entity": {}}'
PROVN = b"// by hand\ndocument endDocument"


@pytest.mark.parametrize(("data", "name"), [(XML, "prov-xml"), (JSON, "prov-json"), (PROVN, "prov-n")])
def test_a_format_is_found_by_looking(data: bytes, name: str) -> None:
    assert formats.detect(data).name == name
    assert formats.detect(b"\xef\xbb\xbf" + data).name == name


@pytest.mark.parametrize(
    ("file_name", "name"),
    [("a.json", "prov-json"), ("A.PROVN", "prov-n"), ("a.provx", "prov-xml"), ("a.xml", "prov-xml")],
)
def test_a_file_name_is_a_hint_for_what_looks_like_nothing(file_name: str, name: str) -> None:
    assert formats.detect(b"?", name=file_name).name == name


def test_what_surely_is_another_format_is_taken_for_that() -> None:
    assert formats.detect(PROVN, "application/json", "a.json").name == "prov-n"


def test_a_media_type_is_a_hint_with_or_without_parameters() -> None:
    assert formats.detect(b"?", "text/provenance-notation; charset=utf-8").name == "prov-n"


def test_the_name_of_a_format_settles_it() -> None:
    with pytest.raises(Unreadable, match="is not XML"):
        formats.read(PROVN, "prov-xml")


def test_what_looks_like_nothing_is_refused_with_the_formats_there_are() -> None:
    with pytest.raises(Unreadable, match=r"name one of .*prov-json.*prov-n"):
        formats.read(b"hello")


def test_a_format_that_is_not_offered_is_named_with_those_that_are() -> None:
    with pytest.raises(BadQuestion, match=r"'docx' is not offered; use one of .*prov-xml"):
        formats.read(JSON, "docx")
    with pytest.raises(BadQuestion, match="use one of"):
        formats.write_document(Document(), "docx")


def test_two_modules_of_one_format_agree_on_what_it_is() -> None:
    exported = formats.shelf()
    for name, one in formats.documents().items():
        if name in exported:
            other = exported[name]
            assert (one.title, one.media_types, one.endings) == (
                other.title,
                other.media_types,
                other.endings,
            )


def test_no_two_formats_of_documents_share_a_media_type_or_an_ending() -> None:
    offered = formats.documents().values()
    for given in ([one.media_types for one in offered], [one.endings for one in offered]):
        flat = [word for words in given for word in words]
        assert len(flat) == len(set(flat))


@pytest.mark.parametrize("name", [one.name for one in formats.documents().values() if one.write])
def test_an_empty_document_can_be_written(name: str) -> None:
    chunks, losses = formats.write_document(Document(), name)
    b"".join(chunks)
    assert losses == []
