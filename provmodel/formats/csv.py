"""Documents as a table in CSV (RFC 4180): written, never read. A stream.

A statement takes a row for itself, one for each of its ends but the subject, and one for each value of an
attribute; ``statement`` numbers them, so that they can be put together again. Columns that a row has no use
for are empty.

What a spreadsheet would run as a formula has an apostrophe before it, and that is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, islice

from provmodel.document import (
    ABSENT_MARK,
    Attribute,
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
_AT = {name: place for place, name in enumerate(COLUMNS)}
# As spreadsheets see it (OWASP, "CSV Injection"): also after blanks, and in the full-width forms.
_runs = re.compile("[\\s\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r]").match
_is_number = re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?|-INF").fullmatch
_needs_quotes = re.compile('[",\r\n]|^\\s|\\s$').search
Row = dict[str, str]


def write(document: Document, told: list[Loss]) -> Iterator[bytes]:
    """The document as CSV in UTF-8; what it can't hold is added to ``told``."""
    losses = Losses(told)
    yield (",".join(COLUMNS) + "\r\n").encode()
    numbers = count(1)
    rows = (row for part in document.parts for row in _part(part, numbers, losses))
    while batch := list(islice(rows, _BATCH)):
        yield "".join([_line(row, losses) for row in batch]).encode(errors="backslashreplace")
    losses.tell()


def _part(part: Bundle, numbers: Iterator[int], losses: Losses) -> Iterator[Row]:
    if part.id and not part.statements:
        losses.add(f"<{part.id}>", "a bundle that says nothing", "bundles are named by what is in them")
    for one in part.statements:
        head = {"bundle": part.id or "", "statement": str(next(numbers)), "id": one.id or ""}
        if isinstance(one, Element):
            yield {**head, "kind": one.kind.word, "time": _given(one.start), "end": _given(one.end)}
        elif isinstance(one, Statement):
            head["subject"] = one.subject or ""
            yield {**head, "kind": one.term.name, "time": _given(one.time)}
            yield from ({**head, **row} for row in _ends(one))
        else:
            yield {**head, "kind": one.name}
            yield from ({**head, **row} for row in _arguments(one, losses))
        yield from ({**head, **_attribute(pair)} for pair in one.attributes)


def _given(text: str | None) -> str:
    return "" if text is None or text == ABSENT_MARK else text


def _ends(one: Statement) -> Iterator[Row]:
    names = (*(argument.name for argument in one.term.arguments), *one.term.references)
    for name, end in zip(names, (*one.nodes, *one.references), strict=True):
        if end:
            yield {"argument": name, "object": end}


def _attribute(pair: Attribute) -> Row:
    return {"attribute": pair[0], **_value(pair[1])}


def _value(value: Literal) -> Row:
    return {"value": value.value, "datatype": value.datatype, "language": value.language}


def _arguments(one: Extension, losses: Losses) -> Iterator[Row]:
    """The arguments of an extension by their places, from 1."""
    if not one.arguments and one.raw:
        losses.add(one.id or one.name, f"what the statement <{one.name}> says", "a table has no place for it")
    for place, argument in enumerate(one.arguments, 1):
        for row in _flat(argument):
            yield {"argument": str(place), **row}
        if isinstance(argument, tuple) and any(isinstance(inner, tuple) for inner in argument):
            why = "a table is flat"
            losses.add(one.id or one.name, f"what belongs together in an argument of <{one.name}>", why)


def _flat(argument: Carried) -> Iterator[Row]:
    waiting = [argument]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(reversed(one))
        elif isinstance(one, Literal):
            yield _value(one)
        elif one and one != ABSENT_MARK:
            yield {"object": one}


def _line(row: Row, losses: Losses) -> str:
    cells = [""] * len(COLUMNS)
    for name, text in row.items():
        cells[_AT[name]] = _cell(text, name, losses) if text else ""
    return ",".join(cells) + "\r\n"


def _cell(text: str, column: str, losses: Losses) -> str:
    if "\0" in text:
        losses.add(
            f"the column {column}", "the character U+0000", "readers of CSV stop at it; U+FFFD stands there"
        )
        text = text.replace("\0", "\ufffd")
    if _runs(text) and not _is_number(text):
        why = "a spreadsheet would run it as a formula; an apostrophe stands before it"
        losses.add(f"the column {column}", "that a text begins with = + - or @", why)
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if _needs_quotes(text) else text


DOCUMENTS = Documents(
    name="csv",
    title="CSV (a row an end or a value)",
    media_types=("text/csv",),
    endings=(".csv",),
    write=write,
)
