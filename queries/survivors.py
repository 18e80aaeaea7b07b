"""What was written and is still there: the newest occurrences not deleted, and what was sent.

Messages and results are no writes, and a write that was refuted never took place (model, sections 5 and 6).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set

import msgspec

from provmodel import names
from provmodel.evidence import ALL_EVIDENCE
from provmodel.times import nanoseconds
from queries.building import Found
from queries.graph import Graph, Row, Unchecked, Way
from queries.limits import of_newest
from queries.links import Link, contradicted, links_of
from queries.marks import ARTIFACT, GENERATED, OCCURRENCE
from queries.targets import newest_of_each


class Survivors(msgspec.Struct, frozen=True):
    """Written occurrences by what became of them, each ordered by reference. ``exists`` is the evidence that
    each was made at all; ``unchecked`` says of which it is not certain."""

    survivors: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    exists: Mapping[str, int] = {}
    unchecked: tuple[Unchecked, ...] = ()

    def standing(self) -> dict[str, str]:
        """What became of each: survivor, superseded, deleted, refuted or contradicted."""
        return {
            **dict.fromkeys(self.contradicted, "contradicted"),
            **dict.fromkeys(self.refuted, "refuted"),
            **dict.fromkeys(self.deleted, "deleted"),
            **dict.fromkeys(self.superseded, "superseded"),
            **dict.fromkeys(self.survivors, "survivor"),
        }


def survivors_of(graph: Graph, as_of: int, found: Found, nodes: Iterable[int]) -> Survivors:
    """Sort the written ones among ``nodes``."""
    made_by = makings(graph, as_of, [node for node in nodes if may_be_written(found, node)])
    doubtful, refuted = disputed(made_by)
    made = made_in(made_by)
    every = [node for node in nodes if is_written(found, node, made)]
    written = [node for node in every if node not in refuted and node not in doubtful]
    removed = {node for node in written if any(mark.kind == "removed" for mark in found.marks.get(node, ()))}
    again, unsure = _made_again(graph, as_of, found, removed, made_by)
    deleted = removed - again
    current = [node for node in written if node not in deleted]
    sent = {node for node in current if _told(found, node, "clew:mode", "send")}
    newest, doubted = _newest(graph, as_of, found, [node for node in current if node not in sent])
    alive = sent | newest
    return Survivors(
        survivors=tuple(sorted(found.ref(node) for node in alive)),
        superseded=tuple(sorted(found.ref(node) for node in current if node not in alive)),
        deleted=tuple(sorted(found.ref(node) for node in deleted)),
        refuted=tuple(sorted(found.ref(node) for node in every if node in refuted)),
        contradicted=tuple(sorted(found.ref(node) for node in every if node in doubtful)),
        exists=_exists(found, made_by),
        unchecked=(*unsure, *doubted),
    )


def makings(graph: Graph, as_of: int, nodes: Sequence[int]) -> list[Link]:
    """The edges that say what made these nodes, whichever of them the walk came by: what refutes a write may
    stand where it did not look."""
    rows = graph.rows(nodes, Way.OUT, (GENERATED,), as_of) if nodes else []
    return links_of(rows, ALL_EVIDENCE)


def _exists(found: Found, made_by: Iterable[Link]) -> dict[str, int]:
    """How well it is known of each node that it was made at all."""
    exists: dict[str, int] = {}
    for link in made_by:
        ref = found.ref(link.source)
        exists[ref] = max(link.supporting, exists.get(ref, link.supporting))
    return exists


def may_be_written(found: Found, node: int) -> bool:
    """Whether a node may be an occurrence that an activity wrote, as far as its name and what is said of it
    tell."""
    types = [row.value for row in found.told.get(node, ()) if row.name == "prov:type"]
    return OCCURRENCE in types or ARTIFACT in types or names.BY in found.ref(node)


def is_written(found: Found, node: int, made: Mapping[int, set[int]]) -> bool:
    """Whether a node is an occurrence that an activity wrote.

    ``made`` are the events that say what made a node. Where the version's own event says it, it was written;
    where only the event of a tool does, it may be a result.
    """
    types = [row.value for row in found.told.get(node, ()) if row.name == "prov:type"]
    if OCCURRENCE in types or names.BY in found.ref(node):
        return True
    own = {row.event for row in found.told.get(node, ()) if row.value == ARTIFACT}
    return bool(own & made.get(node, set())) and names.split(found.ref(node)).is_occurrence


def made_in(links: Iterable[Link]) -> dict[int, set[int]]:
    """The events that say what made each node."""
    made: defaultdict[int, set[int]] = defaultdict(set)
    for link in links:
        if link.code == GENERATED:
            made[link.source].update(row.event for row in link.rows)
    return made


def _told(found: Found, node: int, name: str, value: str) -> bool:
    return any(row.name == name and row.value == value for row in found.told.get(node, ()))


def disputed(links: Iterable[Link]) -> tuple[set[int], set[int]]:
    """What verifiers contradict each other about, whether it was written; and what was refuted alone."""
    refuted = [link for link in links if link.code == GENERATED and link.refuted]
    doubtful = {link.source for link in refuted if contradicted(link)}
    return doubtful, {link.source for link in refuted} - doubtful


def _newest(graph: Graph, as_of: int, found: Found, nodes: list[int]) -> tuple[set[int], list[Unchecked]]:
    """Those that are the newest version of their thing, or may be by when they were written; and of which
    things that is not certain."""
    by_thing: defaultdict[str, list[int]] = defaultdict(list)
    for node in nodes:
        by_thing[names.split(found.ref(node)).thing].append(node)
    newest = newest_of_each(graph, graph.versions(list(by_thing), as_of), as_of) if by_thing else {}
    alive = {
        node
        for thing, among in by_thing.items()
        for node in among
        if thing not in newest or node == newest[thing].node or node in newest[thing].later
    }
    doubted: list[Unchecked] = []
    for last in newest.values():
        refs = graph.refs(sorted(last.later)) if last.later else {}
        doubted += of_newest(last.ref, [refs[node] for node in last.later])
    return alive, doubted


def _made_again(
    graph: Graph, as_of: int, found: Found, nodes: Set[int], made_by: Iterable[Link]
) -> tuple[set[int], list[Unchecked]]:
    """Those of some things deleted that something made later, as far as times tell; and of which two sources
    tell, so that it is not certain."""
    gone = {node: max((_time(row), row.event) for row in _removals(found, node)) for node in nodes}
    made: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for link in made_by:
        if link.source in nodes and link.supporting and not link.refuted:
            made[link.source][link.target] = max((_time(row), row.event) for row in link.rows if row.stance)
    again = {node: max(each.values()) for node, each in made.items() if len(each) > 1}
    again = {node: last for node, last in again.items() if last[0] > gone[node][0]}
    seqs = sorted({event for node in again for event in (again[node][1], gone[node][1])})
    source = {seq: report.event.source for seq, report in graph.events(seqs, as_of).items()} if seqs else {}
    unsure = [found.ref(node) for node in again if source[again[node][1]] != source[gone[node][1]]]
    why = "it was deleted, and made again by the time that another source tells"
    return set(again), [Unchecked(f"whether {ref} is still there", why) for ref in sorted(unsure)]


def _removals(found: Found, node: int) -> list[Row]:
    return [row for row in found.around.removed if row.source == node and row.stance]


def _time(row: Row) -> int:
    return nanoseconds(row.time) if row.time else 0
