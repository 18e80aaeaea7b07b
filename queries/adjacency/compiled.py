"""The compiled part of the index: ``compiled.c``, made when Clew is installed (``hatch_build.py``).

Where there is none, for want of a compiler then or of a machine that it was made for, or because the source
is newer, :data:`LIBRARY` is None, and NumPy does the same work.
"""

from __future__ import annotations

import ctypes
from hashlib import sha256
from pathlib import Path

from queries.adjacency.arrays import Ints, np

_SOURCE = Path(__file__).with_name("compiled.c")
_AT = ctypes.c_void_p
_SIGNATURES: dict[str, tuple[type | None, list[type]]] = {
    "step": (ctypes.c_int64, [_AT, ctypes.c_int64, ctypes.c_int64]),
    "close_level": (ctypes.c_int64, [ctypes.c_void_p, ctypes.c_int64]),
    "enter": (ctypes.c_int, [_AT, _AT, ctypes.c_int64]),
    "settle": (None, [_AT]),
    "arrange": (None, [_AT]),
    "tell": (ctypes.c_int, [_AT, _AT, ctypes.c_int64, _AT, ctypes.c_int64, _AT, _AT]),
    "marked": (ctypes.c_int64, [_AT, ctypes.c_int64, _AT, _AT]),
    "number": (ctypes.c_int, [_AT, ctypes.c_int64, *[ctypes.c_uint64] * 4, _AT]),
}


def file_of(source: Path) -> Path:
    """Where the library of a source is: named after what it was made from, so that none fits another."""
    return source.with_name(f"compiled-{sha256(source.read_bytes()).hexdigest()[:16]}.so")


def _load() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(str(file_of(_SOURCE)))
    except OSError:
        return None
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


LIBRARY: ctypes.CDLL | None = _load()


def address(array: Ints, dtype: type[np.generic]) -> int:
    """Where an array begins. Raises TypeError when it does not hold such numbers one after the other: that
    compiled code would not notice.
    """
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise TypeError(f"{array.dtype} is not {dtype.__name__}, or not contiguous")
    begin: int = array.ctypes.data
    return begin
