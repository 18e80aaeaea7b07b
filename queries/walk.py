"""One walker for every policy: level by level through a graph, within limits, saying where it stopped.

Depth counts activities (:data:`queries.policy.COSTS`), so a level is closed under the steps that cost
nothing before the next begins. A walk

- crosses only edges that an assertion of the evidence set supports, and no refuted one unless asked (both
are told); - takes conditions (control, responsibility) as its first step when the start node itself is one;
- does not expand a node with over ``HUB`` neighbours one way, unless it is named in ``expand``; a start node
is expanded, in
  pages of ``HUB`` neighbours;
- clips at a whole level, or inside one that alone exceeds the limit, and says where to go on;
- passes through whatever is retracted, deleted or never described.

A page that goes on from a cursor walks the way again, so that nothing is shown twice and depths stay true.
The pages of a start node with too many neighbours are walks of their own: what two of them reach stands on
both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set

import msgspec

from provmodel.evidence import ALL_EVIDENCE, Evidence
from provmodel.relations import Flow, Kind, codes_of, kind_words
from queries.cursor import Position
from queries.graph import Graph, Row, Way
from queries.links import Link, ends, links_of
from queries.parts import Keeps
from queries.policy import COSTS, Policy, flows_of
from queries.siblings import Bridge, Reader, bridges

HUB = 1000
"""Neighbours one way beyond which a node is not expanded (model, section 2)."""

ALL_CODES = codes_of(frozenset(Flow))

ARGUMENTS = "arguments"  # the role in which an attempt uses the candidate it carries out

COUNTED = 100
"""Up to here the frontier is counted exactly (design, section 4)."""


class Edge(msgspec.Struct, frozen=True):
    """Where the walk stopped at one node: neighbours not visited, and why (depth, max_nodes, hub, page or
    stop_at).
    """

    count: int
    exact: bool
    reason: str


class Trip(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides a walk. ``keeps`` says of a start node's own edges which are of the part asked for.
    ``wide`` reads with the edges to cross all others of the same way, for whoever lists them; ``lean`` reads
    no more of an edge than a walk needs.
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
    seeds: Mapping[int, int] = {}
    given: tuple[Link, ...] = ()


class Walked(msgspec.Struct, frozen=True):
    """What a walk found. ``depths`` holds this page's nodes; ``links`` the edges among them and those of
    earlier pages, the refuted ones that were met included; ``next`` is where to go on, None when there is
    nothing more. ``before`` are the nodes of earlier pages, ``crossed`` every edge of the way from the start
    nodes, for paths."""

    depths: dict[int, int]
    links: list[Link]
    bridges: list[Bridge]
    frontier: dict[int, Edge]
    next: Position | None
    before: set[int]
    crossed: list[Link]
    aside: list[Row]
    read: set[int]
    unapplied: bool = False

    @property
    def truncated(self) -> bool:
        """Whether a limit cut the walk; where the reader asked it to stop is no cut."""
        return self.next is not None or any(edge.reason != "stop_at" for edge in self.frontier.values())


def walk(graph: Graph, trip: Trip) -> Walked:
    """Walk; the cost is one read of rows for each level and step that costs nothing.

    Where texts cite sources for writes proposed beside them, the walk is made again with what that leads to.
    """
    over: dict[int, int] = {}
    through: dict[int, int] = {}
    while True:
        walker = _Walker(graph, trip, over, through)
        walker.run()
        if not trip.siblings:
            return walker.told(())
        found = bridges(walker.reader, walker.links, walker.way, walker.actions)
        more = _beyond(found, walker.seen, over, through)
        if not more:
            return walker.told(found)


def _beyond(found: list[Bridge], seen: dict[int, int], over: dict[int, int], through: dict[int, int]) -> bool:
    """Note where bridges lead, at which depth, and what they lead over; False when all of it was known."""
    more = False
    for bridge in found:
        depth = seen[bridge.near] + 1
        if bridge.far not in seen or seen[bridge.far] > depth:
            more = more or over.get(bridge.far, depth + 1) > depth
            over[bridge.far] = min(depth, over.get(bridge.far, depth))
        for node in bridge.through:
            if node not in seen or seen[node] > depth:
                more = more or through.get(node, depth + 1) > depth
                through[node] = min(depth, through.get(node, depth))
    return more


class _Walker:
    """One walk under way. ``seen`` are nodes reached, by depth; ``passed`` those that only a bridge leads
    over.
    """

    def __init__(self, graph: Graph, trip: Trip, over: Mapping[int, int], through: Mapping[int, int]) -> None:
        self.graph = graph
        self.trip = trip
        self.way = trip.policy.way
        self.costs = COSTS[self.way]
        self.reader = Reader(graph, trip.as_of, trip.evidence, trip.include_refuted, [])
        self.first_codes = _first_codes(graph, trip)
        self.actions = set(self.reader.candidates(trip.starts)) if trip.siblings else set()
        self.seen: dict[int, int] = dict.fromkeys(trip.starts, 0)
        self.seeds = {**trip.seeds, **over}
        self.passed = through
        self.pending: dict[int, None] = {}
        self.links: list[Link] = list(trip.given)
        self.refuted: list[Link] = []
        self.stopped: dict[int, Edge] = {}
        self.slice: Position | None = None
        self.begun = False
        self.aside: list[Row] = []
        self.read: set[int] = set()
        self.page = _Page(trip.position, trip.max_nodes, frozenset(trip.starts))
        self.level = 0
        self.more = False

    def run(self) -> None:
        trip, batch = self.trip, list(self.trip.starts)
        last_seed = max(self.seeds.values(), default=-1)
        while (batch or self.level <= last_seed) and self.level <= trip.position.level + trip.depth:
            members = self._close(self.level, batch + self._seeds(self.level, batch))
            batch = [node for node in self.pending if node not in self.seen]
            self.pending = {}
            self.page.take(self.level, members, self._ordered)
            if self.page.next:
                break
            self.level += 1
        self.more = bool(batch)

    def _seeds(self, level: int, batch: list[int]) -> list[int]:
        here = set(batch)
        return [
            node
            for node, depth in self.seeds.items()
            if depth == level and node not in self.seen and node not in here
        ]

    def _close(self, level: int, batch: list[int]) -> list[int]:
        """Everything of this level: what steps without cost lead to from ``batch``; the next level waits in
        pending.
        """
        members: list[int] = []
        while batch:
            members += [node for node in batch if self.passed.get(node, level) >= level]
            self.seen.update(dict.fromkeys(batch, level))
            batch = self._step(level, batch)
        members += [node for node, depth in self.passed.items() if depth == level and node not in self.seen]
        return members

    def _step(self, level: int, batch: list[int]) -> list[int]:
        links = links_of(self._rows(level, batch), self.trip.evidence)
        if self.trip.keeps and level == 0:
            links = [link for link in links if self._of_part(link, self.trip.keeps)]
        crossed = [link for link in links if self._open(link)]
        self.links += crossed
        if len(crossed) < len(links):
            self.refuted += [link for link in links if link.refuted and not self._open(link)]
        fars = [link.target for link in crossed] if self.way is Way.OUT else [link.source for link in crossed]
        near = self._sort(crossed, fars)
        if self.trip.siblings:
            self.actions.update(
                far for link, far in zip(crossed, fars, strict=True) if link.role == ARGUMENTS
            )
        return near

    def _sort(self, crossed: list[Link], fars: list[int]) -> list[int]:
        """What was reached for the first time: returned when the step cost nothing, else left pending."""
        near: dict[int, None] = {}
        seen, pending, costs = self.seen, self.pending, self.costs
        for link, far in zip(crossed, fars, strict=True):
            if far not in seen:
                (pending if costs[link.code] else near)[far] = None
        return list(near)

    def _of_part(self, link: Link, keeps: Keeps) -> bool:
        return ends(link, self.way)[0] not in self.trip.starts or keeps(link)

    # Reading rows

    def _rows(self, level: int, batch: list[int]) -> list[Row]:
        if level == 0 and not self.begun:
            self.begun = True
            rest = [node for node in batch if node not in self.first_codes]
            return self._start_rows() + (self._rows(level, rest) if rest else [])
        if self.trip.stop_at:
            batch = self._not_stopped(batch)
        rows, hubs = self._guarded(batch, self.trip.policy.codes)
        self.stopped.update(dict.fromkeys(hubs, Edge(COUNTED, False, "hub")))
        return rows

    def _start_rows(self) -> list[Row]:
        rows: list[Row] = []
        hubs: list[int] = []
        for codes in dict.fromkeys(self.first_codes.values()):
            alike = [node for node, its in self.first_codes.items() if its == codes]
            found, large = self._guarded(alike, codes)
            rows += found
            hubs += large
        if not hubs:
            return rows
        position = self.trip.position
        begun = position.neighbour >= 0 or position.hub > 0
        return self._slice(hubs, position) if begun else rows + self._slice(hubs, position)

    def _slice(self, hubs: list[int], position: Position) -> list[Row]:
        """The next neighbours of the start node whose turn it is."""
        turn = min(position.hub, len(hubs) - 1)
        hub = hubs[turn]
        self.stopped.update(dict.fromkeys(hubs[turn + 1 :], Edge(COUNTED, False, "page")))
        rows = self._page(hub, (position.code, position.neighbour), HUB)
        last = self._place(rows[-1]) if rows else (position.code, position.neighbour)
        left = len({self._place(row) for row in self._page(hub, last, COUNTED + 1)})
        if left:
            self.slice = Position(0, 0, turn, *last)
            self.stopped[hub] = Edge(min(left, COUNTED), left <= COUNTED, "page")
        elif turn + 1 < len(hubs):
            self.slice = Position(0, 0, turn + 1)
        return rows

    def _page(self, hub: int, after: tuple[int, int], limit: int) -> list[Row]:
        return self.graph.page(hub, self.way, self.first_codes[hub], self.trip.as_of, after, limit)

    def _place(self, row: Row) -> tuple[int, int]:
        return (row.code, row.target if self.way is Way.OUT else row.source)

    def _guarded(self, nodes: list[int], codes: Sequence[int]) -> tuple[list[Row], list[int]]:
        """Rows of all nodes but the hubs among them, and the hubs.

        Mostly one read: nodes are counted only when the rows are too many for all to be small.
        """
        if not nodes:
            return [], []
        limit = 4 * HUB + 16 * len(nodes)
        rows = self._read(nodes, codes, limit)
        if len(rows) <= HUB:
            return self._kept(rows, codes, nodes), []
        whole = len(rows) < limit
        if whole:
            counts = _neighbours(self._kept(rows, codes, ()), self.way)
        else:
            counts = self.graph.degrees(nodes, self.way, codes, self.trip.as_of, HUB + 1)
        hubs = [node for node in nodes if counts.get(node, 0) > HUB and node not in self.trip.expand]
        small = [node for node in nodes if node not in set(hubs)]
        if whole and not hubs:
            return self._kept(rows, codes, nodes), []
        return self._kept(self._read(small, codes, None) if small else [], codes, small), hubs

    def _read(self, nodes: list[int], codes: Sequence[int], limit: int | None) -> list[Row]:
        wanted = ALL_CODES if self.trip.wide else codes
        return self.graph.rows(nodes, self.way, wanted, self.trip.as_of, limit, self.trip.lean)

    def _kept(self, rows: list[Row], codes: Sequence[int], nodes: Collection[int]) -> list[Row]:
        """The rows to cross. Of a wide read the others are put aside, once what was read is final
        (``nodes``).
        """
        if not self.trip.wide:
            return rows
        wanted = frozenset(codes)
        if nodes:
            self.read.update(nodes)
            self.aside += [row for row in rows if row.code not in wanted]
        return [row for row in rows if row.code in wanted]

    def _not_stopped(self, batch: list[int]) -> list[int]:
        stopped = _stopped(self.graph, batch, self.trip)
        counts = self.graph.degrees(stopped, self.way, self.trip.policy.codes, self.trip.as_of, COUNTED + 1)
        for node, count in counts.items():
            self.stopped[node] = Edge(min(count, COUNTED), count <= COUNTED, "stop_at")
        return [node for node in batch if node not in set(stopped)]

    # What is told

    def _ordered(self, members: Iterable[int]) -> list[int]:
        members = list(members)
        infos = self.graph.infos(members, self.trip.as_of)
        starts = frozenset(self.trip.starts)
        return sorted(members, key=lambda node: (node not in starts, infos[node].ref))

    def told(self, found: Iterable[Bridge]) -> Walked:
        """What the page shows, with the bridges among it."""
        page = self.page
        known = page.before | page.nodes.keys() if page.before else page.nodes.keys()
        cut = self.more or page.next is not None
        if cut or page.before:
            crossed = [link for link in self.links if link.source in known and link.target in known]
        else:
            crossed = self.links
        refuted = [link for link in self.refuted if ends(link, self.way)[0] in page.nodes]
        return Walked(
            depths=page.nodes,
            links=_of_page(crossed, page) + refuted,
            bridges=[bridge for bridge in found if {bridge.far, *bridge.through} <= known],
            frontier=self._frontier(page, known, cut),
            next=self._next(page),
            before=page.before,
            crossed=crossed,
            aside=self.aside,
            read=self.read,
            unapplied=bool(self.reader.missed),
        )

    def _frontier(self, page: _Page, known: Set[int], cut: bool) -> dict[int, Edge]:
        frontier = {node: edge for node, edge in self.stopped.items() if node in page.nodes}
        reason = "max_nodes" if page.next else "depth"
        beyond: defaultdict[int, set[int]] = defaultdict(set)
        for link in self.links if cut else ():
            near, far = ends(link, self.way)
            if near in known and far not in known:
                beyond[near].add(far)
        for near, fars in beyond.items():
            frontier[near] = Edge(min(len(fars), COUNTED), len(fars) <= COUNTED, reason)
        return frontier

    def _open(self, link: Link) -> bool:
        return link.supporting > 0 and (self.trip.include_refuted or not link.refuted)

    def _next(self, page: _Page) -> Position | None:
        position = self.trip.position
        hub = (position.hub, position.code, position.neighbour)
        if page.next:
            return Position(*page.next, *hub)
        if self.slice:
            return self.slice
        return Position(self.level, 0, *hub) if self.more else None


class _Page:
    """Which nodes are shown: whole levels from the position on, as many as there is room for."""

    def __init__(self, position: Position, room: int, starts: frozenset[int]) -> None:
        self.position = position
        self.room = room
        self.starts = frozenset() if position.hub == 0 and position.neighbour < 0 else starts
        self.nodes: dict[int, int] = {}
        self.before: set[int] = set(self.starts)
        self.next: tuple[int, int] | None = None

    def take(self, level: int, members: list[int], ordered: Callable[[Iterable[int]], list[int]]) -> None:
        if level < self.position.level:
            self.before.update(members)
            return
        offset = self.position.offset if level == self.position.level else 0
        fresh = [node for node in members if node not in self.starts]
        room = self.room - len(self.nodes)
        if not offset and len(fresh) <= room:
            self.nodes.update(dict.fromkeys(fresh, level))
        elif level > self.position.level:
            self.next = (level, 0)
        else:
            self._cut(level, offset, room, ordered(fresh))

    def _cut(self, level: int, offset: int, room: int, fresh: list[int]) -> None:
        """A level that alone exceeds the limit is shown in parts, in the order of references."""
        self.before.update(fresh[:offset])
        self.nodes.update(dict.fromkeys(fresh[offset : offset + room], level))
        if offset + room < len(fresh):
            self.next = (level, offset + room)


def _of_page(crossed: list[Link], page: _Page) -> list[Link]:
    """Those of which an end is shown on this page for the first time."""
    if not page.before:
        return crossed
    nodes = page.nodes
    return [link for link in crossed if link.source in nodes or link.target in nodes]


def _first_codes(graph: Graph, trip: Trip) -> dict[int, tuple[int, ...]]:
    """What the first step from each start node crosses: also conditions of a class that the node itself is
    of.
    """
    infos = graph.infos(trip.starts, trip.as_of)
    listed = flows_of(trip.policy.conditions)
    first: dict[int, tuple[int, ...]] = {}
    for node in trip.starts:
        kind = infos[node].kind if node in infos else 0
        own = {Flow.CONTROL} if kind & Kind.ENTITY else set()
        own |= {Flow.RESPONSIBILITY} if kind & Kind.AGENT else set()
        first[node] = tuple(sorted({*trip.policy.codes, *codes_of(frozenset(own & listed))}))
    return first


def _neighbours(rows: Iterable[Row], way: Way) -> dict[int, int]:
    found: dict[int, set[int]] = {}
    for row in rows:
        near, far = (row.source, row.target) if way is Way.OUT else (row.target, row.source)
        found.setdefault(near, set()).add(far)
    return {node: len(fars) for node, fars in found.items()}


def _stopped(graph: Graph, batch: list[int], trip: Trip) -> list[int]:
    """Those of ``batch`` whose kind (entity) or type (clew:Attempt) the walk is to stop at; never a start
    node.
    """
    infos = graph.infos(batch, trip.as_of)
    types = graph.attributes(batch, trip.as_of, ("prov:type",))
    return [
        node
        for node in batch
        if node not in trip.starts
        and trip.stop_at & {*kind_words(infos[node].kind), *(row.value for row in types.get(node, ()))}
    ]
