"""What ``clew retention`` and ``clew content`` do: here or on a server, as a table, as text or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from app import settings
from app.content.rotation import rotate
from app.faces.cli.acting import How
from app.faces.cli.remote import Server
from app.faces.cli.terminal import REFERENCE, console, print_json, print_lines, progress, table
from app.keeping.forms import (
    Deleting,
    DeletionList,
    Ending,
    Erasing,
    Forgotten,
    Holding,
    HoldList,
    Lifting,
    Listing,
    Looking,
    Placing,
    PolicyList,
    Putting,
)
from app.keeping.previewing import Preview
from app.keeping.telling import (
    deletions_told,
    forgotten_told,
    holds_told,
    policies_told,
    preview_told,
    swept_told,
    unknown_told,
)
from app.keeping.words import told
from app.keeping.work import Keeping
from app.ledger import Ledger
from app.main import open_service
from app.retention import Swept
from queries.question import read_params

T = TypeVar("T")
Given = Mapping[str, Any]
_JSON = "application/json"
_PATH = "/v1/retention/"


def _post(path: str, form: msgspec.Struct) -> Callable[[Server], bytes]:
    return lambda server: server.post(_PATH + path, msgspec.json.encode(form), _JSON)


def _get(path: str, given: Given) -> Callable[[Server], bytes]:
    return lambda server: server.get(_PATH + path, given)


def _delete(path: str, given: Given) -> Callable[[Server], bytes]:
    return lambda server: server.send("DELETE", _PATH + path, b"", "", given)


def policies(how: How) -> None:
    found = how.act(PolicyList, lambda service: Keeping(service).policies(), _get("policies", {}))
    how.tell(found, policies_told(found), _show_policies)


def put(given: Given, how: How) -> None:
    form = read_params(Putting, how.said(given))
    found = how.act(PolicyList, lambda service: Keeping(service).put(form), _post("policies", form))
    how.tell(found, policies_told(found), _show_policies)


def end(given: Given, how: How) -> None:
    form = read_params(Ending, how.said(given))
    found = how.act(PolicyList, lambda service: Keeping(service).end(form), _delete("policies", given))
    how.tell(found, policies_told(found), _show_policies)


def _show_policies(found: PolicyList) -> None:
    rows = [(one.policy, one.bodies, told(one.keep), one.by) for one in found.policies]
    _show_table(rows, ("policy", "bodies", "kept", "by"), "Policies in force", policies_told(found))


def holds(given: Given, how: How) -> None:
    form = read_params(Holding, given)
    found = how.act(HoldList, lambda service: Keeping(service).holds(form), _get("holds", given))
    how.tell(found, holds_told(found), _show_holds)


def hold(given: Given, how: How) -> None:
    form = read_params(Placing, how.said(given))
    found = how.act(HoldList, lambda service: Keeping(service).place(form), _post("holds", form))
    how.tell(found, holds_told(found), _show_holds)


def lift(given: Given, how: How) -> None:
    form = read_params(Lifting, how.said(given))
    found = how.act(HoldList, lambda service: Keeping(service).lift(form), _delete("holds", given))
    how.tell(found, holds_told(found), _show_holds)


def _show_holds(found: HoldList) -> None:
    rows = [
        (h.hold, h.target, h.reason, f"{h.placed} {h.placed_by}", f"{h.lifted} {h.lifted_by}".strip())
        for h in found.holds
    ]
    _show_table(rows, ("hold", REFERENCE, "reason", "placed", "lifted"), "Holds", holds_told(found))
    print_lines(unknown_told(found) if rows else [])


def _show_table(
    rows: Sequence[Sequence[str]], columns: Sequence[str], title: str, otherwise: Sequence[str]
) -> None:
    """The table, or what is said when it would be empty."""
    if rows:
        console().print(table(title, columns, rows))
    else:
        print_lines(otherwise)


def preview(given: Given, how: How) -> None:
    form = read_params(Looking, given)
    found = how.act(Preview, lambda service: Keeping(service).preview(form), _get("preview", given))
    how.tell(found, preview_told(found), _show_preview)


def _show_preview(found: Preview) -> None:
    """What would go and what it would leave unprovable, each whole."""
    if found.due:
        rows = [
            (one.policy or "on request", one.cls, f"{one.bodies:,}", f"{one.bytes:,}") for one in found.due
        ]
        console().print(table("What would be deleted now", ("policy", "class", "bodies", "bytes"), rows))
        console().print()
    for title, refs in (
        ("Would lose their content", found.inputs),
        ("Would lose the name that they are known by", found.names),
    ):
        if refs:
            console().print(table(title, (REFERENCE,), [(ref,) for ref in refs]))
            console().print()
    if found.reports:
        reports = [(one.ref, one.kind, one.input) for one in found.reports]
        title = "Could no longer be re-checked"
        console().print(table(title, (REFERENCE, "kind", "against its input"), reports))
        console().print()
    bare = msgspec.structs.replace(found, inputs=[], names=[], reports=[])
    print_lines(preview_told(bare)[len(found.due) :])


def sweep(how: How) -> None:
    with progress() as bar:
        task = bar.add_task("deleting", total=None)
        done = how.act(
            Swept,
            lambda service: Keeping(service).sweep(
                progress=lambda count, _: bar.update(task, completed=count)
            ),
            lambda server: server.post(f"{_PATH}sweeps", b"{}", _JSON),
        )
    _say(how, done, swept_told(done))


def deletions(given: Given, how: How) -> None:
    form = read_params(Listing, given)
    found = how.act(DeletionList, lambda service: Keeping(service).deletions(form), _get("deletions", given))
    _say(how, found, deletions_told(found))


def delete(given: Given, how: How) -> None:
    form = read_params(Deleting, how.said(given))
    done = how.act(Forgotten, lambda service: Keeping(service).delete(form), _post("deletions", form))
    _say(how, done, forgotten_told(done))


def erase_person(given: Given, how: How) -> None:
    form = read_params(Erasing, how.said(given))
    done = how.act(Forgotten, lambda service: Keeping(service).erase(form), _post("erasures", form))
    _say(how, done, forgotten_told(done))


def _say(how: How, value: T, sentences: Sequence[str]) -> None:
    how.tell(value, sentences, lambda _: print_lines(sentences))


def rotate_keys(db: str | None, json: bool) -> None:
    told = settings.read(db)
    service = open_service(told, create=False)
    try:
        with progress() as bar:
            task = bar.add_task("wrapping", total=None)
            count = _rotated(service.ledger, told.key_file, lambda done: bar.update(task, completed=done))
    finally:
        service.close()
    if json:
        print_json({"keys": count})
    else:
        print_lines([f"{count:,} keys were wrapped anew; what wrapped them before is gone."])


def _rotated(ledger: Ledger, key_file: Any, step: Callable[[int], None]) -> int:
    fingerprint = ledger.key_fingerprint()
    return rotate(key_file, fingerprint or "", ledger.wrapped_keys(), step)
