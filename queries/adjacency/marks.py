"""Which nodes a walk has reached: a byte for each node of the index.

An array of a byte a node is made once and given back clean, so that a small walk in a large store does not
pay for pages of memory that it touches for the first time.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain

from queries.adjacency.arrays import Ints, np
from queries.adjacency.columns import view_of

REACHED = 255
"""More than a table says of any row (:mod:`queries.adjacency.crossing`)."""

Nodes = list[int] | Ints

_RUNS = 32
"""Nodes in an ascending run, on average, from which on merging is the faster way to sort."""
_KEPT = 4
"""Arrays kept for the next walks."""
_CLEANED = 8
"""An array is cleaned node by node when at most one in so many was reached; else all at once."""


class Marks:
    """``array`` holds ``REACHED`` for each node reached, else less; ``view`` is the same for single nodes.

    Nodes wait for the next level until :meth:`waiting` tells of them.
    """

    def __init__(self, pool: list[Ints], size: int) -> None:
        self._pool = pool
        self._batches: list[Nodes] = []
        self._waiting: list[Nodes] = []
        array = np.empty(0, np.uint8)
        with suppress(IndexError):  # another walk may take the last one
            array = pool.pop()
        self.array = array if len(array) == size else np.zeros(size, np.uint8)
        self.view = view_of(self.array)

    def enter(self, nodes: Nodes) -> Nodes:
        """Those not reached yet, each once; an array as indices, ascending. They are reached now."""
        nodes = self._unseen(nodes)
        self._batches.append(nodes)
        if isinstance(nodes, list):
            view = self.view
            for node in nodes:
                view[node] = REACHED
        else:
            self.array[nodes] = REACHED
        return nodes

    def _unseen(self, nodes: Nodes) -> Nodes:
        nodes = once(nodes)
        if isinstance(nodes, list):
            view = self.view
            return [node for node in nodes if not view[node]]
        marks = self.array.take(nodes)
        return nodes.compress(marks == 0) if marks.any() else nodes

    def wait(self, nodes: Nodes) -> None:
        """Let nodes, reached or not, wait for the next level."""
        self._waiting.append(nodes)

    def waiting(self) -> Nodes:
        """Those that waited and are not reached yet. They wait no longer."""
        nodes = self._unseen(joined(self._waiting))
        self._waiting = []
        return nodes

    def next(self) -> Nodes:
        """Enter those that waited."""
        return self.enter(self.waiting())

    def has(self, node: int) -> bool:
        """Whether a node is reached."""
        return bool(self.view[node] == REACHED)

    def give_back(self) -> None:
        """Make the array clean for the next walk; this one is over, and what it gave out may change."""
        array, batches = self.array, self._batches
        if len(self._pool) >= _KEPT:
            return
        if sum(map(len, batches)) * _CLEANED > len(array):
            array.fill(0)
        else:
            array[[node for batch in batches if isinstance(batch, list) for node in batch]] = 0
            for batch in batches:
                if not isinstance(batch, list):
                    array[batch] = 0
        self._pool.append(array)


def once(nodes: Nodes) -> Nodes:
    """Each of some nodes once; of an array ascending, as indices.

    Often they come so; else they mostly occur once, and where nodes that were numbered together are
    neighbours, in few ascending runs, which merging sorts in a quarter of the time.
    """
    if isinstance(nodes, list):
        return list(dict.fromkeys(nodes))
    first = np.empty(len(nodes), bool)
    first[:1] = True
    np.greater(nodes[1:], nodes[:-1], out=first[1:])
    if not first.all():
        descents = np.count_nonzero(nodes[1:] < nodes[:-1])
        if descents:
            nodes = np.sort(nodes.astype(np.uint32), kind="stable" if descents * _RUNS < len(nodes) else None)
            np.not_equal(nodes[1:], nodes[:-1], out=first[1:])
        nodes = nodes.compress(first)
    return nodes.astype(np.intp, copy=False)


def joined(parts: list[Nodes]) -> Nodes:
    """Several lists or arrays as one."""
    parts = [part for part in parts if len(part) > 0]
    if len(parts) < 2:
        return parts[0] if parts else []
    lists = [part for part in parts if isinstance(part, list)]
    if len(lists) == len(parts):
        return list(chain.from_iterable(lists))
    return np.concatenate([np.asarray(part, np.intp) if isinstance(part, list) else part for part in parts])
