"""From what a walk found to the parts that every answer holds (:mod:`queries.answer`), in a fixed order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import msgspec

from provmodel.evidence import ALL_EVIDENCE
from provmodel.mapping.documents import IN_BUNDLE
from provmodel.names import SOURCE
from provmodel.relations import Flow, Kind, codes_of, flow_of
from queries import cursor, gaps, limits
from queries.answer import Availability, BodyNow, Mark, Node
from queries.around import PART_OF, RESPONSIBLE, Around, look_around
from queries.contents import unlike
from queries.edges import edges_of
from queries.folding import folded
from queries.graph import (
    COMMON,
    RESTRICTED,
    AttributeRow,
    Frontier,
    Graph,
    NodeInfo,
    Row,
    Unchecked,
    Way,
    words_of_kind,
)
from queries.links import Link, ends, with_others
from queries.marks import ARTIFACT, RUN, Conflict, Said, is_placeholder, marks_of
from queries.parts import Keeps
from queries.question import Asked, Scope
from queries.unseen import with_behind
from queries.walk import Trip, Walked, walk

CONTROL = frozenset(codes_of(frozenset({Flow.CONTROL})))
ORIGINS = codes_of(
    frozenset({Flow.DATA, Flow.CONTROL, Flow.STRUCTURE, Flow.RECORD}),
    ("wasGeneratedBy", "wasDerivedFrom", "wasRevisionOf", "wasQuotedFrom", "hadPrimarySource"),
)
_DATA_ORIGINS = {code for code in ORIGINS if flow_of(code) is Flow.DATA}
_ALL_CODES = codes_of(frozenset(Flow))
NAMING = 100
"""Relations of a target that stands alone, each way, of which it is looked who states them."""

_KINDS = {mask: words_of_kind(mask) for mask in range(2 * RESTRICTED)}


class Found(msgspec.Struct):
    """A walk with the names, types and marks of what it found: what a question groups and sums up.

    ``order`` are the nodes of this page by depth and reference. ``told`` is what is said of each node, and
    ``said`` the same by the name of the attribute. ``conditions`` are control edges one step
    off, ``responsible`` edges to agents. ``part_of`` are the rows that lead from activities to runs, those of
    earlier pages included.
    """

    walked: Walked
    depths: dict[int, int]
    order: list[int]
    infos: dict[int, NodeInfo]
    refs: dict[int, str]
    types: dict[int, str]
    told: Mapping[int, Sequence[AttributeRow]]
    said: Said
    marks: dict[int, tuple[Mark, ...]]
    around: Around
    links: list[Link]
    conditions: list[Link]
    responsible: list[Link]
    runs: list[gaps.Run]
    part_of: list[Row]

    def ref(self, node: int) -> str:
        return self.refs[node]

    def earlier(self, way: Way) -> Found | None:
        """The same as far as the page before could tell how its nodes are tied; None on a first page."""
        walked = self.walked
        if not walked.before:
            return None
        known, shown = walked.known, walked.before.keys()
        crossed = [link for link in walked.crossed if link.source in known and link.target in known]
        if walked.late:
            crossed = [link for link in crossed if ends(link, way)[0] not in walked.late]
        bridges = [one for one in walked.bridges if shown >= {one.near, one.far, *one.through}]
        walked = msgspec.structs.replace(walked, crossed=crossed, bridges=bridges, before={})
        return msgspec.structs.replace(self, walked=walked)

    def newly(self, nodes: Container[int], earlier: Container[int]) -> list[int]:
        """Those of ``nodes`` that this page tells of, by depth and reference: its own, and those of earlier
        pages that were not yet among them, as ``earlier`` has it."""
        own = [node for node in self.order if node in nodes]
        late = [node for node in self.walked.before if node in nodes and node not in earlier]
        if not late:
            return own
        depths = self.everywhere()
        return in_order({node: depths[node] for node in (*own, *late)}, self.refs)

    def everywhere(self) -> dict[int, int]:
        """The nodes of this page and of earlier ones, each with its depth."""
        return {**self.walked.before, **self.depths}


def trip_of(scope: Scope, params: Asked, keeps: Keeps | None = None) -> Trip:
    """The walk that a question's common parameters ask for.

    Citations count for siblings where data is crossed.
    """
    return Trip(
        starts=scope.ids,
        policy=scope.policy,
        as_of=scope.as_of,
        evidence=scope.evidence,
        depth=params.depth,
        max_nodes=params.max_nodes,
        seconds=params.deadline / 1000,
        expand=scope.expand,
        include_refuted=params.include_refuted,
        position=scope.position,
        siblings=scope.policy.cites,
        wide=scope.policy.way is Way.OUT,
        keeps=keeps,
    )


def find(graph: Graph, trip: Trip, walked: Walked, also: Iterable[Link] = ()) -> Found:
    """Read what is to be told of a walk's nodes: their names, what is said of them, and what stands around
    them.
    """
    depths = walked.depths
    others = {*walked.before, *walked.rest, *trip.starts}.difference(depths)
    infos = graph.infos([*depths, *others], trip.as_of)
    own = {node: infos[node] for node in depths} if others else infos
    around = look_around(graph, own, walked, trip)
    listed = [link for link in around.listed if link.supporting or link.refuted]
    links = _links(walked)
    odd = [link for link in links if link.source not in infos or link.target not in infos]
    further = _further(infos, [*odd, *listed, *also], around)
    infos |= graph.infos(further, trip.as_of) if further else {}
    told = graph.attributes(list(infos), trip.as_of, COMMON)
    refs = {node: info.ref for node, info in infos.items()}
    said = by_name(told)
    types = _types(said)
    made = _made(graph, trip, depths, infos, told)
    conflicts = _conflicts(graph, trip.as_of, said, refs)
    marks = marks_of(depths, infos, told, said, around, links, conflicts, made)
    return Found(
        walked=walked,
        depths=depths,
        order=in_order(depths, refs),
        infos=infos,
        refs=refs,
        types=types,
        told=told,
        said=said,
        marks=with_behind(
            marks, walked, trip, {node for node, info in infos.items() if info.kind == RESTRICTED}
        ),
        around=around,
        links=links,
        conditions=[link for link in listed if link.code in CONTROL],
        responsible=[link for link in listed if link.code in RESPONSIBLE],
        runs=_runs(depths, around, refs, types, said),
        part_of=around.part_of + part_of(graph, _activities(others, infos), trip.as_of),
    )


def _activities(nodes: Iterable[int], infos: Mapping[int, NodeInfo]) -> list[int]:
    return [node for node in nodes if node in infos and infos[node].kind & Kind.ACTIVITY]


def part_of(graph: Graph, activities: Sequence[int], as_of: int) -> list[Row]:
    """The rows that lead from activities to their runs."""
    rows = graph.rows(activities, Way.OUT, (PART_OF,), as_of) if activities else []
    return [row for row in rows if row.role == "part-of"]


def _conflicts(graph: Graph, as_of: int, said: Said, refs: Mapping[int, str]) -> set[Conflict]:
    """The events behind these nodes of which there are other variants, or which brought another content of a
    version, each with its node and time."""
    conflicts = graph.conflicts(as_of)
    found = {(node, seq) for node, seqs in unlike(graph, as_of, said, refs).items() for seq in seqs}
    if conflicts:
        found |= {(node, row.event) for node, row in said.get("prov:type", ()) if row.event in conflicts}
    told = graph.events(sorted({seq for _, seq in found}), as_of) if found else {}
    return {(node, seq, told[seq].event.time) for node, seq in found if seq in told}


def in_order(depths: Mapping[int, int], refs: Mapping[int, str]) -> list[int]:
    """Nodes by depth, then by reference."""
    levels: defaultdict[int, list[int]] = defaultdict(list)
    for node, depth in depths.items():
        levels[depth].append(node)
    ordered = [sorted(levels[depth], key=refs.__getitem__) for depth in sorted(levels)]
    return list(chain.from_iterable(ordered))


def _made(
    graph: Graph, trip: Trip, nodes: Iterable[int], infos: Mapping[int, NodeInfo], told: Mapping[int, object]
) -> set[int]:
    """Nodes that no event describes but that came from something, where the walk itself may not have seen
    that.
    """
    sees = trip.policy.way is Way.OUT and set(trip.policy.codes) >= _DATA_ORIGINS
    if sees and trip.evidence == ALL_EVIDENCE and not trip.stop_at:
        return set()
    bare = [node for node in nodes if is_placeholder(infos[node]) and node not in told]
    return set(graph.degrees(bare, Way.OUT, ORIGINS, trip.as_of, 1)) if bare else set()


def _links(walked: Walked) -> list[Link]:
    """The walk's edges and those that bridges lead over, each once."""
    if not walked.bridges:
        return walked.links
    page = walked.depths
    over = [
        bridge for bridge in walked.bridges if any(node in page for node in (bridge.far, *bridge.through))
    ]
    return with_others(walked.links, [link for bridge in over for link in bridge.links])


