"""Content: sealing, redaction, bodies in events, and a sweep."""

from __future__ import annotations

import itertools
import multiprocessing
import time
from collections.abc import Iterable, Sequence
from hashlib import sha256
from multiprocessing.synchronize import Event as Flag
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from app.content.keys import Keys
from app.content.sealing import seal
from app.content.secrets import RULES, Finder, Redactor
from app.content.vault import Vault
from app.keeping.words import read_policy
from app.ledger import Ledger
from app.service import Service
from benchmarks.frame import Figure, cpu, micros, take_turns

KEYS = Keys(bytes(range(32)))
PROSE = Path(__file__).parents[1] / "docs" / "tutorial.md"
AT_ONCE = 50
"""Events in a commit beside a sweep."""
LATER = 4_000_000_000_000_000  # microseconds since 1970


def figures(quick: bool) -> Iterable[Figure]:
    """Each beside the same work without it."""
    turns = 3 if quick else 7
    yield _sealing(turns, 2_000 if quick else 20_000)
    yield _redacting(turns, 2 if quick else 20)
    with TemporaryDirectory() as folder:
        yield _events(Path(folder), turns, 500 if quick else 5_000)
        yield _sweep(Path(folder), 2_000 if quick else 100_000)
    with TemporaryDirectory() as folder:
        yield _beside(Path(folder), 2_000 if quick else 20_000)


WORDS = ("the", "report", "says", "that", "fees", "were", "charged", "twice", "in", "spring", "to", "whom")


def _text(number: int, size: int) -> bytes:
    """Prose, each other than all others by the order of its words."""
    digest = sha256(f"{number}".encode()).digest() * (size // 96 + 1)
    words = " ".join([WORDS[byte % len(WORDS)] for byte in digest])
    return words.encode()[:size]


def _sealing(turns: int, count: int) -> Figure:
    contents = [_text(number, 4096) for number in range(count)]

    def plain() -> float:
        return cpu(lambda: [bytes(content) for content in contents])

    def sealed() -> float:
        return cpu(lambda: [seal(KEYS.wrapping, "default", content) for content in contents])

    took = take_turns(turns, {"plain": plain, "sealed": sealed})
    each = sorted(b - a for a, b in zip(took["plain"], took["sealed"], strict=True))[turns // 2] / count * 1e6
    note = f"{count:,} bodies of 4 kB; a random key for each, zstd, AES-256-GCM, the key wrapped"
    return Figure(name="sealing a body of 4 kB", measured=each, goal=50, unit="us", peer="", note=note)


def _redacting(turns: int, megabytes: int) -> Figure:
    prose = PROSE.read_bytes()
    text = prose * (megabytes * 2**20 // len(prose) + 1)
    pieces = [text[start : start + 4096] for start in range(0, len(text), 4096)]
    redactor = Redactor(Finder(RULES))
    took = take_turns(turns, {"clean": lambda: cpu(lambda: [redactor.clean(piece) for piece in pieces])})
    speed = len(text) / sorted(took["clean"])[turns // 2] / 1e6
    note = f"{len(text):,} bytes of these pages in pieces of 4 kB, {len(RULES)} rules"
    return Figure(name="redaction", measured=speed, goal=30, unit="MB/s", peer="", note=note, least=True)


def _call(number: int, text: str | None) -> bytes:
    body: dict[str, Any] = {"body": {"id": f"body:{number}", "text": text}} if text else {}
    return msgspec.json.encode(
        {
            "type": "model_call",
            "id": f"e{number}",
            "source": "s",
            "time": "2026-03-01T09:00:00Z",
            "run": f"run:{number // 100}",
            "call": f"call:{number}",
            "model": "model:m@version:1",
            "inputs": [{"ref": f"message:{number}", **body}],
        }
    )


def _service(folder: Path) -> Service:
    vault = Vault(KEYS, redactor=Redactor(Finder(RULES)))
    return Service(Ledger.open(str(folder / "clew.db"), create=True), vault, "default", "urn:x-clew:")


def _recorded(folder: Path, events: Sequence[bytes]) -> float:
    with TemporaryDirectory(dir=folder) as place:
        service = _service(Path(place))
        took = cpu(lambda: [service.record(events[n : n + 500]) for n in range(0, len(events), 500)])
        service.close()
        return took


def _events(folder: Path, turns: int, count: int) -> Figure:
    without = [_call(number, None) for number in range(count)]
    with_body = [_call(number, _text(number, 1000).decode()) for number in range(count)]
    sides = {
        "without": lambda: _recorded(folder, without),
        "with": lambda: _recorded(folder, with_body),
    }
    took = take_turns(turns, sides)
    each = sorted(b - a for a, b in zip(took["without"], took["with"], strict=True))[turns // 2] / count * 1e6
    note = f"{count:,} model calls; with a body {micros(sorted(took['with'])[turns // 2], count)} each"
    return Figure(name="a body of 1 kB in its event", measured=each, goal=60, unit="us", peer="", note=note)


def _full(folder: Path, count: int) -> Service:
    """A service with so many bodies, all of which may go."""
    service = _service(folder)
    for start in range(0, count, 500):
        service.record([_call(n, f"body number {n}") for n in range(start, start + 500)])
    service.retention.put(read_policy("policy:p", "all", "1s", "person:o"))
    return service


def _sweep(folder: Path, count: int) -> Figure:
    service = _full(folder, count)
    began = time.process_time()
    swept = service.retention.sweep(now=LATER)
    took = time.process_time() - began
    service.close()
    done = sum(swept.deleted.values())
    note = f"{done:,} bodies: keys and bytes destroyed, an event and a tombstone each"
    return Figure(
        name="sweeping", measured=done / took, goal=5000, unit="bodies/s", peer="", note=note, least=True
    )


def _beside(folder: Path, count: int) -> Figure:
    """Ingest of this process on the wall, while another one sweeps: both wait for the disk and the ledger."""
    _full(folder, count).close()
    service, numbers = _service(folder), itertools.count(count, AT_ONCE)
    alone = [_wall(service, next(numbers)) for _ in range(20)]
    context = multiprocessing.get_context("spawn")
    begun, done = context.Event(), context.Event()
    sweeper = context.Process(target=_sweep_all, args=(folder, begun, done))
    sweeper.start()
    begun.wait(60)
    beside: list[float] = []
    while not done.is_set():
        beside.append(_wall(service, next(numbers)))
    sweeper.join(60)
    service.close()
    return Figure(
        name=f"recording {AT_ONCE} events while another process sweeps, on the wall",
        measured=median(beside) / median(alone),
        goal=None,
        unit="x",
        peer="the same before",
        note=f"{len(beside) * AT_ONCE:,} events recorded while {count:,} bodies went; "
        f"{median(beside) * 1000:.3g} ms, the longest wait {max(beside) * 1000:.3g} ms",
    )


def _wall(service: Service, number: int) -> float:
    """Seconds on the wall until these events are durable."""
    events = [_call(n, "a word") for n in range(number, number + AT_ONCE)]
    began = time.perf_counter()
    service.record(events)
    return time.perf_counter() - began


def _sweep_all(folder: Path, begun: Flag, done: Flag) -> None:
    service = _service(folder)
    begun.set()
    service.retention.sweep(now=LATER)
    done.set()
    service.close()
