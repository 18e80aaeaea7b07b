"""Documents that stand in several formats: each says the same in all, and comes back from each.

A file of which that isn't true is named here with its cause, and the cause is checked: it explains the whole
difference, or the case fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import NamedTuple

from provmodel import formats
from provmodel.comparing import difference
from provmodel.document import Document
from provmodel.errors import Unreadable
from tests.conformance.case import Case, expect

FOLDER = "interop"
LEADING = "prov-n"  # the format of the file that the others of its folder are compared with


class Oddity(NamedTuple):
    """Files (patterns of folder/file) that say something else than their neighbours, and why. ``undo`` turns
    what such a file says into what its neighbours say.
    """

    files: tuple[str, ...]
    cause: str
    undo: Callable[[str], str]


def _unescaped(sentence: str) -> str:
    """Names as they were before ``_`` was doubled in them and put before what no XML name begins with."""
    return re.sub(r"([/#:])_?([^/#:<>]*)>", lambda name: f"{name[1]}{name[2].replace('__', '_')}>", sentence)


def _turned(sentence: str) -> str:
    return re.sub(r"alternateOf\((.*), (.*)\)", r"alternateOf(\2, \1)", sentence)


ODDITIES = (
    Oddity(
        (
            "test-attr_association_one_role_attr*.provx",
            "test-attr_entity_one_[lov]*_attr*.provx",
            "test-entity10/*.provx",
            "test-international_*.provx",
            "test-invalidation5/*.provx",
            "test-issues_picaso*.provx",
        ),
        "the names are escaped by a rule of their writer's own that PROV-XML doesn't have: _ is doubled, and"
        " stands before what doesn't begin like an XML name",
        _unescaped,
    ),
    Oddity(("test-alternate1/*.json",), "the two alternates are exchanged", _turned),
    Oddity(
        ("test-simple-bundle/*.provx", "test-simple-bundle/*.trig"),
        "the bundle's name was taken from the default namespace that the bundle itself declares",
        lambda sentence: sentence.replace("<http://example.org/2/e001>:", "<http://example.org/0/e001>:"),
    ),
    Oddity(
        ("test-issues_picaso*.ttl",),
        "Turtle has no bundles: what the bundle says stands in the default graph",
        lambda sentence: sentence.replace("<>:", "<urn:uuid:55348dff-4fcc-4ac2-ab56-641798c64400>:"),
    ),
)


def cases(folder: Path) -> Iterator[Case]:
    for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
        if inner.name == "malformed":
            malformed = sorted(path for path in inner.iterdir() if path.is_file())
            yield from (Case(f"malformed/{path.name}", partial(refused, path)) for path in malformed)
            continue
        found = {path: format_of(path) for path in files(inner)}
        leading = next(path for path, name in found.items() if name == LEADING)
        for path, name in found.items():
            if path != leading:
                told = partial(alike, path, name, leading)
                yield Case(f"{inner.name}/{path.name} says what {leading.name} says", told)
            for target in targets():
                back = partial(round_trip, path, name, target)
                yield Case(f"{inner.name}/{path.name} through {target} and back", back)


def files(folder: Path) -> list[Path]:
    """The files whose name some format that is read claims."""
    return [path for path in sorted(folder.iterdir()) if format_of(path)]


def format_of(path: Path) -> str:
    fits = [
        (len(end), one.name)
        for one in formats.documents().values()
        if one.read
        for end in one.endings
        if path.name.endswith(end)
    ]
    return max(fits)[1] if fits else ""


def targets() -> list[str]:
    return [one.name for one in formats.documents().values() if one.read and one.write]


def read(path: Path, name: str) -> Document:
    return formats.read(path.read_bytes(), name)


def alike(path: Path, name: str, leading: Path) -> None:
    """The two say the same, but for what the file's known oddity explains."""
    found = difference(read(path, name), read(leading, LEADING))
    place = f"{path.parent.name}/{path.name}"
    known = [one for one in ODDITIES if any(fnmatch(place, pattern) for pattern in one.files)]
    if not known:
        expect((found.only_first[:2], found.only_second[:2]), ((), ()), "the difference")
        return
    expect(bool(found), True, f"there is the difference of which it is known that {known[0].cause}")
    told = {known[0].undo(one) for one in _sentences(found.only_first)}
    bundles = {f"{one.partition(': ')[0]}: bundle" for one in told}  # each is there when something is in it
    others = set(_sentences(found.only_second)) - bundles
    expect(sorted(told - bundles ^ others)[:2], [], f"what is left when it is undone that {known[0].cause}")


def _sentences(said: tuple[tuple[str, str], ...]) -> Iterator[str]:
    return (f"<{bundle}>: {sentence}" for bundle, sentence in said)


def round_trip(path: Path, name: str, target: str) -> None:
    """What comes back is the same, or it was said what the format can't hold."""
    document = read(path, name)
    chunks, losses = formats.write_document(document, target)
    found = difference(document, formats.read(b"".join(chunks), target))
    if found and not losses:
        said = (found.only_first[:2], found.only_second[:2])
        raise AssertionError(f"changed without a word: {said}")


def refused(path: Path) -> None:
    """The reader says where and why, and what to do."""
    for name in (format_of(path) or None, None):
        try:
            formats.read(path.read_bytes(), name, path.name)
        except Unreadable as error:
            expect(all((error.where, error.reason, error.remedy)), True, "where, why, and what to do")
        else:
            raise AssertionError("it was read")
