"""Headings, lists and tables of the demonstration, on a terminal of any width or in a file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

MOST_COLUMNS = 110  # longer lines are hard to read
INDENT = 2
_GOES_ON = " \\"
_DIGEST = re.compile(r"(@sha256:[0-9a-f]{4})[0-9a-f]{60}")
_END = re.compile(r" +(?=(?:\x1b\[0m)?$)", re.MULTILINE)


class Screen:
    """Standard output. A ``heading`` begins an answer, a ``label`` a part of it."""

    def __init__(self) -> None:
        width = min(_console().width, MOST_COLUMNS)
        self._console = _console(width)

    def heading(self, text: str) -> None:
        self._print(Text(f"\n{text}\n{'-' * len(text)}", "bold"))

    def label(self, text: str) -> None:
        self._print(Text(f"\n{text}", "bold"))

    def text(self, text: str, style: str = "", indent: int = INDENT) -> None:
        """A paragraph."""
        self._print(Padding(Text(short(text), style), (0, 0, 0, indent), expand=False))

    def command(self, command: str) -> None:
        """A command as it is typed; one that is longer than a line goes on in the next, and can be copied."""
        lines = textwrap.wrap(
            f"$ {command}",
            self._console.width - len(_GOES_ON),
            initial_indent=" " * INDENT,
            subsequent_indent=" " * (INDENT + 4),
            break_long_words=False,
            break_on_hyphens=False,
        )
        self._print(Text(f"{_GOES_ON}\n".join(lines), "dim"))

    def blank(self) -> None:
        self._console.print()

    def bullets(self, items: Iterable[tuple[str, str]]) -> None:
        """What it is, in bold, and what to know of it."""
        grid = Table.grid(padding=(0, 1, 0, 0))
        for what, about in items:
            grid.add_row("-", Text.assemble((short(what), "bold"), f" {short(about)}".rstrip()))
        self._print(Padding(grid, (0, 0, 0, INDENT), expand=False))

    def pairs(self, rows: Iterable[tuple[str, str]], indent: int = INDENT) -> None:
        """A name, and what it stands for; names in one column."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True, style="bold")
        for name, text in rows:
            grid.add_row(name, Text(short(text)))
        self._print(Padding(grid, (0, 0, 0, indent), expand=False))

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Rows of plain text; the first column, which names something, is not broken while there is room."""
        made = Table(box=None, padding=(0, 2, 0, 0), header_style="underline", pad_edge=False)
        cells = [[short(cell) for cell in row] for row in rows]
        widest = max((len(row[0]) for row in cells), default=0)
        names = min(widest, self._console.width // 2)
        for number, column in enumerate(columns):
            made.add_column(column, overflow="fold", width=names if number == 0 else None)
        for row in cells:
            made.add_row(*[Text(cell) for cell in row])
        self._print(Padding(made, (0, 0, 0, INDENT), expand=False))

    def _print(self, what: RenderableType) -> None:
        """Print it without the blanks that fill its lines."""
        with self._console.capture() as captured:
            self._console.print(what)
        self._console.file.write(_END.sub("", captured.get()))
        self._console.file.flush()


def _console(width: int | None = None) -> Console:
    return Console(highlight=False, emoji=False, markup=False, width=width)


def short(text: str) -> str:
    """Text with each digest cut to what tells it apart here."""
    return _DIGEST.sub(r"\1…", text)


def clock(time: str | None) -> str:
    """The time of day of an instant, to the second: the story is of one day."""
    return time[11:19] if time else "a time not recorded"


def spoken(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
