"""What decides a walk, and what it comes to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set

import msgspec

from provmodel.evidence import ALL_EVIDENCE, Evidence
from provmodel.relations import Flow, codes_of
from queries.cursor import Position
from queries.links import Link
from queries.parts import Keeps
from queries.policy import Policy
from queries.siblings import Bridge

HUB = 1000
"""Neighbours one way beyond which a node is not expanded (model, section 2)."""

ALL_CODES = codes_of(frozenset(Flow))

COUNTED = 100
"""Up to here the frontier is counted exactly (design, section 4)."""


class Edge(msgspec.Struct, frozen=True):
    """Where the walk stopped at one node: neighbours not visited, and why (depth, max_nodes, hub, page,
    deadline or stop_at).
    """

    count: int
    exact: bool
    reason: str


class Trip(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides a walk. ``keeps`` says of a start node's own edges which are of the part asked for.
    ``wide`` reads with the edges to cross all others of the same way, for whoever lists them; ``lean`` reads
    no more of an edge than a walk needs; ``bare`` tells of no edges at all; ``near`` expects to stay near its
    starts, where reading rows costs less than the index. ``seconds`` is how long the walk
    may go on, on the wall, before it is cut at a whole level.
    ``seeds`` are nodes at which it begins too, each at its depth, and ``given`` the edges that lead to
    them."""

    starts: tuple[int, ...]
    policy: Policy
    as_of: int
    evidence: frozenset[Evidence] = ALL_EVIDENCE
    depth: int = 40
    max_nodes: int = 20_000
    stop_at: frozenset[str] = frozenset()
    expand: frozenset[int] = frozenset()
    include_refuted: bool = False
    position: Position = Position()
    siblings: bool = False
    keeps: Keeps | None = None
    wide: bool = False
    lean: bool = False
    bare: bool = False
    near: bool = False
    seconds: float = math.inf
    seeds: Mapping[int, int] = {}
    given: tuple[Link, ...] = ()


class Walked(msgspec.Struct, frozen=True):
    """What a walk found. ``depths`` holds this page's nodes; ``links`` the edges among them and those of
    earlier pages, the refuted ones that were met included; ``next`` is where to go on, None when there is
    nothing more, and ``cut`` whether that is further along the same way. ``before`` are the nodes of earlier
    pages, by depth, ``known`` those between which the page before could tell of edges that lead from no
    ``late`` one (:class:`queries.paging.Page`), ``rest`` those of its last level that later ones show;
    ``crossed`` is every edge of the way from the start nodes, for paths, which may lead over the rest.
    ``left_out`` counts the edges of this page's nodes that only other evidence supports, where it is known.
    """

    depths: dict[int, int]
    links: list[Link]
    bridges: list[Bridge]
    frontier: dict[int, Edge]
    next: Position | None
    before: dict[int, int]
    crossed: list[Link]
    aside: list[Link]
    read: set[int]
    known: Set[int] = frozenset()
    late: Set[int] = frozenset()
    rest: Set[int] = frozenset()
    cut: bool = False
    unapplied: bool = False
    left_out: int | None = None

    @property
    def truncated(self) -> bool:
        """Whether a limit cut the walk; where the reader asked it to stop is no cut."""
        return self.next is not None or any(edge.reason != "stop_at" for edge in self.frontier.values())
