"""Documents in the store: taken in, beside `prov`, which only reads them.

The document is that of the subject "documents", as PROV-JSON. Clew reads it, maps it, and commits it as one
transaction on SQLite; `prov` reads the same bytes into memory. Growth is what a statement costs in a document
ten times the size.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from prov.model import ProvDocument

from app.service import Sent
from benchmarks.documents import PREFIXES, said, written
from benchmarks.frame import Figure, cpu, micros, ratio, take_turns
from benchmarks.stores import service_at
from provmodel import formats
from provmodel.document import Bundle, Document

FORM = "prov-json"
MOST_OF_THE_PEER = 1.0
MOST_GROWTH = 1.3


def figures(quick: bool) -> Iterable[Figure]:
    """Taking in beside reading, then growth."""
    size, turns = (10_000, 2) if quick else (100_000, 3)
    data = written(Document(Bundle(None, PREFIXES, tuple(said(size)))), FORM)
    small = written(Document(Bundle(None, PREFIXES, tuple(said(size // 10)))), FORM)
    text = data.decode()
    seconds = take_turns(
        turns,
        {
            "clew": lambda: taken_in(data),
            "peer": lambda: cpu(lambda: ProvDocument.deserialize(content=text, format="json")),
            "reading": lambda: cpu(lambda: formats.read(data, FORM)),
            "small": lambda: taken_in(small),
        },
    )
    each = {side: micros(median(took), size) for side, took in seconds.items()}
    yield Figure(
        name="a document taken in, times what `prov` takes to read it",
        measured=ratio(seconds["clew"], seconds["peer"]),
        goal=MOST_OF_THE_PEER,
        unit="x",
        peer="`prov`: read the same text into memory",
        note=f"{size:,} statements in one transaction; Clew {each['clew']} a statement, of which reading"
        f" {each['reading']}, `prov` {each['peer']}",
    )
    yield Figure(
        name="a statement of a document ten times the size",
        measured=ratio(seconds["clew"], seconds["small"]) / 10,
        goal=MOST_GROWTH,
        unit="x",
        peer="Clew: the smaller document",
        note=f"{size // 10:,} and {size:,} statements, each into an empty store",
    )


def taken_in(data: bytes) -> float:
    """CPU seconds to take a document into an empty store."""
    with TemporaryDirectory() as folder:
        service = service_at(Path(folder) / "clew.db")
        try:
            return cpu(lambda: service.submit(Sent(data=data, form=FORM)))
        finally:
            service.close()
