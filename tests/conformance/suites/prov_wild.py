"""Documents as they are found in public repositories: each is read, or refused for a reason that is said."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from provmodel import formats
from provmodel.comparing import difference
from provmodel.errors import Unreadable
from tests.conformance.case import Case, expect

FOLDER = "prov-wild"
REFUSED = {"snakemake-crcc.json": "unknown remote context"}
"""Files that can't be read, and what is said of them: their meaning lies in a text that would be fetched."""


def cases(folder: Path) -> Iterator[Case]:
    for path in sorted(one for one in folder.iterdir() if one.is_file() and one.name != "index.tsv"):
        if path.name in REFUSED:
            yield Case(f"{path.name} is refused", partial(refused, path))
            continue
        yield Case(f"{path.name} is read", partial(is_read, path))
        for target in (one.name for one in formats.documents().values() if one.read and one.write):
            yield Case(f"{path.name} through {target} and back", partial(round_trip, path, target))


def refused(path: Path) -> None:
    """The reader says why."""
    try:
        formats.read(path.read_bytes(), None, path.name)
    except Unreadable as error:
        expect(REFUSED[path.name] in error.reason, True, f"the reason {error.reason}")
    else:
        raise AssertionError("it was read")


def is_read(path: Path) -> None:
    """The document says something."""
    document = formats.read(path.read_bytes(), None, path.name)
    expect(any(part.statements for part in document.parts), True, "that something is said")


def round_trip(path: Path, target: str) -> None:
    """What comes back is the same, or it was said what the format can't hold."""
    document = formats.read(path.read_bytes(), None, path.name)
    chunks, losses = formats.write_document(document, target)
    found = difference(document, formats.read(b"".join(chunks), target))
    if found and not losses:
        raise AssertionError(f"changed without a word: {(found.only_first[:2], found.only_second[:2])}")
