"""A server that writes down each file that it opens and each connection that it makes, for the tests of both.

Run as ``python -m tests.app.audited FILE [arguments of clew]``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

WATCHED = (
    "open",
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "ctypes.dlopen",
)
"""Names of audit events, or how they begin (PEP 578)."""


def main() -> None:
    notes = Path(sys.argv[1]).open("a", buffering=1)  # noqa: SIM115 (as long as the process)

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(WATCHED):
            notes.write(json.dumps([event, [repr(one) for one in arguments]]) + "\n")

    from app.faces.cli import main as clew

    sys.argv = ["clew", *sys.argv[2:]]
    sys.addaudithook(note)
    clew()


if __name__ == "__main__":
    main()
