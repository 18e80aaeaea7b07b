"""From what a reader asks about to the nodes it stands for.

A target is an exact reference, a thing (its newest version answers, the others are named), or an unambiguous
suffix of either. A plain digest of private content is respelt by the caller, who has the key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from provmodel import names
from provmodel.errors import Ambiguous, NotFound, Refused
from provmodel.relations import GENERATION, REVISION, SPECIALIZATION, Flow, codes_of
from provmodel.times import nanoseconds
from queries.graph import Graph, Row, Way

NEAR = 8  # how many look-alikes an error names
LOOK = 200  # how many nodes of one last path segment are looked at
_GENERATED = codes_of(frozenset(Flow), (GENERATION.name,))
_SPECIALIZED = codes_of(frozenset(Flow), (SPECIALIZATION.name,))
_REVISED = codes_of(frozenset(Flow), (REVISION.name,))

_NEVER = (0, 0)

Versions = Sequence[tuple[int, str]]
"""Nodes of one thing, each with its reference."""


class Chosen(msgspec.Struct, frozen=True):
    """One target resolved: ``found`` is exact, newest or suffix, or about, when it is what the ``record``
    that was named is about; ``others`` are the other versions of its thing, ``later`` those of them that
    were written after it, as far as times tell.
    """

    asked: str
    id: int
    ref: str
    found: str
    others: tuple[str, ...] = ()
    record: str = ""
    later: tuple[str, ...] = ()


class Newest(NamedTuple):
    """The newest version of a thing; ``later`` are others that nothing revised and that were written after
    it, as far as times tell: their numbers say the contrary."""

    node: int
    ref: str
    later: frozenset[int] = frozenset()


def choose(graph: Graph, asked: Sequence[str], as_of: int, parameter: str = "target") -> list[Chosen]:
    """The nodes of these targets, each once; raises :class:`NotFound` (with look-alikes, or saying that it
    was recorded only later) or :class:`Ambiguous`, which says by which parameter they were asked for.
    """
    chosen = [_at(graph, text, as_of, parameter) for text in asked]
    return list({choice.id: choice for choice in chosen}.values())


def _at(graph: Graph, asked: str, as_of: int, parameter: str) -> Chosen:
    """The node at an earlier time; of one that is not there then, whether it is now."""
    try:
        return _choose(graph, asked, as_of, parameter)
    except NotFound as error:
        head = graph.head()
        if as_of >= head:
            raise
        raise NotFound(asked, error.near, as_of, _is_there(graph, asked, head)) from None


def _is_there(graph: Graph, asked: str, as_of: int) -> bool:
    try:
        _choose(graph, asked, as_of, "")
    except NotFound:
        return False
    except Ambiguous:
        return True
    return True


def _choose(graph: Graph, asked: str, as_of: int, parameter: str) -> Chosen:
    try:
        text = names.clean(asked, "target")
    except Refused:
        raise NotFound(asked) from None
    known = graph.ids([text, f"<{text}>"], as_of)
    if text not in known and f"<{text}>" in known:  # an IRI that a document named
        text = f"<{text}>"
    exact = known.get(text)
    versions = _versions(graph, text, exact, as_of) if exact is None or _may_be_thing(text) else []
    if versions:
        return _newest(graph, asked, versions, exact, as_of, "newest")
    if exact is not None:
        return Chosen(asked, exact, text, "exact")
    return _by_suffix(graph, asked, text, as_of, parameter)


def _may_be_thing(ref: str) -> bool:
    name = names.split(ref)
    return not name.pin and not name.by


def _versions(graph: Graph, thing: str, exact: int | None, as_of: int) -> list[tuple[int, str]]:
    """The versions of a thing; a deleted body specializes what it was the content of, and is no version."""
    rows = graph.rows([exact], Way.IN, _SPECIALIZED, as_of) if exact is not None else []
    bodies = {row.source for row in rows if row.method.startswith("body")}
    found = graph.versions([thing], as_of)[thing]
    return [(node, ref) for node, ref in found if ref != thing and node not in bodies]


def _newest(
    graph: Graph, asked: str, versions: list[tuple[int, str]], exact: int | None, as_of: int, found: str
) -> Chosen:
    del exact
    newest = newest_version(graph, versions, as_of)
    others = tuple(ref for node, ref in versions if node != newest.node)
    later = tuple(ref for node, ref in versions if node in newest.later)
    return Chosen(asked, newest.node, newest.ref, found, others, later=later)


def newest_version(graph: Graph, versions: Versions, as_of: int) -> Newest:
    """The version that none of the others revised; among several the one written last.

    An occurrence (a write) stands for its state. Order comes from revision, then from the number of a
    version pin, then from the time and seq of the write.
    """
    return newest_of_each(graph, {"": versions}, as_of)[""]


def newest_of_each(graph: Graph, things: Mapping[str, Versions], as_of: int) -> dict[str, Newest]:
    """The newest version of each thing that has any, as :func:`newest_version` finds it."""
    nodes = list(dict.fromkeys([node for versions in things.values() for node, _ in versions]))
    if not nodes:
        return {}
    revises: defaultdict[int, list[int]] = defaultdict(list)
    for row in graph.rows(nodes, Way.OUT, _REVISED, as_of):
        revises[row.source].append(row.target)
    made = _made(graph.rows(nodes, Way.OUT, _GENERATED, as_of))
    return {
        thing: _newest_among(dict(versions), revises, made) for thing, versions in things.items() if versions
    }


def _newest_among(
    refs: Mapping[int, str], revises: Mapping[int, list[int]], made: Mapping[int, tuple[int, int]]
) -> Newest:
    written = {node for node, ref in refs.items() if names.split(ref).is_occurrence} or set(refs)
    revised = {before for node in refs for before in revises.get(node, ())}
    node = max(
        written,
        key=lambda node: (node not in revised, _number(refs[node]), *made.get(node, _NEVER), refs[node]),
    )
    last = made.get(node, _NEVER)[0]
    later = [x for x in written - revised - {node} if last and made.get(x, _NEVER)[0] > last]
    return Newest(node, refs[node], frozenset(later))


def _made(rows: Iterable[Row]) -> dict[int, tuple[int, int]]:
    """When each was written last: the time, and the seq of the event."""
    made: dict[int, tuple[int, int]] = {}
    for row in rows:
        time = nanoseconds(row.time) if row.time else 0
        made[row.source] = max(made.get(row.source, _NEVER), (time, row.event))
    return made


def _number(ref: str) -> int:
    value = names.split(ref).value
    return int(value) if value.isdecimal() and len(value) < 19 and "@version:" in ref else -1


def _by_suffix(graph: Graph, asked: str, text: str, as_of: int, parameter: str) -> Chosen:
    alike = graph.by_tail(names.tail(text), as_of, LOOK)
    fitting = [(node, ref) for node, ref in alike if _ends(ref, text) or _ends(names.split(ref).thing, text)]
    if not fitting:
        raise NotFound(asked, tuple(ref for _, ref in alike[:NEAR]))
    things = {names.split(ref).thing for _, ref in fitting}
    if len(things) > 1:
        raise Ambiguous(asked, tuple(sorted(things)[:NEAR]), parameter)
    if len(fitting) == 1:
        return Chosen(asked, fitting[0][0], fitting[0][1], "suffix")
    pinned = [(node, ref) for node, ref in fitting if not _may_be_thing(ref)] or fitting
    return _newest(graph, asked, pinned, None, as_of, "suffix")


def _ends(ref: str, suffix: str) -> bool:
    """Whether ``suffix`` is the end of ``ref`` from a segment's start on."""
    ref, suffix = names.bare(ref), names.bare(suffix)
    return ref.endswith(suffix) and (
        len(ref) == len(suffix) or suffix[0] in "/:#" or ref[-len(suffix) - 1] in "/:#"
    )
