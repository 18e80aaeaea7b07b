"""One OTLP span with its ids, times and values in one form each, whatever the exporter wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from provmodel.errors import Unreadable
from provmodel.sources import Margin
from provmodel.sources.otlp import wire
from provmodel.sources.otlp.documents import Found

_READ = frozenset(
    {
        "traceId",
        "spanId",
        "parentSpanId",
        "name",
        "kind",
        "startTimeUnixNano",
        "endTimeUnixNano",
        "status",
        "attributes",
        "links",
        "events",
    }
)
_DROPPED = {
    "droppedAttributesCount": "attributes",
    "droppedEventsCount": "events",
    "droppedLinksCount": "links",
}
_KINDS = ("unspecified", "internal", "server", "client", "producer", "consumer")
_STATUSES = ("unset", "ok", "error")

Odd = Callable[[str], None]


class Problem(Struct, frozen=True):
    """An exception that the span recorded."""

    type: str
    message: str


class WireSpan(Struct, frozen=True):
    """A span as it was sent.

    Ids are lower-case hex. ``start`` and ``end`` are nanoseconds since 1970; an ``end`` of 0 is none, as in
    OTLP. ``status`` is "unset", "ok" or "error" with its ``message``. ``links`` are (trace, span) pairs.
    """

    trace: str
    span: str
    parent: str | None
    service: str
    name: str
    kind: str
    start: int | None
    end: int | None
    status: str
    message: str
    attributes: dict[str, wire.Value]
    links: list[tuple[str, str]]
    problems: list[Problem]

    @property
    def path(self) -> str:
        """The span's ids as they stand in references."""
        return f"{self.trace}/{self.span}"


def read(found: Found, margin: Margin) -> WireSpan:
    """The span in ``found``; raises :class:`provmodel.errors.Unreadable` whose ``where`` is the field."""
    raw = wire.decode(found.raw)
    trace = wire.identity(raw.get("traceId"), wire.TRACE_BYTES, "traceId")
    span = wire.identity(raw.get("spanId"), wire.SPAN_BYTES, "spanId")
    remarks: list[str] = []
    dropped = _dropped(raw)
    status = wire.object_of(raw.get("status") or {}, "status")
    made = WireSpan(
        trace=trace,
        span=span,
        parent=wire.optional_identity(raw.get("parentSpanId"), wire.SPAN_BYTES, "parentSpanId"),
        service=found.service,
        name=wire.text(raw.get("name"), "name"),
        kind=wire.word(raw.get("kind"), "kind", "SPAN_KIND_", _KINDS),
        start=wire.nanos(raw.get("startTimeUnixNano"), "startTimeUnixNano"),
        end=wire.nanos(raw.get("endTimeUnixNano"), "endTimeUnixNano") or None,
        status=wire.word(status.get("code"), "status.code", "STATUS_CODE_", _STATUSES),
        message=wire.text(status.get("message"), "status.message"),
        attributes=wire.attributes(raw.get("attributes"), "attributes", remarks.append),
        links=[_link(item, f"links[{n}]", remarks.append) for n, item in _enumerated(raw, "links")],
        problems=_problems(raw, remarks.append),
    )
    _unknown(raw, _READ, "span field", remarks.append)
    _unknown(status, {"code", "message"}, "status field", remarks.append)
    where = f"span {made.path}"
    for remark in remarks:
        margin.unread(where, remark)
    for what, count in dropped:
        margin.note(where, f"{what} that the producer dropped: messages or values may be missing", count)
    return made


def label(found: Found) -> str:
    """How a span that could not be read is named: its path, and the id that it claims."""
    try:
        claimed = wire.decode(found.raw).get("spanId")
    except Unreadable:
        return found.where
    return f"{found.where} (spanId {wire.shown(claimed)})"


def _enumerated(raw: dict[str, Any], field: str) -> list[tuple[int, Any]]:
    return list(enumerate(wire.listing(raw.get(field), field)))


def _unknown(found: dict[str, Any], known: frozenset[str] | set[str], kind: str, odd: Odd) -> None:
    """What is left aside; a default value (0, empty) says nothing and is not counted."""
    for name, value in found.items():
        if name not in known and name not in _DROPPED and value not in (None, 0, "", [], {}):
            odd(f"{kind} {name}")


def _link(value: Any, field: str, odd: Odd) -> tuple[str, str]:
    link = wire.object_of(value, field)
    trace = wire.identity(link.get("traceId"), wire.TRACE_BYTES, f"{field}.traceId")
    span = wire.identity(link.get("spanId"), wire.SPAN_BYTES, f"{field}.spanId")
    for key in wire.attributes(link.get("attributes"), f"{field}.attributes", odd):
        odd(f"link attribute {key}")
    _unknown(link, {"traceId", "spanId", "attributes"}, "link field", odd)
    return trace, span


def _problems(raw: dict[str, Any], odd: Odd) -> list[Problem]:
    """The exceptions among a span's events. Other events are not read."""
    found = []
    for index, value in _enumerated(raw, "events"):
        field = f"events[{index}]"
        event = wire.object_of(value, field)
        name = wire.text(event.get("name"), f"{field}.name")
        given = wire.attributes(event.get("attributes"), f"{field}.attributes", odd)
        if name == "exception":
            found.append(Problem(_said(given, "exception.type"), _said(given, "exception.message")))
        else:
            odd(f"event {name}")
        for key in given:
            odd(f"attribute {key} of event {name}")
    return found


def _said(given: dict[str, wire.Value], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str):
        return ""
    del given[key]
    return value


def _dropped(raw: dict[str, Any]) -> list[tuple[str, int]]:
    """What the producer says it left out: ("attributes", how many) and so on."""
    counts = [(field, wire.integer(raw.get(field) or 0, field, 0, 2**32 - 1)) for field in _DROPPED]
    return [(_DROPPED[field], count) for field, count in counts if count]
