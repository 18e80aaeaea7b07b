"""Answers as pictures, laid out once: the same graph opened the same way is the same picture."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock

import msgspec

from queries.answer import Graphed
from queries.picture import draw

KEPT = 64
"""So many pictures are remembered; one of 300 boxes takes about 100 kB."""


class Pictures:
    """Draws, and remembers the last pictures by the digest of what they show; threads may share it."""

    def __init__(self, kept: int = KEPT) -> None:
        """Remember ``kept`` pictures at most."""
        self._kept = kept
        self._found: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = Lock()

    def draw(self, graph: Graphed, opened: Mapping[str, int], limit: int) -> bytes:
        """The picture (:class:`queries.picture.Picture`) of a graph as JSON."""
        key = hashlib.sha256(msgspec.json.encode((graph, sorted(opened.items()), limit))).digest()
        with self._lock:
            found = self._found.get(key)
            if found is not None:
                self._found.move_to_end(key)
                return found
        made = msgspec.json.encode(draw(graph, opened, limit))
        with self._lock:
            self._found[key] = made
            while len(self._found) > self._kept:
                self._found.popitem(last=False)
        return made
