"""Rows of a graph by column, as an index takes them in, and what it keeps of each in sixteen bits.

A row is one argument of one relation as one assertion states it (:class:`queries.graph.Row`). Its *number* is
its place in the log of rows, so ``since`` never falls as numbers rise, and "known as of then" is "numbered up
to there".
"""

from __future__ import annotations

from ctypes import CDLL
from functools import cache
from typing import NamedTuple

from provmodel.relations import Flow, codes_of
from queries.adjacency import compiled
from queries.adjacency.arrays import Ints, np
from queries.adjacency.compiled import address

ARGUMENTS = "arguments"
"""The role in which an attempt uses the candidate it carries out."""
CITATION = "citation"
"""The role of a derivation that a model stated by citing."""
_MARKS = {ARGUMENTS: 1, CITATION: 2}

CODES = codes_of(frozenset(Flow))
_PLACES = {code: place for place, code in enumerate(CODES)}
_FIRST_BEYOND_DATA = Flow.CONTROL << 9

# The sixteen bits: place of the code, evidence - 1, stance, mark of the role; that some row refutes the edge,
# that the row is retired, and that the edge is refuted now. Only the last three ever change.
EVIDENCE_AT, STANCE_AT, MARK_AT = 8, 10, 11
CONTESTED, RETIRED, REFUTED = 1 << 13, 1 << 14, 1 << 15
CLOSER = CONTESTED | RETIRED
CODE_BITS = (1 << EVIDENCE_AT) - 1


class Part(NamedTuple):
    """Rows that follow on each other, by column: row ``i`` has the number ``first + i``.

    ``weight`` is mark of the role << 4 | evidence << 1 | stance. The last four columns are of rows that hold
    no longer: number, from which seq on, source and target.
    """

    first: int
    source: Ints
    target: Ints
    code: Ints
    weight: Ints
    relation: Ints
    since: Ints
    retired: Ints
    until: Ints
    retired_source: Ints
    retired_target: Ints


class Rows(NamedTuple):
    """As :class:`Part`, of all parts that an index is loaded from, with the sixteen bits of each row."""

    number: Ints
    source: Ints
    target: Ints
    short: Ints
    relation: Ints


class Few(NamedTuple):
    """As :class:`Part`, row by row, for the few rows of one commit: (source, target, code, weight, relation,
    since) of each, and (number, until, source, target) of those that hold no longer.
    """

    first: int
    rows: list[tuple[int, int, int, int, int, int]]
    retired: list[tuple[int, int, int, int]]


class Fresh(NamedTuple):
    """One commit as its writer knows it: the seqs after ``after`` up to ``seq``, and their rows."""

    after: int
    seq: int
    few: Few


def role_mark(role: str) -> int:
    """A small number for the roles that a walk looks at, 0 for all others."""
    return _MARKS.get(role, 0)


def place_of(code: int) -> int:
    """The place of a row code among all of them, ascending: those of data come first."""
    return _PLACES[code]


DATA_PLACES = sum(1 for code in CODES if code < _FIRST_BEYOND_DATA)
"""Places below this one are of codes of data."""


@cache
def _places() -> Ints:
    places = np.zeros(max(CODES) + 1, np.uint16)
    for code, place in _PLACES.items():
        places[code] = place
    return places


@cache
def _weights() -> Ints:
    """What the sixteen bits hold of each weight."""
    weight = np.arange(1 << 8, dtype=np.uint16)
    short = ((weight >> 1 & 7) - 1 & 3) << EVIDENCE_AT
    short |= (weight & 1) << STANCE_AT
    short |= (weight >> 4 & 3) << MARK_AT
    return short.astype(np.uint16)


def shorts_of(part: Part) -> Ints:
    """The sixteen bits of each row of a part (uint16)."""
    if compiled.LIBRARY:
        return _told(compiled.LIBRARY, part.code, part.weight)
    short: Ints = _places().take(part.code)
    short |= _weights().take(part.weight)
    return short


def _told(library: CDLL, code: Ints, weight: Ints) -> Ints:
    bits, places, weights = np.empty(len(code), np.uint16), _places(), _weights()
    columns = address(code, np.uint16), address(weight, np.uint8)
    tables = address(places, np.uint16), len(places), address(weights, np.uint16)
    if library.tell(*columns, len(code), *tables, address(bits, np.uint16)):
        raise IndexError("a row of a code that is none")
    return bits


@cache
def short_of(code: int, weight: int) -> int:
    """As :func:`shorts_of`, of one row."""
    return (
        _PLACES[code]
        | (weight >> 1 & 7) - 1 << EVIDENCE_AT
        | (weight & 1) << STANCE_AT
        | weight >> 4 << MARK_AT
    )


def evidence_of(short: int) -> int:
    return (short >> EVIDENCE_AT & 3) + 1


def supports(short: int) -> bool:
    return bool(short >> STANCE_AT & 1)


def mark_of(short: int) -> int:
    return short >> MARK_AT & 3


def view_of(column: Ints) -> memoryview:
    """For single values: reading them from an array takes thrice as long."""
    return memoryview(column)  # type: ignore[arg-type]
