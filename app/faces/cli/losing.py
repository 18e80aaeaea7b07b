"""What a format could not hold: told on standard error, or as JSON on whichever output is free."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from app.faces.cli.terminal import notes, print_json
from app.faces.prose import shown
from provmodel.document import Loss


def tell(losses: Sequence[Loss], form: str) -> None:
    """In sentences on standard error."""
    screen = notes()
    for loss in losses:
        screen.print(shown(f"lost in {form}: {loss.what} of {loss.where}: {loss.why}"), soft_wrap=True)


def tell_json(told: Mapping[str, Any], output: Path | None) -> None:
    """A report on standard output; on standard error when the document is on standard output."""
    if output is None:
        sys.stderr.write(msgspec.json.encode(told).decode() + "\n")
    else:
        print_json(told)
