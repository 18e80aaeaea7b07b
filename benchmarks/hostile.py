"""Texts that want to do harm: what refusing each costs, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable

import msgspec

from benchmarks.frame import Figure
from tests.provmodel.formats.hostile_texts import HOSTILE

MILLISECONDS, MEGABYTES = 100.0, 50.0  # design: no text may cost more

_PROGRAM = """
import sys, time
from pathlib import Path
from provmodel import formats
from provmodel.errors import Unreadable

def resident(word):
    [line] = [one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith(word)]
    return int(line.split()[1])

name, data = sys.argv[1], sys.stdin.buffer.read()
for known, text in (("prov-json", b"{}"), ("turtle", b""), ("prov-n", b"document endDocument")):
    formats.read(text, known)  # what is imported on the way isn't counted
Path("/proc/self/clear_refs").write_text("5")  # the most that was resident begins anew
before, began = resident("VmRSS"), time.process_time()
try:
    formats.read(data, name)
except Unreadable:
    took = time.process_time() - began
    print(took * 1000, (resident("VmHWM") - before) / 1024)
"""


class Cost(msgspec.Struct, frozen=True):
    """CPU milliseconds, and megabytes of resident pages beyond what the process had (Linux)."""

    name: str
    milliseconds: float
    megabytes: float


def figures(quick: bool) -> Iterable[Figure]:
    """The slowest and the hungriest; ``quick`` changes nothing."""
    costs = [_cost(name) for name in HOSTILE]
    slowest, hungriest = (
        max(costs, key=lambda one: one.milliseconds),
        max(costs, key=lambda one: one.megabytes),
    )
    yield Figure(
        name=f"the slowest of {len(costs)} texts to be refused",
        measured=slowest.milliseconds,
        goal=MILLISECONDS,
        unit="ms",
        peer="",
        note=f"{slowest.name}, {len(HOSTILE[slowest.name][1]):,} characters",
    )
    yield Figure(
        name="the one that takes most memory",
        measured=hungriest.megabytes,
        goal=MEGABYTES,
        unit="MB",
        peer="",
        note=f"{hungriest.name}, {len(HOSTILE[hungriest.name][1]):,} characters",
    )


def _cost(name: str) -> Cost:
    format_name, text, _ = HOSTILE[name]
    data = text if isinstance(text, bytes) else text.encode()
    command = [sys.executable, "-c", _PROGRAM, format_name]
    told = subprocess.run(command, input=data, capture_output=True, check=True).stdout.split()
    return Cost(name, float(told[0]), float(told[1]))
