"""``clew ask``: a question's parameters become options; its answer sentences and a table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
import typer
from typer.main import get_command

from app.faces.cli.options import Db, Json, Text, Url
from app.faces.cli.shortening import NOTE, Shortener
from app.faces.cli.terminal import REFERENCE, console, only_one, print_json, print_lines, print_text, table
from app.service import Asked
from queries import answer as answers
from queries import shelf
from queries.answer import Answer, Graphed
from queries.question import Parameter, Question

ROWS = 40  # of a table on the terminal; --json has all
_METAVARS = {"text": "TEXT", "integer": "N", "flag": None}
_TYPES: dict[str, type] = {"text": str, "integer": int, "flag": bool}


def commands() -> dict[str, Any]:
    """One command a question of the shelf."""
    made = {}
    for question in shelf.questions().values():
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name=question.name, help=question.sentence)(_command(question))
        made[question.name] = get_command(app)
    return made


def _command(question: Question[Any, Any]) -> Callable[..., None]:
    """A function whose signature is the question's parameters, for Typer to read."""

    def command(db: str | None, url: str | None, json: bool, text: bool, **given: Any) -> None:
        named = {name: value for name, value in given.items() if value is not None}
        ask(question, named, db, url, json, text)

    options = [_option(parameter) for parameter in question.parameters()]
    options += [_fixed("db", Db, None), _fixed("url", Url, None), _fixed("json", Json, False)]
    options += [_fixed("text", Text, False)]
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in options}
    return command


def _option(parameter: Parameter) -> inspect.Parameter:
    """Absent means absent: defaults are the question's own to fill in."""
    kind: Any = _TYPES[parameter.kind]
    kind = list[kind] if parameter.repeatable else kind
    more = f" One of {', '.join(parameter.allowed)}." if parameter.allowed else ""
    default = "" if parameter.default in (None, "", ()) else f" [{parameter.default}]"
    flag = "--" + parameter.name.replace("_", "-")
    metavar = None if parameter.kind == "flag" else {"target": "REF", "expand": "REF"}.get(parameter.name)
    option = typer.Option(
        flag,
        help=parameter.description + more + default,
        show_default=False,
        metavar=metavar or _METAVARS[parameter.kind],
    )
    return _fixed(parameter.name, Annotated[kind | None, option], None)


def _fixed(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


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
        print_text([*asked.sentences, *going_on(asked.answer.graph), asked.stamp])
    else:
        show(asked)


def _by_server(question: Question[Any, Any], given: dict[str, Any], url: str) -> Asked:
    from app.faces.cli.remote import Server

    raw = Server(url).get(f"/v1/questions/{question.name}", _as_query(given))
    return Asked(question, msgspec.json.decode(raw, type=Answer[question.graphed]))  # type: ignore[name-defined]


def _by_ledger(question: Question[Any, Any], given: dict[str, Any], db: str | None) -> Asked:
    from app.faces.cli.opening import opened

    with opened(db) as service:
        return service.ask(question.name, given)


def _as_query(given: dict[str, Any]) -> dict[str, Any]:
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()}


def show(asked: Asked) -> None:
    """Sentences, which also name what is missing, what they rest on, and where the walk stopped."""
    screen, graph, told = console(), asked.answer.graph, asked.sentences
    short = Shortener([*told, *(_ref(node) for node in graph.nodes)])
    print_lines(told, short)
    rows = [_row(node, short) for node in graph.nodes[:ROWS]]
    if rows:
        screen.print()
        screen.print(table("", ("depth", "kind", REFERENCE, "marks"), rows))
    if len(graph.nodes) > ROWS:
        screen.print(f"and {len(graph.nodes) - ROWS} more; --json lists all")
    _show_stops(graph, short)
    screen.print()
    print_lines([*going_on(graph), asked.stamp, *([NOTE] if short.cuts else [])])


def going_on(graph: Graphed) -> list[str]:
    """How to ask for the next page."""
    return [f"To go on, ask the same with --cursor={graph.cursor}"] if graph.cursor else []


def _ref(node: Any) -> str:
    return node if isinstance(node, str) else str(node.ref)


def _row(node: Any, short: Shortener) -> tuple[str, str, str, str]:
    if isinstance(node, str):
        return "", "", short(node), ""
    marks = ", ".join(dict.fromkeys(f"{mark.kind} {mark.verdict}".strip() for mark in node.marks))
    kind = node.type.removeprefix("clew:") or ", ".join(node.kinds)
    return str(node.depth), kind, short(node.ref), marks


def _show_stops(graph: Graphed, short: Shortener) -> None:
    stops = [
        (short(one.ref), f"{'' if one.exact else 'at least '}{one.count}", one.reason)
        for one in graph.frontier
    ]
    if stops:
        screen = console()
        screen.print()
        screen.print(table("Where the walk stopped", (REFERENCE, "beyond it", "why"), stops[:ROWS]))
