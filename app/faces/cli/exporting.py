"""``clew export``: the graph, a run or an answer, to standard output or a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from app.faces.cli.opening import opened
from app.faces.cli.remote import Server
from app.faces.cli.terminal import progress
from provmodel.errors import BadQuestion


def export(
    form: str,
    run: str | None,
    question: str | None,
    target: list[str],
    assertions: str,
    output: Path | None,
    db: str | None,
    url: str | None,
) -> None:
    """Write it; raises ClewError before the first byte when it can't be asked for like that."""
    if target and not question:
        raise BadQuestion("target", "a target belongs to a question", "name the question with --question")
    if url:
        given = {"format": form, "assertions": assertions, "run": run, "question": question, "target": target}
        _write(Server(url).stream("/v1/export", given), output)
        return
    with opened(db) as service:
        _, chunks = service.export(form, assertions, run, question, {"target": target} if question else None)
        _write(chunks, output)


def _write(chunks: Iterator[bytes], output: Path | None) -> None:
    if output is None:
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
        return
    first = next(chunks, b"")  # a question that can't be asked leaves the file as it was
    with output.open("wb") as file, progress() as bar:
        task = bar.add_task("writing", total=None)
        file.write(first)
        for chunk in chunks:
            file.write(chunk)
            bar.advance(task, len(chunk))