def with_links(found: Found, more: Iterable[Link]) -> list[Link]:
    """The walk's edges, and more between nodes that this page and earlier ones show, an end of them here."""
    page, known = found.depths, found.everywhere().keys()
    ours = [x for x in more if {x.source, x.target} <= known and (x.source in page or x.target in page)]
    return with_others(found.links, ours)


def _further(infos: Mapping[int, NodeInfo], links: Iterable[Link], around: Around) -> list[int]:
    """Nodes that are named without being among the page's own."""
    ends = {end for link in links for end in (link.source, link.target)}
    ends.update([row.source for row in around.about])
    ends.update([row.target for row in around.removed], [row.target for row in around.part_of])
    return sorted(ends - infos.keys())


def by_name(told: Mapping[int, Sequence[AttributeRow]]) -> Said:
    """What is said of nodes, by the name of the attribute."""
    said: defaultdict[str, list[tuple[int, AttributeRow]]] = defaultdict(list)
    for node, rows in told.items():
        for row in rows:
            said[row.name].append((node, row))
    return said


def _types(said: Said) -> dict[int, str]:
    """One type of each node: the first by name, but ``clew:Artifact`` only when it says no more than that."""
    types: dict[int, str] = {}
    for node, row in said.get("prov:type", ()):
        if types.get(node, ARTIFACT) == ARTIFACT:
            types[node] = row.value
    return types


