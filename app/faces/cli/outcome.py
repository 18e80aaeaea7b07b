"""How a command ends: what its error says, and its exit code."""

from __future__ import annotations

import sys

import typer

from provmodel.errors import ClewError

FINE, GATE, DEFECT, USAGE = 0, 1, 2, 3
INTERRUPTED = 130  # 128 + SIGINT


def run(app: typer.Typer, arguments: list[str] | None = None) -> int:
    """Run a command line; its exit code. Errors of Clew and of usage are told in one line."""
    try:
        code = app(args=arguments, prog_name="clew", standalone_mode=False)
    except typer.TyperException as error:
        return _usage(error)
    except ClewError as error:
        return tell(str(error))
    except typer.Abort:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # whoever read has enough; Python would complain of the same again
        return 0
    return code if isinstance(code, int) else 0


def tell(text: str) -> int:
    """Say why there is nothing to show."""
    typer.echo(f"clew: {text}", err=True)
    return USAGE


def _usage(error: typer.TyperException) -> int:
    text = error.format_message()
    context = getattr(error, "ctx", None)
    if text.startswith("Usage: "):  # asked for nothing at all, the command says what it can do
        typer.echo(text, err=True)
        return USAGE
    path = context.command_path if context else "clew"
    return tell(f"{text} See {path} --help.")
