"""``clew export``: the graph, a run or an answer, to standard output or a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from app.faces.cli import losing
from app.faces.cli.opening import opened
from app.faces.cli.remote import Server
from app.faces.cli.terminal import progress
from provmodel import formats
from provmodel.document import Loss
from provmodel.errors import BadQuestion

DEFAULT = "prov-json"


class Wanted(NamedTuple):
    """What of the graph is exported."""

    run: str | None
    question: str | None
    target: list[str]
    document: str | None
    assertions: str


def export(
    form: str | None,
    what: Wanted,
    output: Path | None,
    db: str | None,
    url: str | None,
    json: bool,
) -> None:
    """Write it, and tell what the format can't hold; raises ClewError before the first byte when it can't be
    asked for like that.
    """
    if what.target and not what.question:
        raise BadQuestion("target", "a target belongs to a question", "name the question with --question")
    wanted = form or _form_of(output)
    losses: list[Loss] = []
    if url:
        given = {"format": wanted, **what._asdict()}
        _write(Server(url).stream("/v1/export", given, lambda heard: losses.extend(_lost(heard))), output)
    else:
        with opened(db) as service:
            about = {"target": what.target} if what.question else None
            made = service.export(wanted, what.assertions, what.run, what.question, about, what.document)
            _write(made.chunks, output)
            losses = made.losses
    if json:
        told = {"to": wanted, "output": str(output) if output else None, "losses": losses}
        losing.tell_json(told, output)
    else:
        losing.tell(losses, wanted)


def replay(run: str, others: list[str | None], output: Path | None, db: str | None, url: str | None) -> None:
    """Write what a re-run of a run needs, as a ZIP file."""
    if any(others):
        raise BadQuestion("replay", "what a re-run needs is written whole", "leave out what else is named")
    if output is None and sys.stdout.isatty():
        raise BadQuestion("output", "a ZIP file is no text for a terminal", "name a file with -o")
    if url:
        _write(Server(url).stream("/v1/export", {"replay": run}), output)
        return
    with opened(db) as service:
        _write(service.replay(run), output)


def _form_of(output: Path | None) -> str:
    found = formats.by_ending(output.name) if output else None
    return found.name if found else DEFAULT


def _lost(headers: Mapping[str, str]) -> list[Loss]:
    """What the server says was lost: as much of it as its header holds."""
    told = headers.get("X-Clew-Lost")
    return msgspec.json.decode(told, type=list[Loss]) if told else []


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
