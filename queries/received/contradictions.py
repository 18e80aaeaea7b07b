"""What recorded statements contradict: uses before a generation, two starts of one activity, cycles.

Events that contradict each other are recorded all the same; this tells of them. Two starts and ends, and
what is both an entity and an activity, are read from what nodes are said to be; knots of derivations from
the relations; all that PROV-CONSTRAINTS orders is judged by :mod:`provmodel.constraints`, as ``clew
validate`` does. Where clocks alone contradict an order nothing is invalid: clocks differ.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from provmodel.constraints import validate
from provmodel.document import Document
from provmodel.evidence import ALL_EVIDENCE, Evidence
from provmodel.exporting import document_of
from provmodel.feeds import ListFeed
from provmodel.lexical import about
from provmodel.relations import (
    ASSOCIATION,
    DERIVATION,
    GENERATION,
    INFLUENCE,
    REVISION,
    USAGE,
    Flow,
    Kind,
    argument_of,
    codes_of,
    flow_of,
    term_of,
)
from provmodel.statements import ExportNode, ExportRelation
from provmodel.times import nanoseconds
from queries.building import by_name
from queries.contents import unlike
from queries.graph import AttributeRow, Graph, NodeInfo, Report, Row, Way
from queries.links import contradicted, links_of

BASE = "urn:x-clew:this:"
"""Stands for the tenant's base while statements are judged; things are told by their references."""

ALL = codes_of(frozenset(Flow))
DATA = codes_of(frozenset({Flow.DATA}))
CHECKED = codes_of(frozenset({Flow.RECORD}), (INFLUENCE.name,))
PART_OF = codes_of(frozenset({Flow.STRUCTURE}), ("wasInfluencedBy",))
DERIVED = codes_of(frozenset({Flow.DATA, Flow.STRUCTURE}), (DERIVATION.name, REVISION.name))
BY = codes_of(frozenset(Flow), (ASSOCIATION.name,))
WEIGHED = codes_of(frozenset({Flow.CONTROL}), (USAGE.name,))
DECIDED = codes_of(frozenset({Flow.CONTROL}), (GENERATION.name,))
CANDIDATE = "candidate"
TASK = "clew:task"
RUN = "clew:Run"
VERIFIES = "verifies"
VERDICT = "clew:verdict"
ROWS = 10
"""Relations that are read for each thing that may be looked at, all things together."""

DEEP = 200
"""Steps that derivations are followed back, to close a knot."""

_WORDS = re.compile(r"[(),;\s]+")
_TIMES = {"prov:startTime": "two_starts", "prov:endTime": "two_ends"}


class Contradiction(msgspec.Struct, frozen=True, order=True):
    """Something recorded that can't all be so.

    ``kind`` is conflict (events of one source and id that differ), two_verdicts (of verifiers, or of one
    decision), number_twice and after_last (of a source), two_starts, two_ends, two_runs (that share one id),
    two_contents (of one version), two_kinds, cycle, invalid (by a rule of PROV-CONSTRAINTS), or what a clock
    contradicts: use_before_generation, use_after_invalidation, end_before_start and others. ``refs`` are the
    things concerned, ``events`` the seqs of the events that state it where they are known, ``rule`` the rule
    in plain words. ``clock`` marks what only clocks say.
    """

    kind: str
    message: str
    refs: tuple[str, ...]
    events: tuple[int, ...] = ()
    rule: str = ""
    clock: bool = False


