"""Marks: what is recorded about a node, or missing of it, and the event that says so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import lru_cache

from provmodel import names
from provmodel.events import ContentDeleted, Retracted, RunCancelled
from provmodel.evidence import WORDS, Evidence
from provmodel.relations import GENERATION, Flow, Kind
from provmodel.times import nanoseconds
from queries.answer import Mark
from queries.around import NOTICES, RETRACTS, Around, Carried
from queries.graph import AttributeRow, NodeInfo, Report, Row
from queries.links import Link

EVIDENCE_WORD = WORDS
GENERATED = GENERATION.code(0, Flow.DATA)
OCCURRENCE = "clew:Occurrence"
RUN = "clew:Run"
ARTIFACT = "clew:Artifact"
_NOTICE_KIND = {
    "retracts": "retracted",
    "cancels": "cancelled",
    "withdraws": "withdrawn",
    "replaced-by": "replacement",
}
_RECORD_KIND = {"verifies": "verified", "draft": "adoption", "replaces": "replaced", "observed": "read_back"}
_PLACEHOLDER = Mark(kind="placeholder")
_UNPINNED = Mark(kind="unpinned")
_NOT_VERIFIED = Mark(kind="not_verified")
_STATES = frozenset({"never_captured", "partial"})
_ENTITY = int(Kind.ENTITY)
ANOTHER = "another body of it is there"
"""Stands with the reason of a deletion where what was deleted is not all that came."""
_NODES = Kind.ENTITY | Kind.ACTIVITY
_AGENT = int(Kind.AGENT)
_REMEMBERED = 65_536
"""References of which it is remembered whether they name a thing that changes, without a version."""

Told = Mapping[int, Sequence[AttributeRow]]
Said = Mapping[str, Sequence[tuple[int, AttributeRow]]]
"""What is said of nodes, by the name of the attribute."""
Conflict = tuple[int, int, str]
"""A node, and the seq and time of an event about it that another one contradicts."""
Marks = defaultdict[int, list[Mark]]


def marks_of(
    nodes: Collection[int],
    infos: Mapping[int, NodeInfo],
    told: Told,
    said: Said,
    around: Around,
    links: Iterable[Link],
    conflicts: Collection[Conflict],
    made: Set[int],
) -> dict[int, tuple[Mark, ...]]:
    """The marks of each node that has any, ordered by kind, event and reference.

    ``conflicts`` are the events of which there are other variants, by what they describe; ``made`` are nodes
    known to have come from something.
    """
    marks: Marks = defaultdict(list)
    _records(marks, around, infos, told)
    if around.bodies:
        _deletions(marks, around, told)
    written = _states(marks, nodes, said)
    _unverified(marks, written, links)
    _missing(marks, nodes, infos, told, around.specialized | made, links)
    for node, event, time in conflicts:
        if node in nodes:
            marks[node].append(Mark(kind="conflict", event=event, time=time))
    return {
        node: tuple(sorted(found, key=_order)) if len(found) > 1 else (found[0],)
        for node, found in marks.items()
        if found
    }


def _order(mark: Mark) -> tuple[str, int, str]:
    return mark.kind, mark.event, mark.ref


def _records(marks: Marks, around: Around, infos: Mapping[int, NodeInfo], told: Told) -> None:
    for row in _best(around.about):
        report = around.reports.get(row.source)
        carried = around.carried.get(row.source)
        if row.role in NOTICES and report:
            marks[row.target].append(_notice(row, report, around, infos))
        elif row.role in NOTICES and carried:
            marks[row.target].append(_carried(row, carried, around, infos))
        elif row.role in _RECORD_KIND:
            marks[row.target].append(_record(row, infos, told))
    for row in _best(around.removed):
        marks[row.source].append(
            _mark("removed", row, ref=infos[row.target].ref if row.target in infos else "")
        )


def _best(rows: Iterable[Row]) -> list[Row]:
    """One supporting row of each relation and node: the best known, and of these the first by its time."""
    best: dict[tuple[int, int], Row] = {}
    for row in rows:
        held = best.get((row.relation, row.target))
        if row.stance and (held is None or _rank(row) < _rank(held)):
            best[row.relation, row.target] = row
    return list(best.values())


def _rank(row: Row) -> tuple[int, int, str, str, int]:
    time = nanoseconds(row.time) if row.time else 0
    return -row.evidence, time, row.asserter, row.attributes, row.event


def _mark(kind: str, row: Row, verdict: str = "", ref: str = "") -> Mark:
    return Mark(
        kind=kind,
        verdict=verdict,
        by=row.asserter,
        time=row.time,
        event=row.event,
        evidence=EVIDENCE_WORD[row.evidence],
        ref=ref,
    )


def _record(row: Row, infos: Mapping[int, NodeInfo], told: Told) -> Mark:
    verdict = _value(told, row.source, "clew:verdict")
    return _mark(_RECORD_KIND[row.role], row, verdict, infos[row.source].ref if row.source in infos else "")


def _kind(row: Row, around: Around) -> str:
    return "withdrawn" if row.source in around.withdrawn else _NOTICE_KIND[row.role]


def _reason(row: Row, around: Around, reason: str) -> str:
    """The reason that is given; of what was said of a whole thing also of which."""
    whole = around.whole_of.get((row.source, row.target)) if row.role == RETRACTS else None
    if whole is None:
        return reason
    return f"{reason.rstrip('.')}; every version of {whole}".removeprefix("; ")


def _notice(row: Row, report: Report, around: Around, infos: Mapping[int, NodeInfo]) -> Mark:
    event = report.event
    by = event.by if isinstance(event, Retracted | RunCancelled) else row.asserter
    return Mark(
        kind=_kind(row, around),
        by=names.agent(by, "person"),
        time=event.time,
        reason=_reason(row, around, (event.reason or "") if isinstance(event, Retracted) else ""),
        event=report.seq,
        evidence=EVIDENCE_WORD[row.evidence],
        ref=infos[row.source].ref if row.source in infos else "",
    )


def _carried(row: Row, told: Carried, around: Around, infos: Mapping[int, NodeInfo]) -> Mark:
    return Mark(
        kind=_kind(row, around),
        by=told.by,
        time=told.time,
        reason=_reason(row, around, told.reason),
        event=row.event,
        evidence=EVIDENCE_WORD[row.evidence],
        ref=infos[row.source].ref if row.source in infos else "",
    )


def _deletions(marks: Marks, around: Around, said: Told) -> None:
    gone = around.gone
    for row in _best(around.bodies):
        report = around.reports.get(row.source)
        told = around.carried.get(row.source)
        if told:
            kind = "deleted" if told.done else "deletion_requested"
            marks[row.target].append(
                Mark(
                    kind=kind,
                    by=told.by,
                    time=told.time,
                    reason=told.reason,
                    event=row.event,
                    ref=told.policy,
                )
            )
        if report is None or not isinstance(report.event, ContentDeleted):
            continue
        event = report.event
        deleted = event.body in gone
        others = deleted and _bodies(said, row.target) - gone
        marks[row.target].append(
            Mark(
                kind="deleted" if deleted else "deletion_requested",
                by=names.agent(event.actor) if event.actor else "",
                time=event.done or event.requested or event.time,
                reason="; ".join(filter(None, (event.reason_class, ANOTHER if others else ""))),
                event=report.seq,
                ref=event.policy or "",
            )
        )


def _bodies(said: Told, node: int) -> set[str]:
    """The ids of the bodies that came for a node."""
    return {row.value for row in said.get(node, ()) if row.name == "clew:body"}


def _states(marks: Marks, nodes: Collection[int], said: Said) -> list[int]:
    """What is not there of bodies; gives the nodes that are occurrences."""
    for node, row in said.get("clew:bodyState", ()):
        if row.value in _STATES and node in nodes:
            marks[node].append(Mark(kind=row.value, by=row.asserter, event=row.event))
    written = [node for node, row in said.get("prov:type", ()) if row.value == OCCURRENCE]
    return [node for node in dict.fromkeys(written) if node in nodes]


def _unverified(marks: Marks, written: Iterable[int], links: Iterable[Link]) -> None:
    """Writes that only the tool told of."""
    made: dict[int, list[Row]] = {node: [] for node in written}
    for link in links if made else ():
        if link.code == GENERATED and link.source in made:
            made[link.source] += link.rows
    for node, rows in made.items():
        if _only_declared(rows):
            marks[node].append(_NOT_VERIFIED)


def _missing(
    marks: Marks,
    nodes: Iterable[int],
    infos: Mapping[int, NodeInfo],
    told: Told,
    known: Set[int],
    links: Iterable[Link],
) -> None:
    """Nodes that are only named, and things without a version."""
    bare = [node for node in nodes if not infos[node].described and node not in told and node not in known]
    sources = {link.source for link in links} if bare else ()
    for node in bare:
        if node not in sources and is_placeholder(infos[node]):
            marks[node].append(_PLACEHOLDER)
    named = [(node, infos[node]) for node in nodes]
    for node in [node for node, info in named if info.kind & _ENTITY and _changes_unnamed(info.ref)]:
        marks[node].append(_UNPINNED)


def is_placeholder(info: NodeInfo) -> bool:
    """Named by some event and described by none. Agents need no event of their own; of what no relation says
    the kind, such as something that is only retracted, nothing at all is recorded."""
    return not info.described and (not info.kind or (info.kind & _NODES > 0 and not info.kind & _AGENT))


def is_unpinned(info: NodeInfo) -> bool:
    """A thing that changes while its name stays, named without a version."""
    return info.kind & _ENTITY > 0 and _changes_unnamed(info.ref)


@lru_cache(_REMEMBERED)
def _changes_unnamed(ref: str) -> bool:
    scheme = ref.partition(":")[0]
    if scheme not in names.MUTABLE_SCHEMES and scheme.lower() not in names.MUTABLE_SCHEMES:
        return False
    return names.split(ref).unpinned


def _only_declared(made: Sequence[Row]) -> bool:
    """No verifier has spoken for the write, nor against it."""
    return bool(made) and not any(row.evidence == Evidence.VERIFIED or not row.stance for row in made)


def _value(told: Told, node: int, name: str) -> str:
    return next((row.value for row in told.get(node, ()) if row.name == name), "")


def main_type(rows: Iterable[AttributeRow]) -> str:
    """The type that a node is shown as; "" when it has none. One that was described as a thing and written,
    too, is shown as what was written.
    """
    types = [row.value for row in rows if row.name == "prov:type"]
    return next((one for one in types if one != ARTIFACT), types[0] if types else "")
