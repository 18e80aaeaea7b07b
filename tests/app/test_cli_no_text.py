"""What a terminal gives that is no text: refused where a text is wanted, taken where a file is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.app.commands import OUTPUT, Clew

NO_TEXT = os.fsdecode(b"a\xff\xfe")
"""What a terminal that is not set to UTF-8 may give."""


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "inputs-of", "--target", NO_TEXT],
        ["ask", "inputs-of", "--target", NO_TEXT, "--url", "http://127.0.0.1:9"],
        ["lineage", "--target", OUTPUT, "--stop-at", NO_TEXT],
        ["search", NO_TEXT],
        ["access", "--principal", NO_TEXT],
        ["case", "note", "1", NO_TEXT],
        ["key", "create", "--name", NO_TEXT, "--scope", "ingest"],
        ["restriction", "set", NO_TEXT],
        ["db", "backup", "copy.db", "--until", NO_TEXT],
    ],
    ids=lambda given: " ".join(given[:2]),
)
def test_what_is_no_text_is_refused_by_name(recorded: Clew, tmp_path: Path, arguments: list[str]) -> None:
    done = recorded(*arguments)
    assert (done.code, done.out) == (3, "")
    assert "holds what is no character; give it in UTF-8" in done.err
    assert not (tmp_path / "copy.db").exists()


def test_a_file_may_be_called_what_is_no_text(recorded: Clew, tmp_path: Path) -> None:
    assert recorded("db", "backup", f"{NO_TEXT}.db").code == 0
    assert recorded("export", "-o", f"{NO_TEXT}.provn").code == 0
    assert recorded("validate", f"{NO_TEXT}.provn").code == 0
    assert (tmp_path / f"{NO_TEXT}.db").exists()
