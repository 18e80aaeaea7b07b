"""What ``clew key`` does, in the ledger itself: whoever holds the database is its administrator."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from app import settings
from app.credentials.keys import Grant, Key, Keys
from app.credentials.scopes import scopes_of
from app.faces.cli.terminal import console, notes, print_json, table
from app.ledger import Ledger
from provmodel.evidence import parse
from provmodel.times import to_the_second

_DAY = 24 * 60 * 60


class Given(NamedTuple):
    """What a new key is to hold, in the words of the command line."""

    name: str
    scopes: list[str]
    kinds: list[str]
    sources: list[str] | None
    vouches: bool
    cap: str
    groups: list[str]

    def grant(self) -> Grant:
        return Grant(
            name=self.name,
            scopes=scopes_of(self.scopes),
            kinds=frozenset(self.kinds),
            sources=frozenset(self.sources) if self.sources else None,
            vouches=self.vouches,
            cap=parse(self.cap),
            groups=frozenset(self.groups),
        )


class Shown(msgspec.Struct, frozen=True):
    """A new key with its text."""

    text: str
    key: Key


def create(given: Given, days: int | None, tenant: str | None, json: bool, db: str | None) -> None:
    """Make a key and show it."""
    told = settings.read(db)
    with Ledger.open(told.db, create=True) as ledger:
        made = Keys(ledger).create(tenant or told.tenant, given.grant(), _seconds(days))
    _show(Shown(*made), json)


def rotate(id_: str, days: int | None, tenant: str | None, json: bool, db: str | None) -> None:
    """Put a new key in the place of one."""
    told = settings.read(db)
    with Ledger.open(told.db) as ledger:
        made = Keys(ledger).rotate(tenant or told.tenant, id_, _seconds(days))
    _show(Shown(*made), json)


def revoke(id_: str, tenant: str | None, json: bool, db: str | None) -> None:
    """Take a key out of force."""
    told = settings.read(db)
    with Ledger.open(told.db) as ledger:
        key = Keys(ledger).revoke(tenant or told.tenant, id_)
    if json:
        print_json(key)
    else:
        console().print(f"{key.id} of {key.name} is out of force since {to_the_second(str(key.revoked))}.")


def show(tenant: str | None, json: bool, db: str | None) -> None:
    """All keys of a tenant."""
    told = settings.read(db)
    with Ledger.open(told.db) as ledger:
        found = Keys(ledger).listed(tenant or told.tenant)
    if json:
        print_json({"keys": found})
    elif not found:
        console().print("There is no key: on this machine alone, everybody may do everything.")
    else:
        rows = [[key.id, key.name, " ".join(key.scopes), _state(key), key.used or "never"] for key in found]
        console().print(table("", ["id", "name", "scopes", "state", "last used"], rows))


def _state(key: Key) -> str:
    if key.revoked:
        return f"revoked {key.revoked}"
    return f"until {key.expires}" if key.expires else "in force"


def _show(made: Shown, json: bool) -> None:
    if json:
        print_json(made)
        return
    notes().print(f"The key of {made.key.name}, shown this once; its id is {made.key.id}.")
    console().print(made.text)


def _seconds(days: int | None) -> int | None:
    return None if days is None else days * _DAY
