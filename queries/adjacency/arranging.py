"""Rows put in the order of a side of a segment by compiled code: counted, then each written to its place."""

from __future__ import annotations

import ctypes

from queries.adjacency.arrays import Ints, np
from queries.adjacency.columns import DATA_PLACES
from queries.adjacency.compiled import address


class _Side(ctypes.Structure):
    """``side`` in compiled.c, which says what each of these is."""

    _fields_ = (
        *[(name, ctypes.c_void_p) for name in ("near", "far", "number", "bits")],
        *[(name, ctypes.c_uint64) for name in ("rows", "size")],
        ("data", ctypes.c_uint32),
        *[(name, ctypes.c_void_p) for name in ("next", "bounds", "word", "low")],
    )


def arrange(
    library: ctypes.CDLL,
    near: Ints,
    far: Ints,
    short: Ints,
    number: Ints,
    room: Ints,
    made: tuple[Ints, Ints, Ints],
) -> None:
    """Put rows, given in the order of their numbers, where they belong: ``made`` are bounds, words and low
    halves of a side (:class:`queries.adjacency.segments.Side`). ``room`` is for an integer (uint64) a node.
    """
    given = [np.ascontiguousarray(column, np.uint32) for column in (near, far, number)]
    side = _Side(
        *[address(column, np.uint32) for column in given],
        address(short, np.uint16),
        len(near),
        len(room),
        DATA_PLACES,
        address(room, np.uint64),
        address(made[0], np.uint64),
        address(made[1], np.uint64),
        address(made[2], np.uint16),
    )
    library.arrange(ctypes.addressof(side))
