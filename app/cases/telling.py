"""Cases in sentences: what is to be seen to, with how well it is known, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping

from app.cases.forms import Action, Case, CaseList, Delta, Item, Line, Run
from queries.telling import counted, listed, resolved_told

_VERBS = {
    "open": "opened the case",
    "rerun": "asked again",
    "ack": "acknowledged",
    "clear": "cleared",
    "reopen": "reopened",
    "note": "noted",
}


def list_told(cases: CaseList) -> list[str]:
    """A line a case."""
    if not cases.total:
        return ["No case was opened yet."]
    told = [f"{counted(cases.total, 'case')}."]
    told += [f"{_headed(line)} {_state(line)}" for line in cases.cases]
    return told + _next(cases.cursor)


def case_told(case: Case) -> list[str]:
    """The case, its items, what was done, and what is missing of the answer that it rests on."""
    last = case.runs[-1]
    opened = f"Opened by {case.opened_by} on {case.opened[:10]}"
    asked = f"asked {counted(last.run, 'time')}, last as of log entry {case.as_of}"
    several = len(case.targets) > 1
    return [
        f"{_headed(case)} {opened}; {asked}.",
        *resolved_told(case.resolved),
        _state(case),
        *(_item(item, several) for item in case.items),
        *_next(case.cursor),
        *(delta_told(last.delta) if last.run > 1 else ()),
        *(_action(action) for action in case.actions if action.note_state),
        *last.missing,
    ]


def run_told(run: Run) -> list[str]:
    """How an asking differs from the one before, and what its answer lacks."""
    return [f"Asked as of log entry {run.as_of}.", *delta_told(run.delta), *run.missing]


def delta_told(delta: Delta) -> list[str]:
    """What differs from the answer before."""
    told = []
    if delta.new:
        told.append(f"New since the time before: {listed(delta.new)}.")
    if delta.gone:
        told.append(f"No longer affected: {listed([_left(ref, delta.why) for ref in delta.gone])}.")
    told += [
        f"{each.ref} is affected otherwise: its {', '.join(each.fields)} changed." for each in delta.changed
    ]
    return told or ["Nothing differs from the time before."]


def _left(ref: str, why: Mapping[str, str]) -> str:
    return f"{ref} ({why[ref]})" if ref in why else ref


def _headed(line: Line) -> str:
    return f"Case {line.case}: {line.title.rstrip('.')}."


def _state(line: Line) -> str:
    counts = line.counts
    if not counts.items:
        return "No report and no write is affected."
    words = {
        "acknowledged": counts.acknowledged,
        "cleared": counts.cleared,
        "no longer affected": counts.gone,
    }
    rest = "".join(f", {count:,} {word}" for word, count in words.items() if count)
    items = counted(counts.items, "report or write", "reports and writes")
    again = counts.todo - counts.open
    changed = f" ({again:,} of them decided, and changed since)" if again else ""
    return f"{items}: {counts.todo:,} to be seen to{changed}{rest}."


def _item(item: Item, several: bool) -> str:
    found = item.found
    told = [f"{item.state} by {item.decided_by}"] if item.decided_by else []
    told += ["changed since"] if item.changed and not item.gone else []
    told = told or ([] if item.gone else ["to be seen to"])
    told += [f"no longer affected ({item.why})" if item.why else "no longer affected"] if item.gone else []
    standing = f", {found.standing}" if found.standing else ""
    way = [" and ".join(found.links), found.evidence, counted(found.steps, "step")]
    source = f" from {found.nearest}" if several else ""
    then = "when last affected, " if item.gone else ""
    return f"{item.ref} ({then}{found.kind}{standing}): {', '.join(told)}; {', '.join(way)}{source}."


def _action(action: Action) -> str:
    what = f"{_VERBS[action.verb]} {action.ref}".rstrip()
    said = f': "{action.note}"' if action.note else f"; the note is {action.note_state}"
    return f"{action.at[:16]}Z, {action.by} {what}{said}."


def _next(cursor: str) -> list[str]:
    return [f"The next page is at the cursor {cursor}."] if cursor else []
