"""What OTLP/JSON may be written like: documents, ids, times, integers, enums, values."""

import json

import pytest

from provmodel.errors import Unreadable
from provmodel.events import ModelCall, Span, ToolCall
from provmodel.sources.otlp import wire
from tests.provmodel.sources.otlp_story import (
    TRACE,
    document,
    every,
    notes,
    only,
    pairs,
    read,
    read_bytes,
    read_case,
    span,
    unread,
    value,
)

SECOND = "b000000000000002"


def ignore(_what: str) -> None:
    """Takes remarks that a test is not about."""


# --- documents ---


def test_one_document_an_array_and_lines_give_the_same_events() -> None:
    first, second = document(span("LLM")), document(span("TOOL", spanId=SECOND))
    texts = json.dumps(first), json.dumps(second)
    array = read_bytes(f"[{texts[0]},\n{texts[1]}]".encode())
    lines = read_bytes(f"{texts[0]}\n\n{texts[1]}\r\n".encode())
    single = read_bytes(
        json.dumps({"resourceSpans": first["resourceSpans"] + second["resourceSpans"]}).encode()
    )
    assert array.events == lines.events == single.events
    assert array.items == 2


def test_a_document_may_be_indented_and_begin_with_a_byte_order_mark() -> None:
    text = json.dumps(document(span("LLM")), indent=2)
    assert read_bytes(b"\xef\xbb\xbf \n" + text.encode()).events == read(span("LLM")).events


@pytest.mark.parametrize("empty", ["{}", '{"resourceSpans": []}', '{"resourceSpans": null}', "[]"])
def test_a_delivery_without_spans_has_no_events(empty: str) -> None:
    reading = read_bytes(empty.encode())
    assert (reading.events, reading.rejected, reading.items) == ([], [], 0)


@pytest.mark.parametrize("level", ["resourceSpans", "scopeSpans", "spans", "resource", "scope", "attributes"])
def test_null_is_absence_at_every_level(level: str) -> None:
    text = json.dumps(document(span("LLM")))
    reading = read_bytes(text.replace(f'"{level}": [', f'"{level}": null, "was": [', 1).encode())
    assert reading.rejected == []


def test_a_broken_line_is_rejected_by_its_number_and_the_others_stand() -> None:
    good = json.dumps(document(span("LLM")))
    reading = read_bytes(f'{good}\n{{"resourceSpans": [{{\n{good}'.encode())
    assert reading.items == 2
    assert [rejection.where for rejection in reading.rejected] == ["line 2"]


def test_a_broken_first_line_does_not_hide_the_others() -> None:
    good = json.dumps(document(span("LLM")))
    reading = read_bytes(f"{good[:-9]}\n{good}".encode())
    assert reading.items == 1
    assert [rejection.where for rejection in reading.rejected] == ["line 1"]


def test_a_document_of_another_kind_among_traces_is_rejected_alone() -> None:
    reading = read_bytes(json.dumps([{"resourceLogs": []}, document(span("LLM"))]).encode())
    assert reading.items == 1
    assert "resourceLogs" in reading.rejected[0].reason


# --- ids ---


def test_ids_in_hex_of_either_case_and_in_base64_are_one() -> None:
    trace, one = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"
    forms = [
        (trace, one),
        (trace.upper(), one.upper()),
        ("W47/95gDgQPSabYzgT/GDA==", "7uGbfsPBsXQ="),
        ("W47/95gDgQPSabYzgT/GDA", "7uGbfsPBsXQ"),
        ("W47_95gDgQPSabYzgT_GDA", "7uGbfsPBsXQ"),
    ]
    readings = [read(span("LLM", traceId=first, spanId=second)) for first, second in forms]
    assert {only(reading, ModelCall).id for reading in readings} == {f"{trace}/{one}/0"}


@pytest.mark.parametrize(
    "bad",
    ["xyz", "", "0" * 16, "a" * 15, "a" * 17, "g" * 16, "AAAAAAAAAAA=", None, 7, [], " " * 16, "é" * 16],
)
def test_a_span_without_an_id_is_rejected(bad: object) -> None:
    reading = read(span("LLM", spanId=bad), span("TOOL", spanId=SECOND))
    assert reading.items == 1
    assert "spanId" in reading.rejected[0].reason


@pytest.mark.parametrize("none", [None, "", "0" * 16, "AAAAAAAAAAA="])
def test_a_parent_of_zeros_is_no_parent(none: object) -> None:
    assert only(read(span("LLM", parentSpanId=none)), ModelCall).parent is None


def test_a_parent_in_base64_is_the_parent() -> None:
    assert (
        only(read(span("LLM", parentSpanId="7uGbfsPBsXQ=")), ModelCall).parent
        == f"span:{TRACE}/eee19b7ec3c1b174"
    )


