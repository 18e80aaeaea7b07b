"""What a process remembers of a tenant: committed integers of words and nodes.

It is a cache and nothing else. Integers never change once committed, so a remembered one is right; what may
have been added since (kinds, a description) is looked up again before anything is written because of it.
``generation`` changes when a rebuild drops nodes, and the writer then forgets all; ``seen`` is the one that
was read last with the head.
"""

from __future__ import annotations

KEPT = 200_000
"""How many nodes, and how many words, are kept; about 100 bytes each. Beyond it the memory starts afresh."""

# A node's state in one integer, so that one dictionary look-up answers all: id << 5 | flags | kinds.
KINDS = 7
DESCRIBED = 8
STATED = 16
SHIFT = 5


class Memory:
    """One tenant, as one process knows it."""

    def __init__(self) -> None:
        self.tenant = 0
        self.generation = -1
        self.seen = -1
        self.words: dict[str, int] = {}
        self.texts: dict[int, str] = {}
        self.nodes: dict[str, int] = {}
        self.refs: dict[int, str] = {}
        self.run_sources: set[tuple[int, int]] = set()

    def forget(self, generation: int) -> None:
        """Start afresh."""
        self.generation = generation
        self.words, self.texts = {}, {}
        self.nodes, self.refs = {}, {}
        self.run_sources = set()

    def learn(self, words: dict[str, int], nodes: dict[str, int], run_sources: set[tuple[int, int]]) -> None:
        """Remember what was just committed."""
        if max(len(self.nodes), len(self.words), len(self.run_sources)) > KEPT:
            self.forget(self.generation)
        self.words.update(words)
        self.nodes.update(nodes)
        self.run_sources |= run_sources
