"""One walker for every policy: level by level through a graph, within limits, saying where it stopped.

Depth counts activities (:data:`queries.policy.COSTS`), so a level is closed under the steps that cost
nothing before the next begins. A walk

- crosses only edges that an assertion of the evidence set supports, and no refuted one unless asked (both
are told); - takes conditions (control, responsibility) as its first step when the start node itself is one;
- does not expand a node with over ``HUB`` neighbours one way, unless it is named in ``expand``; a start node
is expanded, in
  pages of ``HUB`` neighbours;
- clips at a whole level, or inside one that alone exceeds the limit, and says where to go on;
- stops after some seconds, at a whole level;
- passes through whatever is retracted, deleted or never described.

A page that goes on from a cursor walks the way again, so that nothing is shown twice and depths stay true.
The pages of a start node with too many neighbours are walks of their own: what two of them reach stands on
both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from queries.adjacency import View
from queries.adjacency.columns import ARGUMENTS
from queries.graph import Graph, Way
from queries.indexed import walk_index
from queries.links import Link, ends, once
from queries.paging import Deadline, Page, of_page
from queries.policy import COSTS
from queries.siblings import Bridge, Reader, beyond_bridges, bridges
from queries.starting import Rows, counted, next_of, reason_of, within_and_beyond
from queries.trip import Trip as Trip  # noqa: PLC0414 - whoever walks needs them
from queries.trip import Walked as Walked  # noqa: PLC0414

OFTEN = 1000
"""Rows read after which a walk asks whether the compact index is worth loading by now."""


def walk(graph: Graph, trip: Trip) -> Walked:
    """Walk; by the compact index when there is one and the walk may lead far, else by reading rows: once for
    each level and step that costs nothing. Both come to the same.

    Where texts cite sources for writes proposed beside them, the walk is made again with what that leads to.
    """
    rows = Rows(graph, trip)
    view = None if trip.near else graph.adjacency(trip.as_of, 0)
    if view is not None:
        return walk_index(rows, view)
    over: dict[int, int] = {}
    through: dict[int, int] = {}
    while True:
        walker = _Walker(rows, over, through)
        view = walker.run()
        if view is not None:
            return walk_index(Rows(graph, trip), view)
        if not trip.siblings:
            return walker.told(())
        found = bridges(walker.reader, walker.links, walker.way, walker.actions)
        if not beyond_bridges(found, walker.seen, over, through):
            return walker.told(found)


class _Walker:
    """One walk under way. ``seen`` are nodes reached, by depth; ``passed`` those that only a bridge leads
    over.
    """

    def __init__(self, rows: Rows, over: Mapping[int, int], through: Mapping[int, int]) -> None:
        trip = rows.trip
        self.rows = rows
        self.graph = rows.graph
        self.trip = trip
        self.way = trip.policy.way
        self.costs = COSTS[self.way]
        self.reader = Reader(self.graph, trip.as_of, trip.evidence, trip.include_refuted, [])
        self.actions = set(self.reader.candidates(trip.starts)) if trip.siblings else set()
        self.seen: dict[int, int] = dict.fromkeys(trip.starts, 0)
        self.seeds = {**trip.seeds, **over}
        self.passed = through
        self.pending: dict[int, None] = {}
        self.links: list[Link] = list(trip.given)
        self.refuted: list[Link] = []
        self.begun = False
        self.page = Page(trip.position, trip.max_nodes, frozenset(trip.starts))
        self.deadline = Deadline(trip.seconds, trip.position)
        self.late = False
        self.level = 0
        self.more = False

    def run(self) -> View | None:
        """Walk to the end; or to where it is worth going over to the index, which is given then."""
        trip, batch = self.trip, list(self.trip.starts)
        last_seed = max(self.seeds.values(), default=-1)
        while (batch or self.level <= last_seed) and self.level <= trip.position.level + trip.depth:
            if self.deadline.passed(self.level):
                self.late = True
                break
            members = self._close(self.level, batch + self._seeds(self.level, batch))
            batch = [node for node in self.pending if node not in self.seen]
            self.pending = {}
            self.page.take(self.level, members, self.rows.ordered)
            if self.page.next:
                break
            self.level += 1
            view = self._worth(OFTEN) if batch else None
            if view is not None:
                return view
        self.more = bool(batch) or not self.seeds.keys() <= self.seen.keys()
        self._worth(0)
        return None

    def _worth(self, often: int) -> View | None:
        """The index, if loading it is worth it after what was read."""
        if self.rows.unasked <= often:
            return None
        read, self.rows.unasked = self.rows.unasked, 0
        return self.graph.adjacency(self.trip.as_of, read)

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
            if self.passed:
                self.page.come_to(level, [node for node in batch if self.passed.get(node, level) < level])
            self.seen.update(dict.fromkeys(batch, level))
            batch = self._step(level, batch)
        members += [node for node, depth in self.passed.items() if depth == level and node not in self.seen]
        return members

    def _step(self, level: int, batch: list[int]) -> list[int]:
        links = self._links(level, batch)
        crossed, refuted = self.rows.crossed(links)
        self.links += crossed
        self.refuted += refuted
        fars = [link.target for link in crossed] if self.way is Way.OUT else [link.source for link in crossed]
        near = self._sort(crossed, fars)
        if self.trip.siblings:
            self.actions.update(
                far for link, far in zip(crossed, fars, strict=True) if link.role == ARGUMENTS
            )
        return near

    def _links(self, level: int, batch: list[int]) -> list[Link]:
        """The edges from these nodes; those of the start nodes come first."""
        links: list[Link] = []
        if level == 0 and not self.begun:
            self.begun = True
            links += self.rows.starts()
            batch = [node for node in batch if node not in self.rows.first_codes]
        batch = self.rows.not_stopped(batch)
        return links + self.rows.of(batch)

    def _sort(self, crossed: list[Link], fars: list[int]) -> list[int]:
        """What was reached for the first time: returned when the step cost nothing, else left pending."""
        near: dict[int, None] = {}
        seen, pending, costs = self.seen, self.pending, self.costs
        for link, far in zip(crossed, fars, strict=True):
            if far not in seen:
                (pending if costs[link.code] else near)[far] = None
        return list(near)

    # What is told

    def told(self, found: Iterable[Bridge]) -> Walked:
        """What the page shows, with the bridges among it."""
        page, rows = self.page, self.rows
        known = page.before.keys() | page.nodes.keys() if page.before else page.nodes.keys()
        cut = self.more or page.next is not None
        links = once(self.links) if self.trip.given else self.links
        crossed, fars = within_and_beyond(links, self.way, known)
        frontier = {node: edge for node, edge in rows.stopped.items() if node in page.nodes}
        if cut:
            reason = reason_of(page, self.late)
            frontier |= {near: counted(len(others), reason) for near, others in fars.items()}
        refuted = [link for link in self.refuted if ends(link, self.way)[0] in page.nodes]
        return Walked(
            depths=page.nodes,
            links=of_page(crossed, page) + refuted,
            bridges=[bridge for bridge in found if {bridge.near, bridge.far, *bridge.through} <= known],
            frontier=frontier,
            next=next_of(page, rows, self.level, self.more),
            before=page.before,
            known=page.known,
            late=page.late,
            crossed=within_and_beyond(links, self.way, known | page.rest)[0] if page.rest else crossed,
            rest=page.rest,
            cut=cut,
            aside=rows.aside,
            read=rows.read,
            unapplied=bool(self.reader.missed),
            left_out=rows.left_out(page.nodes),
        )
