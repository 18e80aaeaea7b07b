"""Tags: equal for equal content under one key, unlike under any other; canonical forms, leaves, words, and
the strong rule.
"""

import hmac
import json
import math
from typing import Any

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from app.content.canonical import MAX_LEAVES, MAX_POINTER, canonical, canonical_of, leaves, number
from app.content.tags import MAX_TOKENS, Contents, Tags
from app.content.words import strong, words
from provmodel.computed import RUN_ALG, RUN_BYTES_ALG

KEY = bytes(range(32))
TAGS = Tags(KEY, RUN_ALG, RUN_BYTES_ALG)

SAFE = 2**53 - 1
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-SAFE, SAFE)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=20,
)


def tag_of(value: Any) -> str:
    return TAGS.tag(canonical(value))


# --- canonical form ---


@given(values)
def test_the_canonical_form_is_that_of_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)
    assert canonical_of(value, leaves(value)) == rfc8785.dumps(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_spelled_as_ecmascript_does(value: float) -> None:
    assert number(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (1.0, b"1"),
        (-0.0, b"0"),
        (1e21, b"1e+21"),
        (1e-7, b"1e-7"),
        (0.000001, b"0.000001"),
        (4312.50, b"4312.5"),
        ({"\u20ac": 1, "\U0001f600": 2, "\ufb33": 3, "a": 1.0}, '{"a":1,"€":1,"😀":2,"\ufb33":3}'.encode()),
        ({"b": [1.0, {}], "a": []}, b'{"a":[],"b":[1,{}]}'),
        ("\x00\x1f\x7f\u2028/", b'"\\u0000\\u001f\x7f\xe2\x80\xa8/"'),
    ],
)
def test_canonical_forms_as_published(value: Any, form: bytes) -> None:
    assert canonical(value) == form
    assert canonical_of(value, leaves(value)) == form


def test_integers_beyond_a_double_keep_all_their_digits() -> None:
    assert canonical(2**53 + 1) == b"9007199254740993"
    assert canonical({"id": -(2**63), "x": 0.1}) == b'{"id":-9223372036854775808,"x":0.1}'
    assert tag_of(2**53) != tag_of(2**53 + 1)


def test_integers_far_beyond_64_bits_do_not_raise() -> None:
    assert canonical([10**300]) == b"[1" + b"0" * 300 + b"]"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [1, math.nan], {"a": math.inf}])
def test_what_is_no_json_number_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="not representable"):
        TAGS.of_json(value)


@pytest.mark.parametrize("innermost", [1, 0.5, "é"])
def test_nesting_of_200_is_no_trouble(innermost: Any) -> None:
    value: Any = innermost
    for _ in range(100):
        value = {"a": [value]}
    assert canonical_of(value, leaves(value)) == rfc8785.dumps(value)
    assert list(TAGS.of_json(value).values) == ["/a/0" * 100]


# --- tags ---


@given(st.binary(max_size=300))
def test_a_tag_is_half_of_an_hmac(message: bytes) -> None:
    assert TAGS.tag(message) == hmac.digest(KEY, message, "sha256").hex()[:32]


def test_a_producer_can_make_the_same_tags_with_the_standard_library() -> None:
    arguments: Any = {"to": "maria@example.com", "amount": 4312.5, "lines": [{"sku": "A-1"}]}
    theirs = hmac.new(KEY, rfc8785.dumps(arguments), "sha256").hexdigest()[:32]
    assert TAGS.of_json(arguments).whole == theirs
    leaf = hmac.new(KEY, b'"A-1"', "sha256").hexdigest()[:32]
    assert TAGS.of_json(arguments).values["/lines/0/sku"].tag == leaf


def test_equal_values_have_equal_tags_however_they_are_written() -> None:
    first = msgspec.json.decode(b'{"a": 1.0, "b": "\\u00e9"}')
    second = msgspec.json.decode('{"b":"é","a":1}'.encode())
    assert TAGS.of_json(first) == TAGS.of_json(second)


@given(values, values)
def test_unlike_values_have_unlike_tags(first: Any, second: Any) -> None:
    same = rfc8785.dumps(first) == rfc8785.dumps(second)
    assert (tag_of(first) == tag_of(second)) is same


