"""Small pieces of Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

WIDTH = 90  # columns of JSON on a page


def made(module: str) -> str:
    """The note at the head of a page that is made."""
    return f"<!-- Made by `python -m docs.generate` from {module}. Change that, not this. -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table; nothing when it has no rows."""
    cells = [[_cell(cell) for cell in row] for row in rows]
    if not cells:
        return []
    lines = [list(head), ["---"] * len(head), *cells]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def code(text: str, language: str = "") -> list[str]:
    """A fenced block."""
    return [f"```{language}", *text.splitlines(), "```", ""]


def prose(docstring: str | None) -> str:
    """A docstring as Markdown: paragraphs on one line each, code marked as Markdown does."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", (docstring or "").strip())
    paragraphs = re.split(r"\n\s*\n", text.replace("``", "`"))
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def anchor(heading: str) -> str:
    """What GitHub calls a heading in a link."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def compact(value: Any, indent: int = 0) -> str:
    """JSON with each list and object on one line where it fits."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= WIDTH or not isinstance(value, dict | list):
        return flat
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        inner = [f"{pad}{json.dumps(key)}: {compact(each, indent + 1)}" for key, each in value.items()]
        return "{\n" + ",\n".join(inner) + f"\n{' ' * indent}}}"
    return "[\n" + ",\n".join(pad + compact(each, indent + 1) for each in value) + f"\n{' ' * indent}]"


def document(blocks: Iterable[str]) -> str:
    """Lines as a page that ends with one line feed."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(blocks)).rstrip() + "\n"
