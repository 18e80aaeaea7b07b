"""Bytes to items to events: what is taken, and how what is not taken is refused."""

import json
import sys
import time
from contextlib import suppress
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provmodel.decoding import decode_event, in_lines, line_numbers, split_items
from provmodel.errors import Refused, TooLarge, Unreadable
from provmodel.events import TYPES, ActionProposed, ModelCall, plural

SECONDS = 30  # of this process's own time: what grows with the square of its text would take hours

CALL: dict[str, Any] = {
    "type": "model_call",
    "id": "e1",
    "source": "harness",
    "time": "2026-03-01T09:00:00Z",
    "call": "call:1",
    "model": "model:m@version:1",
}


def event(**fields: Any) -> bytes:
    return json.dumps({**CALL, **fields}).encode()


def with_body(text: str) -> bytes:
    """A call with a body whose JSON value is written as ``text``."""
    return event(inputs=[{"ref": "message:1", "body": {"json": "HERE"}}]).replace(b'"HERE"', text.encode())


def refused(raw: bytes) -> Refused:
    with pytest.raises(Refused) as caught:
        decode_event(raw)
    assert caught.value.reason
    assert caught.value.remedy
    return caught.value


# --- one event ---


def test_an_event_is_decoded_into_its_struct() -> None:
    decoded = decode_event(event(inputs=[{"ref": "message:1", "role": "user"}]))
    assert isinstance(decoded, ModelCall)
    assert decoded.inputs[0].role == "user"


def test_a_default_or_null_that_is_written_out_changes_nothing() -> None:
    assert decode_event(event(run=None, inputs=[], context=None)) == decode_event(event())


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "b\\":c"}',
        '{"a": "\\u003a", "b": "\\u003A"}',
        '{"\\u003a": 1}',
        '"\\ud83d\\ude00"',
        '"a\\\\u0000"',
        "18446744073709551615",
        "-9223372036854775808",
        '{"a" : 1, "b"\t:\n2}',
        '{"a": {"a": {"a": null}}}',
        "[" * 400 + "]" * 400,
        '{"specversion": "1.0"}',
    ],
)
def test_what_only_looks_suspicious_is_taken(text: str) -> None:
    decoded = decode_event(with_body(text))
    assert isinstance(decoded, ModelCall)
    assert decoded.inputs[0].body
    assert decoded.inputs[0].body.json == json.loads(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("NaN", "NaN is no JSON number"),
        ("-Infinity", "-Infinity is no JSON number"),
        ("1e999", "out of range"),
        ("18446744073709551616", "64 bits"),
        ("-9223372036854775809", "64 bits"),
        ("9" * 5000, "out of range"),
        ('"\\ud800"', "half of a surrogate pair"),
        ('"\\udc00 and on"', "half of a surrogate pair"),
        ('"\\u0000"', "NUL"),
    ],
)
def test_a_value_that_not_every_reader_reads_alike_is_refused_where_it_stands(text: str, reason: str) -> None:
    error = refused(with_body(text))
    assert error.field == "/inputs/0/body/json"
    assert reason in error.reason


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 1}', '{"a": 1, "\\u0061": 2}', '[{"b": {"a":1, "c":2, "a":3}}]']
)
def test_a_key_given_twice_in_a_body_is_refused(text: str) -> None:
    error = refused(with_body(text))
    assert "'a' is given twice" in error.reason
    assert error.field.startswith("/inputs/0/body/json")


@pytest.mark.parametrize(
    "again", ['"id": "e2"', '"type": "model_call"', '"finish": "x", "finish": "y"', '"\\u0069d":"e"']
)
def test_a_field_given_twice_is_refused(again: str) -> None:
    assert "given twice" in refused(event()[:-1] + b", " + again.encode() + b"}").reason


