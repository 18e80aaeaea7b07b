"""``clew key``: make, list, replace and revoke API keys."""

from __future__ import annotations

from typing import Annotated

import typer

from app.faces.cli.lazy import Group
from app.faces.cli.options import Db, Json

keys = Group("key", "Make, list and revoke API keys.")
Tenant = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="Whose key. [CLEW_TENANT, default]")
]
Days = Annotated[
    int | None, typer.Option("--days", metavar="N", help="Days until it expires; left out, it does not.")
]
Id = Annotated[str, typer.Argument(metavar="ID", help="The id that clew key list shows.")]


@keys.command()
def create(
    name: Annotated[
        str,
        typer.Option(
            metavar="WHO",
            help="Who uses it. A reference, such as person:ann, makes what he decides authenticated.",
        ),
    ],
    scope: Annotated[
        list[str],
        typer.Option(
            metavar="SCOPE",
            help="What it may do; repeatable: ingest, graph:read, content:read, retention:manage, export, "
            "access:read, admin.",
        ),
    ],
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="What it may claim, for ingest; repeatable: harness, verifier, agent, analyser, person.",
        ),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE", help="A source it may speak for; repeatable; left out, every source."),
    ] = None,
    vouches: Annotated[
        bool, typer.Option("--vouches", help="It may say who authenticated a decider.")
    ] = False,
    cap: Annotated[
        str,
        typer.Option(
            metavar="EVIDENCE",
            help="The highest evidence that it keeps: verified, observed, declared or inferred.",
        ),
    ] = "verified",
    group: Annotated[
        list[str] | None, typer.Option(metavar="GROUP", help="A group of readers; repeatable.")
    ] = None,
    days: Days = None,
    tenant: Tenant = None,
    json: Json = False,
    db: Db = None,
) -> None:
    """Make a key, and show it: this once, and never again."""
    from app.faces.cli import keeping_keys

    given = keeping_keys.Given(name, scope, kind or [], source, vouches, cap, group or [])
    keeping_keys.create(given, days, tenant, json, db)


@keys.command("list")
def list_keys(tenant: Tenant = None, json: Json = False, db: Db = None) -> None:
    """Every key of a tenant, what it holds, and when it was last used."""
    from app.faces.cli import keeping_keys

    keeping_keys.show(tenant, json, db)


@keys.command()
def revoke(id_: Id, tenant: Tenant = None, json: Json = False, db: Db = None) -> None:
    """Take a key out of force, within a second. What it delivered stays."""
    from app.faces.cli import keeping_keys

    keeping_keys.revoke(id_, tenant, json, db)


@keys.command()
def rotate(id_: Id, days: Days = None, tenant: Tenant = None, json: Json = False, db: Db = None) -> None:
    """Make a key that holds the same, show it, and take the old one out of force."""
    from app.faces.cli import keeping_keys

    keeping_keys.rotate(id_, days, tenant, json, db)
