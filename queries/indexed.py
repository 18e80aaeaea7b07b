"""A walk by the compact index (:mod:`queries.adjacency`): level by level through arrays, and what is told of
the edges read in one go, for the nodes of the page alone.

It comes to what a walk by rows comes to. The edges of the start nodes are read from the graph in both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set

from queries.adjacency import Crossing, Reach, View
from queries.adjacency.columns import ARGUMENTS
from queries.adjacency.marks import Nodes, joined
from queries.adjacency.reach import Stepped
from queries.graph import Way
from queries.links import Link, ends, once
from queries.nearby import GENERATED, Nearby, cited
from queries.paging import Deadline, Page, of_page
from queries.policy import COSTS
from queries.siblings import Bridge, Reader, beyond_bridges, bridges
from queries.starting import Rows, counted, next_of, reason_of, within_and_beyond
from queries.trip import COUNTED, HUB, Edge, Trip, Walked


def walk_index(rows: Rows, view: View) -> Walked:
    """Walk from the start nodes that ``rows`` reads."""
    walked, disturbed = _walk(rows, view, exact=False)
    if disturbed:
        walked, _ = _walk(rows, view, exact=True)
    return walked


def _walk(rows: Rows, view: View, exact: bool) -> tuple[Walked, bool]:
    trip = rows.trip
    over: dict[int, int] = {}
    through: dict[int, int] = {}
    reader = Reader(rows.graph, trip.as_of, trip.evidence, trip.include_refuted, [])
    actions = reader.candidates(trip.starts) if trip.siblings else frozenset()
    while True:
        crossing = crossing_of(trip, view, exact)
        walker = _Walker(rows, crossing, over, through)
        walker.run()
        found = walker.bridges(reader, actions) if trip.siblings and view.citations[0] else []
        done = not found or not beyond_bridges(found, walker.depths(), over, through)
        walked = walker.told(reader, actions, found) if done else None
        walker.marks.give_back()
        if walked:
            return walked, crossing.disturbed


def crossing_of(trip: Trip, view: View, exact: bool = False) -> Crossing:
    """What a walk crosses, as the index tells it."""
    way = trip.policy.way
    codes = trip.policy.codes
    return Crossing(view, way, codes, trip.as_of, trip.evidence, trip.include_refuted, COSTS[way], exact)


class _Walker:
    """One walk under way. ``levels`` are the nodes of each level, ``stepped`` those that were stepped from;
    ``passed`` are nodes that only a bridge leads over.
    """

    def __init__(
        self, rows: Rows, crossing: Crossing, over: Mapping[int, int], through: Mapping[int, int]
    ) -> None:
        trip = rows.trip
        self.rows = rows
        self.trip = trip
        self.way = trip.policy.way
        self.crossing = crossing
        self.exact = crossing.exact
        self.seeds = {**trip.seeds, **over}
        size = max((*trip.starts, *self.seeds, *through), default=0) + 1
        self.reach = Reach(crossing, HUB, trip.expand, watch=trip.siblings, size=size)
        self.passed = through
        self.marks = self.reach.marks
        self.links: list[Link] = list(trip.given)
        self.refuted: list[Link] = []
        self.levels: list[list[int]] = []
        self.stepped: list[int] = []
        self.begun = False
        self.unread: set[int] = set()
        self.page = Page(trip.position, trip.max_nodes, frozenset(trip.starts))
        self.deadline = Deadline(trip.seconds, trip.position)
        self.late = False
        self.level = 0
        self.more = False

    def run(self) -> None:
        trip = self.trip
        batch: Nodes = list(trip.starts)
        last_seed = max(self.seeds.values(), default=-1)
        while (len(batch) > 0 or self.level <= last_seed) and self.level <= trip.position.level + trip.depth:
            if self.deadline.passed(self.level):
                self.late = True
                break
            if self.seeds:
                seeds = [node for node, depth in self.seeds.items() if depth == self.level]
                batch = joined([batch, seeds])
            members = self._close(self.level, batch)
            batch = self.marks.waiting()
            self.levels.append(members)
            self.page.take(self.level, members, self.rows.ordered)
            if self.page.next:
                break
            self.level += 1
        self.more = len(batch) > 0 or not all(map(self.has, self.seeds))

    def _close(self, level: int, batch: Nodes) -> list[int]:
        """Everything of this level: what steps without cost lead to from ``batch``."""
        members: list[int] = []
        passed = self.passed
        batch = self.marks.enter(batch)
        while len(batch) > 0:
            nodes = _ints(batch)
            if self.begun and not passed and not self.trip.stop_at:
                stepped, reached = self.reach.close(batch)
                nodes += _ints(stepped)
                members += nodes
                batch = self._from(nodes, reached)
                continue
            # A node that a bridge leads over was shown at its level.
            members += [n for n in nodes if passed.get(n, level) >= level]
            self.page.come_to(level, [n for n in nodes if passed.get(n, level) < level])
            batch = self._step(level, batch, nodes)
        members += [n for n, depth in passed.items() if depth == level and not self.has(n)]
        return members

    def _from(self, nodes: list[int], reached: Stepped) -> Nodes:
        """Note that it was stepped from these nodes; what was reached."""
        if reached.hubs:
            self.rows.stopped.update(dict.fromkeys(reached.hubs, Edge(COUNTED, False, "hub")))
            self.unread.update(reached.hubs)
        self.stepped += nodes
        return reached.near

    def _step(self, level: int, batch: Nodes, nodes: list[int]) -> Nodes:
        """What a step without cost leads to from a batch, of which ``nodes`` are the integers."""
        begins = level == 0 and not self.begun
        if begins:
            self.begun = True
            begun = self.marks.enter(self._start())
            batch = nodes = [node for node in nodes if node not in self.rows.first_codes]
        if self.trip.stop_at:
            batch = nodes = self.rows.not_stopped(nodes)
        near = self._from(nodes, self.reach.step(batch))
        return joined([begun, near]) if begins else near

    def _start(self) -> list[int]:
        """Cross the edges of the start nodes."""
        links = self.rows.starts()
        crossed, refuted = self.rows.crossed(links)
        self.links += crossed
        self.refuted += refuted
        costs = COSTS[self.way]
        fars = [(ends(link, self.way)[1], costs[link.code]) for link in crossed]
        self.marks.wait([far for far, cost in fars if cost])
        return [far for far, cost in fars if not cost]

    def depths(self) -> dict[int, int]:
        """The level of every node reached."""
        return {node: level for level, nodes in enumerate(self.levels) for node in nodes}

    def has(self, node: int) -> bool:
        """Whether a node was stepped from."""
        return self.marks.has(node)

    # Bridges

    def bridges(self, reader: Reader, actions: Collection[int]) -> list[Bridge]:
        """Where citations of sibling texts lead, with edges that only say between which nodes they stand."""
        nearby = Nearby(self.crossing.view, reader, self.exact)
        watched = self.reach.watched
        if self.way is Way.IN:
            return bridges(nearby, [*self.links, *cited(watched, self.way)], self.way, frozenset())
        met = {far for _, far, _ in watched} | {*actions, *self._met()}
        stopped, first = self.rows.stopped, self.rows.first_codes
        stepped = [node for node in met if self.has(node) and node not in stopped and node not in first]
        proposed = nearby.links(stepped, self.way, GENERATED)
        return bridges(nearby, [*self.links, *proposed], self.way, met)

    def _met(self) -> set[int]:
        """The candidates that edges read so far lead to."""
        return {ends(link, self.way)[1] for link in self.links if link.role == ARGUMENTS}

    # What is told

    def told(self, reader: Reader, actions: Collection[int], found: list[Bridge]) -> Walked:
        """What the page shows, with the bridges among it."""
        page, rows, trip = self.page, self.rows, self.trip
        known = page.before.keys() | page.nodes.keys() if page.before else page.nodes.keys()
        if not trip.bare:
            self._read(known | page.rest if page.rest else known)
        cut = self.more or page.next is not None
        links = once(self.links) if trip.given else self.links
        crossed, fars = within_and_beyond(links, self.way, known)
        over = self._told_bridges(reader, actions) if found and not trip.bare else []
        refuted = [link for link in self.refuted if ends(link, self.way)[0] in page.nodes]
        return Walked(
            depths=page.nodes,
            links=of_page(crossed, page) + refuted,
            bridges=[bridge for bridge in over if {bridge.near, bridge.far, *bridge.through} <= known],
            frontier=self._frontier(known, fars) if cut else self._stops(),
            next=next_of(page, rows, self.level, self.more),
            before=page.before,
            known=page.known,
            late=page.late,
            crossed=within_and_beyond(links, self.way, known | page.rest)[0] if page.rest else crossed,
            rest=page.rest,
            cut=cut,
            aside=rows.aside,
            read=rows.read,
            unapplied=bool(reader.missed),
            left_out=rows.left_out(page.nodes),
        )

    def _read(self, known: Set[int]) -> None:
        """Read the edges of the nodes that were stepped from and are shown."""
        unread = self.unread
        nodes = [node for node in self.stepped if node in known and node not in unread]
        crossed, refuted = self.rows.all_of(nodes)
        self.links += crossed
        self.refuted += refuted

    def _told_bridges(self, reader: Reader, actions: Collection[int]) -> list[Bridge]:
        return bridges(reader, self.links, self.way, {*actions, *self._met()})

    def _stops(self) -> dict[int, Edge]:
        return {node: edge for node, edge in self.rows.stopped.items() if node in self.page.nodes}

    def _frontier(self, known: Set[int], fars: Mapping[int, Set[int]]) -> dict[int, Edge]:
        """Where the walk stopped: edges that lead on are those of the last levels known."""
        reason = reason_of(self.page, self.late)
        frontier = self._stops()
        frontier |= {near: counted(len(others), reason) for near, others in fars.items()}
        if self.trip.bare:
            last = [node for nodes in self.levels[-2:] for node in nodes if node in known]
            skip = {*self.rows.stopped, *self.rows.first_codes}
            for node in last:
                left = node in skip or not self.has(node)
                count = 0 if left else self.reach.single.beyond(node, known, COUNTED + 1)
                if count:
                    frontier[node] = counted(count, reason)
        return frontier


def _ints(nodes: Nodes) -> list[int]:
    """Integers in a list of its own."""
    return list(nodes) if isinstance(nodes, list) else nodes.tolist()
