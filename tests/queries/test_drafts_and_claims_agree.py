"""A draft stands, and a citation is judged, by one rule whichever question is asked."""

from __future__ import annotations

from typing import Any

import pytest

from queries import shelf
from tests.story import Story, instant


def ask(story: Story, question: str, target: str) -> Any:
    asked = shelf.question(question)
    return asked.answer(story.graph(), asked.read({"target": target})).graph


def said(story: Story, question: str, target: str) -> str:
    asked = shelf.question(question)
    return "\n".join(asked.sentences(asked.answer(story.graph(), asked.read({"target": target}))))


def decided(*verdicts: str) -> Story:
    """A sub-run's draft that is sent to a call once the first of these decisions is taken."""
    story = Story()
    story.run("run:main")
    story.delegates("del:1", "run:sub")
    story.run("run:sub", parent_run="run:main")
    story.call("call:sub", says=["draft:x"], started=instant(1), ended=instant(2))
    story.current = "run:main"
    for number, verdict in enumerate(verdicts):
        story.adopts(f"dec:{number}", "draft:x", verdict, time=instant(10 + 20 * number))
    story.call("call:final", sees=["draft:x"], says=["report:x"], started=instant(20), ended=instant(21))
    return story


@pytest.mark.parametrize(
    ("verdicts", "against"),
    [
        (("rejected",), ["call:final"]),
        (("rejected", "adopted"), []),
        (("rejected", "adopted", "superseded"), ["call:final"]),
        (("adopted",), []),
    ],
)
def test_the_last_decision_about_a_draft_decides_in_every_answer(
    verdicts: tuple[str, ...], against: list[str]
) -> None:
    story = decided(*verdicts)
    results = ask(story, "adopted-results", "run:main").rejected_but_sent
    assert [each.call for each in results] == against
    assert ask(story, "inputs-of", "report:x").rejected_but_sent == results
    assert ask(story, "impact-of", "draft:x").rejected_but_sent == tuple(against)
    assert ("decided against" in said(story, "inputs-of", "report:x")) == bool(against)


def citing(cited: str, *sent: str) -> Story:
    story = Story()
    story.run("run:1")
    story.call("call:1", sees=sent, says=["answer:1"], cites={"answer:1": [cited]})
    return story


@pytest.mark.parametrize(
    ("cited", "sent", "unclear"),
    [
        ("doc:terms@version:2", ("doc:terms@version:1",), False),
        ("doc:terms@version:2", ("doc:terms",), True),
        ("doc:terms", ("doc:terms@version:1",), True),
        ("doc:terms@version:2", (), True),
        ("doc:terms@version:2", ("msg:1",), False),
    ],
)
def test_whether_what_was_cited_was_sent_is_told_alike_by_every_answer(
    cited: str, sent: tuple[str, ...], unclear: bool
) -> None:
    story = citing(cited, *sent)
    claims = ask(story, "unsupported-claims", "answer:1")
    inputs = ask(story, "inputs-of", "answer:1")
    impact = ask(story, "impact-of", cited)
    assert (len(claims.cited_not_sent), len(claims.unclear)) == (not unclear, unclear)
    assert [each.ref for each in inputs.cited_not_sent] == [each.ref for each in claims.cited_not_sent]
    assert [each.ref for each in inputs.cited_unclear] == [each.ref for each in claims.unclear]
    if impact.targets[0].ref == cited:
        assert impact.cited_not_sent == (() if unclear else ("answer:1",))
        assert impact.cited_unclear == (("answer:1",) if unclear else ())
    never = "Cited but never sent" in said(story, "inputs-of", "answer:1")
    assert (never, inputs.complete and unclear) == (not unclear, False)


def test_a_version_that_may_be_the_one_cited_is_not_told_as_uncited() -> None:
    story = citing("doc:terms", "doc:terms@version:1", "doc:other")
    claims = ask(story, "unsupported-claims", "answer:1")
    assert [each.ref for each in claims.sent_not_cited] == ["doc:other"]
    assert ask(story, "inputs-of", "answer:1").sent_not_cited == ("doc:other",)
