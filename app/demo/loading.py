"""The events of the story, and recording them."""

from __future__ import annotations

import sys
from collections import Counter
from importlib.resources import files

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from app.ledger.retaining import Policy
from app.retention import Hold
from app.service import Service
from provmodel.decoding import split_items
from provmodel.errors import ClewError
from provmodel.times import nanoseconds

STORY = files("app") / "data" / "story.json"
AT_ONCE = 5  # events a step of the bar; each step is durable before the next
KEEPER = "person:records-keeper"
KEPT_A_MONTH = Policy(
    policy="policy:monthly-extracts",
    field="label",
    value="monthly-extract",
    keep="until",
    amount=nanoseconds("2026-04-09T00:00:00Z") // 1000,
    actor=KEEPER,
)
"""Lets the list of fees go a month after it was read, but for the hold."""

HOLD = Hold(
    hold="hold:account-4711",
    target="file:/ledger/february.csv",
    reason="The complaint about account 4711 is not settled",
    placed="",
    placed_by=KEEPER,
)


class Loaded(msgspec.Struct, frozen=True):
    """How many events the story has, how many were new to the store, and how many sources report."""

    events: int
    new: int
    sources: int


class OtherStory(ClewError):
    """The reader must act: the store holds events of the story's names with other content."""

    def __init__(self, what: str) -> None:
        super().__init__(f"this store does not take the story ({what}); choose a new one with --db")


def load(service: Service) -> Loaded:
    """Record the story; what is there already stays as it is. Shows a bar on a terminal.

    Raises :class:`OtherStory` when an event is refused, or is there with other content.
    """
    items = split_items(STORY.read_bytes())
    counts: Counter[str] = Counter()
    sources: set[str] = set()
    with _bar() as bar:
        task = bar.add_task("recording the story", total=len(items))
        for start in range(0, len(items), AT_ONCE):
            results = service.record(items[start : start + AT_ONCE])
            counts.update(result.status for result in results)
            sources.update(result.source for result in results)
            bar.advance(task, len(results))
    if counts["refused"] or counts["conflict"]:
        raise OtherStory(f"{counts['refused']} events refused, {counts['conflict']} in conflict")
    _retain(service)
    return Loaded(len(items), counts["recorded"], len(sources))


def _retain(service: Service) -> None:
    """Place the hold of the story, then put its policy in force, unless they were before."""
    retention = service.retention
    if HOLD.hold not in [one.hold for one in retention.holds(lifted=True)]:
        retention.place_hold(HOLD.hold, HOLD.target, HOLD.reason, HOLD.placed_by)
        retention.put(KEPT_A_MONTH)


def _bar() -> Progress:
    """A bar on standard error that is gone when it is done; nothing at all when that is no terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
