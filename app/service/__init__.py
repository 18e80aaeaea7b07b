"""The verbs of Clew: record, ask, check, export. Every face says the same to the same service.

``record`` is in :mod:`app.service.recording`, its commits in :mod:`app.service.writer`; what ``ask`` gives
in :mod:`app.service.answering`, ``export`` in :mod:`app.service.exporting`.
"""

from app.service.answering import Asked
from app.service.exporting import Export
from app.service.numbering import Number
from app.service.results import ItemError, ItemResult, Status
from app.service.service import Service
from app.service.submitting import Sent, Submitted
from app.service.writer import Overloaded

__all__ = [
    "Asked",
    "Export",
    "ItemError",
    "ItemResult",
    "Number",
    "Overloaded",
    "Sent",
    "Service",
    "Status",
    "Submitted",
]
