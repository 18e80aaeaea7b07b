"""The command line. ``clew --help`` imports nothing but this: each command brings what it needs when it runs.

Exit codes: 0 fine, 1 a gate that was asked for, 2 a defect found (by ingest: a conflict),
3 unreadable input or usage.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from app.faces.cli.case_commands import cases
from app.faces.cli.key_commands import keys
from app.faces.cli.lazy import Declared, Group, Questions
from app.faces.cli.options import Db, Json, Text, Url
from app.faces.cli.restriction_commands import restrictions
from app.faces.cli.retention import content, retention

app = Group(
    "clew", "Record what AI agents did as a W3C PROV graph in which every edge says how well it is known."
)
database = Group("db", "Look after the ledger.")
app.add_typer(database)
questions = Group("ask", "Ask a question.", Questions)
app.add_typer(questions)
app.add_typer(cases)
app.add_typer(retention)
app.add_typer(content)
app.add_typer(keys)
app.add_typer(restrictions)


def _say_version(asked: bool) -> None:
    if asked:
        version()
        raise typer.Exit


@app.callback()
def clew(
    version: Annotated[
        bool,
        typer.Option("--version", help="Say which version this is.", is_eager=True, callback=_say_version),
    ] = False,
) -> None:
    """What the command line takes before a command."""


def main() -> None:
    """Run the command line; the process ends with its exit code."""
    from app.faces.cli.outcome import run

    sys.exit(run(app))


@app.command()
def serve(
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8080,
    db: Db = None,
) -> None:
    """Serve REST and the first page.

    On this machine alone it asks nobody who he is until the first key was made (clew key create); any other
    address needs one.
    """
    from app.faces.cli import serving

    serving.serve(host, port, db)


@app.command()
def demo(
    once: Annotated[bool, typer.Option("--once", help="Stop after the answers.")] = False,
    json: Json = False,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8080,
    db: Annotated[str | None, typer.Option("--db", metavar="URL", help="Where. [clew-demo.db]")] = None,
) -> None:
    """Record a sample incident, ask about it, and serve it.

    Prints three answers, says where the server listens, and serves until Ctrl-C.
    """
    from app.faces.cli import serving

    serving.demo(once, json, host, port, db)


@app.command()
def ingest(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files to read; - is standard input.")
    ],
    db: Db = None,
    url: Url = None,
    source: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="What the files hold: clew (events), prov, or a source such as otlp; auto looks.",
        ),
    ] = "auto",
    evidence_cap: Annotated[
        str | None,
        typer.Option(
            metavar="EVIDENCE",
            help="The highest evidence that is kept: verified, observed, declared or inferred.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the PROV document is called.")
    ] = None,
    json: Json = False,
) -> None:
    """Record events, foreign traces and PROV documents from files.

    Events are JSON arrays, NDJSON or CloudEvents; what a file holds is told by looking.
    """
    from app.faces.cli import ingesting

    raise typer.Exit(ingesting.ingest(list(map(str, files)), db, url, source, evidence_cap, name, json))


@app.command(cls=Declared)
def search() -> Any:
    """Find nodes by words, kind, run, agent, time and evidence."""
    from app.faces.cli import searching

    return searching.command()


@app.command(cls=Declared)
def lineage() -> Any:
    """Show what stands before a node, or behind it, along the edges of a policy."""
    from app.faces.cli import asking

    return asking.command("lineage")


@app.command(cls=Declared)
def export() -> Any:
    """Write the graph, a run, an answer or a submitted document as PROV.

    What the format can't hold is listed on standard error; with --json on standard output, when the document
    itself goes to a file.
    """
    from app.faces.cli import exporting

    return exporting.command()


@app.command()
def documents(
    as_of: Annotated[str, typer.Option(metavar="SEQ|TIME", help="As it was known then; else now.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many are listed.")] = 100,
    cursor: Annotated[str, typer.Option(help="Go on after the page that gave this cursor.")] = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
) -> None:
    """List the PROV documents that were submitted, with who submitted them, when, and their digests."""
    from app.faces.cli import submitted

    submitted.documents(as_of, limit, cursor, db, url, json)


@app.command()
def access(
    target: Annotated[
        str, typer.Option(metavar="REF", help="Only what was done with this, its bodies included.")
    ] = "",
    principal: Annotated[
        str, typer.Option(metavar="WHO", help="Only what the credential of this name did.")
    ] = "",
    verb: Annotated[
        str,
        typer.Option(
            metavar="VERB", help="read, export, ask, delete, policy, hold, key, restrict or enter (refused)."
        ),
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many are listed.")] = 100,
    cursor: Annotated[str, typer.Option(help="Go on after the page that gave this cursor.")] = "",
    db: Db = None,
    url: Url = None,
    json: Json = False,
    text: Text = False,
) -> None:
    """List who read, exported, asked about a person, deleted, or was refused; the newest first."""
    from app.access import Listing
    from app.faces.cli import accessing

    wanted = Listing(target=target, principal=principal, verb=verb, cursor=cursor, limit=limit)
    accessing.access(wanted, db, url, json, text)


@app.command()
def validate(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE...", help="PROV documents; - is standard input.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="The format of the files; else told by name and by looking.",
        ),
    ] = None,
    db: Annotated[
        str | None, typer.Option("--db", metavar="URL", help="Judge what is in this ledger instead.")
    ] = None,
    json: Json = False,
) -> None:
    """Say whether PROV documents are valid under PROV-CONSTRAINTS, and why not.

    Exit code 0 when all are valid, 2 when one is not, 3 when one can't be read.
    """
    from app.faces.cli import validating

    raise typer.Exit(validating.validate(list(map(str, files or [])), form, db, json))


@app.command()
def convert(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A PROV document; - is standard input.")],
    to: Annotated[
        str | None,
        typer.Option("--to", "-t", metavar="FORMAT", help="prov-json, prov-n, ...; else told by OUT."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="OUT", help="A file; else standard output.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="The format of the file; else told by name and by looking.",
        ),
    ] = None,
    lossless: Annotated[
        bool, typer.Option("--lossless", help="Write nothing, and end with 1, when something would be lost.")
    ] = False,
    json: Json = False,
) -> None:
    """Write a PROV document in another format.

    What the format can't hold is listed on standard error; with --json on standard output, when the document
    itself goes to a file.
    """
    from app.faces.cli import converting

    raise typer.Exit(converting.convert(str(file), to, form, output, lossless, json))


@app.command()
def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="A PROV document; - is standard input.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another, in any format.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", metavar="FORMAT", help="The format of both; else told by name and by looking."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say what two PROV documents say differently, whatever their formats.

    Order, prefixes and blank names make no difference. Exit code 0 when they say the same, 1 when not.
    """
    from app.faces.cli import converting

    raise typer.Exit(converting.diff(str(first), str(second), form, json))


