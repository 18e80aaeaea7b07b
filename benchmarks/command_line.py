"""The command line: what it costs before it does anything."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from benchmarks.frame import Figure


def figures(quick: bool) -> Iterable[Figure]:
    """``clew --help``, beside a bare interpreter."""
    turns = 5 if quick else 15
    command = [str(Path(sys.executable).with_name("clew")), "--help"]
    bare = median(_cpu([sys.executable, "-c", "pass"]) for _ in range(turns))
    yield Figure(
        name="clew --help",
        measured=median(_cpu(command) for _ in range(turns)),
        goal=0.3,
        unit="s",
        peer="none",
        note=f"the whole process; Python alone takes {bare:.3f} s",
    )


def _cpu(command: list[str]) -> float:
    """CPU seconds of a process from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
