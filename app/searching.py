"""Search: nodes by words, kind, run, agent, time and evidence, page by page, and names that look like one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Annotated
from unicodedata import normalize
from urllib.parse import unquote

import msgspec
from msgspec import Meta

from app.ledger import Ledger
from app.ledger.search.find import Line, Narrowed, Place, find, named_alike
from app.ledger.search.index import is_searched, taken
from app.ledger.search.words import Wanted, asked_for, words_of
from app.paging import Sheet, open_sheet
from provmodel import names
from provmodel.errors import BadQuestion
from provmodel.evidence import Evidence
from provmodel.relations import GENERATION, INFLUENCE, Flow, Kind, codes_of, kind_words
from provmodel.times import nanoseconds
from queries.answer import Target
from queries.graph import AttributeRow, Graph, Unchecked, Way, words_of_kind
from queries.marks import main_type
from queries.question import EvidenceWord, read_kinds, target_of
from queries.reported import reported_in
from queries.restricted import hiding_of
from queries.targets import Chosen, choose
from queries.telling import resolved_told

MOST = 1000  # nodes of one page
MOST_WORDS = 16  # of one query
MEMBERS = 200_000  # nodes of one run, or of one agent, among which is searched
SHOWN = 3  # of what was found in one node
LETTERS = 200  # of a value that is shown
SECONDS_TO_CATCH_UP = 2.0
NEAR = 8
_ALIKE = 0.5  # of 1, which is equal
_PART_OF = INFLUENCE.code(0, Flow.STRUCTURE)
_OTHER_RUNS = frozenset({"parent", "replay-of"})
_RESPONSIBLE = codes_of(frozenset({Flow.RESPONSIBILITY}))
_GENERATED = codes_of(frozenset(Flow), (GENERATION.name,))
_ALL = codes_of(frozenset(Flow))
_KINDS = {word: kind for kind in Kind for word in kind_words(kind)}

Progress = Callable[[int, int], None]
"""Told (seq up to which words are taken, seq of the log)."""


class SearchAsked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is looked for. Conditions add up; of several values of one condition one will do."""

    q: Annotated[
        str,
        Meta(
            description="Words that a node must all have, in its reference, label or other attributes; "
            "rep* stands for every word that begins so."
        ),
    ] = ""
    kind: Annotated[
        tuple[str, ...], Meta(description="entity, activity, agent, or a type such as clew:ModelCall.")
    ] = ()
    run: Annotated[str, Meta(description="Only what a run did, used or made, and the run itself.")] = ""
    agent: Annotated[str, Meta(description="Only what an agent did or made, and the agent itself.")] = ""
    since: Annotated[
        str, Meta(description="Only nodes of which an event of this RFC 3339 time or later says something.")
    ] = ""
    until: Annotated[str, Meta(description="Only nodes of which an event before this time does.")] = ""
    evidence: Annotated[
        tuple[EvidenceWord, ...],
        Meta(
            description="Only nodes of which something is said with this evidence; words of attributes "
            "count only when said so."
        ),
    ] = ()
    prefix: Annotated[str, Meta(description="Only nodes whose reference begins like this.")] = ""
    as_of: Annotated[
        str | int,
        Meta(description="As it was known then: a seq of the log, or an RFC 3339 time; empty: now."),
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=MOST, description="How many nodes a page has.")] = 100
    cursor: Annotated[str, Meta(description="Go on after the page that gave this cursor.")] = ""


class Held(msgspec.Struct, frozen=True):
    """Where a word was found: the attribute, its value (shortened), and how well that is known."""

    name: str
    value: str
    evidence: str


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One node found. ``score`` is what its words count: 3 in the reference, 2 in a label, 1 elsewhere."""

    ref: str
    kinds: tuple[str, ...]
    type: str
    described: bool
    score: int
    found: tuple[Held, ...] = ()


class Hits(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes by score and reference. ``total`` counts all that fit, on whatever page; an empty ``cursor`` says
    that nothing follows. ``unchecked`` says what the index does not hold yet; ``complete`` that it holds all.
    ``resolved`` are the run and agent of the conditions, where they were not named by their very names.
    """

    as_of: int
    total: int
    complete: bool
    nodes: list[Hit]
    cursor: str = ""
    unchecked: tuple[Unchecked, ...] = ()
    resolved: tuple[Target, ...] = ()


