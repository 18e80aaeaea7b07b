"""One range of bytes, as RFC 9110 (section 14) has it."""

from __future__ import annotations

import re

from provmodel.errors import ClewError

_ONE = re.compile(r"bytes=(\d{0,19})-(\d{0,19})\Z")


class Unsatisfiable(ClewError):
    """The reader must act: the range begins beyond the end. ``size`` is the whole content's, in bytes."""

    def __init__(self, size: int) -> None:
        super().__init__(f"the content has {size} bytes, and the range begins beyond them; ask for less")
        self.size = size


def wanted(header: str, size: int) -> tuple[int, int] | None:
    """From which byte to before which; None for the whole, which is also what several ranges, other units and
    what can't be read get. Raises :class:`Unsatisfiable`.
    """
    found = _ONE.match(header.strip())
    if not found or found[0] == "bytes=-":
        return None
    first, last = found.groups()
    if not first:
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), min(int(last) + 1, size) if last else size
        if last and int(last) < int(first):
            return None
    if start >= size or start >= end:
        raise Unsatisfiable(size)
    return start, end
