"""What some model calls were sent, what they gave, and what that cites, in a few reads of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from provmodel.events import ModelCall
from provmodel.evidence import ALL_EVIDENCE, UNTOLD, Evidence
from provmodel.relations import DERIVATION, GENERATION, MEMBERSHIP, USAGE, Flow, codes_of
from queries.graph import Graph, Report, Unchecked, Way
from queries.links import Link, links_of, weighed

USED = USAGE.code(0, Flow.DATA)
MADE = GENERATION.code(0, Flow.DATA)
HAD = MEMBERSHIP.code(0, Flow.DATA)
CITED = DERIVATION.code(0, Flow.DATA)
DATA = codes_of(frozenset({Flow.DATA}))
CITATION = "citation"
CONTEXT = "clew:Context"
NESTED = 200
"""Collections within collections, and contexts that extend another, that are followed."""


class Calls:
    """Some model calls: ``used`` and ``made`` hold what each was sent and gave, ``cites`` the citations of an
    output, ``members`` what stands in a collection or context; ``reports`` are their events. ``contexts`` are
    snapshots, ``open`` those that one extends and nothing describes. All of it is read by whatever evidence:
    what a call was sent by some other is no less sent. ``links`` are the edges that the evidence asked for
    supports, ``nodes`` all that edges name. ``veiled`` are calls and outputs that edges lead from to what is
    hidden from the reader: a citation may be among them, or what a call was sent.
    """

    def __init__(self, graph: Graph, as_of: int, calls: Sequence[int], evidence: frozenset[Evidence]) -> None:
        self._graph, self._as_of, self.evidence = graph, as_of, evidence
        self.nodes: set[int] = set(calls)
        self.calls = tuple(calls)
        self.links: list[Link] = []
        self.unchecked: list[Unchecked] = []
        self.used = self._ends(calls, Way.OUT, USED)
        self.made = self._ends(calls, Way.IN, MADE)
        self.members: defaultdict[int, list[int]] = defaultdict(list)
        self.contexts: set[int] = set()
        self._partly: defaultdict[int, list[tuple[int, frozenset[int]]]] = defaultdict(list)
        self._read_members({node for nodes in self.used.values() for node in nodes})
        self.cites = self._read_citations()
        self.veiled = self._read_veiled()
        self.reports: dict[int, list[Report]] = graph.reports(list(calls), as_of) if calls else {}
        self.open = self._open_contexts()

    def sent(self, call: int) -> set[int]:
        """All that the call had in its context, contexts and collections included, what was omitted not."""
        seen: set[int] = set()
        waiting = [(node, frozenset[int]()) for node in self.used.get(call, ())]
        while waiting:
            node, omitted = waiting.pop()
            if node in seen or node in omitted:
                continue
            seen.add(node)
            waiting += [(member, omitted) for member in self.members.get(node, ())]
            waiting += [(earlier, omitted | more) for earlier, more in self._partly.get(node, ())]
        return seen

    # Reads

    def _links(self, nodes: Iterable[int], way: Way, code: int) -> list[Link]:
        wanted = sorted(set(nodes))
        rows = self._graph.rows(wanted, way, (code,), self._as_of) if wanted else []
        return links_of(rows, ALL_EVIDENCE)

    def _supported(self, nodes: Iterable[int], way: Way, code: int) -> list[Link]:
        found = [link for link in self._links(nodes, way, code) if link.supporting and not link.refuted]
        self.links += [link for link in weighed(found, self.evidence) if link.supporting]
        self.nodes.update(end for link in found for end in (link.source, link.target))
        return found

    def _ends(self, nodes: Iterable[int], way: Way, code: int) -> dict[int, list[int]]:
        ends: defaultdict[int, list[int]] = defaultdict(list)
        for link in self._supported(nodes, way, code):
            near, far = (link.source, link.target) if way is Way.OUT else (link.target, link.source)
            ends[near].append(far)
        return dict(ends)

    def _read_citations(self) -> dict[int, list[Link]]:
        cites: defaultdict[int, list[Link]] = defaultdict(list)
        for link in self._supported((node for made in self.made.values() for node in made), Way.OUT, CITED):
            if link.role == CITATION:
                cites[link.source].append(link)
        return dict(cites)

    def _read_veiled(self) -> set[int]:
        nodes = sorted({*self.calls, *(node for made in self.made.values() for node in made)})
        rows = self._graph.rows(nodes, Way.OUT, DATA, self._as_of) if nodes else []
        return {row.source for row in rows if row.evidence == UNTOLD}

    def _read_members(self, sent: set[int]) -> None:
        """Members of what was sent, and of these, a level a read; of a context cut short, what stayed."""
        seen, waiting = set(sent), set(sent)
        for _ in range(NESTED):
            found = self._supported(waiting, Way.OUT, HAD)
            for link in found:
                self.members[link.source].append(link.target)
            waiting = {*(link.target for link in found), *self._read_contexts(waiting)} - seen
            seen |= waiting
            if not waiting:
                return
        self.unchecked.append(Unchecked("what contexts hold", f"they are nested deeper than {NESTED}"))

    def _read_contexts(self, nodes: Iterable[int]) -> list[int]:
        """Which of these are contexts; the earlier ones of which they kept a part."""
        names = ("prov:type", "clew:extendsInPart", "clew:omits")
        said = self._graph.attributes(sorted(nodes), self._as_of, names)
        earlier = []
        for node, rows in said.items():
            if any(row.value == CONTEXT for row in rows):
                self.contexts.add(node)
            kept = [row.value for row in rows if row.name == "clew:extendsInPart"]
            if kept:
                omits = [row.value for row in rows if row.name == "clew:omits"]
                ids = self._graph.ids([*kept, *omits], self._as_of)
                omitted = frozenset(ids[ref] for ref in omits if ref in ids)
                self._partly[node] += [(ids[ref], omitted) for ref in kept if ref in ids]
                earlier += [ids[ref] for ref in kept if ref in ids]
        return earlier

    def _open_contexts(self) -> set[int]:
        """Contexts that others extend and no call is known to have had: what they hold isn't recorded."""
        having = [link.source for link in self._links(self.contexts, Way.IN, USED)]
        unread = sorted(set(having) - self.reports.keys())
        told = {**self.reports, **(self._graph.reports(unread, self._as_of) if unread else {})}
        events = [report.event for reports in told.values() for report in reports]
        calls = [event for event in events if isinstance(event, ModelCall)]
        extended = {call.context.extends for call in calls if call.context and call.context.extends}
        ids = self._graph.ids(sorted(extended), self._as_of) if extended else {}
        return set(ids.values()) - self.contexts
