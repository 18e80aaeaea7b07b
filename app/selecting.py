"""What is exported: all of a tenant's graph, what one run's events state, or an answer; with what says of the
bodies of its nodes that they were deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from app.export import (
    ASSERTER,
    CODE,
    EVENT,
    MOST_EVENTS,
    RELATION,
    SUBJECT,
    TARGET,
    VERIFICATION,
    LedgerFeed,
    Row,
    Selection,
    Tables,
    pieces,
)
from app.ledger import Ledger
from provmodel.errors import ClewError, NotFound
from provmodel.events import TYPES
from provmodel.evidence import LOCAL
from provmodel.mapping import project
from provmodel.names import CLEW
from provmodel.relations import (
    ASSOCIATION,
    GENERATION,
    INVALIDATION,
    SPECIALIZATION,
    TERMS,
    USAGE,
    Term,
)
from queries.answer import Answer
from queries.hiding import NOTHING, Hiding


def ledger_feed(ledger: Ledger, tenant: str, base: str, run: str | None = None) -> LedgerFeed:
    """All of a tenant's graph, or what the events of one run state and what was joined for them.

    Raises :class:`NotFound` for a run of which there are no events.
    """
    tables = Tables(ledger, tenant, ledger.graph(tenant).head())
    try:
        return LedgerFeed(tables, base, _of_run(tables, run) if run else None)
    except ClewError:
        tables.close()
        raise


def answer_feed(
    ledger: Ledger, tenant: str, base: str, answer: Answer[Any], hiding: Hiding = NOTHING
) -> LedgerFeed:
    """The nodes of an answer, its edges and its conditions, with all that is stated of them, also of what
    was hidden from whom it was given to.
    """
    graph = answer.graph
    tables = Tables(ledger, tenant, graph.as_of)
    edges = (*graph.edges, *graph.conditions, *graph.responsible)
    refs = {node.ref for node in graph.nodes}
    refs.update(edge.source for edge in edges)
    refs = {hiding.real(ref) or ref for ref in refs}
    keys = {int(edge.relation, 16) for edge in edges}
    if hiding:
        keys = _real_keys(tables, refs, keys, hiding)
    return LedgerFeed(tables, base, _selected(tables, refs, keys))


def _real_keys(tables: Tables, refs: set[str], keys: set[int], hiding: Hiding) -> set[int]:
    """The relations among these nodes that an answer names by keys that stand for theirs."""
    found: set[int] = set()
    for piece in pieces(sorted(tables.graph.ids(sorted(refs), tables.as_of).values())):
        for term in TERMS:
            for row in tables.rows(piece, term):
                own = row[RELATION]
                edge = hiding.relation(own, row[CODE], row[SUBJECT], row[TARGET])
                if not keys.isdisjoint((own, hiding.relation(own), edge)):
                    found.add(own)
    return found


def _of_run(tables: Tables, run: str) -> Selection:
    """The events are mapped again: what each states is a function of the log."""
    reports = tables.graph.run_reports(run, tuple(TYPES), tables.as_of, MOST_EVENTS)
    if not reports:
        raise NotFound(run)
    refs: set[str] = set()
    keys: set[int] = set()
    for report in reports:
        records = project(report.event, report.computed, LOCAL)
        refs.update(records.nodes)
        keys.update(assertion.relation.key for assertion in records.assertions)
    return _selected(tables, refs, keys, with_joined=True)


def _selected(tables: Tables, refs: set[str], keys: set[int], with_joined: bool = False) -> Selection:
    """Nodes of these references and relations of these keys, with all nodes that the relations name.

    ``with_joined`` adds the relations of these nodes that only joins state.
    """
    nodes = set(tables.graph.ids(sorted(refs), tables.as_of).values())
    deleted, of_deletions = _deletions(tables, nodes)
    nodes |= deleted
    keys = keys | of_deletions
    for piece in pieces(sorted(nodes)):
        for term in TERMS:
            rows = tables.rows(piece, term)
            if with_joined:
                keys.update(_joined(tables, term, rows))
            for row in rows:
                if row[RELATION] in keys:
                    nodes.update(node for node in (row[TARGET], row[ASSERTER]) if node)
    said = tables.graph.attributes(sorted(nodes), tables.as_of)
    asserters = {row.asserter for rows in said.values() for row in rows}
    nodes.update(tables.graph.ids(sorted(asserters), tables.as_of).values())
    infos = tables.graph.infos(sorted(nodes), tables.as_of)
    return Selection(sorted(infos, key=lambda node: infos[node].ref), keys)


_OF_DELETIONS = (ASSOCIATION, USAGE)


def _deletions(tables: Tables, nodes: set[int]) -> tuple[set[int], set[int]]:
    """The deleted bodies of these nodes with their deletions, and the keys of the relations that say what
    was deleted, under which policy and by whom.
    """
    said = tables.graph.attributes(sorted(nodes), tables.as_of, ("clew:body",))
    names = {row.value for rows in said.values() for row in rows}
    bodies = sorted(tables.graph.ids(sorted(names), tables.as_of).values())
    gone = tables.rows(bodies, INVALIDATION)
    deletions = sorted({row[TARGET] for row in gone})
    of_body = tables.rows(sorted({row[SUBJECT] for row in gone}), SPECIALIZATION)
    told = [*gone, *(row for row in of_body if row[TARGET] in nodes)]
    told += [row for term in _OF_DELETIONS for row in tables.rows(deletions, term)]
    return {row[SUBJECT] for row in gone} | set(deletions), {row[RELATION] for row in told}


def _joined(tables: Tables, term: Term, rows: Sequence[Row]) -> Iterator[int]:
    origins = tables.origins.learn({row[EVENT] for row in rows})
    refs = tables.refs.learn({row[ASSERTER] for row in rows})
    for row in rows:
        verified = term is GENERATION and origins[row[EVENT]][2] == VERIFICATION
        if verified or refs[row[ASSERTER]] == CLEW:
            yield row[RELATION]
