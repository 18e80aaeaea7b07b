"""A walk forward with all that a retraction reaches: tiers of a skill, what an agent or a source carried."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from provmodel.relations import Flow, codes_of
from queries import building
from queries.graph import Graph, Unchecked, Way
from queries.impact import Reached
from queries.links import Link, links_of
from queries.marks import GENERATED
from queries.question import Scope
from queries.skills import Seeds, find_seeds
from queries.walk import Trip, walk

ALONE = 1000
"""Relations that only a retracted source asserts and that are followed."""

DATA = codes_of(frozenset({Flow.DATA}))


class Prepared(NamedTuple):
    """A walk with its seeds, and the relations that only a source among the targets asserts."""

    trip: Trip
    seeds: Seeds
    alone: list[Link]

    def go(self, graph: Graph) -> Reached:
        """Walk, and read what is to be told of what it finds."""
        found = building.find(graph, self.trip, walk(graph, self.trip), self.alone)
        return Reached(self.trip, found, self.seeds)


def prepare(graph: Graph, scope: Scope, trip: Trip) -> Prepared:
    """Find the seeds of a walk forward."""
    seeds = find_seeds(graph, trip)
    alone = _alone(graph, scope, trip, seeds)
    return Prepared(msgspec.structs.replace(trip, seeds=seeds.depths, given=tuple(seeds.links)), seeds, alone)


def _alone(graph: Graph, scope: Scope, trip: Trip, seeds: Seeds) -> list[Link]:
    """What only a source among the targets asserts; its subjects become seeds, for the source carried
    them.
    """
    alone: list[Link] = []
    for start in scope.starts:
        if not start.ref.startswith("source:"):
            continue
        stated = graph.stated_by(start.ref, DATA, scope.as_of, ALONE + 1)
        if len(stated) > ALONE:
            seeds.unchecked.append(
                Unchecked(f"all that {start.ref} asserts", f"only the first {ALONE} relations are followed")
            )
        keys = {(row.relation, row.code) for row in stated[:ALONE]}
        rows = graph.rows(sorted({row.source for row in stated[:ALONE]}), Way.OUT, DATA, scope.as_of)
        links = links_of((row for row in rows if (row.relation, row.code) in keys), trip.evidence)
        own = [x for x in links if all(row.asserter == start.ref for row in x.rows if row.stance)]
        for x in own:
            for node in (x.source, x.target) if x.code == GENERATED else (x.source,):
                seeds.leads.add((start.id, node))
                seeds.depths.setdefault(node, 0)
                seeds.carried[node] = max(x.supporting, seeds.carried.get(node, 0))
        alone += own
    return alone
