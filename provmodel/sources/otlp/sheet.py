"""What every event of a span shares, and where its reader writes what it could not use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal
from urllib.parse import quote

from provmodel import names
from provmodel.errors import Unreadable
from provmodel.events import AttributeValue, Ref
from provmodel.sources import Margin
from provmodel.sources.otlp import wire
from provmodel.sources.otlp.bag import Bag
from provmodel.sources.otlp.contents import Content, content, media_type
from provmodel.sources.otlp.messages import Message
from provmodel.sources.otlp.spans import WireSpan
from provmodel.sources.otlp.wire import Value, moment

MOST_WORD, MOST_ATTRIBUTE, MOST_TEXT = 256, 1024, 65536  # characters
_MOST_ADDRESS = 1024  # characters, of which encoding makes more

# What no reference may hold (names.clean refuses it): a tool's or service's name keeps it percent-encoded.
_NEVER = re.compile(r"[\x00-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_NUL, _SYMBOL_FOR_NUL = "\0", "\u2400"


def scalar(value: Value) -> AttributeValue | None:
    """A value that is short enough to stand as an attribute; ``None`` when it is not."""
    match value:
        case str():
            return value if len(value) <= MOST_ATTRIBUTE and _NUL not in value else None
        case int():
            return value if wire.MIN_INT <= value <= wire.MAX_INT else None
        case float():
            return value
        case _:
            return None


def attribute(value: Value) -> AttributeValue | list[AttributeValue] | None:
    """A value, or a list of values, that can stand as an attribute."""
    if not isinstance(value, list):
        return scalar(value)
    kept = [found for item in value if (found := scalar(item)) is not None]
    return kept if len(kept) == len(value) else None


class Sheet:
    """One span, its attributes while they are read, and the margin of the reading."""

    def __init__(self, span: WireSpan, margin: Margin) -> None:
        self.span = span
        self.bag = Bag(span.attributes)
        self.margin = margin
        self.where = f"span {span.path}"
        self.ref = f"span:{span.path}"
        self._remark_times()

    # What goes into events

    def envelope(self, number: int) -> dict[str, Any]:
        """Id, source, time and run. The time is the span's end, or its start when it did not end."""
        span = self.span
        last = span.end if span.end is not None else span.start
        return {
            "id": f"{span.path}/{number}",
            "source": self.named("otlp", span.service),
            "time": wire.EPOCH if last is None else moment(last),
            "run": f"trace:{span.trace}",
        }

    def activity(self) -> dict[str, Any]:
        """Start, end and parent. A parent that never comes stays a name."""
        span = self.span
        return {
            "started": None if span.start is None else moment(span.start),
            "ended": None if span.end is None else moment(span.end),
            "parent": f"span:{span.trace}/{span.parent}" if span.parent not in (None, span.span) else None,
        }

    def named(self, scheme: str, name: str) -> str:
        """A reference made from a name; raises :class:`Unreadable` when it is too long for one."""
        ref = names.under(scheme, _NEVER.sub(lambda match: quote(match[0]), name))
        if len(ref) > names.MAX_REF:
            reason = f"it has {len(ref)} characters, more than {names.MAX_REF}"
            raise Unreadable(f"name of {scheme}", reason, "shorten it")
        return ref

    def agent(self) -> str | None:
        """The agent that the span says it is of."""
        name = self.bag.pop_text("agent.name")
        return self.named("agent", name) if name else None

    def message(self, way: str, message: Message) -> Ref:
        ref = f"message:{self.span.path}/{way}/{message.index}"
        return message.content.as_ref(ref, self.short(message.role, "message.role"), message.index)

    def addressed(self, messages: Iterable[Message]) -> list[Ref]:
        """What stood at the addresses that messages give in place of content: sent, and not captured. An
        address has no version: another time something else may stand there.
        """
        found: dict[str, Ref] = {}
        for message in messages:
            for address in message.addresses:
                if len(address) > _MOST_ADDRESS:
                    self.margin.note(self.where, f"an address of over {_MOST_ADDRESS} characters is no name")
                    continue
                ref = self.named("http-response", address.replace("@", "%40"))  # it names no version
                found[ref] = Ref(ref=ref, role=self.short(message.role, "role"), state="never_captured")
        return list(found.values())

    def value(self, way: str) -> Content | None:
        """The span's "input" or "output" value; ``None`` when it has none."""
        key = f"{way}.value"
        if key not in self.bag:
            return None
        kind = media_type(self.bag.pop(f"{way}.mime_type"))
        return content(self.bag.pop(key), kind, cut=way == "output" and self.span.end is None)

    def value_refs(self, scheme: str, short_way: str, way: str) -> list[Ref]:
        """The value as the only message, or as what a wrapper was given or gave back."""
        found = self.value(way)
        if found is None:
            return []
        if scheme == "message":
            return [found.as_ref(f"message:{self.span.path}/{short_way}/0", position=0)]
        return [found.as_ref(f"{scheme}:{self.span.path}/{short_way}")]

    def status(self) -> str | None:
        return None if self.span.status == "unset" else self.short(self.span.status, "status.code")

    def outcome(self) -> Literal["completed", "failed", "unknown"]:
        """An error is a failure; an attempt that never ended may have done anything."""
        if self.span.status == "error":
            return "failed"
        return "unknown" if self.span.end is None else "completed"

    def error(self) -> str | None:
        """What the status or a recorded exception says went wrong."""
        span = self.span
        problems = [": ".join(filter(None, (problem.type, problem.message))) for problem in span.problems]
        said = [text for text in (span.message, *problems) if text]
        for text in said[1:]:
            if text != said[0]:
                self.margin.unread(self.where, "exception: one before it stands as the error")
        return self.text(said[0], "error") if said else None

    # Texts within their bounds

    def word(self, key: str) -> str | None:
        """A short text attribute, taken."""
        return self.short(self.bag.pop_text(key), key)

    def short(self, value: str | None, what: str) -> str | None:
        """``value`` when it is a word of at most 256 characters; else it is reported."""
        if not value:
            return None
        if len(value) > MOST_WORD or _NUL in value:
            self.margin.unread(self.where, f"{what}: it is no word of 1 to {MOST_WORD} characters")
            return None
        return value

    def text(self, value: str, what: str) -> str:
        """``value`` as a text field holds it: cut at its limit, NUL shown as a symbol; both are noted."""
        if len(value) > MOST_TEXT:
            self.margin.note(self.where, f"{what}: cut after {MOST_TEXT} characters")
        if _NUL in value:
            self.margin.note(self.where, f"{what}: U+2400 stands for NUL")
        return value[:MOST_TEXT].replace(_NUL, _SYMBOL_FOR_NUL)

    # What is left aside

    def superseded(self, way: str, has_messages: bool) -> None:
        """The "input" or "output" value says again what the messages say."""
        for key in (f"{way}.value", f"{way}.mime_type"):
            if has_messages and key in self.bag:
                self.bag.pop(key)
                self.margin.unread(self.where, f"attribute {key}: messages were read instead")

    def possibly_dropped(self, prefix: str, numbers: str) -> None:
        if numbers:
            self.margin.note(self.where, f"possibly dropped attributes: {prefix} lacks {numbers}")

    def unread_links(self) -> None:
        for _ in self.span.links:
            self.margin.unread(self.where, "link of a model or tool call")

    def unread_problem(self) -> None:
        """What went wrong in a step that has no room for it."""
        if self.span.message:
            self.margin.unread(self.where, "status message")
        for _ in self.span.problems:
            self.margin.unread(self.where, "event exception")

    def report(self) -> None:
        """Every attribute that no event took."""
        for key, _ in self.bag.left():
            self.margin.unread(self.where, f"attribute {key}")

    def _remark_times(self) -> None:
        span = self.span
        if span.start is None and span.end is None:
            self.margin.note(self.where, f"no times: {wire.EPOCH} stands as the time of report")
        if span.start == 0:
            self.margin.note(self.where, "start at 0 nanoseconds, the year 1970")
        if span.start is not None and span.end is not None and span.end < span.start:
            self.margin.note(self.where, "end before start")
