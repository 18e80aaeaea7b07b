"""Bytes to events: a delivery is split into items, and each item is decoded by itself, strictly.

One bad item never spoils the others: :func:`split_items` only finds where items begin and end, and everything
else that may be wrong is said by :func:`decode_event` about its item: field (as a JSON pointer), reason and
remedy.

The usual way costs one typed decode and one re-encoding of the same event. They show what a decoder would
drop in silence: each key of the text comes with one colon, so a key given twice leaves the text with more
colons than the event has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import compress, islice

import msgspec

from provmodel import plainness
from provmodel.cloudevents import SIGN as CLOUDEVENT
from provmodel.cloudevents import unwrap
from provmodel.errors import Refused, TooLarge, Unreadable
from provmodel.events import Event
from provmodel.explaining import refusal

MAX_ITEMS = 10_000  # in one delivery
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
# A quotation mark by itself begins a text that has no end.
_TOKENS = re.compile(_STRING + rb'|["\[\]{},]', re.DOTALL)
_FLAT = rb"(?:[^\[\]{}\"]++|" + _STRING + rb")*+"
# Items that hold no others, each with the comma after it: so many of them are told without reading them.
_ITEM = rb"\s*+(?:\{" + _FLAT + rb"\}|\[" + _FLAT + rb"\]|" + _STRING + rb"|[^\[\]{}\",\s]++)\s*+,"
_MANY = re.compile(rb"\[(?:%b){%d}" % (_ITEM, MAX_ITEMS), re.DOTALL).match
_LINES = re.compile(rb"[ \t\r\n]*+([^\n]++)").finditer
_DEEPEST = 100_000  # brackets within each other in a bad item; its end is not looked for beyond
_MAX_TOKENS = 500_000  # of bad items that the tolerant splitter reads, some 0.2 s, before it gives up
_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_SEND = "send a JSON array of events, or one event a line, in UTF-8"

_lax = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, strict=False)
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
    data = _bare(data)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        raise Unreadable("byte 0", "the text is not UTF-8", _SEND)
    if lines or in_lines(data):
        return _limited([found[1] for found in islice(_LINES(data), limit + 1)], limit)
    if data[:1] == b"{":
        return [data]
    if data[:1] == b"[":
        return _limited(_split_array(data, limit), limit)
    raise Unreadable("byte 0", "this is no JSON array or object" if data else "there is nothing in it", _SEND)


def in_lines(data: bytes, named: bool = False) -> bool:
    """Whether data is NDJSON, and not one object or array, by looking; ``named`` says that a file's name says
    so.

    What is no JSON as a whole is lines if its first looks whole, and some line is, or all look it: so a line
    that is cut off or no JSON spoils nobody, and an object over many lines stays one, even if broken.
    """
    data = _bare(data)
    if data[:1] not in (b"{", b"[") or _reads(data):
        return False
    if named:
        return True
    lines = [found[1].rstrip(_BLANK) for found in islice(_LINES(data), MAX_ITEMS + 1)]
    looks = [line[:1] == b"{" and line[-1:] == b"}" for line in lines]
    return len(lines) > 1 and looks[0] and (all(looks) or any(map(_reads, compress(lines, looks))))


def line_numbers(data: bytes) -> list[int]:
    """The number, from 1, of the line of each item of NDJSON: blank lines are none."""
    lines = data.removeprefix(_BOM).split(b"\n")
    return [number for number, line in enumerate(lines, 1) if line.strip(_BLANK)]


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
        raise _too_many(limit)
    return items


def _too_many(limit: int) -> TooLarge:
    return TooLarge("the items of this delivery", f"{limit} items", "send them in several requests")


def _bare(data: bytes) -> bytes:
    return data.removeprefix(_BOM).strip(_BLANK)


def _reads(text: bytes) -> bool:
    """Whether a text is one JSON value, whole."""
    try:
        _one.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _split_array(data: bytes, limit: int) -> list[bytes]:
    if limit >= MAX_ITEMS and _MANY(data):
        raise _too_many(limit)
    try:
        items = _items.decode(data)
    except msgspec.DecodeError as error:
        return list(islice(_split_tolerantly(data, str(error)), limit + 1))
    except RecursionError:
        return list(islice(_split_tolerantly(data, plainness.too_deep()[0]), limit + 1))
    if len(items) > limit:
        raise _too_many(limit)
    return [bytes(item) for item in items]


def _split_tolerantly(data: bytes, why: str) -> Iterator[bytes]:
    """Items of an array of which one can't be read, so that what is wrong inside it stays its own affair.

    A good item is stepped over by a lax parser, a bad one by its brackets and commas alone.
    """
    text = data.decode("latin-1")  # a character a byte: nothing but ASCII counts here
    spare = _Spare(_MAX_TOKENS)
    at = 1
    try:
        while True:
            end = _end_of_item(data, text, at, spare)
            item = data[at:end].strip(_BLANK)
            last = data[end] == ord("]")
            if item or not last or at > 1:
                yield item
            at = end + 1
            if last:
                break
    except IndexError:
        at = 0
    if not at or data[at:].strip(_BLANK):
        raise Unreadable("body", f"the array can't be read: {why}", _SEND)


class _Spare:
    """How many more tokens of bad items are read before the splitter gives up."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens


def _end_of_item(data: bytes, text: str, start: int, spare: _Spare) -> int:
    """Where the comma or bracket stands that ends the item at ``start``; raises IndexError when there is
    none.
    """
    try:
        end = _after_blanks(data, _lax.raw_decode(text, _after_blanks(data, start))[1])
        if data[end] in b",]":
            return end
    except (ValueError, RecursionError):
        pass
    depth = 0
    for match in _TOKENS.finditer(data, start):
        spare.tokens -= 1
        sign = data[match.start()]
        if depth == 0 and sign in b",]":
            return match.start()
        if sign in b"[{":
            depth += 1
        elif sign in b"]}" and depth:
            depth -= 1
        if spare.tokens < 0 or depth > _DEEPEST or match[0] == b'"':
            break
    raise IndexError


def _after_blanks(data: bytes, at: int) -> int:
    while data[at] in _BLANK:
        at += 1
    return at


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
