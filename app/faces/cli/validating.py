"""``clew validate``: whether PROV documents, or what is in the ledger, is valid, and why not."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from app import settings
from app.faces.cli.opening import opened
from app.faces.cli.outcome import DEFECT, FINE, USAGE, tell
from app.faces.cli.terminal import console, print_json
from app.faces.prose import shown
from app.service import Service
from app.settings import without_password
from provmodel import formats
from provmodel.constraints import Verdict
from provmodel.constraints import validate as judge
from provmodel.document import Document
from provmodel.errors import BadQuestion, Unreadable
from provmodel.lexical import about

TOLD = 20  # reasons on the terminal, of each sort; --json has all
EXPORTED = "prov-json"
MOST_COLUMNS = 110  # longer lines are hard to read
_INDENT = re.compile(r" *(\d+\. )?")


def validate(files: Sequence[str], form: str | None, db: str | None, json: bool) -> int:
    """Judge each file, or the ledger; the exit code: 0 all are valid, 2 one is not, 3 one can't be read."""
    if bool(files) == bool(db):
        raise BadQuestion("FILE", "give files, or a ledger with --db", "name either")
    if form:
        formats.detect(b"", form)
    if db:
        return _of_ledger(db, json)
    return max((_of_file(name, data, form, json) for name, data in _read(files)), default=FINE)


def _read(files: Sequence[str]) -> Iterator[tuple[str, bytes | OSError]]:
    for name in files:
        try:
            yield name, sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        except OSError as error:
            yield name, error


def _of_ledger(db: str, json: bool) -> int:
    """Judge what is in the ledger, as its export says it, and each document that was submitted, as that says
    it.
    """
    with opened(db) as service:
        code = _of_graph(service, without_password(settings.read(db).db), json)
        for entry in service.documents.all():
            code = max(code, _told(entry.ref, judge(service.documents.content(entry.seq)), json))
    return code


def _of_graph(service: Service, name: str, json: bool) -> int:
    """Judge the graph; things are told by their references. What documents say is in it, and each is judged
    by itself.
    """
    chunks = service.export(EXPORTED, "none").chunks
    document, base = formats.read(b"".join(chunks), EXPORTED), service.base
    prefixes = {**document.main.prefixes, "": base}
    main = msgspec.structs.replace(document.main, prefixes=prefixes)
    return _told(name, judge(Document(main), about(base)), json)


def _of_file(name: str, data: bytes | OSError, form: str | None, json: bool) -> int:
    if isinstance(data, OSError):
        return _unreadable(name, "", data.strerror or str(data), "name another", json)
    try:
        verdict = judge(formats.read(data, form, name))
    except Unreadable as error:
        return _unreadable(name, error.where, error.reason, error.remedy, json)
    return _told(name, verdict, json)


def _told(name: str, verdict: Verdict, json: bool) -> int:
    if json:
        print_json({"file": name, **verdict.plain()})
    else:
        _show(name, verdict)
    return FINE if verdict.valid else DEFECT


def _unreadable(name: str, where: str, reason: str, remedy: str, json: bool) -> int:
    if json:
        error: dict[str, Any] = {"where": where, "reason": reason, "remedy": remedy}
        print_json({"file": name, "valid": None, "violations": [], "error": error})
    else:
        place = f"{where}: " if where else ""
        tell(shown(f"{name}: {place}{reason}; {remedy}"))
    return USAGE


def _show(name: str, verdict: Verdict) -> None:
    screen = console()
    count = len(verdict.violations)
    reasons = "1 reason" if count == 1 else f"{count} reasons"
    screen.print(shown(f"{name}: {'valid' if verdict.valid else f'not valid, for {reasons}'}"))
    _show_some(verdict.violations)
    if verdict.clock:
        screen.print("\nClocks contradict the order of events. That makes nothing invalid, as clocks differ:")
        _show_some(verdict.clock)
    if verdict.untold:
        screen.print(f"\n{verdict.untold} more were found and not listed.")


def _show_some(found: Sequence[object]) -> None:
    screen = console()
    for one in found[:TOLD]:
        screen.print()
        for line in str(one).splitlines():
            screen.print("\n".join(_wrapped(shown(line), min(screen.width, MOST_COLUMNS))), soft_wrap=True)
    if len(found) > TOLD:
        screen.print(f"\nand {len(found) - TOLD} more; --json lists all")


def _wrapped(line: str, columns: int) -> list[str]:
    """A line over several, each under the first one's words; names, which are copied, stay whole."""
    indent = _INDENT.match(line)
    under = " " * (indent.end() if indent else 0)
    return textwrap.wrap(
        line, columns, subsequent_indent=under, break_long_words=False, break_on_hyphens=False
    )
