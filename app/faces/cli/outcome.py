"""How a command ends: what its error says, and its exit code."""

from __future__ import annotations

import os
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
    except OSError as error:
        _drop_what_waits()
        return tell(f"{error.filename or 'writing'}: {error.strerror or error}; give another place, or room")
    return code if isinstance(code, int) else 0


def _drop_what_waits() -> None:
    """Let what standard output could not take go: Python would try again at the end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
