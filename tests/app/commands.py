"""The command line as tests run it: in this process, or as a server of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.app.faces import event

CLEW = [sys.executable, "-c", "from app.faces.cli import main; main()"]
OUTPUT = "message:1/2/out"
EVENTS = [
    event(0, "run_started", run="run:1", agent="agent:a"),
    event(1),
    event(2, inputs=[{"ref": "message:1/1/out"}]),
]


class Done:
    """What a command printed, and its exit code."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.raw = out
        self.out = out.decode()
        self.err = err.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


Clew = Callable[..., Done]


def start(folder: Path, *more: str, **environment: str) -> subprocess.Popen[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
    return subprocess.Popen(
        [*CLEW, *(more or ("serve", "--port", "0"))],
        cwd=folder,
        env={**clean, **environment, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def address_of(process: subprocess.Popen[str]) -> str:
    """Where a server says that it listens."""
    assert process.stderr
    for line in process.stderr:
        found = re.search(r"http://\S+", line)
        if found:
            return found[0]
    raise AssertionError("the server did not say where it listens")
