"""Rotation: every wrapped key wrapped anew under a fresh key, and the old one destroyed.

Bodies are not touched: only 63 bytes of each are written. It may be cut off at any time and done again: until
the end the key file holds what wraps the old and the new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from app.content.keys import add_wrapping, drop_wrapping, number_of
from app.content.sealing import OLD, bound

Row = tuple[str, bytes]
"""A content's id and its wrapped key."""


class WrappedKeys(Protocol):
    """Where wrapped keys are kept."""

    def tenants(self) -> Iterable[str]:
        """The names of the tenants that have any."""
        ...

    def every(self, tenant: str) -> Iterator[list[Row]]:
        """All keys of a tenant, some at a time."""
        ...

    def replace(self, tenant: str, rows: Sequence[Row]) -> None:
        """Put other wrapped keys in their places."""
        ...

    def refuse_below(self, number: int) -> None:
        """Take no more keys that an older numbered key wrapped."""
        ...

    def wipe(self) -> None:
        """Leave nothing of what was replaced."""
        ...


def rotate(path: Path, fingerprint: str, kept: WrappedKeys, step: Callable[[int], None]) -> int:
    """Rotate what wraps; how many keys were wrapped anew. Raises :class:`StoreTrouble`."""
    keys = add_wrapping(path, fingerprint)
    kept.refuse_below(keys.wrapping.newest)
    done = 0
    for tenant in kept.tenants():
        for rows in kept.every(tenant):
            fresh = []
            for content, wrapped in rows:
                if number_of(wrapped) == keys.wrapping.newest:
                    continue
                tied = _tied(tenant, content, wrapped)
                key = keys.wrapping.unwrap(tenant, tied, wrapped)
                fresh.append((content, keys.wrapping.wrap(tenant, tied, key)))
            kept.replace(tenant, fresh)
            done += len(fresh)
            step(done)
    kept.wipe()
    drop_wrapping(path, fingerprint)
    return done


def _tied(tenant: str, content: str, wrapped: bytes) -> bytes:
    """What is bound into a wrapped key; that of format 1 is its body's id, which the content is named by."""
    if wrapped[:1] == OLD:
        return f"clew body\0{tenant}\0{content.rpartition('#')[0]}".encode()
    return bound(tenant, content)
