"""Documents as a table in CSV (RFC 4180): written, never read. A stream.

A statement takes a row for itself, one for each of its ends but the subject, and one for each value of an
attribute; ``statement`` numbers them, so that they can be put together again. Columns that a row has no use
for are empty.

What a spreadsheet would run as a formula has an apostrophe before it, and that is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from provmodel.document import (
    ABSENT_MARK,
    Bundle,
    Carried,
    Document,
    Element,
    Extension,
    Literal,
    Loss,
    Statement,
)
from provmodel.documents.faults import Losses
from provmodel.formats import Documents
from provmodel.lexical import Memo

_BATCH = 1024  # rows between two chunks
COLUMNS = (
    "bundle",
    "statement",
    "kind",
    "id",
    "subject",
    "argument",
    "object",
    "time",
    "end",
    "attribute",
    "value",
    "datatype",
    "language",
)
"""``time`` is that of a relation, or the start of an activity; ``end`` the end of an activity."""
# As spreadsheets see it (OWASP, "CSV Injection"): also after blanks, and in the full-width forms.
_runs = re.compile("[\\s\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r]").match
_is_number = re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?|-INF").fullmatch
_needs_quotes = re.compile('[",\r\n]|^\\s|\\s$').search
_END = ",,,,,,\r\n"  # after an end: time, end, attribute, value, datatype and language


def write(document: Document, told: list[Loss]) -> Iterator[bytes]:
    """The document as CSV in UTF-8; what it can't hold is added to ``told``."""
    losses = Losses(told)
    writer = _Writer(losses)
    yield (",".join(COLUMNS) + "\r\n").encode()
    for part in document.parts:
        if part.id and not part.statements:
            why = "bundles are named by what is in them"
            losses.add(f"<{part.id}>", "a bundle that says nothing", why)
        rows = writer.rows(part)
        while batch := list(islice(rows, _BATCH)):
            yield "".join(batch).encode(errors="backslashreplace")
    losses.tell()


class _Writer:
    """Makes the rows. ``cells`` are texts as they stand in a cell, each worked out once."""

    def __init__(self, losses: Losses) -> None:
        self.losses = losses
        self.cells: Memo[str] = Memo(self._cell)
        self._number = 0

    def rows(self, part: Bundle) -> Iterator[str]:
        """The rows of one part."""
        cells, bundle = self.cells, self.cells[part.id or ""]
        for one in part.statements:
            self._number += 1
            name = cells[one.id or ""]
            subject = cells[one.subject or ""] if isinstance(one, Statement) else ""
            head = f"{bundle},{self._number}"
            if isinstance(one, Element):
                yield f"{head},{one.kind.word},{name},,,,{_given(one.start)},{_given(one.end)},,,,\r\n"
            elif isinstance(one, Statement):
                yield f"{head},{one.term.name},{name},{subject},,,{_given(one.time)},,,,,\r\n"
                yield from (f"{head},,{name},{subject},{end}{_END}" for end in self._ends(one))
            else:
                yield f"{head},{cells[one.name]},{name},,,,,,,,,\r\n"
                yield from (f"{head},,{name},,{row}\r\n" for row in self._arguments(one))
            for key, value in one.attributes:
                yield f"{head},,{name},{subject},,,,,{cells[key]},{self._value(value)}\r\n"

    def _ends(self, one: Statement) -> Iterator[str]:
        names = (*(argument.name for argument in one.term.arguments), *one.term.references)
        for name, end in zip(names, (*one.nodes, *one.references), strict=True):
            if end:
                yield f"{name},{self.cells[end]}"

    def _value(self, value: Literal) -> str:
        cells = self.cells
        return f"{cells[value.value]},{cells[value.datatype]},{cells[value.language]}"

    def _arguments(self, one: Extension) -> Iterator[str]:
        """The arguments of an extension by their places, from 1: from the column of arguments on."""
        if not one.arguments and one.raw:
            why = "a table has no place for it"
            self.losses.add(one.id or one.name, f"what the statement <{one.name}> says", why)
        for place, argument in enumerate(one.arguments, 1):
            for inner in _flat(argument):
                if isinstance(inner, Literal):
                    yield f"{place},,,,,{self._value(inner)}"
                else:
                    yield f"{place},{self.cells[inner]},,,,,,"
            if isinstance(argument, tuple) and any(isinstance(inner, tuple) for inner in argument):
                what = f"what belongs together in an argument of <{one.name}>"
                self.losses.add(one.id or one.name, what, "a table is flat")

    def _cell(self, text: str) -> str:
        if "\0" in text:
            why = "readers of CSV stop at it; U+FFFD stands there"
            self.losses.add("a value", "the character U+0000", why)
            text = text.replace("\0", "\ufffd")
        if _runs(text) and not _is_number(text):
            why = "a spreadsheet would run it as a formula; an apostrophe stands before it"
            self.losses.add("a value", "that it begins with = + - or @", why)
            text = f"'{text}"
        return '"' + text.replace('"', '""') + '"' if _needs_quotes(text) else text


def _given(text: str | None) -> str:
    return "" if text is None or text == ABSENT_MARK else text


def _flat(argument: Carried) -> Iterator[str | Literal]:
    waiting = [argument]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(reversed(one))
        elif isinstance(one, Literal) or (one and one != ABSENT_MARK):
            yield one


DOCUMENTS = Documents(
    name="csv",
    title="CSV (a row an end or a value)",
    media_types=("text/csv",),
    endings=(".csv",),
    write=write,
)
