"""unverified-writes: which writes has nobody looked at?"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from provmodel.errors import BadQuestion
from queries import building, cursor
from queries.answer import Answer, Graphed
from queries.authority.reading import ARGUMENTS
from queries.authority.writes import EXECUTES, Finder
from queries.cursor import Position
from queries.gathered import gathered, with_gaps, with_unchecked
from queries.graph import Gap, Graph, Report, Unchecked, Way
from queries.limits import at_least, nothing
from queries.logged.asking import LogAsked, Meant, meant
from queries.logged.pages import Page, page
from queries.logged.writes import CONTRADICTED, HIDDEN, TYPES, UNTOLD, Unverified, Writes, by_run
from queries.question import Asked, Question, Scope
from queries.targets import Chosen
from queries.telling import counted, listed, missing_told, targets_told

MOST = 2000
"""Events of the log that one answer is made of."""

_WHY = {
    "nobody_looked": "Nobody looked whether it took effect",
    "looked_in_vain": "Somebody looked, and could not tell",
    "operation_only": "The action was confirmed, but not that this attempt did it",
    "evidence_lowered": "It was confirmed, though not as verified",
    "contradicted": "Verifiers contradict each other, read back as done and as not done",
    "hidden": "Hidden from you, with who may have looked whether it took effect",
}


class UnverifiedWrites(Graphed, frozen=True, kw_only=True):
    """What was written and not verified.

    ``writes`` are in the order of the log. ``verified`` and ``confirmed_failed`` count the other writes that
    were looked at; what was confirmed to have failed is no write. ``runs`` of them are counted in ``by_run``.
    """

    writes: tuple[Unverified, ...] = ()
    by_run: dict[str, int] = msgspec.field(default_factory=dict)
    verified: int = 0
    confirmed_failed: int = 0


class UnverifiedWritesQuestion(Question[LogAsked, UnverifiedWrites]):
    """The writes of a run, a source, an agent, a thing, an attempt or an action; of all without any."""

    name: ClassVar[str] = "unverified-writes"
    sentence: ClassVar[str] = "Which writes did nobody verify?"
    params: ClassVar[type[Asked]] = LogAsked
    graphed: ClassVar[type[Graphed]] = UnverifiedWrites
    policy: ClassVar[str] = "who"
    needs: ClassVar[int] = 0
    example: ClassVar[dict[str, Any]] = {"run": ["run:late-fees"]}

    def answer(self, graph: Graph, params: LogAsked) -> Answer[UnverifiedWrites]:
        if params.part:
            raise BadQuestion("part", "a write is verified as a whole", "leave it out")
        scope = self.scope(graph, params)
        asked = meant(graph, params, scope.starts, scope.as_of)
        writes = Writes(graph, scope.as_of, asked.where, asked.agents, scope.evidence)
        read = _reports(graph, scope, params, asked, writes)
        looked = writes.looked
        ids = graph.ids([*looked.attempts, *(w.write for w in looked.unverified if w.write)], scope.as_of)
        attempts = frozenset(looked.attempts)
        depths = {node: int(ref in attempts) for ref, node in ids.items()}
        kept = [link for link in looked.links if link.source in depths]
        found = gathered(graph, scope, params, depths, kept)
        fields = building.common(graph, scope, params, found, asked.sources(graph, scope.as_of))
        fields |= _own(scope, writes, read) | {"targets": asked.targets(scope)}
        fields = with_gaps(fields, [_gap(looked.unverified)])
        left = (*asked.narrowed(params), *_possible(looked.unverified), *_unread(read))
        fields = with_unchecked(fields, left)
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, UnverifiedWrites(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[UnverifiedWrites]) -> list[str]:
        graph = answer.graph
        return [*targets_told(graph), *_told(graph), *missing_told(graph)]


def _reports(graph: Graph, scope: Scope, params: LogAsked, asked: Meant, writes: Writes) -> Page:
    """Look at the writes of the targets, or of a page of the log."""
    most = min(params.max_nodes, MOST)
    if asked.others:
        return _of_targets(graph, scope, asked.others, writes)
    read = page(graph, asked.where, TYPES, scope.as_of, scope.position.offset, most)
    writes.look(read.reports)
    return read


def _of_targets(graph: Graph, scope: Scope, starts: tuple[Chosen, ...], writes: Writes) -> Page:
    """The writes of versions, things, attempts and actions; of a version, the write that made it."""
    finder = Finder(graph, scope.as_of, scope.evidence)
    asked = finder.find(starts)
    executing = finder.links(asked.candidates, Way.IN, EXECUTES)
    direct = {*asked.attempts, *(link.source for link in executing if link.role == ARGUMENTS)}
    if direct:
        writes.look(_described(graph, scope.as_of, direct))
    made = {link.source for link in asked.made}
    if made:
        makers = {link.target for link in asked.made}
        refs = graph.refs(sorted(made))
        reports = _described(graph, scope.as_of, makers | made)
        writes.look(reports, frozenset(refs[node] for node in made))
    return Page([], None)


def _described(graph: Graph, as_of: int, nodes: set[int]) -> list[Report]:
    told = graph.reports(sorted(nodes), as_of)
    return sorted((report for reports in told.values() for report in reports), key=lambda one: one.seq)


def _own(scope: Scope, writes: Writes, read: Page) -> dict[str, Any]:
    looked = writes.looked
    return {
        "writes": tuple(looked.unverified),
        "by_run": by_run(looked.unverified),
        "verified": looked.verified,
        "confirmed_failed": looked.failed,
        "truncated": read.next is not None,
        "cursor": ""
        if read.next is None
        else cursor.write(scope.as_of, scope.asked, Position(offset=read.next)),
    }


def _gap(unverified: list[Unverified]) -> Gap:
    written = [one.write for one in unverified if one.write and one.why not in UNTOLD]
    return Gap("not_verified", len(written), written[0] if written else "")


def _possible(unverified: list[Unverified]) -> list[Unchecked]:
    unknown, both = "its outcome is unknown, and it reports no write", "verifiers contradict each other"
    return [
        Unchecked(f"whether anybody verified {one.write}", "it is hidden from you")
        if one.why == HIDDEN
        else Unchecked(f"whether {one.attempt} wrote", both if one.why == CONTRADICTED else unknown)
        for one in unverified
        if one.possible or one.why in UNTOLD
    ]


def _unread(read: Page) -> list[Unchecked]:
    found = [
        Unchecked(f"further writes of {run}", "it has more events than are looked at") for run in read.clipped
    ]
    if read.next is not None:
        found.append(
            Unchecked("writes later in the log", f"looked at up to entry {read.next}; the cursor goes on")
        )
    return found


def _told(graph: UnverifiedWrites) -> list[str]:
    told = _counts_told(graph)
    if not told:
        return [nothing(graph, "No write of what was asked about")]
    for why, words in _WHY.items():
        refs = [_named(write) for write in graph.writes if write.why == why]
        if refs:
            told.append(f"{words}: {listed(refs)}.")
    if graph.verified:
        told.append(f"{counted(graph.verified, 'write')} {_were(graph.verified)} verified.")
    return told


def _counts_told(graph: UnverifiedWrites) -> list[str]:
    """How many writes nobody verified, and beside them what may be a write and what was none."""
    possible = sum(write.possible for write in graph.writes)
    doubtful = sum(write.why in UNTOLD for write in graph.writes)
    sure, failed = len(graph.writes) - possible - doubtful, graph.confirmed_failed
    writes = sure + doubtful + graph.verified
    told = []
    if writes:
        told.append(
            f"Of {at_least(graph)}{counted(writes, 'write')}, {sure:,} {_were(sure)} verified by nobody."
        )
    if possible:
        tried = counted(possible, "attempt of unknown outcome", "attempts of unknown outcome")
        told.append(f"{tried} reported no write and may have written all the same.")
    if failed:
        none = "it is not counted" if failed == 1 else "they are not counted"
        reported = counted(failed, "reported write")
        told.append(f"{reported} {_were(failed)} confirmed not to have taken place: {none} as written.")
    return told


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _named(write: Unverified) -> str:
    if write.write:
        return f"{write.write} (by {write.attempt})"
    return f"what {write.attempt} may have written"
