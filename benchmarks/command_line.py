"""The command line: what it costs to begin, and to answer over the story that ships."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.frame import Figure, ratio, take_turns

_PEER = 'python -c "import sqlalchemy"'
_GOALS = {"clew version": 0.7, "clew --help": 0.7, "clew ask who-authorized": 1.7}
"""At most so many times what the peer costs."""
_TARGET = ("--target", "ledger:account-4711")


def figures(quick: bool) -> Iterable[Figure]:
    """Whole processes, beside one that only imports a library, and a bare interpreter."""
    clew = str(Path(sys.executable).with_name("clew"))
    with TemporaryDirectory() as folder:
        ledger = ("--db", str(Path(folder) / "story.db"))
        _cpu([clew, "demo", "--once", *ledger])
        commands = {
            "clew version": [clew, "version"],
            "clew --help": [clew, "--help"],
            "clew ask who-authorized": [clew, "ask", "who-authorized", *_TARGET, *ledger],
            _PEER: [sys.executable, "-c", "import sqlalchemy"],
            "bare": [sys.executable, "-c", "pass"],
        }
        for command in commands.values():
            _cpu(command)  # whose modules are compiled then
        sides = {name: partial(_cpu, command) for name, command in commands.items()}
        seconds = take_turns(5 if quick else 15, sides)
    spent = {name: median(each) for name, each in seconds.items()}
    for name, goal in _GOALS.items():
        yield Figure(
            name=name,
            measured=ratio(seconds[name], seconds[_PEER]),
            goal=goal,
            unit="x",
            peer=_PEER,
            note=f"{spent[name]:.3f} s, the peer {spent[_PEER]:.3f} s, Python alone {spent['bare']:.3f} s",
        )


def _cpu(command: list[str]) -> float:
    """CPU seconds of a process from its start to its end."""
    compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=compiled)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
