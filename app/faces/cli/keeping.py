"""What ``clew retention`` and ``clew content`` do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from app import settings
from app.content.rotation import rotate
from app.faces.cli.opening import opened
from app.faces.cli.terminal import console, print_json, progress, table
from app.faces.prose import shown
from app.ledger import Ledger
from app.ledger.reports import rfc3339
from app.ledger.retaining import FIELDS, Policy
from app.main import open_service
from app.retention import Deleted, Request
from app.service import Service
from app.service.previewing import preview as look
from provmodel.errors import BadQuestion, Refused
from provmodel.times import check, nanoseconds

_LENGTH = re.compile(r"(\d{1,9})([smhdwy])\Z")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400, "y": 365 * 86400}


def put(policy: str, what: str, keep: str, by: str, db: str | None, json: bool) -> None:
    made = read_policy(policy, what, keep, by)
    with opened(db) as service:
        service.retention.put(made)
    _said(json, {"policy": policy}, f"{shown(policy)} is in force.")


def read_policy(policy: str, what: str, keep: str, by: str) -> Policy:
    """A policy in a person's words; raises BadQuestion."""
    field, _, value = what.partition("=")
    if field not in FIELDS:
        raise BadQuestion(
            "WHAT", f"it is {what!r}", f"give all, or one of {', '.join(FIELDS[:-1])} as field=value"
        )
    way, amount = _keep(keep)
    return Policy(policy=policy, field=field, value=value, keep=way, amount=amount, actor=by)


def _keep(keep: str) -> tuple[Any, int | None]:
    if keep in ("always", "never"):
        return keep, None
    length = _LENGTH.match(keep)
    if length:
        return "for", int(length[1]) * _SECONDS[length[2]]
    if keep.startswith("until="):
        time = keep.removeprefix("until=")
        try:
            check(time)
        except Refused as error:
            raise BadQuestion(
                "KEEP", error.reason, "give until= and a time such as 2027-01-01T00:00:00Z"
            ) from None
        return "until", nanoseconds(time) // 1000
    raise BadQuestion("KEEP", f"it is {keep!r}", "give 90d, 12h or 30m; until=TIME; always; or never")


def end(policy: str, by: str, db: str | None, json: bool) -> None:
    with opened(db) as service:
        service.retention.end(policy, by)
    _said(json, {"policy": policy}, f"{shown(policy)} has ended.")


def policies(db: str | None, json: bool) -> None:
    with opened(db) as service:
        found = service.retention.policies()
    if json:
        print_json({"policies": found})
        return
    rows = [(one.policy, _what(one), _told(one), one.actor) for one in found]
    console().print(table("Policies in force", ("policy", "bodies", "kept", "by"), rows))


def _what(policy: Policy) -> str:
    return policy.field if policy.field == "all" else f"{policy.field} {policy.value}"


def _told(policy: Policy) -> str:
    match policy.keep:
        case "for":
            return f"for {policy.amount or 0:,} seconds"
        case "until":
            return f"until {rfc3339(policy.amount or 0)}"
        case "always":
            return "always"
        case "never":
            return "not at all"


def hold(name: str, target: str, reason: str, by: str, db: str | None, json: bool) -> None:
    with opened(db) as service:
        service.retention.place_hold(name, target, reason, by)
    _said(json, {"hold": name}, f"{shown(target)} is held by {shown(name)}.")


def lift(name: str, by: str, db: str | None, json: bool) -> None:
    with opened(db) as service:
        service.retention.lift_hold(name, by)
    _said(json, {"hold": name}, f"{shown(name)} is lifted.")


def holds(lifted: bool, db: str | None, json: bool) -> None:
    with opened(db) as service:
        found = service.retention.holds(lifted)
    if json:
        print_json({"holds": found})
        return
    rows = [
        (h.hold, h.target, h.reason, f"{h.placed} {h.placed_by}", f"{h.lifted} {h.lifted_by}") for h in found
    ]
    console().print(table("Holds", ("hold", "target", "reason", "placed", "lifted"), rows))


def preview(db: str | None, json: bool) -> None:
    with opened(db) as service:
        found = look(service)
    if json:
        print_json(found)
        return
    screen = console()
    rows = [(due.policy, due.cls, f"{due.bodies:,}", f"{due.bytes:,}") for due in found.due]
    screen.print(table("What would be deleted now", ("policy", "class", "bodies", "bytes"), rows))
    screen.print(f"Kept by a hold although their time is up: {found.held:,}.")
    _list("References that would lose their content", found.inputs)
    _list("What came from them and could no longer be re-checked", found.reports)
    for one in found.unchecked:
        screen.print(f"Not looked at: {shown(one.what)}; {shown(one.why)}.")


def _list(title: str, refs: list[str]) -> None:
    console().print(f"{title}: {len(refs):,}" + ("" if refs else "."))
    for ref in refs:
        console().print(f"  {shown(ref)}")


def sweep(db: str | None, json: bool) -> None:
    with opened(db) as service, progress() as bar:
        task = bar.add_task("deleting", total=None)
        done = service.retention.sweep(lambda count, _: bar.update(task, completed=count))
    if json:
        print_json(done)
        return
    screen = console()
    for policy, count in sorted(done.deleted.items()):
        screen.print(f"Deleted under {shown(policy)}: {count:,}.")
    if not done.deleted:
        screen.print("Nothing was due.")
    if done.held:
        screen.print(f"Kept by a hold although their time is up: {done.held:,}.")
    if done.finished:
        screen.print(f"Brought to its end what was begun before: {done.finished:,}.")


def delete(ref: str, why: str, reason: str, by: str, db: str | None, json: bool) -> None:
    request = Request(actor=by, reason_class=why, reason=reason)
    _deleted(db, json, lambda service: service.forget(ref, request))


def erase_person(ref: str, reason: str, by: str, db: str | None, json: bool) -> None:
    request = Request(actor=by, reason_class="subject_request", reason=reason)
    _deleted(db, json, lambda service: service.retention.person(ref, request))


def _deleted(db: str | None, json: bool, act: Callable[[Service], list[Deleted]]) -> None:
    with opened(db) as service:
        done = act(service)
        backups = [copy.told() for copy in service.ledger.backups()]
    if json:
        print_json({"deleted": done, "backups": backups})
        return
    screen = console()
    for one in done:
        screen.print(f"{shown(one.body)} is {one.state}: gone from {', '.join(one.places)}.")
    if not done:
        screen.print("There was nothing to delete.")
    for copy in backups:
        screen.print(f"A backup still holds it: {shown(copy)}.")


def rotate_keys(db: str | None, json: bool) -> None:
    told = settings.read(db)
    service = open_service(told, create=False)
    try:
        with progress() as bar:
            task = bar.add_task("wrapping", total=None)
            count = _rotated(service.ledger, told.key_file, lambda done: bar.update(task, completed=done))
    finally:
        service.close()
    _said(json, {"keys": count}, f"{count:,} keys were wrapped anew; what wrapped them before is gone.")


def _rotated(ledger: Ledger, key_file: Any, step: Callable[[int], None]) -> int:
    fingerprint = ledger.key_fingerprint()
    return rotate(key_file, fingerprint or "", ledger.wrapped_keys(), step)


def _said(json: bool, told: dict[str, Any], text: str) -> None:
    if json:
        print_json(told)
    else:
        console().print(text)
