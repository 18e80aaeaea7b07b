"""``clew documents``: the PROV documents that were submitted."""

from __future__ import annotations

import msgspec

from app.documents import DocumentList
from app.faces.cli.opening import opened
from app.faces.cli.remote import Server
from app.faces.cli.terminal import console, print_json
from app.faces.prose import shown


def documents(as_of: str, limit: int, cursor: str, db: str | None, url: str | None, json: bool) -> None:
    """Print one page of them, the oldest first."""
    if url:
        raw = Server(url).get("/v1/documents", {"as_of": as_of, "limit": limit, "cursor": cursor})
        page = msgspec.json.decode(raw, type=DocumentList)
    else:
        with opened(db) as service:
            page = service.documents.page(as_of, cursor, limit)
    if json:
        print_json(page)
        return
    screen = console()
    for one in page.documents:
        mark = ", another has this name too" if one.conflict else ""
        screen.print(shown(f"{one.ref}{mark}"), soft_wrap=True)
        screen.print(
            shown(
                f"  event {one.seq}, {one.received}, from {one.submitter} as {one.source}: {one.format},"
                f" {one.size} bytes, {one.statements} statements, {one.relations} relations"
            ),
            soft_wrap=True,
        )
    told = "1 document" if page.total == 1 else f"{page.total} documents"
    more = f"; go on with --cursor {page.cursor}" if page.cursor else "."
    screen.print(f"{told} in all{more}")