# --- times ---


@pytest.mark.parametrize(
    "sent",
    ['"1767225600123456789"', "1767225600123456789", "1.767225600123456789e18", '"1.767225600123456789E+18"'],
)
def test_nanoseconds_are_exact_in_every_form(sent: str) -> None:
    text = json.dumps(document(span("LLM", startTimeUnixNano="@"))).replace('"@"', sent)
    assert only(read_bytes(text.encode()), ModelCall).started == "2026-01-01T00:00:00.123456789Z"


@pytest.mark.parametrize(
    ("nanoseconds", "written"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1, "1970-01-01T00:00:00.000000001Z"),
        (1767225600010000000, "2026-01-01T00:00:00.01Z"),
        (2**64 - 1, "2554-07-21T23:34:33.709551615Z"),
    ],
)
def test_a_moment_is_written_with_the_digits_it_needs(nanoseconds: int, written: str) -> None:
    assert wire.moment(nanoseconds) == written


@pytest.mark.parametrize(
    "bad", ["-1", -1, "1.5", 1.5, "18446744073709551616", "1e999", "soon", "", True, {}, "1_0", "٣"]
)
def test_a_time_that_is_none_rejects_its_span(bad: object) -> None:
    reading = read(span("LLM", startTimeUnixNano=bad))
    assert reading.items == 0
    assert "startTimeUnixNano" in reading.rejected[0].reason


def test_numbers_out_of_every_range_reject_their_span_and_no_memory() -> None:
    text = json.dumps(document(span("LLM", startTimeUnixNano="@"), span("TOOL", spanId=SECOND)))
    for number in ("1e999999999", "1e99999999999999999999", "9" * 5000, "1e-999999999"):
        reading = read_bytes(text.replace('"@"', number).encode())
        assert (reading.items, len(reading.rejected)) == (1, 1)


# --- values and enums ---


def test_integers_beyond_53_bits_are_exact_as_text_and_as_number() -> None:
    raw = read_case("130-nanos-as-number")
    step = only(raw, Span)
    assert (step.started, step.ended) == ("2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00.12345679Z")
    big = 9007199254740993
    given = {f"llm.token_count.{form}": {"intValue": sent} for form, sent in (("n", big), ("m", str(big)))}
    attributes = only(read(span(None, given)), Span).attributes or {}
    assert (attributes["llm.token_count.n"], attributes["llm.token_count.m"]) == (big, big)


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ({"stringValue": ""}, ""),
        ({"boolValue": False}, False),
        ({"intValue": "-9223372036854775808"}, -(2**63)),
        ({"doubleValue": 1}, 1.0),
        ({"doubleValue": "NaN"}, "NaN"),
        ({"doubleValue": "-Infinity"}, "-Infinity"),
        ({"bytesValue": "AAE="}, b"\x00\x01"),
        ({"arrayValue": {"values": [{"intValue": 1}, {}]}}, [1, None]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "a", "value": {"boolValue": True}}]}}, {"a": True}),
        ({}, None),
        ({"stringValue": None}, None),
        (None, None),
    ],
)
def test_each_kind_of_value_is_read(sent: object, meant: object) -> None:
    assert wire.any_value(sent, "x", ignore) == meant


@pytest.mark.parametrize(
    "sent",
    [
        "text",
        {"stringValue": 1},
        {"boolValue": "true"},
        {"intValue": 1.5},
        {"intValue": "9223372036854775808"},
        {"doubleValue": "one"},
        {"doubleValue": "1e999"},
        {"bytesValue": "?"},
        {"arrayValue": []},
        {"arrayValue": {"values": {}}},
        {"kvlistValue": {"values": [1]}},
        {"stringValue": "a", "intValue": 1},
    ],
)
def test_a_value_of_the_wrong_type_is_unreadable(sent: object) -> None:
    with pytest.raises(Unreadable):
        wire.any_value(sent, "x", ignore)


def test_a_wrong_value_rejects_its_span_by_the_name_of_the_attribute() -> None:
    reading = read(span("LLM", {"input.value": {"stringValue": 1}}), span("TOOL", spanId=SECOND))
    assert reading.items == 1
    assert reading.rejected[0].reason == "attributes[input.value]: 1 is no string"


@pytest.mark.parametrize(
    ("code", "outcome"), [(2, "failed"), ("STATUS_CODE_ERROR", "failed"), (1, "completed"), (0, "completed")]
)
def test_enums_are_read_by_number_and_by_name(code: object, outcome: str) -> None:
    assert only(read(span("TOOL", status={"code": code})), ToolCall).outcome == outcome


def test_an_enum_newer_than_this_is_kept_as_it_is() -> None:
    step = only(read(span("CHAIN", kind=9, status={"code": "STATUS_CODE_ODD"})), Span)
    assert step.status == "odd"
    assert (step.attributes or {})["otel.span.kind"] == "9"