def _runs(
    nodes: Iterable[int],
    around: Around,
    refs: Mapping[int, str],
    types: Mapping[int, str],
    said: Said,
) -> list[gaps.Run]:
    """The runs that the nodes are part of, or are, by reference."""
    found = {row.target for row in around.part_of if row.stance}
    found.update([node for node in nodes if types.get(node) == RUN])
    ended = {node for node, _ in said.get("prov:endTime", ())}
    runs = [gaps.Run(node, refs[node], node in ended) for node in found]
    return sorted(runs, key=lambda run: run.ref)


# The parts of the contract


def common(
    graph: Graph, scope: Scope, params: Asked, found: Found, sources: Iterable[str] = ()
) -> dict[str, Any]:
    """The keyword arguments of :class:`queries.answer.Graphed` but those of the question itself. ``sources``
    are further ones whose events the answer is made of, whether it shows any of them or not.
    """
    walked = found.walked
    refs, marks = found.refs, found.marks
    marked = [(refs[node], marks[node]) for node in found.order if node in marks]
    stating = _stating(graph, scope, found).union(sources)
    missing, unchecked = gaps.look(graph, scope.as_of, marked, found.runs, stating)
    told = limits.with_left_out(scope.unchecked, walked.left_out)
    stopped = [] if params.include_refuted else _refuted(found, scope.policy.way)
    unchecked = (*told, *limits.of_refuted(stopped), *unchecked, *_unchecked(found))
    frontier = frontier_of(walked, found.refs, scope)
    fields = {
        "as_of": scope.as_of,
        "policy": scope.policy,
        "evidence": scope.used(),
        "targets": scope.targets(),
        "runs": tuple(run.ref for run in found.runs),
        "nodes": nodes_of(found),
        "edges": edges_of(found.depths, found.refs, found.links),
        "conditions": edges_of(found.depths, found.refs, found.conditions),
        "responsible": edges_of(found.depths, found.refs, found.responsible),
        "complete": not (walked.truncated or frontier or missing or unchecked),
        "truncated": walked.truncated,
        "frontier": frontier,
        "gaps": missing,
        "unchecked": unchecked,
        "cursor": cursor.write(scope.as_of, scope.asked, walked.next) if walked.next else "",
    }
    if params.fold:
        fields |= folded(graph, scope, params, fields, found.refs)
    return fields


def _stating(graph: Graph, scope: Scope, found: Found) -> set[str]:
    """The sources that state the edges; without any edge, those that say anything of the targets."""
    stating = {row.asserter for link in found.links for row in link.rows}
    if not stating:
        for way in Way:
            stating |= {row.asserter for row in graph.rows(scope.ids, way, _ALL_CODES, scope.as_of, NAMING)}
        told = graph.attributes(scope.ids, scope.as_of)
        stating |= {row.asserter for rows in told.values() for row in rows}
        stating |= _submitters(graph, scope.as_of, told)
    return {ref.removeprefix(SOURCE) for ref in stating if ref.startswith(SOURCE)}


