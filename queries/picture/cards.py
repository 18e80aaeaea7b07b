"""Cards: many like nodes that hang on one node alone, told as one."""

from __future__ import annotations

from collections.abc import Sequence, Set

import msgspec

from provmodel.names import split
from queries.answer import Edge, Node

FEWEST = 9
"""So many like nodes become a card; eight are still read one by one."""
APART = frozenset({"retracted", "withdrawn", "conflict"})
"""A node with one of these marks stands for itself: it is what is looked for."""
ROWS = 4
"""So many of them a card shows when nobody asked for more."""


class Hand(msgspec.Struct, frozen=True, order=True):
    """Like nodes beside ``near``: joined to it alone, the same way, by the same argument, and marked alike.

    ``type`` is what they all are: a type (``clew:ModelCall``), or else the scheme of their references.
    """

    near: str
    side: str
    term: str
    argument: str
    type: str
    marks: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The name by which a card is opened; no reference holds a blank."""
        alike = (self.type or "-", ",".join(self.marks) or "-")
        return " ".join(("card", self.side, self.term, self.argument, *alike, self.near))


def gather(nodes: Sequence[Node], edges: Sequence[Edge], apart: Set[str]) -> dict[Hand, tuple[str, ...]]:
    """The cards of a graph and their members, in the order of ``nodes``.

    Nodes in ``apart`` stand for themselves, and so does what was retracted or is in conflict.
    """
    hands: dict[str, Hand | None] = {}
    for edge in edges:
        _hold(hands, edge.target, Hand(edge.source, "cause", edge.term, edge.argument, ""))
        _hold(hands, edge.source, Hand(edge.target, "effect", edge.term, edge.argument, ""))
    found: dict[Hand, list[str]] = {}
    for node in nodes:
        hand = hands.get(node.ref)
        marks = tuple(sorted({mark.kind for mark in node.marks}))
        if hand is not None and node.ref not in apart and APART.isdisjoint(marks):
            alike = msgspec.structs.replace(hand, type=node.type or split(node.ref).scheme, marks=marks)
            found.setdefault(alike, []).append(node.ref)
    return {hand: tuple(members) for hand, members in found.items() if len(members) >= FEWEST}


def _hold(hands: dict[str, Hand | None], ref: str, hand: Hand) -> None:
    """Note that ``ref`` is joined so; once it is joined in two ways it belongs to no card."""
    if ref not in hands:
        hands[ref] = hand
    elif hands[ref] != hand:
        hands[ref] = None
