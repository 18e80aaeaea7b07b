"""What OTLP/JSON is written with in more than one way: ids, times, integers, enums and attribute values.

OTLP/JSON is the JSON form of Protocol Buffers with two changes: trace and span ids are hexadecimal, and enums
are numbers (OpenTelemetry Protocol Specification, section "JSON Protobuf Encoding"). Exporters also send what
plain Protocol Buffers would: ids in base64, enums by name, 64-bit integers as numbers. All of these are read,
and come out alike.
"""

from __future__ import annotations

import math
import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from provmodel.errors import Unreadable

Value = None | bool | int | float | str | bytes | list[Any] | dict[str, Any]
"""An attribute value; lists and objects hold values again."""

TRACE_BYTES, SPAN_BYTES = 16, 8
MAX_NANOS = 2**64 - 1
MIN_INT, MAX_INT = -(2**63), 2**63 - 1
MAX_DEPTH = 64  # lists and objects within one attribute value
EPOCH = "1970-01-01T00:00:00Z"

_NUMBER = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_HEX = re.compile(r"[0-9a-fA-F]+")
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_URL_SAFE = str.maketrans("-_", "+/")
_NANOS = 1_000_000_000
_BEYOND_DOUBLE = 2**1024

# Numbers with a point or an exponent stay exact: a time of 1.767225600123456789e18 has 19 digits.
_decoder = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal)


def decode(raw: bytes | msgspec.Raw) -> dict[str, Any]:
    """The JSON object in ``raw``; raises :class:`Unreadable`."""
    try:
        return _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _bad("object", str(error)) from None
    except InvalidOperation:
        raise _bad("object", "a number in it is out of every range") from None
    except RecursionError:
        raise _bad("object", "it is nested too deep") from None


def _bad(where: str, reason: str) -> Unreadable:
    return Unreadable(where, reason, "send what the OTLP/JSON encoding allows")


def shown(value: object) -> str:
    """``value`` for a message: short, and on one line."""
    written = str(value) if isinstance(value, Decimal) else repr(value)
    return written if len(written) <= 80 else f"{written[:77]}..."


def identity(value: object, size: int, field: str) -> str:
    """An id of ``size`` bytes in lower-case hex, from hex or base64; all zeros are no id."""
    raw = _id_bytes(value, size) if isinstance(value, str) else b""
    if len(raw) != size or not any(raw):
        form = f"{2 * size} hexadecimal digits, not all zero (or the same in base64)"
        raise _bad(field, f"{shown(value)} is no id: it must be {form}")
    return raw.hex()


def _id_bytes(text: str, size: int) -> bytes:
    if len(text) == 2 * size:
        return bytes.fromhex(text) if _HEX.fullmatch(text) else b""
    return _base64(text) or b""


def _base64(text: str) -> bytes | None:
    """Bytes of base64 in either alphabet, padded or not; ``None`` when it is no base64."""
    text = text.translate(_URL_SAFE)
    if not _BASE64.fullmatch(text):
        return None
    try:
        return b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
    except NotBase64:
        return None


def optional_identity(value: object, size: int, field: str) -> str | None:
    """As :func:`identity`; absent, empty and all zeros mean that there is none."""
    if value is None or value == "":
        return None
    if isinstance(value, str) and len(value) <= 2 * size and not any(_id_bytes(value, size) or b"1"):
        return None
    return identity(value, size, field)


def integer(value: object, field: str, low: int, high: int) -> int:
    """An exact integer from a number or its text, also in exponent form; raises :class:`Unreadable`."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = Decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _bad(field, f"{shown(value)} is no integer")
    if not low <= value <= high:
        raise _bad(field, f"{shown(value)} is not between {low} and {high}")
    whole = int(value)
    if whole != value:
        raise _bad(field, f"{shown(value)} is no whole number")
    return whole


def nanos(value: object, field: str) -> int | None:
    """Nanoseconds since 1970, exact; ``None`` when absent."""
    return None if value is None else integer(value, field, 0, MAX_NANOS)


def moment(nanoseconds: int) -> str:
    """RFC 3339 in UTC, with as many of nine digits as are needed."""
    seconds, rest = divmod(nanoseconds, _NANOS)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat()[:19]}{fraction}Z"


def word(value: object, field: str, prefix: str, numbers: tuple[str, ...]) -> str:
    """An enum in lower case without its ``prefix``, from its number or its name; newer ones as they are."""
    if value is None:
        return numbers[0]
    if isinstance(value, str) and not value.isascii():
        raise _bad(field, f"{shown(value)} is no name of an enum")
    if isinstance(value, str) and not value.isdigit():
        return value.removeprefix(prefix).lower()
    number = integer(value, field, MIN_INT, MAX_INT)
    return numbers[number] if 0 <= number < len(numbers) else str(number)


def listing(value: object, field: str) -> list[Any]:
    """A repeated field; null and absence are the empty list."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise _bad(field, f"{shown(value)} is no array")
    return value


