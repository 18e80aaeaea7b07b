"""The ledger: the log, the graph made from it, and reading both. ``Ledger.open`` is where to begin."""

from app.ledger.items import Mark, Outcome, Prepared, Sealed, digest_of
from app.ledger.ledger import Ledger

__all__ = ["Ledger", "Mark", "Outcome", "Prepared", "Sealed", "digest_of"]
