"""What is stored of cases: rows in, rows out. Whoever changes a case holds its row until the commit."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from app import tables
from app.cases.forms import Counts, Delta, Found
from app.content import SealedBody
from app.ledger.append import take_head
from app.ledger.bodies import keep_apart
from app.ledger.bodykeys import BodyKeys
from app.ledger.memory import Memory
from app.ledger.store import Session, Store, Tuple

OPEN, ACKNOWLEDGED, CLEARED = 0, 1, 2
NO_EVENT = 0
"""The event of a body that no event brought."""

_CASES = (
    "select c.incident, c.title, c.asked, c.opened, c.opened_by, r.as_of, r.complete from incident c"
    " join incident_run r on r.tenant = c.tenant and r.incident = c.incident"
    " and r.run = (select max(l.run) from incident_run l"
    " where l.tenant = c.tenant and l.incident = c.incident)"
    " where c.tenant = ?"
)
_ITEMS = (
    "select i.item, i.ref, i.found, i.first_run, i.changed_run, i.gone_run, i.state, i.decided_run,"
    " i.decided, i.decided_by from incident_item i where i.tenant = ? and i.incident = ?"
)
# The order of :class:`Counts`.
_COUNTS = (
    "select i.incident, count(*),"
    " sum(case when i.gone_run is null and (i.state = 0 or i.changed_run > i.decided_run) then 1 else 0 end),"
    " sum(case when i.gone_run is null and i.state = 0 then 1 else 0 end),"
    " sum(case when i.gone_run is null and i.state = 1 and i.changed_run <= i.decided_run then 1 else 0 end),"
    " sum(case when i.gone_run is null and i.state = 2 and i.changed_run <= i.decided_run then 1 else 0 end),"
    " sum(case when i.gone_run is not null then 1 else 0 end)"
    " from ints(?) g cross join incident_item i where i.tenant = ? and i.incident = g.value"
    " group by i.incident"
)
_RUNS = (
    "select r.run, r.as_of, r.at, r.actor, r.affected, r.complete, r.missing, r.delta from incident_run r"
    " where r.tenant = ? and r.incident = ? order by r.run"
)
_ACTIONS = (
    "select a.action, a.verb, a.at, a.actor, i.ref, a.body, b.state from incident_action a"
    " left join incident_item i on i.tenant = a.tenant and i.incident = a.incident and i.item = a.item"
    " left join body b on b.tenant = a.tenant and b.body = a.body and b.event = ?"
    " where a.tenant = ? and a.incident = ? order by a.action desc limit ?"
)


class ItemRow(NamedTuple):
    """A row of ``incident_item``."""

    item: int
    ref: str
    found: Found
    first_run: int
    changed_run: int
    gone_run: int | None
    state: int
    decided_run: int | None
    decided: int | None
    decided_by: str | None

    @property
    def changed(self) -> bool:
        """Whether it is affected otherwise than when it was decided."""
        return self.decided_run is not None and self.changed_run > self.decided_run

    @property
    def todo(self) -> bool:
        return self.gone_run is None and (self.state == OPEN or self.changed)


class CaseRow(NamedTuple):
    """A row of ``incident``, with when and how it was asked last."""

    number: int
    title: str
    asked: str
    opened: int
    opened_by: str
    as_of: int
    complete: int


class Asking(NamedTuple):
    """One asking of a case, to be stored."""

    as_of: int
    actor: str
    affected: int
    complete: bool
    missing: tuple[str, ...]
    found: Mapping[str, Found]


_found = msgspec.json.Decoder(Found)


def text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def now() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


# Reading


def cases(store: Store, tenant: int, below: int | None, limit: int) -> list[CaseRow]:
    """Cases with numbers under ``below``, newest first."""
    beyond = "" if below is None else " and c.incident < ?"
    given = (tenant, limit) if below is None else (tenant, below, limit)
    return [CaseRow(*row) for row in store.fetch(f"{_CASES}{beyond} order by c.incident desc limit ?", given)]


def case(store: Store | Session, tenant: int, number: int) -> CaseRow | None:
    found = store.fetch(f"{_CASES} and c.incident = ?", (tenant, number))
    return CaseRow(*found[0]) if found else None


def how_many(store: Store, tenant: int) -> int:
    return int(store.fetch("select count(*) from incident c where c.tenant = ?", (tenant,))[0][0])


def counts(store: Store, tenant: int, numbers: Sequence[int]) -> dict[int, Counts]:
    """What the items of each case amount to."""
    found = store.fetch(_COUNTS, (store.ints(numbers), tenant))
    return {number: Counts(*map(int, row)) for number, *row in found}


def items(store: Store | Session, tenant: int, number: int) -> list[ItemRow]:
    """The items of a case, in the order in which they were found."""
    found = store.fetch(f"{_ITEMS} order by i.item", (tenant, number))
    return [ItemRow(item, ref, _found.decode(how), *rest) for item, ref, how, *rest in found]


def runs(store: Store, tenant: int, number: int) -> list[Tuple]:
    return store.fetch(_RUNS, (tenant, number))


def actions(store: Store, tenant: int, number: int, limit: int) -> tuple[list[Tuple], int]:
    """The last actions, oldest first, and how many there are in all."""
    rows = store.fetch(_ACTIONS, (NO_EVENT, tenant, number, limit))
    return rows[::-1], rows[0][0] if rows else 0


# Writing


def lock(session: Session, tenant: int, number: int) -> bool:
    """Hold a case until the commit; False when there is no such case."""
    statement = "select c.incident from incident c where c.tenant = ? and c.incident = ?"
    return bool(session.fetch(statement + session.store.for_update, (tenant, number)))


def opened(session: Session, name: str, title: str, asked: Mapping[str, Any], actor: str) -> tuple[int, int]:
    """Make a case; its tenant and number. The tenant's head is held, so numbers are without gaps."""
    tenant = take_head(session, name, Memory()).tenant
    last = session.fetch("select coalesce(max(c.incident), 0) from incident c where c.tenant = ?", (tenant,))
    number = int(last[0][0]) + 1
    session.insert(tables.incident, [(tenant, number, title, text(asked), now(), actor)])
    return tenant, number


