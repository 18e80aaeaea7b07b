"""Targets: exact references, things and unambiguous suffixes, or a refusal that helps."""

from __future__ import annotations

import pytest

from provmodel.errors import Ambiguous, NotFound
from queries.graph import Graph
from queries.targets import Chosen, choose
from tests.story import Story, instant


def chosen(graph: Graph, *asked: str) -> list[tuple[str, str]]:
    return [(choice.ref, choice.found) for choice in choose(graph, asked, graph.head())]


def one(graph: Graph, asked: str) -> Chosen:
    (choice,) = choose(graph, [asked], graph.head())
    return choice


def written(*refs: str) -> Graph:
    story = Story()
    for number, ref in enumerate(refs):
        story.tries(f"att:{number}", writes=[ref], ended=instant(number))
    return story.graph()


def test_an_exact_reference_is_taken_as_it_stands() -> None:
    graph = written("file:/a.txt@version:1", "file:/a.txt@version:2")
    assert chosen(graph, "file:/a.txt@version:1", "att:0") == [
        ("file:/a.txt@version:1", "exact"),
        ("att:0", "exact"),
    ]


def test_a_thing_answers_for_its_newest_version_and_names_the_others() -> None:
    choice = one(written("file:/a.txt@version:9", "file:/a.txt@version:10"), "file:/a.txt")
    assert (choice.ref, choice.found, choice.others) == (
        "file:/a.txt@version:10",
        "newest",
        ("file:/a.txt@version:9",),
    )


def test_the_newest_content_is_the_one_written_last_even_when_it_is_old_content_again() -> None:
    one_, two = "file:/a@sha256:" + "1" * 64, "file:/a@sha256:" + "2" * 64
    assert one(written(one_, two, one_), "file:/a").ref == f"{one_};by=att:2"


def test_what_another_version_revised_is_not_the_newest() -> None:
    story = Story()
    story.version("doc:a@version:x", before="doc:a@version:y", mode="edit")
    story.version("doc:a@version:y")
    assert one(story.graph(), "doc:a").ref == "doc:a@version:x"


def test_a_stated_specialization_is_a_version_too() -> None:
    story = Story()
    story.version("upload:77", thing="report:q3")
    assert one(story.graph(), "report:q3").ref == "upload:77"


def test_a_deleted_body_is_no_version_of_what_it_was_the_content_of() -> None:
    story = Story()
    story.call("call:1", sees=[{"ref": "message:1", "body": {"id": "body:1", "text": "hello"}}])
    story.deletes("body:1")
    choice = one(story.graph(), "message:1")
    assert (choice.ref, choice.found, choice.others) == ("message:1", "exact", ())


def test_an_unambiguous_suffix_is_enough() -> None:
    graph = written(
        "file:/reports/q3.md@version:1", "file:/reports/q3.md@version:2", "file:/other/q4.md@version:1"
    )
    for suffix in ("q3.md", "reports/q3.md", "/q3.md"):
        assert chosen(graph, suffix) == [("file:/reports/q3.md@version:2", "suffix")]
    assert chosen(graph, "q3.md@version:1") == [("file:/reports/q3.md@version:1", "suffix")]


def test_a_suffix_begins_at_a_segment() -> None:
    with pytest.raises(NotFound) as refused:
        one(written("file:/reports/q3.md@version:1"), "3.md")
    assert refused.value.near == ()


def test_what_is_ambiguous_names_the_parameter_that_asked_for_it() -> None:
    graph = written("file:/a/x.txt", "file:/b/x.txt")
    with pytest.raises(Ambiguous) as refused:
        choose(graph, ["x.txt"], graph.head(), "ref")
    assert refused.value.parameter == "ref"


def test_a_suffix_of_several_things_is_ambiguous_and_names_them() -> None:
    graph = written("file:/a/q3.md@version:1", "file:/b/q3.md@version:1")
    with pytest.raises(Ambiguous) as refused:
        one(graph, "q3.md")
    assert refused.value.candidates == ("file:/a/q3.md", "file:/b/q3.md")


@pytest.mark.parametrize("asked", ["file:/b/q3.md@version:1", "file:/b/q3.md", "b/q3.md", "q3.md"])
def test_what_was_recorded_only_later_is_said_to_be_so(asked: str) -> None:
    graph = written("file:/a/x.md@version:1", "file:/b/q3.md@version:1", "file:/c/q3.md@version:1")
    with pytest.raises(
        NotFound, match="is not yet recorded at log entry 1; ask as of a later one"
    ) as refused:
        choose(graph, [asked], 1)
    assert (refused.value.as_of, refused.value.later) == (1, True)


def test_what_is_never_recorded_is_not_said_to_come_later() -> None:
    graph = written("file:/a/q3.md@version:1", "file:/b/q3.md@version:1")
    with pytest.raises(NotFound, match="nothing recorded at log entry 0 has a name like it"):
        choose(graph, ["file:/c/q4.md"], 0)


def test_what_is_not_there_names_what_looks_like_it() -> None:
    with pytest.raises(NotFound) as refused:
        one(written("file:/a/q3.md@version:1"), "file:/b/q3.md@version:7")
    assert "file:/a/q3.md@version:1" in refused.value.near


@pytest.mark.parametrize("nonsense", ["", "x" * 5000, "a\x00b"])
def test_what_can_be_no_id_is_not_found(nonsense: str) -> None:
    with pytest.raises(NotFound):
        one(written("file:/a@version:1"), nonsense)


def test_a_blank_and_its_encoding_are_one() -> None:
    assert one(written("file:/my file.txt@version:1"), "my file.txt").ref == "file:/my%20file.txt@version:1"


def test_one_node_asked_twice_is_answered_once() -> None:
    graph = written("file:/a.txt@version:1")
    assert len(choose(graph, ["file:/a.txt", "a.txt"], graph.head())) == 1


def test_nothing_is_found_before_it_was_recorded() -> None:
    graph = written("file:/a.txt@version:1", "file:/a.txt@version:2")
    (early,) = choose(graph, ["a.txt"], 1)
    assert (early.ref, early.others) == ("file:/a.txt@version:1", ())
