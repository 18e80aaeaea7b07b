"""The story that ships: a written incident, recorded in a store of its own, and three answers about it.

It speaks to the service alone, as every face does.
"""

from __future__ import annotations

import shlex
import sys
from typing import Any

import msgspec

from app.demo.loading import STORY, Loaded, OtherStory, load
from app.service import Service

__all__ = ["DEFAULT_DB", "QUESTIONS", "STORY", "Loaded", "OtherStory", "answers", "load", "run"]

DEFAULT_DB = "clew-demo.db"
REPORT = "report:late-fees-february"
POSTINGS = ("ledger:account-4711", "ledger:account-4712", "ledger:account-4713")
TARIFF = "document:tariff-2025"
QUESTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "inputs_of": ("inputs-of", (REPORT,)),
    "who_authorized": ("who-authorized", POSTINGS),
    "impact_of": ("impact-of", (TARIFF,)),
}
"""What is asked, by the key that stands for it in JSON: the question, and its targets."""


def run(service: Service, where: str, json: bool = False) -> None:
    """Record the story, unless it is there, and print the three answers to standard output.

    ``where`` is the store as ``--db`` takes it, without a password. Raises :class:`OtherStory`, StoreTrouble.
    """
    loaded = load(service)
    found = answers(service)
    if json:
        sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
        sys.stdout.buffer.flush()
        return
    from app.demo.screen import show

    where = where.removeprefix("sqlite:///")
    show(found, {key: command(key, where) for key in QUESTIONS}, loaded, where)


def answers(service: Service) -> dict[str, Any]:
    """The three answers, whole, by key."""
    return {
        key: service.ask(question, {"target": list(targets)}).answer
        for key, (question, targets) in QUESTIONS.items()
    }


def command(key: str, where: str) -> str:
    """How a question of the demonstration is asked on the command line."""
    question, targets = QUESTIONS[key]
    words = [word for target in targets for word in ("--target", target)]
    return shlex.join(["clew", "ask", question, *words, "--db", where])
