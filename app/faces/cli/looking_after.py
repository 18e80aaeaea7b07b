"""``clew db``: the ledger's own upkeep."""

from __future__ import annotations

from app import settings
from app.faces.cli.terminal import console
from app.ledger import Ledger
from app.settings import without_password


def upgrade(db: str | None) -> None:
    """Make or upgrade the tables, and say what was done."""
    url = settings.read(db).db
    before, after = Ledger.upgrade(url)
    name = without_password(url)
    if before == after:
        console().print(f"{name} has tables of version {after}, which this Clew reads.")
    else:
        console().print(f"{name}: tables of version {before or 'none'} are now of version {after}.")
