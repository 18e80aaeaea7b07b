"""``clew ask``: a question's parameters become options; its answer sentences, a table and the gaps."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
import typer
from typer.main import get_command

from app.faces.cli.options import Db, Json, Url
from app.faces.cli.terminal import console, print_json, table
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

    def command(db: str | None, url: str | None, json: bool, **given: Any) -> None:
        ask(question, {name: value for name, value in given.items() if value is not None}, db, url, json)

    options = [_option(parameter) for parameter in question.parameters()]
    options += [_fixed("db", Db, None), _fixed("url", Url, None), _fixed("json", Json, False)]
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
    question: Question[Any, Any], given: dict[str, Any], db: str | None, url: str | None, json: bool
) -> None:
    """Ask here or a server, and show the answer."""
    if url:
        from app.faces.cli.remote import Server

        raw = Server(url).get(f"/v1/questions/{question.name}", _as_query(given))
        answer = msgspec.json.decode(raw, type=Answer[question.graphed])  # type: ignore[name-defined]
    else:
        from app.faces.cli.opening import opened

        with opened(db) as service:
            answer = service.ask(question.name, given).answer
        raw = answers.encode(answer)
    if json:
        print_json(raw)
    else:
        show(question, answer)


def _as_query(given: dict[str, Any]) -> dict[str, Any]:
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()}


def show(question: Question[Any, Any], answer: Answer[Any]) -> None:
    """Sentences, what they rest on, and what is missing."""
    screen = console()
    graph = answer.graph
    for sentence in question.sentences(answer):
        screen.print(sentence)
    rows = [_row(node) for node in graph.nodes[:ROWS]]
    if rows:
        screen.print()
        screen.print(table("", ("depth", "kind", "reference", "marks"), rows))
    if len(graph.nodes) > ROWS:
        screen.print(f"and {len(graph.nodes) - ROWS} more; --json lists all")
    _show_missing(graph)


def _row(node: Any) -> tuple[str, str, str, str]:
    if isinstance(node, str):
        return "", "", node, ""
    marks = ", ".join(f"{mark.kind} {mark.verdict}".strip() for mark in node.marks)
    return str(node.depth), node.type.removeprefix("clew:") or ", ".join(node.kinds), node.ref, marks


def _show_missing(graph: Graphed) -> None:
    screen = console()
    screen.print()
    missing = [(gap.kind, str(gap.count), gap.example) for gap in graph.gaps]
    missing += [("unchecked", "", f"{one.what}: {one.why}") for one in graph.unchecked]
    missing += [
        ("not followed", f"{'' if one.exact else 'at least '}{one.count}", f"{one.ref} ({one.reason})")
        for one in graph.frontier
    ]
    if missing:
        screen.print(table("What is missing", ("gap", "count", "example"), missing[:ROWS]))
    else:
        screen.print("Nothing is known to be missing.")
    policy = graph.policy.name
    evidence = ", ".join(graph.evidence.set)
    screen.print(f"As of log entry {graph.as_of}; policy {policy}; evidence {evidence}.")
