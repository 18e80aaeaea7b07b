"""The verbs of cases: open, list, show, decide, ask again."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from app.access import asked_about, record
from app.bodies import Bodies, Gone
from app.cases import records
from app.cases.delta import delta, worked_on
from app.cases.forms import (
    Action,
    Case,
    CaseList,
    Deciding,
    Delta,
    Found,
    Line,
    Listing,
    Opening,
    Rerunning,
    Run,
    Showing,
)
from app.cases.leaving import set_aside, why_left
from app.cases.records import ACKNOWLEDGED, CLEARED, OPEN, Asking, CaseRow, ItemRow
from app.cases.rows import NONE, asked_of, fits, line, resolved_of, run_told, told
from app.cases.seeing import action_seen, item_seen, run_seen, target_seen
from app.content import Vault
from app.credentials.identity import actor as acting
from app.ledger import Ledger
from app.ledger.reports import rfc3339
from app.ledger.store import Session, Tuple
from app.paging import Sheet, open_sheet
from provmodel import names
from provmodel.errors import Ambiguous, BadQuestion, ClewError, NotFound
from provmodel.events import Retracted
from queries.answer import Answer, Graphed, Target
from queries.hiding import Hiding
from queries.limits import as_one
from queries.questions.impact_of import Affected, Impact
from queries.restricted import hiding_of
from queries.targets import choose
from queries.telling import NOTHING_MISSING, deleted_told, missing_told, withdrawn_told

Ask = Callable[[Mapping[str, Any]], Answer[Impact]]
"""Asks ``impact-of`` with a face's words."""

NOTE = "note"
"""The class of a note's body."""

PAGES = 200  # of one answer: a hub among the targets is answered a thousand neighbours a page
NODES = 1_000_000  # of one page
ACTIONS = 100  # that are shown
NEAR = 8
_DECIDED = {"ack": ACKNOWLEDGED, "clear": CLEARED, "reopen": OPEN}


class NoCase(ClewError):
    """The reader must act: there is no case of that number. ``last`` is the newest there is."""

    def __init__(self, number: int, last: int) -> None:
        there = f"there are cases 1 to {last}" if last else "no case was opened yet"
        super().__init__(f"there is no case {number}; {there}")


class _Answered(NamedTuple):
    """All pages of an answer: what is affected, and what is missing."""

    resolved: tuple[Target, ...]
    as_of: int
    affected: list[Affected]
    aside: dict[str, str]
    complete: bool
    missing: tuple[str, ...]

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(target.ref for target in self.resolved)


