"""Bytes -> spans, each still undecoded, with the name of the service that made it.

A delivery is one ``resourceSpans`` document, a JSON array of such documents, or one a line. Only the frame
around the spans is read here, level by level, so that what is wrong inside a span stays that span's own
affair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct

from provmodel.errors import Unreadable
from provmodel.sources import Margin
from provmodel.sources.otlp import wire

UNKNOWN_SERVICE = "unknown_service"
"""What OpenTelemetry's resource conventions call a service that has no name."""

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_NULL = b"null"
_REMEDY = 'send OTLP/JSON: {"resourceSpans": [...]}, an array of such documents, or one a line'
_LOOK = 1 << 20  # bytes in which a document names its spans, when it is one
_ROOT = "resourceSpans"

# An escaped backslash, a surrogate pair, or half of one: exporters that cut long texts cut through emoji.
_SURROGATES = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_REPLACEMENT = rb"\ufffd"

_object = msgspec.json.Decoder(dict[str, Raw])
_array = msgspec.json.Decoder(list[Raw])
T = TypeVar("T")


class Found(Struct, frozen=True):
    """One undecoded span: ``where`` is its path in the delivery."""

    where: str
    service: str
    raw: Raw


def looks_like(data: bytes) -> bool:
    """Whether ``data`` has ``resourceSpans`` at the top of its first document."""
    if b'"resourceSpans"' not in data[:_LOOK]:
        return False
    try:
        _, first = next(_documents(data.removeprefix(_BOM).strip(_BLANK), Margin()))
        return _ROOT in _read(_object, first, "document")
    except (Unreadable, StopIteration):
        return False


def spans(data: bytes, margin: Margin) -> Iterator[Found]:
    """Every span of ``data``; raises :class:`Unreadable` when nothing in it is OTLP."""
    data = data.removeprefix(_BOM).strip(_BLANK)
    if not data:
        raise Unreadable("document", "there is nothing in it", _REMEDY)
    read, failed = 0, None
    for where, raw in _documents(data, margin):
        try:
            resources = _resources(raw, where, margin)
        except Unreadable as error:
            failed = failed or error
            margin.reject(error.where, error.reason)
            continue
        read += 1
        for index, resource in enumerate(resources):
            yield from _resource(resource, f"{where}resourceSpans[{index}]", margin)
    if failed and not read:
        raise failed


def _read(decoder: msgspec.json.Decoder[T], raw: Raw | bytes, where: str) -> T:
    try:
        return decoder.decode(raw)
    except RecursionError:
        raise Unreadable(where, "it is nested too deep", _REMEDY) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unreadable(where, f"it is no OTLP/JSON: {error}", _REMEDY) from None


def _documents(data: bytes, margin: Margin) -> Iterator[tuple[str, Raw | bytes]]:
    """(prefix of paths, document) of each. Lines are tried when the whole is not one JSON value."""
    lines = _lines(data)
    if not lines:
        yield from _unpacked(data, "", margin)
    for number, line in lines:
        try:
            yield from _unpacked(line, f"line {number}: ", margin)
        except Unreadable as broken:
            margin.reject(broken.where, broken.reason)


