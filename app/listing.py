"""Lists of what the ledger holds: events, runs, nodes, sources; each page with how many there are in all.

A list stands at one seq of the log (``as_of``), and its cursor goes on from there, so that pages fit together
while events keep coming.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from app.ledger import Ledger, Mark
from app.ledger.reports import decode_log, rfc3339
from app.ledger.store import Store
from app.paging import Sheet, open_sheet
from provmodel.errors import BadQuestion, one_of
from provmodel.events import TYPES, Envelope, RunEnded, RunStarted
from provmodel.evidence import Evidence, Stance
from provmodel.names import encoded_prefix
from provmodel.relations import Flow, codes_of
from queries.graph import AttributeRow, Report, SourceState, Way, words_of_kind
from queries.hiding import Hiding
from queries.logged.asking import source_of
from queries.question import read_as_of
from queries.redacting import names_hidden
from queries.restricted import hiding_of
from queries.targets import Chosen, choose

MOST = 1000  # entries of one page
COUNTED = 1000  # neighbours of a node
BEYOND = "\U0010ffff"
_ALL_CODES = codes_of(frozenset(Flow))
_LIFE = ("run_started", "run_ended", "run_cancelled")

RunState = Literal["open", "incomplete", "completed", "failed", "stopped", "several"]


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """``total`` counts all that fits, on whatever page; an empty ``cursor`` says that nothing follows."""

    as_of: int
    total: int
    cursor: str = ""


class EventEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the log. ``marks`` are how it arrived; ``event`` is what was accepted, bodies by their ids
    alone. Of one that names what is hidden from the reader no more is told than its place and that it is
    ``restricted``.
    """

    seq: int
    received: str
    reporter: str
    marks: tuple[str, ...]
    conflict: bool
    mapping: int
    sha256: str
    event: msgspec.Raw


class EventList(Page, frozen=True, kw_only=True):
    """Events in the order of the log."""

    events: list[EventEntry]


class RunEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as far as it was reported.

    ``state`` is open until an end is reported, incomplete when all its sources closed without one, several
    when its ends disagree. Times are as reported.
    """

    run: str
    state: RunState
    agent: str | None
    task: str | None
    started: str | None
    ended: str | None
    cancelled: bool
    events: int
    first_seq: int
    last_seq: int
    sources: list[str]


class RunList(Page, frozen=True, kw_only=True):
    """Runs, those that began last in the log first."""

    runs: list[RunEntry]


class SourceEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One source in one epoch: what was received, and what its numbers show to be missing.

    ``received`` counts numbers; ``repeated`` says how many events came under a number of another, and
    ``unnumbered`` whether some came without any: what is missing of those can't be told.
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
    covers: list[str] | None
    repeated: int
    unnumbered: bool


class SourceList(Page, frozen=True, kw_only=True):
    """Sources and epochs, by name."""

    sources: list[SourceEntry]


class NodeLine(msgspec.Struct, frozen=True):
    """One node in a list."""

    ref: str
    kinds: tuple[str, ...]
    described: bool


class NodeList(Page, frozen=True, kw_only=True):
    """Nodes by reference, without those hidden from the reader: their places would tell their names."""

    nodes: list[NodeLine]


class AttributeEntry(msgspec.Struct, frozen=True):
    """One statement about a node, how well it is known, and the seq of the event that makes it."""

    name: str
    value: str
    datatype: str
    evidence: str
    stance: str
    asserter: str
    event: int


class ReportEntry(msgspec.Struct, frozen=True):
    """An event that describes a node."""

    seq: int
    source: str
    id: str
    type: str
    conflict: bool


class BodyEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A body of a node, as it is now. ``expires`` is when retention lets it go, ``hold`` why it is kept all
    the same.
    """

    body: str
    state: str
    media_type: str
    size: int
    expires: str = ""
    hold: str = ""


class NodeEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One node and what is said of it. ``causes`` and ``effects`` count neighbours, up to a thousand,
    ``pingbacks`` the links that others sent about it.
    """

    asked: str
    ref: str
    found: str
    others: tuple[str, ...]
    kinds: tuple[str, ...]
    described: bool
    causes: int
    effects: int
    attributes: list[AttributeEntry]
    reports: list[ReportEntry]
    bodies: list[BodyEntry]
    pingbacks: int = 0


class NodeDetails(msgspec.Struct, frozen=True, kw_only=True):
    """The nodes asked for by name."""

    as_of: int
    nodes: list[NodeEntry]


# ids, tenant, source
_FIRST = (
    "select e.log from texts(?) i cross join event e"
    " where e.tenant = ? and e.source = ? and same(e.id, i.value) order by e.seq limit 1"
)
# texts, tenant
_WORD = "select w.word from texts(?) i cross join word w where w.tenant = ? and same(w.text, i.value)"
_CONFLICT = (
    "exists (select 1 from event o by(event_id) where o.tenant = e.tenant and o.source = e.source"
    " and same(o.id, e.id) and o.seq <> e.seq and o.seq <= ?)"
)
# as_of, tenant, after, as_of, filters, limit
EVENTS = (
    f"select e.seq, e.received, p.text, e.marks, {_CONFLICT}, e.mapping, e.digest, e.log from event e"
    " join word p on p.tenant = e.tenant and p.word = e.reporter"
    " where e.tenant = ? and e.seq > ? and e.seq <= ?{filters} order by e.seq limit ?"
)
RESTRICTED = "restricted"
"""The mark, and the type, of an event that is not for the reader."""
# tenant, as_of, filters
_EVENT_COUNT = "select count(*) from event e where e.tenant = ? and e.seq <= ?{filters}"
# tenant, as_of, what to leave out, before, limit
_RUNS = (
    "select s.run, w.text, min(s.seq) from run_source s join word w on w.tenant = s.tenant and w.word = s.run"
    " where s.tenant = ? and s.seq <= ?{but}"
    " group by s.run, w.text having min(s.seq) < ? order by 3 desc limit ?"
)
_RUN_COUNT = "select count(distinct s.run) from run_source s where s.tenant = ? and s.seq <= ?{but}"
# runs, tenant, as_of
_RUN_SPANS = (
    "select e.run, count(*), min(e.seq), max(e.seq) from ints(?) i cross join event e"
    " where e.tenant = ? and e.run = i.value and e.seq <= ? group by e.run"
)
# spans, tenant, as_of, what to leave out
_NODE_COUNT = (
    "select count(*) from spans(?) s cross join node n where n.tenant = ? and within(n.ref, s.a, s.b)"
    " and coalesce(n.joined, n.event) <= ?{but}"
)
_NODES = _NODE_COUNT.replace("count(*)", "n.node, n.ref") + " order by n.ref limit ?"


class Lists:
    """The lists of one tenant."""

    def __init__(self, ledger: Ledger, tenant: str) -> None:
        self._store: Store = ledger.store.of(tenant)
        self._graph = ledger.graph(tenant)
        self._name = tenant

    def events(
        self,
        as_of: str = "",
        cursor: str = "",
        limit: int = 100,
        run: str = "",
        source: str = "",
        kind: str = "",
        beyond: int = 0,
    ) -> EventList:
        """Events of the log ``beyond`` a seq, oldest first; of one run, source and type, where given.

        Raises NotFound for a source that nothing is known of.
        """
        if kind and kind not in TYPES:
            raise BadQuestion("type", f"{kind!r} is no type of event", one_of(TYPES))
        named = {"run": run, "source": source, "type": kind}
        sheet = self.sheet("events", as_of, cursor, named)
        hiding = hiding_of(self._graph)
        at, after = sheet.as_of, sheet.place
        named["run"] = hiding.asked(run)
        if source:
            named["source"] = source_of(self._graph, source, at)
        filters, words = self._filters(named)
        spelt = {"filters": filters}
        given = (at, self._tenant, max(beyond, _number(after, 0)), at, *words, limit + 1)
        rows = self._store.fetch(EVENTS.format_map(spelt), given)
        total = at  # seqs are contiguous
        if words:
            total = self._store.fetch(_EVENT_COUNT.format_map(spelt), (self._tenant, at, *words))[0][0]
        entries = [_withheld(_event_entry(row), hiding) for row in rows[:limit]]
        more = sheet.cursor(str(entries[-1].seq)) if len(rows) > limit else ""
        return EventList(as_of=at, total=total, cursor=more, events=entries)

    def runs(self, as_of: str = "", cursor: str = "", limit: int = 100) -> RunList:
        """Runs, the newest first."""
        sheet = self.sheet("runs", as_of, cursor)
        at, before = sheet.as_of, sheet.place
        but, hidden = self._but("s.run", self._words_of_hidden())
        given = (self._tenant, at, *hidden, _number(before, at + 1), limit + 1)
        rows = self._store.fetch(_RUNS.format(but=but), given)
        counted = self._store.fetch(_RUN_COUNT.format(but=but), (self._tenant, at, *hidden))
        page = rows[:limit]
        more = sheet.cursor(str(page[-1][2])) if len(rows) > limit else ""
        return RunList(as_of=at, total=counted[0][0], cursor=more, runs=self._run_entries(page, at))

    def sources(self, as_of: str = "", cursor: str = "", limit: int = 1000) -> SourceList:
        """Sources and their epochs."""
        sheet = self.sheet("sources", as_of, cursor)
        at, start = sheet.as_of, _number(sheet.place, 0)
        states = self._graph.sources(None, at)
        entries = [_source_entry(state) for state in states[start : start + limit]]
        more = sheet.cursor(str(start + limit)) if start + limit < len(states) else ""
        return SourceList(as_of=at, total=len(states), cursor=more, sources=entries)

    def nodes(self, as_of: str = "", cursor: str = "", limit: int = 100, prefix: str = "") -> NodeList:
        """Nodes whose reference begins with ``prefix``."""
        prefix = encoded_prefix(prefix)
        sheet = self.sheet("nodes", as_of, cursor, {"prefix": prefix})
        at, after = sheet.as_of, sheet.place
        start = after + "\x01" if after else prefix
        whole = self._store.spans([(prefix, prefix + BEYOND)])
        rest = self._store.spans([(start, prefix + BEYOND)])
        but, hidden = self._but("n.node", sorted(hiding_of(self._graph).nodes))
        rows = self._store.fetch(_NODES.format(but=but), (rest, self._tenant, at, *hidden, limit + 1))
        counted = self._store.fetch(_NODE_COUNT.format(but=but), (whole, self._tenant, at, *hidden))
        infos = self._graph.infos([node for node, _ in rows[:limit]], at)
        told = [(ref, infos[node]) for node, ref in rows[:limit]]
        lines = [NodeLine(ref, words_of_kind(info.kind), info.described) for ref, info in told]
        more = sheet.cursor(lines[-1].ref) if len(rows) > limit else ""
        return NodeList(as_of=at, total=counted[0][0], cursor=more, nodes=lines)

    def details(self, refs: Sequence[str], as_of: str = "") -> NodeDetails:
        """What is said of these nodes; raises NotFound or Ambiguous."""
        at = read_as_of(self._graph, as_of)
        chosen = choose(self._graph, refs, at, "ref")
        return NodeDetails(as_of=at, nodes=[self._node_entry(choice, at) for choice in chosen])

    def first(self, source: str, name: str) -> Envelope | None:
        """The first event of this source and id that the log has."""
        words = self._filters({"source": source})[1]
        found = self._store.fetch(_FIRST, (self._store.texts([name]), self._tenant, *words))
        return decode_log(found[0][0]) if found else None

    # Parts

    @property
    def _tenant(self) -> int:
        return self._store.tenant

    def sheet(self, name: str, as_of: str, cursor: str, filters: Mapping[str, object] | None = None) -> Sheet:
        """Where a page of a list stands; raises BadQuestion for an as_of or a cursor that does not fit it."""
        return open_sheet(self._graph, name, as_of, cursor, filters or {})

    def _filters(self, wanted: dict[str, str]) -> tuple[str, list[int]]:
        named = {column: text for column, text in wanted.items() if text}
        words: list[int] = []
        for text in named.values():
            found = self._store.fetch(_WORD, (self._store.texts([text]), self._tenant))
            words.append(found[0][0] if found else 0)
        return "".join(f" and e.{column} = ?" for column in named), words

    def _words_of_hidden(self) -> list[int]:
        """The words that are names of hidden nodes."""
        names = sorted(hiding_of(self._graph).nodes.values())
        found = self._store.fetch(_WORD, (self._store.texts(names), self._tenant)) if names else []
        return [word for (word,) in found]

    def _but(self, column: str, hidden: Sequence[int]) -> tuple[str, tuple[Any, ...]]:
        """The condition that leaves these out, if there are any, and its parameters."""
        condition = f" and {column} not in (select i.value from ints(?) i)"
        return (condition, (self._store.ints(hidden),)) if hidden else ("", ())

    def _run_entries(self, page: Sequence[Any], at: int) -> list[RunEntry]:
        names = [run for _, run, _ in page]
        given = (self._store.ints([word for word, _, _ in page]), self._tenant, at)
        spans = {word: more for word, *more in self._store.fetch(_RUN_SPANS, given)}
        sources = self._graph.run_sources(names, at)
        reporting = sorted({source for found in sources.values() for source in found})
        states = self._graph.sources(reporting, at) if reporting else []
        alive = {state.source for state in states if not state.closed}
        return [self._run_entry(run, spans[word], sources.get(run, []), alive, at) for word, run, _ in page]

    def _run_entry(self, run: str, span: Any, sources: list[str], alive: set[str], at: int) -> RunEntry:
        events = [report.event for report in self._graph.run_reports(run, _LIFE, at, MOST)]
        began = [event for event in events if isinstance(event, RunStarted)]
        ends = [event for event in events if isinstance(event, RunEnded)]
        first = min(began, key=_by_name, default=None)
        count, first_seq, last_seq = span
        return RunEntry(
            run=run,
            state=_state(ends, sources, alive),
            agent=first.agent if first else None,
            task=first.task if first else None,
            started=first.time if first else None,
            ended=min((end.time for end in ends), default=None),
            cancelled=len(began) + len(ends) < len(events),
            events=count,
            first_seq=first_seq,
            last_seq=last_seq,
            sources=sources,
        )

    def _node_entry(self, choice: Chosen, at: int) -> NodeEntry:
        graph, node = self._graph, choice.id
        info = graph.infos([node], at)[node]
        degrees = [graph.degrees([node], way, _ALL_CODES, at, COUNTED).get(node, 0) for way in Way]
        return NodeEntry(
            asked=choice.asked,
            ref=choice.ref,
            found=choice.found,
            others=choice.others,
            kinds=words_of_kind(info.kind),
            described=info.described,
            causes=degrees[0],
            effects=degrees[1],
            attributes=[_attribute_entry(row) for row in graph.attributes([node], at).get(node, ())],
            reports=[_report_entry(report) for report in graph.reports([node], at).get(node, ())],
            bodies=[BodyEntry(*body[:4]) for body in graph.bodies([node]).get(node, ())],
        )


def _number(place: str, start: int) -> int:
    """The number of a cursor whose list goes by numbers; ``start`` for the first page."""
    return int(place) if place else start


def _event_entry(row: Sequence[Any]) -> EventEntry:
    seq, received, reporter, marks, conflict, mapping, digest, log = row
    return EventEntry(
        seq=seq,
        received=rfc3339(received),
        reporter=reporter,
        marks=Mark(marks).words,
        conflict=bool(conflict),
        mapping=mapping,
        sha256=bytes(digest).hex(),
        event=msgspec.Raw(log),
    )


def _withheld(entry: EventEntry, hiding: Hiding) -> EventEntry:
    """The entry, or its place alone when its event names what is hidden."""
    if not hiding or not names_hidden(msgspec.json.decode(entry.event), hiding):
        return entry
    event = msgspec.Raw(msgspec.json.encode({"type": RESTRICTED}))
    return msgspec.structs.replace(
        entry, reporter="", marks=(RESTRICTED,), conflict=False, sha256="", event=event
    )


def _state(ends: Sequence[RunEnded], sources: Sequence[str], alive: set[str]) -> RunState:
    statuses = {end.status for end in ends}
    if len(statuses) == 1:
        return statuses.pop()
    if statuses:
        return "several"
    return "open" if not sources or alive.intersection(sources) else "incomplete"


def _source_entry(state: SourceState) -> SourceEntry:
    covers = None if state.covers is None else sorted(state.covers)
    return SourceEntry(**{**state._asdict(), "covers": covers})


def _attribute_entry(row: AttributeRow) -> AttributeEntry:
    return AttributeEntry(
        name=row.name,
        value=row.value,
        datatype=row.datatype,
        evidence=Evidence(row.evidence).word,
        stance=Stance(row.stance).word,
        asserter=row.asserter,
        event=row.event,
    )


def _report_entry(report: Report) -> ReportEntry:
    event = report.event
    return ReportEntry(report.seq, event.source, event.id, _type_of(event), report.conflict)


def _type_of(event: Envelope) -> str:
    return str(type(event).__struct_config__.tag)


def _by_name(event: Envelope) -> tuple[str, str]:
    return event.source, event.id