def test_another_key_gives_other_tags() -> None:
    other = Tags(KEY[::-1], RUN_ALG, RUN_BYTES_ALG)
    assert other.of_text("order ORD-88412").tokens != TAGS.of_text("order ORD-88412").tokens


def test_bytes_never_pass_for_a_value() -> None:
    assert TAGS.of_bytes(b'"ok"').whole != TAGS.of_text("ok").whole
    assert TAGS.of_bytes(b'"ok"').alg != TAGS.of_text("ok").alg


def test_a_null_has_a_tag_of_its_own() -> None:
    null = TAGS.of_json(None)
    assert null.whole == null.values[""].tag
    several: list[Any] = [None, False, 0, "", "null", [], {}]
    assert len({TAGS.of_json(value).whole for value in several}) == len(several)


# --- leaves ---


@pytest.mark.parametrize(
    ("value", "pointers"),
    [
        ("lone", [""]),
        ({}, [""]),
        ([], [""]),
        ({"": 1}, ["/"]),
        ({"": {"": 1}}, ["//"]),
        ({"a/b": 1, "m~n": 2, "~1": 3, " ": 4}, ["/ ", "/a~1b", "/m~0n", "/~01"]),
        ({"a": [], "b": {}, "c": [{}, None]}, ["/a", "/b", "/c/0", "/c/1"]),
        ([[1, 2], [3]], ["/0/0", "/0/1", "/1/0"]),
        ({"b": 1, "a": {"z": 1, "y": 2}}, ["/a/y", "/a/z", "/b"]),
        ({"é": {"😀": 1}}, ["/é/😀"]),
    ],
)
def test_each_leaf_is_named_by_its_json_pointer(value: Any, pointers: list[str]) -> None:
    assert list(TAGS.of_json(value).values) == pointers


def test_an_empty_array_is_not_an_empty_object() -> None:
    assert TAGS.of_json({"a": []}).values["/a"] != TAGS.of_json({"a": {}}).values["/a"]


def test_leaves_beyond_the_cap_are_said_to_be_left_out() -> None:
    value = [{"n": number} for number in range(MAX_LEAVES + 1)]
    found = TAGS.of_json(value)
    assert len(found.values) == MAX_LEAVES
    assert found.skipped == f"leaves after the first {MAX_LEAVES}"
    assert found.whole == tag_of(value)
    assert TAGS.of_json(value[:-1]).skipped == ""


def test_which_leaves_are_left_out_does_not_depend_on_the_order_of_keys() -> None:
    value = {f"k{number:04}": number for number in range(MAX_LEAVES * 2)}
    assert TAGS.of_json(value) == TAGS.of_json(dict(reversed(value.items())))


def test_a_long_key_is_not_repeated_by_each_leaf_under_it() -> None:
    found = TAGS.of_json({"k" * (MAX_POINTER + 1): list(range(1000)), "short": "kept-0001"})
    assert list(found.values) == ["/short"]
    assert "pointer" in found.skipped


# --- the strong rule ---


@pytest.mark.parametrize(
    "value",
    [
        12345,
        -98765,
        4312.57,
        1.2345e-9,
        2**63,
        "12345",
        "4,312.57",
        "ORD-88412",
        "a1b2c3",
        "maria@example.com",
        "/srv/reports/q3.csv",
        "Refund for Maria",
        "INV-2026-00417",
        "192.168.10.77",
        "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
        "退款给玛丽亚,订单号八八四一二",
    ],
)
def test_what_is_hard_to_guess_is_strong(value: Any) -> None:
    assert strong(value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        {},
        [],
        0,
        42,
        2026,
        9999,
        100000,
        50000.0,
        1e30,
        "",
        "ok",
        "completed",
        "EUR",
        "abc12",
        "100000",
        "1,000,000",
        "$5,000",
        "2026-03-01",
        "2026-03-01T09:00:00Z",
        "01.03.2026",
        "09:00:00",
        "documentation",
        "internationalization",
        "state-of-the-art",
        "------------",
        "0000-0000-00",
        "aaaaaaaaaaaa1",
    ],
)
def test_a_guessable_value_is_not_strong(value: Any) -> None:
    assert not strong(value)


