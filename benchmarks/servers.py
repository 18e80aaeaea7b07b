"""A real ``clew serve`` in a process of its own on loopback, and clients of it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.frame import cpu_of

SECONDS_TO_STOP = 20


class Server:
    """A running server: its port on 127.0.0.1, and the process whose CPU time is its own."""

    def __init__(self, port: int, process: int) -> None:
        self.port = port
        self.process = process

    @property
    def cpu(self) -> float:
        """CPU seconds since it began."""
        return cpu_of(self.process)

    def counts(self) -> dict[str, float]:
        """What it tells of itself in the text format of Prometheus, as far as it has no labels."""
        with closing(HTTPConnection("127.0.0.1", self.port)) as connection:
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
        return {name: float(value) for name, value in re.findall(r"^(\w+) (\S+)$", text, re.MULTILINE)}

    def post(self, requests: Sequence[bytes], connections: int) -> None:
        """Send deliveries over so many connections at once, each of which waits for its answers."""
        with ThreadPoolExecutor(connections) as threads:
            parts = [requests[first::connections] for first in range(connections)]
            for done in threads.map(self._post, parts):
                assert done == {"recorded"}, done

    def _post(self, requests: Iterable[bytes]) -> set[str]:
        """What became of the events of deliveries that go over one connection."""
        statuses: set[str] = set()
        with closing(HTTPConnection("127.0.0.1", self.port)) as connection:
            for request in requests:
                connection.request("POST", "/v1/events", request, {"Content-Type": "application/json"})
                reply = connection.getresponse()
                told: Any = msgspec.json.decode(reply.read())
                assert reply.status == 200, told
                statuses.update(result["status"] for result in told["results"])
        return statuses


@contextmanager
def serving(db: Path) -> Iterator[Server]:
    """Serve a ledger until the block ends."""
    command = [str(Path(sys.executable).with_name("clew")), "serve", "--port", "0", "--db", str(db)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        told = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", told)
        assert found, told
        yield Server(int(found[1]), process.pid)
    finally:
        process.terminate()
        process.wait(SECONDS_TO_STOP)
        process.stderr.close()


def delivery(events: Sequence[bytes]) -> bytes:
    """Events as the body of one request."""
    return b"[" + b",".join(events) + b"]"
