"""Rows of a case as its readers see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from app.cases.forms import Counts, Delta, Item, Run, State
from app.cases.records import ACKNOWLEDGED, CLEARED, OPEN, CaseRow, ItemRow
from app.ledger.reports import rfc3339
from app.ledger.store import Tuple
from queries.answer import Target

NONE = Counts(0, 0, 0, 0, 0, 0)
_STATES: dict[int, State] = {OPEN: "open", ACKNOWLEDGED: "acknowledged", CLEARED: "cleared"}


def line(row: CaseRow) -> dict[str, Any]:
    """What a list tells of a case, but for its counts."""
    return {
        "case": row.number,
        "title": row.title,
        "targets": tuple(msgspec.json.decode(row.asked)["target"]),
        "opened": rfc3339(row.opened),
        "opened_by": row.opened_by,
        "as_of": row.as_of,
        "complete": bool(row.complete),
    }


def asked_of(row: CaseRow) -> dict[str, Any]:
    """What is asked for a case."""
    asked: dict[str, Any] = msgspec.json.decode(row.asked)
    asked.pop("resolved", None)
    return asked


def resolved_of(row: CaseRow) -> list[Target]:
    """What names were taken for when it was opened, where they are not those of the very things."""
    return msgspec.convert(msgspec.json.decode(row.asked).get("resolved", ()), list[Target])


def fits(row: ItemRow, state: str) -> bool:
    """Whether an item is in a state that is asked for."""
    if state in ("", "todo"):
        return row.todo or not state
    if state == "gone" or row.gone_run is not None:
        return state == "gone" and row.gone_run is not None
    return _STATES[row.state] == state and not (row.changed and row.todo)


def told(row: ItemRow, runs: Sequence[Run]) -> Item:
    """An item; why it is gone says the run that no longer found it."""
    gone = [run.delta.why.get(row.ref, "") for run in runs if run.run == row.gone_run]
    return Item(
        ref=row.ref,
        found=row.found,
        state=_STATES[row.state],
        changed=row.changed,
        gone=row.gone_run is not None,
        first_run=row.first_run,
        decided="" if row.decided is None else rfc3339(row.decided),
        decided_by=row.decided_by or "",
        why=gone[0] if gone else "",
    )


def run_told(row: Tuple) -> Run:
    run, as_of, at, actor, affected, complete, missing, delta = row
    return Run(
        run=run,
        as_of=as_of,
        at=rfc3339(at),
        by=actor,
        affected=affected,
        complete=bool(complete),
        missing=tuple(msgspec.json.decode(missing, type=list[str])),
        delta=msgspec.json.decode(delta, type=Delta),
    )
