"""The reference pages, made from the program: ``python -m docs.generate`` writes them.

Each module makes one page; a test fails when a page that is committed differs from what is made.
"""

from __future__ import annotations

from pathlib import Path

from docs.generate import addresses, commands, events, limits, questions

REFERENCE = Path(__file__).parents[1] / "reference"


def pages() -> dict[str, str]:
    """The text of every page in ``docs/reference``, by file name."""
    return {
        "events.md": events.page(),
        "questions.md": questions.page(),
        "command-line.md": commands.page(),
        "rest.md": addresses.page(),
        "limits.md": limits.page(),
    }
