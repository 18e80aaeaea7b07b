"""``clew retention`` and ``clew content``: how long bodies are kept, and their keys."""

from __future__ import annotations

from typing import Annotated

import typer

from app.faces.cli.options import Db, Json

Actor = Annotated[str, typer.Option("--by", metavar="WHO", help="Who says so.")]
Policy = Annotated[str, typer.Argument(metavar="POLICY", help="Its name, such as policy:thirty-days.")]

retention = typer.Typer(
    name="retention", help="Say how long bodies are kept.", no_args_is_help=True, rich_markup_mode=None
)
content = typer.Typer(
    name="content", help="Look after the keys of bodies.", no_args_is_help=True, rich_markup_mode=None
)


@retention.command()
def put(
    policy: Policy,
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="all, or class=.., kind=.., run=.. or label=.. of bodies.")
    ],
    keep: Annotated[
        str,
        typer.Argument(
            metavar="KEEP",
            help="90d, 12h, 30m; until=2027-01-01T00:00:00Z; always; never: not stored.",
        ),
    ],
    by: Actor = "person:operator",
    db: Db = None,
    json: Json = False,
) -> None:
    """Put a policy in force. The narrowest that fits a body decides: label, run, kind, class, all."""
    from app.faces.cli import keeping

    keeping.put(policy, what, keep, by, db, json)


@retention.command()
def end(policy: Policy, by: Actor = "person:operator", db: Db = None, json: Json = False) -> None:
    """End a policy; what it alone let go is kept from now on."""
    from app.faces.cli import keeping

    keeping.end(policy, by, db, json)


@retention.command()
def policies(db: Db = None, json: Json = False) -> None:
    """List the policies in force."""
    from app.faces.cli import keeping

    keeping.policies(db, json)


@retention.command()
def hold(
    name: Annotated[str, typer.Argument(metavar="HOLD", help="A name for the hold.")],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A body, a run, or a reference with all its versions.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why, such as the number of a case.")],
    by: Actor = "person:operator",
    db: Db = None,
    json: Json = False,
) -> None:
    """Hold what must not be deleted, whatever a policy or a request says."""
    from app.faces.cli import keeping

    keeping.hold(name, target, reason, by, db, json)


@retention.command()
def lift(
    name: Annotated[str, typer.Argument(metavar="HOLD", help="The hold's name.")],
    by: Actor = "person:operator",
    db: Db = None,
    json: Json = False,
) -> None:
    """Lift a hold; what is due goes with the next sweep."""
    from app.faces.cli import keeping

    keeping.lift(name, by, db, json)


@retention.command()
def holds(
    lifted: Annotated[bool, typer.Option("--all", help="Those that were lifted, too.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the holds."""
    from app.faces.cli import keeping

    keeping.holds(lifted, db, json)


@retention.command()
def preview(db: Db = None, json: Json = False) -> None:
    """Say what would be deleted now, and which reports could then no longer be re-checked."""
    from app.faces.cli import keeping

    keeping.preview(db, json)


@retention.command()
def sweep(db: Db = None, json: Json = False) -> None:
    """Delete what is due and not held, and finish what an earlier sweep left undone."""
    from app.faces.cli import keeping

    keeping.sweep(db, json)


@retention.command()
def delete(
    ref: Annotated[str, typer.Argument(metavar="REF", help="A reference, or the id of a body.")],
    reason_class: Annotated[
        str,
        typer.Option("--why", help="subject_request, court_order, secret, mistake, expired or other."),
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why, in words; kept as a body of its own.")] = "",
    by: Actor = "person:operator",
    db: Db = None,
    json: Json = False,
) -> None:
    """Delete content before its time."""
    from app.faces.cli import keeping

    keeping.delete(ref, reason_class, reason, by, db, json)


@retention.command("erase-person")
def erase_person(
    ref: Annotated[str, typer.Argument(metavar="REF", help="The person, such as person:p-17.")],
    reason: Annotated[str, typer.Option("--reason", help="Why, in words; kept as a body of its own.")] = "",
    by: Actor = "person:operator",
    db: Db = None,
    json: Json = False,
) -> None:
    """Erase the names that a person or thing is known by; its pseudonym and the graph stay."""
    from app.faces.cli import keeping

    keeping.erase_person(ref, reason, by, db, json)


@content.command("rotate-keys")
def rotate_keys(db: Db = None, json: Json = False) -> None:
    """Wrap the key of every body anew, and destroy what wrapped them before."""
    from app.faces.cli import keeping

    keeping.rotate_keys(db, json)
