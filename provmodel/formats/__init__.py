"""The shelf of wire formats: what each module of this folder offers, found by name, media type, file ending,
or by looking.

A module that has a ``FORMAT`` writes exports, one that has ``DOCUMENTS`` reads and writes whole documents;
where one file would be too long for both, two modules say the same name. A format is one new file. Formats
never import each other; what they share is in :mod:`provmodel.statements`, :mod:`provmodel.lexical` and
:mod:`provmodel.documents`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, TypeVar

import msgspec

from provmodel.document import Document, Loss, Remark
from provmodel.documents import own
from provmodel.errors import BadQuestion, Unreadable
from provmodel.exporting import document_of
from provmodel.lexical import CLEW
from provmodel.statements import DETAILS, Detail, Feed
from provmodel.unhindered import no_collections


class Format(msgspec.Struct, frozen=True):
    """One format. ``media_types`` and ``endings`` (with their dot) have the preferred one first; ``write``
    gives the bytes chunk by chunk, in constant memory.
    """

    name: str
    title: str
    media_types: tuple[str, ...]
    endings: tuple[str, ...]
    write: Callable[[Feed, Detail], Iterator[bytes]]


class Documents(msgspec.Struct, frozen=True):
    """How one format holds a whole document; name, media types and endings as in :class:`Format`.

    ``read`` raises :class:`Unreadable`. ``write`` adds what the format can't hold to the list as it goes, and
    gives bytes chunk by chunk. ``looks`` says whether bytes look like the format: 0 no, 1 they may, 2 surely;
    it is quick whatever the bytes are. A format that can't be read, or not be written, has None there.
    ``is_rdf`` and ``bare`` (the relations that have no attributes in PROV have none in it) say which forms of
    Clew's own are written otherwise in it (:mod:`provmodel.documents.own`).
    """

    name: str
    title: str
    media_types: tuple[str, ...]
    endings: tuple[str, ...]
    read: Callable[[bytes], Document] | None = None
    write: Callable[[Document, list[Loss]], Iterator[bytes]] | None = None
    looks: Callable[[bytes], int] = lambda _: 0
    is_rdf: bool = False
    bare: bool = False


def _modules() -> Iterator[ModuleType]:
    return (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))


@cache
def shelf() -> dict[str, Format]:
    """Every format of this folder that writes exports by its name, ordered by name."""
    formats: list[Format] = [module.FORMAT for module in _modules() if hasattr(module, "FORMAT")]
    return {one.name: one for one in sorted(formats, key=lambda one: one.name)}


@cache
def documents() -> dict[str, Documents]:
    """Every format of this folder that holds documents by its name, ordered by name."""
    offered: list[Documents] = [module.DOCUMENTS for module in _modules() if hasattr(module, "DOCUMENTS")]
    return {one.name: one for one in sorted(offered, key=lambda one: one.name)}


Writable = Format | Documents
"""A format in which something can be written."""


@cache
def writable() -> dict[str, Writable]:
    """Every format in which feeds and documents can be written, by its name, ordered by name.

    One with a ``FORMAT`` streams a feed; the others are given the document that the feed amounts to, which
    must fit into memory (:data:`provmodel.exporting.MOST`).
    """
    whole: dict[str, Writable] = {one.name: one for one in documents().values() if one.write}
    return dict(sorted({**whole, **shelf()}.items()))


def by_name(name: str) -> Writable:
    """The format of that name to write; raises :class:`BadQuestion` that lists the names."""
    return _named(name, writable())


def by_media_type(media_type: str) -> Writable | None:
    """The format that writes a media type (its parameters are ignored), or None."""
    wanted = media_type.partition(";")[0].strip().lower()
    return next((one for one in writable().values() if wanted in one.media_types), None)


def by_ending(file_name: str) -> Writable | None:
    """The format that a file's name asks for, by the longest ending that fits, or None."""
    lowered = file_name.lower()
    fits = [(len(end), one) for one in writable().values() for end in one.endings if lowered.endswith(end)]
    return max(fits, key=lambda fit: fit[0])[1] if fits else None


def write(
    feed: Feed, name: str, assertions: str = "all", losses: list[Loss] | None = None
) -> Iterator[bytes]:
    """Write what ``feed`` gives, in the format of that name. What the format can't hold is added to
    ``losses``, which is whole when the last chunk was drawn.

    Raises :class:`BadQuestion` before the first chunk.
    """
    detail = next((one for one in DETAILS if one == assertions), None)
    if detail is None:
        raise BadQuestion("assertions", f"{assertions!r} is not offered", f"use one of {', '.join(DETAILS)}")
    found = by_name(name)
    if isinstance(found, Format):
        return found.write(feed, detail)
    return _written_whole(feed, found, detail, [] if losses is None else losses)


