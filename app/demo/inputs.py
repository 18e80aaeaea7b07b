"""Which inputs the report really had."""

from __future__ import annotations

from app.demo import missing
from app.demo.layout import Screen, spoken
from queries.answer import Answer, Mark, Node
from queries.questions.inputs_of import Input, Inputs
from queries.ties import Tie

TITLE = "1. Which inputs did the report really have?"
DRAFT = "draft:summary"
_ORDER: tuple[Tie, ...] = ("transformed", "sent", "cited", "adopted", "read")
_TIES: dict[Tie, str] = {
    "transformed": "made into the report",
    "cited": "cited",
    "sent": "sent to the model",
    "adopted": "adopted",
    "read": "read by a tool",
    "restricted": "hidden",
}
_MARKS = {
    "retracted": "retracted since",
    "deleted": "content deleted since",
    "never_captured": "content not captured",
    "placeholder": "only named",
    "unpinned": "no version",
}


def show(screen: Screen, answer: Answer[Inputs]) -> None:
    """Print the answer."""
    graph = answer.graph
    screen.label("What the record shows")
    target = graph.targets[0].ref
    screen.text(f"{graph.inputs} things went into {target}. Sent to a model is not the same as used by it.")
    screen.blank()
    marks = {node.ref: node.marks for node in graph.nodes if isinstance(node, Node)}
    held = {body.ref for body in answer.availability.bodies if body.hold}
    screen.table(
        ("input", "how it went in, and how that is known"),
        [(ref, f"{_how(graph, ref)}{_note(marks.get(ref, ()), ref in held)}") for ref in _inputs(graph)],
    )
    if DRAFT not in marks:
        screen.blank()
        screen.text(f"Not among them: {DRAFT}, by the sub-agent. It was made, and not adopted.")
    missing.show(screen, graph)


def _inputs(graph: Inputs) -> list[str]:
    """Each input once, in the order of the ties."""
    return list(dict.fromkeys(entry.ref for tie in _ORDER for entry in _tied(graph, tie)))


def _tied(graph: Inputs, tie: Tie) -> tuple[Input, ...]:
    entries: tuple[Input, ...] = getattr(graph.links, tie)
    return entries


def _how(graph: Inputs, ref: str) -> str:
    tied = [(tie, entry) for tie in _ORDER for entry in _tied(graph, tie) if entry.ref == ref]
    words = [f"{_TIES[tie]} ({entry.evidence})" for tie, entry in tied]
    if any(each.ref == ref for each in graph.cited_not_sent):
        words.append("never sent to the model")
    elif ref in graph.sent_not_cited:
        words.append("not cited")
    return ", ".join(words)


def _note(marks: tuple[Mark, ...], held: bool) -> str:
    told = list(dict.fromkeys(_MARKS[mark.kind] + _why(mark) for mark in marks if mark.kind in _MARKS))
    told += ["kept by a legal hold"] if held else []
    return f"; {spoken(told)}" if told else ""


def _why(mark: Mark) -> str:
    """Why content was deleted, in one word."""
    return f" ({mark.reason.replace('_', ' ')})" if mark.kind == "deleted" and mark.reason else ""
