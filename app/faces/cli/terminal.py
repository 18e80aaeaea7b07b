"""What goes to the terminal: results to standard output, progress and notes to standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
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

from app.faces.prose import WIDTH, paragraphs, shown
from provmodel.errors import BadQuestion

REFERENCE = "reference"  # the column that names what a row is about
MOST_COLUMNS = 110  # longer lines are hard to read


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


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A table of plain text; references are folded, never cut, and only when there is no room for them."""
    room = console().width // 2
    made = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        least = None
        if column == REFERENCE:
            least = min(room, max((len(row[number]) for row in rows), default=0))
        made.add_column(column, overflow="fold", min_width=least)
    for row in rows:
        made.add_row(*[Text(shown(cell)) for cell in row])
    return made


def print_lines(sentences: Iterable[str], short: Callable[[str], str] = str) -> None:
    """Sentences on standard output: shortened and wrapped on a terminal, else whole and a line each, for
    programs that read lines.
    """
    if sys.stdout.isatty():
        print_text(short(sentence) for sentence in sentences)
    else:
        for sentence in sentences:
            console().print(shown(sentence))


def print_text(sentences: Iterable[str]) -> None:
    """Sentences on standard output, wrapped as wide as the terminal is, or else as one usually is."""
    width = min(console().width, MOST_COLUMNS) if sys.stdout.isatty() else WIDTH
    sys.stdout.write(paragraphs(sentences, width))
    sys.stdout.flush()


def only_one(json: bool, text: bool) -> None:
    """Raise BadQuestion when both forms are asked for."""
    if json and text:
        raise BadQuestion("--text", "given with --json", "give one of them")


def print_json(value: Any) -> None:
    """One line of JSON on standard output."""
    raw = value if isinstance(value, bytes) else msgspec.json.encode(value)
    sys.stdout.buffer.write(raw + b"\n")
    sys.stdout.buffer.flush()
