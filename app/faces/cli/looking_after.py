"""``clew db``: the ledger's own upkeep."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import msgspec
from rich.progress import Progress, TaskID

from app import settings
from app.faces.cli.outcome import DEFECT, FINE
from app.faces.cli.terminal import console, print_json, progress, table
from app.ledger import Ledger
from app.ledger.fsck import Finding
from app.settings import database_url, without_password
from provmodel.errors import StoreTrouble


def upgrade(db: str | None) -> None:
    """Make or upgrade the tables, and say what was done."""
    url = settings.read(db).db
    before, after = Ledger.upgrade(url)
    name = without_password(url)
    if before == after:
        console().print(f"{name} has tables of version {after}, which this Clew reads.")
    else:
        console().print(f"{name}: tables of version {before or 'none'} are now of version {after}.")


def _advance(bars: Progress, bar: TaskID, done: int, total: int) -> None:
    bars.update(bar, completed=done, total=total)


def rebuild(db: str | None, json: bool) -> None:
    """Make the graph of every tenant again from its log, and say from how many events."""
    url = settings.read(db).db
    made: dict[str, int] = {}
    with Ledger.open(url) as ledger, progress() as bars:
        for tenant in ledger.tenants():
            bar = bars.add_task(f"Rebuilding {tenant}", total=None)
            made[tenant] = ledger.rebuild(tenant, partial(_advance, bars, bar))
    if json:
        print_json({"rebuilt": made})
        return
    for tenant, events in made.items():
        console().print(f"{tenant}: the graph was made again from {events} events.")
    if not made:
        console().print(f"{without_password(url)} has no events yet.")


def fsck(db: str | None, json: bool) -> int:
    """Check every tenant; 2 when something was found."""
    url = settings.read(db).db
    found: dict[str, list[Finding]] = {}
    with Ledger.open(url) as ledger, progress() as bars:
        for tenant in ledger.tenants():
            bar = bars.add_task(f"Checking {tenant}", total=None)
            found[tenant] = ledger.fsck(tenant, partial(_advance, bars, bar))
    if json:
        findings = [_plain(tenant, finding) for tenant, these in found.items() for finding in these]
        print_json({"tenants": list(found), "findings": findings})
    else:
        _tell(without_password(url), found)
    return DEFECT if any(found.values()) else FINE


def _plain(tenant: str, finding: Finding) -> dict[str, str]:
    return {"tenant": tenant, **msgspec.structs.asdict(finding)}


def _tell(name: str, found: dict[str, list[Finding]]) -> None:
    for tenant, findings in found.items():
        if not findings:
            console().print(f"{tenant}: the log matches its digests, and the graph matches the log.")
            continue
        rows = [(finding.kind, finding.where, finding.what, finding.remedy) for finding in findings]
        console().print(table(f"{tenant}: what is wrong", ("kind", "where", "what", "what to do"), rows))
    if not found:
        console().print(f"{name} has no events yet.")


def backup(db: str | None, target: Path) -> None:
    """Copy the ledger as of one moment, and the key file that opens its bodies."""
    read = settings.read(db)
    keys = settings.key_file_of(database_url(str(target)))
    if keys.exists():
        raise StoreTrouble(f"{keys} is there already; name a backup whose key file is not")
    with Ledger.open(read.db) as ledger:
        ledger.backup(target)
    console().print(f"{without_password(read.db)} was copied to {target}.")
    if read.key_file.exists():
        _copy_keys(read.key_file, keys)
        console().print(
            f"The keys of its bodies were copied to {keys}."
            " Keep them elsewhere: whoever has both reads everything."
        )


def _copy_keys(source: Path, target: Path) -> None:
    """A key file that only its owner reads, from its first byte on."""
    with open(target, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as copy:
        copy.write(source.read_bytes())
