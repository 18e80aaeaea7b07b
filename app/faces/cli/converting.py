"""``clew convert`` and ``clew diff``: a document in another format, and how two documents differ."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.faces.cli import losing
from app.faces.cli.outcome import FINE, GATE
from app.faces.cli.terminal import console, notes, print_json
from app.faces.prose import shown
from provmodel import formats
from provmodel.comparing import difference
from provmodel.document import Document, Loss, Remark
from provmodel.errors import BadQuestion, Unreadable

TOLD = 100  # differences on the terminal, of each document; --json has all


def convert(
    file: str, to: str | None, form: str | None, output: Path | None, lossless: bool, json: bool
) -> int:
    """Write the document in a file in another format; the exit code: 1 when that lost something and nothing
    may be lost.

    Raises ClewError before the first byte. The report goes to standard error when the document goes to
    standard output.
    """
    target = _target(to, output)
    document = _read(file, form)
    chunks, losses = formats.write_document(document, target)
    if lossless:
        chunks = iter(list(chunks))
    if not (lossless and losses):
        _write(chunks, output)
    _report(file, target, output, document.remarks, losses, json)
    return GATE if lossless and losses else FINE


def diff(first: str, second: str, form: str | None, json: bool) -> int:
    """Print what only one of two documents says; the exit code: 0 when they say the same, 1 when not."""
    one, other = _read(first, form), _read(second, form)
    found = difference(one, other)
    if json:
        told = {
            "files": [first, second],
            "same": not found,
            "only_first": _plain(found.only_first),
            "only_second": _plain(found.only_second),
        }
        print_json(told)
        return GATE if found else FINE
    short = _Short(one, other)
    for mark, said in (("-", found.only_first), ("+", found.only_second)):
        _show(mark, said, short)
    return GATE if found else FINE


def _plain(said: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [{"bundle": bundle, "says": sentence} for bundle, sentence in said]


def _target(to: str | None, output: Path | None) -> str:
    """The format to write: the one that is named, or that of the file to write."""
    if to:
        return to
    found = formats.by_ending(output.name) if output else None
    if found is None:
        offered = ", ".join(formats.writable())
        raise BadQuestion("--to", "it isn't said which format to write", f"use one of {offered}")
    return found.name


def _read(file: str, form: str | None) -> Document:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise Unreadable(file, error.strerror or str(error), "name another") from None
    try:
        return formats.read(data, form, file)
    except Unreadable as error:
        raise Unreadable(shown(f"{file}: {error.where}"), shown(error.reason), shown(error.remedy)) from None


def _write(chunks: Iterator[bytes], output: Path | None) -> None:
    if output is None:
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
        return
    first = next(chunks, b"")  # what can't be written leaves the file as it was
    with output.open("wb") as file:
        file.write(first)
        for chunk in chunks:
            file.write(chunk)


def _report(
    file: str, target: str, output: Path | None, remarks: tuple[Remark, ...], losses: list[Loss], json: bool
) -> None:
    """What the reader noticed and the writer lost: as JSON, or in sentences on standard error."""
    if json:
        told: dict[str, Any] = {
            "file": file,
            "to": target,
            "output": str(output) if output else None,
            "remarks": remarks,
            "losses": losses,
        }
        losing.tell_json(told, output)
        return
    screen = notes()
    for remark in remarks:
        place = f"{remark.where}: " if remark.where else ""
        screen.print(shown(f"{file}: {place}{remark.what}"), soft_wrap=True)
    losing.tell(losses, target)


class _Short:
    """Writes IRIs by the prefixes that the two documents have."""

    def __init__(self, *documents: Document) -> None:
        known = {"prov": "http://www.w3.org/ns/prov#", "xsd": "http://www.w3.org/2001/XMLSchema#"}
        for document in documents:
            for part in document.parts:
                known = {**part.prefixes, **known}
        self._spaces = sorted(known.items(), key=lambda one: -len(one[1]))

    def __call__(self, sentence: str) -> str:
        return re.sub(r"<([^<>]*)>", self._name, sentence)

    def _name(self, found: re.Match[str]) -> str:
        for prefix, space in self._spaces:
            if found[1].startswith(space):
                return f"{prefix}:{found[1][len(space) :]}"
        return found[0]


def _show(mark: str, said: tuple[tuple[str, str], ...], short: _Short) -> None:
    screen = console()
    for bundle, sentence in said[:TOLD]:
        place = f"in {short(f'<{bundle}>')}: " if bundle else ""
        screen.print(shown(f"{mark} {place}{short(sentence)}"), soft_wrap=True)
    if len(said) > TOLD:
        screen.print(f"{mark} and {len(said) - TOLD} more; --json lists all")
