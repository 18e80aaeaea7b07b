"""Which way a walk goes along a relation."""

from __future__ import annotations

from enum import Enum


class Way(Enum):
    """OUT follows a relation from its subject to its argument (toward causes); IN the other way (toward
    effects).
    """

    OUT = "out"
    IN = "in"

    __hash__ = object.__hash__  # in C; that of an Enum is in Python, and much is kept by way
