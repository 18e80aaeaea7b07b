"""Folding: one node for each run, or for each agent, that stands for what it did and made.

An activity belongs to the run that it is part of, or to the agent that it is associated with: a person or an
agent before a tool, model or source. An entity belongs where the activity belongs that generated it. What
belongs nowhere, or to several, stays as it is, and so do the targets and whatever is named in ``expand``.
Counts of a folded answer add up to those of the unfolded one: a folded node says how many nodes it stands for
and how many edges run between them, those crossed and those only listed apart; a merged edge how many it
stands for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from provmodel import names
from provmodel.evidence import ORDER
from provmodel.relations import (
    ASSOCIATION,
    ATTRIBUTION,
    GENERATION,
    INFLUENCE,
    Flow,
    Kind,
    codes_of,
    kind_words,
)
from queries.answer import Edge, Mark, Node
from queries.graph import Graph, Row, Way
from queries.question import Asked, Fold, Scope

PART_OF = INFLUENCE.code(0, Flow.STRUCTURE)
GENERATED = GENERATION.code(0, Flow.DATA)
_ASSOCIATED = codes_of(frozenset(Flow), (ASSOCIATION.name, ATTRIBUTION.name))
_ACTING = frozenset({"agent", "person"})
TOLD = frozenset({"retracted", "removed", "deleted", "conflict"})
"""Marks whose nodes are told by name (:mod:`queries.telling`)."""
_LISTS = ("edges", "conditions", "responsible")
_RANK = {word: rank for rank, word in enumerate((*ORDER, ""))}

Groups = Mapping[int, int]
"""Nodes, and the run or agent that each belongs to."""


def folded(
    graph: Graph,
    scope: Scope,
    params: Asked,
    fields: Mapping[str, Any],
    refs: Mapping[int, str],
) -> dict[str, Any]:
    """The nodes and edges of an answer, folded; ``refs`` are all nodes that it names."""
    starts = frozenset(scope.ids)
    groups = groups_of(graph, list(refs), params.fold, scope.as_of)
    known = graph.infos(sorted(set(groups.values())), scope.as_of)
    into = {
        refs[node]: known[group].ref
        for node, group in groups.items()
        if (node not in starts or node == group) and not scope.expand & {node, group}
    }
    crossed: defaultdict[str, int] = defaultdict(int)
    listed: defaultdict[str, int] = defaultdict(int)
    lists = {name: _merged(fields[name], into, crossed if name == "edges" else listed) for name in _LISTS}
    told = graph.attributes(sorted(known), scope.as_of, ("prov:type",))
    types = {info.ref: _type(told.get(node, ())) for node, info in known.items()}
    kinds = {info.ref: kind_words(info.kind) for info in known.values()}
    return {"nodes": _nodes(fields["nodes"], into, (crossed, listed), kinds, types), **lists}


def groups_of(graph: Graph, nodes: Sequence[int], fold: Fold, as_of: int) -> dict[int, int]:
    """The run or agent of each node that belongs to exactly one."""
    made = _supported(graph.rows(nodes, Way.OUT, (GENERATED,), as_of))
    makers = {row.target for row in made}
    own = (
        _runs(graph, [*nodes, *makers], as_of) if fold == "run" else _agents(graph, [*nodes, *makers], as_of)
    )
    by_maker: defaultdict[int, set[int | None]] = defaultdict(set)
    for row in made:
        by_maker[row.source].add(own.get(row.target))
    groups = {node: own[node] for node in nodes if node in own}
    for node, found in by_maker.items():
        [group, *more] = found
        if group is not None and not more:
            groups.setdefault(node, group)
    return groups


def _runs(graph: Graph, nodes: Sequence[int], as_of: int) -> dict[int, int]:
    """Activities by their run; a run belongs to itself."""
    rows = _supported(graph.rows(nodes, Way.OUT, (PART_OF,), as_of))
    own = _alone({(row.source, row.target) for row in rows if row.role == "part-of"})
    types = graph.attributes(nodes, as_of, ("prov:type",))
    runs = {node for node, said in types.items() if any(row.value == "clew:Run" for row in said)}
    return own | {node: node for node in (*runs, *own.values())}


def _agents(graph: Graph, nodes: Sequence[int], as_of: int) -> dict[int, int]:
    """Activities by the agent that did them, entities by the one they are attributed to; an agent belongs to
    itself.
    """
    rows = [
        row for row in _supported(graph.rows(nodes, Way.OUT, _ASSOCIATED, as_of)) if row.source != row.target
    ]
    agents = graph.infos(sorted({row.target for row in rows}), as_of)
    pairs = {(row.source, row.target) for row in rows if agents[row.target].kind & Kind.AGENT}
    acting = {pair for pair in pairs if names.split(agents[pair[1]].ref).scheme in _ACTING}
    own = _alone(pairs) | _alone(acting)
    return own | {agent: agent for agent in own.values()}


def _alone(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Those that stand with exactly one other."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in pairs:
        found[one].add(other)
    return {one: next(iter(others)) for one, others in found.items() if len(others) == 1}


def _supported(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.stance]


def _type(said: Sequence[Any]) -> str:
    return next((row.value for row in said), "")


def _nodes(
    nodes: Sequence[Node],
    into: Mapping[str, str],
    inner: tuple[Mapping[str, int], Mapping[str, int]],
    kinds: Mapping[str, tuple[str, ...]],
    types: Mapping[str, str],
) -> tuple[Node, ...]:
    """What is left, and the nodes that stand for the rest, by depth and reference."""
    members: defaultdict[str, list[Node]] = defaultdict(list)
    left = []
    for node in nodes:
        if node.ref in into:
            members[into[node.ref]].append(node)
        else:
            left.append(node)
    for ref, stood_for in members.items():
        left.append(
            Node(
                ref=ref,
                kinds=kinds[ref],
                depth=min(node.depth for node in stood_for),
                type=types[ref],
                marks=_marks(stood_for),
                members=len(stood_for),
                inner=inner[0].get(ref, 0),
                inner_listed=inner[1].get(ref, 0),
            )
        )
    return tuple(sorted(left, key=lambda node: (node.depth, node.ref)))


def _marks(nodes: Sequence[Node]) -> tuple[Mark, ...]:
    """The marks of the nodes, each with whose it is: those that answers tell one by one, of others one of
    each kind and verdict."""
    marks = {
        (mark.kind, mark.verdict, node.ref if mark.kind in TOLD else ""): msgspec.structs.replace(
            mark, of=node.ref
        )
        for node in reversed(nodes)
        for mark in reversed(node.marks)
    }
    return tuple(marks[key] for key in sorted(marks))


def _merged(edges: Sequence[Edge], into: Mapping[str, str], inner: defaultdict[str, int]) -> tuple[Edge, ...]:
    """Edges between what is left, those alike as one; ``inner`` counts those within one node."""
    merged: dict[tuple[object, ...], Edge] = {}
    for edge in edges:
        source, target = into.get(edge.source, edge.source), into.get(edge.target, edge.target)
        if source == target and edge.source != edge.target:
            inner[source] += 1
            continue
        if (source, target) == (edge.source, edge.target):
            merged[edge.source, edge.target, edge.relation, edge.argument] = edge
            continue
        key = (source, target, edge.term, edge.argument, edge.flow, edge.refuted)
        moved = msgspec.structs.replace(edge, source=source, target=target)
        merged[key] = _one(merged[key], moved) if key in merged else moved
    return tuple(merged.values())


def _one(one: Edge, other: Edge) -> Edge:
    """Two edges as one, as well known as the better of them; ``expand`` tells what each rests on."""
    best = min(one.evidence, other.evidence, key=_RANK.__getitem__)
    role = one.role if one.role == other.role else ""
    return msgspec.structs.replace(
        one, relation="", role=role, evidence=best, assertions=(), count=one.count + other.count
    )