@pytest.mark.parametrize("depth", [513, 600, 5_000, 500_000])
def test_bottomless_nesting_is_refused_at_whatever_depth(depth: int) -> None:
    for opening, closing in ("[]", ('{"a":', "}")):
        error = refused(with_body(opening * depth + "1" + closing * depth))
        assert "nested more than 512 deep" in error.reason
        assert len(error.field) < 500


@pytest.mark.parametrize("depth", [600, 500_000])
def test_bottomless_nesting_beside_what_no_event_has_is_refused_for_that(depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    assert refused(event()[:-1] + b', "mood": ' + deep + b"}").reason == "there is no such field here"
    assert refused(event(run=5)[:-1] + b', "inputs": ' + deep + b"}").field == "/run"


def test_bottomless_nesting_in_an_envelope_is_refused_as_such() -> None:
    deep = b"[" * 500_000 + b"]" * 500_000
    raw = b'{"specversion": "1.0", "id": "1", "source": "s", "type": "model_call", "data": ' + deep + b"}"
    assert "nested more than 512 deep" in refused(raw).reason


def test_nesting_outside_of_bodies_is_refused_by_the_shape_of_events() -> None:
    assert refused(event(agent=[[[[]]]])).field == "/agent"


@pytest.mark.parametrize(
    ("fields", "field", "reason", "remedy"),
    [
        ({"type": "modelcall"}, "/type", "no type of event", "use one of source_reported"),
        ({"inputs": [{}]}, "/inputs/0/ref", "required and missing", "add it"),
        ({"inputs": [{"rfe": "a", "ref": "b"}]}, "/inputs/0/rfe", "no such field", "did you mean 'ref'"),
        ({"ouputs": []}, "/ouputs", "no such field", "did you mean 'outputs'"),
        (
            {"inputs": [{"ref": 1}]},
            "/inputs/0/ref",
            "a text is expected, not a whole number",
            "event reference",
        ),
        ({"inputs": ["a"]}, "/inputs/0", "an object is expected", "an object with ref, role"),
        ({"time": "yesterday"}, "/time", "no time with a zone", "2026-03-01T09:00:00Z"),
        ({"time": "2026-03-01T09:00:00"}, "/time", "no time with a zone", "2026-03-01T09:00:00Z"),
        ({"evidence": "sure"}, "/evidence", "sure", "declared, inferred, observed, verified"),
        ({"source_number": 2**64}, "/source_number", "9223372036854775807", "event reference"),
        ({"source_number": 10**30}, "/source_number", "9223372036854775807", "event reference"),
        ({"source_number": 0}, "/source_number", "it is less than 1", "event reference"),
        ({"id": ""}, "/id", "it is empty", "event reference"),
        ({"id": "x" * 2049}, "/id", "more than 2048 characters", "event reference"),
    ],
)
def test_a_refusal_names_field_reason_and_remedy(
    fields: dict[str, Any], field: str, reason: str, remedy: str
) -> None:
    error = refused(event(**fields))
    assert error.field == field
    assert reason in error.reason
    assert remedy in error.remedy


def test_a_missing_type_is_named_with_the_types_there_are() -> None:
    error = refused(b'{"id": "e1"}')
    assert error.field == "/type"
    assert "tool_call" in error.remedy


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"nonsense", b'{"type": "\xff"}', event()[:-2] + b'\xed\xa0\x80"}', b'{"a":"\x00"}']
)
def test_what_is_no_json_is_unreadable(raw: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        decode_event(raw)
    assert caught.value.remedy


@pytest.mark.parametrize("raw", [b"[]", b"5", b'"text"', b"null"])
def test_json_that_is_no_object_is_refused(raw: bytes) -> None:
    assert "an object is expected" in refused(raw).reason


bodies = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _holds_nul(value: Any) -> bool:
    return "\\u0000" in json.dumps(value).replace("\\\\", "")


@given(bodies, st.booleans(), st.sampled_from([None, 2]))
def test_any_plain_body_is_taken_however_it_is_written(
    value: Any, ascii_only: bool, indent: int | None
) -> None:
    call = {**CALL, "inputs": [{"ref": "message:1", "body": {"json": value}}]}
    raw = json.dumps(call, ensure_ascii=ascii_only, indent=indent).encode()
    if _holds_nul(value):
        assert "NUL" in refused(raw).reason
        return
    decoded = decode_event(raw)
    assert isinstance(decoded, ModelCall)
    assert decoded.inputs[0].body
    assert decoded.inputs[0].body.json == value


@settings(deadline=None)
@given(
    st.dictionaries(st.text(min_size=1).filter(lambda key: "\0" not in key), bodies, min_size=1, max_size=4),
    st.data(),
)
def test_any_key_given_twice_is_found(value: dict[str, Any], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(value)))
    again = json.dumps({key: data.draw(bodies)}, ensure_ascii=data.draw(st.booleans()))
    text = f"{json.dumps(value)[:-1]}, {again[1:]}"
    assert refused(with_body(text).replace(b"\\u0000", b"\\u0001")).reason.endswith("given twice")


