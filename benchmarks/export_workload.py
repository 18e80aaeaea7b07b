"""A run that is exported, in memory and as a stream of records that are made as they are asked for.

``python -m benchmarks.export_workload FORMAT STATEMENTS`` writes the stream to nowhere, and prints the
peak of the process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from provmodel import formats
from provmodel.document import Bundle
from provmodel.feeds import ListFeed
from provmodel.records import relation_key
from provmodel.relations import ASSOCIATION, GENERATION, INFLUENCE, USAGE, Flow, Kind, Term
from provmodel.statements import Detail, ExportAttribute, ExportNode, ExportRelation

BASE = "urn:x-clew:default:"
SOURCE = "harness-1"
ASSERTER = "source:harness-1"
DETAIL: Detail = "best"  # what `clew export` writes unless it is asked for more or less
STATEMENTS = 20  # of PROV for a call: 2 nodes, and 6 relations, each with an assertion and its attribution


def records(calls: int) -> ListFeed:
    """A run of so many model calls, each reported by one event."""
    run = MadeFeed(calls)
    return ListFeed(BASE, run.nodes(), (one for term in run.terms for one in run.relations(term)))


class MadeFeed:
    """The same run as a feed that makes its records as they are asked for, in order, and keeps none."""

    base = BASE
    terms = (GENERATION, USAGE, ASSOCIATION, INFLUENCE)

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def refs(self) -> Iterator[str]:
        yield ASSERTER
        for node in self.nodes():
            yield node.ref

    def nodes(self, kind: Kind | None = None) -> Iterator[ExportNode]:
        if kind in {None, Kind.ACTIVITY}:
            yield from map(_call, range(self.calls))
        if kind in {None, Kind.AGENT}:
            yield ExportNode("model:m@version:1", Kind.AGENT)
        if kind in {None, Kind.ACTIVITY}:
            yield ExportNode("run-1", Kind.ACTIVITY, (_said(0, "prov:type", "clew:Run", "qname"),))
        if kind in {None, Kind.ENTITY}:
            yield from map(_message, range(self.calls))

    def namespaces(self) -> Iterable[str]:
        return ()

    def bundles(self) -> Iterable[Bundle]:
        return ()

    def relations(self, term: Term) -> Iterator[ExportRelation]:
        """Each call read three earlier messages, wrote one, has a model, and is part of its run."""
        for number in range(self.calls):
            call = f"call-{number:07d}"
            if term is USAGE:
                read = sorted({max(0, number - back) for back in (1, 8, 15)})
                for position, message in enumerate(read):
                    said = f'{{"clew:position":{position}}}'
                    yield _relation(USAGE, number, call, f"run-1/message-{message:07d}", more=said)
            elif term is GENERATION:
                yield _relation(GENERATION, number, f"run-1/message-{number:07d}", call)
            elif term is ASSOCIATION:
                yield _relation(ASSOCIATION, number, call, "model:m@version:1", None)
            elif term is INFLUENCE:
                yield _relation(INFLUENCE, number, call, "run-1", role="part-of")


def _call(number: int) -> ExportNode:
    time = f"2026-03-{number // 86400 % 28 + 1:02d}T{number // 3600 % 24:02d}:{number // 60 % 60:02d}"
    said = (
        _said(number, "clew:reported", f"{time}:{number % 60:02d}Z", "dateTime"),
        _said(number, "clew:status", "completed", "string"),
        _said(number, "prov:endTime", f"{time}:{number % 60:02d}Z", "dateTime"),
        _said(number, "prov:startTime", f"{time}:{number % 60:02d}Z", "dateTime"),
        _said(number, "prov:type", "clew:ModelCall", "qname"),
    )
    return ExportNode(f"call-{number:07d}", Kind.ACTIVITY, said)


def _message(number: int) -> ExportNode:
    said = (
        _said(number, "clew:body", f"body-{number:07d}", "string"),
        _said(number, "clew:bodyState", "present", "string"),
    )
    return ExportNode(f"run-1/message-{number:07d}", Kind.ENTITY, said)


def _said(number: int, name: str, value: str, datatype: str) -> ExportAttribute:
    return name, value, datatype, 3, 1, ASSERTER, SOURCE, f"event-{number:07d}"


def _relation(
    term: Term, number: int, subject: str, *arguments: str | None, role: str = "", more: str = ""
) -> ExportRelation:
    key = relation_key(term.name, subject, arguments, role)
    flow = Flow.RESPONSIBILITY if term is ASSOCIATION else term.arguments[0].flow
    said = ((3, 1, ASSERTER, "", SOURCE, f"event-{number:07d}", "", more),)
    return ExportRelation(term, subject, arguments, role, flow, key, said)


def peak() -> int:
    """The most that this process had in memory, in kilobytes (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


if __name__ == "__main__":
    for _ in formats.shelf()[sys.argv[1]].write(MadeFeed(int(sys.argv[2]) // STATEMENTS), DETAIL):
        pass
    print(peak())
