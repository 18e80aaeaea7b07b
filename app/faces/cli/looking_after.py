"""``clew db``: the ledger's own upkeep, over all its tenants."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from app import settings
from app.faces.cli.outcome import DEFECT, FINE
from app.faces.cli.terminal import console, print_json, progress, table
from app.faces.prose import shown
from app.ledger import Ledger
from app.ledger.fsck import Finding
from app.settings import without_password
from provmodel.errors import StoreTrouble

_OWNER_ONLY = 0o600
_APART = "Keep them elsewhere: whoever has both reads everything."
Step = Callable[[int, int], None]
T = TypeVar("T")


class Rebuilt(msgspec.Struct, frozen=True):
    """How many events the graph of a tenant was made from."""

    tenant: str
    events: int


class Checked(msgspec.Struct, frozen=True):
    """What is wrong with a tenant; nothing, when there are no findings."""

    tenant: str
    findings: list[Finding]


def upgrade(db: str | None, json: bool) -> None:
    """Make or upgrade the tables, and say what was done."""
    url = settings.read(db).db
    before, after = Ledger.upgrade(url)
    name = without_password(url)
    if json:
        print_json({"before": before, "after": after})
    elif before == after:
        console().print(f"{name} has tables of version {after}, which this Clew reads.")
    else:
        console().print(f"{name}: tables of version {before or 'none'} are now of version {after}.")


def role(name: str, db: str | None, json: bool) -> None:
    """Make the role that a service connects as, and say what to do with it."""
    told = settings.read(db)
    made = Ledger.make_role(told.db, name, told.role_password)
    if json:
        print_json({"role": name, "made": made})
        return
    console().print(
        f"The role {shown(name)} {'was made' if made else 'was there'}; it may read and write what"
        " row-level security shows it, and owns nothing. Let servers connect as it."
    )


def _opened(db: str | None) -> Ledger:
    told = settings.read(db)
    return Ledger.open(told.db, keys=told.key_store)


def rebuild(db: str | None, json: bool) -> None:
    """Make the graph of each tenant again from its log."""
    with _opened(db) as ledger:
        done = [Rebuilt(name, _stepped(ledger.rebuild, name)) for name in ledger.tenants()]
    if json:
        print_json({"tenants": done})
        return
    for one in done:
        console().print(f"{shown(one.tenant)}: the graph was made again from {one.events} events.")
    if not done:
        console().print("There are no events yet.")


def fsck(db: str | None, json: bool) -> int:
    """Check each tenant; the exit code, 2 when something is wrong."""
    with _opened(db) as ledger:
        checked = [Checked(name, _stepped(ledger.fsck, name)) for name in ledger.tenants()]
    if json:
        print_json({"tenants": checked})
    else:
        _show(checked)
    return DEFECT if any(one.findings for one in checked) else FINE


def _show(checked: list[Checked]) -> None:
    screen = console()
    for one in checked:
        if one.findings:
            rows = [(found.kind, found.where, found.what, found.remedy) for found in one.findings]
            screen.print(table(shown(one.tenant), ("kind", "where", "what is wrong", "remedy"), rows))
        else:
            screen.print(f"{shown(one.tenant)}: the log matches its digests, and the graph matches the log.")
    if not checked:
        screen.print("There are no events yet.")


def backup(db: str | None, to: Path, until: str, json: bool) -> None:
    """Copy the ledger, and its key file beside the copy; raises StoreTrouble for a place that is taken."""
    told = settings.read(db)
    keys = to.with_suffix(".keys")
    if keys.exists():
        raise StoreTrouble(f"{keys} is there already; choose another place for the copy")
    with Ledger.open(told.db, keys=told.key_store) as ledger:
        ledger.backup(to, until)
    with_keys = told.key_file.exists()
    if with_keys:
        _copy_keys(told.key_file, keys)
    if json:
        print_json({"ledger": str(to), "keys": str(keys) if with_keys else None})
        return
    console().print(f"{without_password(told.db)} was copied to {to}.")
    if with_keys:
        console().print(f"The keys of its bodies were copied to {keys}. {_APART}")


def _copy_keys(source: Path, to: Path) -> None:
    """Readable by their owner alone from the first byte on."""
    descriptor = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    with source.open("rb") as original, os.fdopen(descriptor, "wb") as copy:
        shutil.copyfileobj(original, copy)


def _stepped(work: Callable[[str, Step], T], tenant: str) -> T:
    with _bar(tenant) as step:
        return work(tenant, step)


@contextmanager
def _bar(tenant: str) -> Iterator[Step]:
    """A progress bar for one tenant."""
    with progress() as bar:
        task = bar.add_task(shown(tenant), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
