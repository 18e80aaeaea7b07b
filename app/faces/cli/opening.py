"""The service that a command speaks to: the ledger that ``--db`` or the environment names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from app import settings
from app.main import open_service
from app.service import Service


@contextmanager
def opened(db: str | None) -> Iterator[Service]:
    """A service over the ledger, let go of at the end; raises StoreTrouble."""
    service = open_service(settings.read(db))
    try:
        yield service
    finally:
        service.close()
