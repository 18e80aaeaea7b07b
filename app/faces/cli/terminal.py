"""What goes to the terminal: results to standard output, progress and notes to standard error."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
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
UNBOUNDED = 10_000  # columns where nobody reads in columns
NARROW = 8  # columns below which no column is pressed
_TIME = re.compile(r"^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$")
_PIECES = re.compile(r"[^/;:@.,=-]+[/;:@.,=-]*|[/;:@.,=-]+")


def console() -> Console:
    """Standard output; plain when it is no terminal, or NO_COLOR is set. Where nothing tells how wide it is,
    as in a pipe, nothing is folded.
    """
    width = shutil.get_terminal_size((UNBOUNDED, 24)).columns
    soft = not sys.stdout.isatty()
    return Console(highlight=False, soft_wrap=soft, emoji=False, markup=False, width=width)


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


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> RenderableType:
    """A table of plain text. Cells go on in the next line between words; a word, such as a reference, that no
    line has room for goes on after one of its marks. Nothing is cut, but what times have below a second.
    """
    cells = [[shown(_timed(cell)) for cell in row] for row in rows]
    widths = _widths([columns, *cells], console().width)
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column, width in zip(columns, widths, strict=True):
        made.add_column(column, overflow="fold", width=width)
    for row in cells:
        made.add_row(*[Text(_broken(cell, width)) for cell, width in zip(row, widths, strict=True)])
    return (
        Group(Text(title, "italic"), made) if title else made
    )  # its own title would be as narrow as a table


def _timed(cell: str) -> str:
    """The text, with times that stand alone as they are read: to the second, and in two words."""
    return " ".join(_TIME.sub(r"\1 \2Z", word) for word in cell.split(" "))


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """How wide each column is: as its longest text, where there is no room for all as its longest word, and
    where not even that fits, the widest ones less.
    """
    columns = list(zip(*rows, strict=True))
    whole = [max(cell_len(cell) for cell in column) for column in columns]
    room -= 2 * (len(columns) - 1)  # the blanks between them
    if sum(whole) <= room:
        return whole
    widths = [max(cell_len(word) for cell in column for word in (*cell.split(), "")) for column in columns]
    while sum(widths) > room and max(widths) > NARROW:
        widths[widths.index(max(widths))] -= 1
    for number, wanted in enumerate(whole):
        widths[number] += max(0, min(wanted - widths[number], room - sum(widths)))
    return [max(1, width) for width in widths]


def _broken(cell: str, width: int) -> str:
    """The text, with the words that are too long for a line broken after a mark."""
    return " ".join(_split(word, width) if len(word) > width else word for word in cell.split(" "))


def _split(word: str, width: int) -> str:
    lines = [""]
    for piece in _PIECES.findall(word):
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


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
