"""What goes to the terminal: results to standard output, progress and notes to standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text


def console() -> Console:
    """Standard output; plain when it is no terminal, or NO_COLOR is set."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty(), emoji=False, markup=False)


def notes() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False, emoji=False, markup=False)


def progress() -> Progress:
    """A bar on standard error, gone when it is done; nothing at all when that is no terminal."""
    shown = notes()
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=shown,
        transient=True,
        disable=not shown.is_terminal,
    )


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table of plain text; references are folded, never cut."""
    made = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")
    for row in rows:
        made.add_row(*[Text(shown(cell)) for cell in row])
    return made


def shown(text: str) -> str:
    """Text of others, with what would steer a terminal made visible."""
    return "".join(c if c.isprintable() or c == " " else f"\\u{ord(c):04x}" for c in text)


def print_json(value: Any) -> None:
    """One line of JSON on standard output."""
    raw = value if isinstance(value, bytes) else msgspec.json.encode(value)
    sys.stdout.buffer.write(raw + b"\n")
    sys.stdout.buffer.flush()
