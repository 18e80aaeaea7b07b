"""The picture itself: boxes for nodes and cards, lines for edges, and the counts of what is not drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from provmodel.evidence import ORDER
from queries.answer import Edge, Graphed, Node
from queries.layout import Box, Route, lay_out
from queries.picture import cards
from queries.picture.naming import called, shortened, width
from queries.shown import edges_of, nodes_of

LIMIT = 300
"""So many boxes are drawn at most; more can't be read, and the table has them all."""
ROW = 22.0
"""The height of a row of a card; its head takes two, and its foot one."""
_LEAST, _PAD, _HEIGHT = 104.0, 36.0, 46.0
_CARD = 248.0
_MARKED = 112.0
"""What the words of a mark take, which stand in place of the second line."""


class Drawn(msgspec.Struct, frozen=True, omit_defaults=True):
    """A node in the picture: its top left corner, its size, and how many neighbours are not drawn. One that
    is folded stands for ``folded`` nodes.
    """

    ref: str
    kinds: tuple[str, ...]
    type: str
    name: str
    detail: str
    depth: int
    x: float
    y: float
    width: float
    height: float
    marks: tuple[str, ...] = ()
    target: bool = False
    beyond: int = 0
    folded: int = 0


class Card(msgspec.Struct, frozen=True):
    """Many like nodes as one box: all ``members``, of which the first ``shown`` stand in rows."""

    id: str
    near: str
    side: str
    term: str
    argument: str
    type: str
    marks: tuple[str, ...]
    kinds: tuple[str, ...]
    members: tuple[str, ...]
    shown: int
    evidence: tuple[tuple[str, int], ...]
    x: float
    y: float
    width: float
    height: float


class Join(msgspec.Struct, frozen=True):
    """One argument of one relation that a line stands for."""

    relation: str
    term: str
    argument: str
    role: str
    evidence: str
    refuted: bool


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """All edges between two boxes as one line; ``cause`` and ``effect`` are references, or ids of cards.

    ``evidence`` is the best of the edges that nobody refuted; it is empty when all are (``refuted``), and
    when the reader may not know it. ``joins`` is empty at a card: its members' edges stand in the answer.
    ``points`` run from cause to effect, as those of :class:`queries.layout.Route`.
    """

    cause: str
    effect: str
    evidence: str
    joins: tuple[Join, ...]
    count: int
    points: tuple[float, ...]
    lane: bool
    refuted: bool = False


class Picture(msgspec.Struct, frozen=True):
    """A picture and what it stands for. Counts are the answer's; ``left_out`` nodes are not in it at all."""

    width: float
    height: float
    nodes: tuple[Drawn, ...]
    cards: tuple[Card, ...]
    lines: tuple[Line, ...]
    node_count: int
    edge_count: int
    left_out: int
    crossings: int


def draw(graph: Graphed, opened: Mapping[str, int] | None = None, limit: int = LIMIT) -> Picture:
    """The picture of an answer's graph (``view=full``).

    ``opened`` gives for the id of a card how many rows it shows. Conditions and who was responsible are drawn
    like other edges, and their far ends as nodes.
    """
    edges = edges_of(graph)
    nodes = nodes_of(graph, edges)
    targets = {target.ref for target in graph.targets}
    held = cards.gather(nodes, edges, targets)
    card_of = {member: hand.id for hand, members in held.items() for member in members}
    alone = [node for node in nodes if node.ref not in card_of]
    kept = _nearest(alone, len(held), targets, limit)
    boxes = {node.ref: node for node in kept}
    hands = {hand.id: (hand, members) for hand, members in held.items() if hand.near in boxes}
    lines = _lines(edges, card_of, boxes.keys() | hands.keys())
    rows = {
        id_: min(len(members), max(cards.ROWS, (opened or {}).get(id_, 0)))
        for id_, (_, members) in hands.items()
    }
    order = [*boxes, *hands]
    at = {id_: number for number, id_ in enumerate(order)}
    drawing = lay_out(
        [_box(boxes[id_]) if id_ in boxes else _card_box(rows[id_]) for id_ in order],
        [(at[cause], at[effect]) for cause, effect in lines],
    )
    beyond = _beyond(edges, card_of, at)
    evidence = _evidence(edges, card_of)
    drawn = tuple(
        _drawn(node, drawing.places[at[ref]].x, drawing.places[at[ref]].y, ref in targets, beyond.get(ref, 0))
        for ref, node in boxes.items()
    )
    types = {node.ref: node for node in nodes}
    return Picture(
        width=drawing.width,
        height=drawing.height,
        nodes=drawn,
        cards=tuple(
            _card(
                hand,
                members,
                rows[id_],
                evidence.get(id_, ()),
                types,
                drawing.places[at[id_]].x,
                drawing.places[at[id_]].y,
            )
            for id_, (hand, members) in hands.items()
        ),
        lines=tuple(
            _line(cause, effect, joined, route, hands.keys().isdisjoint((cause, effect)))
            for ((cause, effect), joined), route in zip(lines.items(), drawing.routes, strict=True)
        ),
        node_count=len(nodes),
        edge_count=len(edges),
        left_out=len(nodes) - len(boxes) - sum([len(members) for _, members in hands.values()]),
        crossings=drawing.crossings,
    )


