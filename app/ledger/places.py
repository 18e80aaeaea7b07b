"""Where an event of a batch stands among those of its source and of its run."""

from __future__ import annotations

from typing import NamedTuple

from app import tables
from app.ledger.coverage import Coverage
from app.ledger.intern import Head, Words
from app.ledger.memory import Memory
from app.ledger.store import Session, Tuple
from provmodel.events import TYPES, Envelope
from provmodel.submission import DOCUMENT, DocumentSubmitted


class Place(NamedTuple):
    """The envelope in integers; ``highest`` is the greatest number of the source and epoch so far."""

    source: int
    type: int
    run: int | None
    epoch: int
    highest: int
    late: bool


class Places:
    """The events of one batch, as they come."""

    def __init__(self, session: Session, head: Head, words: Words, memory: Memory) -> None:
        self._session = session
        self._tenant = head.tenant
        self._words = words
        self._memory = memory
        self._coverage = Coverage(session, head)
        self.run_sources: set[tuple[int, int]] = set()
        self._new: list[Tuple] = []

    def note(self, seq: int, event: Envelope, is_variant: bool) -> Place:
        """Note that ``event`` came as ``seq``, and whether one of its source and id had come before."""
        words = self._words
        source, epoch = words[event.source], words[event.epoch or ""]
        run = None if event.run is None else words[event.run]
        if run is not None:
            self._note_run(seq, run, source)
        highest, late = self._coverage.note(seq, source, epoch, event, is_variant)
        return Place(source, words[type_of(event)], run, epoch, highest, late)

    def _note_run(self, seq: int, run: int, source: int) -> None:
        pair = (run, source)
        if pair in self.run_sources or pair in self._memory.run_sources:
            return
        self.run_sources.add(pair)
        if not self._session.fetch(
            "select seq from run_source where tenant = ? and run = ? and source = ?", (self._tenant, *pair)
        ):
            self._new.append((self._tenant, run, source, seq))

    def save(self) -> None:
        self._session.insert(tables.run_source, self._new)
        self._coverage.save()


_TAGS: dict[type[Envelope], str] = {kind: tag for tag, kind in TYPES.items()} | {DocumentSubmitted: DOCUMENT}


def type_of(event: Envelope) -> str:
    """An event's type, as its ``type`` field has it."""
    return _TAGS[type(event)]
