"""``clew restriction``: which groups of readers may see what has a label."""

from __future__ import annotations

from typing import Annotated

import typer

from app.faces.cli.lazy import Group
from app.faces.cli.options import Db, Json, Url

restrictions = Group("restriction", "Say who may see what has a label.")
Label = Annotated[
    str,
    typer.Argument(metavar="LABEL", help="The class of versions, or what is said under access of anything."),
]


@restrictions.command("list")
def list_restrictions(db: Db = None, url: Url = None, json: Json = False) -> None:
    """The rules in force. What has a label without one is seen by everybody who reads."""
    from app.faces.cli import restricting

    restricting.show(db, url, json)


@restrictions.command("set")
def set_restriction(
    label: Label,
    group: Annotated[
        list[str] | None,
        typer.Option(metavar="GROUP", help="A group of readers who may; repeatable; left out: nobody."),
    ] = None,
    db: Db = None,
    url: Url = None,
    json: Json = False,
) -> None:
    """Show what has a label to some groups of readers alone. Others see that something is there."""
    from app.faces.cli import restricting

    restricting.restrict(label, group or [], db, url, json)


@restrictions.command()
def lift(label: Label, db: Db = None, url: Url = None, json: Json = False) -> None:
    """Show what has a label to everybody who reads, unless another label hides it."""
    from app.faces.cli import restricting

    restricting.lift(label, db, url, json)
