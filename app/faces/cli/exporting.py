"""``clew export``: the graph, a run or an answer, to standard output or a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from app import exporting
from app.faces.cli import declared, losing
from app.faces.cli.opening import opened
from app.faces.cli.options import Db, Json, Url
from app.faces.cli.remote import Server, as_query
from app.faces.cli.terminal import progress
from provmodel import formats
from provmodel.document import Loss
from provmodel.errors import BadQuestion

DEFAULT = "prov-json"
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="A file; else standard output.")
]


def command() -> Any:
    """``clew export`` with its options."""
    own = (
        declared.fixed("output", Output),
        declared.fixed("db", Db),
        declared.fixed("url", Url),
        declared.fixed("json", Json, False),
    )
    return declared.command("export", "", exporting.parameters(), own, export)


def export(given: dict[str, Any], output: Path | None, db: str | None, url: str | None, json: bool) -> None:
    """Write it, and tell what the format can't hold; raises ClewError before the first byte when it can't be
    asked for like that.
    """
    form, asked = exporting.read(given)
    if form.replay:
        _replay(form.replay, output, db, url)
        return
    wanted = form.format or _form_of(output)
    losses: list[Loss] = []
    if url:
        there = {**as_query(given), "format": wanted}
        _write(Server(url).stream("/v1/export", there, lambda heard: losses.extend(_lost(heard))), output)
    else:
        with opened(db) as service:
            made = service.export(
                wanted, form.assertions, form.run or None, form.question or None, asked, form.document or None
            )
            _write(made.chunks, output)
            losses = made.losses
    if json:
        told = {"to": wanted, "output": str(output) if output else None, "losses": losses}
        losing.tell_json(told, output)
    else:
        losing.tell(losses, wanted)


def _replay(run: str, output: Path | None, db: str | None, url: str | None) -> None:
    """Write what a re-run of a run needs, as a ZIP file."""
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
