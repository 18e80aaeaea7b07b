"""Where a skill (or any prompt, policy or package) may have had a part: in three tiers, through dependents
too.

``in_context``: a call had it as an instruction. ``loaded``: the environment of a run named it. ``possibly``:
its thing was named without a version while this version was current. The tiers are seeds of a walk forward;
the edges that lead to them are control and structure, which the walk itself does not cross.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from provmodel import names
from provmodel.evidence import Evidence
from provmodel.relations import ASSOCIATION, GENERATION, INFLUENCE, MEMBERSHIP, USAGE, Flow, codes_of
from provmodel.times import nanoseconds
from queries.graph import Graph, Unchecked, Way
from queries.links import Link, links_of
from queries.policy import Policy
from queries.walk import Trip, walk

Tier = Literal["in_context", "loaded", "possibly"]
TIERS: tuple[Tier, ...] = ("in_context", "loaded", "possibly")
MOST = 20_000
"""Relations read around one step; beyond that the answer says that it has not looked at all."""

DEPENDENTS = 1000
INSTRUCTED = USAGE.code(0, Flow.CONTROL)
PLANNED = ASSOCIATION.code(1)
SET_UP = MEMBERSHIP.code(0, Flow.CONTROL)
USED = USAGE.code(0, Flow.DATA)
PART_OF = INFLUENCE.code(0, Flow.STRUCTURE)
GENERATED = codes_of(frozenset(Flow), (GENERATION.name,))
CONTROLLED = (INSTRUCTED, PLANNED, SET_UP)
_DEPENDS = Policy(
    name="dependents",
    direction="forward",
    flows=("data",),
    terms=("hadMember", "wasDerivedFrom", "wasRevisionOf", "wasQuotedFrom", "hadPrimarySource"),
)


class Seeds(msgspec.Struct):
    """Where the tiers begin: ``depths`` of all nodes on the way, ``links`` that lead to them, and the
    activities of each tier. ``things`` are names without a version, at which paths of ``possibly`` begin;
    ``carried`` is what only a source among the targets asserts, and what was derived in a run, with its
    evidence. ``leads`` names for each of these the version, source or run that stands behind it, as (from,
    to)."""

    depths: dict[int, int] = {}
    links: list[Link] = []
    tiers: dict[Tier, set[int]] = {}
    things: set[int] = set()
    carried: dict[int, int] = {}
    leads: set[tuple[int, int]] = set()
    unchecked: list[Unchecked] = []


class Window(NamedTuple):
    """When a version was the current one (nanoseconds): from ``since`` to before ``until``."""

    since: int
    until: int

    def holds(self, moment: int | None) -> bool:
        """True also for what has no time: it can't be ruled out."""
        return moment is None or self.since <= moment < self.until


def find_seeds(graph: Graph, trip: Trip) -> Seeds:
    """The seeds of every tier, for the start nodes of ``trip`` and what depends on them."""
    return _Finder(graph, trip).run()


