"""Edges packed by column: ``assertion`` again in the order of the log, from which a walk's index loads fast.

A blob holds the rows that some commits added, and which rows those commits retired. Little-endian
throughout::

    "clw2"                    4 bytes
    rows, retired             uint32 each
    first                     uint64: the ``assertion`` of the first row; those of the others follow on it
    source, target            a column: one byte for its type code, "I" (uint32) or "Q" (uint64), then values
    code                      a column of "H" (uint16)
    weight                    a column of "B": what a walk looks at, see ``weight_of``
    relation                  a column of "Q"
    since                     a column of "I" or "Q", never falling
    retired rows, until       two columns of "I" or "Q": which ``assertion`` holds no longer from which seq on
    their sources, targets    two columns of "I" or "Q", by which an index finds them

Each commit writes one blob. In the background, ``FAN`` neighbours of one level become one of the next, so
that their number stays a logarithm of the number of commits.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from app.ledger.store import Tuple
from provmodel.errors import StoreTrouble
from queries.adjacency import Few, Part, role_mark
from queries.adjacency.arrays import np

FAN = 16
"""Blobs of one level that become one of the next."""

LARGEST = 500_000
"""Edges in a blob beyond which it is not merged any more: about 12 MB. The room for one is used again for the
next while an index is loaded, and fresh room costs as much as what is done with it.
"""

_MAGIC = b"clw2"
_HEADER = struct.Struct("<4sIIQ")
_SMALL = 2**32
_TYPE_CODES = ("IQ", "IQ", "H", "B", "Q", "IQ", "IQ", "IQ", "IQ", "IQ")
_WIDTHS = {"B": 1, "H": 2, "I": 4, "Q": 8}
_NUMPY = {"B": "u1", "H": "u2", "I": "u4", "Q": "u8"}
_OF_ROWS = 6
"""Columns of rows; those that follow are of retirements."""
_ENDS = (0, 1, 8, 9)
"""Columns of nodes."""


Retired = tuple[int, int, int, int]
"""A row that holds no longer: its ``assertion``, from which seq on, its source and target."""


class Edges(NamedTuple):
    """Columns of equal length for rows, four for retirements. Row ``i`` is the assertion ``first + i``."""

    first: int
    source: array[int]
    target: array[int]
    code: array[int]
    weight: array[int]
    relation: array[int]
    since: array[int]
    retired: array[int]
    until: array[int]
    retired_source: array[int]
    retired_target: array[int]


def weight_of(evidence: int, stance: int, role: str) -> int:
    """What a walk looks at of a row, in one byte: evidence, stance, and whether the role is one it knows."""
    return role_mark(role) << 4 | evidence << 1 | stance


def pack_rows(rows: Sequence[Tuple], retired: Sequence[Retired], words: Mapping[str, int]) -> bytes:
    """The blob of rows of ``assertion`` (consecutive ones) and of retirements; ``words`` gives the integers
    of the roles among the rows.
    """
    first = rows[0][4] if rows else 0
    marks = _marks(words)
    return b"".join(
        (
            _HEADER.pack(_MAGIC, len(rows), len(retired), first),
            _column([row[1] for row in rows]),
            _column([row[3] for row in rows]),
            _column([row[2] for row in rows], "H"),
            b"B",
            bytes([marks.get(row[6], 0) | row[7] << 1 | row[8] for row in rows]),
            _column([row[5] for row in rows], "Q"),
            _column([row[12] for row in rows]),
            *[_column([each[place] for each in retired]) for place in range(4)],
        )
    )


def _column(values: Sequence[int], code: str = "") -> bytes:
    """A column; ``struct`` takes integers in half the time that ``array`` does."""
    code = code or ("I" if max(values, default=0) < _SMALL else "Q")
    return struct.pack(f"<c{len(values)}{code}", code.encode(), *values)


def pack(edges: Edges) -> bytes:
    """The bytes of a blob."""
    parts = [_HEADER.pack(_MAGIC, len(edges.source), len(edges.retired), edges.first)]
    for column in edges[1:]:
        parts += (column.typecode.encode(), _little(column).tobytes())
    return b"".join(parts)


def unpack(data: bytes) -> Edges:
    """The columns of a blob; raises :class:`StoreTrouble` when it is not one."""
    first, spans = _spans(data)
    columns = []
    for typecode, begin, end in spans:
        column = array(typecode)
        column.frombytes(data[begin:end])
        columns.append(_little(column))
    return Edges(first, *columns)


def _spans(data: bytes) -> tuple[int, list[tuple[str, int, int]]]:
    """The first row's number, and type code, begin and end of each column."""
    try:
        magic, rows, retired, first = _HEADER.unpack_from(data)
        if magic != _MAGIC:
            raise ValueError("it does not begin as one")
        spans, at = [], _HEADER.size
        for codes, length in zip(_TYPE_CODES, _lengths(rows, retired), strict=True):
            typecode = chr(data[at])
            if typecode not in codes:
                raise ValueError(f"byte {at} is no type code")
            end = at + 1 + length * _WIDTHS[typecode]
            spans.append((typecode, at + 1, end))
            at = end
        if at != len(data):
            raise ValueError("it ends early" if at > len(data) else "it goes on after its end")
    except (ValueError, IndexError, struct.error) as error:
        raise StoreTrouble(f"a blob can't be read: {error}; run `clew db rebuild`") from None
    return first, spans


