"""Reading the rows of a walk from its graph: those of its start nodes, and of any others but hubs."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence, Set
from functools import lru_cache

from provmodel.relations import Flow, Kind, codes_of, kind_words
from queries.cursor import Position
from queries.graph import Graph, Row, Way
from queries.links import Link, ends, links_of, weighed
from queries.paging import Page
from queries.policy import flows_of
from queries.trip import ALL_CODES, COUNTED, HUB, Edge, Trip


class Rows:
    """What a walk reads row by row. ``stopped`` are nodes that it does not go on from; ``slice`` is the page
    of a start node with too many neighbours that comes next; ``aside`` are the edges of a wide read that are
    not to be crossed, ``read`` the nodes whose edges were read whole; ``unlike`` names the node of each edge
    that only other evidence supports; ``unasked`` counts rows read.
    """

    def __init__(self, graph: Graph, trip: Trip) -> None:
        self.graph = graph
        self.trip = trip
        self.way = trip.policy.way
        self.first_codes = first_codes(graph, trip)
        self.stopped: dict[int, Edge] = {}
        self.slice: Position | None = None
        self.aside: list[Link] = []
        self.read: set[int] = set()
        self.unlike: list[int] = []
        self.unasked = 0
        self._started: list[Link] | None = None
        self._then: tuple[dict[int, Edge], list[Link], set[int]] = ({}, [], set())

    # Start nodes

    def starts(self) -> list[Link]:
        """The edges of the start nodes that are of the part asked for. They are read once; asked for again,
        a walk begins anew.
        """
        if self._started is None:
            links = self._start_links()
            keeps = self.trip.keeps
            self._started = [link for link in links if keeps is None or keeps(link)]
            self._then = (dict(self.stopped), list(self.aside), set(self.read))
        stopped, aside, read = self._then
        self.unlike = []
        self.stopped, self.aside, self.read = dict(stopped), list(aside), set(read)
        return self._started

    def _start_links(self) -> list[Link]:
        links: list[Link] = []
        hubs: list[int] = []
        for codes in dict.fromkeys(self.first_codes.values()):
            alike = [node for node, its in self.first_codes.items() if its == codes]
            found, large = self.guarded(alike, codes)
            links += found
            hubs += large
        if not hubs:
            return links
        position = self.trip.position
        begun = position.neighbour >= 0 or position.hub > 0
        paged = links_of(self._slice(hubs, position), self.trip.evidence)
        return paged if begun else links + paged

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

    def crossed(self, links: Iterable[Link]) -> tuple[list[Link], list[Link]]:
        """Those that are crossed; and of the others the refuted ones, which are told all the same. From where
        others lead, which only evidence supports that was not asked for, is noted in ``unlike``."""
        crossed: list[Link] = []
        refuted: list[Link] = []
        every = self.trip.include_refuted
        for link in links:
            if link.supporting and (every or not link.refuted):
                crossed.append(link)
            elif link.refuted:
                refuted.append(link)
            else:
                self.unlike.append(ends(link, self.way)[0])
        return crossed, refuted

    def left_out(self, nodes: Container[int]) -> int | None:
        """How many edges of these nodes only other evidence supports; None where edges are not read."""
        return None if self.trip.bare else sum(1 for node in self.unlike if node in nodes)

    # Any nodes

    def of(self, nodes: list[int]) -> list[Link]:
        """The edges to cross from nodes that are no start nodes; hubs among them are stopped at."""
        links, hubs = self.guarded(nodes, self.trip.policy.codes)
        self.stopped.update(dict.fromkeys(hubs, Edge(COUNTED, False, "hub")))
        return links

    def guarded(self, nodes: list[int], codes: Sequence[int]) -> tuple[list[Link], list[int]]:
        """Edges of all nodes but the hubs among them, and the hubs.

        Mostly one read: nodes are counted only when the rows are too many for all to be small.
        """
        if not nodes:
            return [], []
        limit = 4 * HUB + 16 * len(nodes)
        links, rows = self._read(nodes, codes, limit)
        if rows <= HUB:
            return self._kept(links, codes, nodes), []
        whole = rows < limit
        if whole:
            wanted = frozenset(codes)
            counts = _neighbours([link for link in links if link.code in wanted], self.way)
        else:
            counts = self.graph.degrees(nodes, self.way, codes, self.trip.as_of, HUB + 1)
        hubs = [node for node in nodes if counts.get(node, 0) > HUB and node not in self.trip.expand]
        small = [node for node in nodes if node not in set(hubs)]
        if not whole or hubs:
            links = self._read(small, codes, None)[0] if small else []
        return self._kept(links, codes, small), hubs

    def all_of(self, nodes: list[int]) -> tuple[list[Link], list[Link]]:
        """As :meth:`crossed`, the edges of nodes of which none is a hub."""
        if not nodes:
            return [], []
        trip, codes = self.trip, self.trip.policy.codes
        links = self.graph.links(nodes, self.way, self._codes_read(codes), trip.as_of)
        return self.crossed(self._kept(weighed(links, trip.evidence), codes, nodes))

    def _codes_read(self, codes: Sequence[int]) -> Sequence[int]:
        return ALL_CODES if self.trip.wide and not self.trip.bare else codes

    def _read(self, nodes: list[int], codes: Sequence[int], limit: int | None) -> tuple[list[Link], int]:
        """The edges of some nodes, and how many rows they have; when that is ``limit``, it is not all."""
        trip, wanted, graph = self.trip, self._codes_read(codes), self.graph
        if trip.lean:
            links = links_of(graph.rows(nodes, self.way, wanted, trip.as_of, limit, lean=True), trip.evidence)
        else:
            links = weighed(graph.links(nodes, self.way, wanted, trip.as_of, limit), trip.evidence)
        rows = sum([len(link.rows) for link in links])
        self.unasked += rows
        return links, rows

    def _kept(self, links: list[Link], codes: Sequence[int], nodes: Collection[int]) -> list[Link]:
        """The edges to cross; those that a wide read has beside them are put aside."""
        if not self.trip.wide or self.trip.bare:
            return links
        wanted = frozenset(codes)
        self.read.update(nodes)
        self.aside += [link for link in links if link.code not in wanted]
        return [link for link in links if link.code in wanted]

    def not_stopped(self, batch: list[int]) -> list[int]:
        """Those that the reader did not ask to stop at."""
        trip = self.trip
        if not trip.stop_at:
            return batch
        stopped = stopped_of(self.graph, batch, trip)
        counts = self.graph.degrees(stopped, self.way, trip.policy.codes, trip.as_of, COUNTED + 1)
        for node, count in counts.items():
            self.stopped[node] = counted(count, "stop_at")
        return [node for node in batch if node not in set(stopped)]

    def ordered(self, members: Iterable[int]) -> list[int]:
        """Members of a level in the order in which they are shown: start nodes, then by reference."""
        members = list(members)
        infos = self.graph.infos(members, self.trip.as_of)
        starts = frozenset(self.trip.starts)
        return sorted(members, key=lambda node: (node not in starts, infos[node].ref))


def within_and_beyond(
    links: Iterable[Link], way: Way, known: Set[int]
) -> tuple[list[Link], dict[int, set[int]]]:
    """Of these edges those between known nodes; and for each known node, the others that edges lead to."""
    within: list[Link] = []
    fars: dict[int, set[int]] = {}
    outward = way is Way.OUT
    for link in links:
        near, far = (link.source, link.target) if outward else (link.target, link.source)
        if near in known:
            if far in known:
                within.append(link)
            else:
                fars.setdefault(near, set()).add(far)
    return within, fars


def counted(count: int, reason: str) -> Edge:
    """Neighbours that were not visited, counted up to one more than ``COUNTED``."""
    return Edge(min(count, COUNTED), count <= COUNTED, reason)


def reason_of(page: Page, late: bool) -> str:
    """Why a walk with more to come was cut."""
    if page.next:
        return "max_nodes"
    return "deadline" if late else "depth"


def next_of(page: Page, rows: Rows, level: int, more: bool) -> Position | None:
    """Where to go on: at which level, and which page of the start nodes."""
    position = rows.trip.position
    hub = (position.hub, position.code, position.neighbour)
    if page.next:
        return Position(*page.next, *hub)
    if rows.slice:
        return rows.slice
    return Position(level, 0, *hub) if more else None


def first_codes(graph: Graph, trip: Trip) -> dict[int, tuple[int, ...]]:
    """What the first step from each start node crosses: also conditions of a class that the node itself is
    of.
    """
    infos, codes = graph.infos(trip.starts, trip.as_of), trip.policy.codes
    listed = flows_of(trip.policy.conditions)
    first: dict[int, tuple[int, ...]] = {}
    for node in trip.starts:
        kind = infos[node].kind if node in infos else 0
        own = {Flow.CONTROL} if kind & Kind.ENTITY else set()
        own |= {Flow.RESPONSIBILITY} if kind & Kind.AGENT else set()
        first[node] = _with_flows(codes, frozenset(own & listed))
    return first


@lru_cache(256)
def _with_flows(codes: tuple[int, ...], flows: frozenset[Flow]) -> tuple[int, ...]:
    return tuple(sorted({*codes, *codes_of(flows)}))


def _neighbours(links: Iterable[Link], way: Way) -> dict[int, int]:
    found: dict[int, set[int]] = {}
    for link in links:
        near, far = ends(link, way)
        found.setdefault(near, set()).add(far)
    return {node: len(fars) for node, fars in found.items()}


def stopped_of(graph: Graph, batch: list[int], trip: Trip) -> list[int]:
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
