"""The service that a command speaks to: the ledger that ``--db`` or the environment names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from app import settings
from app.main import open_service
from app.service import Service


@contextmanager
def opened(db: str | None, create: bool = False) -> Iterator[Service]:
    """A service over the ledger, let go of at the end. Who only reads makes none: a name that was mistyped is
    told. Raises StoreTrouble.
    """
    service = open_service(settings.read(db), create=create)
    try:
        yield service
    finally:
        service.close()
