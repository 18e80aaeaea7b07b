"""The parameters of questions that go through the log, and what they come down to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

from msgspec import Meta

from provmodel import names
from provmodel.errors import BadQuestion, NotFound
from provmodel.relations import Kind
from provmodel.times import nanoseconds
from queries.answer import Target
from queries.graph import Graph, Unchecked
from queries.limits import of_filters
from queries.logged.pages import Where
from queries.marks import RUN
from queries.question import Asked, Scope, target_of
from queries.targets import Chosen, choose


class ReportedAsked(Asked, frozen=True, kw_only=True):
    """Of which runs and sources it is asked. Conditions hold together; several values of one are
    alternatives.
    """

    run: Annotated[tuple[str, ...], Meta(description="Only what belongs to these runs.")] = ()
    source: Annotated[tuple[str, ...], Meta(description="Only what these sources reported.")] = ()


class LogAsked(ReportedAsked, frozen=True, kw_only=True):
    """What of the log is asked about, by agent and time, too."""

    agent: Annotated[
        tuple[str, ...], Meta(description="Only what these agents did: those of the run, or of the call.")
    ] = ()
    since: Annotated[
        str, Meta(description="Only what happened then or later: an RFC 3339 time, by the reporter's clock.")
    ] = ""
    until: Annotated[
        str, Meta(description="Only what happened before: an RFC 3339 time, by the reporter's clock.")
    ] = ""


class Meant(NamedTuple):
    """What is asked about: which events, of which agents, and the targets that are neither run, source nor
    agent. ``named`` are the runs and agents that conditions name, by what they were taken for.
    """

    where: Where
    agents: tuple[str, ...]
    others: tuple[Chosen, ...]
    named: tuple[Chosen, ...]

    def targets(self, scope: Scope) -> tuple[Target, ...]:
        """The targets, and what conditions name beside them."""
        given = scope.targets()
        refs = {target.ref for target in given}
        return (*given, *(target_of(one) for one in self.named if one.ref not in refs))

    def sources(self, graph: Graph, as_of: int) -> set[str]:
        """The sources in whose events it is looked: those asked about, those of the runs, or all; none where
        it is asked about things, which tell their own.
        """
        if self.others:
            return set()
        if self.where.runs:
            reporting = graph.run_sources(self.where.runs, as_of).values()
            return {source for found in reporting for source in found}
        return set(self.where.sources or [state.source for state in graph.sources(None, as_of)])

    def narrowed(self, params: LogAsked) -> Iterator[Unchecked]:
        """What is left out of the answer, by agent and time."""
        return of_filters(self.agents if params.agent else (), params.since, params.until)


def meant(graph: Graph, params: LogAsked, starts: tuple[Chosen, ...], as_of: int) -> Meant:
    """As :func:`reported`, with the conditions on agents and times; raises :class:`BadQuestion` for what is
    no time, too.
    """
    by_agents = choose(graph, [names.agent(name) for name in params.agent], as_of, "agent")
    of_all = reported(graph, params, starts, as_of)
    since, until = _time("since", params.since), _time("until", params.until)
    if since is not None and until is not None and since >= until:
        raise BadQuestion(
            "until", f"nothing is from {params.since} on and before {params.until}", "end later"
        )
    return of_all._replace(
        where=of_all.where._replace(since=since, until=until),
        agents=tuple(dict.fromkeys([*(chosen.ref for chosen in by_agents), *of_all.agents])),
        named=(*of_all.named, *by_agents),
    )


def reported(graph: Graph, params: ReportedAsked, starts: tuple[Chosen, ...], as_of: int) -> Meant:
    """Read the conditions; a target that is a run, a source or an agent is a condition, too.

    Raises :class:`NotFound` or Ambiguous for a run or source that nothing is known of, and
    :class:`BadQuestion` for a run that is something else.
    """
    in_runs = choose(graph, params.run, as_of, "run")
    _are_runs(graph, in_runs, as_of)
    runs, agents = [chosen.ref for chosen in in_runs], []
    sources = [source_of(graph, source, as_of) for source in params.source]
    others = []
    for start in starts:
        if start.ref.startswith(names.SOURCE):
            sources.append(source_of(graph, start.ref.removeprefix(names.SOURCE), as_of))
        elif start.ref.startswith(("agent:", "person:", "service:")):
            agents.append(start.ref)
        elif graph.run_sources([start.ref], as_of):
            runs.append(start.ref)
        else:
            others.append(start)
    where = Where(tuple(dict.fromkeys(runs)), tuple(dict.fromkeys(sources)))
    return Meant(where, tuple(dict.fromkeys(agents)), tuple(others), tuple(in_runs))


def _are_runs(graph: Graph, chosen: Sequence[Chosen], as_of: int) -> None:
    """A run that is only named, by another or by what came after it, is a run; what is known for something
    else is none.
    """
    if not chosen:
        return
    ids = [one.id for one in chosen]
    reporting = graph.run_sources([one.ref for one in chosen], as_of)
    infos, said = graph.infos(ids, as_of), graph.attributes(ids, as_of, ("prov:type",))
    for one in chosen:
        types = {row.value for row in said.get(one.id, ())}
        other = types or infos[one.id].kind & sum(Kind) not in (0, Kind.ACTIVITY)
        if one.ref not in reporting and other and RUN not in types:
            by = "source" if one.ref.startswith(names.SOURCE) else "target"
            raise BadQuestion("run", f"{one.ref} is no run", f"name a run, or give it as {by}")


def source_of(graph: Graph, source: str, as_of: int) -> str:
    """The source of this name, with or without the ``source:`` of its agent."""
    for name in (source, source.removeprefix(names.SOURCE)):
        if graph.sources([name], as_of):
            return name
    near = sorted({state.source for state in graph.sources(None, as_of)})
    raise NotFound(source, tuple(near[:8]))


def _time(parameter: str, text: str) -> int | None:
    if not text:
        return None
    try:
        return nanoseconds(text)
    except (ValueError, TypeError):
        raise BadQuestion(
            parameter, f"{text!r} is not a time", "give RFC 3339 with zone, such as 2026-03-01T09:00:00Z"
        ) from None
