"""PostgreSQL: the store step by COPY beside the same by executemany."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from app.ledger import Ledger, postgres
from benchmarks.frame import Figure, cpu_of, micros
from benchmarks.stores import TENANT, in_batches, prepared
from benchmarks.workload import BATCH, raw, steps
from tests.postgres import NoPostgres, PostgresServer, postgres_server

BY_COPY, BY_EXECUTEMANY = postgres.FEW, 10**9
"""How many rows of a table the ledger sends by executemany at most."""


class Spent(NamedTuple):
    """Seconds: CPU of this process, CPU of the server's process for its connection, and on the wall."""

    client: float
    server: float
    wall: float

    @property
    def both(self) -> float:
        return self.client + self.server


_TOLD: tuple[tuple[str, Callable[[Spent], float], float | None], ...] = (
    ("CPU of the client", lambda spent: spent.client, 1.5),
    ("CPU of client and server", lambda spent: spent.both, 1.5),
    ("on the wall", lambda spent: spent.wall, None),
)


def figures(quick: bool) -> Iterable[Figure]:
    """``Ledger.append`` both ways, each into a database of its own; nothing where no server can start."""
    count, turns = (1_000, 3) if quick else (5_000, 7)
    batches = in_batches(raw(steps(), count))
    try:
        with postgres_server() as server:
            _spent(server, batches[:1], BY_COPY)
            turned = [[_spent(server, batches, few) for few in _order(turn)] for turn in range(turns)]
    except NoPostgres as reason:
        print(f"postgres: not measured: {reason}")
        return
    pairs = [(one, other) if turn % 2 == 0 else (other, one) for turn, (one, other) in enumerate(turned)]
    yield from _told(pairs, count)


def _order(turn: int) -> tuple[int, int]:
    return (BY_COPY, BY_EXECUTEMANY) if turn % 2 == 0 else (BY_EXECUTEMANY, BY_COPY)


def _told(pairs: Sequence[tuple[Spent, Spent]], count: int) -> Iterator[Figure]:
    for name, seconds, goal in _TOLD:
        copy, many = (micros(median(map(seconds, side)), count) for side in zip(*pairs, strict=True))
        yield Figure(
            name=f"store step by COPY, faster: {name}",
            measured=median(seconds(many) / seconds(copy) for copy, many in pairs),
            goal=goal,
            unit="x",
            peer="the same store step with psycopg's executemany (in a pipeline)",
            least=True,
            note=f"{count:,} events, {BATCH} a commit; {copy} an event by COPY, {many} by executemany",
        )


def _spent(server: PostgresServer, batches: Sequence[Sequence[bytes]], few: int) -> Spent:
    """What it takes to append all."""
    url = server.fresh_database()
    postgres.FEW = few
    client = wall = 0.0
    with Ledger.open(url, create=True) as ledger:
        [(backend,)] = ledger.store.fetch("select pg_backend_pid()")
        before = cpu_of(backend)
        for batch in batches:
            ready = prepared(batch)
            began, at = time.process_time(), time.perf_counter()
            ledger.append(TENANT, ready)
            client += time.process_time() - began
            wall += time.perf_counter() - at
        spent = Spent(client, cpu_of(backend) - before, wall)
    postgres.FEW = BY_COPY
    server.drop_database(url)
    return spent
