"""Rows of the log as reports: the event decoded again from the bytes that were kept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from provmodel import computed
from provmodel.submission import LoggedEvent
from queries.graph import Report

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_decode: msgspec.json.Decoder[LoggedEvent] = msgspec.json.Decoder(LoggedEvent)


def to_report(row: Sequence[Any]) -> Report:
    """A report from (seq, received, reporter, conflict, vouched, log, computed)."""
    seq, received, reporter, conflict, vouched, log, made = row
    return Report(
        seq,
        rfc3339(received),
        reporter,
        bool(conflict),
        bool(vouched),
        decode_log(log),
        () if made is None else computed.decode(made),
    )


def decode_log(log: bytes) -> LoggedEvent:
    """The event as the log keeps it."""
    return _decode.decode(log)


def rfc3339(microseconds: int) -> str:
    """The RFC 3339 text, in UTC, of microseconds since 1970."""
    moment = _EPOCH + timedelta(microseconds=microseconds)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
