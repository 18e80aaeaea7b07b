"""The events of the story, and recording them."""

from __future__ import annotations

import sys
from collections import Counter
from importlib.resources import files

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from app.service import Service
from provmodel.decoding import split_items
from provmodel.errors import ClewError

STORY = files("app") / "data" / "story.json"
AT_ONCE = 5  # events a step of the bar; each step is durable before the next


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
    return Loaded(len(items), counts["recorded"], len(sources))


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
