"""``reference/command-line.md``: every command with its options, exit codes, and the environment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from app.faces.cli import app
from app.faces.cli.command import meaning, typed
from app.faces.cli.lazy import Declared
from docs.generate.markdown import document, made, prose, table
from docs.generate.meanings import EXIT_CODES, VARIABLES

PROGRAM = "clew"


def page() -> str:
    """The page."""
    return document(_lines())


def _lines() -> Iterator[str]:
    yield made("app/faces/cli")
    yield from ("", "# Command line", "")
    root: Any = get_command(app)
    commands = list(_commands(PROGRAM, root))
    yield from table(
        ("command", "does"),
        [(f"[`{path}`](#{path.replace(' ', '-')})", _does(command)) for path, command in commands],
    )
    yield from ("The questions of `clew ask` and their parameters are in [Questions](questions.md).", "")
    yield from ("## Exit codes", "")
    yield from table(("code", "means"), [(str(number), text) for number, text in EXIT_CODES.items()])
    yield from ("## Environment", "")
    yield from table(("variable", "means"), [(f"`{name}`", text) for name, text in VARIABLES.items()])
    for path, command in commands:
        yield from _command(path, command)


def _commands(path: str, group: Any) -> Iterator[tuple[str, Any]]:
    """The commands under a group by their path; those of ``ask`` stand in the page of questions."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        below = f"{path} {name}"
        if hasattr(command, "list_commands") and name != "ask":
            yield from _commands(below, command)
        else:
            yield below, command


def _does(command: Any) -> str:
    return prose(command.help)


def _command(path: str, command: Any) -> Iterator[str]:
    yield from (f"## {path}", "", _does(command), "")
    if hasattr(command, "list_commands"):
        yield from ("`clew ask <question> --help` names the options of each question.", "")
        return
    made = command.made() if isinstance(command, Declared) else command
    options = [parameter for parameter in made.params if not getattr(parameter, "hidden", False)]
    yield from table(("argument or option", "meaning"), [_parameter(each) for each in options])


def _parameter(parameter: Any) -> tuple[str, str]:
    return f"`{typed(parameter)}`", meaning(parameter)
