"""What a server says of itself: one JSON object a line, and nothing of what others sent.

A line has the time, the level, who says it and what; of an error its type and where it was raised, never its
text, which may quote a body, an attribute or a token. What libraries say is told without the values that they
would put into it, for the same reason. JSON escapes every control character, so no line can begin another.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from datetime import UTC, datetime
from types import TracebackType

import msgspec

OWN = "clew"
REQUESTS = logging.getLogger("clew.requests")
"""One line for each request that was answered, at level INFO."""
FRAMES = 8
"""Places that are told of an error, the innermost last."""

_encode = msgspec.json.Encoder().encode


class Formatter(logging.Formatter):
    """A record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _message(record),
        }
        line |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[0]:
            line |= of_error(record.exc_info[0], record.exc_info[2])
        return _ascii(_encode(line).decode())


def _message(record: logging.LogRecord) -> str:
    """Clew's own words whole; of a library's the first line of its template."""
    if record.name.partition(".")[0] == OWN:
        return record.getMessage()
    return str(record.msg).partition("\n")[0]


def of_error(kind: type[BaseException], raised: TracebackType | None) -> dict[str, object]:
    """An error's type and where it was raised."""
    frames = traceback.extract_tb(raised)[-FRAMES:]
    return {
        "error": kind.__name__,
        "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }


def _ascii(text: str) -> str:
    """No character that a terminal or an editor may take for more than itself."""
    return "".join(sign if " " <= sign <= "~" else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def begin(level: str) -> None:
    """Write this process's log to standard error, from this level (info, warning, error) on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Formatter())
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    threading.excepthook = _thread_failed


def _thread_failed(args: threading.ExceptHookArgs) -> None:
    failed = (args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback)
    logging.getLogger(OWN).error("a thread ended by an error", exc_info=failed)


def request(method: str, route: str, status: int, seconds: float) -> None:
    """Say that a request was answered: its address as a pattern, and nothing of what it held."""
    if REQUESTS.isEnabledFor(logging.INFO):
        fields = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 3)}
        REQUESTS.info("answered", extra={"fields": fields})
