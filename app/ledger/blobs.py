"""Edges packed by column: ``assertion`` again in the order of the log, from which a walk's index loads fast.

A blob holds the rows that some commits added, and which rows those commits retired. Little-endian
throughout::

    "clw1"                    4 bytes
    rows, retired             uint32 each
    first                     uint64: the ``assertion`` of the first row; those of the others follow on it
    source, target            a column: one byte for its type code, "I" (uint32) or "Q" (uint64), then the
    values code                      a column of "H" (uint16) weight                    a column of "B":
    evidence * 2 + stance relation                  a column of "Q" since                     a column of
    "I" or "Q" retired rows, until       two columns of "I" or "Q": which ``assertion`` holds no longer from
    which seq on

Each commit writes one blob. In the background, ``FAN`` neighbours of one level become one of the next, so
that their number stays a logarithm of the number of commits.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.ledger.store import Tuple
from provmodel.errors import StoreTrouble

FAN = 16
"""Blobs of one level that become one of the next."""

LARGEST = 4_000_000
"""Edges in a blob beyond which it is not merged any more: about 100 MB."""

_MAGIC = b"clw1"
_HEADER = struct.Struct("<4sIIQ")
_SMALL = 2**32
_TYPE_CODES = ("IQ", "IQ", "H", "B", "Q", "IQ", "IQ", "IQ")


class Edges(NamedTuple):
    """Columns of equal length for rows, and two for retirements. Row ``i`` is the assertion ``first + i``."""

    first: int
    source: array[int]
    target: array[int]
    code: array[int]
    weight: array[int]
    relation: array[int]
    since: array[int]
    retired: array[int]
    until: array[int]


def pack_rows(rows: Sequence[Tuple], retired: Sequence[tuple[int, int]]) -> bytes:
    """The blob of rows of ``assertion`` (consecutive ones) and of (assertion, until) pairs."""
    first = rows[0][4] if rows else 0
    return b"".join(
        (
            _HEADER.pack(_MAGIC, len(rows), len(retired), first),
            _column([row[1] for row in rows]),
            _column([row[3] for row in rows]),
            _column([row[2] for row in rows], "H"),
            b"B",
            bytes([row[7] << 1 | row[8] for row in rows]),
            _column([row[5] for row in rows], "Q"),
            _column([row[12] for row in rows]),
            _column([assertion for assertion, _ in retired]),
            _column([until for _, until in retired]),
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
    try:
        magic, rows, retired, first = _HEADER.unpack_from(data)
        if magic != _MAGIC:
            raise ValueError("it does not begin as one")
        columns, at = [], _HEADER.size
        for codes, length in zip(_TYPE_CODES, (rows,) * 6 + (retired,) * 2, strict=True):
            if chr(data[at]) not in codes:
                raise ValueError(f"byte {at} is no type code")
            column = array(chr(data[at]))
            end = at + 1 + length * column.itemsize
            column.frombytes(data[at + 1 : end])
            if len(column) != length:
                raise ValueError("it ends early")
            columns.append(_little(column))
            at = end
        if at != len(data):
            raise ValueError("it goes on after its end")
    except (ValueError, IndexError, struct.error) as error:
        raise StoreTrouble(f"a blob can't be read: {error}; run `clew db rebuild`") from None
    return Edges(first, *columns)


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
