"""Cut sweeps off, and see that each body is wholly there or wholly gone, and its tombstone tells the truth.

``python -m tests.sweeping kill URL FOLDER ROUNDS`` forks a process that sweeps for each round, and kills it
after some time. ``python -m tests.sweeping full FOLDER``, where ``FOLDER`` is a small file system of its own,
records until the disk is full, sweeps with next to no room left, and then with room. Nothing is printed, and
the exit code is 0, when all is well.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from app import retention
from app.bodies import Gone
from app.content import Vault, open_keys
from app.content.elsewhere import Directory
from app.keeping.words import read_policy
from app.ledger import Ledger
from app.service import Service
from provmodel.errors import StoreTrouble

LATER = 4_000_000_000_000_000  # microseconds since 1970: the year 2096
BODIES = 8  # in each round
INSIDE = 100  # bytes of a body that stay in the database
AT_ONCE = 2  # bodies in one step of a sweep, so that a round has several
FREE = (0, 4, 16, 32, 64, 128)  # kB that are left when a sweep begins on a full disk


class Untrue(AssertionError):
    """What must never be."""


@contextmanager
def service_in(url: str, folder: Path) -> Iterator[Service]:
    ledger = Ledger.open(url, create=True, keys=str(folder / "keys.db"))
    vault = Vault(open_keys(folder / "clew.keys", None), Directory(folder / "bodies"), INSIDE)
    service = Service(ledger, vault, "default", "urn:x-clew:")
    try:
        yield service
    finally:
        service.close()


def text_of(name: str) -> str:
    """What a body says: every third is too long for the database."""
    return f"the text of {name} " * (40 if int(name.rpartition("-")[2]) % 3 == 0 else 1)


def call(name: str) -> bytes:
    body = {"id": f"body:{name}", "text": text_of(name)}
    return json.dumps(
        {
            "type": "model_call",
            "id": name,
            "source": "s",
            "time": "2026-03-01T09:00:00Z",
            "call": name,
            "model": "m",
            "inputs": [{"ref": f"message:{name}", "body": body}],
        }
    ).encode()


def check(service: Service, names: Collection[str]) -> int:
    """Raise :class:`Untrue` for a body that is neither there nor gone; how many are there."""
    service.ledger.clear_strays("default", "", "g")
    store = service.ledger.store.of("default")
    logged = {name for (name,) in store.fetch("select id from event where substr(id, 1, 9) = 'deletion:'")}
    gone: dict[str, int | None] = dict(store.fetch("select body, done from tombstone"))
    there = [name for name in names if f"body:{name}" not in gone]
    for name in there:
        if service.bodies.open(f"body:{name}").content != text_of(name).encode():
            raise Untrue(f"the body {name} is there, and isn't what it was")
    for name, done in gone.items():
        if (done is not None) != (f"deletion:{name}" in logged):
            raise Untrue(f"the tombstone of {name} says {done}")
    for name in list(gone)[-2 * BODIES :]:
        with suppress(Gone):
            service.bodies.open(name)
            raise Untrue(f"the body {name} has a tombstone and is there")
    if None not in gone.values():
        nothing_is_left_over(service)
    return len(there)


def nothing_is_left_over(service: Service) -> None:
    """Keys, rows and files are those of the bodies that are there, and no others."""
    store = service.ledger.store.of("default")
    kept = {content for (content,) in store.fetch("select content from body where content is not null")}
    keys = service.ledger.keys.store.of(1).fetch(
        "select content from body_key where substr(content, 1, 5) <> 'tags-'"
    )
    if {content for (content,) in keys} != kept:
        raise Untrue("there are keys of bodies that are gone, or none of some that are there")
    place = service.vault.place
    if not set(place.names() if place else ()) <= kept:
        raise Untrue("there are files of bodies that are gone")


def _sweeping(url: str, folder: Path) -> int:
    """A process that sweeps."""
    child = os.fork()
    if child == 0:
        retention.BATCH = AT_ONCE
        with service_in(url, folder) as service:
            service.retention.sweep(now=LATER)
        os._exit(0)
    return child


def killed(url: str, folder: Path, seconds: float) -> None:
    """Sweep in a process of its own, and kill that after so many seconds."""
    child = _sweeping(url, folder)
    time.sleep(seconds)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def kill(url: str, folder: Path, rounds: int) -> None:
    chosen, cut = random.Random(4711), 0
    longest, names = _a_whole_sweep(url, folder)
    for round_number in range(1, rounds + 1):
        with service_in(url, folder) as service:
            names += _recorded(service, round_number)
        killed(url, folder, chosen.uniform(0.1, 1) * longest)
        with service_in(url, folder) as service:
            there = check(service, names)
            [(begun,)] = service.ledger.store.of("default").fetch(
                "select count(*) from tombstone where done is null"
            )
        if begun > 0 or 0 < there < BODIES:
            cut += 1
        else:  # the machine was slow when that was measured, or is now
            longest *= 1.2 if there else 0.8
    with service_in(url, folder) as service:
        service.retention.sweep(now=LATER)
        if check(service, names) or service.check():
            raise Untrue("a sweep did not bring to its end what was cut off")
    if rounds > 10 * max(1, cut):
        raise Untrue(f"of {rounds} sweeps only {cut} were cut off in the middle: this tested nothing")


def _a_whole_sweep(url: str, folder: Path) -> tuple[float, list[str]]:
    """How long a process needs to sweep here, in seconds, and what it swept."""
    with service_in(url, folder) as service:
        service.retention.put(read_policy("policy:p", "all", "1s", "person:o"))
        names = _recorded(service, 0)
    before = time.monotonic()
    os.waitpid(_sweeping(url, folder), 0)
    return time.monotonic() - before, names


def _recorded(service: Service, round_number: int) -> list[str]:
    names = [f"{round_number}-{number}" for number in range(BODIES)]
    service.record([call(name) for name in names])
    return names


def full(folder: Path) -> None:
    url, names, retention.BATCH = f"sqlite:///{folder / 'clew.db'}", [], AT_ONCE
    with service_in(url, folder) as service:
        service.retention.put(read_policy("policy:p", "all", "1s", "person:o"))
        for number in range(3 * BODIES):
            service.record([call(f"0-{number}")])
            names.append(f"0-{number}")
    filler = folder / "filler"
    for kilobytes in FREE:
        fill(filler, kilobytes * 1024)
        with suppress(StoreTrouble), service_in(url, folder) as service:
            for number in range(40):
                told = service.record([call(f"{1 + kilobytes}-{number}")])
                names += [result.id for result in told]
            raise Untrue("the disk was never full")
        with suppress(StoreTrouble), service_in(url, folder) as service:
            service.retention.sweep(now=LATER)
        filler.unlink()
        with service_in(url, folder) as service:
            logged = [
                name
                for (name,) in service.ledger.store.of("default").fetch("select id from event order by seq")
            ]
            known = [name for name in logged if not name.startswith("deletion:")]
            if not set(names) <= set(known):
                raise Untrue("what was acknowledged isn't there")
            names = known
            check(service, names)
    with service_in(url, folder) as service:
        service.retention.sweep(now=LATER)
        if check(service, names) or service.check():
            raise Untrue("with room again the sweep did not come to its end")


def fill(path: Path, left: int) -> None:
    """Fill the file system up, but for some bytes."""
    with path.open("wb", buffering=0) as file:
        with suppress(OSError):
            while True:
                file.write(b"\xa5" * 4096)
        file.truncate(max(0, file.tell() - left))


if __name__ == "__main__":
    if sys.argv[1] == "kill":
        kill(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
    else:
        full(Path(sys.argv[2]))
