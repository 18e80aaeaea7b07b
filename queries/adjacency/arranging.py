"""Rows put in the order of a side of a segment by compiled code: counted, then each written to its place."""

from __future__ import annotations

import ctypes

import numpy as np

from queries.adjacency.columns import DATA_PLACES, Ints
from queries.adjacency.compiled import address


class _Side(ctypes.Structure):
    """``side`` in compiled.c, which says what each of these is."""

    _fields_ = (
        *[(name, ctypes.c_void_p) for name in ("near", "far", "number", "bits")],
        *[(name, ctypes.c_uint64) for name in ("rows", "size")],
        ("data", ctypes.c_uint32),
        *[(name, ctypes.c_void_p) for name in ("next", "bounds", "word", "low")],
    )


def arranged(
    library: ctypes.CDLL, near: Ints, far: Ints, short: Ints, number: Ints, size: int, room: Ints
) -> tuple[Ints, Ints, Ints]:
    """Bounds, words and low halves of the rows of a side (:class:`queries.adjacency.segments.Side`), given in
    the order of their numbers; every node is below ``size``. ``room`` is for an integer (uint64) a node.
    """
    rows = len(near)
    made = np.empty(size + 2, np.uint64), np.empty(rows, np.uint64), np.empty(rows, np.uint16)
    given = [np.ascontiguousarray(column, np.uint32) for column in (near, far, number)]
    side = _Side(
        *[address(column, np.uint32) for column in given],
        address(short, np.uint16),
        rows,
        size,
        DATA_PLACES,
        address(room[:size], np.uint64),
        *[address(column, column.dtype.type) for column in made],
    )
    library.arrange(ctypes.addressof(side))
    return made