def test_the_usual_event_is_parsed_and_written_once_and_one_with_escapes_looked_at_again() -> None:
    few, many = (
        event(inputs=[{"ref": f"message:{n}", "body": {"text": "some words " * 8}} for n in range(count)])
        for count in (8, 800)
    )
    assert passes(few) == passes(many) == ["decode", "encode"]
    assert passes(few.replace(b"some", b"\\u0073ome")) == ["decode", "encode", "encode"]


def passes(raw: bytes) -> list[str]:
    """The codecs that go over the whole of one event while it is read."""
    found: list[str] = []

    def seen(frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and called.__name__ in ("decode", "encode"):
            found.append(called.__name__)

    sys.setprofile(seen)
    try:
        decode_event(raw)
    finally:
        sys.setprofile(None)
    return sorted(found)


# --- a delivery ---


def test_an_array_lines_and_one_object_are_split_into_items() -> None:
    assert split_items(b' [{"a":1}, {"b":[2]}] ') == [b'{"a":1}', b'{"b":[2]}']
    assert split_items(b'{"a":1}\r\n\n{"b":2}\n') == [b'{"a":1}\r', b'{"b":2}']
    assert split_items(b'{"a":1}', lines=True) == [b'{"a":1}']
    assert split_items(b'{\n "a": 1\n}') == [b'{\n "a": 1\n}']
    assert split_items(b"\xef\xbb\xbf[1]") == [b"1"]
    assert split_items(b"[]") == []


@pytest.mark.parametrize(
    "bad",
    [
        b'{"a":NaN}',
        b'{"a":"\\ud800"}',
        b"[" * 5000 + b"]" * 5000,
        b"nonsense",
        b"1}",
        b"5 6",
        b'"a" : 1',
        b'{"a" 1}',
        b'{"a":"],["}',
        b'"\\"]"',
    ],
)
def test_a_bad_item_does_not_hide_the_good_ones(bad: bytes) -> None:
    assert split_items(b"[1," + bad + b', {"b":[2, 3]}]') == [b"1", bad, b'{"b":[2, 3]}']
    if bad.startswith(b"{") and bad.endswith(b"}"):
        assert split_items(bad + b'\n{"b":2}') == [bad, b'{"b":2}']


@pytest.mark.parametrize("bad", [b"not json", b'{"c":', b'{"c":{"d":1}', b"]", b"[1", b'"'])
@pytest.mark.parametrize("at", [1, 2])
def test_a_line_that_is_cut_off_or_no_json_does_not_hide_the_others(bad: bytes, at: int) -> None:
    lines = [b'{"a":1}', b'{"b":2}']
    lines.insert(at, bad)
    assert split_items(b"\n".join(lines)) == lines


@pytest.mark.parametrize(
    "data",
    [
        b'{\n "a": 1,\n "b": {"c": 2},\n "d": \n}',
        b'{"events": [\n{"a": 1},\n{"b": 2}\n}',
        b'{"a":\n{"b": 2}\n',
        b'{"a": {"b": 1}, "c": NaN',
    ],
)
def test_a_broken_object_over_many_lines_is_one_item(data: bytes) -> None:
    assert split_items(data) == [data.strip()]


def test_a_file_named_as_lines_is_split_unless_it_is_one_value() -> None:
    assert in_lines(b'{"a":\n{"b":2}\n{"c":3}', named=True)
    for data in (b'{\n"a": 1}', b'[{"a":1},\n{"b":2}]', b'{"a":1}'):
        assert not in_lines(data, named=True)


def test_lines_are_counted_with_the_blank_ones() -> None:
    data = b'\xef\xbb\xbf\n{"a":1}\r\n  \r\n\t{"b":2}\n\nx\n'
    assert len(split_items(data, lines=True)) == len(line_numbers(data)) == 3
    assert line_numbers(data) == [2, 4, 6]


@pytest.mark.parametrize(
    "data",
    [b"", b"   ", b"nonsense", b"5", b"[1, NaN", b"[1]]", b'["', b"[NaN,]x", b"\x00\x01\x02"],
)
def test_what_has_no_items_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        split_items(data)


@pytest.mark.parametrize("data", [b"[1,]", b"[,1]"])
def test_a_comma_too_many_is_an_empty_item(data: bytes) -> None:
    assert sorted(split_items(data)) == [b"", b"1"]


def test_utf16_is_named_as_such() -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        with pytest.raises(Unreadable, match="not UTF-8"):
            split_items('[{"a": 1}]'.encode(encoding))


def test_more_items_than_the_limit_are_too_large() -> None:
    for data in (b"[1,2,3,4]", b"[1,2,NaN,4]", b"{}\n{}\n{}\n{}"):
        with pytest.raises(TooLarge, match="3 items"):
            split_items(data, limit=3)


@pytest.mark.parametrize(
    "nonsense",
    [b"[" * 10_000_000, b"x" * 10_000_000, b'["' + b"a" * 10_000_000, b"[NaN" + b",[]" * 3_000_000],
)
def test_ten_megabytes_of_nonsense_take_a_moment(nonsense: bytes) -> None:
    start = time.process_time()
    with pytest.raises((Unreadable, TooLarge)):
        split_items(nonsense)
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize(
    "nonsense", [b"{}\n" + b"{" * 10_000_000, b"{NaN}\n" * 1_500_000 + b"x", b'{"a":[}\n' + b'{"' * 5_000_000]
)
def test_ten_megabytes_that_begin_as_an_object_take_a_moment(nonsense: bytes) -> None:
    start = time.process_time()
    with suppress(TooLarge):
        split_items(nonsense)
    assert time.process_time() - start < SECONDS


# --- CloudEvents ---


def cloud(data: Any = None, **attributes: Any) -> bytes:
    inside = {"call": "call:1", "model": "m"} if data is None else data
    envelope = {
        "specversion": "1.0",
        "id": "e1",
        "source": "harness",
        "type": "model_call",
        "time": CALL["time"],
    }
    return json.dumps({**envelope, "data": inside, **attributes}).encode()


def test_a_cloudevents_envelope_fills_what_the_event_leaves_out() -> None:
    expected = ModelCall(id="e1", source="harness", time=CALL["time"], call="call:1", model="m")
    assert decode_event(cloud()) == expected
    assert decode_event(cloud(type="org.example.model_call", subject="s", traceparent="00-1")) == expected
    assert decode_event(cloud({**CALL, "model": "m"})) == expected
    assert decode_event(cloud(datacontenttype="application/json; charset=utf-8")) == expected


@pytest.mark.parametrize("name", ["id", "source", "time", "type"])
def test_an_envelope_that_contradicts_its_event_is_refused(name: str) -> None:
    error = refused(cloud({**CALL, name: "2026-01-01T00:00:00Z"}))
    assert error.field == f"/{name}"
    assert "the envelope says" in error.reason


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (cloud(specversion="0.3"), "/specversion"),
        (cloud(datacontenttype="text/xml"), "/datacontenttype"),
        (
            json.dumps({"specversion": "1.0", "id": "e", "source": "s", "type": "model_call"}).encode(),
            "/data",
        ),
        (cloud([1]), ""),
        (cloud(id=5), ""),
        (cloud({}), "/call"),
    ],
)
def test_an_envelope_without_an_event_is_refused(raw: bytes, field: str) -> None:
    assert refused(raw).field == field


