"""What an answer does not know, said as plainly as what it does."""

from __future__ import annotations

from collections.abc import Iterator

from app.demo.layout import Screen
from queries.answer import Graphed
from queries.graph import Gap

_MEANS = {
    "never_recorded": ("never recorded", "an event that never came, or a thing of which no event tells"),
    "never_captured": ("not captured", "it had content, which was never stored"),
    "partial": ("captured in part", "some of its content was never stored"),
    "deleted": ("content deleted", "that it was there still stands, but not what it said"),
    "unpinned": ("without a version", "it changes under one name, and no version was given"),
    "not_verified": ("not checked", "nobody read back what was written"),
    "not_joined": ("returned and not used", "a tool returned it, and nothing recorded used it"),
    "execution_not_recorded": ("execution not recorded", "proposed, and no attempt at it is recorded"),
    "open_run": ("open run", "no end of it was reported"),
    "incomplete_run": ("incomplete run", "its sources closed before its end was reported"),
    "coverage_unknown": ("coverage unknown", "the source does not number its events"),
    "hidden": ("hidden from you", "counted, and not named"),
}


def show(screen: Screen, graph: Graphed) -> None:
    """List the gaps, what could not be checked, and where the search stopped."""
    screen.label("What it does not show")
    told = [*_gaps(graph), *_unchecked(graph), *_stopped(graph)]
    screen.bullets(told or [("Nothing is known to be missing.", "")])


def _gaps(graph: Graphed) -> Iterator[tuple[str, str]]:
    for gap in graph.gaps:
        words, means = _MEANS[gap.kind]
        example = _example(gap)
        if gap.count == 1 and example != gap.example:
            means = "its number in the count of its source never came"
        such = "such as " if gap.count > 1 else ""
        yield f"{gap.count} {words}:", f"{such}{example} ({means})."


def _example(gap: Gap) -> str:
    """The example; the number of an event in words."""
    source, mark, number = gap.example.partition("#")
    if gap.kind == "never_recorded" and mark and number.isdecimal():
        return f"event {number} of {source.partition('/')[0]}"
    return gap.example


def _unchecked(graph: Graphed) -> Iterator[tuple[str, str]]:
    for item in graph.unchecked:
        yield "Could not be checked:", f"{item.what}, because {item.why}."


def _stopped(graph: Graphed) -> Iterator[tuple[str, str]]:
    for place in graph.frontier:
        count = f"{place.count}" if place.exact else f"at least {place.count}"
        yield "Not followed:", f"{count} links of {place.ref} ({place.reason})."
