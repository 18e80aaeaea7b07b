"""What stands around the nodes of an answer and is shown, not crossed: conditions, agents, runs and records.

Two reads of rows, one each way, whatever the number of nodes; one more pair when something was retracted or
deleted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from functools import lru_cache

import msgspec

from provmodel import names
from provmodel.events import ContentDeleted
from provmodel.relations import (
    ASSOCIATION,
    GENERATION,
    INFLUENCE,
    INVALIDATION,
    SPECIALIZATION,
    USAGE,
    Flow,
    Kind,
    codes_of,
)
from queries.authority.views import in_order
from queries.graph import Graph, NodeInfo, Report, Row, Way
from queries.links import Link, links_of
from queries.trip import Trip, Walked

_REMEMBERED = 65_536
"""Names of which it is remembered what they are versions of."""

MOST = 20_000
"""Rows one way that are read; beyond that the answer says what it left out."""

PART_OF = INFLUENCE.code(0, Flow.STRUCTURE)
SPECIALIZED = SPECIALIZATION.code(0)
RECORD_MADE = GENERATION.code(0, Flow.RECORD)
INVALIDATED = INVALIDATION.code(0)
RECORDS = codes_of(frozenset({Flow.RECORD}))
RESPONSIBLE = frozenset(codes_of(frozenset({Flow.RESPONSIBILITY})))
# Whole flow classes lie side by side among the codes: a store seeks each node once for all of them.
_RECORDS = frozenset(RECORDS)
BUT_DATA = codes_of(frozenset(Flow) - {Flow.DATA})
FROM_STRUCTURE = codes_of(frozenset({Flow.STRUCTURE, Flow.RECORD}))
_AGENT = ASSOCIATION.code(0)
_ENTITY = int(Kind.ENTITY)
_BY = (_AGENT, USAGE.code(0, Flow.CONTROL))
_TOLD = ("clew:done", "clew:requested", "clew:reported", "clew:reason", "clew:reasonClass")
RETRACTS = "retracts"
NOTICES = frozenset({RETRACTS, "cancels", "withdraws", "replaced-by"})


class Carried(msgspec.Struct, frozen=True):
    """What a document says of a notice or a deletion that was reported to another store."""

    by: str
    time: str
    reason: str
    policy: str
    done: bool


class Around(msgspec.Struct):
    """Rows around some nodes, sorted by what they tell.

    ``listed`` are the edges of conditions and responsibility; ``part_of`` lead to runs; ``about`` are
    records about a node (the node is their target); ``removed`` say that a thing was deleted in the world;
    ``bodies`` lead from a deleted body to its version; ``specialized`` are nodes of which a version or
    occurrence is recorded, ``wholes`` the things and states that nodes are versions or occurrences of, with
    these. What was retracted as a whole stands among ``about`` at each of these, and ``whole_of`` names the
    whole by (notice, node). ``withdrawn`` are notices taken back, ``reports`` the events behind notices and
    deletions, by notice or body, and ``carried`` what a document says where there is no event. ``kept`` are
    the ids of bodies that are reported as deleted and were not, since a hold keeps them. ``cut`` is True when
    there were too many rows to read.
    """

    listed: list[Link] = []
    part_of: list[Row] = []
    about: list[Row] = []
    removed: list[Row] = []
    bodies: list[Row] = []
    specialized: set[int] = set()
    wholes: defaultdict[int, set[int]] = msgspec.field(default_factory=lambda: defaultdict(set))
    whole_of: dict[tuple[int, int], str] = {}
    withdrawn: set[int] = set()
    reports: dict[int, Report] = {}
    carried: dict[int, Carried] = {}
    kept: frozenset[str] = frozenset()
    cut: bool = False

    @property
    def gone(self) -> frozenset[str]:
        """The ids of bodies that were deleted, as this store's own events have it."""
        return self.said_gone() - self.kept

    def said_gone(self) -> frozenset[str]:
        """The ids of bodies of which a deletion is reported to be done."""
        events = (report.event for report in self.reports.values())
        return frozenset(event.body for event in events if isinstance(event, ContentDeleted) and event.done)


def look_around(graph: Graph, infos: Mapping[int, NodeInfo], walked: Walked, trip: Trip) -> Around:
    """Read what stands around these nodes, but for what the walk has read already."""
    around = Around()
    policy, as_of, evidence = trip.policy, trip.as_of, trip.evidence
    listed = frozenset(policy.listed)
    outward = RESPONSIBLE | (listed if policy.way is Way.OUT else frozenset())
    inward = listed - RESPONSIBLE if policy.way is Way.IN else frozenset()
    unread = [node for node in infos if node not in walked.read]
    _outward(around, walked.aside if infos.keys() >= walked.read else _of(walked.aside, infos), outward)
    _outward(around, links_of(_read(graph, around, unread, Way.OUT, BUT_DATA, as_of), evidence), outward)
    entities: list[int] = []
    others: list[int] = []
    for node, info in infos.items():
        (entities if info.kind & _ENTITY else others).append(node)
    codes = BUT_DATA if inward else FROM_STRUCTURE
    rows = _read(graph, around, entities, Way.IN, codes, as_of)
    rows += _read(graph, around, others, Way.IN, RECORDS, as_of)
    around.listed += links_of([row for row in rows if row.code in inward] if inward else (), evidence)
    _inward(around, rows)
    _as_a_whole(graph, around, _versions(entities, infos), as_of)
    _notices(graph, around, as_of)
    return around


def _of(links: Iterable[Link], nodes: Container[int]) -> list[Link]:
    return [link for link in links if link.source in nodes]


