"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

Db = Annotated[
    str | None,
    typer.Option("--db", metavar="URL", help="The ledger: an SQLAlchemy URL or a path. [CLEW_DB, clew.db]"),
]
Url = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="A running server, with CLEW_TOKEN, in place of a ledger."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Text = Annotated[
    bool,
    typer.Option("--text", help="Print a few sentences, references in full; what they count, --json lists."),
]
