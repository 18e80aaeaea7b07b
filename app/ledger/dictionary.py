"""Texts and references by their integers, and back: read once, then remembered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from app.ledger import statements as sql
from app.ledger.memory import Memory
from app.ledger.store import Store, Tuple
from provmodel.errors import StoreTrouble

REMEMBERED = 500_000
"""References of nodes that one process remembers of a tenant, about 100 bytes each."""


class Dictionary:
    """The words and nodes of one tenant (its integer)."""

    def __init__(self, store: Store, tenant: int, memory: Memory) -> None:
        self._store = store
        self._tenant = tenant
        self._memory = memory

    def words(self, texts: Iterable[str]) -> list[int]:
        """The integers of those texts that are words."""
        known = self._memory.words
        unknown = [text for text in texts if text not in known]
        if unknown:
            found = self._store.fetch(sql.WORDS, (self._store.texts(unknown), self._tenant))
            known.update(found)
        return [known[text] for text in texts if text in known]

    def texts(self, words: set[int]) -> Mapping[int, str]:
        """The texts of words, at least."""
        known = self._memory.texts
        unknown = words - known.keys()
        if unknown:
            found = self._store.fetch(sql.TEXTS, (self._store.ints(sorted(unknown)), self._tenant))
            known.update(_all_there(unknown, found))
        return known

    def refs(self, nodes: set[int]) -> Mapping[int, str]:
        """The references of nodes, at least."""
        known = self._memory.refs
        unknown = nodes - known.keys()
        if unknown:
            if len(known) > REMEMBERED:
                known, unknown = {}, nodes
                self._memory.refs = known
            found = self._store.fetch(sql.REFS, (self._store.ints(sorted(unknown)), self._tenant))
            known.update(_all_there(unknown, found))
        return known

    def learn_refs(self, pairs: Iterable[tuple[int, str]]) -> None:
        """Remember references that were read beside something else."""
        if len(self._memory.refs) > REMEMBERED:
            self._memory.refs = {}
        self._memory.refs.update(pairs)


def _all_there(wanted: set[int], found: Sequence[Tuple]) -> dict[int, str]:
    texts: dict[int, str] = dict(found)
    if len(texts) < len(wanted):
        raise StoreTrouble("the store names integers that its dictionaries lack; run `clew db fsck`")
    return texts