def _lengths(rows: int, retired: int) -> tuple[int, ...]:
    return (rows,) * _OF_ROWS + (retired,) * (len(_TYPE_CODES) - _OF_ROWS)


def part_of(data: bytes) -> Part:
    """A blob as an index takes it in: its columns as they stand there; raises :class:`StoreTrouble`."""
    first, spans = _spans(data)
    columns = [
        np.frombuffer(data, f"<{_NUMPY[typecode]}", (end - begin) // _WIDTHS[typecode], begin)
        for typecode, begin, end in spans
    ]
    return Part(first, *columns)


def ends_of(data: bytes) -> set[int]:
    """The nodes between which the rows of a blob stand, added and retired ones."""
    _, spans = _spans(data)
    ends = set[int]()
    for place in _ENDS:
        typecode, begin, end = spans[place]
        count = (end - begin) // _WIDTHS[typecode]
        ends.update(np.frombuffer(data, f"<{_NUMPY[typecode]}", count, begin).tolist())
    return ends


def few_of(data: bytes) -> Few:
    """A small blob row by row; raises :class:`StoreTrouble`."""
    first, spans = _spans(data)
    columns = [
        struct.unpack_from(f"<{(end - begin) // _WIDTHS[code]}{code}", data, begin)
        for code, begin, end in spans
    ]
    rows = list(zip(*columns[:_OF_ROWS], strict=True))
    return Few(first, rows, list(zip(*columns[_OF_ROWS:], strict=True)))


def few_in(rows: Sequence[Tuple], retired: Sequence[Retired], words: Mapping[str, int]) -> Few:
    """What :func:`few_of` finds in the blob that :func:`pack_rows` makes of them."""
    marks = _marks(words)
    some = [
        (row[1], row[3], row[2], marks.get(row[6], 0) | row[7] << 1 | row[8], row[5], row[12]) for row in rows
    ]
    return Few(rows[0][4] if rows else 0, some, list(retired))


def _marks(words: Mapping[str, int]) -> dict[int, int]:
    """What the weight of a row has of its role, by the integer of the role."""
    return {number: role_mark(text) << 4 for text, number in words.items() if role_mark(text)}


def packed(part: Part) -> bytes:
    """The blob of a part."""
    columns = [array(column.dtype.char if column.dtype.char in "BHI" else "Q") for column in part[1:]]
    for column, values in zip(columns, part[1:], strict=True):
        column.frombytes(values.astype(column.typecode).tobytes())
    return pack(Edges(part.first, *columns))


def merge(parts: Iterable[Edges]) -> Edges:
    """One for several that follow on each other."""
    parts = list(parts)
    first = next((part.first for part in parts if part.source), 0)
    return Edges(first, *[_join(columns) for columns in zip(*[part[1:] for part in parts], strict=True)])


def _join(columns: Sequence[array[int]]) -> array[int]:
    typecode = max(column.typecode for column in columns)  # "Q" holds what "I" holds
    joined = array(typecode)
    for column in columns:
        joined.extend(column if column.typecode == typecode else array(typecode, column))
    return joined


def _little(column: array[int]) -> array[int]:
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return column
