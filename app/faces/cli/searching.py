"""``clew search``: nodes by words and conditions, as a table, as text or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
import typer

from app.faces.cli import declared
from app.faces.cli.options import Db, Json, Text, Url
from app.faces.cli.shortening import NOTE, Shortener
from app.faces.cli.terminal import (
    REFERENCE,
    console,
    only_one,
    print_json,
    print_lines,
    print_text,
    progress,
    table,
)
from app.searching import Hit, Hits, SearchAsked, sentences
from queries.question import parameters_of

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="WORD...", help="Words that a node must all have; rep* for any that begins so."),
]


def command() -> Any:
    """``clew search`` with its options; the words themselves need none."""
    own = (
        declared.fixed("words", Words),
        declared.fixed("db", Db),
        declared.fixed("url", Url),
        declared.fixed("json", Json, False),
        declared.fixed("text", Text, False),
    )
    options = [one for one in parameters_of(SearchAsked) if one.name != "q"]
    return declared.command("search", "", options, own, search)


def search(
    given: Mapping[str, Any],
    words: Sequence[str] | None,
    db: str | None,
    url: str | None,
    json: bool,
    text: bool,
) -> None:
    """Search here or on a server, and show what was found."""
    only_one(json, text)
    asked = dict(given)
    if words:
        asked["q"] = " ".join(words)
    hits = _by_server(asked, url) if url else _by_ledger(asked, db)
    if json:
        print_json(hits)
    elif text:
        print_text(sentences(hits))
    else:
        _show(hits)


def _by_server(asked: Mapping[str, Any], url: str) -> Hits:
    from app.faces.cli.remote import Server

    # A blank asks for no word, and tells a search from the plain list of that address.
    return msgspec.json.decode(Server(url).get("/v1/nodes", {"q": " ", **asked}), type=Hits)


def _by_ledger(asked: Mapping[str, Any], db: str | None) -> Hits:
    from app.faces.cli.opening import opened

    with opened(db) as service, progress() as bar:
        task = bar.add_task("taking words", total=None)
        return service.search(asked, lambda done, total: bar.update(task, completed=done, total=total))


def _show(hits: Hits) -> None:
    screen, short = console(), Shortener([hit.ref for hit in hits.nodes])
    first, *_ = told = sentences(hits)
    screen.print(first)
    if hits.nodes:
        rows = [
            (short(hit.ref), hit.type.removeprefix("clew:") or ", ".join(hit.kinds), _held(hit))
            for hit in hits.nodes
        ]
        screen.print()
        screen.print(table("", (REFERENCE, "kind", "found in"), rows))
        screen.print()
    print_lines([*told[len(hits.nodes) + 1 :], *([NOTE] if short.cuts else [])])


def _held(hit: Hit) -> str:
    return "; ".join(f"{held.name.removeprefix('clew:')}: {held.value}" for held in hit.found)
