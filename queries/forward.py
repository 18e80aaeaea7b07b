"""A walk forward with all that a retraction reaches: tiers of a skill, what an agent or a source carried."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import msgspec

from provmodel.names import SOURCE
from provmodel.relations import ASSOCIATION, GENERATION, Flow, Kind, codes_of
from queries import building, limits
from queries.graph import Graph, Unchecked, Way
from queries.impact import Reached
from queries.limits import of_first
from queries.links import Link, links_of
from queries.marks import GENERATED
from queries.question import Scope
from queries.reported import reported_in
from queries.returned import makers_of
from queries.skills import GENERATED as MADE
from queries.skills import MOST, PART_OF, Seeds, find_seeds
from queries.walk import Trip, walk

ALONE = 1000
"""Relations that only a retracted source asserts and that are followed."""

ASSOCIATED = ASSOCIATION.code(0)
OUTPUT = GENERATION.code(0, Flow.STRUCTURE)
DATA = codes_of(frozenset({Flow.DATA}))


class Prepared(NamedTuple):
    """A walk with its seeds, and the relations that only a source among the targets asserts."""

    trip: Trip
    seeds: Seeds
    alone: list[Link]

    def go(self, graph: Graph) -> Reached:
        """Walk, and read what is to be told of what it finds."""
        found = building.find(graph, self.trip, walk(graph, self.trip), self.alone)
        return Reached(self.trip, found, self.seeds, cache(lambda: makers_of(graph, self.trip, found)))


def prepare(graph: Graph, scope: Scope, trip: Trip) -> Prepared:
    """Find the seeds of a walk forward."""
    seeds = find_seeds(graph, trip)
    _runs_followed(graph, trip, seeds)
    alone = _alone(graph, scope, trip, seeds)
    return Prepared(msgspec.structs.replace(trip, seeds=seeds.depths, given=tuple(seeds.links)), seeds, alone)


def _runs_followed(graph: Graph, trip: Trip, seeds: Seeds) -> None:
    """What runs among the start nodes did and gave becomes seeds, and what was done in those that an agent
    among them was at work in. What their sub-runs gave comes of them where it was adopted or used alone.
    """
    runs = _runs(graph, trip, seeds)
    beneath: set[int] = set()
    for link in _leading(graph, trip, seeds, runs, (PART_OF, OUTPUT)):
        if link.code == PART_OF and link.role != "part-of":
            beneath.update({link.source} if link.role == "parent" else ())
            continue
        depth = runs[link.target] + (link.code == PART_OF)
        seeds.depths[link.source] = min(depth, seeds.depths.get(link.source, depth))
        seeds.links.append(link)
    beneath -= runs.keys()
    if beneath:
        refs = graph.refs(sorted(beneath))
        first = min(refs[run] for run in beneath)
        what = f"what {len(beneath):,} sub-runs gave" if len(beneath) > 1 else "what a sub-run gave"
        seeds.unchecked.append(
            Unchecked(f"{what} ({first})", "it counts where it was adopted or used; ask for it to see all")
        )
    _reported_followed(graph, trip, seeds, runs)


def _reported_followed(graph: Graph, trip: Trip, seeds: Seeds, runs: Mapping[int, int]) -> None:
    """What was derived in these runs becomes seeds, too: no relation leads from there to the run. Of versions
    that were reported in them, and that nothing made, it is said that the run may have made them.
    """
    reported = reported_in(graph, trip.as_of, runs)
    if reported.clipped:
        seeds.unchecked.append(Unchecked("all that was reported there", "there is more than is looked at"))
    every = {node for nodes in reported.derived.values() for node in nodes}
    known: dict[int, int] = {}
    for link in _crossed(graph, trip, every, DATA):
        known[link.source] = max(link.supporting, known.get(link.source, link.supporting))
    for run, nodes in reported.derived.items():
        for node in nodes & known.keys():
            seeds.leads.add((run, node))
            seeds.depths[node] = min(runs[run], seeds.depths.get(node, runs[run]))
            seeds.carried[node] = max(known[node], seeds.carried.get(node, known[node]))
    unmade = {node for nodes in reported.versions.values() for node in nodes} - every
    unmade -= {link.source for link in _crossed(graph, trip, unmade, MADE)}
    if unmade:
        refs = graph.refs(sorted(unmade))
        seeds.unchecked.append(limits.of_unmade(refs[node] for node in unmade))


def _crossed(graph: Graph, trip: Trip, nodes: Iterable[int], codes: Sequence[int]) -> list[Link]:
    """The edges that lead from these nodes and are crossed."""
    wanted = sorted(nodes)
    found = links_of(graph.rows(wanted, Way.OUT, codes, trip.as_of), trip.evidence) if wanted else []
    return [link for link in found if link.supporting and (trip.include_refuted or not link.refuted)]


def _runs(graph: Graph, trip: Trip, seeds: Seeds) -> dict[int, int]:
    """The activities among the start nodes, and those that an agent among them was associated with, each by
    how deep it stands."""
    infos = graph.infos(trip.starts, trip.as_of)
    agents = [node for node, info in infos.items() if info.kind & Kind.AGENT]
    at_work = {link.source for link in _leading(graph, trip, seeds, agents, (ASSOCIATED,))}
    return dict.fromkeys(at_work, 1) | {node: 0 for node, info in infos.items() if info.kind & Kind.ACTIVITY}


def _leading(
    graph: Graph, trip: Trip, seeds: Seeds, nodes: Iterable[int], codes: Sequence[int]
) -> list[Link]:
    """The edges that lead to these nodes and are crossed."""
    wanted = sorted(nodes)
    rows = graph.rows(wanted, Way.IN, codes, trip.as_of, MOST + 1) if wanted else []
    if len(rows) > MOST:
        seeds.unchecked.append(of_first("all that was done there", MOST))
    found = links_of(rows, trip.evidence)
    return [link for link in found if link.supporting and (trip.include_refuted or not link.refuted)]


def _alone(graph: Graph, scope: Scope, trip: Trip, seeds: Seeds) -> list[Link]:
    """What only a source among the targets asserts; its subjects become seeds, for the source carried
    them.
    """
    alone: list[Link] = []
    for start in scope.starts:
        if not start.ref.startswith(SOURCE):
            continue
        stated = graph.stated_by(start.ref, DATA, scope.as_of, ALONE + 1)
        if len(stated) > ALONE:
            seeds.unchecked.append(of_first(f"all that {start.ref} asserts", ALONE))
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