def test_a_whole_is_strong_when_something_in_it_is() -> None:
    assert TAGS.of_json({"ok": True, "id": "ORD-88412"}).strong
    assert not TAGS.of_json({"ok": True, "count": 3}).strong
    assert not TAGS.of_text("ok").strong
    assert TAGS.of_text("Please refund Maria.").strong


# --- words of a text ---


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("Refund order ORD-88412, please.", "ORD-88412"),
        ("It was $4,312.57 in all.", 4312.57),
        ("It was $4,312.57 in all.", "4312.57"),
        ("It was $4,312.57 in all.", "4,312.57"),
        ("(customer 1029384)", 1029384),
        ("customer=C-10293;order=ORD-88412", "C-10293"),
        ('{"order": "ORD-88412"} was the answer', "ORD-88412"),
        ("see </srv/reports/q3/refunds.csv>", "/srv/reports/q3/refunds.csv"),
        ("write to maria.k@example.com.", "maria.k@example.com"),
        ("mailto:maria.k@example.com", "maria.k@example.com"),
        ("**INV-2026-00417**", "INV-2026-00417"),
        ("订单ORD-88412已确认", "ORD-88412"),
        ("“ORD-88412”", "ORD-88412"),
        ("-12345.67 is owed", -12345.67),
        ("id 9007199254740993", 9007199254740993),
    ],
)
def test_an_argument_equal_to_a_strong_word_has_its_tag(text: str, argument: Any) -> None:
    [value] = TAGS.of_json(argument).values.values()
    assert value.strong
    assert value.tag in TAGS.of_text(text).tokens


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "Please send the documentation to the customer on 2026-03-01.",
        "ok 42 true 2026",
        "1,234.0",
        "a" * 5000 + "1",
    ],
)
def test_a_text_without_strong_words_has_no_tokens(text: str) -> None:
    assert TAGS.of_text(text).tokens == ()


def test_an_amount_is_not_taken_apart_at_its_commas() -> None:
    assert list(words("1,234,567.89")) == ["1,234,567.89"]


def test_a_text_counts_as_a_json_string() -> None:
    assert TAGS.of_text("Refund for Maria").whole == TAGS.of_json("Refund for Maria").whole


def test_a_text_that_is_json_has_the_leaves_of_it_too() -> None:
    value = {"order": "ORD-88412", "lines": [{"amount": 4312.5}], "note": "see /srv/reports/q3.csv there"}
    found = TAGS.of_text(" " + json.dumps(value) + "\n")
    assert found.values == TAGS.of_json(value).values
    assert found.tokens == TAGS.of_json(value).tokens != ()
    assert found.whole != TAGS.of_json(value).whole


@pytest.mark.parametrize(
    "text", ["{not json}", "[1, NaN]", "{}x{}", "[" * 3000 + "]" * 3000, '["\\ud800"]', "[1e999]"]
)
def test_a_text_that_is_nearly_json_is_a_text(text: str) -> None:
    assert TAGS.of_text(text).values == {}


def test_prose_within_json_has_words() -> None:
    message = {"role": "user", "content": "Refund order ORD-88412 today."}
    assert TAGS.of_json("ORD-88412").whole in TAGS.of_json(message).tokens


def test_words_beyond_the_cap_are_said_to_be_left_out() -> None:
    found = TAGS.of_text(" ".join(f"ORD-{number:05}" for number in range(MAX_TOKENS + 1)))
    assert len(found.tokens) == MAX_TOKENS
    assert found.skipped == f"words after the first {MAX_TOKENS}"


def test_both_caps_are_said() -> None:
    found: Contents = TAGS.of_json(
        [f"{number} see ORD-1{number:05} and INV-1{number:05}" for number in range(300)]
    )
    assert (len(found.values), len(found.tokens)) == (MAX_LEAVES, MAX_TOKENS)
    assert found.skipped == "leaves after the first 256"
    more: Contents = TAGS.of_json(
        [f"ORD-1{number:05} INV-1{number:05} REF-1{number:05}" for number in range(300)]
    )
    assert more.skipped == "leaves after the first 256, words after the first 512"


@given(st.text(max_size=200))
def test_any_text_can_be_tagged(text: str) -> None:
    assert TAGS.of_text(text.encode("utf-8", "replace").decode()).whole