def _written_whole(feed: Feed, form: Documents, detail: Detail, losses: list[Loss]) -> Iterator[bytes]:
    yield from _write(document_of(feed, detail), form, losses)


def detect(data: bytes, format: str | None = None, name: str | None = None) -> Documents:  # noqa: A002
    """The format in which ``data`` is written, among those that can be read.

    ``format`` is a format's name, which settles it, or a media type, which is a hint, as is the ending of the
    file name ``name``: what surely is another format is taken for that. Raises :class:`BadQuestion` for a
    format that isn't offered, and :class:`Unreadable` for bytes that look like none.
    """
    readable = {one.name: one for one in documents().values() if one.read}
    if format and "/" not in format:
        return _named(format, readable)
    hinted = _hinted(list(readable.values()), (format or "").partition(";")[0].strip().lower(), name or "")
    looks = {one.name: one.looks(data) for one in readable.values()}
    best = max(looks, key=lambda one: (looks[one], one == hinted), default="")
    if hinted and (not looks[best] or (looks[hinted] and looks[best] < SURE)):
        return readable[hinted]
    if not best or not looks[best]:
        known = ", ".join(readable)
        raise Unreadable("the beginning", "it looks like no format that is read", f"name one of {known}")
    return readable[best]


NOTHING = "there is nothing in it, and it is taken for an empty document"
_OWN = CLEW.encode()  # stands in every text that has a form of Clew's own
SURE = 2
"""What ``looks`` gives for bytes that surely are of the format."""


def _hinted(offered: list[Documents], media_type: str, file_name: str) -> str | None:
    by_type = [one.name for one in offered if media_type in one.media_types]
    lowered = file_name.lower()
    by_end = [(len(end), one.name) for one in offered for end in one.endings if lowered.endswith(end)]
    return by_type[0] if by_type else max(by_end)[1] if by_end else None


_F = TypeVar("_F", Documents, Writable)


def _named(name: str, among: dict[str, _F]) -> _F:
    """The format of that name, written with its hyphens or without."""
    plain = name.lower().replace("-", "")
    found = next((one for known, one in among.items() if known.replace("-", "") == plain), None)
    if found is None:
        raise BadQuestion("format", f"{name!r} is not offered", f"use one of {', '.join(among)}")
    return found


def read(data: bytes, format: str | None = None, name: str | None = None) -> Document:  # noqa: A002
    """The document in ``data``; for ``format`` and ``name`` see :func:`detect`. Where a format takes nothing
    at all for a document, as those of RDF do, a remark says that there was nothing.

    Raises :class:`Unreadable` that says where and why. Nothing is opened and nothing fetched.
    """
    found = detect(data, format, name)
    if found.read is None:
        raise BadQuestion("format", f"{found.name} can only be written", "give another format")
    with no_collections():
        document = found.read(data)
    if not data or data.isspace():
        remarks = (*document.remarks, Remark("the beginning", NOTHING))
        return msgspec.structs.replace(document, remarks=remarks)
    return own.gathered(document, found.is_rdf) if _OWN in data else document


def document_format(name: str) -> Documents:
    """The format of that name that writes documents; raises :class:`BadQuestion` that lists the names."""
    return _named(name, {one.name: one for one in documents().values() if one.write})


def __getattr__(name: str) -> Any:
    """``to_prov``, ``to_rdflib`` and ``to_networkx``, which need libraries that few have."""
    if name in ("to_prov", "to_rdflib", "to_networkx"):
        return getattr(import_module(f"{__name__}.libraries"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def write_document(document: Document, format: str) -> tuple[Iterator[bytes], list[Loss]]:  # noqa: A002
    """The bytes of ``document`` in the format of that name, and what the format can't hold.

    The list is whole when the last chunk was drawn. Raises :class:`BadQuestion` that lists the names.
    """
    found = _named(format, documents())
    if found.write is None:
        raise BadQuestion("format", f"{found.name} can only be read", "choose another format")
    losses: list[Loss] = []
    return _write(document, found, losses), losses


def _write(document: Document, form: Documents, losses: list[Loss]) -> Iterator[bytes]:
    assert form.write  # noqa: S101 (whoever calls has looked)
    if form.bare or (form.is_rdf and CLEW in document.main.prefixes.values()):
        document = own.apart(document, form.is_rdf)
    return form.write(document, losses)
