"""Commands whose options are parameters declared for all faces alike: those of a question, or of a form."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer
from typer.main import get_command

from app.faces.cli.command import Command
from queries.question import Parameter

_TYPES: dict[str, type] = {"text": str, "integer": int, "flag": bool}
_SHORT = {"format": ("-f",)}
_METAVARS = {
    "format": "FORMAT",
    "question": "NAME",
    "document": "NAME",
    "evidence": "WORD",
    "kind": "KIND",
    "policy": "NAME|JSON",
    "target": "REF",
    "expand": "REF",
    "run": "REF",
    "replay": "REF",
    "agent": "REF",
    "as_of": "SEQ|TIME",
    "since": "TIME",
    "until": "TIME",
    "deadline": "MS",
}


def command(
    name: str,
    does: str,
    parameters: Iterable[Parameter],
    own: Iterable[inspect.Parameter],
    run: Callable[..., None],
) -> Any:
    """A command that calls ``run`` with the declared parameters that were given, as one mapping, and with its
    ``own`` options by name. What was left out is not given: defaults are for the form to fill in.
    """
    declared = {one.name: _option(one) for one in parameters}
    options = [*declared.values(), *own]

    def call(**given: Any) -> None:
        asked = {name: given.pop(name) for name in declared}
        run({name: value for name, value in asked.items() if value is not None}, **given)

    call.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    call.__annotations__ = {option.name: option.annotation for option in options}
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=Command, help=does)(call)
    return get_command(app)


def fixed(name: str, annotation: Any, default: Any = None) -> inspect.Parameter:
    """An option that a command has of its own."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _option(parameter: Parameter) -> inspect.Parameter:
    kind: Any = _TYPES[parameter.kind]
    flags = ["--" + parameter.name.replace("_", "-"), *_SHORT.get(parameter.name, ())]
    option = typer.Option(
        *flags,
        help=_help(parameter),
        show_default=False,
        metavar=_metavar(parameter),
    )
    return fixed(parameter.name, Annotated[(list[kind] if parameter.repeatable else kind) | None, option])


def _metavar(parameter: Parameter) -> str | None:
    if parameter.kind == "flag":
        return None
    return _METAVARS.get(parameter.name, "N" if parameter.kind == "integer" else "TEXT")


def _help(parameter: Parameter) -> str:
    allowed = [word for word in parameter.allowed if word]
    more = f" One of {', '.join(allowed)}." if allowed else ""
    repeatable = " Repeatable." if parameter.repeatable else ""
    default = "" if parameter.default in (None, "", (), False) else f" [{parameter.default}]"
    return parameter.description + more + repeatable + default
