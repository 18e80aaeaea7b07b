"""Writes OTLP/JSON as exporters do, so that a test shows only what it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from provmodel.events import Envelope, Event
from provmodel.sources import Reading, named

TRACE = "0af7651916cd43dd8448eb211c80319c"
CASES = Path(__file__).parents[2] / "cases"
E = TypeVar("E", bound=Envelope)

_strict = msgspec.json.Decoder(Event)


def value(given: object) -> dict[str, Any]:
    """An ``AnyValue``. A dictionary is one already."""
    match given:
        case dict():
            return given
        case bool():
            return {"boolValue": given}
        case int():
            return {"intValue": str(given)}
        case float():
            return {"doubleValue": given}
        case list():
            return {"arrayValue": {"values": [value(item) for item in given]}}
        case _:
            return {"stringValue": given}


def pairs(attributes: Mapping[str, object]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(given)} for key, given in attributes.items()]


def span(
    kind: str | None = None, attributes: Mapping[str, object] | None = None, /, **fields: object
) -> dict[str, Any]:
    """A span of ten milliseconds; ``fields`` are OTLP's, and ``None`` leaves one out."""
    named_kind: dict[str, object] = {} if kind is None else {"openinference.span.kind": kind}
    given = {
        "traceId": TRACE,
        "spanId": "a000000000000001",
        "name": "step",
        "startTimeUnixNano": "1767225600000000000",
        "endTimeUnixNano": "1767225600010000000",
        "attributes": pairs(named_kind | dict(attributes or {})),
    }
    return {key: inner for key, inner in (given | fields).items() if inner is not None}


def document(*spans: dict[str, Any], service: str | None = "agent-svc") -> dict[str, Any]:
    resource: dict[str, object] = {} if service is None else {"service.name": service}
    scopes = [{"scope": {"name": "story"}, "spans": list(spans)}]
    return {"resourceSpans": [{"resource": {"attributes": pairs(resource)}, "scopeSpans": scopes}]}


def read(*spans: dict[str, Any], service: str | None = "agent-svc") -> Reading:
    return read_bytes(json.dumps(document(*spans, service=service)).encode())


def read_bytes(data: bytes) -> Reading:
    """What becomes of ``data``; every event must be one that the strict decoder takes as well."""
    reading = named("otlp").read(data)
    for event in reading.events:
        assert _strict.decode(msgspec.json.encode(event)) == event
    return reading


def read_case(name: str, *batches: str) -> Reading:
    """The batches of a case as one array; all of them unless named."""
    folder = CASES / name
    files = [folder / batch for batch in batches] or sorted(folder.glob("batch-*.json"))
    return read_bytes(b"[" + b",".join(file.read_bytes() for file in files) + b"]")


def only(reading: Reading, kind: type[E]) -> E:
    """The one event of that kind."""
    [event] = every(reading, kind)
    return event


def every(reading: Reading, kind: type[E]) -> list[E]:
    return [event for event in reading.events if isinstance(event, kind)]


def unread(reading: Reading) -> dict[str, int]:
    return {remark.what: remark.count for remark in reading.not_understood}


def notes(reading: Reading) -> dict[str, int]:
    return {remark.what: remark.count for remark in reading.notes}