class Around:
    """The statements around some nodes: those of the nodes, of what stands next to them, and the derivations
    behind these. ``clipped`` when there are more than ``most`` nodes.
    """

    def __init__(
        self, graph: Graph, as_of: int, starts: Iterable[int], most: int, evidence: frozenset[Evidence]
    ) -> None:
        self._graph, self._as_of, self._most, self._evidence = graph, as_of, most, evidence
        self.conflicts = graph.conflicts(as_of)
        self.clipped = False
        nodes = set(starts)
        nodes |= {row.source for row in self._read(nodes, Way.IN, PART_OF)}
        nodes |= {row.source for row in self._read(nodes, Way.IN, WEIGHED) if row.role == CANDIDATE}
        nodes |= {row.source for row in self._read(nodes, Way.IN, DECIDED)}
        inward, outward = self._read(nodes, Way.IN, DATA), self._read(nodes, Way.OUT, ALL)
        nodes |= {row.source for row in inward} | {row.target for row in outward}
        nodes |= {row.source for row in self._read(nodes, Way.IN, CHECKED) if row.role == VERIFIES}
        nodes |= self._behind(nodes)
        nodes = self._few(nodes)
        self.rows = [row for row in self._read(nodes, Way.OUT, ALL) if row.target in nodes]
        self.infos: dict[int, NodeInfo] = graph.infos(sorted(nodes), as_of)
        names = (*_TIMES, "prov:type", TASK, VERDICT, "clew:body", "clew:bodyState")
        self.said: dict[int, list[AttributeRow]] = graph.attributes(sorted(nodes), as_of, names)

    def _read(self, nodes: set[int], way: Way, codes: Sequence[int]) -> list[Row]:
        wanted = sorted(self._few(nodes))
        limit = ROWS * self._most
        rows = self._graph.rows(wanted, way, codes, self._as_of, limit) if wanted else []
        self.clipped = self.clipped or len(rows) >= limit
        return [row for row in rows if row.evidence in self._evidence]

    def unlike(self) -> dict[int, tuple[int, ...]]:
        """The versions of which several contents came that differ, with the events that brought these."""
        refs = {node: info.ref for node, info in self.infos.items()}
        return unlike(self._graph, self._as_of, by_name(self.said), refs)

    def events(self, seqs: Sequence[int]) -> dict[int, Report]:
        """The events of these seqs."""
        return self._graph.events(seqs, self._as_of)

    def _behind(self, nodes: set[int]) -> set[int]:
        """What these were derived from, step by step."""
        seen, waiting = set(nodes), set(nodes)
        for _ in range(DEEP):
            waiting = {row.target for row in self._read(waiting, Way.OUT, DERIVED)} - seen
            if not waiting:
                return seen
            seen |= waiting
        self.clipped = True
        return seen

    def _few(self, nodes: set[int]) -> set[int]:
        if len(nodes) <= self._most:
            return nodes
        self.clipped = True
        return set(sorted(nodes)[: self._most])


def contradictions(around: Around) -> list[Contradiction]:
    """Everything that is found, by kind and message."""
    of_nodes = (*_times(around), *_shared(around), *_kinds(around), *_verdicts(around), *_decided(around))
    found = {*of_nodes, *_variants(around), *_contents(around), *_knots(around), *_judged(around)}
    return sorted(found)


def _times(around: Around) -> Iterator[Contradiction]:
    """Activities with several starts, or several ends."""
    for node, rows in around.said.items():
        for name, kind in _TIMES.items():
            told = [row for row in rows if row.name == name and row.stance]
            if len({nanoseconds(row.value) for row in told}) > 1:
                ref = around.infos[node].ref
                values = sorted({row.value for row in told})
                seqs = tuple(sorted({row.event for row in told}))
                what = "starts" if kind == "two_starts" else "ends"
                yield Contradiction(
                    kind, f"{ref} has {len(values)} {what}: {', '.join(values)}", (ref,), seqs
                )


def _variants(around: Around) -> Iterator[Contradiction]:
    """Events that came under one source and id, each with content of its own."""
    described: defaultdict[int, set[str]] = defaultdict(set)
    for node, rows in around.said.items() if around.conflicts else ():
        for row in rows:
            if row.event in around.conflicts:
                described[row.event].add(around.infos[node].ref)
    alike: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for seq, report in around.events(sorted(around.conflicts) if described else ()).items():
        alike[report.event.source, report.event.id].add(seq)
    for (source, name), seqs in alike.items():
        refs = set().union(*(described.get(seq, set()) for seq in seqs))
        if refs:
            message = f"{name} of {source} came {len(seqs)} times, each with other content"
            yield Contradiction("conflict", message, tuple(sorted(refs)), tuple(sorted(seqs)))


