"""What came from the tariff that was taken back."""

from __future__ import annotations

from app.demo import missing
from app.demo.layout import Screen
from queries.answer import Answer, Mark, Node
from queries.questions.impact_of import Affected, Impact

TITLE = "3. What came from the tariff that was taken back?"
DRAFT = "draft:summary"
_LINKS = {
    "transformed": "made from it",
    "sent": "sent",
    "cited": "cited",
    "adopted": "adopted",
    "read": "read by a tool",
}


def show(screen: Screen, answer: Answer[Impact]) -> None:
    """Print the answer."""
    graph = answer.graph
    target = graph.targets[0]
    screen.label("What the record shows")
    for mark in _marks(graph, target.ref):
        if mark.kind == "retracted":
            screen.text(f"{target.ref} was retracted by {mark.by} on {mark.time[:10]}: {mark.reason}")
    screen.text(_sum(graph))
    screen.blank()
    screen.table(
        ("what came of it", "how", "known", "still there"),
        [(one.ref, _how(one), one.evidence, _there(graph, one.ref)) for one in graph.affected],
    )
    if DRAFT not in {one.ref for one in graph.affected}:
        screen.blank()
        screen.text(f"Not among them: {DRAFT}. Its run was never sent the tariff.")
    missing.show(screen, graph)


def _sum(graph: Impact) -> str:
    count, there = len(graph.affected), len(graph.survivors)
    return (
        f"{count} things came of it; {there} of them were written and are still the newest version. Sent: "
        "the call that made it had the tariff before it. Cited: that call's text names it as a source."
    )


def _how(one: Affected) -> str:
    ordered = [
        *(link for link in _LINKS if link in one.links),
        *(link for link in one.links if link not in _LINKS),
    ]
    return ", ".join(_LINKS.get(link, link.replace("_", " ")) for link in ordered)


def _there(graph: Impact, ref: str) -> str:
    if ref in graph.survivors:
        return "yes, newest"
    if ref in graph.superseded:
        return "replaced by a newer one"
    return "deleted" if ref in graph.deleted else ""


def _marks(graph: Impact, ref: str) -> tuple[Mark, ...]:
    return next((node.marks for node in graph.nodes if isinstance(node, Node) and node.ref == ref), ())