def _submitters(graph: Graph, as_of: int, told: Mapping[int, Sequence[AttributeRow]]) -> set[str]:
    """The sources by which the documents came that do no more than declare a node: Clew says where."""
    declaring = sorted({row.value for rows in told.values() for row in rows if row.name == IN_BUNDLE})
    documents = sorted(graph.ids(declaring, as_of).values()) if declaring else []
    said = graph.attributes(documents, as_of, ("clew:source",)) if documents else {}
    return {SOURCE + row.value for rows in said.values() for row in rows}


def _refuted(found: Found, way: Way) -> list[tuple[str, str]]:
    """The refuted edges beyond which the walk came to nothing, as (from, to)."""
    known = found.everywhere()
    stopped = {ends(link, way) for link in found.links if link.refuted}
    return [(found.ref(near), found.ref(far)) for near, far in stopped if near in known and far not in known]


def _unchecked(found: Found) -> list[Unchecked]:
    compared = [(node, row) for name in gaps.COMPARED for node, row in found.said.get(name, ())]
    unchecked = gaps.not_compared([one for one in compared if one[0] in found.depths], found.refs)
    if found.around.cut:
        unchecked.append(
            Unchecked("conditions and marks", "too many relations stand around these nodes to read all")
        )
    if found.walked.unapplied:
        unchecked.append(Unchecked("citations on texts of the same calls", "the calls have too many outputs"))
    return unchecked


def nodes_of(found: Found) -> tuple[Node, ...]:
    """The nodes of the page by depth and reference."""
    refs, infos, depths, type_of, marks_of_ = (
        found.refs,
        found.infos,
        found.depths,
        found.types.get,
        found.marks.get,
    )
    return tuple(
        [
            Node(refs[node], _KINDS[infos[node].kind], depths[node], type_of(node, ""), marks_of_(node, ()))
            for node in found.order
        ]
    )


def frontier_of(walked: Walked, refs: Mapping[int, str], scope: Scope) -> tuple[Frontier, ...]:
    """Where the walk stopped, by depth and reference."""
    way = scope.policy.way.value
    stops = walked.frontier
    order = sorted(stops, key=lambda node: (walked.depths.get(node, -1), refs[node]))
    return tuple([Frontier(refs[n], way, stops[n].count, stops[n].exact, stops[n].reason) for n in order])


def now() -> str:
    """The present, as RFC 3339 in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def availability(graph: Graph, found: Found) -> Availability:
    """The bodies of the page's nodes as they are now."""
    named = {node for node, _ in found.said.get("clew:body", ())}
    holding = [node for node in found.order if node in named] if named else []
    bodies = graph.bodies(holding) if holding else {}
    return Availability(
        at=now(),
        bodies=tuple([BodyNow(found.ref(node), *body) for node in holding for body in bodies.get(node, ())]),
    )


def ids_only(fields: dict[str, Any], found: Found) -> dict[str, Any]:
    """The same answer with references instead of nodes, and no edges."""
    refs = tuple([found.refs[node] for node in found.order])
    return {**fields, "nodes": refs, "edges": (), "conditions": (), "responsible": ()}


NOT_LOOKED_AT = Unchecked("gaps, marks, ties and bodies", "view=ids gives references alone")


def by_reference(graph: Graph, scope: Scope, trip: Trip, also: Sequence[Unchecked] = ()) -> dict[str, Any]:
    """The keyword arguments of an answer by references alone (``view=ids``): the same nodes in the same
    order, and where the walk stopped."""
    walked = walk(graph, msgspec.structs.replace(trip, wide=False, lean=True, bare=True))
    refs = graph.refs([*walked.depths, *(walked.frontier.keys() - walked.depths.keys())])
    return {
        "as_of": scope.as_of,
        "policy": scope.policy,
        "evidence": scope.used(),
        "targets": scope.targets(),
        "nodes": tuple([refs[node] for node in in_order(walked.depths, refs)]),
        "truncated": walked.truncated,
        "frontier": frontier_of(walked, refs, scope),
        "unchecked": (*scope.unchecked, *also, NOT_LOOKED_AT),
        "cursor": cursor.write(scope.as_of, scope.asked, walked.next) if walked.next else "",
    }


def nothing_now() -> Availability:
    """The availability part of an answer that names no bodies."""
    return Availability(at=now())
