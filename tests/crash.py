"""Kill a process in the middle of its writing, again and again, and see what is there.

``python -m tests.crash URL ROUNDS`` forks a writer for each round. The writer appends small commits as fast
as it can and tells each one that was acknowledged over a pipe; after some time it is killed. Then every
acknowledged event must be in the store, once, in its place. Nothing is printed, and the exit code is 0, when
all is well.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import time
from collections.abc import Iterator
from typing import NoReturn

import msgspec

from app.ledger import Ledger
from provmodel import events
from tests.ledgers import prepared
from tests.patience import HANGING

TENANT = "default"
SHORTEST, LONGEST = 0.02, 0.15  # seconds from the first acknowledgement to the kill
IN_A_COMMIT = (1, 1, 2, 7, 40)


class Lost(AssertionError):
    """What a store must never do."""


def event(round_number: int, number: int) -> events.Event:
    """An event that reads what an earlier one wrote, so that commits join across each other."""
    attempt = f"a{round_number}-{number}"
    told: events.Event = msgspec.convert(
        {
            "type": "tool_call",
            "id": attempt,
            "source": f"writer-{round_number}",
            "source_number": number + 1,
            "time": "2026-03-01T09:00:00Z",
            "run": f"r{round_number}",
            "attempt": attempt,
            "tool": "t",
            "outcome": "completed",
            "reads": [{"ref": f"file:/{(number - 1) % 5}@sha256:{'0' * 64}"}],
            "writes": [{"ref": f"file:/{number % 5}@sha256:{'0' * 64}", "mode": "create"}],
        },
        type=events.Event,
    )
    return told


def write(url: str, round_number: int, told: int) -> NoReturn:
    """Append until killed; one line for each acknowledged event: its id and seq."""
    chosen = random.Random(round_number)
    number = 0
    with Ledger.open(url) as ledger:
        while True:
            count = chosen.choice(IN_A_COMMIT)
            items = [prepared(event(round_number, n)) for n in range(number, number + count)]
            outcomes = ledger.append(TENANT, items)
            lines = [
                f"{item.event.id} {outcome.seq}\n" for item, outcome in zip(items, outcomes, strict=True)
            ]
            os.write(told, "".join(lines).encode())
            number += count


def killed_writer(url: str, round_number: int) -> dict[str, int]:
    """What a writer was told before it was killed: event ids and seqs."""
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(heard)
        write(url, round_number, told)
    os.close(told)
    try:
        first = _wait(heard)
        time.sleep(random.Random(-round_number).uniform(SHORTEST, LONGEST))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    text = (first + b"".join(_rest(heard))).decode()
    os.close(heard)
    whole = text[: text.rfind("\n") + 1].splitlines()
    return {name: int(seq) for name, seq in map(str.split, whole)}


def _wait(heard: int) -> bytes:
    if not select.select([heard], [], [], HANGING)[0]:
        raise Lost("the writer could not begin")
    return os.read(heard, 65536)


def _rest(heard: int) -> Iterator[bytes]:
    while part := os.read(heard, 65536):
        yield part


def check(ledger: Ledger, acknowledged: dict[str, int]) -> None:
    """Raise :class:`Lost` unless all that was acknowledged is there, once, and the log has no gap."""
    there: dict[str, int] = dict(ledger.store.of("default").fetch("select id, seq from event"))
    seqs = [seq for (seq,) in ledger.store.of("default").fetch("select seq from event order by seq")]
    if seqs != list(range(1, len(seqs) + 1)) or ledger.graph(TENANT).head() != len(seqs):
        raise Lost("there is a gap in seq, or the head is not the end of the log")
    if len(there) != len(seqs):
        raise Lost("an event is there twice")
    lost = {name for name, seq in acknowledged.items() if there.get(name) != seq}
    if lost:
        raise Lost(f"{len(lost)} acknowledged events are not there, {min(lost)} among them")


def main(url: str, rounds: int) -> None:
    Ledger.open(url, create=True).close()
    acknowledged: dict[str, int] = {}
    for round_number in range(rounds):
        acknowledged |= killed_writer(url, round_number)
        with Ledger.open(url) as ledger:
            check(ledger, acknowledged)
    with Ledger.open(url) as ledger:
        findings = ledger.fsck(TENANT)
    if findings:
        raise Lost(f"fsck: {findings[0]}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
