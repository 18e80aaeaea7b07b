"""``clew case``: its commands and their options. What they do is in :mod:`app.faces.cli.casework`."""

from __future__ import annotations

from typing import Annotated

import typer

from app.actors import OPERATOR, RULE
from app.faces.cli.lazy import Group
from app.faces.cli.options import Db, Json, Text, Url

cases = Group("case", "Work through what a retraction affects.")

Number = Annotated[int, typer.Argument(metavar="CASE", help="The number of the case.")]
Refs = Annotated[
    list[str] | None,
    typer.Argument(metavar="REF...", help="Items, by reference or an unambiguous end of one."),
]
Everything = Annotated[bool, typer.Option("--all", help="Every item that is still to be seen to.")]
Note = Annotated[
    str,
    typer.Option(metavar="TEXT", help="Why; kept encrypted, and can be erased."),
]
By = Annotated[str, typer.Option(metavar="WHO", help=f"Who does it. {RULE} [{OPERATOR}, or the key]")]
Cursor = Annotated[str, typer.Option(metavar="TEXT", help="Go on after the page that gave this cursor.")]
Limit = Annotated[int, typer.Option(metavar="N", help="Entries of a page.")]


@cases.command(name="open")
def open_case(
    target: Annotated[
        list[str] | None, typer.Option(metavar="REF", help="What was retracted; repeatable.")
    ] = None,
    retraction: Annotated[
        list[str] | None,
        typer.Option(metavar="REF", help="A recorded retraction, in place of what it retracts; repeatable."),
    ] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="What the case is called.")] = "",
    evidence: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="Cross only edges with this evidence: verified, observed, declared or inferred; repeatable.",
        ),
    ] = None,
    expand: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REF", help="A hub (over 1,000 neighbours one way) to expand all the same; repeatable."
        ),
    ] = None,
    include_refuted: Annotated[
        bool, typer.Option("--include-refuted", help="Also cross refuted edges.")
    ] = False,
    as_of: Annotated[str, typer.Option(metavar="SEQ|TIME", help="As it was known then; else now.")] = "",
    by: By = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Ask what is affected, and make a worklist of the reports and writes among it."""
    from app.faces.cli import acting, casework

    given = {
        "target": target or [],
        "retraction": retraction or [],
        "title": title,
        "evidence": evidence or [],
        "expand": expand or [],
        "include_refuted": include_refuted,
        "as_of": as_of,
        "by": by,
    }
    casework.open_case(given, acting.How(db, url, json, text))


@cases.command(name="list")
def list_cases(
    limit: Limit = 100,
    cursor: Cursor = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """List the cases, newest first."""
    from app.faces.cli import acting, casework

    casework.list_cases({"limit": limit, "cursor": cursor}, acting.How(db, url, json, text))


@cases.command()
def show(
    case: Number,
    state: Annotated[
        str,
        typer.Option(
            metavar="STATE",
            help="Only items in this state: open, acknowledged, cleared or gone; todo: open, or changed.",
        ),
    ] = "",
    limit: Limit = 100,
    cursor: Cursor = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Show a case: its items, what was decided, and what is missing."""
    from app.faces.cli import acting, casework

    given = {"state": state, "limit": limit, "cursor": cursor}
    casework.show(case, given, acting.How(db, url, json, text))


@cases.command()
def ack(
    case: Number,
    refs: Refs = None,
    everything: Everything = False,
    note: Note = "",
    by: By = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Acknowledge items: someone sees to them."""
    _decide(case, "ack", refs, everything, note, by, db, url, json, text)


@cases.command()
def clear(
    case: Number,
    refs: Refs = None,
    everything: Everything = False,
    note: Note = "",
    by: By = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Clear items: nothing is left to do."""
    _decide(case, "clear", refs, everything, note, by, db, url, json, text)


@cases.command()
def reopen(
    case: Number,
    refs: Refs = None,
    note: Note = "",
    by: By = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Take back what was decided of items."""
    _decide(case, "reopen", refs, False, note, by, db, url, json, text)


@cases.command()
def note(
    case: Number,
    note: Annotated[str, typer.Argument(metavar="TEXT", help="What is to be noted.")],
    refs: Refs = None,
    by: By = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Note something about items, or about the whole case."""
    _decide(case, "note", refs, False, note, by, db, url, json, text)


@cases.command()
def rerun(
    case: Number,
    as_of: Annotated[str, typer.Option(metavar="SEQ|TIME", help="As it was known then; else now.")] = "",
    by: By = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Ask again, and say what is new, gone or affected otherwise."""
    from app.faces.cli import acting, casework

    casework.rerun(case, {"as_of": as_of, "by": by}, acting.How(db, url, json, text))


def _decide(
    case: int,
    verb: str,
    refs: list[str] | None,
    everything: bool,
    note: str,
    by: str,
    db: str | None,
    url: str | None,
    json: bool,
    text: bool,
) -> None:
    from app.faces.cli import acting, casework

    given = {"verb": verb, "ref": refs or [], "all": everything, "note": note, "by": by}
    casework.decide(case, given, acting.How(db, url, json, text))
