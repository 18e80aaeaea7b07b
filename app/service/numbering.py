"""The one source that the server numbers: events that come without a source of their own, in short form.

A number is given when the event can be taken, never before; so a missing number means an event that was lost
on its way to the disk, as for every other source.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import msgspec


class Number(msgspec.Struct, frozen=True):
    """Where an event stands with its source: in ``epoch``, the life of one process, the ``number`` th."""

    epoch: str
    number: int


class Numbering:
    """Numbers for one source, for as long as this process lives."""

    def __init__(self) -> None:
        began = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        self._epoch = f"{began}-{secrets.token_hex(4)}"
        self._last = 0
        self._turn = threading.Lock()

    @contextmanager
    def next(self) -> Iterator[Number]:
        """The next number; it is used up when the block ends, and free again when it raises."""
        with self._turn:
            yield Number(self._epoch, self._last + 1)
            self._last += 1