class _Finder:
    def __init__(self, graph: Graph, trip: Trip) -> None:
        self.graph = graph
        self.trip = trip
        self.seeds = Seeds(tiers={tier: set() for tier in TIERS})

    def run(self) -> Seeds:
        dependents = self._dependents()
        controlled = self._links(dependents, Way.IN, CONTROLLED)
        self._add("in_context", dependents, [link for link in controlled if _instructs(link)])
        self._loaded("loaded", dependents, controlled)
        self._possibly(dependents)
        return self.seeds

    def _dependents(self) -> dict[int, int]:
        """The start nodes and what depends on them: the same for every page, however far that one goes."""
        walked = walk(
            self.graph,
            Trip(
                starts=self.trip.starts,
                policy=_DEPENDS,
                as_of=self.trip.as_of,
                evidence=self.trip.evidence,
                depth=DEPENDENTS,
                max_nodes=DEPENDENTS,
                expand=self.trip.expand,
                include_refuted=self.trip.include_refuted,
            ),
        )
        if walked.truncated:
            why = f"more than {DEPENDENTS:,} things depend on the targets"
            self.seeds.unchecked.append(Unchecked("where all that depends on them was used", why))
        return walked.depths

    def _links(self, nodes: Iterable[int], way: Way, codes: Sequence[int]) -> list[Link]:
        wanted = list(nodes)
        if not wanted:
            return []
        rows = self.graph.rows(wanted, way, codes, self.trip.as_of, MOST + 1)
        if len(rows) > MOST:
            what = "where it was an instruction or loaded"
            self.seeds.unchecked.append(Unchecked(what, f"more than {MOST:,} relations lead there"))
        found = links_of(rows, self.trip.evidence)
        return [x for x in found if x.supporting and (self.trip.include_refuted or not x.refuted)]

    def _add(
        self, tier: Tier | None, depths: dict[int, int], links: Iterable[Link], cost: int = 1
    ) -> dict[int, int]:
        """Note the sources of ``links`` as seeds, each a step beyond its target; returns their depths."""
        reached: dict[int, int] = {}
        for link in links:
            depth = depths[link.target] + cost
            reached[link.source] = min(depth, reached.get(link.source, depth))
            self.seeds.links.append(link)
        for node, depth in reached.items():
            self.seeds.depths[node] = min(depth, self.seeds.depths.get(node, depth))
        if tier:
            self.seeds.tiers[tier].update(reached)
        return reached

    def _loaded(
        self, tier: Tier, depths: dict[int, int], controlled: list[Link], window: Window | None = None
    ) -> None:
        """From what an environment holds, over the environment, to the runs it was set up for, to their
        activities.
        """
        environments = self._add(None, depths, [link for link in controlled if link.code == SET_UP], cost=0)
        environments = {**depths, **environments}
        users = [x for x in self._links(environments, Way.IN, (INSTRUCTED,)) if x.role == "environment"]
        if window:
            users = self._within(users, window)
        runs = self._add(None, environments, users)
        parts = [x for x in self._links(runs, Way.IN, (PART_OF,)) if x.role == "part-of"]
        self._add(tier, runs, parts)

    def _possibly(self, dependents: dict[int, int]) -> None:
        infos = self.graph.infos(list(dependents), self.trip.as_of)
        named = {node: names.split(info.ref) for node, info in infos.items()}
        things = self.graph.ids([name.thing for name in named.values() if name.pin], self.trip.as_of)
        for node, name in named.items():
            thing = things.get(name.thing)
            if name.pin and thing is not None and thing not in dependents:
                self._unversioned(thing, dependents[node], self._window(name))
                self.seeds.leads.add((node, thing))

    def _unversioned(self, thing: int, depth: int, window: Window) -> None:
        links = self._links([thing], Way.IN, (*CONTROLLED, USED))
        depths = {thing: depth}
        before = len(self.seeds.links)
        self._add("possibly", depths, self._within([x for x in links if x.code != SET_UP], window))
        self._loaded("possibly", depths, links, window)
        if len(self.seeds.links) > before:
            self.seeds.things.add(thing)
            self.seeds.depths.setdefault(thing, depth)

    # What was current when

    def _within(self, links: list[Link], window: Window) -> list[Link]:
        """Those whose activity may have begun while the version was current."""
        nodes = list({link.source for link in links})
        told = (
            self.graph.attributes(nodes, self.trip.as_of, ("prov:startTime", "clew:reported"))
            if nodes
            else {}
        )
        moments = {node: min(nanoseconds(row.value) for row in rows) for node, rows in told.items()}
        return [link for link in links if window.holds(moments.get(link.source))]

    def _window(self, name: names.Name) -> Window:
        versions = self.graph.versions([name.thing], self.trip.as_of)[name.thing]
        known = _known_since(self.graph, [node for node, _ in versions], self.trip.as_of)
        own: list[int] = []
        others: list[int] = []
        for node, ref in versions:
            if node in known:
                other = names.split(ref)
                same = (other.pin, other.value) == (name.pin, name.value)
                (own if same else others).append(known[node])
        since = min(own, default=-(2**63))
        return Window(
            since, min((moment for moment in others if moment > since), default=2**63) if own else 2**63
        )


def _instructs(link: Link) -> bool:
    return link.code == PLANNED or (link.code == INSTRUCTED and link.role == "instruction")


def _known_since(graph: Graph, versions: list[int], as_of: int) -> dict[int, int]:
    """When each version was made, or first reported."""
    if not versions:
        return {}
    moments: dict[int, list[int]] = {}
    for row in graph.rows(versions, Way.OUT, GENERATED, as_of):
        if row.time:
            moments.setdefault(row.source, []).append(nanoseconds(row.time))
    for node, rows in graph.attributes(versions, as_of, ("clew:reported",)).items():
        moments.setdefault(node, []).extend(nanoseconds(row.value) for row in rows)
    return {node: min(found) for node, found in moments.items()}


POSSIBLY = int(Evidence.INFERRED)
"""What a path is worth at most that begins at a name without a version."""
