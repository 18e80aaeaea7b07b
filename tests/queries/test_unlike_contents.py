"""One version that came with contents which differ is told as a contradiction, wherever it is shown."""

from __future__ import annotations

from typing import Any

import pytest

from queries import shelf
from queries.answer import Answer
from queries.runs.kit import UNLIKE
from tests.story import Story

VERSION = "file:/v@version:1"
SAID = f"Reported in variants that differ, of which none is preferred: {VERSION}."


def told(one: str | dict[str, Any], other: str | dict[str, Any], ref: str = VERSION, **runs: Any) -> Story:
    """Two sources that report the content of a file, which a tool reads then."""
    story = Story()
    for source, content in (("s1", one), ("s2", other)):
        body = {"text": content} if isinstance(content, str) else content
        story.version(ref, kind="file", source=source, body=body, run=runs.get(source))
    story.run("run:1")
    story.tries("try:1", ["file:/out@version:1"], reads=[ref])
    story.ends()
    return story


def ask(story: Story, name: str, **given: Any) -> Answer[Any]:
    question = shelf.question(name)
    return question.answer(story.graph(), question.read(given))


def words(story: Story, name: str, **given: Any) -> str:
    return "\n".join(shelf.question(name).sentences(ask(story, name, **given)))


def test_gaps_of_tells_it_with_the_events_that_brought_the_contents() -> None:
    [found] = ask(told("one", "two"), "gaps-of").graph.contradictions
    assert (found.kind, found.refs, found.events) == ("two_contents", (VERSION,), (1, 2))
    assert f"{VERSION} came with contents that differ." in words(told("one", "two"), "gaps-of")


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("inputs-of", "file:/out"),
        ("expired-inputs", "file:/out"),
        ("replay-kit", "run:1"),
        ("impact-of", VERSION),
    ],
)
def test_what_shows_the_version_says_so_first(name: str, target: str) -> None:
    assert SAID in words(told("one", "two"), name, target=target)


def test_texts_of_two_runs_differ_where_their_sizes_do() -> None:
    [found] = ask(told("one", "three", s1="run:x", s2="run:y"), "gaps-of").graph.contradictions
    assert found.kind == "two_contents"


def test_a_kit_says_of_the_need_that_its_contents_differ() -> None:
    [need] = [
        one for one in ask(told("one", "two"), "replay-kit", target="run:1").graph.needs if one.ref == VERSION
    ]
    assert (need.state, need.why) == ("present", UNLIKE)


def test_the_same_content_from_two_sources_is_one() -> None:
    story = told("one", "one")
    assert ask(story, "gaps-of").graph.contradictions == ()
    assert SAID not in words(story, "inputs-of", target="file:/out")


@pytest.mark.parametrize("story", [
    told("one", "two", s1="run:x", s2="run:y"),
    told("one", "two", ref="file:/v"),
    told('{"a":1}', {"json": {"a": 1}}),
], ids=["of two runs, whose keys differ", "of a name without a version", "as text and as JSON"])  # fmt: skip
def test_contents_that_can_not_be_compared_are_no_contradiction(story: Story) -> None:
    assert [one for one in ask(story, "gaps-of").graph.contradictions if one.kind == "two_contents"] == []


def test_a_part_of_the_content_does_not_contradict_the_whole() -> None:
    story = Story()
    story.version(VERSION, kind="file", source="s1", body={"text": "one and two"})
    story.run("run:1", source="s2")
    story.tries(
        "try:1",
        ["file:/out@version:1"],
        reads=[{"ref": VERSION, "state": "partial", "body": {"text": "one"}}],
    )
    assert SAID not in words(story, "inputs-of", target="file:/out")
