"""unsupported-claims: what was cited and never sent, and what was sent and not cited?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from provmodel.errors import BadQuestion
from provmodel.events import ModelCall
from queries import building, cursor
from queries.answer import Answer, Graphed
from queries.claims.judging import Claim, Judged, Uncited, judge
from queries.claims.reading import Calls
from queries.cursor import Position
from queries.gathered import gathered, with_unchecked
from queries.graph import Graph, Report, Unchecked
from queries.limits import evidence_asked, nothing
from queries.logged.agents import Agents
from queries.logged.asking import LogAsked, Meant, meant
from queries.logged.pages import Page, page
from queries.question import Asked, Question, Scope
from queries.targets import Chosen
from queries.telling import counted, listed, missing_told, targets_told
from queries.ties import MODEL_CALL
from queries.walk import walk

MOST = 2000
"""Model calls that one answer is made of."""

BEHIND = 20_000
"""Nodes among which the model calls behind the targets are looked for."""

FURTHER = "model calls further back"


class Claims(Graphed, frozen=True, kw_only=True):
    """What models cite, held against what they were sent.

    ``cited_not_sent`` are sources that were not in the context of the call that cites them,
    ``sent_not_cited`` things in the context of a call that cites others. ``unclear`` are citations that can't
    be told to be either; ``supported`` counts those of what was sent.
    ``calls`` counts the model calls looked at, ``uncited`` names those whose outputs cite nothing at all.
    """

    cited_not_sent: tuple[Claim, ...] = ()
    sent_not_cited: tuple[Uncited, ...] = ()
    unclear: tuple[Claim, ...] = ()
    supported: int = 0
    calls: int = 0
    uncited: tuple[str, ...] = ()


class UnsupportedClaims(Question[LogAsked, Claims]):
    """The claims behind a report, or of a run, a source, an agent; of all without any. A page holds at most
    max_nodes model calls; what two of them were sent stands with both."""

    name: ClassVar[str] = "unsupported-claims"
    sentence: ClassVar[str] = "What was cited but never sent to the model, and what was sent but not cited?"
    params: ClassVar[type[Asked]] = LogAsked
    graphed: ClassVar[type[Graphed]] = Claims
    policy: ClassVar[str] = "why"
    needs: ClassVar[int] = 0
    example: ClassVar[dict[str, Any]] = {"target": ["report:late-fees-february"]}

    def answer(self, graph: Graph, params: LogAsked) -> Answer[Claims]:
        if params.part:
            raise BadQuestion("part", "what was sent was sent whole", "leave it out")
        scope = self.scope(graph, params)
        asked = meant(graph, params, scope.starts, scope.as_of)
        read, nodes, more = _calls(graph, scope, params, asked)
        calls = Calls(graph, scope.as_of, nodes, scope.evidence)
        depths = _depths(calls)
        found = gathered(graph, scope, params, depths, calls.links)
        judged = judge(calls, graph)
        fields = building.common(graph, scope, params, found, asked.sources(graph, scope.as_of))
        fields |= _own(scope, judged, calls, read, more)
        fields["targets"] = asked.targets(scope)
        fields = with_unchecked(
            fields,
            (*asked.narrowed(params), *more, *calls.unchecked, *_unclear(judged), *_unread(read, asked)),
        )
        if params.view == "ids":
            fields = building.ids_only(fields, found)
        return Answer(self.name, Claims(**fields), building.availability(graph, found))

    def sentences(self, answer: Answer[Claims]) -> list[str]:
        graph = answer.graph
        return [*targets_told(graph), *_told(graph), *missing_told(graph)]


def _calls(
    graph: Graph, scope: Scope, params: LogAsked, asked: Meant
) -> tuple[Page, list[int], list[Unchecked]]:
    """The model calls behind the targets, or of a page of the log."""
    most = min(params.max_nodes, MOST)
    agents = Agents(graph, scope.as_of)
    if asked.others:
        behind, more = _behind(graph, scope, params, asked.others)
        told = graph.reports(behind, scope.as_of) if behind else {}
        calls = {node: [r for r in told.get(node, ()) if isinstance(r.event, ModelCall)] for node in behind}
        meant_ones = [node for node in behind if any(_is_meant(one, asked, agents) for one in calls[node])]
        begin = scope.position.offset
        end = begin + most
        return Page([], end if end < len(meant_ones) else None), meant_ones[begin:end], more
    read = page(graph, asked.where, ("model_call",), scope.as_of, scope.position.offset, most)
    refs = [_call(one) for one in read.reports if _is_meant(one, asked, agents)]
    return read, sorted(graph.ids(list(dict.fromkeys(refs)), scope.as_of).values()), []


def _behind(
    graph: Graph, scope: Scope, params: LogAsked, starts: tuple[Chosen, ...]
) -> tuple[list[int], list[Unchecked]]:
    """The model calls on the way back from targets over data: all of them, of which a page shows some."""
    trip = msgspec.structs.replace(
        building.trip_of(scope, params),
        starts=tuple(start.id for start in starts),
        max_nodes=BEHIND,
        position=Position(),
        siblings=False,
        wide=False,
    )
    walked = walk(graph, trip)
    types = graph.attributes(list(walked.depths), scope.as_of, ("prov:type",))
    calls = [node for node, rows in types.items() if any(row.value == MODEL_CALL for row in rows)]
    calls.sort(key=graph.refs(calls).__getitem__)
    why = sorted({edge.reason for edge in walked.frontier.values()})
    cut = Unchecked(FURTHER, f"the walk from the targets stopped ({', '.join(why)}); ask for more")
    return calls, [cut] if walked.truncated else []


def _call(report: Report) -> str:
    assert isinstance(report.event, ModelCall)  # noqa: S101 - read by that type
    return report.event.call


def _time(report: Report) -> str:
    assert isinstance(report.event, ModelCall)  # noqa: S101 - read by that type
    return report.event.ended or report.event.time


def _is_meant(report: Report, asked: Meant, agents: Agents) -> bool:
    """Whether a call is of the runs, sources and times asked about, and by the agents."""
    if not asked.where.holds(report, _time(report)):
        return False
    if not asked.agents:
        return True
    found = (*agents.of_calls([_call(report)]), *agents.of_run(report.event.run))
    return bool(set(found) & set(asked.agents))


def _depths(calls: Calls) -> dict[int, int]:
    """The calls and their outputs first, then what was cited, then what else was sent."""
    depths = dict.fromkeys(calls.calls, 0)
    for link in calls.links:
        for node in (link.source, link.target):
            depths.setdefault(node, 1)
    return depths


def _own(scope: Scope, judged: Judged, calls: Calls, read: Page, more: Sequence[Unchecked]) -> dict[str, Any]:
    at = Position(offset=read.next or 0)
    return {
        "cited_not_sent": tuple(judged.cited_not_sent),
        "sent_not_cited": tuple(judged.sent_not_cited),
        "unclear": tuple(judged.unclear),
        "supported": judged.supported,
        "calls": len(calls.calls),
        "uncited": tuple(judged.uncited),
        "truncated": read.next is not None or bool(more),
        "cursor": "" if read.next is None else cursor.write(scope.as_of, scope.asked, at),
    }


def _unclear(judged: Judged) -> list[Unchecked]:
    told = [Unchecked(f"whether {claim.call} was sent {claim.ref}", claim.why) for claim in judged.unclear]
    why = "something that its outputs rest on is hidden from you"
    return [*told, *(Unchecked(f"all that {call} cites", why) for call in judged.veiled)]


def _unread(read: Page, asked: Meant) -> list[Unchecked]:
    more = [
        Unchecked(f"further calls of {run}", "it has more events than are looked at") for run in read.clipped
    ]
    if read.next is not None:
        what = "further calls behind the targets" if asked.others else "model calls later in the log"
        entry = f"{'call' if asked.others else 'entry'} {read.next:,}"
        more.append(Unchecked(what, f"looked at up to {entry}; the cursor goes on"))
    return more


def _told(graph: Claims) -> list[str]:
    if not graph.calls:
        none = "No model call of what was asked about"
        return [nothing(graph, none, ": nothing was cited and nothing sent")]
    told = []
    for claim in graph.cited_not_sent[:_NAMED]:
        others = f"; it was sent {listed(claim.other_versions)}" if claim.other_versions else ""
        told.append(f"{claim.output} cites {claim.ref}, which {claim.call} was never sent{others}.")
    left = len(graph.cited_not_sent) - _NAMED
    if left > 0:
        told.append(f"{counted(left, 'more citation')} of what was never sent.")
    if not graph.cited_not_sent:
        told.append(
            f"Nothing is known{evidence_asked(graph)} to be cited without having been sent, in "
            f"{counted(graph.calls, 'model call')}."
        )
    if graph.unclear:
        told.append(
            f"It can't be told whether it was sent: {listed([claim.ref for claim in graph.unclear])}."
        )
    if graph.supported:
        told.append(
            f"{counted(graph.supported, 'citation')} of what was sent: that is no proof of the claim."
        )
    if graph.sent_not_cited:
        told.append(f"Sent but not cited: {listed([one.ref for one in graph.sent_not_cited])}.")
    if graph.uncited:
        told.append(f"Calls whose outputs cite nothing: {listed(graph.uncited)}.")
    return told


_NAMED = 5
"""Claims that have a sentence of their own."""
