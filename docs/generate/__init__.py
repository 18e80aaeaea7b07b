"""The reference pages, made from the program: ``python -m docs.generate`` writes them.

Each module makes one page; a test fails when a page that is committed differs from what is made.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from docs.generate import addresses, commands, events, limits, questions

REFERENCE = Path(__file__).parents[1] / "reference"


PAGES: dict[str, Callable[[], str]] = {
    "events.md": events.page,
    "questions.md": questions.page,
    "command-line.md": commands.page,
    "rest.md": addresses.page,
    "limits.md": limits.page,
}
"""What makes the text of each page in ``docs/reference``, by file name."""