class Cases:
    """The cases of one tenant. Any number of threads may use it at once."""

    def __init__(self, ledger: Ledger, vault: Vault, tenant: str, ask: Ask) -> None:
        self._store = ledger.store.of(tenant)
        self._keys = ledger.keys
        self._graph = self._whole = ledger.graph(tenant)
        self._vault = vault
        self._name = tenant
        self._bodies = Bodies(ledger, vault, tenant)
        self._ask = ask
        self._readers_ask: Ask | None = None

    def seen_in(self, ledger: Ledger, ask: Ask) -> Cases:
        """The cases for readers who see no more than the graph of this ledger, of which ``ask`` asks. What
        they open is about all that is affected.
        """
        seen = copy.copy(self)
        seen._graph, seen._readers_ask = ledger.graph(self._name), ask
        return seen

    # The verbs

    def open(self, opening: Opening, actor: str) -> Case:
        """Ask what is affected, and make a case of it. Raises BadQuestion, NotFound or Ambiguous."""
        targets = [*opening.target, *self._retracted(opening.retraction)]
        asked = {
            "target": targets,
            "evidence": list(opening.evidence),
            "expand": list(opening.expand),
            "include_refuted": opening.include_refuted,
        }
        self._check({**asked, "as_of": opening.as_of})
        answered = self._answered({**asked, "as_of": opening.as_of})
        asked["target"] = list(answered.targets)  # a thing would be another version tomorrow
        principal, actor = actor, acting(opening.by, actor)
        title = opening.title or f"What came of {', '.join(_named(answered.resolved))}"
        asked["resolved"] = [one for one in answered.resolved if one.found != "exact"]
        with self._store.writing() as session:
            tenant, number = records.opened(session, self._name, title, asked, actor)
            record(session, tenant, principal, asked_about(answered.targets, f"case {number}"))
            self._keep(session, tenant, number, answered, actor, (), {})
            records.acted(session, tenant, number, 1, "open", [None], actor)
        return self.show(number, Showing())

    def rerun(self, number: int, again: Rerunning, actor: str) -> Run:
        """Ask once more; the run says how the answer differs from the one before. What was decided stays
        decided; an item that is affected otherwise since is to be seen to again.
        """
        asked = asked_of(self._case(number))
        answered = self._answered({**asked, "as_of": again.as_of})
        principal, actor = actor, acting(again.by, actor)
        with self._store.writing() as session:
            tenant = self._held(session, number)
            record(session, tenant, principal, asked_about(answered.targets, f"case {number}"))
            last = records.case(session, tenant, number)
            if last and answered.as_of < last.as_of:
                reason = f"the case was last asked as of {last.as_of}"
                raise BadQuestion("as_of", reason, "give that seq or a later one")
            rows = records.items(session, tenant, number)
            why = self._why(rows, answered, asked, last.as_of) if last else {}
            self._keep(session, tenant, number, answered, actor, rows, why)
            action = records.next_action(session, tenant, number)
            records.acted(session, tenant, number, action, "rerun", [None], actor)
        return run_seen(run_told(records.runs(self._store, tenant, number)[-1]), hiding_of(self._graph))

    def decide(self, number: int, deciding: Deciding, actor: str) -> Case:
        """Acknowledge, clear, reopen or note items; raises BadQuestion, NotFound or Ambiguous, and nothing is
        changed then.
        """
        self._case(number)
        actor = acting(deciding.by, actor)
        with self._store.writing() as session:
            tenant = self._held(session, number)
            hiding = hiding_of(self._graph)
            rows = [row for row in records.items(session, tenant, number) if not hiding.hides(row.ref)]
            chosen = _chosen(rows, deciding)
            action = records.next_action(session, tenant, number)
            body = None
            if deciding.note:
                sealed = self._vault.seal_text(self._name, f"note:{number}/{action}", NOTE, deciding.note)
                records.note_kept(session, tenant, self._keys, sealed)
                body = sealed.id
            if deciding.verb != "note":
                run = records.last_run(session, tenant, number)
                records.decided(session, tenant, number, chosen, _DECIDED[deciding.verb], run, actor)
            records.acted(session, tenant, number, action, deciding.verb, chosen or [None], actor, body)
        return self.show(number, Showing())

    def listed(self, listing: Listing) -> CaseList:
        """Cases, newest first."""
        tenant = self._store.tenant
        sheet = self._sheet("cases", listing.cursor, {})
        below = int(sheet.place) if sheet.place else None
        rows, hidden = self._cases(tenant, below, listing.limit + 1)
        page = rows[: listing.limit]
        counts = records.counts(self._store, tenant, [row.number for row in page])
        return CaseList(
            total=records.how_many(self._store, tenant) - hidden,
            cases=[Line(**self._line(row), counts=counts.get(row.number, NONE)) for row in page],
            cursor=sheet.cursor(str(page[-1].number)) if len(rows) > len(page) else "",
        )

    def show(self, number: int, showing: Showing) -> Case:
        """A case with a page of its items."""
        row = self._case(number)
        tenant = self._store.tenant
        sheet = self._sheet("case", showing.cursor, {"case": number, "state": showing.state})
        hiding = hiding_of(self._graph)
        every = records.items(self._store, tenant, number)
        seen = [item for item in every if not hiding.hides(item.ref)]
        rows = [item for item in seen if fits(item, showing.state)]
        rest = [item for item in rows if item.item > int(sheet.place or 0)]
        page = rest[: showing.limit]
        actions, count = records.actions(self._store, tenant, number, ACTIONS)
        runs = [run_told(run) for run in records.runs(self._store, tenant, number)]
        return Case(
            **self._line(row),
            counts=records.counts(self._store, tenant, [number]).get(number, NONE),
            asked=asked_of(row),
            resolved=[target_seen(one, hiding) for one in resolved_of(row)],
            total=len(rows),
            items=[item_seen(told(item, runs), hiding) for item in page],
            runs=[run_seen(run, hiding) for run in runs],
            actions=[action_seen(self._action(action), hiding) for action in actions],
            action_count=count,
            cursor=sheet.cursor(str(page[-1].item)) if len(rest) > len(page) else "",
            hidden=len(every) - len(seen),
        )

    def _line(self, row: CaseRow) -> dict[str, Any]:
        """What a list tells of a case; its title may name more than its targets."""
        found = line(row)
        return found | {"title": hiding_of(self._graph).told(found["title"])}

    def _cases(self, tenant: int, below: int | None, limit: int) -> tuple[list[CaseRow], int]:
        """The next cases that the reader may see, and how many there are that he may not: for him there is no
        case about what is hidden from him.
        """
        hiding = hiding_of(self._graph)
        if not hiding:
            return records.cases(self._store, tenant, below, limit), 0
        every = records.cases(self._store, tenant, None, records.how_many(self._store, tenant))
        seen = [row for row in every if not _is_hidden(row, hiding)]
        return [row for row in seen if below is None or row.number < below][:limit], len(every) - len(seen)

    # What is asked

    def _check(self, asked: Mapping[str, Any]) -> None:
        """Raise what the question would when it is a reader's who may not see all: his targets must be there
        for him, and he expands what he sees.
        """
        if self._readers_ask is None:
            return
        hiding = hiding_of(self._graph)
        graph = self._readers_ask({**_given(asked), "max_nodes": 1}).graph
        named = [target.asked for target in graph.targets if hiding.real(target.ref)]
        named += [ref for ref in asked["expand"] if hiding.hides(ref) or hiding.real(ref)]
        for ref in named:
            raise NotFound(ref)

    def _retracted(self, retractions: Sequence[str]) -> list[str]:
        """The names of these, once it is known that they are retractions that stand."""
        head = self._graph.head()
        for ref in retractions:
            [chosen] = choose(self._graph, [ref.removesuffix(";notice")], head, "retraction")
            events = [report.event for report in self._graph.reports([chosen.id], head).get(chosen.id, ())]
            told = [event for event in events if isinstance(event, Retracted)]
            if not told:
                raise BadQuestion("retraction", f"{chosen.ref} is no retraction", "give it as target")
            if told[0].withdraws:
                reason = f"{chosen.ref} takes the retraction {told[0].withdraws} back"
                raise BadQuestion("retraction", reason, "give one that stands")
        return list(retractions)

    def _answered(self, asked: Mapping[str, Any]) -> _Answered:
        """Every page of the answer."""
        given = _given(asked)
        pages = [self._ask({**given, "max_nodes": NODES}).graph]
        while pages[-1].cursor and len(pages) < PAGES:
            more = {"as_of": pages[0].as_of, "cursor": pages[-1].cursor}
            pages.append(self._ask({**given, "max_nodes": NODES, **more}).graph)
        parts = as_one(pages)
        complete = not any(part.truncated or part.gaps or part.unchecked for part in parts)
        missing = dict.fromkeys(line for part in parts for line in _told(part))
        return _Answered(
            resolved=pages[0].targets,
            as_of=pages[0].as_of,
            affected=[entry for page in pages for entry in page.affected],
            aside=set_aside(pages),
            complete=complete,
            missing=tuple(line for line in missing if complete or line != NOTHING_MISSING),
        )

    def _why(
        self, rows: Sequence[ItemRow], answered: _Answered, asked: Mapping[str, Any], then: int
    ) -> dict[str, str]:
        """Why the items went that the answer does not have any more."""
        found = worked_on(answered.affected)
        gone = {ref: how for ref, how in _there(rows).items() if ref not in found}
        return why_left(self._whole, gone, answered.aside, asked, then, answered.as_of)

    # What is stored

    def _keep(
        self,
        session: Session,
        tenant: int,
        number: int,
        answered: _Answered,
        actor: str,
        before: Sequence[ItemRow],
        why: Mapping[str, str],
    ) -> None:
        found = worked_on(answered.affected)
        there = _there(before)
        differs = delta(there, found, why) if before else Delta()
        asking = Asking(
            answered.as_of, actor, len(answered.affected), answered.complete, answered.missing, found
        )
        run = records.run_kept(session, tenant, number, asking, differs)
        records.found_kept(session, tenant, number, run, asking, before)

    def _held(self, session: Session, number: int) -> int:
        tenant = self._store.tenant
        records.lock(session, tenant, number)
        return tenant

    def _case(self, number: int) -> CaseRow:
        tenant = self._store.tenant
        row = records.case(self._store, tenant, number)
        if row is None or _is_hidden(row, hiding_of(self._graph)):
            raise NoCase(number, records.how_many(self._store, tenant))
        return row

    def _sheet(self, name: str, cursor: str, filters: Mapping[str, object]) -> Sheet:
        return open_sheet(self._graph, name, "", cursor, filters)

    # What is told

    def _action(self, row: Tuple) -> Action:
        action, verb, at, actor, ref, body, state = row
        note = self._note(body) if body and state in ("present", "partial") else ""
        return Action(
            action=action,
            verb=verb,
            at=rfc3339(at),
            by=actor,
            ref=ref or "",
            note=note,
            note_state="" if body is None else state or "deleted",
            body=body or "",
        )

    def _note(self, body: str) -> str:
        try:
            return self._bodies.open(body).content.decode()
        except Gone:  # since its state was read
            return ""