def test_a_key_given_twice_around_or_inside_a_cloudevent_is_refused() -> None:
    assert "given twice" in refused(cloud()[:-1] + b', "id": "e2"}').reason
    assert "given twice" in refused(cloud().replace(b'"call"', b'"call": "c0", "call"')).reason


# --- types ---


def test_each_type_of_event_has_a_plural_of_its_own() -> None:
    plurals = [plural(tag) for tag in TYPES]
    assert len(set(plurals)) == len(TYPES)
    assert {"model-calls", "tool-calls", "authorization-decisions", "artifact-versions"} <= set(plurals)


def test_a_type_is_chosen_by_its_tag() -> None:
    raw = event(type="action_proposed", action="a", tool="t", arguments={"body": {"json": {}}})
    decoded = decode_event(raw.replace(b'"call": "call:1", "model": "model:m@version:1", ', b""))
    assert isinstance(decoded, ActionProposed)


@pytest.mark.parametrize(
    "data",
    [
        b"[" + b"[]," * 3_000_000 + b"[]]",
        b"[" + b"{}," * 3_000_000 + b"{}]",
        b"[" + b'{"type":"run_ended","id":"[,]{"},' * 20_000 + b"{}]",
        b"[" + b"1 ,\n" * 2_000_000 + b"1]",
        b"{}\n" * 3_000_000,
        b'[{"a":tru},' + b'{"a":1},' * 20_000 + b"1]",
    ],
)
def test_a_delivery_of_millions_of_items_is_told_to_be_too_large(data: bytes) -> None:
    with pytest.raises(TooLarge, match="more than the limit of 10000 items"):
        split_items(data)