# --- what OTLP does not know ---


def test_unknown_fields_are_ignored_and_reported() -> None:
    whole = document(
        span("LLM", later="x", status={"code": 1, "more": 1}, links=[], flags=256, traceState="")
    )
    whole["extra"] = 1
    whole["resourceSpans"][0]["schemaUrl"] = "https://example.org"
    whole["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"].append(
        {"key": "app", "value": {"futureValue": 1}, "unit": "s"}
    )
    reading = read_bytes(json.dumps(whole).encode())
    assert reading.rejected == []
    assert unread(reading) == {
        "attribute app": 1,
        "attribute field unit": 1,
        "document field extra": 1,
        "resource field schemaUrl": 1,
        "scope field name": 1,
        "span field flags": 1,
        "span field later": 1,
        "status field more": 1,
        "value field futureValue": 1,
    }


def test_an_attribute_given_twice_stands_once_and_is_reported() -> None:
    twice = [{"key": "tool.name", "value": value(name)} for name in ("first", "second")]
    reading = read(span(attributes=[*pairs({"openinference.span.kind": "TOOL"}), *twice]))
    assert only(reading, ToolCall).tool == "tool:first"
    assert unread(reading)["attribute tool.name: given twice, the first one stands"] == 1


def test_what_the_producer_dropped_is_noted() -> None:
    reading = read(span("LLM", droppedAttributesCount=3, droppedLinksCount=0))
    assert notes(reading) == {"attributes that the producer dropped: messages or values may be missing": 3}


def test_half_of_an_emoji_does_not_lose_the_delivery() -> None:
    text = json.dumps(
        document(span("TOOL", {"output.value": "cut \ud83d", "input.value": "\\ud83d whole \U0001f600"}))
    )
    reading = read_bytes(text.encode())
    [result] = only(reading, ToolCall).results
    arguments = only(reading, ToolCall).arguments
    assert result.body is not None
    assert result.body.text == "cut \ufffd"
    assert arguments is not None
    assert arguments.body is not None
    assert arguments.body.text == "\\ud83d whole \U0001f600"
    assert notes(reading) == {"half of a surrogate pair in a text: U+FFFD stands for it": 1}


def test_a_nameless_service_is_called_what_opentelemetry_calls_it() -> None:
    sources = {
        only(read(span("LLM"), service=name), ModelCall).source for name in (None, "", "unknown_service")
    }
    assert sources == {"otlp:unknown_service"}


def test_a_resource_that_cannot_be_read_rejects_its_own_spans_alone() -> None:
    whole = document(span("LLM"))
    whole["resourceSpans"].insert(
        0, document(span("TOOL", spanId=SECOND))["resourceSpans"][0] | {"resource": 7}
    )
    whole["resourceSpans"].append({"resource": {}, "scopeSpans": [{"spans": 7}, 7]})
    reading = read_bytes(json.dumps(whole).encode())
    assert len(every(reading, ModelCall)) == reading.items == 1
    assert len(reading.rejected) == 3


# --- what is no trace at all ---


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n",
        b"null",
        b"17",
        b'"resourceSpans"',
        b"resourceSpans",
        b'{"resourceSpans": [',
        b'{"resourceSpans": 7}',
        b'{"resourceSpans": [NaN]}',
        b'{"resourceLogs": []}',
        b'[{"resourceLogs": []}]',
        b"[1]",
        b"[" * 100_000,
        b'{"resourceSpans": ' + b"[" * 100_000,
        b'{"resourceSpans": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"resourceSpans":' * 100_000,
        '{"resourceSpans": []}'.encode("utf-16"),
        b"\x00" * 1000,
        b"\n" * 1000 + b"{",
    ],
)
def test_what_is_no_trace_is_unreadable_with_a_reason_and_a_remedy(data: bytes) -> None:
    with pytest.raises(Unreadable) as error:
        read_bytes(data)
    assert error.value.reason
    assert "OTLP" in error.value.remedy


def test_bytes_that_are_no_utf8_reject_their_span_alone() -> None:
    text = json.dumps(document(span("LLM", name="@"), span("TOOL", spanId=SECOND))).encode()
    reading = read_bytes(text.replace(b"@", b"\xff"))
    assert (reading.items, len(reading.rejected)) == (1, 1)


def test_a_value_nested_without_end_rejects_its_span_alone() -> None:
    deep: dict[str, object] = {"stringValue": "x"}
    for _ in range(wire.MAX_DEPTH + 1):
        deep = {"arrayValue": {"values": [deep]}}
    reading = read(span("LLM", {"x": deep}), span("TOOL", spanId=SECOND))
    assert (reading.items, len(reading.rejected)) == (1, 1)
    assert "nested" in reading.rejected[0].reason
