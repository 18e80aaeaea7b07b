"""What retention did, would do and keeps, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.keeping.forms import DeletionList, Forgotten, HoldList, PolicyList
from app.keeping.previewing import Due, Preview
from app.keeping.words import told
from app.retention import Hold, Swept
from provmodel.records import Tombstone
from provmodel.times import to_the_second
from queries.telling import counted, listed


def policies_told(found: PolicyList) -> list[str]:
    if not found.policies:
        return ["No policy is in force: content is kept until someone deletes it."]
    return [
        f"{one.policy}: {one.bodies} {'is' if one.bodies == 'all' else 'are'} kept {told(one.keep)},"
        f" by {one.by} since {to_the_second(one.since)}."
        for one in found.policies
    ]


def holds_told(found: HoldList) -> list[str]:
    return [*(_hold(one) for one in found.holds), *unknown_told(found)] or ["Nothing is held."]


def unknown_told(found: HoldList) -> list[str]:
    """Which holds hold nothing that is there."""
    targets = {one.hold: one.target for one in found.holds}
    return [
        f"Nothing is recorded under the name {targets[hold]}: {hold} holds what comes later."
        for hold in found.unknown
    ]


def _hold(one: Hold) -> str:
    placed = f"by {one.placed_by} on {to_the_second(one.placed)}"
    lifted = f"; lifted by {one.lifted_by} on {to_the_second(one.lifted)}" if one.lifted else ""
    return f"{one.hold} holds {one.target}: {one.reason} ({placed}{lifted})."


def preview_told(found: Preview) -> list[str]:
    """What would go, what stays all the same, and what could then no longer be checked."""
    lines = [_due(one) for one in found.due] or ["Nothing would be deleted now."]
    if found.held:
        lines.append(f"Kept by a hold although it would go: {counted(found.held, 'body', 'bodies')}.")
    if found.inputs:
        lines.append(f"These would lose their content: {listed(found.inputs)}.")
    if found.names:
        lines.append(f"These would lose the name that they are known by: {listed(found.names)}.")
    lines += [f"{one.ref} could no longer be re-checked: it came from {one.input}." for one in found.reports]
    if found.inputs and not found.reports:
        lines.append("Nothing that is still there came from them.")
    lines += [f"A backup would still hold it: {copy}." for copy in found.backups]
    return [*lines, *(f"Not looked at: {one.what} ({one.why})." for one in found.unchecked)]


def _due(one: Due) -> str:
    under = f" under {one.policy}" if one.policy else ""
    bodies = counted(one.bodies, "body", "bodies")
    return f"{bodies} of class {one.cls}, {counted(one.bytes, 'byte')}, would go{under}."


def swept_told(done: Swept) -> list[str]:
    lines = [f"Deleted under {policy}: {count:,}." for policy, count in sorted(done.deleted.items())]
    lines = lines or ["Nothing was due."]
    if done.accesses:
        lines.append(f"Entries of the record of access that went: {done.accesses:,}.")
    if done.held:
        lines.append(f"Kept by a hold although their time is up: {done.held:,}.")
    if done.finished:
        lines.append(f"Brought to its end what was begun before: {done.finished:,}.")
    return lines


def forgotten_told(done: Forgotten) -> list[str]:
    lines = [f"{one.body} is {_state(one.state)}: gone from {listed(one.places)}." for one in done.deleted]
    lines = lines or ["There was nothing to delete."]
    return [*lines, *(f"A backup still holds it: {copy}." for copy in done.backups)]


def _state(state: str) -> str:
    return "deleted" if state == "done" else state


def deletions_told(found: DeletionList) -> list[str]:
    if not found.total:
        return ["No such deletion is recorded."]
    some = "" if found.total == len(found.deletions) else f", of which {len(found.deletions):,} are told here"
    lines = [f"{counted(found.total, 'deletion')}{some}.", *map(_deletion, found.deletions)]
    return [*lines, f"The next page is at the cursor {found.cursor}."] if found.cursor else lines


def _deletion(one: Tombstone) -> str:
    return f"{one.body}: {', '.join(_parts(one))}."


def _parts(one: Tombstone) -> Iterator[str]:
    yield f"asked for on {to_the_second(one.requested)}"
    yield f"done on {to_the_second(one.done)}" if one.done else "not done yet"
    yield from (f"{word} {said}" for word, said in (("by", one.actor), ("under", one.policy)) if said)
    if one.reason_class:
        yield one.reason_class
    if one.done and one.places:
        yield f"gone from {_spoken(one.places)}"
    yield from (f"still in the backup {copy}" for copy in one.backups)


def _spoken(places: Sequence[str]) -> str:
    return " and ".join(places)