@pytest.mark.parametrize("data", [b"[" * 5_000_000, b'[{"id":1},' + b"[" * 5_000_000, b'[{"a":' * 1_000_000])
def test_a_delivery_of_nothing_but_brackets_is_refused_in_a_plain_sentence(data: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        split_items(data)
    assert "it is nested more than 512 deep" in str(caught.value)
    assert "recursion" not in str(caught.value)


def test_a_text_that_never_ends_is_looked_for_once() -> None:
    with pytest.raises(Unreadable):
        split_items(b'["' + b'\\"' * 4_000_000)


def test_a_detail_begins_with_what_is_wrong_when_that_is_the_whole() -> None:
    assert str(refused(b'{"specversion": "1.0", "data": 5}')).startswith("this is no CloudEvent")
    assert str(Refused("", "it is odd", "mend it")) == "it is odd; mend it"
    assert str(Refused("/a", "it is odd", "mend it")) == "/a: it is odd; mend it"


@pytest.mark.parametrize("fault", ['{"a":1,"a":2}', '"\\u0000"', "NaN", "18446744073709551616", '"\\ud800"'])
def test_a_fault_among_very_many_values_is_found_wherever_it_stands(fault: str) -> None:
    many = "[0]," * 400_000
    first = refused(with_body(f"[{fault},{many}1]"))
    assert first.field.startswith("/inputs/0/body/json/0")
    last = refused(with_body(f"[{many}{fault}]"))
    assert "not every reader reads alike" in last.reason


def test_very_many_values_without_a_fault_are_taken() -> None:
    assert decode_event(with_body("[" + '["\\u0041"],' * 100_000 + "1]")).id