class Search:
    """Search in one tenant."""

    def __init__(self, ledger: Ledger, tenant: str) -> None:
        self._ledger = ledger
        self._store = ledger.store.of(tenant)
        self._graph = ledger.graph(tenant)
        self._name = tenant

    def hits(self, asked: SearchAsked, progress: Progress | None = None) -> Hits:
        """A page of nodes; raises BadQuestion, NotFound or Ambiguous.

        What was committed before is found: its words are taken first, for a while at most, or for as long as
        it takes when there is someone to be shown the ``progress``.
        """
        wanted = _wanted(asked.q)
        self._catch_up(progress)
        sheet = self._sheet(asked)
        chosen = self._chosen(asked, sheet.as_of)
        narrowed = self._narrowed(asked, chosen, sheet.as_of)
        index = taken(self._store, self._name)
        after = _place(sheet.place) if sheet.place else None
        lines = find(self._store, index.tenant, wanted, narrowed, sheet.as_of, after, asked.limit + 1)
        page = lines[: asked.limit]
        needed = bool(wanted or narrowed.types or asked.since or asked.until)
        unchecked = _unchecked(index.taken_seq, sheet.as_of, index.behind and needed)
        return Hits(
            as_of=sheet.as_of,
            total=page[0].total if page else 0,
            complete=not unchecked,
            nodes=self._told(page, wanted, narrowed.evidence, sheet.as_of),
            cursor=sheet.cursor(f"{page[-1].score}:{page[-1].ref}") if len(lines) > len(page) else "",
            unchecked=unchecked,
            resolved=tuple(target_of(one) for one in chosen.values() if one.found != "exact"),
        )

    def near(self, name: str) -> tuple[str, ...]:
        """References that look like a name nothing has, the most alike first."""
        self._catch_up(None)
        words = [word[: max(3, len(word) * 2 // 3)] for word in sorted(words_of(name)) if len(word) > 1]
        index = taken(self._store, self._name)
        if not words or not index.tenant:
            return ()
        found = named_alike(self._store, index.tenant, words[:MOST_WORDS], self._graph.head())
        hiding = hiding_of(self._graph)
        found = [ref for ref in found if not hiding.hides(ref)]
        likeness = _likeness(name, found)
        alike = [ref for ref in found if likeness[ref] >= _ALIKE]
        return tuple(sorted(alike, key=lambda ref: (-likeness[ref], ref))[:NEAR])

    # What is asked

    def _sheet(self, asked: SearchAsked) -> Sheet:
        filters = msgspec.to_builtins(asked)
        for name in ("as_of", "cursor", "limit"):
            del filters[name]
        return open_sheet(self._graph, "search", asked.as_of, asked.cursor, filters)

    def _narrowed(self, asked: SearchAsked, chosen: Mapping[str, Chosen], as_of: int) -> Narrowed:
        wanted = read_kinds("kind", asked.kind)
        return Narrowed(
            kinds=sum(int(_KINDS[kind]) for kind in wanted & _KINDS.keys()),
            types=sorted(wanted - _KINDS.keys()),
            evidence=[int(Evidence[word.upper()]) for word in asked.evidence],
            since=_microseconds("since", asked.since),
            until=_microseconds("until", asked.until),
            among=self._among(chosen, as_of),
            prefix=names.encoded_prefix(asked.prefix),
            hidden=hiding_of(self._graph).nodes,
        )

    def _chosen(self, asked: SearchAsked, as_of: int) -> dict[str, Chosen]:
        """The run and the agent that conditions name."""
        named = (("run", asked.run), ("agent", asked.agent))
        return {name: choose(self._graph, [ref], as_of, name)[0] for name, ref in named if ref}

    def _among(self, chosen: Mapping[str, Chosen], as_of: int) -> list[int] | None:
        found: set[int] | None = None
        for name, one in chosen.items():
            nodes = _MEMBERS_OF[name](self._graph, one.id, as_of)
            if len(nodes) > MEMBERS:
                reason = f"{one.ref} has more than {MEMBERS:,} nodes"
                raise BadQuestion(name, reason, "ask without it, by words, kind or time")
            found = nodes if found is None else found & nodes
        return None if found is None else sorted(found)

    def _catch_up(self, progress: Progress | None) -> None:
        until = time.monotonic() + SECONDS_TO_CATCH_UP
        while not self._ledger.take_words(self._name):
            if progress:
                index = taken(self._store, self._name)
                progress(index.taken_seq, index.seq)
            elif time.monotonic() > until:
                return

    # What is told

    def _told(
        self, lines: Sequence[Line], wanted: Sequence[Wanted], evidence: Sequence[int], as_of: int
    ) -> list[Hit]:
        ids = [line.node for line in lines]
        infos = self._graph.infos(ids, as_of)
        said = self._graph.attributes(ids, as_of) if ids else {}
        return [
            Hit(
                ref=line.ref,
                kinds=words_of_kind(infos[line.node].kind),
                type=main_type(said.get(line.node, ())),
                described=infos[line.node].described,
                score=line.score,
                found=_held(said.get(line.node, ()), wanted, evidence),
            )
            for line in lines
        ]


def _wanted(query: str) -> list[Wanted]:
    wanted = asked_for(query)
    if query.strip() and not wanted:
        raise BadQuestion("q", f"{query!r} holds no letter and no digit", "give a word, or leave it out")
    if len(wanted) > MOST_WORDS:
        raise BadQuestion("q", f"it has {len(wanted)} words", f"give up to {MOST_WORDS}")
    return wanted


def _microseconds(name: str, given: str) -> int | None:
    if not given:
        return None
    try:
        return nanoseconds(given) // 1000
    except (ValueError, TypeError):
        remedy = "give an RFC 3339 time such as 2026-03-01T09:00:00Z"
        raise BadQuestion(name, f"{given!r} is not a time with its zone", remedy) from None


def _place(text: str) -> Place:
    score, _, ref = text.partition(":")
    return Place(int(score), ref)


def _unchecked(seq: int, as_of: int, behind: bool) -> tuple[Unchecked, ...]:
    if not behind or seq >= as_of:
        return ()
    return (Unchecked(f"events {seq + 1:,} to {as_of:,}", "their words are still being taken; ask again"),)


def _of_run(graph: Graph, run: int, as_of: int) -> set[int]:
    """A run, its activities with all within them, both ends of what these are related to, and what else its
    events report."""
    activities, batch = {run}, [run]
    while batch and len(activities) <= MEMBERS:
        rows = graph.rows(batch, Way.IN, (_PART_OF,), as_of, limit=MEMBERS + 1)
        found = {row.source for row in rows if row.stance and row.role not in _OTHER_RUNS}
        batch = sorted(found - activities)
        activities |= found
    reported = reported_in(graph, as_of, [run], MEMBERS)
    told = (reported.derived, reported.sources, reported.versions)
    return activities.union(_ends(graph, activities, as_of), *(of_runs[run] for of_runs in told))


def _of_agent(graph: Graph, agent: int, as_of: int) -> set[int]:
    """An agent, what it is responsible for, and what was made or derived in the activities among that."""
    rows = graph.rows([agent], Way.IN, _RESPONSIBLE, as_of, limit=MEMBERS + 1)
    did = {row.source for row in rows if row.stance}
    made = graph.rows(sorted(did), Way.IN, _GENERATED, as_of, limit=MEMBERS + 1)
    derived = reported_in(graph, as_of, did, MEMBERS).derived
    return ({agent} | did | {row.source for row in made if row.stance}).union(*derived.values())


_MEMBERS_OF = {"run": _of_run, "agent": _of_agent}
"""What belongs to what a condition names."""


def _ends(graph: Graph, activities: Iterable[int], as_of: int) -> set[int]:
    ids = sorted(activities)
    there = graph.rows(ids, Way.OUT, _ALL, as_of, limit=MEMBERS + 1)
    back = graph.rows(ids, Way.IN, _ALL, as_of, limit=MEMBERS + 1)
    return {row.target for row in there if row.stance} | {row.source for row in back if row.stance}


def _held(
    rows: Sequence[AttributeRow], wanted: Sequence[Wanted], evidence: Sequence[int]
) -> tuple[Held, ...]:
    """The first attributes that hold a word, said with one of these kinds of evidence if any are given."""
    found: dict[tuple[str, str], Held] = {}
    for row in rows if wanted else ():
        known = not evidence or row.evidence in evidence
        if known and is_searched(row.name, row.value) and _holds(row.value, wanted):
            value = row.value if len(row.value) <= LETTERS else f"{row.value[:LETTERS]}…"
            found.setdefault((row.name, value), Held(row.name, value, Evidence(row.evidence).word))
            if len(found) == SHOWN:
                break
    return tuple(found.values())


def _holds(value: str, wanted: Sequence[Wanted]) -> bool:
    words = words_of(value)
    return any(
        want.word in words or (want.prefix and any(word.startswith(want.word) for word in words))
        for want in wanted
    )


def _likeness(name: str, refs: Sequence[str]) -> dict[str, float]:
    """How alike each reference is to a name, from 0 to 1: as a whole, without its version, or by its end."""
    whole = SequenceMatcher(b=_read(name), autojunk=False)
    end = SequenceMatcher(b=_read(names.tail(name)), autojunk=False)
    found = {}
    for ref in refs:
        thing = names.split(ref).thing
        pairs = ((whole, ref), (whole, thing), (end, names.tail(thing)))
        found[ref] = max(_ratio(matcher, _read(text)) for matcher, text in pairs)
    return found


def _read(text: str) -> str:
    """A name as a person reads it: without case and escapes, its letters put together in one way."""
    return normalize("NFC", unquote(text)).lower()


def _ratio(matcher: SequenceMatcher[str], text: str) -> float:
    matcher.set_seq1(text)
    return matcher.ratio()


def sentences(hits: Hits) -> list[str]:
    """What was found, a line a node, and what is missing."""
    told = [_counted(hits)]
    told += [_line(hit) for hit in hits.nodes]
    if hits.cursor:
        told.append(f"The next page is at the cursor {hits.cursor}.")
    told += resolved_told(hits.resolved)
    told += [f"Not searched: {item.what} ({item.why})." for item in hits.unchecked]
    return told


def _counted(hits: Hits) -> str:
    if not hits.total:
        return f"Of what was recorded up to log entry {hits.as_of}, nothing fits."
    some = "" if hits.total == len(hits.nodes) else f", of which {len(hits.nodes):,} are told here"
    return f"{hits.total:,} node{' fits' if hits.total == 1 else 's fit'}{some}."


def _line(hit: Hit) -> str:
    found = "; ".join(
        f"{held.name.removeprefix('clew:')} {held.value!r} ({held.evidence})" for held in hit.found
    )
    kind = hit.type.removeprefix("clew:") or ", ".join(hit.kinds)
    return f"{hit.ref}: {kind}{f'; {found}' if found else ''}."
