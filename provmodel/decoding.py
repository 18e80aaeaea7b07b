"""Bytes to events: a delivery is split into items, and each item is decoded by itself, strictly.

One bad item never spoils the others: :func:`split_items` only finds where items begin and end, and everything
else that may be wrong is said by :func:`decode_event` about its item: field (as a JSON pointer), reason and
remedy.

The usual way costs one typed decode and one re-encoding of the same event. They show what a decoder would
drop in silence: each key of the text comes with one colon, so a key given twice leaves the text with more
colons than the event has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from provmodel import plainness
from provmodel.cloudevents import SIGN as CLOUDEVENT
from provmodel.cloudevents import unwrap
from provmodel.errors import Refused, TooLarge, Unreadable
from provmodel.events import Event
from provmodel.explaining import refusal

MAX_ITEMS = 10_000  # in one delivery
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{},]', re.DOTALL)
_MAX_TOKENS = 2_000_000  # that the tolerant splitter reads, about half a second, before it gives up
_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_SEND = "send a JSON array of events, or one event a line, in UTF-8"

_event = msgspec.json.Decoder(Event)
_items = msgspec.json.Decoder(list[msgspec.Raw])
_one = msgspec.json.Decoder(msgspec.Raw)
_plain = msgspec.json.Decoder()
_text = msgspec.json.Encoder()
_binary = msgspec.msgpack.Encoder()


def split_items(data: bytes, lines: bool = False, limit: int = MAX_ITEMS) -> list[bytes]:
    """The items of a JSON array, of NDJSON, or of a single object, undecoded.

    ``lines`` says that the data was announced as NDJSON. Raises :class:`Unreadable` when no items can be told
    apart, and :class:`TooLarge` when they are more than ``limit``.
    """
    data = data.removeprefix(_BOM).strip(_BLANK)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        raise Unreadable("byte 0", "the text is not UTF-8", _SEND)
    if lines or (data[:1] == b"{" and not _is_one_value(data)):
        return _limited([line for line in data.split(b"\n") if line.strip(_BLANK)], limit)
    if data[:1] == b"{":
        return [data]
    if data[:1] == b"[":
        return _limited(_split_array(data), limit)
    raise Unreadable("byte 0", "this is no JSON array or object" if data else "there is nothing in it", _SEND)


def decode_event(raw: bytes) -> Event:
    """One event from its JSON text, or from a CloudEvents 1.0 envelope around it.

    Raises :class:`Unreadable` for what is no JSON, else :class:`Refused` with the field, the reason and the
    remedy.
    """
    if CLOUDEVENT in raw:
        raw = unwrap(raw)
    event = _typed(raw)
    # A backslash may hide a key, a colon or a NUL; only a body of JSON may be deep or hold any number.
    if b"\\" in raw or b'"json"' in raw:
        _check_unseen(raw, event)
    if raw.count(b":") != _text.encode(event).count(b":"):
        _check_dropped(raw)
    return event


def _limited(items: list[bytes], limit: int) -> list[bytes]:
    if len(items) > limit:
        raise TooLarge(f"{len(items)} items", f"{limit} items", "send them in several requests")
    return items


def _is_one_value(data: bytes) -> bool:
    """Whether an object stands alone, and not one a line; what can't be read is told by how its lines begin
    and end.
    """
    try:
        _one.decode(data)
    except (msgspec.DecodeError, RecursionError):
        lines = [line.strip(_BLANK) for line in data.split(b"\n")]
        return len(lines) == 1 or not all(line[:1] == b"{" and line[-1:] == b"}" for line in lines if line)
    return True


def _split_array(data: bytes) -> list[bytes]:
    try:
        return [bytes(item) for item in _items.decode(data)]
    except (msgspec.DecodeError, RecursionError) as error:
        return list(_split_tolerantly(data, str(error)))


def _split_tolerantly(data: bytes, why: str) -> Iterator[bytes]:
    """Items by brackets and commas alone, so that what is wrong inside one of them stays its own affair."""
    depth, start, end = 0, 1, 0
    for count, match in enumerate(_TOKENS.finditer(data)):
        sign = data[match.start()]
        if sign in b"[{":
            depth += 1
        elif sign in b"]}":
            depth -= 1
        if (depth == 1 and sign == ord(",")) or depth == 0:
            item = data[start : match.start()].strip(_BLANK)
            start, end = match.end(), match.end()
            yield item
        if depth == 0 or count > _MAX_TOKENS:
            break
    if depth or end != len(data):
        raise Unreadable("body", f"the array can't be read: {why}", _SEND)


def _typed(raw: bytes) -> Event:
    try:
        return _event.decode(raw)
    except msgspec.ValidationError as error:
        raise refusal(raw, str(error)) from None
    except msgspec.DecodeError as error:
        plainness.check(raw)
        raise Unreadable("body", f"this is not JSON: {error}", "send one JSON object an event") from None
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start}", "the text is not UTF-8", "send UTF-8") from None
    except RecursionError:
        raise Refused("", *plainness.too_deep()) from None


def _check_unseen(raw: bytes, event: Event) -> None:
    colon = b"\\u003a" in raw or b"\\u003A" in raw
    suspicious = colon or b"\\u0000" in raw or raw.count(b"[") + raw.count(b"{") > plainness.MAX_DEPTH
    try:
        _binary.encode(event)
    except OverflowError:
        suspicious = True
    if suspicious:
        plainness.check(raw)


def _check_dropped(raw: bytes) -> None:
    """The typed decoder drops defaults that were written out, too; a plain one drops only what is given
    twice.
    """
    if raw.count(b":") != _text.encode(_plain.decode(raw)).count(b":"):
        plainness.check(raw)
