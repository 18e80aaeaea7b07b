"""``clew retention`` and ``clew content``: how long bodies are kept, and their keys."""

from __future__ import annotations

from typing import Annotated

import typer

from app.actors import OPERATOR, RULE
from app.faces.cli.lazy import Group
from app.faces.cli.options import Db, Json, Text, Url

Actor = Annotated[
    str, typer.Option("--by", metavar="WHO", help=f"Who says so. {RULE} [{OPERATOR}, or the key]")
]
Reason = Annotated[str, typer.Option("--reason", help="Why, in words; kept as a body of its own.")]
Policy = Annotated[str, typer.Argument(metavar="POLICY", help="Its name, such as policy:thirty-days.")]

retention = Group("retention", "Say how long bodies are kept.")
content = Group("content", "Look after the keys of bodies.")


@retention.command()
def put(
    policy: Policy,
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="all, or class=.., kind=.., run=.. or label=.. of bodies; or access, the record of it.",
        ),
    ],
    keep: Annotated[
        str,
        typer.Argument(
            metavar="KEEP",
            help="30m, 12h, 90d, 6w, 5y (s, m, h, d, w; y is 365 days);"
            " until=2027-01-01T00:00:00Z; always; never: not stored.",
        ),
    ],
    by: Actor = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Put a policy in force. The narrowest that fits a body decides: label, run, kind, class, all."""
    from app.faces.cli import acting, keeping

    given = {"policy": policy, "bodies": what, "keep": keep, "by": by}
    keeping.put(given, acting.How(db, url, json, text))


@retention.command()
def end(
    policy: Policy,
    by: Actor = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """End a policy; what it alone let go is kept from now on."""
    from app.faces.cli import acting, keeping

    keeping.end({"policy": policy, "by": by}, acting.How(db, url, json, text))


@retention.command()
def policies(db: Db = None, url: Url = None, json: Json = False, text: Text = False) -> None:
    """List the policies in force."""
    from app.faces.cli import acting, keeping

    keeping.policies(acting.How(db, url, json, text))


@retention.command()
def hold(
    name: Annotated[str, typer.Argument(metavar="HOLD", help="A name for the hold.")],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A body, a run, or a reference with all its versions.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why, such as the number of a case.")],
    by: Actor = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Hold what must not be deleted, whatever a policy or a request says."""
    from app.faces.cli import acting, keeping

    given = {"hold": name, "target": target, "reason": reason, "by": by}
    keeping.hold(given, acting.How(db, url, json, text))


@retention.command()
def lift(
    name: Annotated[str, typer.Argument(metavar="HOLD", help="The hold's name.")],
    by: Actor = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Lift a hold; what is due goes with the next sweep."""
    from app.faces.cli import acting, keeping

    keeping.lift({"hold": name, "by": by}, acting.How(db, url, json, text))


@retention.command()
def holds(
    lifted: Annotated[bool, typer.Option("--all", help="Those that were lifted, too.")] = False,
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """List the holds."""
    from app.faces.cli import acting, keeping

    keeping.holds({"lifted": lifted}, acting.How(db, url, json, text))


@retention.command()
def preview(
    ref: Annotated[
        str, typer.Argument(metavar="[REF]", help="What deleting this would take; else what a sweep would.")
    ] = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Say what would be deleted now, and which reports could then no longer be re-checked."""
    from app.faces.cli import acting, keeping

    keeping.preview({"ref": ref}, acting.How(db, url, json, text))


@retention.command()
def sweep(db: Db = None, url: Url = None, json: Json = False, text: Text = False) -> None:
    """Delete what is due and not held, and finish what an earlier sweep left undone."""
    from app.faces.cli import acting, keeping

    keeping.sweep(acting.How(db, url, json, text))


@retention.command()
def delete(
    ref: Annotated[str, typer.Argument(metavar="REF", help="A reference, or the id of a body.")],
    reason_class: Annotated[
        str,
        typer.Option("--why", help="subject_request, court_order, secret, mistake, expired or other."),
    ],
    reason: Reason = "",
    by: Actor = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Delete content before its time."""
    from app.faces.cli import acting, keeping

    given = {"ref": ref, "reason_class": reason_class, "reason": reason, "by": by}
    keeping.delete(given, acting.How(db, url, json, text))


@retention.command()
def deletions(
    state: Annotated[str, typer.Option(metavar="STATE", help="Only requested, or done.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="Entries of a page.")] = 100,
    cursor: Annotated[
        str, typer.Option(metavar="TEXT", help="Go on after the page that gave this cursor.")
    ] = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """List what was deleted or is to be: when, by whom, why and from where."""
    from app.faces.cli import acting, keeping

    given = {"state": state, "limit": limit, "cursor": cursor}
    keeping.deletions(given, acting.How(db, url, json, text))


@retention.command("erase-person")
def erase_person(
    ref: Annotated[str, typer.Argument(metavar="REF", help="The person, such as person:p-17.")],
    reason: Reason = "",
    by: Actor = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """Erase the names that a person or thing is known by; its pseudonym and the graph stay."""
    from app.faces.cli import acting, keeping

    given = {"ref": ref, "reason": reason, "by": by}
    keeping.erase_person(given, acting.How(db, url, json, text))


@content.command("rotate-keys")
def rotate_keys(db: Db = None, json: Json = False) -> None:
    """Wrap the key of every body anew, and destroy what wrapped them before."""
    from app.faces.cli import keeping

    keeping.rotate_keys(db, json)
