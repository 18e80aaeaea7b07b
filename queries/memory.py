"""MemoryGraph: the Graph protocol over events held in memory, for files on disk and for tests.

It maps and joins event by event as the ledger does, so a row has the same ``since`` and ``until`` in both.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from provmodel import names
from provmodel.computed import Computed
from provmodel.events import Envelope
from provmodel.evidence import ALL_EVIDENCE, LOCAL, Principal
from provmodel.mapping import project
from provmodel.records import Assertion, Records
from provmodel.relations import Flow, codes_of
from provmodel.settling import settle
from provmodel.times import nanoseconds
from queries.coverage import Counted, Coverage
from queries.graph import (
    AttributeRow,
    BodyState,
    Loose,
    NodeInfo,
    Numbers,
    Report,
    Row,
    SourceState,
    Way,
    opened,
)
from queries.joins import Joined, Joins
from queries.links import Link, links_of

FOREVER = 2**63 - 1
MEMBERSHIP = codes_of(frozenset(Flow), ("hadMember",))
SPECIALIZATION = codes_of(frozenset(Flow), ("specializationOf",))
INVALIDATION = codes_of(frozenset(Flow), ("wasInvalidatedBy",))
# What counts as use of something returned, or as execution of something proposed.
USES = tuple(code for code in codes_of(frozenset({Flow.DATA})) if code not in MEMBERSHIP)


class Arrived(msgspec.Struct, frozen=True):
    """One event as it was taken in: what was computed from its bodies, who delivered it, when (RFC 3339), and
    what those of its bodies say that are labels.
    """

    event: Envelope
    computed: tuple[Computed, ...] = ()
    principal: Principal = LOCAL
    received: str = ""
    texts: dict[str, str] = {}


def tagged(digest: str) -> str:
    """The tag that stands for a private digest in a graph that no key belongs to."""
    return hashlib.blake2b(digest.encode(), key=b"clew memory", digest_size=16).hexdigest()


class _Kept:
    """One row and the seq from which it no longer holds."""

    __slots__ = ("row", "until")

    def __init__(self, row: Row) -> None:
        self.row = row
        self.until = FOREVER

    def at(self, as_of: int) -> bool:
        return self.row.since <= as_of < self.until


class MemoryGraph:
    """A graph that grows with :meth:`add`; nothing is shared with other threads."""

    def __init__(self, tenant: str = "default") -> None:
        self._tenant = tenant
        self._refs: list[str] = []
        self._ids: dict[str, int] = {}
        self._kinds: list[list[tuple[int, int]]] = []
        self._described: dict[int, int] = {}
        self._things: defaultdict[str, list[int]] = defaultdict(list)
        self._tails: defaultdict[str, list[int]] = defaultdict(list)
        self._ends: dict[Way, defaultdict[int, list[_Kept]]] = {way: defaultdict(list) for way in Way}
        self._joined: dict[Joined, list[_Kept]] = {}
        self._attributes: defaultdict[int, list[AttributeRow]] = defaultdict(list)
        self._reports: list[Report] = []
        self._subjects: defaultdict[int, list[int]] = defaultdict(list)
        self._runs: defaultdict[str, list[int]] = defaultdict(list)
        self._lookups: defaultdict[str, list[int]] = defaultdict(list)
        self._listed: defaultdict[str, dict[tuple[str, int], int]] = defaultdict(dict)
        self._variants: defaultdict[tuple[str, str], dict[bytes, int]] = defaultdict(dict)
        self._received: list[int] = []
        self._joins = Joins()

    @classmethod
    def of_events(
        cls,
        events: Iterable[Envelope | Arrived],
        tenant: str = "default",
        tagger: names.Tagger = tagged,
    ) -> MemoryGraph:
        """The graph of these events, taken one by one; raises Refused for one that can't be."""
        graph = cls(tenant)
        for item in events:
            arrived = item if isinstance(item, Arrived) else Arrived(item)
            graph.add(msgspec.structs.replace(arrived, event=settle(arrived.event, tagger)))
        return graph

    # Growing

    def add(self, arrived: Arrived) -> int:
        """Take in one settled event and return its seq; a known one (same source, id and content) has that
        of before.
        """
        event = arrived.event
        content = msgspec.json.encode(event, order="deterministic")
        variants = self._variants[event.source, event.id]
        if content in variants:
            return variants[content]
        return self._take(arrived, project(event, arrived.computed, arrived.principal), variants, content)

    def take(self, arrived: Arrived, records: Records) -> int:
        """Take in one event with what it became, and return its seq."""
        event = arrived.event
        content = msgspec.json.encode(event, order="deterministic")
        return self._take(arrived, records, self._variants[event.source, event.id], content)

    def _take(self, arrived: Arrived, records: Records, variants: dict[bytes, int], content: bytes) -> int:
        seq = variants[content] = len(self._reports) + 1
        self._log(seq, arrived, records)
        for ref, kind in records.nodes.items():
            self._node(ref, kind, seq)
        self._attribute(records, seq, arrived.texts)
        for assertion in dict.fromkeys(records.assertions):
            self._state(assertion, seq, seq)
        self._join(records, seq)
        return seq

    def _log(self, seq: int, arrived: Arrived, records: Records) -> None:
        event, received = arrived.event, arrived.received or arrived.event.time
        self._received.append(max(nanoseconds(received), self._received[-1] if self._received else 0))
        principal = arrived.principal
        self._reports.append(
            Report(seq, received, principal.name, False, principal.vouches, event, arrived.computed)
        )
        self._subjects[self._node(records.subject, 0, seq)].append(seq)
        if event.run:
            self._runs[event.run].append(seq)
        if records.lookup:
            self._lookups[records.lookup].append(seq)

    def _node(self, ref: str, kind: int, seq: int) -> int:
        node = self._ids.get(ref)
        if node is None:
            node = self._ids[ref] = len(self._refs)
            self._refs.append(ref)
            self._kinds.append([(seq, int(kind))])
            self._things[names.split(ref).thing].append(node)
            self._tails[names.tail(ref)].append(node)
        elif kind & ~self._kinds[node][-1][1]:
            self._kinds[node].append((seq, self._kinds[node][-1][1] | int(kind)))
        return node

    def _attribute(self, records: Records, seq: int, texts: Mapping[str, str]) -> None:
        self._described.setdefault(self._ids[records.subject], seq)
        for a in dict.fromkeys(records.attributes):
            node = self._node(a.node, 0, seq)
            if a.name in ("prov:type", "clew:inBundle"):
                self._described.setdefault(node, seq)
            row = opened(
                AttributeRow(a.name, a.value, a.datatype, int(a.evidence), int(a.stance), a.asserter, seq),
                texts,
            )
            insort(self._attributes[node], row, key=lambda kept: (kept.name, kept.value, kept.event))

    def _state(self, assertion: Assertion, event: int, since: int) -> list[_Kept]:
        relation = assertion.relation
        source = self._node(relation.subject, relation.term.subject_kind, since)
        kept = []
        for position, argument in enumerate(relation.arguments):
            if argument is None:
                continue
            row = Row(
                source=source,
                code=relation.code(position),
                target=self._node(argument, relation.term.arguments[position].kind, since),
                relation=relation.key,
                evidence=int(assertion.evidence),
                stance=int(assertion.stance),
                event=event,
                since=since,
                role=relation.role,
                asserter=assertion.asserter,
                method=assertion.method,
                time=assertion.time,
                attributes=assertion.attributes,
            )
            kept.append(_Kept(row))
            self._ends[Way.OUT][row.source].append(kept[-1])
            self._ends[Way.IN][row.target].append(kept[-1])
        return kept

    def _join(self, records: Records, seq: int) -> None:
        for fact in records.facts:
            if fact.side == "listed":
                self._listed[fact.key].setdefault((fact.data, self._node(fact.node, 0, seq)), seq)
        change = self._joins.add(seq, records.facts)
        for joined in change.ended:
            for kept in self._joined.pop(joined):
                kept.until = seq
        for joined in change.begun:
            self._joined[joined] = self._state(joined.assertion, joined.event, seq)

    # Reading

    @property
    def tenant(self) -> str:
        return self._tenant

    def head(self) -> int:
        return len(self._reports)

    def seq_at(self, time: str) -> int:
        return bisect_right(self._received, nanoseconds(time))

    def ids(self, refs: Sequence[str], as_of: int) -> dict[str, int]:
        found = ((ref, self._ids.get(ref)) for ref in refs)
        return {ref: node for ref, node in found if node is not None and self._kinds[node][0][0] <= as_of}

    def all_refs(self) -> list[str]:
        """Every reference in the graph, in the order in which they came."""
        return list(self._refs)

    def infos(self, ids: Sequence[int], as_of: int) -> dict[int, NodeInfo]:
        return {node: self._info(node, as_of) for node in ids if self._kinds[node][0][0] <= as_of}

    def _info(self, node: int, as_of: int) -> NodeInfo:
        kind = next(mask for since, mask in reversed(self._kinds[node]) if since <= as_of)
        return NodeInfo(self._refs[node], kind, self._described.get(node, as_of + 1) <= as_of)

    def versions(self, things: Sequence[str], as_of: int) -> dict[str, list[tuple[int, str]]]:
        return {thing: self._versions(thing, as_of) for thing in things}

    def _versions(self, thing: str, as_of: int) -> list[tuple[int, str]]:
        named = {node for node in self._things.get(thing, ()) if self._refs[node] != thing}
        stated: set[int] = set()
        if thing in self._ids:
            rows = self.rows([self._ids[thing]], Way.IN, SPECIALIZATION, as_of)
            stated = {row.source for row in rows if row.stance}
        return self._named(named | stated, as_of)

    def by_tail(self, tail: str, as_of: int, limit: int) -> list[tuple[int, str]]:
        return self._named(self._tails.get(tail, ()), as_of)[:limit]

    def _named(self, nodes: Iterable[int], as_of: int) -> list[tuple[int, str]]:
        there = [(node, self._refs[node]) for node in nodes if self._kinds[node][0][0] <= as_of]
        return sorted(there, key=lambda pair: pair[1])

    def refs(self, ids: Sequence[int]) -> Mapping[int, str]:
        return {node: self._refs[node] for node in ids}

    def rows(
        self,
        ids: Sequence[int],
        way: Way,
        codes: Sequence[int],
        as_of: int,
        limit: int | None = None,
        lean: bool = False,
    ) -> list[Row]:
        wanted, ends = frozenset(codes), self._ends[way]
        rows = [
            kept.row
            for node in dict.fromkeys(ids)
            for kept in ends.get(node, ())
            if kept.row.code in wanted and kept.at(as_of)
        ]
        return rows if limit is None else rows[:limit]

    def links(
        self, ids: Sequence[int], way: Way, codes: Sequence[int], as_of: int, limit: int | None = None
    ) -> list[Link]:
        return links_of(self.rows(ids, way, codes, as_of, limit), ALL_EVIDENCE)

    def page(
        self, node: int, way: Way, codes: Sequence[int], as_of: int, after: tuple[int, int], limit: int
    ) -> list[Row]:
        place = _place(way)
        rows = sorted((row for row in self.rows([node], way, codes, as_of) if place(row) > after), key=place)
        last = None
        for index, row in enumerate(rows):
            if place(row) != last:
                if limit == 0:
                    return rows[:index]
                last, limit = place(row), limit - 1
        return rows

    def stated_by(self, asserter: str, codes: Sequence[int], as_of: int, limit: int) -> list[Row]:
        wanted = frozenset(codes)
        rows = [
            kept.row
            for ends in self._ends[Way.OUT].values()
            for kept in ends
            if kept.row.asserter == asserter and kept.row.code in wanted and kept.at(as_of)
        ]
        return sorted(rows, key=lambda row: (row.event, row.relation, row.code))[:limit]

    def adjacency(self, as_of: int, read: int) -> None:
        """None: rows in memory are at hand."""

    def degrees(
        self, ids: Sequence[int], way: Way, codes: Sequence[int], as_of: int, cap: int
    ) -> dict[int, int]:
        place = _place(way)
        counted = {node: len({place(row)[1] for row in self.rows([node], way, codes, as_of)}) for node in ids}
        return {node: min(count, cap) for node, count in counted.items() if count}

    def attributes(
        self, ids: Sequence[int], as_of: int, names: Sequence[str] | None = None
    ) -> dict[int, list[AttributeRow]]:
        wanted = None if names is None else frozenset(names)
        found: dict[int, list[AttributeRow]] = {}
        for node in dict.fromkeys(ids):
            rows = [
                row
                for row in self._attributes.get(node, ())
                if row.event <= as_of and (wanted is None or row.name in wanted)
            ]
            if rows:
                found[node] = rows
        return found

    def conflicts(self, as_of: int) -> frozenset[int]:
        told = [[seq for seq in seqs.values() if seq <= as_of] for seqs in self._variants.values()]
        return frozenset(seq for seqs in told if len(seqs) > 1 for seq in seqs)

    def reports(self, ids: Sequence[int], as_of: int) -> dict[int, list[Report]]:
        found = {node: self._told(self._subjects.get(node, ()), as_of) for node in ids}
        return {node: reports for node, reports in found.items() if reports}

    def events(self, seqs: Sequence[int], as_of: int) -> dict[int, Report]:
        last = min(as_of, len(self._reports))
        return {seq: self._report(seq, as_of) for seq in seqs if 0 < seq <= last}

    def run_reports(self, run: str, types: Sequence[str], as_of: int, limit: int) -> list[Report]:
        return [
            report
            for report in self._told(self._runs.get(run, ()), as_of)
            if report.event.__struct_config__.tag in types
        ][:limit]

    def log(
        self, types: Sequence[str], as_of: int, after: int, last: int, limit: int, source: str = ""
    ) -> list[Report]:
        seqs = range(max(after, 0) + 1, min(last, as_of, len(self._reports)) + 1)
        told = (self._report(seq, as_of) for seq in seqs)
        return [
            report
            for report in told
            if report.event.__struct_config__.tag in types and source in ("", report.event.source)
        ][:limit]

    def filed_reports(self, keys: Sequence[str], as_of: int, limit: int) -> dict[str, list[Report]]:
        found = {key: self._told(self._lookups.get(key, ()), as_of)[:limit] for key in keys}
        return {key: reports for key, reports in found.items() if reports}

    def _told(self, seqs: Iterable[int], as_of: int) -> list[Report]:
        return [self._report(seq, as_of) for seq in seqs if seq <= as_of]

    def _report(self, seq: int, as_of: int) -> Report:
        report = self._reports[seq - 1]
        variants = self._variants[report.event.source, report.event.id].values()
        return report._replace(conflict=sum(1 for other in variants if other <= as_of) > 1)

    def loose(self, runs: Sequence[str], as_of: int) -> Loose:
        results, candidates = self._listing(runs, "result", as_of), self._listing(runs, "candidate", as_of)
        returned = [node for node in results if not self._used(node, as_of)]
        proposed = [node for node in candidates if not self._used(node, as_of)]
        return Loose(len(returned), self._first(returned), len(proposed), self._first(proposed))

    def _first(self, nodes: Iterable[int]) -> str:
        return min((self._refs[node] for node in nodes), default="")

    def _listing(self, runs: Sequence[str], what: str, as_of: int) -> list[int]:
        keys = {f"run:{run}" for run in runs}
        return sorted(
            {
                node
                for key in keys
                for (listed, node), since in self._listed.get(key, {}).items()
                if listed == what and since <= as_of
            }
        )

    def _used(self, node: int, as_of: int) -> bool:
        """Whether it, or a collection it stands in, was used or something derived from it."""
        held = {row.source for row in self.rows([node], Way.IN, MEMBERSHIP, as_of) if row.stance}
        return any(row.stance for row in self.rows([node, *held], Way.IN, USES, as_of))

    def sources(self, sources: Sequence[str] | None, as_of: int) -> list[SourceState]:
        covered: dict[tuple[str, str], Coverage] = {}
        for report in self._reports[:as_of]:
            event = report.event
            if sources is None or event.source in sources:
                key = (event.source, event.epoch or "")
                first = min(self._variants[event.source, event.id].values())
                covered.setdefault(key, Coverage(*key)).add(event, first < report.seq)
        return [covered[key].state() for key in sorted(covered)]

    def numbers(self, sources: Sequence[str] | None, as_of: int, limit: int) -> list[Numbers]:
        found: dict[tuple[str, str], Counted] = {}
        for report in self._reports[:as_of]:
            event = report.event
            if sources is None or event.source in sources:
                counted = found.setdefault((event.source, event.epoch or ""), Counted())
                counted.add(report.seq, event.source_number)
        return [
            Numbers(*key, tuple(one.ranges()[:limit]), tuple(one.late[:limit]), len(one.late))
            for key, one in sorted(found.items())
        ]

    def run_sources(self, runs: Sequence[str], as_of: int) -> dict[str, list[str]]:
        found = {run: {r.event.source for r in self._told(self._runs.get(run, ()), as_of)} for run in runs}
        return {run: sorted(sources) for run, sources in found.items() if sources}

    def kept(self, bodies: Sequence[str], as_of: int) -> frozenset[str]:
        return frozenset()  # it has no holds: what is reported as deleted is

    def bodies(self, ids: Sequence[int]) -> Mapping[int, list[BodyState]]:
        found = {node: list(self._bodies(node)) for node in ids}
        return {node: states for node, states in found.items() if states}

    def _bodies(self, node: int) -> Iterator[BodyState]:
        rows = self.attributes([node], FOREVER, ("clew:body", "clew:bodyState")).get(node, [])
        states = [row.value for row in rows if row.name == "clew:bodyState"]
        for body in dict.fromkeys(row.value for row in rows if row.name == "clew:body"):
            gone = self._ids.get(body) is not None and self.rows(
                [self._ids[body]], Way.OUT, INVALIDATION, FOREVER - 1
            )
            yield BodyState(body, "deleted" if gone else (states or ["present"])[0], *self._shape(node, body))

    def _shape(self, node: int, body: str) -> tuple[str, int]:
        """Media type and size of a body, from what was computed of it."""
        sizes = [
            computed.size
            for seq in self._subjects.get(node, ())
            for computed in self._reports[seq - 1].computed
            if computed.body == body
        ]
        return "", sizes[0] if sizes else 0


def _place(way: Way) -> Callable[[Row], tuple[int, int]]:
    if way is Way.OUT:
        return lambda row: (row.code, row.target)
    return lambda row: (row.code, row.source)