def _is_hidden(row: CaseRow, hiding: Hiding) -> bool:
    """Whether a case is about what is hidden."""
    return bool(hiding) and any(map(hiding.hides, line(row)["targets"]))


def _told(part: Graphed) -> Iterator[str]:
    """What of an answer is said beside its items."""
    yield from withdrawn_told(part)
    yield from deleted_told(part)
    yield from missing_told(part)


def _given(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What is given of what could be."""
    return {name: value for name, value in asked.items() if value not in ("", [], False)}


def _there(rows: Sequence[ItemRow]) -> dict[str, Found]:
    """The items that are affected, and how."""
    return {row.ref: row.found for row in rows if row.gone_run is None}


def _named(targets: Sequence[Target]) -> list[str]:
    """The targets as they were named, but what a record is about by its own name."""
    return list(dict.fromkeys(one.ref if one.record else one.asked for one in targets))


def _chosen(rows: Sequence[ItemRow], deciding: Deciding) -> list[int]:
    """The items that are meant; none is the whole case, which can only be noted."""
    if deciding.all and deciding.ref:
        raise BadQuestion("ref", "given beside all", "give one of them")
    if deciding.all:
        return [row.item for row in rows if row.todo]
    if not deciding.ref and deciding.verb != "note":
        raise BadQuestion("ref", "an item is needed", "name items of the case, or say all")
    if deciding.verb == "note" and not deciding.note:
        raise BadQuestion("note", "there is nothing to note", "give a text")
    return list(dict.fromkeys(_item(rows, ref) for ref in deciding.ref))


def _item(rows: Sequence[ItemRow], ref: str) -> int:
    exact = [row for row in rows if row.ref == ref]
    ending = exact or [row for row in rows if ref and _ends(row.ref, ref)]
    if not ending:
        raise NotFound(ref, tuple(row.ref for row in rows[:NEAR]))
    if len(ending) > 1:
        raise Ambiguous(ref, tuple(row.ref for row in ending[:NEAR]), "ref")
    return ending[0].item


def _ends(whole: str, ref: str) -> bool:
    return whole.endswith(ref) or names.split(whole).thing.endswith(ref)
