"""``clew access``: who read what, here or on a server."""

from __future__ import annotations

import msgspec

from app.access import AccessList, Listing, sentences
from app.faces.cli.terminal import console, only_one, print_json, print_lines, print_text, table
from app.faces.prose import shown


def access(wanted: Listing, db: str | None, url: str | None, json: bool, text: bool) -> None:
    """List what is recorded, as a table, as sentences or as JSON."""
    only_one(json, text)
    found = _by_server(wanted, url) if url else _by_ledger(wanted, db)
    if json:
        print_json(found)
    elif text:
        print_text(sentences(found))
    else:
        _show(found)


def _by_server(wanted: Listing, url: str) -> AccessList:
    from app.faces.cli.remote import Server

    return msgspec.json.decode(Server(url).get("/v1/access", msgspec.structs.asdict(wanted)), type=AccessList)


def _by_ledger(wanted: Listing, db: str | None) -> AccessList:
    from app.faces.cli.opening import opened

    with opened(db) as service:
        return service.who_read(wanted)


def _show(found: AccessList) -> None:
    first, *_ = told = sentences(found)
    print_lines([first])
    if found.accesses:
        rows = [
            (one.time, shown(one.principal), one.verb, shown(one.target), shown(one.purpose), one.outcome)
            for one in found.accesses
        ]
        console().print(table("", ("time", "who", "did", "what with", "what for", "outcome"), rows))
    print_lines(told[len(found.accesses) + 1 :])