def _contents(around: Around) -> Iterator[Contradiction]:
    """Versions of which several contents came that differ."""
    for node, seqs in around.unlike().items():
        ref = around.infos[node].ref
        yield Contradiction("two_contents", f"{ref} came with contents that differ", (ref,), seqs)


def _shared(around: Around) -> Iterator[Contradiction]:
    """Runs that are started by several agents, or for several tasks: two that share one id, as it seems."""
    for node, rows in around.said.items():
        if RUN not in [row.value for row in rows]:
            continue
        ref = around.infos[node].ref
        by: defaultdict[str, set[int]] = defaultdict(set)
        for row in around.rows:
            if row.source == node and row.code in BY and row.stance and argument_of(row.code) == 0:
                by[around.infos[row.target].ref].add(row.event)
        tasks: defaultdict[str, set[int]] = defaultdict(set)
        for said in rows:
            if said.name == TASK and said.stance:
                tasks[repr(said.value)].add(said.event)
        for what, told in (("agents", by), ("tasks", tasks)):
            if len(told) > 1:
                named = ", ".join(sorted(told))
                message = f"{ref} has {len(told)} {what}, so that two runs may share its id: {named}"
                yield Contradiction("two_runs", message, (ref,), tuple(sorted(set().union(*told.values()))))


def _kinds(around: Around) -> Iterator[Contradiction]:
    both = Kind.ENTITY | Kind.ACTIVITY
    for info in around.infos.values():
        if info.kind & both == both:
            yield Contradiction("two_kinds", f"{info.ref} is an entity and an activity", (info.ref,))


def _verdicts(around: Around) -> Iterator[Contradiction]:
    """What verifiers say both of: of one thing, or of one relation by way of several."""
    told: defaultdict[int, set[tuple[str, int, int]]] = defaultdict(set)
    for row in around.rows:
        if row.code in CHECKED and row.role == VERIFIES and row.stance:
            said = [one for one in around.said.get(row.source, ()) if one.name == VERDICT]
            told[row.target] |= {(one.value, one.evidence, one.event) for one in said}
    both = {node: verdicts for node, verdicts in told.items() if _both(verdicts)}
    for node, verdicts in both.items():
        yield _contradicted(around.infos[node].ref, (node,), around, {seq for _, _, seq in verdicts})
    links = [link for link in links_of(around.rows, ALL_EVIDENCE) if contradicted(link)]
    for link in links:
        if both.keys().isdisjoint((link.source, link.target)):
            ends = (link.source, link.target)
            one, other = (around.infos[node].ref for node in ends)
            events = {row.event for row in link.rows if row.evidence == Evidence.VERIFIED}
            yield _contradicted(f"that {one} came of {other}", ends, around, events)


def _decided(around: Around) -> Iterator[Contradiction]:
    """Decisions, on an action or on a draft, that are told with several verdicts under one name."""
    checks = {row.source for row in around.rows if row.code in CHECKED and row.role == VERIFIES}
    for node in around.said.keys() - checks:
        told = [row for row in around.said[node] if row.name == VERDICT and row.stance]
        verdicts = sorted({row.value for row in told})
        if len(verdicts) > 1:
            ref = around.infos[node].ref
            seqs = tuple(sorted({row.event for row in told}))
            yield Contradiction("two_verdicts", f"{ref} is told as {' and as '.join(verdicts)}", (ref,), seqs)


def _both(verdicts: Iterable[tuple[str, int, int]]) -> bool:
    """Whether what is known best is that it was confirmed, and that it was confirmed to have failed."""
    best: dict[str, int] = {}
    for verdict, evidence, _ in verdicts:
        best[verdict] = max(evidence, best.get(verdict, 0))
    return best.get("confirmed", 0) == best.get("confirmed_failed", 0) > 0


def _contradicted(what: str, nodes: Iterable[int], around: Around, events: Iterable[int]) -> Contradiction:
    refs = tuple(sorted(around.infos[node].ref for node in nodes))
    message = f"verifiers contradict each other about {what}: confirmed, and confirmed to have failed"
    return Contradiction("two_verdicts", message, refs, tuple(sorted(set(events))))


