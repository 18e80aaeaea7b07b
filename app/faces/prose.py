"""Answers as plain text: sentences without markup, wrapped for a terminal, references whole."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

WIDTH = 80  # columns, where nobody says how many there are


def shown(text: str) -> str:
    """Text of others, with what would steer a terminal made visible."""
    return "".join(c if c.isprintable() or c == " " else f"\\u{ord(c):04x}" for c in text)


def paragraphs(sentences: Iterable[str], width: int = WIDTH, *, flowed: bool = False) -> str:
    """Each sentence on lines of its own. A reference is never broken, so that it can be copied.

    Where ``flowed``, a line that the next one goes on from ends with a blank (RFC 3676).
    """
    wrapped = [
        textwrap.wrap(shown(sentence), width, break_long_words=False, break_on_hyphens=False)
        for sentence in sentences
    ]
    return "".join((" \n" if flowed else "\n").join(lines) + "\n" for lines in wrapped)


def wants_text(accept: str) -> bool:
    """Whether an ``Accept`` header asks for plain text rather than JSON (RFC 9110, section 12.5.1)."""
    weights = dict(_weighed(part) for part in accept.lower().split(","))
    every = weights.get("*/*", 0.0)
    text = weights.get("text/plain", weights.get("text/*", 0.0))
    json = weights.get("application/json", weights.get("application/*", every))
    return text > json


def _weighed(part: str) -> tuple[str, float]:
    kind, *parameters = (piece.strip() for piece in part.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return kind, float(value)
            except ValueError:
                return kind, 0.0
    return kind, 1.0
