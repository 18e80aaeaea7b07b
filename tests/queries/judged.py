"""Asking who-authorized of a story, and a story in which one action is asked for."""

from __future__ import annotations

from typing import Any

from queries.authority.entries import WriteView
from queries.authority.findings import Finding
from queries.questions.who_authorized import Who, WhoAuthorized
from tests.story import Story

QUESTION = WhoAuthorized()
ARGUMENTS = {"path": "/orders/17", "amount": 120, "note": "a refund of the fee"}
ORDER = "order:17@version:2"


def args(**changed: Any) -> dict[str, Any]:
    """The arguments of the action, some of them changed, as a body."""
    return {"body": {"json": {**ARGUMENTS, **changed}}}


def asked(**more: Any) -> Story:
    """A run whose agent asks for one action, ``act:1``."""
    story = Story()
    story.run("run:1", agent="reporter")
    story.call("call:1", agent="reporter")
    story.proposes("act:1", tool="refund", call="call:1", arguments=ARGUMENTS, **more)
    return story


def done(story: Story, attempt: str = "att:1", **more: Any) -> None:
    """The action is executed, as it was asked for, unless ``more`` says otherwise."""
    fields = {
        "tool": "refund",
        "action": "act:1",
        "writes": [ORDER],
        "arguments": args(),
        "started": None,
        **more,
    }
    story.tries(attempt, **{name: value for name, value in fields.items() if value is not None})


def answer(story: Story, *targets: str, **params: Any) -> Who:
    """The graph part of the answer about these targets."""
    return QUESTION.answer(story.graph(), QUESTION.read({"target": list(targets), **params})).graph


def said(story: Story, *targets: str, **params: Any) -> list[str]:
    """The answer in sentences."""
    return QUESTION.sentences(
        QUESTION.answer(story.graph(), QUESTION.read({"target": list(targets), **params}))
    )


def judged(story: Story, target: str = ORDER, **params: Any) -> WriteView:
    """The one write that a target comes down to."""
    [view] = answer(story, target, **params).writes
    return view


def found(view: WriteView, outcome: str) -> Finding:
    """The one finding of that outcome."""
    [finding] = [finding for finding in view.findings if finding.outcome == outcome]
    return finding