def run_kept(session: Session, tenant: int, number: int, asking: Asking, differs: Delta) -> int:
    """Store an asking; its number."""
    run = last_run(session, tenant, number) + 1
    row = (
        tenant,
        number,
        run,
        asking.as_of,
        now(),
        asking.actor,
        asking.affected,
        int(asking.complete),
        text(asking.missing),
        text(differs),
    )
    session.insert(tables.incident_run, [row])
    return run


def found_kept(
    session: Session, tenant: int, number: int, run: int, asking: Asking, before: Sequence[ItemRow]
) -> None:
    """Store how items are affected now, which are new and which are gone."""
    known = {row.ref: row for row in before}
    last = max((row.item for row in before), default=0)
    new = [ref for ref in asking.found if ref not in known]
    session.insert(
        tables.incident_item,
        [
            (tenant, number, item, ref, text(asking.found[ref]), run, run, None, OPEN, None, None, None)
            for item, ref in enumerate(new, last + 1)
        ],
    )
    session.many(
        "update incident_item set found = ?, changed_run = ?, gone_run = null"
        " where tenant = ? and incident = ? and item = ?",
        [
            (text(how), run, tenant, number, known[ref].item)
            for ref, how in asking.found.items()
            if ref in known and (known[ref].gone_run is not None or known[ref].found != how)
        ],
    )
    session.many(
        "update incident_item set gone_run = ? where tenant = ? and incident = ? and item = ?",
        [
            (run, tenant, number, row.item)
            for row in before
            if row.gone_run is None and row.ref not in asking.found
        ],
    )


def decided(
    session: Session, tenant: int, number: int, items: Sequence[int], state: int, run: int, actor: str
) -> None:
    """Store what was decided of items, as they are since ``run``."""
    what = (state, None, None, None) if state == OPEN else (state, run, now(), actor)
    session.many(
        "update incident_item set state = ?, decided_run = ?, decided = ?, decided_by = ?"
        " where tenant = ? and incident = ? and item = ?",
        [(*what, tenant, number, item) for item in items],
    )


def last_run(session: Session, tenant: int, number: int) -> int:
    found = session.fetch(
        "select coalesce(max(r.run), 0) from incident_run r where r.tenant = ? and r.incident = ?",
        (tenant, number),
    )
    return int(found[0][0])


def next_action(session: Session, tenant: int, number: int) -> int:
    found = session.fetch(
        "select coalesce(max(a.action), 0) from incident_action a where a.tenant = ? and a.incident = ?",
        (tenant, number),
    )
    return int(found[0][0]) + 1


def acted(
    session: Session,
    tenant: int,
    number: int,
    action: int,
    verb: str,
    items: Sequence[int | None],
    actor: str,
    body: str | None = None,
) -> None:
    """Store what was done, from the number ``action`` on, an entry an item."""
    at = now()
    rows = [(tenant, number, n, verb, item, at, actor, body) for n, item in enumerate(items, action)]
    session.insert(tables.incident_action, rows)


def note_kept(session: Session, tenant: int, keys: BodyKeys, body: SealedBody) -> None:
    """Store a note as a body: whatever erases bodies erases it."""
    keep_apart(session, tenant, keys, body, NO_EVENT)