def _knots(around: Around) -> Iterator[Contradiction]:
    """Things derived from each other, in a circle."""
    ends: defaultdict[int, set[int]] = defaultdict(set)
    events: defaultdict[int, set[int]] = defaultdict(set)
    for row in around.rows:
        if row.stance and row.code in DERIVED and around.infos[row.target].kind & Kind.ENTITY:
            ends[row.source].add(row.target)
            events[row.source].add(row.event)
    for knot in _strong(ends):
        refs = tuple(sorted(around.infos[node].ref for node in knot))
        seqs = tuple(sorted(seq for node in knot for seq in events[node]))
        yield Contradiction("cycle", f"{', '.join(refs)} are derived from each other", refs, seqs)


def _strong(ends: Mapping[int, set[int]]) -> list[list[int]]:
    """Knots: nodes that lead to each other, each knot once (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    held: set[int] = set()
    found: list[list[int]] = []
    for root in sorted(ends):
        if root in index:
            continue
        work: list[tuple[int, Iterator[int]]] = [(root, iter(sorted(ends[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        held.add(root)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found.append(_taken(stack, held, node))
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                held.add(following)
                work.append((following, iter(sorted(ends.get(following, ())))))
            elif following in held:
                low[node] = min(low[node], index[following])
    return [knot for knot in found if len(knot) > 1]


def _taken(stack: list[int], held: set[int], root: int) -> list[int]:
    knot = stack[stack.index(root) :]
    del stack[stack.index(root) :]
    held.difference_update(knot)
    return knot


def _judged(around: Around) -> Iterator[Contradiction]:
    """What PROV-CONSTRAINTS finds in the statements, and what clocks say against its order."""
    verdict = validate(_document(around), about(BASE))
    known = frozenset(info.ref for info in around.infos.values())
    for one in verdict.violations:
        yield Contradiction("invalid", one.message, _named(one.statements, known), rule=one.rule)
    for late in verdict.clock:
        refs = _named(late.statements, known)
        yield Contradiction(late.kind.replace("-", "_"), late.message, refs, rule=late.rule, clock=True)


def _named(statements: Iterable[str], known: frozenset[str]) -> tuple[str, ...]:
    """The things that statements in PROV-N name."""
    words = {word.removeprefix(":") for told in statements for word in _WORDS.split(told)}
    return tuple(sorted(words & known))


def _document(around: Around) -> Document:
    infos, said = around.infos, around.said
    nodes = [
        ExportNode(info.ref, info.kind, [_attribute(row) for row in said.get(node, ())])
        for node, info in infos.items()
    ]
    document = document_of(ListFeed(BASE, nodes, _relations(around)), "none")
    main = msgspec.structs.replace(document.main, prefixes={**document.main.prefixes, "": BASE})
    return msgspec.structs.replace(document, main=main)


def _attribute(row: AttributeRow) -> tuple[str, str, str, int, int, str, str, str]:
    return row.name, row.value, row.datatype, row.evidence, row.stance, row.asserter, "", ""


def _relations(around: Around) -> Iterator[ExportRelation]:
    """The relations, their arguments put together again."""
    gathered: defaultdict[int, list[Row]] = defaultdict(list)
    for row in around.rows:
        gathered[row.relation].append(row)
    for key, rows in gathered.items():
        term = term_of(rows[0].code)
        arguments: list[str | None] = [None] * len(term.arguments)
        for row in rows:
            arguments[argument_of(row.code)] = around.infos[row.target].ref
        stated = [row for row in rows if argument_of(row.code) == argument_of(rows[0].code)]
        subject = around.infos[rows[0].source].ref
        flow = min(flow_of(row.code) for row in rows)
        assertions = [
            (row.evidence, row.stance, row.asserter, row.method, "", "", row.time, row.attributes)
            for row in stated
        ]
        yield ExportRelation(term, subject, tuple(arguments), rows[0].role, int(flow), key, assertions)
