"""PostgreSQL: the store step by arrays beside the same by executemany, and row-level security"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import make_url

from app.ledger import Ledger, postgres
from app.ledger.bodykeys import open_body_keys
from app.ledger.ledger import store_at
from app.ledger.postgres import Postgres
from app.ledger.store import Tuple
from app.service import Service
from benchmarks import studies
from benchmarks.frame import Figure, cpu_of, micros
from benchmarks.stores import BASE, TENANT, VAULT, in_batches, prepared
from benchmarks.workload import BATCH, raw, steps
from queries.answer import encode
from tests.postgres import SUPERUSER, NoPostgres, PostgresServer, postgres_server

ROLE = "clew_service"
STUDIES, STUDIES_IF_QUICK = 60, 10
MOST_OF_ISOLATION = 1.2
BY_ARRAYS, BY_EXECUTEMANY = postgres.FEW, 10**9
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
            _spent(server, batches[:1], BY_ARRAYS)
            turned = [[_spent(server, batches, few) for few in _order(turn)] for turn in range(turns)]
            yield from _isolated(server, STUDIES_IF_QUICK if quick else STUDIES, turns)
    except NoPostgres as reason:
        print(f"postgres: not measured: {reason}")
        return
    pairs = [(one, other) if turn % 2 == 0 else (other, one) for turn, (one, other) in enumerate(turned)]
    yield from _told(pairs, count)


def _order(turn: int) -> tuple[int, int]:
    return (BY_ARRAYS, BY_EXECUTEMANY) if turn % 2 == 0 else (BY_EXECUTEMANY, BY_ARRAYS)


def _told(pairs: Sequence[tuple[Spent, Spent]], count: int) -> Iterator[Figure]:
    for name, seconds, goal in _TOLD:
        arrays, many = (micros(median(map(seconds, side)), count) for side in zip(*pairs, strict=True))
        yield Figure(
            name=f"store step by arrays, faster: {name}",
            measured=median(seconds(many) / seconds(arrays) for arrays, many in pairs),
            goal=goal,
            unit="x",
            peer="the same store step with psycopg's executemany (in a pipeline)",
            least=True,
            note=f"{count:,} events, {BATCH} a commit; {arrays} an event by arrays, {many} by executemany",
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
    postgres.FEW = BY_ARRAYS
    server.drop_database(url)
    return spent


class _Unset(Postgres):
    """Reads without saying whose: only a superuser sees anything then."""

    def _read(
        self, statement: str, parameters: Sequence[Any], setting: tuple[str, str] | None = None
    ) -> list[Tuple]:
        return self._sent(statement, parameters, None)


def _isolated(server: PostgresServer, count: int, turns: int) -> Iterator[Figure]:
    """``inputs-of`` as a role under row-level security, beside the same as one that goes round it."""
    url = server.fresh_database()
    name = url.rpartition("/")[2]
    Ledger.upgrade(url)
    Ledger.make_role(server.url_of(name, SUPERUSER), ROLE)
    under = store_at(server.url_of(name, ROLE))
    beside = _Unset(make_url(server.url_of(name, SUPERUSER)))
    services = [
        Service(Ledger(one, open_body_keys(one, None)), VAULT, TENANT, BASE) for one in (under, beside)
    ]
    for study in range(count):
        services[0].record([msgspec.json.encode(event) for event in studies.study(study)])
    for service in services:
        _asked(service, count)
    pairs = []
    for turn in range(turns):
        order = services if turn % 2 == 0 else services[::-1]
        took = [_asked(service, count) for service in order]
        pairs.append(took if turn % 2 == 0 else took[::-1])
    for told, seconds in (("CPU of the client", _client), ("CPU of client and server", _both)):
        yield Figure(
            name=f"inputs-of under row-level security: {told}",
            measured=median(seconds(one) / seconds(other) for one, other in pairs),
            goal=MOST_OF_ISOLATION,
            unit="x",
            peer="the same as a superuser, whom no policy concerns, without a setting",
            note=f"{count} studies; {median(seconds(one) for one, _ in pairs) * 1000:.3g} ms an answer",
        )
    for service in services:
        service.close()
    server.drop_database(url)


def _asked(service: Service, count: int) -> Spent:
    """What it takes to answer once, of some reports in the midst."""
    [(backend,)] = service.ledger.store.fetch("select pg_backend_pid()")
    targets = [studies.report_of(study) for study in range(count // 2, count // 2 + 5)]
    before, began, at = cpu_of(backend), time.process_time(), time.perf_counter()
    for target in targets:
        encode(service.ask("inputs-of", {"target": [target], "depth": studies.DEPTH}).answer)
    client, wall = time.process_time() - began, time.perf_counter() - at
    spent = Spent(client, cpu_of(backend) - before, wall)
    return Spent(*(seconds / len(targets) for seconds in spent))


def _client(spent: Spent) -> float:
    return spent.client


def _both(spent: Spent) -> float:
    return spent.both