def _lines(data: bytes) -> list[tuple[int, bytes]]:
    """The lines, when the whole is no object and one of them at least is a document by itself; else none."""
    if data[:1] != b"{" or _is_object(data):
        return []
    lines = [(number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip(_BLANK)]
    return lines if len(lines) > 1 and any(_is_document(line) for _, line in lines) else []


def _is_object(data: bytes) -> bool:
    try:
        _read(_object, data, "document")
    except Unreadable:
        return False
    return True


def _is_document(line: bytes) -> bool:
    if b'"resourceSpans"' not in line:
        return False
    try:
        return _ROOT in _read(_object, _mended(line)[0], "line")
    except Unreadable:
        return False


def _unpacked(data: bytes, where: str, margin: Margin) -> list[tuple[str, Raw | bytes]]:
    """The documents of one JSON value: it is one, or an array of them."""
    place = where.removesuffix(": ") or "document"
    try:
        return _items(data, where, place)
    except Unreadable:
        mended, count = _mended(data)
        if not count:
            raise
    found = _items(mended, where, place)
    margin.note(place, "half of a surrogate pair in a text: U+FFFD stands for it", count)
    return found


def _items(data: bytes, where: str, place: str) -> list[tuple[str, Raw | bytes]]:
    if data.lstrip(_BLANK)[:1] == b"[":
        items = _read(_array, data, place)
        return [(f"{where}[{index}].", item) for index, item in enumerate(items)]
    _read(_object, data, place)
    return [(where, data)]


def _mended(data: bytes) -> tuple[bytes, int]:
    """``data`` with the replacement character for each half of a surrogate pair, and how many there were."""
    halves = 0

    def mend(match: re.Match[bytes]) -> bytes:
        nonlocal halves
        halves += match[1] is not None
        return _REPLACEMENT if match[1] else match[0]

    return _SURROGATES.sub(mend, data), halves


def _resources(raw: Raw | bytes, where: str, margin: Margin) -> list[Raw]:
    place = where.rstrip(".: ") or "document"
    document = _read(_object, raw, place)
    if document and _ROOT not in document:
        raise Unreadable(place, f"it has no resourceSpans, but {', '.join(sorted(document)[:5])}", _REMEDY)
    _report_unknown(document, (_ROOT,), "document field", place, margin)
    return _repeated(document.get(_ROOT), f"{where}resourceSpans")


def _repeated(raw: Raw | None, where: str) -> list[Raw]:
    """A repeated field; null and absence are the empty list."""
    return [] if _is_null(raw) else _read(_array, raw or b"", where)


def _is_null(raw: Raw | None) -> bool:
    return raw is None or memoryview(raw) == _NULL


def _report_unknown(
    found: dict[str, Any], known: tuple[str, ...], kind: str, where: str, margin: Margin
) -> None:
    for name in found:
        if name not in known:
            margin.unread(where, f"{kind} {name}")


def _resource(raw: Raw, where: str, margin: Margin) -> Iterator[Found]:
    """The spans of one resource; a resource that can't be read rejects its spans, and no others."""
    try:
        entry = _read(_object, raw, where)
        service = _service(entry.get("resource"), where, margin)
        scopes = _repeated(entry.get("scopeSpans"), f"{where}.scopeSpans")
    except Unreadable as error:
        margin.reject(where, f"{error.where}: {error.reason}")
        return
    _report_unknown(entry, ("resource", "scopeSpans"), "resource field", where, margin)
    for index, scope in enumerate(scopes):
        yield from _scope(scope, f"{where}.scopeSpans[{index}]", service, margin)


def _service(raw: Raw | None, where: str, margin: Margin) -> str:
    """``service.name`` of a resource. Of its other attributes none is kept."""
    resource = {} if _is_null(raw) else wire.decode(raw or b"")
    _report_unknown(resource, ("attributes",), "resource field", where, margin)
    field = "resource.attributes"
    found = wire.attributes(resource.get("attributes"), field, lambda what: margin.unread(where, what))
    for key in found:
        if key != "service.name":
            margin.unread(where, f"resource attribute {key}")
    name = found.get("service.name")
    return name if isinstance(name, str) and name else UNKNOWN_SERVICE


def _scope(raw: Raw, where: str, service: str, margin: Margin) -> Iterator[Found]:
    try:
        entry = _read(_object, raw, where)
        items = _repeated(entry.get("spans"), f"{where}.spans")
    except Unreadable as error:
        margin.reject(where, f"{error.where}: {error.reason}")
        return
    _report_unknown(entry, ("scope", "spans"), "scope field", where, margin)
    _report_scope(entry.get("scope"), where, margin)
    for index, item in enumerate(items):
        yield Found(f"{where}.spans[{index}]", service, item)


def _report_scope(raw: Raw | None, where: str, margin: Margin) -> None:
    """Which library instrumented the program is kept nowhere."""
    try:
        scope = {} if _is_null(raw) else _read(_object, raw or b"", where)
    except Unreadable:
        margin.unread(where, "scope: it is no object")
        return
    for name in scope:
        margin.unread(where, f"scope field {name}")