def object_of(value: object, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _bad(field, f"{shown(value)} is no object")
    return value


def text(value: object, field: str) -> str:
    """A string field; null and absence are the empty string."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _bad(field, f"{shown(value)} is no string")
    return value


def attributes(value: object, field: str, odd: Callable[[str], None]) -> dict[str, Value]:
    """A list of key-value pairs as a dictionary.

    ``odd`` is told of what is no part of OTLP, and of keys given twice.
    """
    found: dict[str, Value] = {}
    for index, item in enumerate(listing(value, field)):
        pair = object_of(item, f"{field}[{index}]")
        key = text(pair.get("key"), f"{field}[{index}].key")
        if key in found:
            odd(f"attribute {key}: given twice, the first one stands")
            continue
        found[key] = any_value(pair.get("value"), f"{field}[{key}]", odd)
        if pair.keys() - {"key", "value"}:
            _unknown(pair, ("key", "value"), "attribute field", odd)
    return found


def _unknown(found: dict[str, Any], known: tuple[str, ...], kind: str, odd: Callable[[str], None]) -> None:
    for name in found:
        if name not in known:
            odd(f"{kind} {name}")


def any_value(value: object, field: str, odd: Callable[[str], None], depth: int = 0) -> Value:
    """An ``AnyValue``: one of seven fields; none of them is null."""
    if value is None:
        return None
    given = [(name, inner) for name, inner in object_of(value, field).items() if inner is not None]
    if len(given) != 1 or given[0][0] not in _READERS:
        _unknown(dict(given), tuple(_READERS), "value field", odd)
        given = [pair for pair in given if pair[0] in _READERS]
    if not given:
        return None
    if len(given) > 1:
        raise _bad(field, f"it has several values: {', '.join(name for name, _ in given)}")
    if depth > MAX_DEPTH:
        raise _bad(field, f"it is nested more than {MAX_DEPTH} deep")
    [(name, inner)] = given
    return _READERS[name](inner, field, odd, depth)


def _string(value: Any, field: str, _odd: Callable[[str], None], _depth: int) -> Value:
    return text(value, field)


def _boolean(value: Any, field: str, _odd: Callable[[str], None], _depth: int) -> Value:
    if not isinstance(value, bool):
        raise _bad(field, f"{shown(value)} is no boolean")
    return value


def _integer(value: Any, field: str, _odd: Callable[[str], None], _depth: int) -> Value:
    return integer(value, field, MIN_INT, MAX_INT)


def _double(value: Any, field: str, _odd: Callable[[str], None], _depth: int) -> Value:
    """A double; those that JSON can't write (NaN, Infinity, -Infinity) stay the words that were sent."""
    if value in ("NaN", "Infinity", "-Infinity"):
        return str(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = Decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _bad(field, f"{shown(value)} is no double")
    if not -_BEYOND_DOUBLE < value < _BEYOND_DOUBLE or math.isinf(float(value)):
        raise _bad(field, f"{shown(value)} is out of the range of a double")
    return float(value)


def _array(value: Any, field: str, odd: Callable[[str], None], depth: int) -> Value:
    items = listing(object_of(value, field).get("values"), field)
    return [any_value(item, field, odd, depth + 1) for item in items]


def _key_values(value: Any, field: str, odd: Callable[[str], None], depth: int) -> Value:
    found: dict[str, Value] = {}
    for pair in listing(object_of(value, field).get("values"), field):
        key = text(object_of(pair, field).get("key"), field)
        found.setdefault(key, any_value(pair.get("value"), field, odd, depth + 1))
    return found


def _bytes(value: Any, field: str, _odd: Callable[[str], None], _depth: int) -> Value:
    raw = _base64(text(value, field))
    if raw is None:
        raise _bad(field, f"{shown(value)} is no base64")
    return raw


_READERS: dict[str, Callable[[Any, str, Callable[[str], None], int], Value]] = {
    "stringValue": _string,
    "boolValue": _boolean,
    "intValue": _integer,
    "doubleValue": _double,
    "arrayValue": _array,
    "kvlistValue": _key_values,
    "bytesValue": _bytes,
}
