"""The peers of a walk: each has the same edges, and counts what leads back to one node by its own means.

Edges that Clew would not cross are left out for all of them: none but Clew looks at evidence, stance or time.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import igraph
import ladybug
import networkx as nx
import numpy as np
import pyoxigraph as ox
import rustworkx as rx

from benchmarks.frame import Side, cpu, cpu_of
from queries.adjacency.arrays import Ints
from tests.postgres import NoPostgres, PostgresServer, postgres_server

LONGEST = 400
"""Steps beyond which ladybug does not look; no node of the graphs is as far."""
_EDGE = ox.NamedNode("urn:x-bench:led-to")

_CREATE = (
    "create table edge (target integer not null, code integer not null, source integer not null,"
    " number integer not null, primary key (target, code, source, number))"
)
_SQLITE = (
    "with recursive reach (node) as (select ? union select e.source from reach r cross join edge e"
    " where e.target = r.node and e.code < 512) select count(*) from reach"
)
_POSTGRES = (
    "with recursive reach (node) as (select %s::integer union select e.source from reach r"
    " join edge e on e.target = r.node and e.code < 512) select count(*) from reach"
)


class Graph(NamedTuple):
    """Edges of data that are crossed, and all rows for peers that hold a table."""

    source: Ints
    target: Ints
    code: Ints
    size: int

    @property
    def data(self) -> tuple[list[int], list[int]]:
        some = self.code < 512
        return self.source[some].tolist(), self.target[some].tolist()


class Peer(NamedTuple):
    """``side`` counts what was reached from the start, in CPU seconds."""

    name: str
    side: Side


def counted(work: Callable[[], int], expected: int) -> Side:
    """A side that checks what it comes to."""

    def side() -> float:
        found: list[int] = []
        seconds = cpu(lambda: found.append(work()))
        assert found == [expected], (found, expected)
        return seconds

    return side


@contextmanager
def peers(graph: Graph, start: int, expected: int, folder: Path) -> Iterator[list[Peer]]:
    """All that can be had here."""
    with ExitStack() as stack:
        made = [
            Peer("SQLite, a recursive query over a covering key", _sqlite(graph, start, expected, stack)),
            Peer("networkx.descendants", _networkx(graph, start, expected)),
            Peer("rustworkx.descendants", _rustworkx(graph, start, expected)),
            Peer("igraph, subcomponent", _igraph(graph, start, expected)),
            Peer("igraph, bfs", _igraph_levels(graph, start)),
            Peer("ladybug, shortest paths", _ladybug(graph, start, expected, folder)),
            Peer("pyoxigraph, a property path", _pyoxigraph(graph, start, expected)),
        ]
        postgres = _postgres(graph, start, expected, stack)
        yield [*made, Peer("PostgreSQL, a recursive query", postgres)] if postgres else made


def _sqlite(graph: Graph, start: int, expected: int, stack: ExitStack) -> Side:
    connection = sqlite3.connect(":memory:")
    stack.callback(connection.close)
    connection.execute(f"{_CREATE} without rowid")
    connection.executemany("insert into edge values (?, ?, ?, ?)", _table(graph))
    return counted(lambda: int(connection.execute(_SQLITE, (start,)).fetchone()[0]), expected)


def _table(graph: Graph) -> Iterator[tuple[int, int, int, int]]:
    columns = (graph.target.tolist(), graph.code.tolist(), graph.source.tolist(), range(len(graph.code)))
    return zip(*columns, strict=True)


def _networkx(graph: Graph, start: int, expected: int) -> Side:
    model: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    source, target = graph.data
    model.add_edges_from(zip(target, source, strict=True))
    return counted(lambda: len(nx.descendants(model, start)) + 1, expected)


def _rustworkx(graph: Graph, start: int, expected: int) -> Side:
    model: Any = rx.PyDiGraph()
    source, target = graph.data
    model.add_nodes_from([None] * graph.size)
    model.extend_from_edge_list(list(zip(target, source, strict=True)))
    return counted(lambda: len(rx.descendants(model, start)) + 1, expected)


def _model(graph: Graph) -> Any:
    source, target = graph.data
    return igraph.Graph(n=graph.size, edges=np.stack([target, source], axis=1), directed=True)


def _igraph(graph: Graph, start: int, expected: int) -> Side:
    model = _model(graph)
    return counted(lambda: len(model.subcomponent(start, mode="out")), expected)


def _igraph_levels(graph: Graph, start: int) -> Side:
    model = _model(graph)
    return lambda: cpu(lambda: model.bfs(start, mode="out"))


def _ladybug(graph: Graph, start: int, expected: int, folder: Path) -> Side:
    connection = ladybug.Connection(ladybug.Database(str(folder / "graph.lbug")), num_threads=1)
    nodes, edges = folder / "nodes.csv", folder / "edges.csv"
    source, target = graph.data
    nodes.write_text("\n".join(map(str, range(graph.size))))
    edges.write_text("\n".join(f"{one},{other}" for one, other in zip(target, source, strict=True)))
    for statement in (
        "create node table N(id int64, primary key(id))",
        "create rel table E(from N to N)",
        f"copy N from '{nodes}'",
        f"copy E from '{edges}'",
        f"call var_length_extend_max_depth={LONGEST}",
    ):
        connection.execute(statement)
    query = f"match (a:N {{id: {start}}})-[:E* shortest 1..{LONGEST}]->(b:N) return count(*)"
    return counted(lambda: int(connection.execute(query).get_next()[0]) + 1, expected)


def _pyoxigraph(graph: Graph, start: int, expected: int) -> Side:
    store = ox.Store()
    named = [ox.NamedNode(f"urn:x-bench:{node}") for node in range(graph.size)]
    source, target = graph.data
    ends = zip(target, source, strict=True)
    store.bulk_extend(ox.Quad(named[one], _EDGE, named[other]) for one, other in ends)
    query = f"select (count(distinct ?x) as ?n) {{ <urn:x-bench:{start}> <{_EDGE.value}>* ?x }}"

    def walk() -> int:
        solutions: Any = store.query(query)
        return int(next(iter(solutions))["n"].value)

    return counted(walk, expected)


def _postgres(graph: Graph, start: int, expected: int, stack: ExitStack) -> Side | None:
    try:
        server: PostgresServer = stack.enter_context(postgres_server())
    except NoPostgres as reason:
        print(f"walks: without PostgreSQL: {reason}")
        return None
    import psycopg

    connection = stack.enter_context(psycopg.connect(_plain(server.fresh_database()), autocommit=True))
    connection.execute(_CREATE)
    with connection.cursor().copy("copy edge from stdin") as copy:
        for row in _table(graph):
            copy.write_row(row)
    connection.execute("vacuum analyze edge")
    backend = connection.info.backend_pid

    def side() -> float:
        began, client = cpu_of(backend), time.process_time()
        [(count,)] = connection.execute(_POSTGRES, (start,)).fetchall()
        assert count == expected, (count, expected)
        return cpu_of(backend) - began + time.process_time() - client

    return side


def _plain(url: str) -> str:
    return url.replace("postgresql+psycopg://", "postgresql://")
