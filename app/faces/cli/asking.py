"""``clew ask`` and ``clew lineage``: parameters become options; an answer becomes sentences and a table."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from app.faces.addresses import address_of
from app.faces.cli import declared
from app.faces.cli.options import Db, Json, Text, Url
from app.faces.cli.shortening import NOTE, Shortener
from app.faces.cli.terminal import REFERENCE, console, only_one, print_json, print_lines, print_text, table
from app.service import Asked
from queries import answer as answers
from queries import shelf
from queries.answer import Answer, Graphed, Node
from queries.question import Question, Table

CURSOR = "--cursor"
ROWS = 40  # of a table on the terminal; --json has all


def command(name: str) -> Any:
    """The command of a question, or of plain lineage; its options are the parameters."""
    question = shelf.question(name)
    own = [declared.fixed("db", Db), declared.fixed("url", Url)]
    own += [declared.fixed("json", Json, False), declared.fixed("text", Text, False)]
    run = partial(ask, question)
    return declared.command(question.name, question.sentence, question.parameters(), own, run)


def ask(
    question: Question[Any, Any],
    given: dict[str, Any],
    db: str | None,
    url: str | None,
    json: bool,
    text: bool,
) -> None:
    """Ask here or a server, and show the answer."""
    only_one(json, text)
    asked = _by_server(question, given, url) if url else _by_ledger(question, given, db)
    if json:
        print_json(answers.encode(asked.answer))
    elif text:
        print_text(asked.told(CURSOR))
    else:
        show(asked)


def _by_server(question: Question[Any, Any], given: dict[str, Any], url: str) -> Asked:
    from app.faces.cli.remote import Server, as_query

    raw = Server(url).get(address_of(question), as_query(given))
    return Asked(question, msgspec.json.decode(raw, type=Answer[question.graphed]))  # type: ignore[name-defined]


def _by_ledger(question: Question[Any, Any], given: dict[str, Any], db: str | None) -> Asked:
    from app.faces.cli.opening import opened

    with opened(db) as service:
        return service.ask(question.name, given)


def show(asked: Asked) -> None:
    """Sentences, which also name what is missing, what they rest on, and where the walk stopped."""
    screen, graph, told = console(), asked.answer.graph, asked.sentences
    columns, rows = asked.question.table(asked.answer) or _nodes(graph)
    short = Shortener([*told, *(cell for row in rows for cell in row)])
    print_lines(told, short)
    if rows:
        screen.print()
        screen.print(table("", columns, [tuple(map(short, row)) for row in rows[:ROWS]]))
    if len(rows) > ROWS:
        screen.print(f"and {len(rows) - ROWS} more; --json lists all")
    _show_stops(graph, short)
    screen.print()
    print_lines([*asked.going_on(CURSOR), asked.stamp, *([NOTE] if short.cuts else [])])


def _nodes(graph: Graphed) -> Table:
    """The nodes of an answer."""
    return Table(("depth", "kind", REFERENCE, "marks"), [_row(node) for node in graph.nodes])


def _row(node: Node | str) -> tuple[str, ...]:
    if isinstance(node, str):
        return "", "", node, ""
    marks = ", ".join(dict.fromkeys(f"{mark.kind} {mark.verdict}".strip() for mark in node.marks))
    kind = node.type.removeprefix("clew:") or ", ".join(node.kinds)
    return str(node.depth), kind, node.ref, marks


def _show_stops(graph: Graphed, short: Shortener) -> None:
    stops = [
        (short(one.ref), f"{'' if one.exact else 'at least '}{one.count}", one.reason)
        for one in graph.frontier
    ]
    if stops:
        screen = console()
        screen.print()
        screen.print(table("Where the walk stopped", (REFERENCE, "beyond it", "why"), stops[:ROWS]))
