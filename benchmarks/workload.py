"""The work: what agents report, the same at every run.

:func:`steps` are events for ingest: of 1 kB and five relations each, without bodies, half of them model calls
and half tool calls, in runs that go on side by side.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any

import msgspec

Event = dict[str, Any]

BYTES = 1000
"""Of one event of :func:`steps`, as JSON."""

EDGES = 5
"""Relations that one event of :func:`steps` becomes."""

BATCH = 500
_START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
_SIDE_BY_SIDE = 8
_EVENTS_IN_A_RUN = 100
_DOCUMENTS = 5_000
_TOOLS = ("search_orders", "read_ticket", "fetch_invoice", "list_refunds", "post_comment")
_SOURCE = "harness/support-desk/eu-west-1"


def raw(events: Iterator[Event], count: int) -> list[bytes]:
    """So many events as a producer sends them."""
    return [msgspec.json.encode(event) for event in islice(events, count)]


def steps(first: int = 0) -> Iterator[Event]:
    """Events of 1 kB, from the ``first`` on, without end."""
    number = first
    while True:
        group, place = divmod(number, _SIDE_BY_SIDE * _EVENTS_IN_A_RUN)
        step, lane = divmod(place, _SIDE_BY_SIDE)
        run = f"run:{_uuid('run', group * _SIDE_BY_SIDE + lane)}"
        yield (_tool_call if step % 2 else _model_call)(number, run, step)
        number += 1


def _envelope(number: int, run: str, kind: str) -> Event:
    return {
        "type": kind,
        "id": f"event:{_hex('trace', number, 32)}-{_hex('span', number, 16)}-01",
        "source": _SOURCE,
        "epoch": "2026-03-01T08:59:58Z/support-desk-worker-7d9f8b6c5-x2x4q",
        "source_number": number + 1,
        "time": time_of(number, 900),
        "run": run,
    }


def _model_call(number: int, run: str, step: int) -> Event:
    return {
        **_envelope(number, run, "model_call"),
        "call": f"call:{_uuid('call', number)}",
        "model": "model:support-assistant-large@version:2026-02-11.3",
        "started": time_of(number, 0),
        "ended": time_of(number, 870),
        "inputs": [
            {"ref": _message(run, step), "role": "tool", "position": step, "state": "never_captured"},
            {
                "ref": _document(number),
                "role": "context",
                "position": step + 1,
                "part": {"start": 0, "end": 1800 + number % 700, "unit": "char"},
            },
        ],
        "outputs": [{"ref": _message(run, step + 1), "role": "assistant", "position": 0}],
        "status": "ok, usage reported by the provider",
        "finish": "tool_calls",
    }


def _tool_call(number: int, run: str, step: int) -> Event:
    tool = _TOOLS[number % len(_TOOLS)]
    return {
        **_envelope(number, run, "tool_call"),
        "attempt": f"attempt:{_uuid('attempt', number)}",
        "action": f"action:{_uuid('action', number)}",
        "tool": f"tool:{tool}@version:{number % 4}.12.0",
        "tool_binding": f"tool:mcp/desk-gateway/{tool}@sha256:{_hex('tool', number % 5, 64)}",
        "task_version": "2026-02-27.1",
        "key": sha256(f"{run}{step}".encode()).hexdigest(),
        "attempt_number": 1,
        "started": time_of(number, 4),
        "ended": time_of(number, 610),
        "outcome": "completed",
        "http_status": 200,
        "handle": f"https://{tool.replace('_', '-')}.internal.example/v2/jobs/{_uuid('job', number)}",
        "results": [
            {"ref": _message(run, step + 1), "role": "tool", "position": 0, "state": "never_captured"}
        ],
    }


def time_of(number: int, milliseconds: int = 0) -> str:
    """Events are 40 ms apart; the clock has microseconds."""
    moment = _START + timedelta(milliseconds=40 * number + milliseconds, microseconds=number * 7919 % 1000)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _hex(kind: str, number: int, digits: int) -> str:
    return sha256(f"{kind}/{number}".encode()).hexdigest()[:digits]


def _uuid(kind: str, number: int) -> str:
    digits = _hex(kind, number, 32)
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def _message(run: str, step: int) -> str:
    return f"message:{run.removeprefix('run:')}/{step:04}"


def _document(number: int) -> str:
    """A few documents are read by most, as the first pages of a handbook are."""
    chosen = int(_DOCUMENTS * random.Random(number).random() ** 3)
    section, page = divmod(chosen, 20)
    return f"document:handbook/section-{section}/page-{page}@sha256:{_hex('document', chosen, 64)}"