def _read(
    graph: Graph, around: Around, nodes: list[int], way: Way, codes: Sequence[int], as_of: int
) -> list[Row]:
    if not nodes:
        return []
    rows = graph.rows(nodes, way, codes, as_of, MOST + 1)
    around.cut = around.cut or len(rows) > MOST
    return rows


def _outward(around: Around, links: Iterable[Link], listed: Set[int]) -> None:
    """Conditions and responsibility the way of their causes, the run of an activity, what was deleted in
    the world.
    """
    for link in links:
        code = link.code
        if code in listed:
            around.listed.append(link)
        elif code == PART_OF and link.role == "part-of":
            around.part_of += link.rows
        elif code == INVALIDATED and link.role == "delete":
            around.removed += link.rows
        elif code == SPECIALIZED and not link.rows[0].method.startswith("body"):
            around.wholes[link.target].add(link.source)


def _inward(around: Around, rows: Iterable[Row]) -> None:
    """Records about a node, its bodies and versions."""
    for row in rows:
        code = row.code
        if code == SPECIALIZED:
            around.specialized.add(row.target)
            if row.method.startswith("body"):
                around.bodies.append(row)
        elif code in _RECORDS:
            around.about.append(row)


def _as_a_whole(graph: Graph, around: Around, versions: Mapping[str, set[int]], as_of: int) -> None:
    """What was retracted without a version was so in every version of it; but for the one named to take its
    place.
    """
    wholes = around.wholes
    for thing, node in graph.ids(list(versions), as_of).items() if versions else ():
        wholes[node] |= versions[thing]
    rows = _read(graph, around, sorted(wholes), Way.IN, RECORDS, as_of)
    retracted = [row for row in rows if row.role == RETRACTS and row.stance]
    refs = graph.refs([row.target for row in retracted])
    instead = {(row.source, row.target) for row in around.about if row.role == "replaced-by"}
    for row in retracted:
        for node in wholes[row.target]:
            if (row.source, node) not in instead:
                around.about.append(msgspec.structs.replace(row, target=node))
                around.whole_of[row.source, node] = refs[row.target]


def _versions(nodes: Iterable[int], infos: Mapping[int, NodeInfo]) -> dict[str, set[int]]:
    """The nodes whose names have a version, by what they are versions of."""
    versions: defaultdict[str, set[int]] = defaultdict(set)
    for node in nodes:
        thing = _thing_of(infos[node].ref)
        if thing:
            versions[thing].add(node)
    return versions


@lru_cache(_REMEMBERED)
def _thing_of(ref: str) -> str:
    """What a name with a version is a version of; "" for any other name."""
    if "@" not in ref and names.BY not in ref:
        return ""
    thing = names.split(ref).thing
    return "" if thing == ref else thing


def _notices(graph: Graph, around: Around, as_of: int) -> None:
    """Follow notices and bodies to the activity that made or deleted them, and to whoever took a notice
    back.
    """
    notices = {row.source for row in around.about if row.role in NOTICES}
    made = notices | {row.source for row in around.bodies}
    if not made:
        return
    activities = {
        row.source: row.target for row in graph.rows(sorted(made), Way.OUT, (RECORD_MADE, INVALIDATED), as_of)
    }
    reports = graph.reports(sorted(set(activities.values())), as_of)
    around.reports = {node: in_order(reports[act])[0] for node, act in activities.items() if act in reports}
    said = around.said_gone() if around.bodies else ()
    around.kept = graph.kept(sorted(said), as_of) if said else frozenset()
    unreported = {node: act for node, act in activities.items() if act not in reports}
    if unreported:
        around.carried = _carried(graph, unreported, as_of)
    if notices:
        around.withdrawn = _withdrawn(graph, notices, as_of)


def _withdrawn(graph: Graph, notices: Set[int], as_of: int) -> set[int]:
    """The notices that were taken back: by one that was not taken back itself."""
    by: dict[int, set[int]] = {}
    fresh = set(notices)
    while fresh:
        rows = graph.rows(sorted(fresh), Way.IN, RECORDS, as_of)
        by |= {node: set() for node in fresh}
        for row in rows:
            if row.role == "withdraws" and row.stance:
                by[row.target].add(row.source)
        fresh = set().union(*by.values()) - by.keys()
    stands: dict[int, bool] = {}  # of those that take each other back in a circle, none does
    waiting = set(by)
    while settled := {node for node in waiting if by[node] <= stands.keys()}:
        stands |= {node: not any(stands[taker] for taker in by[node]) for node in settled}
        waiting -= settled
    return {node for node in notices if not stands.get(node, False)}


def _carried(graph: Graph, activities: Mapping[int, int], as_of: int) -> dict[int, Carried]:
    """What is said of notices and bodies, and of the activities that made or deleted them."""
    told = graph.attributes(sorted({*activities, *activities.values()}), as_of, _TOLD)
    rows = graph.rows(sorted(set(activities.values())), Way.OUT, _BY, as_of)
    refs = graph.refs([row.target for row in rows])
    by = {row.source: refs[row.target] for row in rows if row.code == _AGENT}
    policies = {row.source: refs[row.target] for row in rows if row.code != _AGENT and row.role == "policy"}

    def value(names: Sequence[str], *nodes: int) -> str:
        said = [row for node in nodes for row in told.get(node, ()) if row.stance]
        return next((row.value for name in names for row in said if row.name == name), "")

    return {
        node: Carried(
            by=by.get(act, ""),
            time=value(("clew:done", "clew:requested", "clew:reported"), act),
            reason=value(("clew:reason", "clew:reasonClass"), node, act),
            policy=policies.get(act, ""),
            done=bool(value(("clew:done",), act)),
        )
        for node, act in activities.items()
    }
