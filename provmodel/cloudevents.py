"""CloudEvents 1.0: an envelope around an event, in the structured and the batched JSON format.

The event stands under ``data``. Of the envelope, ``id``, ``source``, ``time`` and ``type`` fill what the
event leaves out, and may not say otherwise. ``type`` may carry a prefix in the manner of CloudEvents
(``org.example.tool_call``). ``subject`` and extension attributes belong to the transport and are not kept
(CloudEvents 1.0.2, sections 2 and 3; JSON format, 2 to 4).
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from provmodel import plainness
from provmodel.errors import Refused

SIGN = b'"specversion"'
"""Within a string it would read ``\\"specversion\\"``, and no event has such a field."""

STRUCTURED = "application/cloudevents+json"
BATCHED = "application/cloudevents-batch+json"


class _Sign(msgspec.Struct, frozen=True):
    specversion: str | UnsetType = UNSET


class _Envelope(msgspec.Struct, frozen=True):
    id: str
    source: str
    type: str
    time: str | None = None
    datacontenttype: str | None = None
    data: msgspec.Raw | UnsetType = UNSET


class _Said(msgspec.Struct, frozen=True):
    """What the event itself says of the fields that the envelope has as well."""

    id: str | UnsetType = UNSET
    source: str | UnsetType = UNSET
    time: str | UnsetType = UNSET
    type: str | UnsetType = UNSET


_sign = msgspec.json.Decoder(_Sign)
_envelope = msgspec.json.Decoder(_Envelope)
_said = msgspec.json.Decoder(_Said)


def unwrap(raw: bytes) -> bytes:
    """The event's JSON text out of its envelope; text that is no CloudEvent is returned as it is.

    Raises :class:`Refused` for an envelope that holds no event, or contradicts it.
    """
    version = _version(raw)
    if version is UNSET:
        return raw
    if version != "1.0":
        raise Refused("/specversion", f"CloudEvents {version!r} is not understood", 'send "1.0"')
    plainness.check(raw)
    try:
        envelope = _envelope.decode(raw)
        data = _data(envelope)
        return _filled(data, envelope, _said.decode(data))
    except msgspec.ValidationError as error:
        raise Refused("", f"this is no CloudEvent around an event: {error}", "see CloudEvents 1.0") from None


def _version(raw: bytes) -> str | UnsetType:
    try:
        return _sign.decode(raw).specversion
    except RecursionError:
        raise Refused("", *plainness.too_deep()) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return UNSET  # whatever is wrong with it is said when it is decoded as an event


def _data(envelope: _Envelope) -> bytes:
    media_type = (envelope.datacontenttype or "application/json").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise Refused(
            "/datacontenttype", f"{media_type!r} is not understood", "send the event as JSON under data"
        )
    if envelope.data is UNSET:
        raise Refused("/data", "the envelope has no JSON under data", "put the event there")
    return bytes(envelope.data)


def _filled(data: bytes, envelope: _Envelope, said: _Said) -> bytes:
    """``data`` with what it leaves out, put in front of its own fields."""
    given = {
        "type": envelope.type.rpartition(".")[2],
        "id": envelope.id,
        "source": envelope.source,
        "time": envelope.time,
    }
    missing = {}
    for name, value in given.items():
        own = getattr(said, name)
        if own is UNSET:
            missing[name] = value
        elif value is not None and own != value:
            reason = f"the envelope says {getattr(envelope, name)!r}, and the event in it {own!r}"
            raise Refused(f"/{name}", reason, "say the same in both, or leave it out under data")
    front = msgspec.json.encode({name: value for name, value in missing.items() if value is not None})
    rest = data.strip().removeprefix(b"{").lstrip()
    comma = b"" if rest == b"}" or front == b"{}" else b","
    return front[:-1] + comma + rest
