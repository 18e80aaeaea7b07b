"""Graph: all that a question may ask of a store, a frontier at a time.

Two implementations keep this contract: the ledger (SQL) and :class:`queries.memory.MemoryGraph`. Nodes are
dense integers that mean nothing outside one graph; answers name nodes by reference. Every read is bounded by
``as_of``, a seq of the log: a row is visible when ``since <= as_of < until``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from provmodel.computed import Computed
from provmodel.events import Envelope
from provmodel.relations import kind_words
from queries.adjacency import View
from queries.links import Link
from queries.links import Row as Row  # noqa: PLC0414 - part of the protocol
from queries.ways import Way as Way  # noqa: PLC0414 - part of the protocol

RESTRICTED = 8
"""The kind of a node that its reader may not see, beside the PROV kinds; that of the node is not told."""


def words_of_kind(mask: int) -> tuple[str, ...]:
    """The kinds of a node as they are told."""
    return ("restricted",) if mask & RESTRICTED else kind_words(mask)


class NodeInfo(msgspec.Struct, frozen=True, order=True, gc=False):
    """``kind`` is the sum of PROV kinds seen so far; ``described`` is False for a placeholder: no event is
    about it or says its type.
    """

    ref: str
    kind: int
    described: bool


class AttributeRow(msgspec.Struct, frozen=True, order=True, gc=False):
    """One attribute of a node, as one assertion states it."""

    name: str
    value: str
    datatype: str
    evidence: int
    stance: int
    asserter: str
    event: int


COMMON = (
    "prov:type",
    "prov:endTime",
    "clew:body",
    "clew:bodyState",
    "clew:verdict",
    "clew:mode",
    "clew:skipped",
    "clew:tagAlg",
)
"""The attributes that types, marks and gaps are made of: a store does well to have them at hand. No body
holds the value of any of them."""

BODY = "body"
"""The datatype of an attribute whose value is held by a body: ``value`` is its id."""

ERASED = "clew:erased"
"""The attribute that stands where the value of another one was erased; it names that one."""


def opened(row: AttributeRow, texts: Mapping[str, str]) -> AttributeRow:
    """An attribute with what its body says, if one holds its value, or the mark that it was erased."""
    if row.datatype != BODY:
        return row
    text = texts.get(row.value)
    name, value = (ERASED, row.name) if text is None else (row.name, text)
    return msgspec.structs.replace(row, name=name, value=value, datatype="string")


class Report(NamedTuple):
    """One event of the log: who delivered it, and whether another variant of the same source and id is in the
    log.

    ``computed`` is what was computed from its bodies when it arrived: their tags outlive them.
    """

    seq: int
    received: str
    reporter: str
    conflict: bool
    vouched: bool
    event: Envelope
    computed: tuple[Computed, ...] = ()


class Loose(NamedTuple):
    """Results that nothing used, and candidates that no attempt executed, of some runs: counts and an example
    ref each.
    """

    results: int
    result_example: str
    candidates: int
    candidate_example: str


class SourceState(NamedTuple):
    """What is known of one source in one epoch, from the numbers received and what it reported of itself.

    ``state`` is contiguous, gaps, open or unknown (model, section 6); ``missing`` counts the numbers not
    received, ``first_missing`` names the first; ``covers`` is None when it never reported its hooks.
    ``repeated`` is by how many its numbered events outnumber its numbers: some number stands for several.
    ``unnumbered``: some of its events, other than reports of itself, have no number.
    """

    source: str
    epoch: str
    state: str
    received: int
    highest: int
    last_number: int | None
    missing: int
    first_missing: int | None
    dropped: int
    closed: bool
    covers: frozenset[str] | None
    repeated: int
    unnumbered: bool

    @property
    def beyond(self) -> bool:
        """Whether it has closed, and yet sent numbers after the last one that it named."""
        return self.closed and self.last_number is not None and self.highest > self.last_number


class Numbers(NamedTuple):
    """Which numbers of one source in one epoch did not come, and which came late.

    ``missing`` are the first ranges below the highest number received, both ends included. ``late`` are the
    seqs of the first events that came after a higher number of theirs, of ``late_count`` in all.
    """

    source: str
    epoch: str
    missing: tuple[tuple[int, int], ...]
    late: tuple[int, ...]
    late_count: int


class BodyState(NamedTuple):
    """What is there now of a node's body: present, partial, never_captured or deleted.

    ``expires`` is the RFC 3339 time from which retention lets it go, ``hold`` the reason of a legal hold that
    keeps it all the same; "" where there is none.
    """

    body: str
    state: str
    media_type: str
    size: int
    expires: str = ""
    hold: str = ""


class Graph(Protocol):
    """What a question may ask. Sequences of ids may be of any length; answers are complete unless a limit is
    a parameter.
    """

    @property
    def tenant(self) -> str: ...

    def head(self) -> int:
        """The newest visible seq; 0 for an empty log."""
        ...

    def seq_at(self, time: str) -> int:
        """The last seq received at or before an RFC 3339 time."""
        ...

    def ids(self, refs: Sequence[str], as_of: int) -> dict[str, int]:
        """The nodes of exactly these references, those that are there."""
        ...

    def infos(self, ids: Sequence[int], as_of: int) -> dict[int, NodeInfo]: ...

    def refs(self, ids: Sequence[int]) -> Mapping[int, str]:
        """The references of nodes that some read has given, at least; a node's reference never changes."""
        ...

    def versions(self, things: Sequence[str], as_of: int) -> dict[str, list[tuple[int, str]]]:
        """Of each thing the nodes whose reference is its own with a pin or an occurrence mark, or that are
        stated specializations of it, ordered by reference."""
        ...

    def by_tail(self, tail: str, as_of: int, limit: int) -> list[tuple[int, str]]:
        """Nodes whose last path segment (:func:`provmodel.names.tail`) is ``tail``, ordered by reference."""
        ...

    def rows(
        self,
        ids: Sequence[int],
        way: Way,
        codes: Sequence[int],
        as_of: int,
        limit: int | None = None,
        lean: bool = False,
    ) -> list[Row]:
        """Rows of these codes with ``source`` (OUT) or ``target`` (IN) in ``ids``, at most ``limit`` in all,
        in no fixed order. Of ``lean`` ones only source, code, target, relation, evidence, stance and role
        count.
        """
        ...

    def links(
        self, ids: Sequence[int], way: Way, codes: Sequence[int], as_of: int, limit: int | None = None
    ) -> list[Link]:
        """All rows of these codes as edges, weighed by every kind of evidence, in no fixed order. The same
        ones may be given again: they are not to be changed. Where there are ``limit`` rows or more, some of
        them may be missing, but not so many that fewer are left.
        """
        ...

    def page(
        self, node: int, way: Way, codes: Sequence[int], as_of: int, after: tuple[int, int], limit: int
    ) -> list[Row]:
        """Rows of one node in the order of (code, neighbour), from the first such pair beyond ``after`` on:
        all rows of at most ``limit`` pairs. The neighbour is the node at the other end; (-1, -1) begins.
        """
        ...

    def stated_by(self, asserter: str, codes: Sequence[int], as_of: int, limit: int) -> list[Row]:
        """Rows of these codes that this asserter (a reference) states, ordered by (event, relation, code)."""
        ...

    def adjacency(self, as_of: int, read: int) -> View | None:
        """The compact index of all rows, caught up to ``as_of``; None when there is none, or not yet: it is
        loaded when that is worth it, after walks have read (``read``, since the last time) many rows.
        """
        ...

    def degrees(
        self, ids: Sequence[int], way: Way, codes: Sequence[int], as_of: int, cap: int
    ) -> dict[int, int]:
        """How many distinct neighbours each node has over these codes, up to ``cap``; absent means 0."""
        ...

    def attributes(
        self, ids: Sequence[int], as_of: int, names: Sequence[str] | None = None
    ) -> dict[int, list[AttributeRow]]:
        """Attributes of these nodes, only those of ``names`` when given, ordered by (name, value, event)."""
        ...

    def conflicts(self, as_of: int) -> frozenset[int]:
        """The seqs of the events of which the log has other variants: the same source and id, other
        content."""
        ...

    def reports(self, ids: Sequence[int], as_of: int) -> dict[int, list[Report]]:
        """The events that describe each node (the node is their subject), ordered by seq."""
        ...

    def events(self, seqs: Sequence[int], as_of: int) -> dict[int, Report]:
        """The events of these seqs, those that are there."""
        ...

    def run_reports(self, run: str, types: Sequence[str], as_of: int, limit: int) -> list[Report]:
        """Events of one run and of these types, ordered by seq, at most ``limit``."""
        ...

    def log(
        self, types: Sequence[str], as_of: int, after: int, last: int, limit: int, source: str = ""
    ) -> list[Report]:
        """Events of these types with a seq beyond ``after`` and up to ``last``, of one source when it is
        given, ordered by seq, at most ``limit``. A store may look at each event of the span.
        """
        ...

    def filed_reports(self, keys: Sequence[str], as_of: int, limit: int) -> dict[str, list[Report]]:
        """Events filed under each key (``sticky:<thing>``, ``session:<run>``), ordered by seq, at most
        ``limit`` of each.
        """
        ...

    def loose(self, runs: Sequence[str], as_of: int) -> Loose:
        """What is loose in these runs, whichever question asks."""
        ...

    def sources(self, sources: Sequence[str] | None, as_of: int) -> list[SourceState]:
        """Coverage of these sources (of all when None), ordered by source and epoch."""
        ...

    def numbers(self, sources: Sequence[str] | None, as_of: int, limit: int) -> list[Numbers]:
        """What is missing and what came late of these sources (of all when None), ordered by source and
        epoch; at most ``limit`` ranges and late events of each.
        """
        ...

    def run_sources(self, runs: Sequence[str], as_of: int) -> dict[str, list[str]]:
        """Which sources reported events of each run, ordered."""
        ...

    def kept(self, bodies: Sequence[str], as_of: int) -> frozenset[str]:
        """Those of these bodies (ids) that a deletion, asked for or reported as done, has not taken from this
        store: a legal hold keeps them.
        """
        ...

    def bodies(self, ids: Sequence[int]) -> Mapping[int, list[BodyState]]:
        """The bodies of these nodes as they are now (never bounded by ``as_of``)."""
        ...


class Gap(msgspec.Struct, frozen=True):
    """One kind of what is missing: how often, and one example (a reference or ``source#number``)."""

    kind: str
    count: int
    example: str


class Unchecked(msgspec.Struct, frozen=True):
    """Something that could not be checked, and why: never a clean pass."""

    what: str
    why: str


class Frontier(msgspec.Struct, frozen=True):
    """Where a walk stopped: how many neighbours were not visited one way ("at least" when ``exact`` is
    False), and why.
    """

    ref: str
    way: str
    count: int
    exact: bool
    reason: str