def _stands_out(node: Node) -> bool:
    return any(mark.kind in cards.APART for mark in node.marks)


def _nearest(nodes: Sequence[Node], taken: int, targets: set[str], limit: int) -> list[Node]:
    """The targets, what was retracted, and what is nearest, in the answer's own order."""
    if len(nodes) + taken <= limit:
        return list(nodes)
    ranked = sorted(nodes, key=lambda node: (node.ref not in targets, not _stands_out(node), node.depth))
    chosen = {node.ref for node in ranked[: max(1, limit - taken)]}
    return [node for node in nodes if node.ref in chosen]


Lines = dict[tuple[str, str], list[Edge]]


def _lines(edges: Sequence[Edge], card_of: Mapping[str, str], drawn: set[str]) -> Lines:
    """The edges between each two boxes that are drawn: (cause, effect) in the order first met."""
    found: Lines = {}
    for edge in edges:
        cause, effect = card_of.get(edge.target, edge.target), card_of.get(edge.source, edge.source)
        if cause != effect and cause in drawn and effect in drawn:
            found.setdefault((cause, effect), []).append(edge)
    return found


def _beyond(edges: Sequence[Edge], card_of: Mapping[str, str], drawn: Mapping[str, int]) -> dict[str, int]:
    """For each node drawn, how many of its neighbours are in no box."""
    missing: dict[str, set[str]] = {}
    for edge in edges:
        for near, far in ((edge.source, edge.target), (edge.target, edge.source)):
            if near in drawn and far not in drawn and card_of.get(far, "") not in drawn:
                missing.setdefault(near, set()).add(far)
    return {ref: len(refs) for ref, refs in missing.items()}


def _box(node: Node) -> Box:
    name, detail = called(node.ref, node.type)
    wide = max(width(shortened(name)), width(shortened(detail), 11.0), _MARKED if node.marks else 0.0)
    is_round = "entity" in node.kinds
    return Box(round(max(_LEAST, wide * (1.18 if is_round else 1.0) + _PAD)), _HEIGHT, is_round)


def _card_box(rows: int) -> Box:
    return Box(_CARD, ROW * (rows + 3))


def _drawn(node: Node, x: float, y: float, target: bool, beyond: int) -> Drawn:
    box = _box(node)
    name, detail = called(node.ref, node.type)
    marks = tuple(dict.fromkeys(mark.kind for mark in node.marks))
    return Drawn(
        node.ref,
        node.kinds,
        node.type,
        name,
        detail,
        node.depth,
        x,
        y,
        box.width,
        box.height,
        marks,
        target,
        beyond,
        node.members,
    )


Counted = tuple[tuple[str, int], ...]
"""How many edges have each kind of evidence, the best first."""


def _evidence(edges: Sequence[Edge], card_of: Mapping[str, str]) -> dict[str, Counted]:
    """What is known of the edges of each card."""
    counted: dict[str, dict[str, int]] = {}
    for edge in edges:
        card = card_of.get(edge.target) or card_of.get(edge.source)
        if card and edge.evidence:
            words = counted.setdefault(card, dict.fromkeys(ORDER, 0))
            words[edge.evidence] += 1
    return {card: tuple((word, n) for word, n in words.items() if n) for card, words in counted.items()}


def _card(
    hand: cards.Hand,
    members: tuple[str, ...],
    shown: int,
    evidence: Counted,
    nodes: Mapping[str, Node],
    x: float,
    y: float,
) -> Card:
    box = _card_box(shown)
    return Card(
        hand.id,
        hand.near,
        hand.side,
        hand.term,
        hand.argument,
        hand.type,
        hand.marks,
        nodes[members[0]].kinds,
        members,
        shown,
        evidence,
        x,
        y,
        box.width,
        box.height,
    )


def _line(cause: str, effect: str, edges: Sequence[Edge], route: Route, each: bool) -> Line:
    joins = dict.fromkeys(
        Join(edge.relation, edge.term, edge.argument, edge.role, edge.evidence, edge.refuted)
        for edge in (edges if each else ())
    )
    standing = {edge.evidence for edge in edges if not edge.refuted}
    best = next((word for word in ORDER if word in standing), "")
    refuted = all(edge.refuted for edge in edges)
    return Line(cause, effect, best, tuple(joins), len(edges), route.points, route.lane, refuted)
