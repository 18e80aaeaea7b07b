"""What stands around the nodes of an answer and is shown, not crossed: conditions, agents, runs and records.

Two reads of rows, one each way, whatever the number of nodes; one more pair when something was retracted or
deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec

from provmodel.relations import GENERATION, INFLUENCE, INVALIDATION, SPECIALIZATION, Flow, codes_of
from queries.graph import Graph, Report, Row, Way
from queries.policy import Policy

MOST = 20_000
"""Rows one way that are read; beyond that the answer says what it left out."""

PART_OF = INFLUENCE.code(0, Flow.STRUCTURE)
SPECIALIZED = SPECIALIZATION.code(0)
RECORD_MADE = GENERATION.code(0, Flow.RECORD)
INVALIDATED = INVALIDATION.code(0)
RECORDS = codes_of(frozenset({Flow.RECORD}))
RESPONSIBLE = codes_of(frozenset({Flow.RESPONSIBILITY}))
NOTICES = frozenset({"retracts", "cancels", "withdraws", "replaced-by"})


class Around(msgspec.Struct):
    """Rows around some nodes, sorted by what they tell.

    ``listed`` are conditions and responsibility; ``part_of`` lead to runs; ``about`` are records about a
    node (the node is their target); ``removed`` say that a thing was deleted in the world; ``bodies`` lead
    from a deleted body to its version; ``specialized`` are nodes of which a version or occurrence is
    recorded. ``withdrawn`` are notices taken back, ``reports`` the events behind notices and deletions, by
    notice or body. ``cut`` is True when there were too many rows to read.
    """

    listed: list[Row] = []
    part_of: list[Row] = []
    about: list[Row] = []
    removed: list[Row] = []
    bodies: list[Row] = []
    specialized: set[int] = set()
    withdrawn: set[int] = set()
    reports: dict[int, Report] = {}
    cut: bool = False


def look_around(graph: Graph, nodes: Sequence[int], policy: Policy, as_of: int) -> Around:
    """Read what stands around ``nodes``."""
    if not nodes:
        return Around()
    around = Around()
    listed = policy.listed
    outward = {
        PART_OF,
        INVALIDATED,
        *(RESPONSIBLE if policy.way is Way.IN else ()),
        *_listed(listed, policy, Way.OUT),
    }
    inward = {SPECIALIZED, *RECORDS, *_listed(listed, policy, Way.IN)}
    for way, codes in ((Way.OUT, outward), (Way.IN, inward)):
        rows = graph.rows(nodes, way, sorted(codes), as_of, MOST + 1)
        around.cut = around.cut or len(rows) > MOST
        _sort(rows, way, around)
    _notices(graph, around, as_of)
    return around


def _listed(listed: Collection[int], policy: Policy, way: Way) -> Iterable[int]:
    """Conditions are listed the way of the walk; who is responsible, always from what he answers for."""
    if way is policy.way:
        return (code for code in listed if way is Way.OUT or code not in RESPONSIBLE)
    return ()


def _sort(rows: Iterable[Row], way: Way, around: Around) -> None:
    records = frozenset(RECORDS)
    for row in rows:
        code = row[1]
        if code == PART_OF:
            if row[8] == "part-of":
                around.part_of.append(row)
        elif code == SPECIALIZED:
            around.specialized.add(row[2])
            if row[10].startswith("body"):
                around.bodies.append(row)
        elif code in records:
            if way is Way.IN:
                around.about.append(row)
            elif row[8] == "delete":
                around.removed.append(row)
        else:
            around.listed.append(row)


def _notices(graph: Graph, around: Around, as_of: int) -> None:
    """Follow notices and bodies to the activity that made or deleted them, and to whoever took a notice
    back.
    """
    notices = {
        row.source
        for row in around.about
        if row.code == INFLUENCE.code(0, Flow.RECORD) and row.role in NOTICES
    }
    made = notices | {row.source for row in around.bodies}
    if not made:
        return
    activities = {
        row.source: row.target for row in graph.rows(sorted(made), Way.OUT, (RECORD_MADE, INVALIDATED), as_of)
    }
    reports = graph.reports(sorted(set(activities.values())), as_of)
    around.reports = {node: reports[act][0] for node, act in activities.items() if act in reports}
    if notices:
        back = graph.rows(sorted(notices), Way.IN, RECORDS, as_of)
        around.withdrawn = {row.target for row in back if row.role == "withdraws"}