@app.command()
def mcp(db: Db = None) -> None:
    """Offer the questions as MCP tools, over stdio."""
    from app.faces.cli import serving

    serving.mcp(db)


@app.command()
def version(json: Json = False) -> None:
    """Say which version this is."""
    from importlib.metadata import version as installed

    number = installed("clew-prov")
    typer.echo(f'{{"version":"{number}"}}' if json else f"clew {number}")


@database.command()
def upgrade(db: Db = None, json: Json = False) -> None:
    """Bring the tables of the ledger to this version; makes the ledger when there is none."""
    from app.faces.cli import looking_after

    looking_after.upgrade(db, json)


@database.command()
def role(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The role; made when there is none.")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Make the role that servers connect as on PostgreSQL: it owns nothing, and sees one tenant at a time.

    Run it as the owner of the tables. With CLEW_ROLE_PASSWORD the role gets that password.
    """
    from app.faces.cli import looking_after

    looking_after.role(name, db, json)


@database.command()
def rebuild(db: Db = None, json: Json = False) -> None:
    """Make the graph again from the log."""
    from app.faces.cli import looking_after

    looking_after.rebuild(db, json)


@database.command()
def fsck(db: Db = None, json: Json = False) -> None:
    """Compare the log with its digests, and the graph with the log. Exit code 2 when they differ."""
    from app.faces.cli import looking_after

    raise typer.Exit(looking_after.fsck(db, json))


@database.command()
def backup(
    to: Annotated[Path, typer.Argument(metavar="FILE", help="Where to; it must not be there yet.")],
    until: Annotated[
        str, typer.Option("--until", metavar="DAY", help="Until when the copy is kept, such as 2027-01-31.")
    ] = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Copy the ledger and its keys while it is in use."""
    from app.faces.cli import looking_after

    looking_after.backup(db, to, until, json)
